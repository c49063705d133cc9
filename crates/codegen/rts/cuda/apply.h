// Start of apply.h: what options that only CUDA has do.

static void api_option(struct options *opts, const char *name, const char *value) {
  struct futhark_context_config *cfg = opts->cfg;
  if (strcmp(name, "nvrtc-option") == 0) {
    futhark_context_config_add_nvrtc_option(cfg, value);
  } else if (strcmp(name, "dump-cuda") == 0) {
    dump_option(opts, value);
  } else if (strcmp(name, "load-cuda") == 0) {
    futhark_context_config_load_program_from(cfg, value);
  } else if (strcmp(name, "dump-ptx") == 0) {
    futhark_context_config_dump_ptx_to(cfg, value);
    opts->setup_only = true;
  } else if (strcmp(name, "load-ptx") == 0) {
    futhark_context_config_load_ptx_from(cfg, value);
  } else if (strcmp(name, "launch-alone") == 0) {
    cfg->device.launch_alone = true;
  }
}

// End of apply.h.
