// Kernels, compiled by the C compiler of the host (FAKE_CC, or cc), and loaded.
//
// A kernel is called with an array of pointers to its arguments. Behind the text there is a function for each that takes them from there, and a table:
//
//   static void call_f(void **args) { f(*(float **)args[0], *(long long *)args[1]); }
//   static const unsigned int bytes_f[] = {sizeof(float *), sizeof(long long)};
//   const struct found kernels_found[] = {{"f", call_f, 2, bytes_f}};

#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Marks kernels in text that the preprocessor has gone through.
#define MARK "cuda_kernel void"
// Arguments are in memory here, but not on a device.
#define NOT_COUNTED "__attribute__((no_sanitize(\"kernel-address\")))"
// With these, the compiler calls a function before each access.
#define COUNT_FLAGS \
  " -O2 -fno-tree-vectorize -fsanitize=kernel-address --param asan-instrumentation-with-call-threshold=0 --param asan-stack=0 --param asan-globals=0"
#define FLAGS "-w -O1 -fPIC -fwrapv -fno-strict-aliasing -ffp-contract=off"

struct found {
  const char *name;
  void (*call)(void **);
  int num_params;
  const unsigned int *bytes;
};

static char *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *data = calloc(1, *size + 1);
  *size = fread(data, 1, *size, file);
  fclose(file);
  return data;
}

// What C has no word for: kernels are functions of C already, and shared memory of unknown size has its name from kernel.h.
static void blank(char *text, const char *what, size_t keep) {
  for (char *at = strstr(text, what); at != NULL; at = strstr(at, what)) {
    memset(at + keep, ' ', strlen(what) - keep);
    at += strlen(what);
  }
}

// One parameter after the other: its type is all before its name.
static int write_params(FILE *out, const char *from, const char *to, const char *format) {
  int count = 0;
  for (const char *start = from; start < to; count++) {
    const char *end = memchr(start, ',', (size_t)(to - start));
    end = end == NULL ? to : end;
    const char *name = end;
    while (name > start && (name[-1] == '_' || (name[-1] >= '0' && name[-1] <= '9') || (name[-1] | 32) >= 'a')) {
      name--;
    }
    fprintf(out, format, count == 0 ? "" : ", ", (int)(name - start), start, count);
    start = end + 1;
  }
  return count;
}

static void write_kernel(FILE *out, FILE *table, const char *head) {
  const char *name = head + strlen(MARK);
  name += strspn(name, " \n");
  const char *open = strchr(name, '('), *close = strchr(open, ')');
  int length = (int)(open - name);
  open = strncmp(open, "(void)", 6) == 0 ? close - 1 : open;
  fprintf(out, "\nNOT_COUNTED static void call_%.*s(void **args) { %.*s(", length, name, length, name);
  write_params(out, open + 1, close, "%s*(%.*s*)args[%d]");
  fprintf(out, "); }\nstatic const unsigned int bytes_%.*s[] = {", length, name);
  int count = write_params(out, open + 1, close, "%ssizeof(%.*s)");
  fprintf(out, "};\n");
  fprintf(table, "{\"%.*s\", call_%.*s, %d, bytes_%.*s}, ", length, name, length, name, count, length, name);
}

// The text with the functions and the table behind it.
static void write_unit(const char *path, const char *text) {
  char *rows = NULL;
  size_t size = 0;
  FILE *out = fopen(path, "w"), *table = open_memstream(&rows, &size);
  fputs("#define cuda_kernel\n#define NOT_COUNTED " NOT_COUNTED "\n", out);
  fputs(text, out);
  for (const char *at = strstr(text, MARK); at != NULL; at = strstr(at + 1, MARK)) {
    write_kernel(out, table, at);
  }
  fclose(table);
  fprintf(out,
          "const struct { const char *name; void (*call)(void **); int num_params; const unsigned int *bytes; }\n"
          "kernels_found[] = {%s{0, 0, 0, 0}};\n",
          rows);
  free(rows);
  fclose(out);
}

