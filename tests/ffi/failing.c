// A program for CUDA or OpenCL on the drivers of tests/cuda and fake_opencl.c: whatever call of the driver fails, someone
// says so, and all is given back. Results are not looked at, since kernels do nothing there.

#include "library.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

// Every failure has an error.
static int bad(struct futhark_context *ctx, int failed, const char *what) {
  if (failed) {
    char *error = futhark_context_get_error(ctx);
    printf("%s: %s", what, error == NULL ? "no error\n" : error);
    if (error == NULL) {
      exit(1);
    }
    free(error);
    failures++;
  }
  return failed;
}

static void use(struct futhark_context *ctx) {
  static int32_t xs[40000], ys[40000];
  int64_t is[3] = {2, 1, 0};
  struct futhark_i32_1d *x = futhark_new_i32_1d(ctx, xs, 40000), *out;
  bad(ctx, x == NULL, "new");
  struct futhark_i64_1d *i = futhark_new_i64_1d(ctx, is, 3);
  bad(ctx, i == NULL, "new");
  if (x != NULL && i != NULL && !bad(ctx, futhark_entry_pick(ctx, &out, x, i), "pick")) {
    bad(ctx, futhark_values_i32_1d(ctx, out, ys), "values");
    futhark_free_i32_1d(ctx, out);
  }
  if (x != NULL) {
    bad(ctx, futhark_values_i32_1d(ctx, x, ys), "values");
    struct futhark_i32_1d *raw = futhark_new_raw_i32_1d(ctx, futhark_values_raw_i32_1d(ctx, x), 7);
    if (!bad(ctx, raw == NULL, "new raw")) {
      bad(ctx, futhark_index_i32_1d(ctx, ys, raw, 3), "index");
      futhark_free_i32_1d(ctx, raw);
    }
    futhark_free_i32_1d(ctx, x);
  }
  if (i != NULL) {
    futhark_free_i64_1d(ctx, i);
  }
  // Many launches in a row, and no times of any.
  futhark_context_pause_profiling(ctx);
  for (int k = 0; k < 2; k++) {
    if (!bad(ctx, futhark_entry_steps(ctx, &out, 50 + 20 * k, 1000), "steps")) {
      bad(ctx, futhark_context_sync(ctx), "sync");
      futhark_free_i32_1d(ctx, out);
    }
  }
  // Elements that the host writes meanwhile.
  struct futhark_f32_1d *gates;
  if (!bad(ctx, futhark_entry_gates(ctx, &gates, 40, 100), "gates")) {
    bad(ctx, futhark_context_sync(ctx), "sync");
    futhark_free_f32_1d(ctx, gates);
  }
  futhark_context_unpause_profiling(ctx);
  int64_t n;
  bad(ctx, futhark_entry_main(ctx, &n, 100, 200), "main");
  bad(ctx, futhark_entry_count(ctx, &n, 100), "count");
  bad(ctx, futhark_context_sync(ctx), "sync");
}

static void *use_thread(void *ctx) {
  use(ctx);
  return NULL;
}

int main(int argc, char **argv) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_profiling(cfg, 1);
  if (argc > 1) {
    futhark_context_config_set_cache_file(cfg, argv[1]);
  }
  futhark_context_config_set_device(cfg, "B");
  struct futhark_context *ctx = futhark_context_new(cfg);
  char *error = futhark_context_get_error(ctx);
  if (error != NULL) {
    printf("context: %s", error);
    free(error);
    failures++;
  } else {
    pthread_t thread;
    use(ctx);
    pthread_create(&thread, NULL, use_thread, ctx);
    pthread_join(thread, NULL);
    char *report = futhark_context_report(ctx);
    if (report == NULL) {
      return 1;
    }
    // Times that are missing are all that a report says of a failure.
    if (strstr(report, "\"events\":[]") != NULL) {
      printf("report: no times\n");
      failures++;
    }
    free(report);
    bad(ctx, futhark_context_clear_caches(ctx), "clear");
    use(ctx);
  }
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  printf("%d failures\n", failures);
  return 0;
}
