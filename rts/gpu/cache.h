// Start of cache.h: files, and compiled kernels in a file of the user's choice.

// All of a file, with a zero after it, or NULL.
TOOL_FUN char *file_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  struct string content = {NULL, 0, 0};
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

#define CACHE_MAGIC "fehu kernels 1\n"

// What a compiled program depends on, as two hashes.
struct cache_key {
  uint64_t a, b;
};

TOOL_FUN void cache_key_add(struct cache_key *key, const char *text) {
  if (key->a == 0) {
    key->a = UINT64_C(14695981039346656037);
    key->b = UINT64_C(88172645463325252);
  }
  do {
    key->a = (key->a ^ (unsigned char)*text) * UINT64_C(1099511628211);
    key->b = (key->b + (unsigned char)*text) * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    key->b ^= key->b >> 29;
  } while (*text++ != '\0');
}

// What was compiled before, or NULL.
TOOL_FUN char *cache_load(struct futhark_context *ctx, const struct cache_key *key, size_t *size) {
  const char *path = ctx->cfg->cache_file;
  const size_t header = sizeof CACHE_MAGIC - 1 + sizeof *key;
  if (path == NULL) {
    return NULL;
  }
  char *content = file_read(path, size);
  if (content == NULL || *size < header || memcmp(content, CACHE_MAGIC, sizeof CACHE_MAGIC - 1) != 0 ||
      memcmp(content + sizeof CACHE_MAGIC - 1, key, sizeof *key) != 0) {
    if (ctx->logging) {
      fprintf(ctx->log, "The cache file %s has no kernels for this program and device.\n", path);
    }
    free(content);
    return NULL;
  }
  if (ctx->logging) {
    fprintf(ctx->log, "Using the kernels in the cache file %s.\n", path);
  }
  *size -= header;
  memmove(content, content + header, *size + 1);
  return content;
}

// Under another name first, so that nobody reads half a file.
TOOL_FUN void cache_store(struct futhark_context *ctx, const struct cache_key *key, const void *data, size_t size) {
  const char *path = ctx->cfg->cache_file;
  if (path == NULL) {
    return;
  }
  struct string content = {NULL, 0, 0}, other = {NULL, 0, 0};
  string_append(&content, CACHE_MAGIC, sizeof CACHE_MAGIC - 1);
  string_append(&content, (const char *)key, sizeof *key);
  string_append(&content, data, size);
  string_printf(&other, "%s.%p.new", path, (void *)&content);
  bool ok = content.length == sizeof CACHE_MAGIC - 1 + sizeof *key + size && other.text != NULL &&
            file_write(other.text, content.text, content.length) && rename(other.text, path) == 0;
  if (!ok && ctx->logging) {
    fprintf(ctx->log, "Cannot write the cache file %s: %s.\n", path, strerror(errno));
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
  struct string text = {NULL, 0, 0};
  for (int i = 0; kernel_text[i] != NULL; i++) {
    string_append(&text, kernel_text[i], strlen(kernel_text[i]));
  }
  return text.text;
}

// The same, for a context: after the sizes of thread blocks and tiles, which are known by now.
TOOL_FUN char *sized_program_text(const struct futhark_context *ctx) {
  struct string all = {NULL, 0, 0};
  char *text = program_text(ctx->cfg);
  if (text == NULL) {
    return NULL;
  }
  for (int i = 0; i < NUM_PARAMS; i++) {
    const char *class = param_classes[i];
    if (strcmp(class, "thread_block_size") == 0 || strcmp(class, "tile_size") == 0 || strcmp(class, "reg_tile_size") == 0) {
      string_printf(&all, "#define SIZE_%d %" PRId64 "\n", i, ctx->params[i]);
    }
  }
  string_append(&all, text, strlen(text));
  free(text);
  return all.text;
}

// End of cache.h.
