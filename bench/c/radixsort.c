/* Least significant digit first, eight bits at a time. */
#include "fut.h"

static Value keys;
static uint32_t *from, *to;

static void input(void) {
  keys = get("u32", 1);
  from = ALLOC(uint32_t, keys.count);
  to = ALLOC(uint32_t, keys.count);
}

static void compute(void) {
  int64_t n = keys.count;
  memcpy(from, keys.data, n * 4);
  for (int shift = 0; shift < 32; shift += 8) {
    int64_t start[257] = {0};
    for (int64_t i = 0; i < n; i++) start[((from[i] >> shift) & 255) + 1]++;
    for (int d = 0; d < 256; d++) start[d + 1] += start[d];
    for (int64_t i = 0; i < n; i++) to[start[(from[i] >> shift) & 255]++] = from[i];
    uint32_t *t = from;
    from = to;
    to = t;
  }
}

static void output(void) { put("u32", 1, keys.dim, from); }
