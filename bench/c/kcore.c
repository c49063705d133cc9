/* Removes vertices with fewer than k remaining neighbours, until there are none. */
#include "fut.h"

static Value k, sizes, neighbour;
static bool *remains;

static void input(void) {
  k = get("i64", 0);
  sizes = get("i64", 1);
  neighbour = get("i32", 1);
  remains = ALLOC(bool, sizes.count);
}

static void compute(void) {
  const int64_t *n = sizes.data, least = *(int64_t *)k.data;
  const int32_t *to = neighbour.data;
  for (int64_t v = 0; v < sizes.count; v++) remains[v] = true;
  for (bool more = true; more;) {
    int64_t at = 0;
    more = false;
    for (int64_t v = 0; v < sizes.count; v++) {
      if (remains[v]) {
        int64_t count = 0;
        for (int64_t i = 0; i < n[v]; i++) count += remains[to[at + i]];
        if (count < least) {
          remains[v] = false;
          more = true;
        }
      }
      at += n[v];
    }
  }
}

static void output(void) { put("bool", 1, DIMS(sizes.count), remains); }
