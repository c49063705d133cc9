// A C program that makes values of sum types, takes arrays of records apart, and asks for elements that are not there.
#include "lib.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The index is refused with a message, and the context goes on.
static void refused(struct futhark_context *ctx, int err) {
  CHECK(err == 1);
  char *message = futhark_context_get_error(ctx);
  CHECK(message != NULL && strstr(message, "out of bounds") != NULL);
  free(message);
}

static void sums(struct futhark_context *ctx) {
  struct futhark_opaque_side *s = NULL;
  int64_t weight = 0;
  CHECK(futhark_new_opaque_side_near(ctx, &s, 3) == FUTHARK_SUCCESS);
  CHECK(futhark_entry_weight(ctx, &weight, s) == FUTHARK_SUCCESS && futhark_context_sync(ctx) == FUTHARK_SUCCESS);
  CHECK(weight == 3);
  CHECK(futhark_free_opaque_side(ctx, s) == FUTHARK_SUCCESS);

  int64_t pair[2] = {5, 6};
  struct futhark_i64_1d *b = futhark_new_i64_1d(ctx, pair, 2), *back = NULL;
  CHECK(futhark_new_opaque_side_far(ctx, &s, b) == FUTHARK_SUCCESS);
  CHECK(futhark_entry_weight(ctx, &weight, s) == FUTHARK_SUCCESS && futhark_context_sync(ctx) == FUTHARK_SUCCESS);
  CHECK(weight == 11);
  CHECK(futhark_destruct_opaque_side_far(ctx, &back, s) == FUTHARK_SUCCESS);
  CHECK(futhark_shape_i64_1d(ctx, back)[0] == 2);
  futhark_free_i64_1d(ctx, back);
  futhark_free_opaque_side(ctx, s);

  // What the type does not allow is refused by the entry point.
  struct futhark_i64_1d *longer = futhark_new_i64_1d(ctx, (int64_t[]){1, 2, 3}, 3);
  CHECK(futhark_new_opaque_side_far(ctx, &s, longer) == FUTHARK_SUCCESS);
  CHECK(futhark_entry_weight(ctx, &weight, s) == FUTHARK_PROGRAM_ERROR);
  free(futhark_context_get_error(ctx));
  futhark_free_opaque_side(ctx, s);
  futhark_free_i64_1d(ctx, longer);

  struct futhark_f32_2d *grid = futhark_new_f32_2d(ctx, (float[]){1, 2, 3, 4, 5, 6}, 3, 2);
  CHECK(futhark_new_opaque_side_grid(ctx, &s, grid, true) == FUTHARK_SUCCESS);
  CHECK(futhark_entry_weight(ctx, &weight, s) == FUTHARK_SUCCESS && futhark_context_sync(ctx) == FUTHARK_SUCCESS);
  CHECK(weight == 21);
  futhark_free_opaque_side(ctx, s);
  futhark_free_f32_2d(ctx, grid);

  CHECK(futhark_entry_far(ctx, &s, 7) == FUTHARK_SUCCESS);
  CHECK(futhark_entry_weight(ctx, &weight, s) == FUTHARK_SUCCESS && futhark_context_sync(ctx) == FUTHARK_SUCCESS);
  CHECK(weight == 15);
  futhark_free_opaque_side(ctx, s);
  futhark_free_i64_1d(ctx, b);
}

static void records(struct futhark_context *ctx) {
  struct futhark_opaque_arr1d_tup2_point_point *lines = NULL;
  struct futhark_opaque_arr1d_point *ends = NULL;
  struct futhark_opaque_point *end = NULL;
  double x = -1;
  CHECK(futhark_entry_lines(ctx, &lines, 4) == FUTHARK_SUCCESS);
  CHECK(futhark_project_opaque_arr1d_tup2_point_point_0(ctx, &ends, lines) == FUTHARK_SUCCESS);
  CHECK(futhark_index_opaque_arr1d_point(ctx, &end, ends, 3) == FUTHARK_SUCCESS);
  CHECK(futhark_project_opaque_point_0(ctx, &x, end) == FUTHARK_SUCCESS);
  CHECK(x == 3);
  struct futhark_opaque_point *none = NULL;
  refused(ctx, futhark_index_opaque_arr1d_point(ctx, &none, ends, 4));
  CHECK(none == NULL);
  refused(ctx, futhark_set_opaque_arr1d_point(ctx, ends, end, -1));
  struct futhark_f64_1d *two = futhark_new_f64_1d(ctx, (double[]){1, 2}, 2);
  struct futhark_f64_1d *three = futhark_new_f64_1d(ctx, (double[]){1, 2, 3}, 3);
  struct futhark_opaque_arr1d_point *zipped = NULL;
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &zipped, two, three) == 1 && zipped == NULL);
  free(futhark_context_get_error(ctx));
  CHECK(futhark_zip_opaque_arr1d_point(ctx, &zipped, two, two) == FUTHARK_SUCCESS);
  CHECK(futhark_shape_opaque_arr1d_point(ctx, zipped)[0] == 2);
  futhark_free_opaque_arr1d_point(ctx, zipped);
  futhark_free_f64_1d(ctx, two);
  futhark_free_f64_1d(ctx, three);
  futhark_free_opaque_point(ctx, end);
  futhark_free_opaque_arr1d_point(ctx, ends);
  futhark_free_opaque_arr1d_tup2_point_point(ctx, lines);
}

static void elements(struct futhark_context *ctx) {
  struct futhark_i64_2d *table = NULL;
  int64_t x = -7;
  CHECK(futhark_entry_table(ctx, &table, 3, 4) == FUTHARK_SUCCESS);
  refused(ctx, futhark_index_i64_2d(ctx, NULL, table, 3, 0));
  refused(ctx, futhark_index_i64_2d(ctx, &x, table, 0, 4));
  refused(ctx, futhark_index_i64_2d(ctx, &x, table, -1, 0));
  CHECK(x == -7);
  CHECK(futhark_index_i64_2d(ctx, &x, table, 2, 3) == FUTHARK_SUCCESS);
  CHECK(futhark_context_sync(ctx) == FUTHARK_SUCCESS && x == 11);
  futhark_free_i64_2d(ctx, table);
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(futhark_context_get_error(ctx) == NULL);
  sums(ctx);
  records(ctx);
  elements(ctx);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  puts("fine");
  return 0;
}
