/* D3Q19 lattice Boltzmann: one plane of memory for each direction; each cell pushes what it has computed. */
#include "fut.h"

static const int cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
static const int cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
static const int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

static int32_t steps;
static Value flags;
static float *cur, *next, *result[4];

static float weight(int i) { return i == 0 ? 1 / 3.0f : i < 7 ? 1 / 18.0f : 1 / 36.0f; }
static int opposite(int i) { return i == 0 ? 0 : i % 2 ? i + 1 : i - 1; }

static void input(void) {
  steps = get_i32();
  flags = get("i8", 3);
  cur = ALLOC(float, 19 * flags.count);
  next = ALLOC(float, 19 * flags.count);
  for (int i = 0; i < 4; i++) result[i] = ALLOC(float, flags.count);
}

static void moments(const float *f, float *m) {
  m[0] = m[1] = m[2] = m[3] = 0;
  for (int i = 0; i < 19; i++) m[0] += f[i], m[1] += f[i] * cx[i], m[2] += f[i] * cy[i], m[3] += f[i] * cz[i];
  for (int i = 1; i < 4; i++) m[i] /= m[0];
}

/* Where density that leaves a cell goes: to the neighbour, or back where it came from. */
static float *target(float *to, int64_t z, int64_t y, int64_t x, int i) {
  int64_t nz = flags.dim[0], ny = flags.dim[1], nx = flags.dim[2], n = flags.count;
  int64_t z2 = z + cz[i], y2 = y + cy[i], x2 = x + cx[i], at = (z2 * ny + y2) * nx + x2;
  bool outside = z2 < 0 || z2 >= nz || y2 < 0 || y2 >= ny || x2 < 0 || x2 >= nx;
  if (outside || ((int8_t *)flags.data)[at] == 1) return &to[opposite(i) * n + (z * ny + y) * nx + x];
  return &to[i * n + at];
}

/* `cur` holds what has arrived at each cell and waits for its collision. */
static void compute(void) {
  int64_t nz = flags.dim[0], ny = flags.dim[1], nx = flags.dim[2], n = flags.count;
  const int8_t *kind = flags.data;
  for (int i = 0; i < 19; i++)
    for (int64_t c = 0; c < n; c++) cur[i * n + c] = next[i * n + c] = weight(i);
  /* The first streaming moves equal densities: nothing changes. The last step does not stream. */
  for (int32_t s = 0; s < steps; s++) {
    for (int64_t z = 0; z < nz; z++)
      for (int64_t y = 0; y < ny; y++)
        for (int64_t x = 0; x < nx; x++) {
          int64_t c = (z * ny + y) * nx + x;
          if (kind[c] == 1) continue;
          float f[19], m[4];
          for (int i = 0; i < 19; i++) f[i] = cur[i * n + c];
          moments(f, m);
          if (kind[c] == 2) m[1] = 0.005f, m[2] = 0.002f, m[3] = 0;
          float u2 = 1.5f * (m[1] * m[1] + m[2] * m[2] + m[3] * m[3]);
          for (int i = 0; i < 19; i++) {
            float e = cx[i] * m[1] + cy[i] * m[2] + cz[i] * m[3];
            float equilibrium = weight(i) * m[0] * (1 + 3 * e + 4.5f * e * e - u2);
            float *to = s < steps - 1 ? target(next, z, y, x, i) : &next[i * n + c];
            *to = (1 - 1.95f) * f[i] + 1.95f * equilibrium;
          }
        }
    float *t = cur;
    cur = next;
    next = t;
  }
  for (int64_t c = 0; c < n; c++) {
    float f[19], m[4];
    for (int i = 0; i < 19; i++) f[i] = cur[i * n + c];
    moments(f, m);
    for (int i = 0; i < 4; i++) result[i][c] = m[i];
  }
}

static void output(void) {
  for (int i = 0; i < 4; i++) put("f32", 3, flags.dim, result[i]);
}
