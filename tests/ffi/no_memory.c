// Preloaded into a program: its allocations number NO_MEMORY_FROM to NO_MEMORY_TO fail.

#include <errno.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static long count, from = -1, to;

static int fails(void) {
  if (from < 0) {
    const char *first = getenv("NO_MEMORY_FROM"), *last = getenv("NO_MEMORY_TO");
    from = first == NULL ? 0 : atol(first);
    to = last == NULL ? from : atol(last);
  }
  long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  errno = ENOMEM;
  return from > 0 && number >= from && number <= to;
}

void *malloc(size_t size) {
  return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
  return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
  return fails() ? NULL : __libc_realloc(old, size);
}
