// Start of calls.h: back ends that have but the host do everything before a call returns.

static int backend_sync(struct futhark_context *ctx) {
  (void)ctx;
  return FUTHARK_SUCCESS;
}

static UNUSED int backend_end_call(struct futhark_context *ctx, int err) {
  (void)ctx;
  return err;
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
                  ",\"provenance\":\"\",\"details\":{\"calls\":%" PRId64 "}}",
                  ctx->call_time, ctx->calls);
  }
}

static void backend_forget(struct futhark_context *ctx) {
  (void)ctx;
}

// End of calls.h.
