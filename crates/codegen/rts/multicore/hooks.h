// Start of hooks.h: what contexts do for the multicore back end.

static void backend_config_create(struct futhark_context_config *cfg) {
  cfg->num_threads = 0;
}

static void backend_config_destroy(struct futhark_context_config *cfg) {
  (void)cfg;
}

void futhark_context_config_set_num_threads(struct futhark_context_config *cfg, int n) {
  cfg->num_threads = n;
}

// The cores that this process may use.
TOOL_FUN int usable_cores(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
    return CPU_COUNT(&set);
  }
#endif
#ifdef _WIN32
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  long cores = (long)info.dwNumberOfProcessors;
#else
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return cores < 1 ? 1 : (int)cores;
}

static int backend_open(struct futhark_context *ctx) {
  params_settle(ctx);
  struct scheduler *s = &ctx->scheduler;
  int cores = usable_cores();
  s->num_workers = ctx->cfg->num_threads < 1 ? cores : ctx->cfg->num_threads;
  s->patience = s->num_workers > cores ? 0 : 50000;
  pthread_mutex_init(&s->error_lock, NULL);
  s->workers = calloc((size_t)s->num_workers, sizeof(struct worker));
  if (s->workers == NULL) {
    s->num_workers = 0;
    set_error(ctx, "Error: out of memory: cannot have so many threads.\n");
    return FUTHARK_OUT_OF_MEMORY;
  }
  s->idle = s->num_workers - 1;
  for (int i = 0; i < s->num_workers; i++) {
    struct worker *w = &s->workers[i];
    w->ctx = ctx;
    w->number = i;
    w->random = (uint32_t)i * 2654435761u + 1;
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->sleep_lock, NULL);
    pthread_cond_init(&w->woken, NULL);
  }
  return FUTHARK_SUCCESS;
}

static void backend_close(struct futhark_context *ctx) {
  struct scheduler *s = &ctx->scheduler;
  __atomic_store_n(&s->stop, 1, __ATOMIC_SEQ_CST);
  for (int i = 1; i < s->num_workers; i++) {
    worker_wake(&s->workers[i]);
  }
  for (int i = 0; i < s->num_workers; i++) {
    struct worker *w = &s->workers[i];
    if (w->running) {
      pthread_join(w->thread, NULL);
    }
  }
  for (int i = 0; i < s->num_workers; i++) {
    struct worker *w = &s->workers[i];
    memory_trim(&w->memory);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->sleep_lock);
    pthread_cond_destroy(&w->woken);
  }
  free(s->workers);
  pthread_mutex_destroy(&s->error_lock);
}

static void backend_enter(struct futhark_context *ctx) {
  ctx->scheduler.failed = false;
}

static void backend_leave(struct futhark_context *ctx) {
  (void)ctx;
}

// End of hooks.h.
