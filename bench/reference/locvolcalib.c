/* Local volatility calibration: Crank-Nicolson with alternating directions, systems solved by the Thomas algorithm in
 * double precision. */
#include "fut.h"

static int64_t outer, nx, ny, nt;
static double s0, t, alpha, nu, beta;
static float *results;

static void input(void) {
  outer = get_i32(), nx = get_i32(), ny = get_i32(), nt = get_i32();
  s0 = get_f32(), t = get_f32(), alpha = get_f32(), nu = get_f32(), beta = get_f32();
  results = ALLOC(float, outer);
}

/* Weights of the second derivative on a grid; the first and the last point have none. */
static void second(int64_t n, const double *x, double (*d)[3]) {
  for (int64_t i = 1; i < n - 1; i++) {
    double l = x[i] - x[i - 1], u = x[i + 1] - x[i];
    d[i][0] = 2 / l / (l + u);
    d[i][1] = -2 * (1 / l + 1 / u) / (l + u);
    d[i][2] = 2 / u / (l + u);
  }
}

static void thomas(int64_t n, const double *a, const double *b, const double *c, double *y, double *w) {
  w[0] = b[0];
  for (int64_t i = 1; i < n; i++) {
    double f = a[i] / w[i - 1];
    w[i] = b[i] - f * c[i - 1];
    y[i] -= f * y[i - 1];
  }
  y[n - 1] /= w[n - 1];
  for (int64_t i = n - 2; i >= 0; i--) y[i] = (y[i] - c[i] * y[i + 1]) / w[i];
}

static double value(double strike) {
  int64_t most = nx > ny ? nx : ny;
  double *x = ALLOC(double, nx), *y = ALLOC(double, ny);
  double(*dxx)[3] = allocate(nx, sizeof *dxx), (*dyy)[3] = allocate(ny, sizeof *dyy);
  double *r = ALLOC(double, nx * ny), *u = ALLOC(double, nx * ny), *v = ALLOC(double, nx * ny), *var = ALLOC(double, nx * ny);
  double *ex = ALLOC(double, nx), *ey = ALLOC(double, ny);
  double *a = ALLOC(double, most), *b = ALLOC(double, most), *c = ALLOC(double, most), *w = ALLOC(double, most), *col = ALLOC(double, most);
  double dx = 20 * alpha * s0 * sqrt(t) / nx, dy = 10 * nu * sqrt(t) / ny;
  int64_t xi = (int64_t)(s0 / dx), yi = ny / 2;
  for (int64_t i = 0; i < nx; i++) x[i] = (i - xi) * dx + s0;
  for (int64_t j = 0; j < ny; j++) y[j] = (j - yi) * dy + log(alpha);
  for (int64_t i = 0; i < nx; i++) ex[i] = exp(2 * beta * log(x[i]));
  second(nx, x, dxx);
  second(ny, y, dyy);
  for (int64_t i = 0; i < nx; i++)
    for (int64_t j = 0; j < ny; j++) r[i * ny + j] = fmax(x[i] - strike, 0);
  for (int64_t g = nt - 2; g >= 0; g--) {
    double now = t * g / (nt - 1), inv = 1 / (t * (g + 1) / (nt - 1) - now);
    for (int64_t j = 0; j < ny; j++) ey[j] = exp(2 * y[j] - nu * nu * now);
    for (int64_t i = 0; i < nx; i++)
      for (int64_t j = 0; j < ny; j++) {
        var[i * ny + j] = ex[i] * ey[j];
        double sx = dxx[i][1] * r[i * ny + j], sy = dyy[j][1] * r[i * ny + j];
        if (i > 0) sx += dxx[i][0] * r[(i - 1) * ny + j];
        if (i < nx - 1) sx += dxx[i][2] * r[(i + 1) * ny + j];
        if (j > 0) sy += dyy[j][0] * r[i * ny + j - 1];
        if (j < ny - 1) sy += dyy[j][2] * r[i * ny + j + 1];
        v[i * ny + j] = 0.5 * nu * nu * sy;
        u[i * ny + j] = inv * r[i * ny + j] + 0.25 * var[i * ny + j] * sx + v[i * ny + j];
      }
    for (int64_t j = 0; j < ny; j++) {
      for (int64_t i = 0; i < nx; i++) {
        double k = 0.25 * var[i * ny + j];
        a[i] = -k * dxx[i][0], b[i] = inv - k * dxx[i][1], c[i] = -k * dxx[i][2];
        col[i] = u[i * ny + j];
      }
      thomas(nx, a, b, c, col, w);
      for (int64_t i = 0; i < nx; i++) u[i * ny + j] = col[i];
    }
    for (int64_t i = 0; i < nx; i++) {
      for (int64_t j = 0; j < ny; j++) {
        double k = 0.25 * nu * nu;
        a[j] = -k * dyy[j][0], b[j] = inv - k * dyy[j][1], c[j] = -k * dyy[j][2];
        r[i * ny + j] = inv * u[i * ny + j] - 0.5 * v[i * ny + j];
      }
      thomas(ny, a, b, c, r + i * ny, w);
    }
  }
  double result = r[xi * ny + yi];
  void *all[] = {x, y, ex, ey, dxx, dyy, r, u, v, var, a, b, c, w, col};
  for (int i = 0; i < 15; i++) free(all[i]);
  return result;
}

static void compute(void) {
  for (int64_t i = 0; i < outer; i++) results[i] = value(0.001 * i);
}

static void output(void) { put("f32", 1, DIMS(outer), results); }
