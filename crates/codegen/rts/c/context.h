// Start of context.h: configurations, contexts and their errors.
//
// Before this file come the generated tuning parameters (`NUM_PARAMS`, their
// names, classes and defaults) and `struct globals`, the program's constants.
// Back ends with more than host memory add fields, and do something in the
// hooks below, of which sequential C's are in host.h.

#ifndef BACKEND_FIELDS
#define BACKEND_FIELDS
#define BACKEND_CONFIG_FIELDS
#endif

// Where there are several threads, errors and stacks are theirs.
#ifndef BACKEND_ERROR
#define BACKEND_ERROR(ctx, text) (free((ctx)->error), (void)((ctx)->error = (text)))
#define STACK_START(ctx) ((ctx)->stack_start)
#define STACK_ROOM(ctx) ((ctx)->stack_room)
#endif

// What reports call the memory of arrays.
#ifndef MEMORY_SPACE
#define MEMORY_SPACE "default space"
#endif

#define PARAM_UNSET (-1)

struct futhark_context_config {
  int debugging, profiling, logging;
  char *cache_file;
  // Whether there was no memory for something that was set.
  bool lost;
  // The context that uses it, if there is one by now.
  struct futhark_context *ctx;
  int64_t params[NUM_PARAMS + 1];
  BACKEND_CONFIG_FIELDS
};

struct futhark_context {
  struct futhark_context_config *cfg;
  lock_t lock;
  char *error;
  FILE *log;
  int debugging, profiling, profiling_paused, logging;
  // Where the stack was when an entry point was called, and how far it may go.
  const char *stack_start;
  size_t stack_room;
  // Calls of entry points and the microseconds they took, while profiling.
  int64_t calls, call_time;
  int64_t params[NUM_PARAMS + 1];
  struct memory memory;
  struct globals globals;
  BACKEND_FIELDS
};

// The device is there before the program starts, and until its memory is given
// back. What goes wrong leaves an error.
static void backend_config_create(struct futhark_context_config *cfg);
static void backend_config_destroy(struct futhark_context_config *cfg);
static int backend_open(struct futhark_context *ctx);
static void backend_close(struct futhark_context *ctx);
// Around everything that the interface does.
static void backend_enter(struct futhark_context *ctx);
static void backend_leave(struct futhark_context *ctx);
// Waits until everything has happened, and says how it went.
static int backend_sync(struct futhark_context *ctx);
// Ends a call of the program with this error or success, and says how it went: of a call that failed nothing goes on.
static UNUSED int backend_end_call(struct futhark_context *ctx, int err);
// The value of a parameter that has not been set, and what becomes of one that has.
static int64_t backend_param_default(struct futhark_context *ctx, int param);
static int64_t backend_param_allowed(struct futhark_context *ctx, int param, int64_t value);
// Appends what profiling has seen: objects with commas between them.
static void backend_report(struct futhark_context *ctx, struct string *events);
// Forgets what profiling has seen.
static void backend_forget(struct futhark_context *ctx);

RTS_FUN void enter(struct futhark_context *ctx) {
  lock_take(&ctx->lock);
  backend_enter(ctx);
}

RTS_FUN void leave(struct futhark_context *ctx) {
  backend_leave(ctx);
  lock_release(&ctx->lock);
}

// Gives all parameters their values; part of opening the back end, once it knows its device.
CALLED_FUN void params_settle(struct futhark_context *ctx) {
  for (int i = 0; i < NUM_PARAMS; i++) {
    int64_t given = ctx->cfg->params[i], value = given != PARAM_UNSET ? given : backend_param_default(ctx, i);
    ctx->params[i] = backend_param_allowed(ctx, i, value);
  }
}

RTS_FUN int64_t param_value(struct futhark_context *ctx, int param) {
  return ctx->params[param];
}

// Replaces the error, if there is one already.
TOOL_FUN void set_error(struct futhark_context *ctx, const char *format, ...) PRINTF_LIKE(2, 3);
TOOL_FUN void set_error(struct futhark_context *ctx, const char *format, ...) {
  struct string message = {0};
  va_list args;
  va_start(args, format);
  string_vprintf(&message, format, args);
  va_end(args);
  BACKEND_ERROR(ctx, message.text);
}

// A place of the program, or none; the generated table has its position, and the place that called it.
#define NO_PLACE (-1)
static const char *place_text(int place, int *caller);

