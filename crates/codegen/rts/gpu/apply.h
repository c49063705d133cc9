// Start of apply.h: what options for devices do.

static void api_option(struct options *opts, const char *name, const char *value);

static void backend_option(struct options *opts, const char *name, const char *value) {
  static const char *const sizes[] = {"default-thread-block-size", "default-group-size",        "default-grid-size",
                                      "default-num-thread-blocks", "default-num-groups",        "default-tile-size",
                                      "default-reg-tile-size",     "default-threshold",         "unified-memory"};
  struct device_config *d = &opts->cfg->device;
  int64_t *const places[] = {&d->thread_block_size, &d->thread_block_size, &d->grid_size, &d->grid_size,
                             &d->grid_size,         &d->tile_size,         &d->reg_tile_size, &d->threshold};
  if (strcmp(name, "device") == 0) {
    futhark_context_config_set_device(opts->cfg, value);
  }
  for (int i = 0; i < 9; i++) {
    if (strcmp(name, sizes[i]) == 0) {
      char *rest;
      long long number = strtoll(value, &rest, 10);
      if (rest == value || *rest != '\0' || number < 0) {
        option_error(opts, "Option --%s needs a number, not %s", name, value);
      } else if (i < 8) {
        *places[i] = number;
      } else {
        d->unified_memory = (int)number;
      }
      return;
    }
  }
  api_option(opts, name, value);
}

// Writes the kernels, and does nothing else.
TOOL_FUN void dump_option(struct options *opts, const char *path) {
  char *text = program_text(opts->cfg);
  if (text == NULL || !file_write(path, text, strlen(text))) {
    option_error(opts, "Cannot write %s: %s", path, strerror(errno));
  }
  free(text);
  opts->stop = true;
}

// End of apply.h.
