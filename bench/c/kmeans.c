/* Lloyd's iteration: each point to its nearest centre, each centre to the mean of its points. */
#include "fut.h"

static int32_t iterations;
static int64_t k;
static Value points;
static float *centres, *sums;
static int32_t *sizes;

static void input(void) {
  iterations = get_i32();
  k = get_i64();
  points = get("f32", 2);
  centres = ALLOC(float, k * points.dim[1]);
  sums = ALLOC(float, k * points.dim[1]);
  sizes = ALLOC(int32_t, k);
}

static void compute(void) {
  int64_t n = points.dim[0], d = points.dim[1];
  const float *p = points.data;
  memcpy(centres, p, k * d * sizeof(float));
  for (int32_t it = 0; it < iterations; it++) {
    memset(sums, 0, k * d * sizeof(float));
    memset(sizes, 0, k * sizeof(int32_t));
    for (int64_t i = 0; i < n; i++) {
      int64_t nearest = 0;
      float least = INFINITY;
      for (int64_t c = 0; c < k; c++) {
        float sum = 0;
        for (int64_t j = 0; j < d; j++) {
          float diff = p[i * d + j] - centres[c * d + j];
          sum += diff * diff;
        }
        if (sum < least) least = sum, nearest = c;
      }
      sizes[nearest]++;
      for (int64_t j = 0; j < d; j++) sums[nearest * d + j] += p[i * d + j];
    }
    for (int64_t c = 0; c < k; c++)
      for (int64_t j = 0; j < d; j++)
        if (sizes[c] > 0) centres[c * d + j] = sums[c * d + j] / (float)sizes[c];
  }
}

static void output(void) { put("f32", 2, DIMS(k, points.dim[1]), centres); }
