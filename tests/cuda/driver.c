// A CUDA driver and an NVRTC without a device: memory is the host's. What the runtime of CUDA programs does is checked here: that calls are made in a context,
// that all is given back, that copies stay inside of memory. Any call can be made to fail:
//
//   FAKE_FAIL_AT=N      the N-th call that may fail does, with FAKE_CODE (2, out of memory, if not given)
//   FAKE_GONE_AT=N      from the N-th call on, the device is gone: all that may fail do
//   FAKE_MEMORY=BYTES   there is so much memory
//   FAKE_IMAGE=TEXT     what compiled kernels are: seven characters
//   FAKE_LOG=1          every call that may fail is said
//   FAKE_REFUSE=TEXT    compiled kernels with this in them cannot be loaded
//
// At exit, it writes to standard error how many calls there were, and everything that was wrong.
//
// Kernels do nothing, but with FAKE_RUN=1 the host's compiler compiles them (compile.c), and they run as on a device (block.c), only slowly. Then memory is
// full of garbage at first, what is read or written outside of it ends the program, and at exit nothing is said unless something was wrong:
//
//   FAKE_ORDER=ORDER    in which order threads have their turns: forward, backward, or a number
//   FAKE_PROCESSORS=N   how many multiprocessors there are: 4 if not given
//   FAKE_TRAFFIC=FILE   what kernels read and write is counted (traffic.c), and written to a file at exit; needs gcc
//   FAKE_CC=COMMAND     the compiler
//   FAKE_KEEP=1         what it compiles stays in a temporary folder

#include "driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned long long pointer;
enum { LAUNCH_FAILED = 719, NOT_LOADED = 300, NOT_COMPILED = 6 };
enum { SUCCESS = 0, OUT_OF_MEMORY = 2, INVALID_VALUE = 1, INVALID_CONTEXT = 201, NOT_FOUND = 500 };

// So much of memory holds garbage before anything is written there, from its beginning on.
#define GARBAGE_BYTES ((size_t)1 << 22)

static struct piece {
  char *start;
  size_t size;
  // The pages that it has for itself, where kernels run.
  char *pages;
  size_t page_bytes;
  struct piece *next;
  const char *kind;
} *pieces;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, kernels, wrong, retained, last_code;
static size_t in_use;
static __thread int depth;

static size_t number(const char *name, size_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : (size_t)strtoull(text, NULL, 10);
}

static int runs(void) {
  return getenv("FAKE_RUN") != NULL;
}

// The bytes of the device's memory.
static size_t memory_bytes(void) { return number("FAKE_MEMORY", (size_t)1 << (runs() ? 33 : 30)); }

static void complain(const char *what, const char *call) {
  fprintf(stderr, "fake: %s: %s\n", call, what);
  wrong++;
}

__attribute__((destructor)) static void goodbye(void) {
  for (struct piece *p = pieces; p != NULL; p = p->next) {
    complain("never given back", p->kind);
  }
  if (retained != 0) {
    complain("the primary context is still retained", "exit");
  }
  if (!runs() || wrong != 0) {
    fprintf(stderr, "fake: %d calls, %d kernels, %d wrong\n", calls, kernels, wrong);
  }
}

// Whether a call goes on; if not, it returns `last_code`.
static int may(const char *call, int wants_context) {
  pthread_mutex_lock(&lock);
  calls++;
  if (getenv("FAKE_LOG") != NULL) {
    fprintf(stderr, "fake: %s\n", call);
  }
  int ok = 1;
  if (wants_context && depth <= 0) {
    complain("no context", call);
    last_code = INVALID_CONTEXT;
    ok = 0;
  } else if (number("FAKE_FAIL_AT", 0) == (size_t)calls || number("FAKE_GONE_AT", (size_t)-1) <= (size_t)calls) {
    last_code = (int)number("FAKE_CODE", OUT_OF_MEMORY);
    fprintf(stderr, "fake: %s fails\n", call);
    ok = 0;
  }
  pthread_mutex_unlock(&lock);
  return ok;
}

