/* Breaks in time series, one series at a time, in double precision. */
#include "fut.h"

#define MOST 32

static int64_t harmonics, history;
static float period, window, lambda;
static Value series;
static int32_t *breaks;
static float *means;
static double *x, *error;
static int64_t *place;

static void input(void) {
  harmonics = get_i64();
  period = get_f32();
  history = get_i64();
  window = get_f32(), lambda = get_f32();
  series = get("f32", 2);
  int64_t k = 2 + 2 * harmonics, n = series.dim[1];
  if (k > MOST) fail("too many harmonics", "");
  breaks = ALLOC(int32_t, series.dim[0]);
  means = ALLOC(float, series.dim[0]);
  x = ALLOC(double, k * n), error = ALLOC(double, n), place = ALLOC(int64_t, n);
  for (int64_t t = 0; t < n; t++) {
    x[t * k] = 1;
    x[t * k + 1] = (t + 1) / (double)n;
    for (int64_t h = 1; h <= harmonics; h++) {
      double angle = 2 * acos(-1) * h * (t + 1) / period;
      x[t * k + 2 * h] = sin(angle);
      x[t * k + 2 * h + 1] = cos(angle);
    }
  }
}

/* Least squares over the samples at hand: the normal equations by Cholesky's decomposition. */
static void fit(int64_t k, const float *y, double *beta) {
  double a[MOST][MOST] = {{0}}, b[MOST] = {0};
  for (int64_t t = 0; t < history; t++) {
    if (isnan(y[t])) continue;
    for (int64_t i = 0; i < k; i++) {
      b[i] += x[t * k + i] * y[t];
      for (int64_t j = 0; j <= i; j++) a[i][j] += x[t * k + i] * x[t * k + j];
    }
  }
  for (int64_t i = 0; i < k; i++)
    for (int64_t j = 0; j <= i; j++) {
      double s = a[i][j];
      for (int64_t l = 0; l < j; l++) s -= a[i][l] * a[j][l];
      a[i][j] = i == j ? sqrt(s) : s / a[j][j];
    }
  for (int64_t i = 0; i < k; i++) {
    for (int64_t l = 0; l < i; l++) b[i] -= a[i][l] * b[l];
    b[i] /= a[i][i];
  }
  for (int64_t i = k - 1; i >= 0; i--) {
    for (int64_t l = i + 1; l < k; l++) b[i] -= a[l][i] * b[l];
    beta[i] = b[i] /= a[i][i];
  }
}

static void monitor(int64_t s) {
  int64_t k = 2 + 2 * harmonics, n = series.dim[1], count = 0, past = 0;
  const float *y = (float *)series.data + s * n;
  double beta[MOST];
  fit(k, y, beta);
  for (int64_t t = 0; t < n; t++) {
    if (isnan(y[t])) continue;
    double e = y[t];
    for (int64_t i = 0; i < k; i++) e -= beta[i] * x[t * k + i];
    error[count] = e;
    place[count++] = t;
    if (t < history) past = count;
  }
  breaks[s] = -1;
  means[s] = 0;
  if (past <= k || count == past) return;
  double squares = 0, sum = 0, total = 0;
  for (int64_t i = 0; i < past; i++) squares += error[i] * error[i];
  double scale = sqrt(squares / (past - k)) * sqrt(past);
  int64_t h = (int64_t)((float)past * window);
  if (h < 1) h = 1;
  for (int64_t i = past - h + 1; i <= past; i++) sum += error[i];
  for (int64_t i = past; i < count; i++) {
    if (i > past) sum += error[i] - error[i - h];
    double ratio = (place[i] + 1) / (double)history;
    double bound = lambda * sqrt(ratio > exp(1) ? log(ratio) : 1);
    if (breaks[s] < 0 && fabs(sum / scale) > bound) breaks[s] = (int32_t)(place[i] - history);
    total += sum / scale;
  }
  means[s] = total / (count - past);
}

static void compute(void) {
  for (int64_t s = 0; s < series.dim[0]; s++) monitor(s);
}

static void output(void) {
  put("i32", 1, DIMS(series.dim[0]), breaks);
  put("f32", 1, DIMS(series.dim[0]), means);
}
