// An OpenCL library without a device: memory is the host's, kernels do nothing. What the runtime of OpenCL programs does
// is checked here: that objects are used while they are there, that all are given back, that copies stay inside of
// memory. Any call can be made to fail:
//
//   FAKE_FAIL_AT=N      the N-th call that may fail does, with FAKE_CODE (-6, out of host memory, if not given)
//   FAKE_GONE_AT=N      from the N-th call on, the device is gone: all that may fail do
//   FAKE_MEMORY=BYTES   there is so much memory
//   FAKE_BUILD=LOG      kernels do not compile, and this is why
//
// At exit, it writes to standard error how many calls there were, and everything that was wrong.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, NO_MEMORY = -4, NO_HOST_MEMORY = -6, BUILD_FAILED = -11, INVALID_VALUE = -30 };

struct object {
  const char *kind;
  int refs;
  size_t size;
  char *bytes;
  struct object *next;
};

static struct object *objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, wrong, last_code;
static size_t in_use;

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtol(text, NULL, 10);
}

static void complain(const char *what, const char *call) {
  fprintf(stderr, "fake: %s: %s\n", call, what);
  wrong++;
}

__attribute__((destructor)) static void goodbye(void) {
  for (struct object *o = objects; o != NULL; o = o->next) {
    complain("never given back", o->kind);
  }
  fprintf(stderr, "fake: %d calls, %d wrong\n", calls, wrong);
}

// Whether a call goes on; if not, it returns `last_code`.
static int may(const char *call) {
  pthread_mutex_lock(&lock);
  calls++;
  long gone = number("FAKE_GONE_AT", 0);
  int fails = number("FAKE_FAIL_AT", 0) == calls || (gone > 0 && calls >= gone);
  if (fails) {
    last_code = (int)number("FAKE_CODE", NO_HOST_MEMORY);
    fprintf(stderr, "fake: %s fails\n", call);
  }
  pthread_mutex_unlock(&lock);
  return !fails;
}

#define MAY               \
  if (!may(__func__)) {   \
    return last_code;     \
  }
#define MAY_MAKE          \
  if (!may(__func__)) {   \
    *code = last_code;    \
    return NULL;          \
  }

static void *make(const char *kind, size_t size, int *code) {
  struct object *o = NULL;
  pthread_mutex_lock(&lock);
  *code = NO_MEMORY;
  if (in_use + size <= (size_t)number("FAKE_MEMORY", 1 << 30)) {
    o = calloc(1, sizeof *o);
    *o = (struct object){kind, 1, size, calloc(1, size + 1), objects};
    objects = o;
    in_use += size;
    *code = SUCCESS;
  }
  pthread_mutex_unlock(&lock);
  return o;
}

// An object of this kind that is there, or NULL.
static struct object *known(const char *call, const void *object, const char *kind) {
  for (struct object *o = objects; o != NULL; o = o->next) {
    if (o == object && strcmp(o->kind, kind) == 0) {
      return o;
    }
  }
  complain("of what is not there", call);
  return NULL;
}

static int change(const char *call, void *object, const char *kind, int by) {
  pthread_mutex_lock(&lock);
  struct object *o = known(call, object, kind);
  if (o != NULL && (o->refs += by) == 0) {
    struct object **at = &objects;
    while (*at != o) {
      at = &(*at)->next;
    }
    *at = o->next;
    in_use -= o->size;
    free(o->bytes);
    free(o);
  }
  pthread_mutex_unlock(&lock);
  return o == NULL ? INVALID_VALUE : SUCCESS;
}

// The bytes of a part of a buffer, or NULL.
static char *part(const char *call, void *buffer, size_t start, size_t size) {
  pthread_mutex_lock(&lock);
  struct object *o = known(call, buffer, "buffer");
  char *bytes = o == NULL || start > o->size || size > o->size - start ? NULL : o->bytes + start;
  if (o != NULL && bytes == NULL) {
    complain("outside of memory", call);
  }
  pthread_mutex_unlock(&lock);
  return bytes;
}

// Ends a command: an event for those who want one.
static int done(void **event) {
  int code = SUCCESS;
  if (event != NULL) {
    *event = make("event", 0, &code);
  }
  return code;
}

