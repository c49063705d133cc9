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

#ifdef __linux__
// A limit of processor time, in cores, that a file of a control group has ("MICROSECONDS PERIOD", or "max
// PERIOD"); none if there is no such file.
TOOL_FUN int group_limit(const char *path) {
  long long quota = 0, period = 0;
  FILE *f = fopen(path, "r");
  if (f == NULL) {
    return INT_MAX;
  }
  bool limited = fscanf(f, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0;
  fclose(f);
  long long cores = limited ? (quota + period - 1) / period : INT_MAX;
  return cores > INT_MAX ? INT_MAX : (int)cores;
}

// The least limit of the control group of this process and those around it.
TOOL_FUN int group_cores(void) {
  char line[1024], path[1100];
  int least = INT_MAX;
  FILE *f = fopen("/proc/self/cgroup", "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::/", 4) != 0) {
      continue;
    }
    char *group = line + 3;
    for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
      *end = '\0';
      snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
      int limit = group_limit(path);
      least = limit < least ? limit : least;
    }
  }
  if (f != NULL) {
    fclose(f);
  }
  return least;
}
#endif

// The cores that this process may use.
TOOL_FUN int usable_cores(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
    int limit = group_cores();
    return limit < CPU_COUNT(&set) ? limit : CPU_COUNT(&set);
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
  s->patience = s->num_workers > cores ? 0 : PATIENCE;
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
