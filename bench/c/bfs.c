/* The distance of each vertex from vertex 0: a vertex is next when one of its neighbours was reached in the step before. */
#include "fut.h"

static Value sizes, neighbour;
static int32_t *distance;

static void input(void) {
  sizes = get("i64", 1);
  neighbour = get("i32", 1);
  distance = ALLOC(int32_t, sizes.count);
}

static void compute(void) {
  const int64_t *n = sizes.data;
  const int32_t *to = neighbour.data;
  for (int64_t v = 0; v < sizes.count; v++) distance[v] = v == 0 ? 0 : -1;
  bool more = true;
  for (int32_t step = 0; more; step++) {
    int64_t at = 0;
    more = false;
    for (int64_t v = 0; v < sizes.count; v++) {
      if (distance[v] < 0) {
        for (int64_t i = 0; i < n[v]; i++) {
          if (distance[to[at + i]] == step) {
            distance[v] = step + 1;
            more = true;
            break;
          }
        }
      }
      at += n[v];
    }
  }
}

static void output(void) { put("i32", 1, DIMS(sizes.count), distance); }