// Replaces the error by one at a place of the program.
TOOL_FUN int fail_at(struct futhark_context *ctx, int place, const char *format, ...) PRINTF_LIKE(3, 4);
TOOL_FUN int fail_at(struct futhark_context *ctx, int place, const char *format, ...) {
  struct string message = {0};
  va_list args;
  va_start(args, format);
  string_vprintf(&message, format, args);
  va_end(args);
  string_printf(&message, place == NO_PLACE ? "\n" : "\n\nBacktrace:\n");
  for (int i = 0; place != NO_PLACE; i++) {
    const char *position = place_text(place, &place);
    string_printf(&message, "%s #%-2d %s\n", i == 0 ? "->" : "  ", i, position);
  }
  BACKEND_ERROR(ctx, message.text);
  return FUTHARK_PROGRAM_ERROR;
}

// In functions of the program, which drop what they have behind the label.
#define LEAVE_IF_FAILED                   \
  if (UNLIKELY(err != FUTHARK_SUCCESS)) { \
    goto cleanup;                         \
  }
#define ALLOCATE(mem, bytes, place)                    \
  {                                                    \
    mem = block_alloc(ctx, mem, bytes, place);         \
    err = mem == NULL ? FUTHARK_OUT_OF_MEMORY : err;   \
    LEAVE_IF_FAILED                                    \
  }

// A failed check of the program.
TOOL_FUN int fail(struct futhark_context *ctx, const char *format, ...) PRINTF_LIKE(2, 3);
TOOL_FUN int fail(struct futhark_context *ctx, const char *format, ...) {
  struct string message = {0};
  va_list args;
  va_start(args, format);
  string_vprintf(&message, format, args);
  va_end(args);
  BACKEND_ERROR(ctx, message.text);
  return FUTHARK_PROGRAM_ERROR;
}

// Recursive functions check that there is stack left.
RTS_FUN bool stack_is_full(const struct futhark_context *ctx) {
  char here = 0;
  volatile const char *at = &here;
  return (size_t)llabs((long long)((intptr_t)at - (intptr_t)STACK_START(ctx))) > STACK_ROOM(ctx);
}

TOOL_FUN int fail_stack(struct futhark_context *ctx) {
  return fail(ctx, "Error: the recursion is too deep: the stack is full.\n");
}

RTS_FUN const char *show_bool(bool b) {
  return b ? "true" : "false";
}

// A comparison with a threshold, which tuning tools read in the log.
RTS_FUN bool compare_threshold(struct futhark_context *ctx, int param, int64_t value) {
  bool at_most = param_value(ctx, param) <= value;
  if (ctx->logging) {
    fprintf(ctx->log, "Compared %s <= %" PRId64 ": %s.\n", param_names[param], value, show_bool(at_most));
  }
  return at_most;
}

// The program's own start and end, generated.
static int globals_create(struct futhark_context *ctx);
static void globals_destroy(struct futhark_context *ctx);

struct futhark_context_config *futhark_context_config_new(void) {
  struct futhark_context_config *cfg = calloc(1, sizeof(struct futhark_context_config));
  if (cfg != NULL) {
    for (int i = 0; i < NUM_PARAMS; i++) {
      cfg->params[i] = PARAM_UNSET;
    }
    backend_config_create(cfg);
  }
  return cfg;
}

void futhark_context_config_free(struct futhark_context_config *cfg) {
  if (cfg != NULL) {
    backend_config_destroy(cfg);
    free(cfg->cache_file);
    free(cfg);
  }
}

void futhark_context_config_set_debugging(struct futhark_context_config *cfg, int flag) {
  cfg->debugging = cfg->profiling = cfg->logging = flag;
}

void futhark_context_config_set_profiling(struct futhark_context_config *cfg, int flag) {
  cfg->profiling = flag;
}

void futhark_context_config_set_logging(struct futhark_context_config *cfg, int flag) {
  cfg->logging = flag;
}

void futhark_context_config_set_cache_file(struct futhark_context_config *cfg, const char *f) {
  free(cfg->cache_file);
  cfg->cache_file = f == NULL ? NULL : string_copy(f);
  cfg->lost = cfg->lost || (f != NULL && cfg->cache_file == NULL);
}

