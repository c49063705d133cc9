// Start of apply.h: what options that only multicore programs have do.

static void backend_option(struct options *opts, const char *name, const char *value) {
  if (strcmp(name, "num-threads") == 0) {
    char *rest;
    long n = strtol(value, &rest, 10);
    if (rest == value || *rest != '\0' || n > 10000) {
      option_error(opts, "Need a number of threads, not %s", value);
    } else {
      futhark_context_config_set_num_threads(opts->cfg, n < 1 ? 0 : (int)n);
    }
  }
}

// End of apply.h.
