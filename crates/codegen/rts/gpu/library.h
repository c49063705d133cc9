// Start of library.h: drivers, which are looked for when the program starts, so
// that it can be built where there are none.

#ifdef _WIN32
RTS_FUN void *library_open(const char *name) {
  return (void *)LoadLibraryA(name);
}
RTS_FUN void *library_symbol(void *library, const char *name) {
  return (void *)GetProcAddress((HMODULE)library, name);
}
RTS_FUN void library_close(void *library) {
  FreeLibrary((HMODULE)library);
}
#else
#include <dlfcn.h>
RTS_FUN void *library_open(const char *name) {
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
RTS_FUN void *library_symbol(void *library, const char *name) {
  return dlsym(library, name);
}
RTS_FUN void library_close(void *library) {
  dlclose(library);
}
#endif

// The process itself if it has a symbol already: some tools put themselves there.
TOOL_FUN void *library_present(const char *symbol) {
#ifdef _WIN32
  (void)symbol;
  return NULL;
#else
  void *process = dlopen(NULL, RTLD_NOW);
  return process != NULL && dlsym(process, symbol) != NULL ? process : NULL;
#endif
}

// The first that is there of some names, the last of which is NULL.
TOOL_FUN void *library_find(const char *const *names) {
  void *library = NULL;
  for (int i = 0; names[i] != NULL && library == NULL; i++) {
    library = library_open(names[i]);
  }
  return library;
}

// End of library.h.
