/* Counts by bin; samples outside the bins are left out. */
#include "fut.h"

static int64_t k;
static Value bins;
static int32_t *counts;

static void input(void) {
  k = get_i64();
  bins = get("i32", 1);
  counts = ALLOC(int32_t, k);
}

static void compute(void) {
  const int32_t *b = bins.data;
  memset(counts, 0, k * sizeof(int32_t));
  for (int64_t i = 0; i < bins.count; i++)
    if (b[i] >= 0 && b[i] < k) counts[b[i]]++;
}

static void output(void) { put("i32", 1, DIMS(k), counts); }
