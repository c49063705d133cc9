/* One training step, sums in double precision. */
#include "fut.h"

static float target, bias, error;
static Value inputs, weights, out_weights, moves, out_moves;
static float *new_weights, *new_out, *hidden, *errors;
static double *sums;

static void input(void) {
  target = get_f32(), bias = get_f32();
  inputs = get("f32", 1), weights = get("f32", 2), out_weights = get("f32", 1);
  moves = get("f32", 2), out_moves = get("f32", 1);
  int64_t h = out_weights.count;
  new_weights = ALLOC(float, weights.count);
  new_out = ALLOC(float, h), hidden = ALLOC(float, h), errors = ALLOC(float, h), sums = ALLOC(double, h);
}

static void compute(void) {
  int64_t n = inputs.count, h = out_weights.count;
  const float *x = inputs.data, *w = weights.data, *v = out_weights.data, *dw = moves.data, *dv = out_moves.data;
  memset(sums, 0, h * sizeof(double));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < h; j++) sums[j] += x[i] * w[i * h + j];
  double sum = bias;
  for (int64_t j = 0; j < h; j++) {
    hidden[j] = 1 / (1 + exp(-sums[j]));
    sum += hidden[j] * v[j];
  }
  double out = 1 / (1 + exp(-sum));
  error = out * (1 - out) * (target - out);
  for (int64_t j = 0; j < h; j++) {
    errors[j] = hidden[j] * (1 - hidden[j]) * v[j] * error;
    new_out[j] = v[j] + 0.3f * error * hidden[j] + 0.3f * dv[j];
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < h; j++) new_weights[i * h + j] = w[i * h + j] + 0.3f * errors[j] * x[i] + 0.3f * dw[i * h + j];
}

static void output(void) {
  put("f32", 0, NULL, &error);
  put("f32", 2, weights.dim, new_weights);
  put("f32", 1, out_weights.dim, new_out);
}
