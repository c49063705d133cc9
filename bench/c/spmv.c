/* The product of a sparse matrix and a vector, row by row. */
#include "fut.h"

static Value sizes, column, value, x;
static float *y;

static void input(void) {
  sizes = get("i64", 1);
  column = get("i32", 1);
  value = get("f32", 1);
  x = get("f32", 1);
  y = ALLOC(float, sizes.count);
}

static void compute(void) {
  const int64_t *n = sizes.data;
  const int32_t *c = column.data;
  const float *v = value.data, *xs = x.data;
  int64_t at = 0;
  for (int64_t r = 0; r < sizes.count; r++) {
    /* In f64: one f32 that 5,000,000 products are added to, one after the other, is off by 0.3 %. */
    double sum = 0;
    for (int64_t end = at + n[r]; at < end; at++) sum += v[at] * xs[c[at]];
    y[r] = (float)sum;
  }
}

static void output(void) { put("f32", 1, DIMS(sizes.count), y); }
