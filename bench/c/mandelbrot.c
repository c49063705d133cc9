/* Escape times over a rectangle of the complex plane. */
#include "fut.h"

static int64_t width, height;
static int32_t limit;
static float x0, y0, x1, y1;
static int32_t *counts;

static void input(void) {
  width = get_i64();
  height = get_i64();
  limit = get_i32();
  x0 = get_f32(), y0 = get_f32(), x1 = get_f32(), y1 = get_f32();
  counts = ALLOC(int32_t, width * height);
}

static void compute(void) {
  for (int64_t i = 0; i < height; i++)
    for (int64_t j = 0; j < width; j++) {
      float cr = x0 + (float)j * (x1 - x0) / (float)width;
      float ci = y0 + (float)i * (y1 - y0) / (float)height;
      float a = cr, b = ci;
      int32_t n = 0;
      while (n < limit && a * a + b * b <= 4.0f) {
        float t = a * a - b * b + cr;
        b = 2.0f * a * b + ci;
        a = t;
        n++;
      }
      counts[i * width + j] = n;
    }
}

static void output(void) { put("i32", 2, DIMS(height, width), counts); }
