/* Inclusive prefix sum. */
#include "fut.h"

static Value xs;
static int32_t *sums;

static void input(void) {
  xs = get("i32", 1);
  sums = ALLOC(int32_t, xs.count);
}

static void compute(void) {
  const int32_t *x = xs.data;
  uint32_t sum = 0;
  for (int64_t i = 0; i < xs.count; i++) {
    sum += (uint32_t)x[i];
    sums[i] = (int32_t)sum;
  }
}

static void output(void) { put("i32", 1, xs.dim, sums); }
