/* Speckle-reducing anisotropic diffusion, one image at a time; the image's statistics in double precision. */
#include "fut.h"

static int32_t iterations;
static float lambda;
static Value images;
static float *result, *c, *slope[4];

static void input(void) {
  iterations = get_i32();
  lambda = get_f32();
  images = get("f32", 3);
  int64_t size = images.dim[1] * images.dim[2];
  result = ALLOC(float, images.count);
  c = ALLOC(float, size);
  for (int k = 0; k < 4; k++) slope[k] = ALLOC(float, size);
}

static void diffuse(float *x, int64_t n, int64_t m) {
  double sum = 0, squares = 0;
  for (int64_t p = 0; p < n * m; p++) sum += x[p], squares += (double)x[p] * x[p];
  double mean = sum / (n * m), speckle = (squares / (n * m) - mean * mean) / (mean * mean);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < m; j++) {
      int64_t p = i * m + j;
      float at = x[p];
      slope[0][p] = i > 0 ? x[p - m] - at : 0;
      slope[1][p] = i < n - 1 ? x[p + m] - at : 0;
      slope[2][p] = j > 0 ? x[p - 1] - at : 0;
      slope[3][p] = j < m - 1 ? x[p + 1] - at : 0;
      float gradient = 0, laplace = 0;
      for (int k = 0; k < 4; k++) gradient += slope[k][p] * slope[k][p], laplace += slope[k][p];
      gradient /= at * at;
      laplace /= at;
      float den = 1 + 0.25f * laplace, local = (0.5f * gradient - laplace * laplace / 16) / (den * den);
      float value = 1 / (1 + (local - speckle) / (speckle * (1 + speckle)));
      c[p] = value < 0 ? 0 : value > 1 ? 1 : value;
    }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < m; j++) {
      int64_t p = i * m + j;
      float below = i < n - 1 ? c[p + m] : c[p], beside = j < m - 1 ? c[p + 1] : c[p];
      x[p] += 0.25f * lambda * (c[p] * (slope[0][p] + slope[2][p]) + below * slope[1][p] + beside * slope[3][p]);
    }
}

static void compute(void) {
  int64_t n = images.dim[1], m = images.dim[2];
  for (int64_t k = 0; k < images.count; k++) result[k] = expf(((float *)images.data)[k] / 255);
  for (int64_t b = 0; b < images.dim[0]; b++)
    for (int32_t s = 0; s < iterations; s++) diffuse(result + b * n * m, n, m);
  for (int64_t k = 0; k < images.count; k++) result[k] = 255 * logf(result[k]);
}

static void output(void) { put("f32", 3, images.dim, result); }
