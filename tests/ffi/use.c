// A C program that uses a generated library: arrays in and out, a record, an
// error caught, and two contexts in two threads.
#include "lib.h"
#include "check.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *arg) {
  double factor = *(double *)arg;
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(futhark_context_get_error(ctx) == NULL);

  enum { n = 1000 };
  double in[n], out[n];
  for (int i = 0; i < n; i++)
    in[i] = i;
  struct futhark_f64_1d *xs = futhark_new_f64_1d(ctx, in, n);
  for (int round = 0; round < 20; round++) {
    struct futhark_f64_1d *ys;
    CHECK(futhark_entry_scale(ctx, &ys, factor, xs) == FUTHARK_SUCCESS);
    CHECK(futhark_context_sync(ctx) == FUTHARK_SUCCESS);
    CHECK(futhark_shape_f64_1d(ctx, ys)[0] == n);
    CHECK(futhark_values_f64_1d(ctx, ys, out) == FUTHARK_SUCCESS);
    CHECK(futhark_context_sync(ctx) == FUTHARK_SUCCESS);
    for (int i = 0; i < n; i++)
      CHECK(out[i] == factor * i);
    futhark_free_f64_1d(ctx, ys);
  }

  struct futhark_opaque_stats *a, *b, *both, *again;
  CHECK(futhark_entry_summary(ctx, &a, xs) == FUTHARK_SUCCESS);
  CHECK(futhark_new_opaque_stats(ctx, &b, 1000, 1.5) == FUTHARK_SUCCESS);
  CHECK(futhark_entry_merge(ctx, &both, a, b) == FUTHARK_SUCCESS);
  int64_t count;
  double mean;
  CHECK(futhark_project_opaque_stats_count(ctx, &count, both) == FUTHARK_SUCCESS);
  CHECK(futhark_project_opaque_stats_mean(ctx, &mean, both) == FUTHARK_SUCCESS);
  CHECK(count == 2000 && mean == (499.5 + 1.5) / 2);
  void *bytes = NULL;
  size_t size;
  CHECK(futhark_store_opaque_stats(ctx, both, &bytes, &size) == FUTHARK_SUCCESS);
  CHECK((again = futhark_restore_opaque_stats(ctx, bytes)) != NULL);
  CHECK(futhark_project_opaque_stats_mean(ctx, &mean, again) == FUTHARK_SUCCESS);
  CHECK(mean == (499.5 + 1.5) / 2);
  free(bytes);

  struct futhark_opaque_units *units;
  struct futhark_opaque_width *width;
  CHECK(futhark_entry_units(ctx, &units, 7) == FUTHARK_SUCCESS);
  CHECK(futhark_entry_count_units(ctx, &count, units) == FUTHARK_SUCCESS);
  CHECK(count == 7 && futhark_shape_opaque_units(ctx, units)[0] == 7);
  CHECK(futhark_entry_width(ctx, &width, 1000000) == FUTHARK_SUCCESS);
  bytes = NULL;
  CHECK(futhark_store_opaque_width(ctx, width, &bytes, &size) == FUTHARK_SUCCESS);
  CHECK(size < 100);
  futhark_free_opaque_width(ctx, width);
  CHECK((width = futhark_restore_opaque_width(ctx, bytes)) != NULL);
  free(bytes);
  CHECK(futhark_entry_width_of(ctx, &count, width) == FUTHARK_SUCCESS);
  CHECK(futhark_context_sync(ctx) == FUTHARK_SUCCESS);
  CHECK(count == 1000000);
  futhark_free_opaque_units(ctx, units);
  futhark_free_opaque_width(ctx, width);

  int32_t small[3] = {1, 2, 3}, x;
  struct futhark_i32_1d *is = futhark_new_i32_1d(ctx, small, 3);
  CHECK(futhark_entry_pick(ctx, &x, is, 7) == FUTHARK_PROGRAM_ERROR);
  char *message = futhark_context_get_error(ctx);
  CHECK(message != NULL && strstr(message, "Index [7] out of bounds for array of shape [3].") != NULL);
  free(message);
  CHECK(futhark_entry_pick(ctx, &x, is, 2) == FUTHARK_SUCCESS && x == 3);
  struct futhark_i32_1d *bumped;
  CHECK(futhark_entry_bump(ctx, &bumped, is) == FUTHARK_SUCCESS);
  CHECK(futhark_index_i32_1d(ctx, &x, bumped, 1) == FUTHARK_SUCCESS && x == 3);

  futhark_free_i32_1d(ctx, is);
  futhark_free_i32_1d(ctx, bumped);
  futhark_free_opaque_stats(ctx, a);
  futhark_free_opaque_stats(ctx, b);
  futhark_free_opaque_stats(ctx, both);
  futhark_free_opaque_stats(ctx, again);
  futhark_free_f64_1d(ctx, xs);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  double factors[2] = {2, 3};
  for (int i = 0; i < 2; i++)
    CHECK(pthread_create(&threads[i], NULL, work, &factors[i]) == 0);
  for (int i = 0; i < 2; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  puts("fine");
  return 0;
}
