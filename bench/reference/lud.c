/* LU decomposition without pivoting, row after row (Doolittle). */
#include "fut.h"

static Value a;
static float *lu;

static void input(void) {
  a = get("f32", 2);
  lu = ALLOC(float, a.count);
}

static void compute(void) {
  int64_t n = a.dim[0];
  memcpy(lu, a.data, a.count * sizeof(float));
  for (int64_t i = 1; i < n; i++)
    for (int64_t k = 0; k < i; k++) {
      float f = lu[i * n + k] /= lu[k * n + k];
      for (int64_t j = k + 1; j < n; j++) lu[i * n + j] -= f * lu[k * n + j];
    }
}

static void output(void) { put("f32", 2, a.dim, lu); }
