/* All-pairs gravity with softening, then an explicit step. */
#include "fut.h"

static int32_t steps;
static float dt;
static Value px, py, pz, mass, vx, vy, vz;
static float *x, *y, *z, *u, *v, *w, *ax, *ay, *az;

static void input(void) {
  steps = get_i32();
  dt = get_f32();
  px = get("f32", 1), py = get("f32", 1), pz = get("f32", 1);
  mass = get("f32", 1);
  vx = get("f32", 1), vy = get("f32", 1), vz = get("f32", 1);
  float **all[] = {&x, &y, &z, &u, &v, &w, &ax, &ay, &az};
  for (int i = 0; i < 9; i++) *all[i] = ALLOC(float, px.count);
}

static void compute(void) {
  int64_t n = px.count;
  const float *m = mass.data;
  memcpy(x, px.data, n * 4), memcpy(y, py.data, n * 4), memcpy(z, pz.data, n * 4);
  memcpy(u, vx.data, n * 4), memcpy(v, vy.data, n * 4), memcpy(w, vz.data, n * 4);
  for (int32_t s = 0; s < steps; s++) {
    for (int64_t i = 0; i < n; i++) {
      float sx = 0, sy = 0, sz = 0;
      for (int64_t j = 0; j < n; j++) {
        float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
        float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        float inv = 1.0f / sqrtf(r2);
        float f = m[j] * inv * inv * inv;
        sx += f * dx, sy += f * dy, sz += f * dz;
      }
      ax[i] = sx, ay[i] = sy, az[i] = sz;
    }
    for (int64_t i = 0; i < n; i++) {
      u[i] += dt * ax[i], v[i] += dt * ay[i], w[i] += dt * az[i];
      x[i] += dt * u[i], y[i] += dt * v[i], z[i] += dt * w[i];
    }
  }
}

static void output(void) {
  put("f32", 1, px.dim, x);
  put("f32", 1, px.dim, y);
  put("f32", 1, px.dim, z);
}
