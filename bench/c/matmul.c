/* Matrix product, row of the result by row: the inner loop runs along rows and vectorises. */
#include "fut.h"

static Value a, b;
static float *c;

static void input(void) {
  a = get("f32", 2);
  b = get("f32", 2);
  c = ALLOC(float, a.dim[0] * b.dim[1]);
}

static void compute(void) {
  int64_t n = a.dim[0], m = a.dim[1], p = b.dim[1];
  const float *restrict x = a.data, *restrict y = b.data;
  float *restrict z = c;
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < p; j++) z[i * p + j] = 0;
    for (int64_t k = 0; k < m; k++)
      for (int64_t j = 0; j < p; j++) z[i * p + j] += x[i * m + k] * y[k * p + j];
  }
}

static void output(void) { put("f32", 2, DIMS(a.dim[0], b.dim[1]), c); }
