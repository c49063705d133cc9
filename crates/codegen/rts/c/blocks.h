// Start of blocks.h: what programs do with blocks.
//
// Each function takes what a variable holds and returns what it holds
// afterwards, so that variables stay in registers.

// Where memory may be refused for other reasons than its size, with an error of its own.
#ifndef MEMORY_FAILED
#define MEMORY_FAILED(ctx) false
#endif

// How much memory a device has, where that is known.
#ifndef MEMORY_THERE
#define MEMORY_THERE(ctx) INT64_C(0)
#endif

// Where several threads count references and have memory, a back end has its own ways.
#ifndef MEMORY_OF
#define MEMORY_OF(ctx) (&(ctx)->memory)
#define REFS_ADD(b) ((void)((b)->refs += (b)->refs != STATIC_BLOCK))
#define REFS_DROP(b) ((b)->refs != STATIC_BLOCK && --(b)->refs == 0)
#endif

RTS_FUN struct block *block_drop(struct futhark_context *ctx, struct block *b) {
  if (b != NULL && REFS_DROP(b)) {
    memory_give(MEMORY_OF(ctx), b);
  }
  return NULL;
}

RTS_FUN struct block *block_share(struct futhark_context *ctx, struct block *old, struct block *b) {
  if (b == old) {
    return b;
  }
  if (b != NULL) {
    REFS_ADD(b);
  }
  block_drop(ctx, old);
  return b;
}

// Fresh memory, or NULL with an error that ends with the place where the program needs it. A number of bytes that is
// the largest there is (see `size_mul`) was to be larger.
CALLED_FUN struct block *block_alloc(struct futhark_context *ctx, struct block *old, int64_t bytes,
                                     int place) {
  block_drop(ctx, old);
  if (UNLIKELY(bytes < 0)) {
    fail_at(ctx, place, "Error: cannot allocate %" PRId64 " bytes: the size is negative.", bytes);
    return NULL;
  }
  if (UNLIKELY(bytes == INT64_MAX)) {
    fail_at(ctx, place, "Error: an array is too large: its size in bytes does not fit in 63 bits.");
    return NULL;
  }
  struct block *b = memory_take(MEMORY_OF(ctx), bytes);
  if (UNLIKELY(b == NULL) && !MEMORY_FAILED(ctx)) {
    int64_t live = MEMORY_OF(ctx)->live, most = MEMORY_THERE(ctx);
    if (most > 0) {
      fail_at(ctx, place, "Error: out of memory: cannot allocate %" PRId64 " bytes; %" PRId64
              " of the device's %" PRId64 " are in use.", bytes, live, most);
    } else if (live > 0) {
      fail_at(ctx, place, "Error: out of memory: cannot allocate %" PRId64 " bytes; %" PRId64
              " are in use.", bytes, live);
    } else {
      fail_at(ctx, place, "Error: out of memory: cannot allocate %" PRId64 " bytes.", bytes);
    }
  }
  return b;
}

// Marks a block that the program keeps for all calls.
RTS_FUN void block_keep(struct block *b) {
  if (b != NULL && b->refs != STATIC_BLOCK) {
    b->constant = true;
  }
}

// The same block, or a copy of it if it is a constant: what leaves the program
// may be written by another call.
CALLED_FUN struct block *block_own(struct futhark_context *ctx, struct block *b) {
  if (b == NULL) {
    return block_alloc(ctx, NULL, 0, NO_PLACE);
  }
  if (!b->constant) {
    return b;
  }
  struct block *copy = block_alloc(ctx, NULL, b->size, NO_PLACE);
  if (copy != NULL && block_copy(ctx, copy, 0, b, 0, b->size) != FUTHARK_SUCCESS) {
    copy = block_drop(ctx, copy);
  }
  block_drop(ctx, b);
  return copy;
}

// End of blocks.h.
