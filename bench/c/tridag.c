/* Many tridiagonal systems, each by forward elimination and backward substitution (Thomas). */
#include "fut.h"

static Value a, b, c, d;
static float *x, *upper;

static void input(void) {
  a = get("f32", 2), b = get("f32", 2), c = get("f32", 2), d = get("f32", 2);
  x = ALLOC(float, a.count);
  upper = ALLOC(float, a.dim[1]);
}

static void compute(void) {
  int64_t m = a.dim[0], n = a.dim[1];
  if (n == 0) return;
  for (int64_t s = 0; s < m; s++) {
    const float *lo = (float *)a.data + s * n, *mid = (float *)b.data + s * n;
    const float *up = (float *)c.data + s * n, *rhs = (float *)d.data + s * n;
    float *y = x + s * n;
    upper[0] = up[0] / mid[0];
    y[0] = rhs[0] / mid[0];
    for (int64_t i = 1; i < n; i++) {
      float pivot = 1.0f / (mid[i] - lo[i] * upper[i - 1]);
      upper[i] = up[i] * pivot;
      y[i] = (rhs[i] - lo[i] * y[i - 1]) * pivot;
    }
    for (int64_t i = n - 2; i >= 0; i--) y[i] -= upper[i] * y[i + 1];
  }
}

static void output(void) { put("f32", 2, a.dim, x); }
