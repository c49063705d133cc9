/* Sorts each row by itself. */
#include "fut.h"

static Value sizes, values;
static int32_t *sorted;

static void input(void) {
  sizes = get("i64", 1);
  values = get("i32", 1);
  sorted = ALLOC(int32_t, values.count);
}

static int order(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static void compute(void) {
  const int64_t *n = sizes.data;
  memcpy(sorted, values.data, (size_t)values.count * sizeof *sorted);
  int64_t at = 0;
  for (int64_t r = 0; r < sizes.count; r++) {
    qsort(sorted + at, (size_t)n[r], sizeof *sorted, order);
    at += n[r];
  }
}

static void output(void) { put("i32", 1, DIMS(values.count), sorted); }
