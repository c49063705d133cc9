// What only contexts with a device do, seen from C. The library is the program of crates/cli/tests/gpu_runtime.rs.

#include "library.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whether there is an error that says so, which is then gone.
static int says(struct futhark_context *ctx, const char *what) {
  char *error = futhark_context_get_error(ctx);
  int found = error != NULL && strstr(error, what) != NULL;
  free(error);
  return found;
}

static char log_text[65536];

// Runs an entry point; what it logs is in `log_text`.
static int64_t logged_main(struct futhark_context *ctx, int64_t n, int64_t m) {
  int64_t out = -1;
  FILE *file = tmpfile();
  CHECK(file != NULL);
  futhark_context_set_logging_file(ctx, file);
  CHECK(futhark_entry_main(ctx, &out, n, m) == 0 && futhark_context_sync(ctx) == 0);
  futhark_context_set_logging_file(ctx, stderr);
  rewind(file);
  log_text[fread(log_text, 1, sizeof log_text - 1, file)] = '\0';
  fclose(file);
  return out;
}

// Thresholds may change while there is a context.
static void thresholds(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_logging(cfg, 1);
  futhark_context_config_set_default_threshold(cfg, 1 << 30);
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(!says(ctx, ""));
  int64_t right = logged_main(ctx, 100, 200);
  CHECK(strstr(log_text, "<= 100: false.") != NULL && strstr(log_text, "true.") == NULL);
  for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
    if (strncmp(futhark_get_tuning_param_class(i), "threshold", 9) == 0) {
      CHECK(futhark_context_config_set_tuning_param(cfg, futhark_get_tuning_param_name(i), 1) == 0);
    }
  }
  CHECK(logged_main(ctx, 100, 200) == right && strstr(log_text, "<= 100: true.") != NULL);
  CHECK(futhark_context_config_set_tuning_param(cfg, "none.such", 1) != 0);
  futhark_context_free(ctx);
  // The configuration is still good for another context.
  CHECK(futhark_context_config_set_tuning_param(cfg, futhark_get_tuning_param_name(0), 64) == 0);
  ctx = futhark_context_new(cfg);
  CHECK(!says(ctx, "") && logged_main(ctx, 100, 200) == right);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

// Reports tell each event once, and only while profiling is on.
static void reports(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_profiling(cfg, 1);
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(!says(ctx, ""));
  free(futhark_context_report(ctx));
  for (int round = 0; round < 3; round++) {
    int64_t out;
    if (round == 1) {
      futhark_context_pause_profiling(ctx);
    } else {
      futhark_context_unpause_profiling(ctx);
    }
    CHECK(futhark_entry_main(ctx, &out, 100, 200) == 0 && futhark_context_sync(ctx) == 0);
    char *report = futhark_context_report(ctx);
    CHECK(report != NULL && strstr(report, "space 'device'") != NULL);
    const char *first = strstr(report, "\"name\":\"main.");
    CHECK((first != NULL) == (round != 1));
    CHECK(round == 1 || strstr(first, "\"details\":{\"grid\":") != NULL);
    free(report);
  }
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

// A failure is told by the next synchronisation, once; then all is well.
static void failures(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(!says(ctx, ""));
  int32_t xs[3] = {1, 2, 3}, ys[2];
  int64_t good[2] = {2, 0}, bad[2] = {0, 3};
  struct futhark_i32_1d *x = futhark_new_i32_1d(ctx, xs, 3), *out = NULL, *later = NULL;
  struct futhark_i64_1d *g = futhark_new_i64_1d(ctx, good, 2), *b = futhark_new_i64_1d(ctx, bad, 2);
  int now = futhark_entry_pick(ctx, &out, x, b), then = futhark_entry_pick(ctx, &later, x, g);
  int synced = futhark_context_sync(ctx);
  CHECK(now == FUTHARK_PROGRAM_ERROR || then == FUTHARK_PROGRAM_ERROR || synced == FUTHARK_PROGRAM_ERROR);
  CHECK(says(ctx, "[3] out of bounds"));
  CHECK(futhark_context_sync(ctx) == 0 && !says(ctx, ""));
  if (now == 0) {
    futhark_free_i32_1d(ctx, out);
  }
  if (then == 0) {
    futhark_free_i32_1d(ctx, later);
  }
  CHECK(futhark_entry_pick(ctx, &out, x, g) == 0);
  CHECK(futhark_values_i32_1d(ctx, out, ys) == 0 && futhark_context_sync(ctx) == 0 && ys[0] == 3 && ys[1] == 1);
  futhark_free_i32_1d(ctx, out);
  // A kernel fails, then the host does: there is one error, of the kernel, and the next call is none the worse.
  CHECK(futhark_entry_pick_if(ctx, &out, false, x, b) == FUTHARK_PROGRAM_ERROR && says(ctx, "[3] out of bounds"));
  CHECK(futhark_entry_pick_if(ctx, &out, false, x, g) == FUTHARK_PROGRAM_ERROR && says(ctx, "Assertion"));
  CHECK(futhark_entry_pick_if(ctx, &out, true, x, g) == 0 && futhark_context_sync(ctx) == 0 && !says(ctx, ""));
  // The memory of an array, lent to another array that is freed first.
  struct futhark_i32_1d *lent = futhark_new_raw_i32_1d(ctx, futhark_values_raw_i32_1d(ctx, x), 2);
  CHECK(lent != NULL && futhark_free_i32_1d(ctx, lent) == 0);
  CHECK(futhark_values_i32_1d(ctx, x, xs) == 0 && futhark_context_sync(ctx) == 0 && xs[2] == 3);
  // Nothing is no memory, unless nothing is needed.
  CHECK(futhark_new_raw_i32_1d(ctx, 0, 2) == NULL && says(ctx, "no memory"));
  lent = futhark_new_raw_i32_1d(ctx, 0, 0);
  CHECK(lent != NULL && futhark_values_i32_1d(ctx, lent, ys) == 0);
  futhark_free_i32_1d(ctx, lent);
  CHECK(futhark_new_i32_1d(ctx, xs, -1) == NULL && says(ctx, "shape"));
  CHECK(futhark_new_i32_1d(ctx, NULL, (int64_t)1 << 45) == NULL && says(ctx, "out of memory"));
  futhark_free_i32_1d(ctx, x);
  futhark_free_i32_1d(ctx, out);
  futhark_free_i64_1d(ctx, g);
  futhark_free_i64_1d(ctx, b);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

// A context that could not be made says why, and can be freed.
static void no_device(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_device(cfg, "no such device");
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(says(ctx, "no such device"));
  futhark_context_free(ctx);
  futhark_context_config_set_device(cfg, "#0");
  ctx = futhark_context_new(cfg);
  CHECK(!says(ctx, ""));
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

// The kernels that one context wrote serve another, whose parameters differ.
static void programs(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  int64_t right, out;
  futhark_context_config_dump_program_to(cfg, "dumped.cl");
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(!says(ctx, "") && futhark_entry_count(ctx, &right, 5000) == 0 && futhark_context_sync(ctx) == 0);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  cfg = futhark_context_config_new();
  futhark_context_config_load_program_from(cfg, "dumped.cl");
  futhark_context_config_set_default_thread_block_size(cfg, 32);
  ctx = futhark_context_new(cfg);
  CHECK(!says(ctx, "") && futhark_entry_count(ctx, &out, 5000) == 0 && futhark_context_sync(ctx) == 0 && out == right);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

int main(void) {
  thresholds();
  reports();
  failures();
  no_device();
  programs();
  return 0;
}
