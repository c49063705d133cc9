// Uses the library of the sample program from C.

#include "libsample.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(c)                                             \
  do {                                                       \
    if (!(c)) {                                              \
      fprintf(stderr, "line %d: %s\n", __LINE__, #c);        \
      exit(1);                                               \
    }                                                        \
  } while (0)

static void arrays(struct futhark_context *ctx) {
  int32_t xs[] = {1, 2, 3}, ys[] = {10, 20, 30}, zs[3], z;
  struct futhark_i32_1d *a = futhark_new_i32_1d(ctx, xs, 3), *b = futhark_new_i32_1d(ctx, ys, 3), *c = NULL;
  CHECK(a != NULL && b != NULL);
  CHECK(futhark_entry_same(ctx, &c, a, b) == FUTHARK_SUCCESS);
  CHECK(futhark_context_sync(ctx) == 0);
  CHECK(futhark_shape_i32_1d(ctx, c)[0] == 3);
  CHECK(futhark_values_i32_1d(ctx, c, zs) == 0 && zs[0] == 11 && zs[2] == 33);
  CHECK(futhark_index_i32_1d(ctx, &z, c, 1) == 0 && z == 22);
  CHECK(futhark_index_i32_1d(ctx, &z, c, 3) != 0);
  char *error = futhark_context_get_error(ctx);
  CHECK(strcmp(error, "Error: Index [3] out of bounds for array of shape [3].\n") == 0);
  free(error);
  CHECK(futhark_context_get_error(ctx) == NULL);
  futhark_free_i32_1d(ctx, c);
#ifdef FUTHARK_BACKEND_c
  // Memory of our own, used in place.
  struct futhark_i32_1d *raw = futhark_new_raw_i32_1d(ctx, (unsigned char *)xs, 3), *same = NULL;
  CHECK(futhark_entry_upd(ctx, &same, raw, 1) == 0);
  CHECK(xs[1] == 2 && futhark_values_raw_i32_1d(ctx, same) == (unsigned char *)xs);
  futhark_free_i32_1d(ctx, raw);
  futhark_free_i32_1d(ctx, same);
#else
  // The array's own memory, given another shape.
  int32_t three[] = {7, 8, 9}, two[2];
  struct futhark_i32_1d *whole = futhark_new_i32_1d(ctx, three, 3);
  struct futhark_i32_1d *raw = futhark_new_raw_i32_1d(ctx, futhark_values_raw_i32_1d(ctx, whole), 2);
  CHECK(futhark_values_i32_1d(ctx, raw, two) == 0 && two[0] == 7 && two[1] == 8);
  futhark_free_i32_1d(ctx, raw);
  futhark_free_i32_1d(ctx, whole);
#endif
  // Errors leave the output alone.
  struct futhark_i32_1d *untouched = a;
  CHECK(futhark_entry_upd(ctx, &untouched, b, 7) == FUTHARK_PROGRAM_ERROR && untouched == a);
  error = futhark_context_get_error(ctx);
  CHECK(strncmp(error, "Error: Index [7] out of bounds", 30) == 0);
  free(error);
  struct futhark_i32_1d *shorter = futhark_new_i32_1d(ctx, xs, 2);
  CHECK(futhark_entry_same(ctx, &untouched, a, shorter) == FUTHARK_PROGRAM_ERROR);
  error = futhark_context_get_error(ctx);
  CHECK(strcmp(error, "Error: entry point arguments have invalid sizes.\n") == 0);
  free(error);
  CHECK(futhark_new_i32_1d(ctx, xs, -1) == NULL);
  CHECK(futhark_new_i32_1d(ctx, xs, INT64_MAX) == NULL);
  free(futhark_context_get_error(ctx));
  futhark_free_i32_1d(ctx, shorter);
  futhark_free_i32_1d(ctx, a);
  futhark_free_i32_1d(ctx, b);
  struct futhark_u16_2d *empty = futhark_new_u16_2d(ctx, NULL, 0, 5), *turned;
  CHECK(futhark_entry_trans(ctx, &turned, empty) == 0);
  CHECK(futhark_shape_u16_2d(ctx, turned)[0] == 5 && futhark_shape_u16_2d(ctx, turned)[1] == 0);
  futhark_free_u16_2d(ctx, empty);
  futhark_free_u16_2d(ctx, turned);
  // Constants come as copies: writing to one does not change the next.
  for (int i = 0; i < 2; i++) {
    struct futhark_i32_1d *table, *changed;
    CHECK(futhark_entry_tables(ctx, &table) == 0);
    CHECK(futhark_index_i32_1d(ctx, &z, table, 0) == 0 && z == 3);
    CHECK(futhark_entry_upd(ctx, &changed, table, 0) == 0);
    futhark_free_i32_1d(ctx, table);
    futhark_free_i32_1d(ctx, changed);
    int64_t square;
    struct futhark_i64_1d *squares;
    CHECK(futhark_entry_squares(ctx, &squares) == 0);
    CHECK(futhark_index_i64_1d(ctx, &square, squares, 4) == 0 && square == 16);
#ifdef FUTHARK_BACKEND_c
    ((int64_t *)futhark_values_raw_i64_1d(ctx, squares))[4] = 0;
#endif
    futhark_free_i64_1d(ctx, squares);
  }
}

static void records(struct futhark_context *ctx) {
  float fs[] = {0.5, 1.5};
  struct futhark_f32_1d *f = futhark_new_f32_1d(ctx, fs, 2), *bar;
  struct futhark_opaque_t *t, *u, *v;
  int32_t foo;
  CHECK(futhark_entry_mkt(ctx, &t, 7, f) == 0);
  CHECK(futhark_project_opaque_t_foo(ctx, &foo, t) == 0 && foo == 7);
  CHECK(futhark_project_opaque_t_bar(ctx, &bar, t) == 0);
  CHECK(futhark_new_opaque_t(ctx, &u, bar, 9) == 0);
  CHECK(futhark_project_opaque_t_foo(ctx, &foo, u) == 0 && foo == 9);
  size_t n = 0, m = 0;
  void *bytes = NULL;
  CHECK(futhark_store_opaque_t(ctx, u, NULL, &n) == 0 && n > 0);
  CHECK(futhark_store_opaque_t(ctx, u, &bytes, &m) == 0 && m == n);
  futhark_free_opaque_t(ctx, u);
  v = futhark_restore_opaque_t(ctx, bytes);
  CHECK(v != NULL && futhark_project_opaque_t_foo(ctx, &foo, v) == 0 && foo == 9);
  ((char *)bytes)[1] = 7;
  CHECK(futhark_restore_opaque_t(ctx, bytes) == NULL);
  free(futhark_context_get_error(ctx));
  // The size of the first field, after the letter, the version, the rank and the type: of no array that there can be.
  ((char *)bytes)[1] = 2;
  for (int64_t size = INT64_MIN, i = 0; i < 3; i++, size = i == 1 ? INT64_MAX : (int64_t)1 << 62) {
    memcpy((char *)bytes + 7, &size, sizeof size);
    CHECK(futhark_restore_opaque_t(ctx, bytes) == NULL);
    free(futhark_context_get_error(ctx));
  }
  free(bytes);
  futhark_free_opaque_t(ctx, v);
  futhark_free_opaque_t(ctx, t);
  futhark_free_f32_1d(ctx, bar);
  futhark_free_f32_1d(ctx, f);

  struct futhark_opaque_tup2_i32_arr1d_f32 *tuple;
  f = futhark_new_f32_1d(ctx, fs, 2);
  CHECK(futhark_entry_main(ctx, &tuple, 3, f) == 0);
  CHECK(futhark_project_opaque_tup2_i32_arr1d_f32_0(ctx, &foo, tuple) == 0 && foo == 4);
  futhark_free_f32_1d(ctx, f);
  futhark_free_opaque_tup2_i32_arr1d_f32(ctx, tuple);
  struct futhark_opaque_unit *unit, *again;
  CHECK(futhark_entry_unit(ctx, &unit, 3) == 0);
  CHECK(futhark_entry_from_unit(ctx, &again, unit) == 0);
  futhark_free_opaque_unit(ctx, unit);
  futhark_free_opaque_unit(ctx, again);
}

#define RECORD(f) futhark_##f##_opaque_abd1fe49a6392d882d7b82e531fa519b
#define PROJECT_B futhark_project_opaque_abd1fe49a6392d882d7b82e531fa519b_b
typedef struct futhark_opaque_abd1fe49a6392d882d7b82e531fa519b record;

static void record_arrays(struct futhark_context *ctx) {
  struct futhark_opaque_arrs *arrs, *zipped, *built;
  struct futhark_i32_1d *as;
  struct futhark_f64_1d *bs;
  record *elem, *other;
  double d;
  CHECK(futhark_entry_mkarr(ctx, &arrs, 4) == 0);
  CHECK(futhark_shape_opaque_arrs(ctx, arrs)[0] == 4);
  CHECK(futhark_index_opaque_arrs(ctx, &elem, arrs, 3) == 0);
  CHECK(PROJECT_B(ctx, &d, elem) == 0 && d == 3.0);
  CHECK(futhark_index_opaque_arrs(ctx, &other, arrs, 4) != 0);
  free(futhark_context_get_error(ctx));
  CHECK(futhark_project_opaque_arrs_a(ctx, &as, arrs) == 0);
  CHECK(futhark_project_opaque_arrs_b(ctx, &bs, arrs) == 0);
  CHECK(futhark_zip_opaque_arrs(ctx, &zipped, as, bs) == 0);
  CHECK(RECORD(new)(ctx, &other, 40, 40.5) == 0);
  CHECK(futhark_set_opaque_arrs(ctx, zipped, other, 0) == 0);
  RECORD(free)(ctx, elem);
  CHECK(futhark_index_opaque_arrs(ctx, &elem, zipped, 0) == 0);
  CHECK(PROJECT_B(ctx, &d, elem) == 0 && d == 40.5);
  record *both[] = {elem, other};
  CHECK(futhark_new_opaque_arrs(ctx, &built, both, 2) == 0);
  CHECK(futhark_shape_opaque_arrs(ctx, built)[0] == 2);
  futhark_free_opaque_arrs(ctx, built);
  CHECK(futhark_new_opaque_arrs(ctx, &built, NULL, 0) == 0);
  futhark_free_opaque_arrs(ctx, built);
  struct futhark_f64_1d *shorter = futhark_new_f64_1d(ctx, (double[]){1}, 1);
  CHECK(futhark_zip_opaque_arrs(ctx, &built, as, shorter) != 0);
  free(futhark_context_get_error(ctx));
  futhark_free_f64_1d(ctx, shorter);
  RECORD(free)(ctx, elem);
  RECORD(free)(ctx, other);
  futhark_free_i32_1d(ctx, as);
  futhark_free_f64_1d(ctx, bs);
  futhark_free_opaque_arrs(ctx, arrs);
  futhark_free_opaque_arrs(ctx, zipped);
}

static void sums(struct futhark_context *ctx) {
  struct futhark_opaque_s *s, *r;
  int32_t payload;
  CHECK(futhark_entry_mks(ctx, &s, 5) == 0);
  CHECK(futhark_variant_opaque_s(ctx, s) == 1);
  CHECK(futhark_destruct_opaque_s_foo(ctx, &payload, s) == 0 && payload == 5);
  float f;
  uint32_t u;
  CHECK(futhark_destruct_opaque_s_bar(ctx, &f, &u, s) != 0);
  free(futhark_context_get_error(ctx));
  futhark_free_opaque_s(ctx, s);
  CHECK(futhark_new_opaque_s_bar(ctx, &s, 1.25f, 3000000000u) == 0);
  CHECK(futhark_variant_opaque_s(ctx, s) == 0);
  CHECK(futhark_destruct_opaque_s_bar(ctx, &f, &u, s) == 0 && f == 1.25f && u == 3000000000u);
  struct futhark_i32_1d *row = futhark_new_i32_1d(ctx, (int32_t[]){1, 2}, 2), *back;
  CHECK(futhark_new_opaque_s_row(ctx, &r, row) == 0);
  CHECK(futhark_destruct_opaque_s_row(ctx, &back, r) == 0);
  CHECK(futhark_shape_i32_1d(ctx, back)[0] == 2);
  struct futhark_opaque_arr1d_s *arr;
  // Elements of different shapes make no array.
  struct futhark_opaque_s *both[] = {s, r};
  CHECK(futhark_new_opaque_arr1d_s(ctx, &arr, both, 2) != 0);
  free(futhark_context_get_error(ctx));
  both[0] = r;
  CHECK(futhark_new_opaque_arr1d_s(ctx, &arr, both, 2) == 0);
  futhark_free_opaque_s(ctx, s);
  CHECK(futhark_index_opaque_arr1d_s(ctx, &s, arr, 1) == 0);
  CHECK(futhark_variant_opaque_s(ctx, s) == 2);
  futhark_free_opaque_arr1d_s(ctx, arr);
  CHECK(futhark_entry_mksarr(ctx, &arr, 3) == 0);
  futhark_free_opaque_arr1d_s(ctx, arr);
  futhark_free_opaque_s(ctx, s);
  futhark_free_opaque_s(ctx, r);
  futhark_free_i32_1d(ctx, row);
  futhark_free_i32_1d(ctx, back);
}

static void *worker(void *arg) {
  struct futhark_context *ctx = arg;
  for (int i = 0; i < 100; i++) {
    arrays(ctx);
    int64_t f;
    CHECK(futhark_entry_fact(ctx, &f, 10) == 0 && f == 3628800);
  }
  return NULL;
}

// A thread for each context.
static void threads(struct futhark_context *a, struct futhark_context *b) {
  pthread_t first, second;
  pthread_create(&first, NULL, worker, a);
  pthread_create(&second, NULL, worker, b);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new(), *cfg2 = futhark_context_config_new();
  futhark_context_config_set_profiling(cfg, 1);
  futhark_context_config_set_cache_file(cfg, "/nonexistent");
  CHECK(futhark_context_config_set_tuning_param(cfg, "no such", 1) != 0);
  CHECK(futhark_get_tuning_param_count() == 0 && futhark_get_tuning_param_name(0) == NULL);
  struct futhark_context *ctx = futhark_context_new(cfg), *ctx2 = futhark_context_new(cfg2);
  CHECK(futhark_context_get_error(ctx) == NULL);
  futhark_context_set_logging_file(ctx, stdout);
  arrays(ctx);
  records(ctx);
  record_arrays(ctx);
  sums(ctx);
  threads(ctx, ctx2);
  futhark_context_pause_profiling(ctx);
  char *report = futhark_context_report(ctx);
  CHECK(strstr(report, "\"memory\":{\"default space\":") != NULL || strstr(report, "\"memory\":{\"space 'device'\":") != NULL);
  // Tools that read reports want details of every event.
  const char *event = strstr(report, "\"provenance\":");
  CHECK(event != NULL);
  for (; event != NULL; event = strstr(event + 1, "\"provenance\":")) {
    const char *details = strstr(event, "\"details\":{"), *end = strchr(event, '}');
    CHECK(details != NULL && details < end);
  }
  free(report);
  futhark_context_unpause_profiling(ctx);
  CHECK(futhark_context_clear_caches(ctx) == 0);
  arrays(ctx);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  futhark_context_free(ctx2);
  futhark_context_config_free(cfg2);
  puts("done");
  return 0;
}
