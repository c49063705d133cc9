// Start of timing.h: a clock.

#ifdef _WIN32
RTS_FUN int64_t wall_microseconds(void) {
  LARGE_INTEGER now, frequency;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&frequency);
  return (int64_t)((double)now.QuadPart * 1e6 / (double)frequency.QuadPart);
}
#else
#include <time.h>
RTS_FUN int64_t wall_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
#endif

// End of timing.h.
