/* The bias example, in the order of the result. */
#include "fut.h"

static Value xs, factors, bias;
static int32_t *result;

static void input(void) {
  xs = get("i32", 2);
  factors = get("i32", 1);
  bias = get("i32", 3);
  result = ALLOC(int32_t, bias.count);
}

static void compute(void) {
  int64_t n = xs.dim[0], m = xs.dim[1], k = factors.count;
  const int32_t *x = xs.data, *f = factors.data, *b = bias.data;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t l = 0; l < k; l++) result[(i * n + j) * k + l] = x[j * m + i] * f[l] + b[(l * m + i) * n + j];
}

static void output(void) { put("i32", 3, DIMS(xs.dim[1], xs.dim[0], factors.count), result); }