// Sizes are part of kernels that exist already; thresholds may change at any time.
int futhark_context_config_set_tuning_param(struct futhark_context_config *cfg, const char *param_name,
                                            size_t new_value) {
  int64_t value = new_value > INT64_MAX ? INT64_MAX : (int64_t)new_value;
  for (int i = 0; i < NUM_PARAMS; i++) {
    if (strcmp(param_name, param_names[i]) == 0) {
      cfg->params[i] = value;
      if (cfg->ctx != NULL && strncmp(param_classes[i], "threshold", 9) == 0) {
        lock_take(&cfg->ctx->lock);
        cfg->ctx->params[i] = value;
        lock_release(&cfg->ctx->lock);
      }
      return FUTHARK_SUCCESS;
    }
  }
  return 1;
}

int futhark_get_tuning_param_count(void) {
  return NUM_PARAMS;
}

const char *futhark_get_tuning_param_name(int i) {
  return i >= 0 && i < NUM_PARAMS ? param_names[i] : NULL;
}

const char *futhark_get_tuning_param_class(int i) {
  return i >= 0 && i < NUM_PARAMS ? param_classes[i] : NULL;
}

struct futhark_context *futhark_context_new(struct futhark_context_config *cfg) {
  struct futhark_context *ctx = calloc(1, sizeof(struct futhark_context));
  if (ctx == NULL) {
    return NULL;
  }
  ctx->cfg = cfg;
  ctx->log = stderr;
  ctx->debugging = cfg->debugging;
  ctx->profiling = cfg->profiling;
  ctx->logging = cfg->logging;
  ctx->stack_room = usual_stack_room();
  lock_create(&ctx->lock);
  // Leaves an error behind if it fails.
  lock_take(&ctx->lock);
  int err = backend_open(ctx);
  if (err == FUTHARK_SUCCESS) {
    backend_enter(ctx);
    err = cfg->lost ? FUTHARK_OUT_OF_MEMORY : globals_create(ctx);
    if (err == FUTHARK_SUCCESS) {
      err = backend_sync(ctx);
    }
    backend_leave(ctx);
  }
  lock_release(&ctx->lock);
  cfg->ctx = ctx;
  if (err != FUTHARK_SUCCESS && ctx->error == NULL) {
    // There is no memory even for a message.
    futhark_context_free(ctx);
    return NULL;
  }
  return ctx;
}

void futhark_context_free(struct futhark_context *ctx) {
  if (ctx == NULL) {
    return;
  }
  enter(ctx);
  globals_destroy(ctx);
  memory_trim(&ctx->memory);
  leave(ctx);
  backend_close(ctx);
  lock_destroy(&ctx->lock);
  if (ctx->cfg->ctx == ctx) {
    ctx->cfg->ctx = NULL;
  }
  free(ctx->error);
  free(ctx);
}

int futhark_context_sync(struct futhark_context *ctx) {
  enter(ctx);
  int err = backend_sync(ctx);
  leave(ctx);
  return err;
}

int futhark_context_clear_caches(struct futhark_context *ctx) {
  enter(ctx);
  memory_trim(&ctx->memory);
  memory_forget(&ctx->memory);
  ctx->calls = ctx->call_time = 0;
  backend_forget(ctx);
  leave(ctx);
  return FUTHARK_SUCCESS;
}

char *futhark_context_get_error(struct futhark_context *ctx) {
  enter(ctx);
  char *error = ctx->error;
  ctx->error = NULL;
  leave(ctx);
  return error;
}

void futhark_context_set_logging_file(struct futhark_context *ctx, FILE *f) {
  ctx->log = f;
}

void futhark_context_pause_profiling(struct futhark_context *ctx) {
  lock_take(&ctx->lock);
  ctx->profiling_paused = 1;
  lock_release(&ctx->lock);
}

void futhark_context_unpause_profiling(struct futhark_context *ctx) {
  lock_take(&ctx->lock);
  ctx->profiling_paused = 0;
  lock_release(&ctx->lock);
}

char *futhark_context_report(struct futhark_context *ctx) {
  struct string report = {0};
  enter(ctx);
  string_printf(&report, "{\"memory\":{\"" MEMORY_SPACE "\": %" PRId64 "},\"events\":[", ctx->memory.peak);
  backend_report(ctx, &report);
  string_printf(&report, "]}");
  leave(ctx);
  return report.text;
}

// End of context.h.
