// Compiles a file of CUDA kernels for one architecture, which takes no GPU.
// Exits with 77 if there is no compiler: it is looked for where FEHU_NVRTC says, too.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const char *names[] = {getenv("FEHU_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  void *library = NULL;
  for (int i = 0; i < 4 && library == NULL; i++) {
    library = names[i] == NULL ? NULL : dlopen(names[i], RTLD_NOW);
  }
  if (library == NULL || argc < 2) {
    return 77;
  }
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(void *, int, const char *const *);
  int (*log_size)(void *, size_t *);
  int (*log_text)(void *, char *);
  *(void **)&create = dlsym(library, "nvrtcCreateProgram");
  *(void **)&compile = dlsym(library, "nvrtcCompileProgram");
  *(void **)&log_size = dlsym(library, "nvrtcGetProgramLogSize");
  *(void **)&log_text = dlsym(library, "nvrtcGetProgramLog");
  static char text[1 << 22];
  FILE *file = fopen(argv[1], "rb");
  if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) {
    return 2;
  }
  // Without optimisation, which would take minutes.
  const char *options[] = {"--gpu-architecture=sm_90", "--disable-warnings", "--device-debug"};
  void *program;
  size_t size = 0;
  if (create(&program, text, "kernels.cu", 0, NULL, NULL) != 0) {
    return 3;
  }
  int code = compile(program, 3, options);
  log_size(program, &size);
  char *log = calloc(1, size + 1);
  log_text(program, log);
  fputs(log, stderr);
  return code == 0 ? 0 : 1;
}
