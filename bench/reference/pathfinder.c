/* The cheapest way down each grid, between two rows of costs. */
#include "fut.h"

static Value grids;
static int32_t *costs, *spare;

static void input(void) {
  grids = get("i32", 3);
  costs = ALLOC(int32_t, grids.dim[0] * grids.dim[2]);
  spare = ALLOC(int32_t, grids.dim[2]);
}

static void compute(void) {
  int64_t n = grids.dim[1], m = grids.dim[2];
  for (int64_t b = 0; b < grids.dim[0]; b++) {
    int32_t *cost = costs + b * m;
    memset(cost, 0, m * sizeof(int32_t));
    for (int64_t i = 0; i < n; i++) {
      const int32_t *row = (int32_t *)grids.data + (b * n + i) * m;
      for (int64_t j = 0; j < m; j++) {
        int32_t least = cost[j];
        if (j > 0 && cost[j - 1] < least) least = cost[j - 1];
        if (j < m - 1 && cost[j + 1] < least) least = cost[j + 1];
        spare[j] = row[j] + least;
      }
      memcpy(cost, spare, m * sizeof(int32_t));
    }
  }
}

static void output(void) { put("i32", 2, DIMS(grids.dim[0], grids.dim[2]), costs); }