// Memory ends where a page begins that nobody may touch, but for what alignment needs.
static void give_pages(struct piece *p) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (p->size + 15) & ~(size_t)15;
  size_t used = (bytes + page - 1) / page * page;
  p->page_bytes = used + page;
  p->pages = mmap(NULL, p->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  mprotect(p->pages + used, page, PROT_NONE);
  p->start = p->pages + used - bytes;
  memset(p->start, GARBAGE, p->size < GARBAGE_BYTES ? p->size : GARBAGE_BYTES);
}

static int give(const char *kind, size_t size, void **out) {
  int code = SUCCESS;
  pthread_mutex_lock(&lock);
  struct piece *p = calloc(1, sizeof *p);
  if (in_use + size > memory_bytes()) {
    free(p);
    code = OUT_OF_MEMORY;
  } else {
    *p = (struct piece){.size = size, .next = pieces, .kind = kind};
    if (runs()) {
      give_pages(p);
    } else {
      p->start = calloc(1, size + 1);
    }
    pieces = p;
    in_use += size;
    *out = p->start;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static int take(const char *call, void *start) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (struct piece **p = &pieces; *p != NULL; p = &(*p)->next) {
    if ((*p)->start == start) {
      struct piece *gone = *p;
      *p = gone->next;
      in_use -= gone->size;
      if (gone->pages != NULL) {
        munmap(gone->pages, gone->page_bytes);
      } else {
        free(gone->start);
      }
      free(gone);
      found = 1;
      break;
    }
  }
  if (!found) {
    complain("of what is not there", call);
  }
  pthread_mutex_unlock(&lock);
  return found ? SUCCESS : INVALID_VALUE;
}

static int inside(const char *call, pointer start, size_t size) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (struct piece *p = pieces; p != NULL; p = p->next) {
    found = found || ((pointer)p->start <= start && start + size <= (pointer)p->start + p->size);
  }
  if (!found) {
    complain("outside of memory", call);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

#define MAY(context)                  \
  if (!may(__func__, context)) {      \
    return last_code;                 \
  }

int cuGetErrorName(int code, const char **out) {
  *out = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
  return SUCCESS;
}
int cuGetErrorString(int code, const char **out) {
  *out = code == OUT_OF_MEMORY ? "out of memory" : code == LAUNCH_FAILED ? last_fault() : "something else";
  return SUCCESS;
}
int cuInit(unsigned int flags) { MAY(0) return flags == 0 ? SUCCESS : INVALID_VALUE; }
int cuDriverGetVersion(int *out) { *out = 13000; return SUCCESS; }
int cuDeviceGetCount(int *out) { MAY(0) *out = 2; return SUCCESS; }
int cuDeviceGet(int *out, int i) { MAY(0) *out = i; return SUCCESS; }
// Compiled kernels are kept for devices of a name: those that run fit this driver alone.
int cuDeviceGetName(char *out, int size, int device) {
  MAY(0)
  snprintf(out, (size_t)size, "Fake %c%s", 'A' + device, 
           !runs() ? "" : traffic_wanted() ? ", counting, " __DATE__ " " __TIME__ : " " __DATE__ " " __TIME__);
  return SUCCESS;
}
int cuDeviceGetAttribute(int *out, int attribute, int device) {
  (void)device;
  *out = attribute == 1 ? 1024 : attribute == 5 ? 2147483647 : attribute == 8 || (attribute == 97 && !runs()) ? 49152
       : attribute == 97 ? SHARED_BYTES : attribute == 16 ? (runs() ? (int)number("FAKE_PROCESSORS", 4) : 2)
       : attribute == 39 ? 2048 : attribute == 75 ? 9 : attribute == 83 ? 1 : 0;
  return SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *out, int device) { (void)device; *out = memory_bytes(); return SUCCESS; }
int cuDevicePrimaryCtxRetain(void **out, int device) { MAY(0) *out = &calls; (void)device; retained++; return SUCCESS; }
int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; retained--; return SUCCESS; }
int cuCtxPushCurrent_v2(void *context) { depth += context == &calls; return context == &calls ? SUCCESS : INVALID_CONTEXT; }
int cuCtxPopCurrent_v2(void **out) {
  if (depth <= 0) {
    complain("nothing to pop", __func__);
  }
  depth--;
  *out = &calls;
  return SUCCESS;
}
int cuStreamCreate(void **out, unsigned int flags) { MAY(1) (void)flags; return give("stream", 0, out); }
int cuStreamDestroy_v2(void *stream) { MAY(1) return take(__func__, stream); }
int cuStreamSynchronize(void *stream) { MAY(1) (void)stream; return SUCCESS; }
int cuMemAlloc_v2(pointer *out, size_t size) { MAY(1) return give("memory", size, (void **)out); }
int cuMemAllocManaged(pointer *out, size_t size, unsigned int flags) { MAY(1) (void)flags; return give("managed memory", size, (void **)out); }
int cuMemFree_v2(pointer start) { MAY(1) return take(__func__, (void *)start); }
int cuMemHostAlloc(void **out, size_t size, unsigned int flags) { MAY(1) (void)flags; return give("host memory", size, out); }
int cuMemFreeHost(void *start) { MAY(1) return take(__func__, start); }
int cuMemHostGetDevicePointer_v2(pointer *out, void *start, unsigned int flags) { MAY(1) (void)flags; *out = (pointer)start; return SUCCESS; }
int cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t size, void *stream) {
  MAY(1)
  (void)stream;
  if (!inside(__func__, to, size)) { return INVALID_VALUE; }
  memcpy((void *)to, from, size);
  return SUCCESS;
}
int cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t size, void *stream) {
  MAY(1)
  (void)stream;
  if (!inside(__func__, from, size)) { return INVALID_VALUE; }
  memcpy(to, (void *)from, size);
  return SUCCESS;
}
int cuMemcpyDtoDAsync_v2(pointer to, pointer from, size_t size, void *stream) {
  MAY(1)
  (void)stream;
  if (!inside(__func__, from, size) || !inside(__func__, to, size)) { return INVALID_VALUE; }
  memmove((void *)to, (void *)from, size);
  return SUCCESS;
}
int cuMemsetD8Async(pointer to, unsigned char x, size_t n, void *stream) {
  MAY(1)
  (void)stream;
  if (!inside(__func__, to, n)) { return INVALID_VALUE; }
  memset((void *)to, x, n);
  return SUCCESS;
}
int cuMemsetD16Async(pointer to, unsigned short x, size_t n, void *stream) {
  MAY(1)
  (void)stream;
  if (!inside(__func__, to, 2 * n) || n != 1) { return INVALID_VALUE; }
  memcpy((void *)to, &x, 2);
  return SUCCESS;
}
int cuMemsetD32Async(pointer to, unsigned int x, size_t n, void *stream) {
  MAY(1)
  (void)stream;
  if (!inside(__func__, to, 4 * n) || n != 1) { return INVALID_VALUE; }
  memcpy((void *)to, &x, 4);
  return SUCCESS;
}
int cuModuleLoadData(void **out, const void *image) {
  MAY(1)
  const char *refused = getenv("FAKE_REFUSE");
  if (refused != NULL && strstr(image, refused) != NULL) { return NOT_LOADED; }
  if (!runs()) { return give("module", 0, out); }
  *out = load_kernels(image);
  return *out == NULL ? NOT_LOADED : SUCCESS;
}
int cuModuleUnload(void *module) {
  MAY(1)
  if (!runs()) { return take(__func__, module); }
  unload_kernels(module);
  return SUCCESS;
}
int cuModuleGetFunction(void **out, void *module, const char *name) {
  MAY(1)
  if (!runs()) {
    *out = module;
    return strncmp(name, "sizes_", 6) == 0 ? NOT_FOUND : SUCCESS;
  }
  const struct module *of = module;
  *out = NULL;
  for (int i = 0; i < of->num_kernels; i++) {
    *out = strcmp(of->kernels[i].name, name) == 0 ? &of->kernels[i] : *out;
  }
  return *out == NULL ? NOT_FOUND : SUCCESS;
}
int cuFuncGetAttribute(int *out, int attribute, void *function) { MAY(1) (void)function; *out = attribute == 0 ? 1024 : 0; return SUCCESS; }
int cuFuncSetAttribute(void *function, int attribute, int value) { MAY(1) (void)function, (void)attribute, (void)value; return SUCCESS; }

