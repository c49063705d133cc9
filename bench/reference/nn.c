/* The k nearest places: one pass that keeps a sorted list. */
#include "fut.h"

static int32_t k;
static Value lat, lng, lats, lngs;
static float *best;
static int64_t *where;

static void input(void) {
  k = get_i32();
  lat = get("f32", 1), lng = get("f32", 1), lats = get("f32", 2), lngs = get("f32", 2);
  best = ALLOC(float, lat.count * k);
  where = ALLOC(int64_t, lat.count * k);
}

static void compute(void) {
  int64_t n = lats.dim[1];
  for (int64_t b = 0; b < lat.count; b++) {
    const float *xs = (float *)lats.data + b * n, *ys = (float *)lngs.data + b * n;
    float x = ((float *)lat.data)[b], y = ((float *)lng.data)[b];
    float *d = best + b * k;
    int64_t *w = where + b * k;
    for (int32_t j = 0; j < k; j++) d[j] = INFINITY, w[j] = INT64_MAX;
    for (int64_t i = 0; i < n && k > 0; i++) {
      float dx = xs[i] - x, dy = ys[i] - y, r = sqrtf(dx * dx + dy * dy);
      if (r >= d[k - 1]) continue;
      int32_t j = k - 1;
      for (; j > 0 && d[j - 1] > r; j--) d[j] = d[j - 1], w[j] = w[j - 1];
      d[j] = r, w[j] = i;
    }
  }
}

static void output(void) {
  put("f32", 2, DIMS(lat.count, k), best);
  put("i64", 2, DIMS(lat.count, k), where);
}