char *compile_kernels(const char *text, size_t *size, char **log) {
  char dir[] = "/tmp/kernels-XXXXXX", path[64], command[1024];
  const char *cc = getenv("FAKE_CC") == NULL ? "cc" : getenv("FAKE_CC");
  size_t length = 0;
  char *kernels = strdup(text), *image = NULL;
  *log = NULL;
  if (mkdtemp(dir) == NULL) {
    free(kernels);
    return NULL;
  }
  blank(kernels, "extern \"C\"", 0);
  blank(kernels, "extern __shared__", strlen("extern"));
  snprintf(path, sizeof path, "%s/kernels.c", dir);
  FILE *file = fopen(path, "w");
  fprintf(file, "#include \"kernel.h\"\n%s", kernels);
  fclose(file);
  free(kernels);
  snprintf(command, sizeof command, "cd %s && %s -E -P -w %s -I '" FOLDER "' kernels.c -o unit.i 2> log", dir, cc,
           traffic_wanted() ? "-DCOUNT_TRAFFIC" : "");
  int done = system(command) == 0;
  snprintf(path, sizeof path, "%s/unit.i", dir);
  char *expanded = done ? read_all(path, &length) : NULL;
  if (expanded != NULL) {
    snprintf(path, sizeof path, "%s/unit.c", dir);
    write_unit(path, expanded);
    snprintf(command, sizeof command, "cd %s && %s " FLAGS "%s -shared unit.c -o kernels.so -lm 2> log", dir, cc,
             traffic_wanted() ? COUNT_FLAGS : "");
    done = system(command) == 0;
    snprintf(path, sizeof path, "%s/kernels.so", dir);
    image = done ? read_all(path, size) : NULL;
  }
  free(expanded);
  snprintf(path, sizeof path, "%s/log", dir);
  *log = read_all(path, &length);
  if (getenv("FAKE_KEEP") == NULL) {
    snprintf(command, sizeof command, "rm -r %s", dir);
    done = system(command) == 0;
  }
  return image;
}

// Where a library is that was loaded from an image.
static void find_place(struct module *module, const void *image) {
  const Elf64_Ehdr *head = image;
  const Elf64_Phdr *parts = (const Elf64_Phdr *)((const char *)image + head->e_phoff);
  struct link_map *map = NULL;
  size_t end = 0;
  for (int i = 0; i < head->e_phnum; i++) {
    size_t upto = parts[i].p_type == PT_LOAD ? parts[i].p_vaddr + parts[i].p_memsz : 0;
    end = upto > end ? upto : end;
  }
  if (dlinfo(module->library, RTLD_DI_LINKMAP, &map) == 0) {
    module->start = (const char *)map->l_addr;
    module->end = module->start + end;
  }
}

struct module *load_kernels(const void *image) {
  const Elf64_Ehdr *head = image;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) {
    return NULL;
  }
  size_t size = head->e_shoff + (size_t)head->e_shentsize * head->e_shnum;
  char path[64];
  int file = memfd_create("kernels", 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  void *library = write(file, image, size) == (ssize_t)size ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  close(file);
  if (library == NULL) {
    fprintf(stderr, "fake: %s\n", dlerror());
    return NULL;
  }
  struct module *module = calloc(1, sizeof *module);
  const struct found *found = dlsym(library, "kernels_found");
  module->library = library;
  find_place(module, image);
  module->machine = dlsym(library, "machine");
  module->shared = dlsym(library, "shared_memory");
  while (found[module->num_kernels].name != NULL) {
    module->num_kernels++;
  }
  module->kernels = calloc((size_t)module->num_kernels + 1, sizeof *module->kernels);
  for (int i = 0; i < module->num_kernels; i++) {
    module->kernels[i] = (struct kernel){found[i].name, found[i].call, module, found[i].num_params, found[i].bytes};
  }
  return module;
}

void unload_kernels(struct module *module) {
  dlclose(module->library);
  free(module->kernels);
  free(module);
}
