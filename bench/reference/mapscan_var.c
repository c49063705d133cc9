/* mapscan under several shapes of the same array. */
#include "fut.h"

static Value ns, xs;
static uint64_t *result;

static void input(void) {
  ns = get("i64", 1);
  xs = get("i64", 1);
  result = ALLOC(uint64_t, xs.count);
}

static void compute(void) {
  memcpy(result, xs.data, xs.count * 8);
  for (int64_t s = 0; s < ns.count; s++) {
    int64_t n = ((int64_t *)ns.data)[s], m = xs.count / n;
    for (int64_t i = 0; i < n; i++)
      for (int k = 0; k < 64; k++) {
        uint64_t sum = 0, *row = result + i * m;
        for (int64_t j = 0; j < m; j++) row[j] = sum += row[j] + i;
      }
  }
}

static void output(void) { put("i64", 1, xs.dim, result); }
