// Start of lock.h: one lock per context makes its functions safe to call
// from several threads.

#ifdef _WIN32
#include <windows.h>
typedef CRITICAL_SECTION lock_t;
RTS_FUN void lock_create(lock_t *lock) {
  InitializeCriticalSection(lock);
}
RTS_FUN void lock_take(lock_t *lock) {
  EnterCriticalSection(lock);
}
RTS_FUN void lock_release(lock_t *lock) {
  LeaveCriticalSection(lock);
}
RTS_FUN void lock_destroy(lock_t *lock) {
  DeleteCriticalSection(lock);
}
#else
#include <pthread.h>
typedef pthread_mutex_t lock_t;
RTS_FUN void lock_create(lock_t *lock) {
  pthread_mutex_init(lock, NULL);
}
RTS_FUN void lock_take(lock_t *lock) {
  pthread_mutex_lock(lock);
}
RTS_FUN void lock_release(lock_t *lock) {
  pthread_mutex_unlock(lock);
}
RTS_FUN void lock_destroy(lock_t *lock) {
  pthread_mutex_destroy(lock);
}
#endif

// End of lock.h.
