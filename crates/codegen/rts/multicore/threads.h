// Start of threads.h: threads that look for work, and sleep when there is none.
//
// Who makes work, or ends a job, first changes what others look at and then
// looks whether somebody sleeps; who goes to sleep first says so and then looks
// again. One of the two sees the other. All of this is in one order for
// all threads, hence the strongest kind of atomic access.

// What parallel work costs, in nanoseconds. Half of a range is worth giving away if the range takes at least
// so long and somebody looks for work: who takes it needs some microseconds to get there. Tests of the
// runtime set it to 0.
#ifndef WORTH_SHARING
#define WORTH_SHARING 20000
#endif
// The same if all others sleep: to wake one takes some microseconds here, and many until it runs.
#ifndef WORTH_WAKING
#define WORTH_WAKING (3 * WORTH_SHARING)
#endif
// How long a worker without work looks for some before it sleeps, if every worker has a core.
#define PATIENCE 100000
// How long a worker works before it looks whether others have nothing to do.
#ifndef PIECE_TIME
#define PIECE_TIME 20000
#endif
// How many ranges of others a worker takes while waiting for its own, one inside the other.
#define MOST_DEPTH 16

RTS_FUN int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

RTS_FUN struct worker *worker_of(struct futhark_context *ctx) {
  struct worker *w = this_worker;
  return w != NULL ? w : &ctx->scheduler.workers[0];
}

static UNUSED struct memory *worker_memory(struct futhark_context *ctx) {
  struct worker *w = this_worker;
  return w != NULL ? &w->memory : &ctx->memory;
}

static UNUSED const char *worker_stack_start(const struct futhark_context *ctx) {
  struct worker *w = this_worker;
  return w != NULL ? w->stack_start : ctx->stack_start;
}

static UNUSED size_t worker_stack_room(const struct futhark_context *ctx) {
  struct worker *w = this_worker;
  return w != NULL ? w->stack_room : ctx->stack_room;
}

static UNUSED COLD void worker_error(struct futhark_context *ctx, char *text) {
  struct scheduler *s = &ctx->scheduler;
  pthread_mutex_lock(&s->error_lock);
  if (s->failed) {
    free(text);
  } else {
    free(ctx->error);
    ctx->error = text;
    s->failed = true;
  }
  pthread_mutex_unlock(&s->error_lock);
}

RTS_FUN void worker_wake(struct worker *w) {
  pthread_mutex_lock(&w->sleep_lock);
  __atomic_store_n(&w->sleep, AWAKE, __ATOMIC_SEQ_CST);
  pthread_cond_signal(&w->woken);
  pthread_mutex_unlock(&w->sleep_lock);
}

