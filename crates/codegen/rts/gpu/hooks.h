// Start of hooks.h: what contexts do for a back end with a device.

static void backend_config_create(struct futhark_context_config *cfg) {
  cfg->device.unified_memory = 2;
  cfg->device.threshold = PARAM_UNSET;
}

static void backend_config_destroy(struct futhark_context_config *cfg) {
  struct device_config *d = &cfg->device;
  for (int i = 0; i < d->num_build_options; i++) {
    free(d->build_options[i]);
  }
  free(d->build_options);
  free(d->device);
  free(d->platform);
  free(d->program);
  free(d->dump_program);
  free(d->load_program);
  free(d->dump_binary);
  free(d->load_binary);
}

static int backend_open(struct futhark_context *ctx) {
  ctx->memory.ctx = ctx;
  int err = api_open(ctx);
  if (err == FUTHARK_SUCCESS && ctx->logging) {
    const struct device_limits *limits = &ctx->device.limits;
    fprintf(ctx->log, "Using device %s: %" PRId64 " threads at a time, thread blocks of at most %" PRId64
            ", %" PRId64 " bytes of shared memory.\n",
            limits->name, limits->threads, limits->block_size, limits->shared_memory);
  }
  if (err == FUTHARK_SUCCESS) {
    params_settle(ctx);
    err = api_build(ctx);
  }
  return err;
}

static void backend_close(struct futhark_context *ctx) {
  api_enter(ctx);
  events_clear(ctx);
  api_leave(ctx);
  free(ctx->device.events);
  api_close(ctx);
}

static void backend_enter(struct futhark_context *ctx) {
  api_enter(ctx);
}

static void backend_leave(struct futhark_context *ctx) {
  api_leave(ctx);
}

static int backend_sync(struct futhark_context *ctx) {
  int err = api_wait(ctx);
  return err == FUTHARK_SUCCESS ? check_failure(ctx) : err;
}

// If the host finds a mistake while kernels run that may find one too, theirs comes first in the program. It is also not
// left to be found by the next call. A device that does not work is not asked. What the user does to arrays meanwhile, nobody sees.
static UNUSED int backend_end_call(struct futhark_context *ctx, int err) {
  memory_unsee(&ctx->memory);
  if (err == FUTHARK_SUCCESS) {
    return api_send(ctx);
  }
  if (err == DEVICE_ERROR || !ctx->device.may_have_failed) {
    return err;
  }
  int before = backend_sync(ctx);
  return before == FUTHARK_SUCCESS ? err : before;
}

// Classes of parameters may have something after their name.
RTS_FUN bool is_class(const char *class, const char *name) {
  size_t n = strlen(name);
  return strncmp(class, name, n) == 0 && (class[n] == '\0' || class[n] == ' ' || class[n] == '(');
}

RTS_FUN int64_t first_given(int64_t a, int64_t b, int64_t c) {
  return a > 0 ? a : b > 0 ? b : c;
}

static int64_t backend_param_default(struct futhark_context *ctx, int param) {
  const struct device_config *d = &ctx->cfg->device;
  const struct device_limits *limits = &ctx->device.limits;
  const char *class = param_classes[param];
  int64_t own = param_defaults[param];
  if (is_class(class, "thread_block_size")) {
    // Operations that like large blocks have up to 64 bytes of shared memory for each of 1024 threads, and some for all of them.
    bool is_small = limits->shared_memory < 72 * 1024;
    int64_t size = first_given(d->thread_block_size, is_small && own > 256 ? 256 : own, 256);
    return size < limits->block_size ? size : limits->block_size;
  }
  if (is_class(class, "grid_size")) {
    return first_given(d->grid_size, own, limits->threads / 256 > 0 ? limits->threads / 256 : 1);
  }
  if (is_class(class, "tile_size")) {
    return first_given(d->tile_size, own, 16);
  }
  if (is_class(class, "reg_tile_size")) {
    return first_given(d->reg_tile_size, own, 4);
  }
  if (is_class(class, "threshold")) {
    return d->threshold >= 0 ? d->threshold : first_given(0, own, 32768);
  }
  if (is_class(class, "shared_memory")) {
    return first_given(d->shared_memory, own, limits->shared_memory);
  }
  return own;
}

