/* Forces between the particles of neighbouring boxes: every pair of boxes, every pair of particles. */
#include "fut.h"

static int64_t side;
static Value in[5];
static float *out[4];

static void input(void) {
  side = get_i64();
  for (int i = 0; i < 5; i++) in[i] = get("f32", 2);
  for (int i = 0; i < 4; i++) out[i] = ALLOC(float, in[0].count);
}

static void compute(void) {
  int64_t boxes = in[0].dim[0], n = in[0].dim[1];
  const float *x = in[0].data, *y = in[1].data, *z = in[2].data, *v = in[3].data, *q = in[4].data;
  for (int i = 0; i < 4; i++) memset(out[i], 0, in[0].count * sizeof(float));
  for (int64_t a = 0; a < boxes; a++)
    for (int64_t b = 0; b < boxes; b++) {
      int64_t dz = a / (side * side) - b / (side * side), dy = a / side % side - b / side % side, dx = a % side - b % side;
      if (llabs(dz) > 1 || llabs(dy) > 1 || llabs(dx) > 1) continue;
      for (int64_t i = a * n; i < (a + 1) * n; i++) {
        float fv = 0, fx = 0, fy = 0, fz = 0;
        for (int64_t j = b * n; j < (b + 1) * n; j++) {
          float e = q[j] * expf(-0.5f * (v[i] + v[j] - (x[i] * x[j] + y[i] * y[j] + z[i] * z[j])));
          fv += e, fx += 2 * e * (x[i] - x[j]), fy += 2 * e * (y[i] - y[j]), fz += 2 * e * (z[i] - z[j]);
        }
        out[0][i] += fv, out[1][i] += fx, out[2][i] += fy, out[3][i] += fz;
      }
    }
}

static void output(void) {
  for (int i = 0; i < 4; i++) put("f32", 2, in[0].dim, out[i]);
}