struct launch {
  void *function;
  unsigned int gx, gy, gz, bx, by, bz, shared;
  void **params, **extra;
};
static int in_order(const struct launch *l) {
  return l->function != NULL && l->gx > 0 && l->gy == 1 && l->gz == 1 && l->bx > 0 && l->bx <= 1024 && l->by == 1 && l->bz == 1;
}
static int run_launch(const struct launch *l) {
  kernels++;
  return !runs() || run_grid(l->function, l->gx, l->bx, l->shared, l->params) ? SUCCESS : LAUNCH_FAILED;
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra) {
  MAY(1)
  (void)stream;
  struct launch launch = {f, gx, gy, gz, bx, by, bz, shared, params, extra};
  return in_order(&launch) ? run_launch(&launch) : INVALID_VALUE;
}

// Graphs: chains of kernels. A node is its place in the chain, from 1 on.
#define CHAIN 64
#define ARGUMENTS 256
struct graph {
  long nodes;
  struct launch launches[CHAIN];
  void *args[CHAIN][ARGUMENTS];
  unsigned long long values[CHAIN][ARGUMENTS];
};
static int is_launch(const char *call, const struct launch *launch) {
  int fine = in_order(launch) && launch->params != NULL && launch->params[0] != NULL;
  if (!fine) { complain("no launch", call); }
  return fine;
}
// A node keeps the values of arguments.
static void set_node(struct graph *graph, long node, const struct launch *launch) {
  graph->launches[node] = *launch;
  graph->launches[node].params = graph->args[node];
  const struct kernel *kernel = launch->function;
  for (int i = 0, at = 0; runs() && i < kernel->num_params; i++) {
    memcpy(&graph->values[node][at], launch->params[i], kernel->bytes[i]);
    graph->args[node][i] = &graph->values[node][at];
    at += (int)(kernel->bytes[i] + 7) / 8;
  }
}
int cuGraphCreate(void **out, unsigned int flags) {
  MAY(1)
  (void)flags;
  int code = give("graph", sizeof(struct graph), out);
  if (code == SUCCESS) { ((struct graph *)*out)->nodes = 0; }
  return code;
}
int cuGraphAddKernelNode_v2(void **out, void *of, void *const *after, size_t n, const struct launch *launch) {
  MAY(1)
  struct graph *graph = of;
  if (n > 1 || (n == 0) != (graph->nodes == 0) || (n == 1 && *after != (void *)graph->nodes) || graph->nodes == CHAIN) {
    complain("no chain", __func__);
    return INVALID_VALUE;
  }
  if (!is_launch(__func__, launch)) { return INVALID_VALUE; }
  *out = (void *)++graph->nodes;
  set_node(graph, graph->nodes - 1, launch);
  return SUCCESS;
}
int cuGraphInstantiateWithFlags(void **out, void *of, unsigned long long flags) {
  MAY(1)
  (void)flags;
  const struct graph *graph = of;
  int code = give("executable graph", sizeof *graph, out);
  for (long i = 0; code == SUCCESS && i < graph->nodes; i++) {
    set_node(*out, i, &graph->launches[i]);
  }
  if (code == SUCCESS) { ((struct graph *)*out)->nodes = graph->nodes; }
  return code;
}
int cuGraphExecKernelNodeSetParams_v2(void *of, void *place, const struct launch *launch) {
  MAY(1)
  struct graph *graph = of;
  if ((long)place < 1 || (long)place > graph->nodes) {
    complain("no such node", __func__);
    return INVALID_VALUE;
  }
  if (!is_launch(__func__, launch)) { return INVALID_VALUE; }
  set_node(graph, (long)place - 1, launch);
  return SUCCESS;
}
int cuGraphLaunch(void *of, void *stream) {
  MAY(1)
  (void)stream;
  const struct graph *graph = of;
  int code = SUCCESS;
  for (long i = 0; code == SUCCESS && i < graph->nodes; i++) {
    code = run_launch(&graph->launches[i]);
  }
  return code;
}
int cuGraphDestroy(void *graph) { MAY(1) return take(__func__, graph); }
int cuGraphExecDestroy(void *graph) { MAY(1) return take(__func__, graph); }
int cuEventCreate(void **out, unsigned int flags) { MAY(1) (void)flags; return give("event", 0, out); }
int cuEventRecord(void *event, void *stream) { MAY(1) (void)event, (void)stream; return SUCCESS; }
int cuEventSynchronize(void *event) { MAY(1) (void)event; return SUCCESS; }
int cuEventElapsedTime(float *out, void *from, void *to) { MAY(1) (void)from, (void)to; *out = 0.5f; return SUCCESS; }
int cuEventDestroy_v2(void *event) { MAY(1) return take(__func__, event); }

