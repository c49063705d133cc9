/* Heat on a chip: explicit steps between two buffers. */
#include "fut.h"

static int32_t steps;
static Value temperature, power;
static float *cur, *next;

static void input(void) {
  steps = get_i32();
  temperature = get("f32", 2);
  power = get("f32", 2);
  cur = ALLOC(float, power.count);
  next = ALLOC(float, power.count);
}

static void compute(void) {
  int64_t n = power.dim[0], m = power.dim[1];
  const float *p = power.data;
  float h = 0.016f / n, w = 0.016f / m;
  float capacity = 0.5f * 1.75e6f * 0.0005f * w * h;
  float ry = h / (2 * 100 * 0.0005f * w), rx = w / (2 * 100 * 0.0005f * h), rz = 0.0005f / (100 * h * w);
  float step = 0.001f / (3e6f / (0.5f * 0.0005f * 1.75e6f)) / capacity;
  memcpy(cur, temperature.data, power.count * sizeof(float));
  for (int32_t s = 0; s < steps; s++) {
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < m; j++) {
        float at = cur[i * m + j];
        float up = i > 0 ? cur[(i - 1) * m + j] : at, down = i < n - 1 ? cur[(i + 1) * m + j] : at;
        float left = j > 0 ? cur[i * m + j - 1] : at, right = j < m - 1 ? cur[i * m + j + 1] : at;
        next[i * m + j] = at + step * (p[i * m + j] + (up + down - 2 * at) / ry + (left + right - 2 * at) / rx + (80 - at) / rz);
      }
    float *t = cur;
    cur = next;
    next = t;
  }
}

static void output(void) { put("f32", 2, power.dim, cur); }
