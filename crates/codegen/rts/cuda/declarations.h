void futhark_context_config_add_nvrtc_option(struct futhark_context_config *cfg, const char *opt);
void futhark_context_config_dump_ptx_to(struct futhark_context_config *cfg, const char *path);
void futhark_context_config_load_ptx_from(struct futhark_context_config *cfg, const char *path);
