// Start of apply.h: what options that only OpenCL has do.

static void api_option(struct options *opts, const char *name, const char *value) {
  struct futhark_context_config *cfg = opts->cfg;
  if (strcmp(name, "platform") == 0) {
    futhark_context_config_set_platform(cfg, value);
  } else if (strcmp(name, "list-devices") == 0) {
    opencl_list(stdout);
    opts->stop = true;
  } else if (strcmp(name, "build-option") == 0) {
    futhark_context_config_add_build_option(cfg, value);
  } else if (strcmp(name, "dump-opencl") == 0) {
    dump_option(opts, value);
  } else if (strcmp(name, "load-opencl") == 0) {
    futhark_context_config_load_program_from(cfg, value);
  } else if (strcmp(name, "dump-opencl-binary") == 0) {
    futhark_context_config_dump_binary_to(cfg, value);
    opts->setup_only = true;
  } else if (strcmp(name, "load-opencl-binary") == 0) {
    futhark_context_config_load_binary_from(cfg, value);
  }
}

// End of apply.h.
