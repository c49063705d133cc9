/* The potential at each of many bodies in the unit square, by Barnes and Hut. */
#include "fut.h"

#define DEPTHS 15
#define FEW 8

typedef struct { double x, y, mass; } Body;
typedef struct { int64_t place, index; } Key;

static float theta;
static Value xs, ys, masses;
static Key *keys;
static Body *bodies, *before;
static double *out;

static void input(void) {
  theta = get_f32();
  xs = get("f32", 1);
  ys = get("f32", 1);
  masses = get("f32", 1);
  keys = ALLOC(Key, xs.count);
  bodies = ALLOC(Body, xs.count);
  before = ALLOC(Body, xs.count + 1);
  out = ALLOC(double, xs.count);
}

static int64_t spread(int64_t x) {
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}

static int64_t cell_of(float a) {
  int64_t c = (int64_t)(a * 32768);
  return c < 0 ? 0 : c > 32767 ? 32767 : c;
}

static int compare(const void *a, const void *b) {
  const Key *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static int64_t below(int64_t x) {
  int64_t low = 0, high = xs.count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (keys[middle].place < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

static double near(Body at, double x, double y) {
  double dx = x - at.x, dy = y - at.y;
  return dx * dx + dy * dy + 0.0001;
}

static double potential(Body at, int64_t depth, int64_t cell) {
  int64_t low = below(cell), high = below(cell + ((int64_t)1 << (2 * (DEPTHS - depth))));
  if (low == high) return 0;
  double sum = 0;
  if (high - low <= FEW || depth == DEPTHS) {
    for (int64_t i = low; i < high; i++) sum += bodies[i].mass / sqrt(near(at, bodies[i].x, bodies[i].y));
    return sum;
  }
  double mass = before[high].mass - before[low].mass, width = 1.0 / (double)((int64_t)1 << depth);
  double d = near(at, (before[high].x - before[low].x) / mass, (before[high].y - before[low].y) / mass);
  if (width * width < (double)theta * (double)theta * d) return mass / sqrt(d);
  for (int64_t k = 0; k < 4; k++) sum += potential(at, depth + 1, cell + k * ((int64_t)1 << (2 * (DEPTHS - depth - 1))));
  return sum;
}

static void compute(void) {
  const float *x = xs.data, *y = ys.data, *m = masses.data;
  int64_t n = xs.count;
  for (int64_t i = 0; i < n; i++) keys[i] = (Key){spread(cell_of(x[i])) | (spread(cell_of(y[i])) << 1), i};
  qsort(keys, (size_t)n, sizeof *keys, compare);
  for (int64_t i = 0; i < n; i++) {
    int64_t k = keys[i].index;
    Body b = {x[k], y[k], m[k]}, sum = before[i];
    bodies[i] = b;
    before[i + 1] = (Body){sum.x + b.mass * b.x, sum.y + b.mass * b.y, sum.mass + b.mass};
  }
  for (int64_t i = 0; i < n; i++) out[keys[i].index] = potential(bodies[i], 0, 0);
}

static void output(void) { put("f64", 1, DIMS(xs.count), out); }
