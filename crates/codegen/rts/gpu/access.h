// Start of access.h: the bytes of blocks, on a device.

// What a failed check of a kernel says, generated.
static int failure_message(struct futhark_context *ctx, int32_t number, const int64_t *values);

// Whether a kernel has failed; all kernels have run.
CALLED_FUN int check_failure(struct futhark_context *ctx) {
  int64_t values[MAX_FAILURE_VALUES];
  int32_t number = -1;
  if (!ctx->device.may_have_failed) {
    return FUTHARK_SUCCESS;
  }
  ctx->device.may_have_failed = false;
  int err = api_failure(ctx, &number, values);
  if (err == FUTHARK_SUCCESS && number >= 0) {
    err = failure_message(ctx, number, values);
  }
  return err;
}

RTS_FUN int block_write(struct futhark_context *ctx, struct block *to, int64_t at, const void *from, int64_t bytes) {
  memory_unsee(&ctx->memory);
  return bytes <= 0 ? FUTHARK_SUCCESS : api_upload(ctx, to->mem, at, from, bytes);
}

RTS_FUN int block_read(struct futhark_context *ctx, const struct block *from, int64_t at, void *to, int64_t bytes) {
  int err = FUTHARK_SUCCESS;
  if (bytes > 0 && from->host != NULL) {
    err = api_wait(ctx);
    memcpy(to, from->host + at, (size_t)bytes);
  } else if (bytes > 0) {
    err = api_download(ctx, from->mem, at, to, bytes);
  }
  return err == FUTHARK_SUCCESS ? check_failure(ctx) : err;
}

RTS_FUN int block_copy(struct futhark_context *ctx, struct block *to, int64_t to_at, const struct block *from,
                       int64_t from_at, int64_t bytes) {
  memory_unsee(&ctx->memory);
  // The sizes that say where an array is may have other names: then it may be where it is wanted.
  bool there = bytes <= 0 || (to->mem == from->mem && to_at == from_at);
  return there ? FUTHARK_SUCCESS : api_move(ctx, to->mem, to_at, from->mem, from_at, bytes);
}

// The bytes where the host can see them, to be given back by `block_unview`.
CALLED_FUN const unsigned char *block_view(struct futhark_context *ctx, const struct block *b, int64_t bytes) {
  unsigned char *view = malloc((size_t)bytes + 1);
  if (view == NULL) {
    set_error(ctx, "Error: out of memory: cannot read an array of %" PRId64 " bytes.\n", bytes);
  } else if (block_read(ctx, b, 0, view, bytes) != FUTHARK_SUCCESS) {
    free(view);
    view = NULL;
  }
  return view;
}

RTS_FUN void block_unview(const unsigned char *view) {
  free((void *)view);
}

// A small block, in which nothing is yet, is memory of the host from now on, if there is some left.
CALLED_FUN void block_to_host(struct futhark_context *ctx, struct block *b) {
  device_memory mem;
  if (b->host != NULL || b->stays || b->size > SEEN_BYTES) {
    return;
  }
  const unsigned char *host = api_take_host(ctx, &mem);
  b->stays = host == NULL;
  if (host != NULL) {
    b->own = b->mem;
    b->mem = mem;
    b->host = host;
  }
}

// The copy of a small block begins, after all that was launched before. What kernels write to the host's memory is there when they have ended.
CALLED_FUN int read_ahead(struct futhark_context *ctx, const struct block *b) {
  bool begun = false;
  int err = FUTHARK_SUCCESS;
  if (b->host != NULL) {
    begun = api_wait_ahead(ctx);
  } else if (b->size <= SEEN_BYTES) {
    err = api_begin_download(ctx, b->mem, b->size, &begun);
  }
  ctx->memory.ahead = begun ? b : NULL;
  return err;
}

// Where the host keeps the next part that it reads.
RTS_FUN struct seen *next_seen(struct memory *memory) {
  return &memory->seen[memory->num_seen++ % SEEN_PARTS];
}

// Waits for that copy. What was launched after it may still run, and may fail; but if anything has failed by now, all must end first.
CALLED_FUN int end_ahead(struct futhark_context *ctx) {
  struct memory *memory = &ctx->memory;
  bool failed = false;
  struct seen *seen = next_seen(memory);
  seen->block = memory->ahead;
  seen->at = 0;
  memory->ahead = NULL;
  int err = api_end_download(ctx, seen->block->host, seen->bytes, seen->block->size, &failed);
  if (err != FUTHARK_SUCCESS || failed) {
    memory_unsee(memory);
  }
  if (err == FUTHARK_SUCCESS && failed) {
    err = api_wait(ctx);
    return err == FUTHARK_SUCCESS ? check_failure(ctx) : err;
  }
  return err;
}

// The part of a block from there on, if the host has read it.
CALLED_FUN const struct seen *find_seen(const struct memory *memory, const struct block *b, int64_t at) {
  for (int i = 0; i < SEEN_PARTS && i < memory->num_seen; i++) {
    if (memory->seen[i].block == b && memory->seen[i].at == at) {
      return &memory->seen[i];
    }
  }
  return NULL;
}

// An element. Each read waits for the device, so that its neighbours are read with it: other results of a reduction, the next elements of an array.
CALLED_FUN int element_read(struct futhark_context *ctx, const struct block *from, int64_t at, void *to, int64_t bytes) {
  struct memory *memory = &ctx->memory;
  int64_t start = at / SEEN_BYTES * SEEN_BYTES, left = from->size - start;
  if (memory->ahead == from) {
    int err = end_ahead(ctx);
    if (err != FUTHARK_SUCCESS) {
      return err;
    }
  }
  const struct seen *seen = find_seen(memory, from, start);
  if (seen == NULL) {
    struct seen *new_seen = next_seen(memory);
    new_seen->block = from;
    new_seen->at = start;
    int err = block_read(ctx, from, start, new_seen->bytes, left < SEEN_BYTES ? left : SEEN_BYTES);
    if (err != FUTHARK_SUCCESS) {
      memory_unsee(memory);
      return err;
    }
    seen = new_seen;
  }
  memcpy(to, seen->bytes + (at - start), (size_t)bytes);
  return FUTHARK_SUCCESS;
}

// Single elements, as programs use them. Reading does nothing once there is an error.
#define ELEMENT_ACCESS(NAME, T)                                                                            \
  CALLED_FUN T read_##NAME(struct futhark_context *ctx, int *err, const struct block *b, int64_t i) {      \
    T x = 0;                                                                                               \
    if (*err == FUTHARK_SUCCESS) {                                                                         \
      *err = element_read(ctx, b, i * (int64_t)sizeof(T), &x, (int64_t)sizeof(T));                         \
    }                                                                                                      \
    return x;                                                                                              \
  }                                                                                                        \
  CALLED_FUN int write_##NAME(struct futhark_context *ctx, struct block *b, int64_t i, T x) {              \
    return block_write(ctx, b, i * (int64_t)sizeof(T), &x, (int64_t)sizeof(T));                            \
  }

ELEMENT_ACCESS(i8, int8_t)
ELEMENT_ACCESS(i16, int16_t)
ELEMENT_ACCESS(i32, int32_t)
ELEMENT_ACCESS(i64, int64_t)
ELEMENT_ACCESS(f16, f16)
ELEMENT_ACCESS(f32, float)
ELEMENT_ACCESS(f64, double)
ELEMENT_ACCESS(bool, bool)

// End of access.h.