static int tell(const void *value, size_t size, size_t room, void *out, size_t *needed) {
  if (needed != NULL) {
    *needed = size;
  }
  if (out != NULL) {
    memcpy(out, value, size < room ? size : room);
  }
  return SUCCESS;
}

static int platform, device;

int clGetPlatformIDs(unsigned n, void **out, unsigned *count) {
  MAY
  if (count != NULL) { *count = 1; }
  if (out != NULL && n > 0) { *out = &platform; }
  return SUCCESS;
}
int clGetPlatformInfo(void *p, unsigned what, size_t room, void *out, size_t *size) {
  MAY
  (void)p, (void)what;
  return tell("Fake", 5, room, out, size);
}
int clGetDeviceIDs(void *p, uint64_t kind, unsigned n, void **out, unsigned *count) {
  MAY
  (void)p, (void)kind;
  if (count != NULL) { *count = 1; }
  if (out != NULL && n > 0) { *out = &device; }
  return SUCCESS;
}
int clGetDeviceInfo(void *d, unsigned what, size_t room, void *out, size_t *size) {
  MAY
  (void)d;
  uint64_t word = what == 0x1000 ? 4 : what == 0x1002 ? 2 : what == 0x1004 ? 1024 : what == 0x1023 ? 49152 : 0;
  if (what == 0x102B || what == 0x102D) {
    return tell("Fake B", 7, room, out, size);
  }
  return tell(&word, what == 0x1002 ? 4 : 8, room, out, size);
}
void *clCreateContext(const intptr_t *p, unsigned n, void *const *d, void (*f)(const char *, const void *, size_t, void *),
                      void *x, int *code) {
  MAY_MAKE
  (void)p, (void)n, (void)d, (void)f, (void)x;
  return make("context", 0, code);
}
int clRetainContext(void *c) { MAY return change(__func__, c, "context", 1); }
int clReleaseContext(void *c) { MAY return change(__func__, c, "context", -1); }
void *clCreateCommandQueue(void *c, void *d, uint64_t flags, int *code) {
  MAY_MAKE
  (void)c, (void)d, (void)flags;
  return make("queue", 0, code);
}
int clRetainCommandQueue(void *q) { MAY return change(__func__, q, "queue", 1); }
int clReleaseCommandQueue(void *q) { MAY return change(__func__, q, "queue", -1); }
int clGetCommandQueueInfo(void *q, unsigned what, size_t room, void *out, size_t *size) {
  MAY
  (void)q, (void)what, (void)room, (void)out, (void)size;
  return INVALID_VALUE;
}
void *clCreateProgramWithSource(void *c, unsigned n, const char **texts, const size_t *sizes, int *code) {
  MAY_MAKE
  (void)c, (void)n, (void)texts, (void)sizes;
  return make("program", 0, code);
}
void *clCreateProgramWithBinary(void *c, unsigned n, void *const *d, const size_t *sizes, const unsigned char **images,
                                int *status, int *code) {
  MAY_MAKE
  (void)c, (void)n, (void)d;
  if (sizes[0] != 8 || memcmp(images[0], "kernels", 8) != 0) {
    *code = -42;
    return NULL;
  }
  if (status != NULL) { *status = SUCCESS; }
  return make("program", 0, code);
}
int clBuildProgram(void *p, unsigned n, void *const *d, const char *options, void (*f)(void *, void *), void *x) {
  MAY
  (void)p, (void)n, (void)d, (void)options, (void)f, (void)x;
  return getenv("FAKE_BUILD") == NULL ? SUCCESS : BUILD_FAILED;
}
int clGetProgramInfo(void *p, unsigned what, size_t room, void *out, size_t *size) {
  MAY
  (void)p;
  size_t bytes = 8;
  if (what == 0x1165) {
    return tell(&bytes, sizeof bytes, room, out, size);
  }
  memcpy(*(unsigned char **)out, "kernels", 8);
  return SUCCESS;
}
int clGetProgramBuildInfo(void *p, void *d, unsigned what, size_t room, void *out, size_t *size) {
  MAY
  (void)p, (void)d, (void)what;
  const char *log = getenv("FAKE_BUILD") == NULL ? "" : getenv("FAKE_BUILD");
  return tell(log, strlen(log) + 1, room, out, size);
}
int clReleaseProgram(void *p) { MAY return change(__func__, p, "program", -1); }
void *clCreateKernel(void *p, const char *name, int *code) {
  MAY_MAKE
  (void)p, (void)name;
  return make("kernel", 0, code);
}
int clReleaseKernel(void *k) { MAY return change(__func__, k, "kernel", -1); }
int clSetKernelArg(void *k, unsigned i, size_t size, const void *value) {
  MAY
  (void)i, (void)size, (void)value;
  pthread_mutex_lock(&lock);
  int code = known(__func__, k, "kernel") == NULL ? INVALID_VALUE : SUCCESS;
  pthread_mutex_unlock(&lock);
  return code;
}
void *clCreateBuffer(void *c, uint64_t flags, size_t size, void *host, int *code) {
  MAY_MAKE
  (void)c, (void)flags, (void)host;
  return make("buffer", size, code);
}
int clGetMemObjectInfo(void *m, unsigned what, size_t room, void *out, size_t *size) {
  MAY
  (void)m, (void)what;
  const void *host = NULL;
  return tell(&host, sizeof host, room, out, size);
}
int clReleaseMemObject(void *m) { MAY return change(__func__, m, "buffer", -1); }
int clEnqueueReadBuffer(void *q, void *from, unsigned wait, size_t start, size_t size, void *to, unsigned n,
                        void *const *before, void **event) {
  MAY
  (void)q, (void)wait, (void)n, (void)before;
  const char *bytes = part(__func__, from, start, size);
  if (bytes == NULL) { return INVALID_VALUE; }
  memcpy(to, bytes, size);
  return done(event);
}
int clEnqueueWriteBuffer(void *q, void *to, unsigned wait, size_t start, size_t size, const void *from, unsigned n,
                         void *const *before, void **event) {
  MAY
  (void)q, (void)wait, (void)n, (void)before;
  char *bytes = part(__func__, to, start, size);
  if (bytes == NULL) { return INVALID_VALUE; }
  memcpy(bytes, from, size);
  return done(event);
}
int clEnqueueFillBuffer(void *q, void *to, const void *pattern, size_t each, size_t start, size_t size, unsigned n,
                        void *const *before, void **event) {
  MAY
  (void)q, (void)n, (void)before;
  char *bytes = part(__func__, to, start, size);
  if (bytes == NULL || each == 0 || size % each != 0) { return INVALID_VALUE; }
  for (size_t i = 0; i < size; i += each) {
    memcpy(bytes + i, pattern, each);
  }
  return done(event);
}
int clEnqueueCopyBuffer(void *q, void *from, void *to, size_t from_start, size_t to_start, size_t size, unsigned n,
                        void *const *before, void **event) {
  MAY
  (void)q, (void)n, (void)before;
  char *source = part(__func__, from, from_start, size), *target = part(__func__, to, to_start, size);
  if (source == NULL || target == NULL) { return INVALID_VALUE; }
  memmove(target, source, size);
  return done(event);
}
int clEnqueueNDRangeKernel(void *q, void *k, unsigned dims, const size_t *offset, const size_t *grid, const size_t *block,
                           unsigned n, void *const *before, void **event) {
  MAY
  (void)q, (void)k, (void)offset, (void)n, (void)before;
  return dims == 1 && grid[0] > 0 && block[0] > 0 && block[0] <= 1024 && grid[0] % block[0] == 0 ? done(event)
                                                                                                  : INVALID_VALUE;
}
int clGetEventProfilingInfo(void *e, unsigned what, size_t room, void *out, size_t *size) {
  MAY
  (void)e;
  uint64_t time = what == 0x1282 ? 100 : 2100;
  return tell(&time, sizeof time, room, out, size);
}
int clReleaseEvent(void *e) { MAY return change(__func__, e, "event", -1); }
int clFlush(void *q) { MAY (void)q; return SUCCESS; }
int clFinish(void *q) { MAY (void)q; return SUCCESS; }
