void futhark_context_config_set_platform(struct futhark_context_config *cfg, const char *s);
void futhark_context_config_select_device_interactively(struct futhark_context_config *cfg);
void futhark_context_config_list_devices(struct futhark_context_config *cfg);
void futhark_context_config_set_command_queue(struct futhark_context_config *cfg, struct _cl_command_queue *queue);
struct _cl_command_queue *futhark_context_get_command_queue(struct futhark_context *ctx);
void futhark_context_config_add_build_option(struct futhark_context_config *cfg, const char *opt);
struct _cl_program *futhark_context_get_program(struct futhark_context *ctx);
void futhark_context_config_dump_binary_to(struct futhark_context_config *cfg, const char *path);
void futhark_context_config_load_binary_from(struct futhark_context_config *cfg, const char *path);
