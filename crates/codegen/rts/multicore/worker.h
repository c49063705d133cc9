// Start of worker.h: what a context has for running on several cores.
//
// A context has workers: the thread that calls the interface is the first, the
// others are threads of the context's own. Work is a job: iterations of one
// operation. A range of a job's iterations is with one worker; when others have
// nothing to do, the worker puts half of what is left of its range where they
// can take it. So as long as everybody is busy, nothing is split.

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

struct worker;
struct futhark_context;

// A function that runs a range of iterations, or a numbered chunk of them.
typedef int (*task_fun)(struct futhark_context *ctx, void *env, int64_t start, int64_t end, int64_t chunk);

// What is known of an operation in the program text: picoseconds for an
// iteration, 0 before it has run; and how often it ran without a look at the clock.
struct site {
  int64_t cost, unseen;
};

struct job {
  struct futhark_context *ctx;
  task_fun fun;
  void *env;
  struct site *site;
  // Iterations, and how many chunks of them; 0 if there are none, but ranges.
  int64_t bound, chunks;
  // How many iterations to do at a time, at least.
  int64_t least;
  // Whose job it is.
  struct worker *owner;
  // Ranges that are not done.
  int64_t pending;
  int err;
};

// Iterations of a job, or chunks.
struct range {
  struct job *job;
  int64_t start, end;
};

#define MOST_RANGES 32

enum sleep {
  AWAKE,
  // Until there is work.
  ASLEEP,
  // Until a job is done.
  WAITING,
};

struct worker {
  struct futhark_context *ctx;
  int number;
  bool running;
  pthread_t thread;
  uint32_t random;
  // How many ranges of others it has taken while waiting for its own.
  int depth;
  const char *stack_start;
  size_t stack_room;
  // Of all but the first worker, which uses the context's.
  struct memory memory;
  // Ranges that others may take, the oldest first.
  pthread_mutex_t lock;
  struct range ranges[MOST_RANGES];
  int count;
  pthread_mutex_t sleep_lock;
  pthread_cond_t woken;
  int sleep;
};

struct scheduler {
  int num_workers;
  struct worker *workers;
  // Whether the threads are there, and whether they should end.
  int started, stop;
  // How long to look for work before sleeping, in nanoseconds.
  int64_t patience;
  // The first error of a call stays.
  pthread_mutex_t error_lock;
  bool failed;
  // How many workers have nothing to do, and how many of these look for work rather than sleep. They change
  // often: what is read all the time is in other cache lines.
  char before[128];
  int idle, looking;
  char after[128];
};

#define BACKEND_FIELDS struct scheduler scheduler;
#define BACKEND_CONFIG_FIELDS int num_threads;

// Which worker runs a thread; none for threads that are not ours.
static _Thread_local struct worker *this_worker;

static void worker_error(struct futhark_context *ctx, char *text);
#define BACKEND_ERROR(ctx, text) worker_error(ctx, text)

static const char *worker_stack_start(const struct futhark_context *ctx);
static size_t worker_stack_room(const struct futhark_context *ctx);
#define STACK_START(ctx) worker_stack_start(ctx)
#define STACK_ROOM(ctx) worker_stack_room(ctx)

// Blocks are counted by several threads. Who has the only reference needs no
// indivisible step: nobody else can make another.
static struct memory *worker_memory(struct futhark_context *ctx);
#define MEMORY_OF(ctx) worker_memory(ctx)

RTS_FUN void refs_add(struct block *b) {
  if (__atomic_load_n(&b->refs, __ATOMIC_RELAXED) != STATIC_BLOCK) {
    __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);
  }
}

RTS_FUN bool refs_drop(struct block *b) {
  int64_t refs = __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE);
  return refs == 1 || (refs != STATIC_BLOCK && __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) == 0);
}

#define REFS_ADD(b) refs_add(b)
#define REFS_DROP(b) refs_drop(b)

// End of worker.h.
