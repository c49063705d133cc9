// Runs the threads of a block: see block.h.

#include "driver.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_THREADS 1024
#define WARP 32
#define STACK_BYTES ((size_t)1 << 18)
#define MAX_COPIES 64

enum state { READY, IN_WARP, AT_BARRIER, GONE };

struct thread {
  void *stack_pointer;
  enum state state;
  int line;
  // What it waits for.
  enum exchange how;
  void *value;
  int bytes, by;
  struct {
    void *to;
    const void *from;
    int bytes;
  } copies[MAX_COPIES];
  int num_copies;
};

static struct thread threads[MAX_THREADS];
static char *stacks;
static struct thread *running;
static void *host_stack;
static const struct kernel *kernel;
static void **arguments;
static char fault[256];

// Keeps the registers that a call must not change on the stack that is left, and takes those of the other.
void change_stack(void **leave, void *enter);
#if defined(__x86_64__)
__asm__(
    ".text\n.globl change_stack\n.type change_stack, @function\nchange_stack:\n"
    "  push %rbx\n  push %rbp\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbp\n  pop %rbx\n  ret\n"
    ".size change_stack, .-change_stack\n");
#define RETURN_WORD 6
#define FRAME_WORDS 8
#elif defined(__aarch64__)
__asm__(
    ".text\n.globl change_stack\n.type change_stack, %function\nchange_stack:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
    "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
    "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n  ret\n"
    ".size change_stack, .-change_stack\n");
#define RETURN_WORD 11
#define FRAME_WORDS 20
#else
#error "blocks of threads need a way to change stacks on this processor"
#endif

static void wait_for_others(enum state state, int line) {
  struct thread *self = running;
  self->state = state;
  self->line = line;
  change_stack(&self->stack_pointer, host_stack);
}

static void run_kernel(void) {
  kernel->call(arguments);
  wait_for_others(GONE, 0);
  abort();
}

static void barrier(int line) {
  wait_for_others(AT_BARRIER, line);
}

// Whether it held for any thread at the last barrier, and at the one that threads come to.
static int any_now, any_next;

static int barrier_or(int value, int line) {
  any_next |= value;
  wait_for_others(AT_BARRIER, line);
  return any_now;
}

static void exchange(enum exchange how, void *value, int bytes, int by, int line) {
  running->how = how;
  running->value = value;
  running->bytes = bytes;
  running->by = by;
  wait_for_others(IN_WARP, line);
}

static void copy(struct thread *t, int i) {
  memcpy(t->copies[i].to, t->copies[i].from, (size_t)t->copies[i].bytes);
}

// What hardware may do at any time until it is waited for is done as late as it can be.
static void copy_later(void *to, const void *from, int bytes) {
  struct thread *t = running;
  if (t->num_copies == MAX_COPIES) {
    copy(t, 0);
    memmove(&t->copies[0], &t->copies[1], sizeof t->copies - sizeof t->copies[0]);
    t->num_copies--;
  }
  t->copies[t->num_copies].to = to;
  t->copies[t->num_copies].from = from;
  t->copies[t->num_copies++].bytes = bytes;
}

static void await_copies(void) {
  for (int i = 0; i < running->num_copies; i++) {
    copy(running, i);
  }
  running->num_copies = 0;
}

static int bits_set(unsigned long long x) {
  return __builtin_popcountll(x);
}

static int leading_zeros(unsigned long long x) {
  return x == 0 ? 64 : __builtin_clzll(x);
}

static int first_set(unsigned long long x) {
  return __builtin_ffsll((long long)x);
}

static struct machine machine = {.barrier = barrier,
                                      .barrier_or = barrier_or,
                                      .exchange = exchange,
                                      .copy_later = copy_later,
                                      .await_copies = await_copies,
                                      .touch = traffic_touch,
                                      .bits_set = bits_set,
                                      .leading_zeros = leading_zeros,
                                      .first_set = first_set};

static int failed(const char *what, int line, int other) {
  snprintf(fault, sizeof fault, "%s: %s (lines %d and %d of its text, block %u)", kernel->name, what, line, other,
           machine.block.x);
  return 0;
}

const char *last_fault(void) {
  return fault;
}

static void start_thread(struct thread *t, char *stack) {
  void **top = (void **)(stack + STACK_BYTES) - FRAME_WORDS;
  memset(top, 0, FRAME_WORDS * sizeof(void *));
  *(void (**)(void)) & top[RETURN_WORD] = run_kernel;
  t->stack_pointer = top;
  t->state = READY;
  t->num_copies = 0;
}

static void go_on(unsigned int i) {
  running = &threads[i];
  machine.thread = (struct dimensions){i, 0, 0};
  traffic_lane(i);
  change_stack(&host_stack, running->stack_pointer);
}

// All lanes are there: what each gets.
static int exchange_values(struct thread *warp) {
  uint64_t values[WARP][2];
  unsigned int who = 0;
  for (int lane = 0; lane < WARP; lane++) {
    const struct thread *t = &warp[lane];
    if (t->how != warp->how || t->line != warp->line || t->bytes != warp->bytes) {
      return failed("lanes of a warp wait at different places", warp->line, t->line);
    }
    memcpy(values[lane], t->value, (size_t)t->bytes);
    who |= t->how == WHO && *(int *)t->value ? 1u << lane : 0;
  }
  for (int lane = 0; lane < WARP; lane++) {
    struct thread *t = &warp[lane];
    int from = t->how == FROM_BEFORE ? lane - t->by : t->how == FROM_AFTER ? lane + t->by : t->by % WARP;
    if (t->how == HERE) {
      *(unsigned int *)t->value = ~0u;
    } else if (t->how == WHO) {
      memcpy(t->value, &who, sizeof who);
    } else if (t->how != NOTHING && from >= 0 && from < WARP) {
      memcpy(t->value, values[from], (size_t)t->bytes);
    }
    t->state = READY;
  }
  return 1;
}