// Wakes a worker that sleeps for want of work, if there is one.
CALLED_FUN void wake_somebody(struct scheduler *s) {
  for (int i = 0; i < s->num_workers; i++) {
    struct worker *w = &s->workers[i];
    int asleep = ASLEEP;
    // Only one waker gets it.
    if (__atomic_load_n(&w->sleep, __ATOMIC_SEQ_CST) == ASLEEP &&
        __atomic_compare_exchange_n(&w->sleep, &asleep, AWAKE, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      worker_wake(w);
      return;
    }
  }
}

// Whether there is a range to take.
RTS_FUN bool has_work(struct scheduler *s) {
  for (int i = 0; i < s->num_workers; i++) {
    if (__atomic_load_n(&s->workers[i].count, __ATOMIC_SEQ_CST) > 0) {
      return true;
    }
  }
  return false;
}

// Puts a range where others can take it; false if there is no room.
CALLED_FUN bool offer(struct worker *w, struct range range) {
  pthread_mutex_lock(&w->lock);
  int count = w->count;
  bool room = count < MOST_RANGES;
  if (room) {
    w->ranges[count] = range;
    __atomic_fetch_add(&range.job->pending, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&w->count, count + 1, __ATOMIC_SEQ_CST);
  }
  pthread_mutex_unlock(&w->lock);
  struct scheduler *s = &w->ctx->scheduler;
  // Who looks for work finds it.
  if (room && __atomic_load_n(&s->looking, __ATOMIC_SEQ_CST) == 0) {
    wake_somebody(s);
  }
  return room;
}

// Takes back the range that was put there last, if it is one of the job.
RTS_FUN bool take_back(struct worker *w, struct job *job, struct range *range) {
  if (__atomic_load_n(&w->count, __ATOMIC_SEQ_CST) == 0) {
    return false;
  }
  pthread_mutex_lock(&w->lock);
  int count = w->count;
  bool found = count > 0 && w->ranges[count - 1].job == job;
  if (found) {
    *range = w->ranges[count - 1];
    __atomic_store_n(&w->count, count - 1, __ATOMIC_SEQ_CST);
  }
  pthread_mutex_unlock(&w->lock);
  return found;
}

// Takes the oldest range of another worker, which is a large one.
CALLED_FUN bool take_from(struct worker *victim, struct range *range) {
  if (__atomic_load_n(&victim->count, __ATOMIC_SEQ_CST) == 0) {
    return false;
  }
  pthread_mutex_lock(&victim->lock);
  int count = victim->count;
  if (count > 0) {
    *range = victim->ranges[0];
    for (int i = 1; i < count; i++) {
      victim->ranges[i - 1] = victim->ranges[i];
    }
    __atomic_store_n(&victim->count, count - 1, __ATOMIC_SEQ_CST);
  }
  pthread_mutex_unlock(&victim->lock);
  return count > 0;
}

RTS_FUN bool take_any(struct worker *w, struct range *range) {
  struct scheduler *s = &w->ctx->scheduler;
  w->random = w->random * 1664525 + 1013904223;
  int first = (int)((w->random >> 8) % (uint32_t)s->num_workers);
  for (int i = 0; i < s->num_workers; i++) {
    if (take_from(&s->workers[(first + i) % s->num_workers], range)) {
      return true;
    }
  }
  return false;
}

RTS_FUN bool is_done(struct job *job) {
  return job != NULL && __atomic_load_n(&job->pending, __ATOMIC_SEQ_CST) == 0;
}

// Sleeps until there may be something to do.
CALLED_FUN void worker_sleep(struct worker *w, struct job *job, enum sleep kind) {
  struct scheduler *s = &w->ctx->scheduler;
  pthread_mutex_lock(&w->sleep_lock);
  __atomic_store_n(&w->sleep, kind, __ATOMIC_SEQ_CST);
  if (is_done(job) || (kind == ASLEEP && has_work(s)) || __atomic_load_n(&s->stop, __ATOMIC_SEQ_CST)) {
    __atomic_store_n(&w->sleep, AWAKE, __ATOMIC_SEQ_CST);
  }
  while (__atomic_load_n(&w->sleep, __ATOMIC_SEQ_CST) != AWAKE) {
    pthread_cond_wait(&w->woken, &w->sleep_lock);
  }
  pthread_mutex_unlock(&w->sleep_lock);
}

// Looks for work until there is some (true), or the job is done, or all is
// over. The worker counts as idle meanwhile.
CALLED_FUN bool find_work(struct worker *w, struct job *job, struct range *range) {
  struct scheduler *s = &w->ctx->scheduler;
  bool found = false;
  __atomic_fetch_add(&s->idle, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&s->looking, 1, __ATOMIC_SEQ_CST);
  int64_t since = 0;
  while (!is_done(job) && !__atomic_load_n(&s->stop, __ATOMIC_SEQ_CST)) {
    found = take_any(w, range);
    if (found) {
      break;
    }
    int64_t now = s->patience == 0 ? 0 : nanoseconds();
    since = since == 0 ? now : since;
    if (now - since >= s->patience) {
      __atomic_fetch_sub(&s->looking, 1, __ATOMIC_SEQ_CST);
      worker_sleep(w, job, ASLEEP);
      __atomic_fetch_add(&s->looking, 1, __ATOMIC_SEQ_CST);
      since = 0;
    } else {
      sched_yield();
    }
  }
  __atomic_fetch_sub(&s->idle, 1, __ATOMIC_SEQ_CST);
  // Who offered something meanwhile may have relied on this worker.
  if (__atomic_fetch_sub(&s->looking, 1, __ATOMIC_SEQ_CST) == 1 && has_work(s)) {
    wake_somebody(s);
  }
  return found;
}

static void run_range(struct worker *w, struct range range);

static UNUSED void *worker_main(void *arg) {
  struct worker *w = arg;
  struct range range;
  this_worker = w;
  w->stack_start = (const char *)&range;
  // It was counted as idle before it was there.
  __atomic_fetch_sub(&w->ctx->scheduler.idle, 1, __ATOMIC_SEQ_CST);
  while (find_work(w, NULL, &range)) {
    run_range(w, range);
  }
  return NULL;
}

// Starts the threads. Called by the first worker, before it shares anything.
CALLED_FUN void start_threads(struct futhark_context *ctx) {
  struct scheduler *s = &ctx->scheduler;
  s->started = 1;
  for (int i = 1; i < s->num_workers; i++) {
    struct worker *w = &s->workers[i];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    w->stack_room = usual_stack_room();
#if HAS_RECURSION
    for (size_t size = (size_t)1 << 28; size > (size_t)1 << 23; size /= 2) {
      if (pthread_attr_setstacksize(&attr, size) == 0) {
        w->stack_room = size - size / 8;
        break;
      }
    }
#endif
    w->running = pthread_create(&w->thread, &attr, worker_main, w) == 0;
    pthread_attr_destroy(&attr);
    if (!w->running) {
      __atomic_fetch_sub(&s->idle, 1, __ATOMIC_SEQ_CST);
    }
  }
}

// End of threads.h.
