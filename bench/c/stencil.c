/* Five-point smoothing with edges clamped, ping-pong between two buffers. */
#include "fut.h"

static int32_t steps;
static Value grid;
static float *cur, *next;

static void input(void) {
  steps = get_i32();
  grid = get("f32", 2);
  cur = ALLOC(float, grid.count);
  next = ALLOC(float, grid.count);
}

static void compute(void) {
  int64_t n = grid.dim[0], m = grid.dim[1];
  memcpy(cur, grid.data, grid.count * sizeof(float));
  for (int32_t s = 0; s < steps; s++) {
    for (int64_t i = 0; i < n; i++) {
      const float *up = cur + (i > 0 ? i - 1 : 0) * m, *mid = cur + i * m;
      const float *down = cur + (i < n - 1 ? i + 1 : n - 1) * m;
      float *restrict out = next + i * m;
#define CELL(j, l, r) out[j] = 0.2f * (mid[j] + up[j] + down[j] + mid[l] + mid[r])
      CELL(0, 0, m > 1 ? 1 : 0);
      for (int64_t j = 1; j < m - 1; j++) CELL(j, j - 1, j + 1);
      if (m > 1) CELL(m - 1, m - 2, m - 1);
    }
    float *t = cur;
    cur = next;
    next = t;
  }
}

static void output(void) { put("f32", 2, grid.dim, cur); }
