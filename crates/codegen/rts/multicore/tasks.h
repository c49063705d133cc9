// Start of tasks.h: parallel operations.

// Looks at the clock only now and then where the work is less than this, in nanoseconds.
#define NOT_WORTH_A_LOOK (WORTH_SHARING / 30)
#define SELDOM 16

// By `--deterministic`, work is divided as if there were so many workers, into chunks of so many iterations at least:
// neither how many threads there are nor what they measure has an influence on sums.
#ifdef DETERMINISTIC
#define IN_FIXED_CHUNKS true
#else
#define IN_FIXED_CHUNKS false
#endif
#define FIXED_WORKERS 32
#define FIXED_CHUNK 1024

// For how many workers the program divides its work.
RTS_FUN int64_t par_workers(struct futhark_context *ctx) {
  return IN_FIXED_CHUNKS ? FIXED_WORKERS : ctx->scheduler.num_workers;
}

RTS_FUN int64_t site_cost(struct site *site) {
  return __atomic_load_n(&site->cost, __ATOMIC_RELAXED);
}

// How long so many iterations will take, in nanoseconds.
RTS_FUN int64_t site_time(struct site *site, int64_t iterations) {
  double time = (double)site_cost(site) * (double)iterations / 1000;
  return time < 1e18 ? (int64_t)time : (int64_t)1e18;
}

// Remembers how long iterations took. Other programs may have had the core
// meanwhile, so a longer time counts less than a shorter one. Who remembers nearly the same already need not
// write what all workers read.
RTS_FUN void site_learn(struct site *site, int64_t iterations, int64_t time) {
  int64_t cost = iterations > 0 ? (int64_t)((double)time * 1000 / (double)iterations) + 1 : 0;
  int64_t old = site_cost(site);
  if (cost > 0) {
    int64_t new = old == 0 || cost < old ? cost : old + (cost - old) / 4;
    if (new < old - old / 16 || new > old + old / 16) {
      __atomic_store_n(&site->cost, new, __ATOMIC_RELAXED);
    }
  }
}

// Runs one piece of a range: iterations, or one chunk.
RTS_FUN int run_piece(struct job *job, int64_t start, int64_t end) {
  int64_t chunk = start, iterations;
  if (job->chunks > 0) {
    start = chunk * job->bound / job->chunks;
    end = (chunk + 1) * job->bound / job->chunks;
  }
  iterations = end - start;
  int64_t before = nanoseconds();
  int err = job->fun(job->ctx, job->env, start, end, chunk);
  site_learn(job->site, iterations, nanoseconds() - before);
  return err;
}

// How many iterations (or chunks) to do before looking around.
RTS_FUN int64_t piece_size(struct job *job, int64_t last) {
  if (job->chunks > 0) {
    return 1;
  }
  int64_t cost = site_cost(job->site);
  if (cost == 0) {
    return job->least;
  }
  double size = (double)PIECE_TIME * 1000 / (double)cost;
  // A wrong guess must not be a very wrong one.
  int64_t most = last < INT64_MAX / 8 ? 8 * last : INT64_MAX;
  int64_t piece = size > (double)most ? most : (int64_t)size;
  return piece < job->least ? job->least : piece;
}

// How long work must take for others to get a part of it.
RTS_FUN int64_t least_time(struct scheduler *s) {
  return __atomic_load_n(&s->looking, __ATOMIC_RELAXED) > 0 ? WORTH_SHARING : WORTH_WAKING;
}

RTS_FUN bool worth_sharing(struct job *job, int64_t start, int64_t end) {
  if (end - start < 2 * job->least) {
    return false;
  }
  return job->chunks > 0 || site_time(job->site, end - start) >= least_time(&job->ctx->scheduler);
}

