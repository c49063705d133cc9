// Start of cache.h: files, and compiled kernels in a file of the user's choice.

#include <sys/stat.h>
#ifdef _WIN32
#include <process.h>
#else
#include <unistd.h>
#endif

// All of a file, with a zero after it, or NULL.
TOOL_FUN char *file_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  struct string content = {0};
  if (file == NULL) {
    return NULL;
  }
  char part[65536];
  string_append(&content, "", 0);
  for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) {
    string_append(&content, part, n);
  }
  bool ok = ferror(file) == 0;
  fclose(file);
  if (!ok) {
    free(content.text);
    return NULL;
  }
  *size = content.length;
  return content.text;
}

TOOL_FUN bool file_write(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    return false;
  }
  bool ok = fwrite(data, 1, size, file) == size;
  return fclose(file) == 0 && ok;
}

// Whether there is something of this name, and whether it is a plain file: devices and pipes are neither
// read, which may never end, nor replaced.
TOOL_FUN bool file_there(const char *path, bool *plain) {
  struct stat about;
  bool there = stat(path, &about) == 0;
  *plain = there && (about.st_mode & S_IFMT) == S_IFREG;
  return there;
}

#define CACHE_MAGIC "fehu kernels 2\n"

// What a compiled program depends on, as two hashes.
struct cache_key {
  uint64_t a, b;
};

TOOL_FUN void cache_key_bytes(struct cache_key *key, const void *data, size_t size) {
  const unsigned char *bytes = data;
  if (key->a == 0) {
    key->a = UINT64_C(14695981039346656037);
    key->b = UINT64_C(88172645463325252);
  }
  for (size_t i = 0; i < size; i++) {
    key->a = (key->a ^ bytes[i]) * UINT64_C(1099511628211);
    key->b = (key->b + bytes[i]) * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    key->b ^= key->b >> 29;
  }
}

TOOL_FUN void cache_key_add(struct cache_key *key, const char *text) {
  cache_key_bytes(key, text, strlen(text) + 1);
}

// What a cache file begins with. Drivers do not survive kernels that are damaged, so that their hash is there too.
struct cache_header {
  char magic[sizeof CACHE_MAGIC];
  struct cache_key key, content;
  uint64_t size;
};

TOOL_FUN struct cache_header cache_header(const struct cache_key *key, const void *data, size_t size) {
  struct cache_header header;
  memset(&header, 0, sizeof header);
  memcpy(header.magic, CACHE_MAGIC, sizeof CACHE_MAGIC);
  header.key = *key;
  header.size = size;
  cache_key_bytes(&header.content, data, size);
  return header;
}

// What was compiled before, or NULL.
TOOL_FUN char *cache_load(struct futhark_context *ctx, const struct cache_key *key, size_t *size) {
  const char *path = ctx->cfg->cache_file;
  const size_t start = sizeof(struct cache_header);
  bool plain;
  if (path == NULL) {
    return NULL;
  }
  char *content = file_there(path, &plain) && plain ? file_read(path, size) : NULL;
  bool ok = content != NULL && *size >= start;
  if (ok) {
    struct cache_header expected = cache_header(key, content + start, *size - start);
    ok = memcmp(content, &expected, start) == 0;
  }
  if (ctx->logging) {
    fprintf(ctx->log, ok ? "Using the kernels in the cache file %s.\n"
                         : "The cache file %s has no kernels for this program and device.\n", path);
  }
  if (!ok) {
    free(content);
    return NULL;
  }
  *size -= start;
  memmove(content, content + start, *size + 1);
  return content;
}

// Puts a file in the place of another.
TOOL_FUN bool file_replace(const char *from, const char *to) {
#ifdef _WIN32
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
#else
  return rename(from, to) == 0;
#endif
}

// Under another name first, so that nobody reads half a file.
TOOL_FUN void cache_store(struct futhark_context *ctx, const struct cache_key *key, const void *data, size_t size) {
  const char *path = ctx->cfg->cache_file;
  bool plain;
  if (path == NULL) {
    return;
  }
  if (file_there(path, &plain) && !plain) {
    if (ctx->logging) {
      fprintf(ctx->log, "Cannot write the cache file %s: it is no plain file.\n", path);
    }
    return;
  }
  struct string content = {0}, other = {0};
  struct cache_header header = cache_header(key, data, size);
  string_append(&content, (const char *)&header, sizeof header);
  string_append(&content, data, size);
  string_printf(&other, "%s.%ld.%p.new", path, (long)getpid(), (void *)&content);
  bool whole = content.length == sizeof header + size && other.text != NULL;
  bool ok = whole && file_write(other.text, content.text, content.length) && file_replace(other.text, path);
  if (!ok && ctx->logging) {
    fprintf(ctx->log, "Cannot write the cache file %s: %s.\n", path, whole ? strerror(errno) : "out of memory");
  }
  if (whole && !ok) {
    remove(other.text);
  }
  free(content.text);
  free(other.text);
}

// The kernel text to use, to be freed.
TOOL_FUN char *program_text(const struct futhark_context_config *cfg) {
  if (cfg->device.program != NULL) {
    return string_copy(cfg->device.program);
  }
  if (cfg->device.load_program != NULL) {
    size_t size;
    return file_read(cfg->device.load_program, &size);
  }
  struct string text = {0};
  for (int i = 0; kernel_text[i] != NULL; i++) {
    string_append(&text, kernel_text[i], strlen(kernel_text[i]));
  }
  return text.text;
}

// The sizes of thread blocks and tiles, which are part of kernels, as text; and a name for them all.
TOOL_FUN char *program_sizes(const struct futhark_context *ctx, char name[32]) {
  struct string sizes = {0};
  struct cache_key key = {0, 0};
  string_append(&sizes, "", 0);
  for (int i = 0; i < NUM_PARAMS; i++) {
    const char *class = param_classes[i];
    if (strcmp(class, "thread_block_size") == 0 || strcmp(class, "tile_size") == 0 || strcmp(class, "reg_tile_size") == 0) {
      string_printf(&sizes, "#ifndef SIZE_%d\n#define SIZE_%d %" PRId64 "\n#endif\n", i, i, ctx->params[i]);
    }
  }
  cache_key_add(&key, sizes.text == NULL ? "" : sizes.text);
  snprintf(name, 32, "sizes_%016" PRIx64, key.a);
  return sizes.text;
}

// The same, for a context: after the sizes of thread blocks and tiles, which are known by now. Where the text
// brings such sizes along, since it was written by another context, they are not those of this one. A kernel that does
// nothing tells which sizes compiled kernels are for.
TOOL_FUN char *sized_program_text(const struct futhark_context *ctx) {
  char name[32];
  char *text = program_text(ctx->cfg), *sizes = program_sizes(ctx, name);
  struct string all = {0};
  if (text != NULL && sizes != NULL) {
    string_append(&all, sizes, strlen(sizes));
    string_append(&all, text, strlen(text));
    string_printf(&all, "\n#ifndef HAS_%s\n#define HAS_%s\n" API_KERNEL " %s(void) {}\n#endif\n", name, name, name);
  }
  free(text);
  free(sizes);
  return all.text;
}

// Compiled kernels from a file know no parameters; is there the kernel that tells which they were compiled for?
TOOL_FUN int wrong_sizes(struct futhark_context *ctx) {
  set_error(ctx, "Error: the compiled kernels in %s are of another program, or for other sizes of thread blocks and tiles.\n",
            ctx->cfg->device.load_binary);
  return DEVICE_ERROR;
}

// End of cache.h.
