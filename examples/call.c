// Calls the entry point of dot.fut from C. `fehu c --library examples/dot.fut -o dot` writes dot.c and dot.h.
#include "dot.h"
#include <stdio.h>

int main(void) {
  const double xs[] = {1.0, 2.0}, ys[] = {3.0, 4.0};

  struct futhark_context_config *config = futhark_context_config_new();
  struct futhark_context *context = futhark_context_new(config);
  struct futhark_f64_1d *a = futhark_new_f64_1d(context, xs, 2);
  struct futhark_f64_1d *b = futhark_new_f64_1d(context, ys, 2);

  double result;
  int failed = futhark_entry_main(context, &result, a, b) || futhark_context_sync(context);
  if (failed) {
    char *message = futhark_context_get_error(context);
    fprintf(stderr, "%s\n", message ? message : "the call failed");
  } else {
    printf("%g\n", result);
  }

  futhark_free_f64_1d(context, a);
  futhark_free_f64_1d(context, b);
  futhark_context_free(context);
  futhark_context_config_free(config);
  return failed;
}