// Runs a range, and gives parts of it to others while they have nothing to do.
static void run_range(struct worker *w, struct range range) {
  struct job *job = range.job;
  struct scheduler *s = &w->ctx->scheduler;
  int64_t start = range.start, end = range.end;
  // Trust what is known of the operation, or begin small.
  int64_t piece = site_cost(job->site) != 0 ? INT64_MAX : 1;
  while (start < end && __atomic_load_n(&job->err, __ATOMIC_RELAXED) == FUTHARK_SUCCESS) {
    int idle = __atomic_load_n(&s->idle, __ATOMIC_RELAXED);
    while (idle > 0 && worth_sharing(job, start, end) &&
           __atomic_load_n(&w->count, __ATOMIC_RELAXED) < (idle < 2 ? 1 : 2)) {
      if (!s->started) {
        start_threads(w->ctx);
      }
      int64_t middle = start + (end - start + 1) / 2;
      if (!offer(w, (struct range){job, middle, end})) {
        break;
      }
      end = middle;
    }
    piece = piece_size(job, piece);
    int64_t stop = end - start <= piece ? end : start + piece;
    int err = run_piece(job, start, stop);
    if (err != FUTHARK_SUCCESS) {
      int none = FUTHARK_SUCCESS;
      __atomic_compare_exchange_n(&job->err, &none, err, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    start = stop;
  }
  // The job is gone once its owner sees that nothing is left.
  struct worker *owner = job->owner;
  if (__atomic_sub_fetch(&job->pending, 1, __ATOMIC_SEQ_CST) == 0 &&
      __atomic_load_n(&owner->sleep, __ATOMIC_SEQ_CST) != AWAKE) {
    worker_wake(owner);
  }
}

// Runs a job of so many iterations or chunks, until all is done.
CALLED_FUN int run_job(struct job *job, int64_t count) {
  struct worker *w = worker_of(job->ctx);
  struct range range = {job, 0, count};
  job->owner = w;
  job->pending = 1;
  job->err = FUTHARK_SUCCESS;
  run_range(w, range);
  while (!is_done(job)) {
    if (take_back(w, job, &range)) {
      run_range(w, range);
    } else if (w->depth >= MOST_DEPTH) {
      worker_sleep(w, job, WAITING);
    } else if (find_work(w, job, &range)) {
      w->depth++;
      run_range(w, range);
      w->depth--;
    }
  }
  return __atomic_load_n(&job->err, __ATOMIC_RELAXED);
}

// Whether to run something small without a look at the clock.
RTS_FUN bool runs_unseen(struct site *site, int64_t bound) {
  if (site_cost(site) == 0 || site_time(site, bound) >= NOT_WORTH_A_LOOK) {
    return false;
  }
  int64_t unseen = __atomic_load_n(&site->unseen, __ATOMIC_RELAXED) + 1;
  __atomic_store_n(&site->unseen, unseen % SELDOM, __ATOMIC_RELAXED);
  return unseen % SELDOM != 0;
}

// Iterations in any order. Ranges should have at least so many, if there are
// enough for all workers.
RTS_FUN int par_for(struct futhark_context *ctx, struct site *site, task_fun fun, void *env, int64_t bound,
                    int64_t least) {
  if (bound <= 0) {
    return FUTHARK_SUCCESS;
  }
  if (ctx->scheduler.num_workers == 1 || runs_unseen(site, bound)) {
    return fun(ctx, env, 0, bound, 0);
  }
  int64_t share = bound / (2 * ctx->scheduler.num_workers);
  least = least <= share ? least : share > 0 ? share : 1;
  struct job job = {.ctx = ctx, .fun = fun, .env = env, .site = site, .bound = bound, .least = least};
  return run_job(&job, bound);
}

// How many chunks to make of iterations.
RTS_FUN int64_t par_count(struct futhark_context *ctx, struct site *site, int64_t bound, int64_t most) {
  if (IN_FIXED_CHUNKS) {
    int64_t count = bound / FIXED_CHUNK;
    return count < 1 ? 1 : count < most ? count : most;
  }
  if (ctx->scheduler.num_workers == 1 || bound < 2) {
    return 1;
  }
  int64_t count = most < bound ? most : bound;
  if (site_cost(site) != 0) {
    int64_t time = site_time(site, bound);
    int64_t useful = time < least_time(&ctx->scheduler) ? 1 : 2 * time / (WORTH_SHARING + 1);
    useful = useful < 1 ? 1 : useful;
    count = useful < count ? useful : count;
  }
  return count;
}

// All chunks, in any order.
RTS_FUN int par_chunks(struct futhark_context *ctx, struct site *site, task_fun fun, void *env, int64_t bound,
                       int64_t chunks) {
  if (chunks == 1 && (ctx->scheduler.num_workers == 1 || runs_unseen(site, bound))) {
    return fun(ctx, env, 0, bound, 0);
  }
  struct job job = {.ctx = ctx, .fun = fun, .env = env, .site = site, .bound = bound, .chunks = chunks, .least = 1};
  return run_job(&job, chunks);
}

// Large copies are parallel operations as well, see copies.h.
struct copy_dim;
static bool copy_in_parts(struct futhark_context *ctx, void (*fun)(void *, const struct copy_dim *, const void *, int),
                          void *dst, const struct copy_dim *dims, const void *src, int rank, int64_t width);
#define COPY_IN_PARTS copy_in_parts

// End of tasks.h.
