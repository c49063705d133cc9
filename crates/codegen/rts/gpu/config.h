// Start of config.h: the part of the configuration that is about devices.

TOOL_FUN void config_string(struct futhark_context_config *cfg, char **place, const char *text) {
  char *copy = text == NULL ? NULL : string_copy(text);
  cfg->lost = cfg->lost || (text != NULL && copy == NULL);
  free(*place);
  *place = copy;
}

TOOL_FUN void config_build_option(struct futhark_context_config *cfg, const char *option) {
  struct device_config *d = &cfg->device;
  char **options = realloc(d->build_options, (size_t)(d->num_build_options + 1) * sizeof(char *));
  char *copy = string_copy(option);
  if (options != NULL) {
    d->build_options = options;
  }
  if (options == NULL || copy == NULL) {
    free(copy);
    cfg->lost = true;
    return;
  }
  d->build_options[d->num_build_options++] = copy;
}

void futhark_context_config_set_device(struct futhark_context_config *cfg, const char *s) {
  config_string(cfg, &cfg->device.device, s);
}

void futhark_context_config_set_unified_memory(struct futhark_context_config *cfg, int flag) {
  cfg->device.unified_memory = flag;
}

void futhark_context_config_set_default_thread_block_size(struct futhark_context_config *cfg, int size) {
  cfg->device.thread_block_size = size;
}

void futhark_context_config_set_default_group_size(struct futhark_context_config *cfg, int size) {
  cfg->device.thread_block_size = size;
}

void futhark_context_config_set_default_grid_size(struct futhark_context_config *cfg, int num) {
  cfg->device.grid_size = num;
}

void futhark_context_config_set_default_num_groups(struct futhark_context_config *cfg, int num) {
  cfg->device.grid_size = num;
}

void futhark_context_config_set_default_tile_size(struct futhark_context_config *cfg, int num) {
  cfg->device.tile_size = num;
}

void futhark_context_config_set_default_reg_tile_size(struct futhark_context_config *cfg, int num) {
  cfg->device.reg_tile_size = num;
}

void futhark_context_config_set_default_threshold(struct futhark_context_config *cfg, int num) {
  cfg->device.threshold = num;
}

const char *futhark_context_config_get_program(struct futhark_context_config *cfg) {
  if (cfg->device.program == NULL) {
    cfg->device.program = program_text(cfg);
  }
  return cfg->device.program;
}

void futhark_context_config_set_program(struct futhark_context_config *cfg, const char *program) {
  config_string(cfg, &cfg->device.program, program);
}

void futhark_context_config_dump_program_to(struct futhark_context_config *cfg, const char *path) {
  config_string(cfg, &cfg->device.dump_program, path);
}

void futhark_context_config_load_program_from(struct futhark_context_config *cfg, const char *path) {
  config_string(cfg, &cfg->device.load_program, path);
}

// End of config.h.
