// Start of host.h: what contexts do for a back end that has but the host.

static void backend_config_create(struct futhark_context_config *cfg) {
  (void)cfg;
}

static void backend_config_destroy(struct futhark_context_config *cfg) {
  (void)cfg;
}

static int backend_open(struct futhark_context *ctx) {
  params_settle(ctx);
  return FUTHARK_SUCCESS;
}

static void backend_close(struct futhark_context *ctx) {
  (void)ctx;
}

static void backend_enter(struct futhark_context *ctx) {
  (void)ctx;
}

static void backend_leave(struct futhark_context *ctx) {
  (void)ctx;
}

// End of host.h.
