/* For rows of numbers, the sum of each number times its place in the sorted row. */
#include "fut.h"

static Value sizes, values;
static int32_t *row;
static int64_t *sums;

static void input(void) {
  sizes = get("i64", 1);
  values = get("i32", 1);
  row = ALLOC(int32_t, values.count);
  sums = ALLOC(int64_t, sizes.count);
}

static void sort(int32_t *xs, int64_t n) {
  while (n > 1) {
    int32_t pivot = xs[n / 2];
    int64_t i = 0, j = n - 1;
    while (i <= j) {
      while (xs[i] < pivot) i++;
      while (xs[j] > pivot) j--;
      if (i <= j) {
        int32_t x = xs[i];
        xs[i++] = xs[j];
        xs[j--] = x;
      }
    }
    sort(xs, j + 1);
    xs += i;
    n -= i;
  }
}

static void compute(void) {
  const int64_t *n = sizes.data;
  const int32_t *v = values.data;
  for (int64_t r = 0; r < sizes.count; r++) {
    memcpy(row, v, (size_t)n[r] * sizeof *row);
    sort(row, n[r]);
    int64_t sum = 0;
    for (int64_t i = 0; i < n[r]; i++) sum += i * row[i];
    sums[r] = sum;
    v += n[r];
  }
}

static void output(void) { put("i64", 1, DIMS(sizes.count), sums); }
