/* For each number, the sum of the squares of all smaller ones modulo seven. */
#include "fut.h"

static Value sizes;
static int64_t *sums;

static void input(void) {
  sizes = get("i64", 1);
  sums = ALLOC(int64_t, sizes.count);
}

static void compute(void) {
  const int64_t *n = sizes.data;
  for (int64_t r = 0; r < sizes.count; r++) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n[r]; i++) sum += i * i % 7;
    sums[r] = sum;
  }
}

static void output(void) { put("i64", 1, DIMS(sizes.count), sums); }
