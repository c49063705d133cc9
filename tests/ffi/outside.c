// Values from outside: they are refused, or mean what they say.

#include "check.h"
#include "lib.h"

#include <string.h>

static struct futhark_context *ctx;

static void refused(const char *why) {
  char *error = futhark_context_get_error(ctx);
  CHECK(error != NULL && strstr(error, why) != NULL);
  free(error);
}

static void booleans(void) {
  unsigned char bytes[4] = {0, 1, 1, 0};
  int32_t both[2] = {10, 11}, picked[4];
  struct futhark_i32_1d *xs = futhark_new_i32_1d(ctx, both, 2), *out;
  struct futhark_bool_1d *bs = futhark_new_bool_1d(ctx, (const bool *)bytes, 4);
  CHECK(bs != NULL && futhark_entry_pick(ctx, &out, bs, xs) == 0);
  CHECK(futhark_values_i32_1d(ctx, out, picked) == 0 && futhark_context_sync(ctx) == 0);
  CHECK(picked[0] == 10 && picked[1] == 11 && picked[2] == 11 && picked[3] == 10);
  futhark_free_i32_1d(ctx, out);
  futhark_free_bool_1d(ctx, bs);
  futhark_free_i32_1d(ctx, xs);
  bytes[2] = 37;
  CHECK(futhark_new_bool_1d(ctx, (const bool *)bytes, 4) == NULL);
  refused("neither 0 nor 1");
}

static void stored_booleans(void) {
  struct futhark_opaque_flags *f, *g;
  void *stored = NULL;
  size_t size, at = 0;
  CHECK(futhark_entry_make(ctx, &f, 4) == 0);
  CHECK(futhark_store_opaque_flags(ctx, f, &stored, &size) == 0 && futhark_context_sync(ctx) == 0);
  futhark_free_opaque_flags(ctx, f);
  unsigned char *bytes = stored;
  g = futhark_restore_opaque_flags(ctx, stored);
  CHECK(g != NULL);
  futhark_free_opaque_flags(ctx, g);
  while (memcmp(bytes + at, "\1\1\1\1", 4) != 0) {
    at++;
  }
  bytes[at + 3] = 2;
  CHECK(futhark_restore_opaque_flags(ctx, stored) == NULL);
  refused("neither 0 nor 1");
  free(stored);
}

static void sums(void) {
  int32_t points[3] = {1, 2, 3};
  float weights[6] = {1, 2, 3, 4, 5, 6};
  int64_t many[3] = {4, 5, 6}, count = 0;
  struct futhark_i32_1d *ps = futhark_new_i32_1d(ctx, points, 3);
  struct futhark_f32_2d *ws = futhark_new_f32_2d(ctx, weights, 3, 2);
  struct futhark_i64_1d *ms = futhark_new_i64_1d(ctx, many, 3);
  struct futhark_opaque_shape *s;
  struct futhark_opaque_pair *p;
  CHECK(futhark_new_opaque_shape_points(ctx, &s, ps) == 0 && futhark_entry_count(ctx, &count, s) == 0 && count == 6);
  futhark_free_opaque_shape(ctx, s);
  CHECK(futhark_new_opaque_shape_weights(ctx, &s, ws) == 0 && futhark_entry_count(ctx, &count, s) == 0 && count == 21);
  futhark_free_opaque_shape(ctx, s);
  CHECK(futhark_new_opaque_shape_none(ctx, &s) == 0 && futhark_entry_count(ctx, &count, s) == 0 && count == 0);
  futhark_free_opaque_shape(ctx, s);
  CHECK(futhark_new_opaque_pair_left(ctx, &p, ms) == 0);
  CHECK(futhark_entry_any(ctx, &count, p) == 0 && count == 15);
  CHECK(futhark_entry_same(ctx, &count, p) == 0 && count == 15);
  futhark_free_opaque_pair(ctx, p);
  CHECK(futhark_new_opaque_pair_right(ctx, &p, ms) == 0);
  CHECK(futhark_entry_any(ctx, &count, p) == 0 && count == 18);
  CHECK(futhark_entry_same(ctx, &count, p) == 0 && count == 18);
  futhark_free_opaque_pair(ctx, p);
  futhark_free_i32_1d(ctx, ps);
  futhark_free_f32_2d(ctx, ws);
  futhark_free_i64_1d(ctx, ms);
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  ctx = futhark_context_new(cfg);
  booleans();
  stored_booleans();
  sums();
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  puts("fine");
  return 0;
}
