// Arrays in memory of the user that begins in the middle of another array, on the driver of tests/cuda. The library is the
// program of crates/cli/tests/fake.

#include "library.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The sums of rows that begin so many elements after an array does.
static void sums(struct futhark_context *ctx, struct futhark_i32_1d *x, int at) {
  int32_t ys[3];
  struct futhark_i32_1d *out;
  fprintf(stderr, "at %d\n", at);
  struct futhark_i32_2d *rows = futhark_new_raw_i32_2d(ctx, futhark_values_raw_i32_1d(ctx, x) + 4 * (unsigned)at, 3, 64);
  CHECK(rows != NULL && futhark_entry_sums(ctx, &out, rows) == 0);
  CHECK(futhark_values_i32_1d(ctx, out, ys) == 0 && futhark_context_sync(ctx) == 0);
  for (int i = 0; i < 3; i++) {
    // The sum of at + 64 * i + j for all j.
    CHECK(ys[i] == 64 * (at + 64 * i) + 64 * 63 / 2);
  }
  futhark_free_i32_1d(ctx, out);
  // Elements that are written afterwards are seen by the next call.
  int32_t old[256];
  CHECK(futhark_values_i32_1d(ctx, x, old) == 0 && futhark_context_sync(ctx) == 0);
  struct futhark_i32_1d *changed;
  CHECK(futhark_entry_set(ctx, &changed, x, at, 100000) == 0);
  CHECK(futhark_values_raw_i32_1d(ctx, changed) == futhark_values_raw_i32_1d(ctx, x));
  CHECK(futhark_entry_sums(ctx, &out, rows) == 0);
  CHECK(futhark_values_i32_1d(ctx, out, ys) == 0 && futhark_context_sync(ctx) == 0);
  CHECK(ys[0] == 64 * at + 64 * 63 / 2 - at + 100000);
  futhark_free_i32_1d(ctx, out);
  struct futhark_i32_1d *restored;
  CHECK(futhark_entry_set(ctx, &restored, changed, at, at) == 0);
  futhark_free_i32_1d(ctx, changed);
  futhark_free_i32_1d(ctx, restored);
  futhark_free_i32_2d(ctx, rows);
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(futhark_context_get_error(ctx) == NULL);
  int32_t xs[256];
  for (int i = 0; i < 256; i++) {
    xs[i] = i;
  }
  struct futhark_i32_1d *x = futhark_new_i32_1d(ctx, xs, 256);
  CHECK(x != NULL);
  for (int at = 0; at <= 8; at++) {
    sums(ctx, x, at);
  }
  futhark_free_i32_1d(ctx, x);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
