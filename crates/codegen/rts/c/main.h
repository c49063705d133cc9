// Start of main.h: the start of an executable.
//
// A program with recursive functions runs in a thread with a large stack.

struct start {
  int argc;
  char **argv;
  size_t stack_room;
  int status;
};

#if HAS_RECURSION && !defined(_WIN32)
TOOL_FUN void *start_thread(void *arg) {
  struct start *start = arg;
  start->status = run_main(start->argc, start->argv, start->stack_room);
  return NULL;
}

int main(int argc, char **argv) {
  struct start start = {argc, argv, 0, 1};
  for (size_t size = (size_t)1 << 30; size > (size_t)1 << 23; size /= 2) {
    pthread_attr_t attr;
    pthread_t thread;
    start.stack_room = size - size / 8;
    pthread_attr_init(&attr);
    bool started = pthread_attr_setstacksize(&attr, size) == 0 && pthread_create(&thread, &attr, start_thread, &start) == 0;
    pthread_attr_destroy(&attr);
    if (started) {
      pthread_join(thread, NULL);
      return start.status;
    }
  }
  return run_main(argc, argv, 0);
}
#else
int main(int argc, char **argv) {
  struct start start = {argc, argv, 0, 0};
  return run_main(start.argc, start.argv, start.stack_room);
}
#endif

// End of main.h.
