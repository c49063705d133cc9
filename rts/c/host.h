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

// Everything has happened when a function returns.
static int backend_sync(struct futhark_context *ctx) {
  (void)ctx;
  return FUTHARK_SUCCESS;
}

static int64_t backend_param_default(struct futhark_context *ctx, int param) {
  (void)ctx;
  return param_defaults[param];
}

static int64_t backend_param_allowed(struct futhark_context *ctx, int param, int64_t value) {
  (void)ctx, (void)param;
  return value;
}

// Whole calls are all that is seen.
static void backend_report(struct futhark_context *ctx, struct string *events) {
  if (ctx->profiling) {
    string_printf(events,
                  "{\"name\":\"entry points\",\"duration\":%" PRId64
                  ",\"description\":\"%" PRId64 " calls\",\"provenance\":\"\"}",
                  ctx->call_time, ctx->calls);
  }
}

static void backend_forget(struct futhark_context *ctx) {
  (void)ctx;
}

// End of host.h.