// The largest value that makes sense for a class of parameters.
CALLED_FUN int64_t size_max(struct futhark_context *ctx, const char *class) {
  const struct device_limits *limits = &ctx->device.limits;
  if (is_class(class, "thread_block_size")) {
    return limits->block_size;
  }
  if (is_class(class, "grid_size")) {
    return limits->grid_size;
  }
  if (is_class(class, "shared_memory")) {
    return limits->shared_memory;
  }
  // Arrays that outlive a kernel are there at the same time, so that those of its threads must not take all.
  if (is_class(class, "thread_memory")) {
    return limits->memory > 0 ? limits->memory / 4 : INT64_MAX;
  }
  if (is_class(class, "tile_size")) {
    int64_t tile = 1;
    while ((tile + 1) * (tile + 1) <= limits->block_size) {
      tile++;
    }
    return tile;
  }
  if (is_class(class, "reg_tile_size")) {
    return 16;
  }
  return INT64_MAX;
}

// Sizes are at least 1, and blocks are whole warps that fit shared memory.
static int64_t backend_param_allowed(struct futhark_context *ctx, int param, int64_t value) {
  const char *class = param_classes[param];
  int64_t most = size_max(ctx, class), warp = ctx->device.limits.warp, bytes = param_thread_bytes[param];
  if (bytes > 0) {
    int64_t fitting = ctx->device.limits.shared_memory / bytes / warp * warp;
    most = fitting < most ? fitting : most;
  }
  int64_t allowed = value < most ? value : most;
  bool block = is_class(class, "thread_block_size");
  bool size = block || is_class(class, "grid_size") || is_class(class, "tile_size") || is_class(class, "reg_tile_size");
  if (size && allowed < 1) {
    allowed = 1;
  }
  if (block) {
    allowed = (allowed + warp - 1) / warp * warp;
  }
  if (allowed != value && ctx->logging) {
    fprintf(ctx->log, "The parameter %s cannot be %" PRId64 " on this device; it is %" PRId64 ".\n",
            param_names[param], value, allowed);
  }
  return allowed;
}

// The block of an argument, counted once more. Kernels read and copy up to so many bytes at a time, at multiples of them
// from where a block begins. Memory that the user has given may begin anywhere: the call then works on a copy of what is in
// it when the call begins.
#define READ_ALIGNMENT 16

CALLED_FUN struct block *block_argument(struct futhark_context *ctx, struct block *b, int *err) {
  bool aligned = true;
  int asked = FUTHARK_SUCCESS;
  if (b != NULL && b->foreign && b->size > 0) {
    asked = api_is_aligned(ctx, b->mem, READ_ALIGNMENT, &aligned);
  }
  if (asked == FUTHARK_SUCCESS && aligned) {
    return block_share(ctx, NULL, b);
  }
  struct block *copy = NULL;
  if (asked == FUTHARK_SUCCESS) {
    copy = block_alloc(ctx, NULL, b->size, NO_PLACE);
    asked = copy == NULL ? FUTHARK_OUT_OF_MEMORY : block_copy(ctx, copy, 0, b, 0, b->size);
  }
  *err = *err == FUTHARK_SUCCESS ? asked : *err;
  return copy;
}

// Constant data of the program.

struct static_data {
  const void *data;
  int64_t bytes;
};

TOOL_FUN int statics_create(struct futhark_context *ctx, const struct static_data *statics, int n) {
  struct device *d = &ctx->device;
  d->statics = calloc((size_t)n + 1, sizeof(struct block *));
  int err = d->statics == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
  for (int i = 0; i < n && err == FUTHARK_SUCCESS; i++) {
    struct block *b = memory_take(&ctx->memory, statics[i].bytes);
    if (b == NULL) {
      if (!MEMORY_FAILED(ctx)) {
        set_error(ctx, "Error: out of memory: cannot put the program's constants on the device.\n");
      }
      return FUTHARK_OUT_OF_MEMORY;
    }
    b->constant = true;
    d->statics[i] = b;
    d->num_statics = i + 1;
    err = block_write(ctx, b, 0, statics[i].data, statics[i].bytes);
  }
  return err;
}

TOOL_FUN void statics_destroy(struct futhark_context *ctx) {
  for (int i = 0; i < ctx->device.num_statics; i++) {
    memory_give(&ctx->memory, ctx->device.statics[i]);
  }
  free(ctx->device.statics);
}

// End of hooks.h.
