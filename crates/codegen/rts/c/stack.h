// Start of stack.h: how much stack there is.

#if defined(_WIN32) || defined(__wasm__)
// Half of what linkers usually give.
CALLED_FUN size_t usual_stack_room(void) {
  return (size_t)1 << 19;
}
#else
#include <sys/resource.h>

// Half of what a thread usually has.
CALLED_FUN size_t usual_stack_room(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return (size_t)1 << 20;
  }
  return (size_t)limit.rlim_cur / 2;
}
#endif

// End of stack.h.