// Lanes that ask who else is there go on as if they were alone, unless all of the warp ask.
static int go_on_alone(struct thread *warp, unsigned int count) {
  unsigned int ask = 0;
  int line = 0, same = 1;
  for (unsigned int lane = 0; lane < count; lane++) {
    const struct thread *t = &warp[lane];
    if (t->state == IN_WARP && t->how == HERE) {
      same &= ask == 0 || t->line == line;
      line = t->line;
      ask++;
    }
  }
  for (unsigned int lane = 0; lane < count && ask > 0 && !(ask == WARP && same); lane++) {
    struct thread *t = &warp[lane];
    if (t->state == IN_WARP && t->how == HERE) {
      *(unsigned int *)t->value = 1u << lane;
      t->state = READY;
    }
  }
  return ask > 0 && !(ask == WARP && same);
}

// Until all of its threads are at a barrier or gone.
static int run_warp(unsigned int first, unsigned int count, struct order *order) {
  for (;;) {
    unsigned int lanes[WARP], waiting = 0;
    int line = 0, other = 0;
    order_of(order, lanes, count);
    for (unsigned int k = 0; k < count; k++) {
      struct thread *t = &threads[first + lanes[k]];
      if (t->state == READY) {
        go_on(first + lanes[k]);
      }
      waiting += t->state == IN_WARP;
      line = t->state == IN_WARP ? t->line : line;
      other = t->state == IN_WARP ? other : t->line;
    }
    traffic_warp();
    if (waiting == 0) {
      return 1;
    }
    if (go_on_alone(&threads[first], count)) {
      continue;
    }
    if (waiting != WARP) {
      return failed("not all lanes of a warp exchange values", line, other);
    }
    if (!exchange_values(&threads[first])) {
      return 0;
    }
  }
}

// Whether all threads that are left are at the same barrier; all go on then.
static int pass_barrier(unsigned int size, int *left) {
  int line = 0;
  *left = 0;
  for (unsigned int i = 0; i < size; i++) {
    struct thread *t = &threads[i];
    if (t->state == AT_BARRIER) {
      if (*left && t->line != line) {
        return failed("threads wait at different barriers", line, t->line);
      }
      *left = 1;
      line = t->line;
      t->state = READY;
    }
  }
  any_now = any_next;
  any_next = 0;
  return 1;
}

// There may be no room on the stack of a thread, and no way back.
static void touched_nothing(int signal) {
  static char text[512];
  (void)signal;
  int length = snprintf(text, sizeof text, "fake: %s touches memory that is not there (thread %u of block %u)\n",
                        kernel == NULL ? "the host" : kernel->name, machine.thread.x, machine.block.x);
  _exit(write(STDERR_FILENO, text, (size_t)length) == length ? 70 : 71);
}

static void watch_memory(void) {
  static char own_stack[1 << 16];
  stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
  struct sigaction action = {.sa_handler = touched_nothing, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGBUS, &action, NULL);
}

static int run_block(unsigned int size, struct order *order) {
  for (unsigned int i = 0; i < size; i++) {
    start_thread(&threads[i], stacks + i * STACK_BYTES);
  }
  any_next = 0;
  for (int left = 1; left;) {
    unsigned int warps[MAX_THREADS / WARP], count = (size + WARP - 1) / WARP;
    order_of(order, warps, count);
    for (unsigned int k = 0; k < count; k++) {
      unsigned int first = warps[k] * WARP;
      if (!run_warp(first, size - first < WARP ? size - first : WARP, order)) {
        return 0;
      }
    }
    if (!pass_barrier(size, &left)) {
      return 0;
    }
  }
  return 1;
}

int of_machine(const void *start) {
  const char *at = start;
  return (at >= stacks && at < stacks + MAX_THREADS * STACK_BYTES) ||
         (at >= (const char *)&machine && at < (const char *)(&machine + 1));
}

int run_grid(const struct kernel *of, unsigned int grid, unsigned int size, unsigned int shared, void **args) {
  static struct order order;
  unsigned char *memory = of->module->shared;
  if (stacks == NULL) {
    stacks = mmap(NULL, MAX_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    watch_memory();
  }
  *of->module->machine = &machine;
  kernel = of;
  arguments = args;
  machine.grid = (struct dimensions){grid, 1, 1};
  machine.block_size = (struct dimensions){size, 1, 1};
  order_start(&order);
  traffic_launch(of);
  int fine = 1, backward = order_backward(&order);
  for (unsigned int k = 0; fine && k < grid; k++) {
    machine.block = (struct dimensions){backward ? grid - 1 - k : k, 0, 0};
    memset(memory, GARBAGE, shared + BEYOND_BYTES);
    traffic_block(k, grid);
    fine = run_block(size, &order);
    traffic_block_end();
    for (unsigned int i = 0; fine && i < BEYOND_BYTES; i++) {
      fine = memory[shared + i] == GARBAGE || failed("writes beyond its shared memory", 0, 0);
    }
  }
  kernel = NULL;
  return fine;
}