struct program {
  char *text, *image, *log;
  size_t size;
};
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return SUCCESS; }
int nvrtcCreateProgram(void **out, const char *text, const char *name, int n, const char *const *headers, const char *const *names) {
  MAY(0)
  (void)name, (void)n, (void)headers, (void)names;
  int code = give("program", sizeof(struct program), out);
  if (code == SUCCESS) { *(struct program *)*out = (struct program){.text = strdup(text)}; }
  return code;
}
int nvrtcCompileProgram(void *of, int n, const char *const *options) {
  MAY(0)
  struct program *program = of;
  for (int i = 0; i < n; i++) {
    if (options[i] == NULL || options[i][0] != '-') { return 5; }
  }
  if (runs()) {
    program->image = compile_kernels(program->text, &program->size, &program->log);
  } else {
    program->size = 8;
    program->image = strdup(getenv("FAKE_IMAGE") ? getenv("FAKE_IMAGE") : "kernels");
    program->log = strdup("bad");
  }
  return program->image == NULL ? NOT_COMPILED : SUCCESS;
}
int nvrtcDestroyProgram(void **of) {
  struct program *program = *of;
  free(program->text);
  free(program->image);
  free(program->log);
  return take(__func__, program);
}
static const char *log_of(const struct program *program) { return program->log == NULL ? "" : program->log; }
int nvrtcGetProgramLogSize(void *program, size_t *out) { *out = strlen(log_of(program)) + 1; return SUCCESS; }
int nvrtcGetProgramLog(void *program, char *out) { strcpy(out, log_of(program)); return SUCCESS; }
int nvrtcGetCUBINSize(void *program, size_t *out) { MAY(0) *out = ((struct program *)program)->size; return SUCCESS; }
int nvrtcGetCUBIN(void *program, char *out) { MAY(0) memcpy(out, ((struct program *)program)->image, ((struct program *)program)->size); return SUCCESS; }
int nvrtcGetPTXSize(void *program, size_t *out) { MAY(0) (void)program; *out = 8; return SUCCESS; }
int nvrtcGetPTX(void *program, char *out) { MAY(0) (void)program; memcpy(out, "ptx-ptx", 8); return SUCCESS; }
int nvrtcGetNumSupportedArchs(int *out) { *out = 1; return SUCCESS; }
int nvrtcGetSupportedArchs(int *out) { *out = 90; return SUCCESS; }
