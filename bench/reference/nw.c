/* Needleman-Wunsch scores, row after row. */
#include "fut.h"

static int32_t penalty;
static Value sims;
static int32_t *m;

static void input(void) {
  penalty = get_i32();
  sims = get("i32", 2);
  m = ALLOC(int32_t, (sims.dim[0] + 1) * (sims.dim[0] + 1));
}

static void compute(void) {
  int64_t n = sims.dim[0], w = n + 1;
  const int32_t *s = sims.data;
  for (int64_t k = 0; k <= n; k++) m[k] = m[k * w] = -penalty * (int32_t)k;
  for (int64_t i = 1; i <= n; i++)
    for (int64_t j = 1; j <= n; j++) {
      int32_t best = m[(i - 1) * w + j - 1] + s[(i - 1) * n + j - 1];
      if (m[i * w + j - 1] - penalty > best) best = m[i * w + j - 1] - penalty;
      if (m[(i - 1) * w + j] - penalty > best) best = m[(i - 1) * w + j] - penalty;
      m[i * w + j] = best;
    }
}

static void output(void) { put("i32", 2, DIMS(sims.dim[0] + 1, sims.dim[0] + 1), m); }
