// Start of access.h: the bytes of blocks, in the memory of the host.
//
// Other back ends have them elsewhere, and may fail to get there.

RTS_FUN unsigned char *block_data(struct block *b) {
  return b == NULL ? NULL : b->mem;
}

RTS_FUN int block_write(struct futhark_context *ctx, struct block *to, int64_t at, const void *from, int64_t bytes) {
  (void)ctx;
  memcpy(to->mem + at, from, (size_t)bytes);
  return FUTHARK_SUCCESS;
}

RTS_FUN int block_read(struct futhark_context *ctx, const struct block *from, int64_t at, void *to, int64_t bytes) {
  (void)ctx;
  memcpy(to, from->mem + at, (size_t)bytes);
  return FUTHARK_SUCCESS;
}

RTS_FUN int block_copy(struct futhark_context *ctx, struct block *to, int64_t to_at, const struct block *from,
                       int64_t from_at, int64_t bytes) {
  (void)ctx;
  memcpy(to->mem + to_at, from->mem + from_at, (size_t)bytes);
  return FUTHARK_SUCCESS;
}

// The bytes where the host can see them, to be given back by `block_unview`.
RTS_FUN const unsigned char *block_view(struct futhark_context *ctx, const struct block *b, int64_t bytes) {
  (void)ctx, (void)bytes;
  return b->mem;
}

RTS_FUN void block_unview(const unsigned char *view) {
  (void)view;
}

// End of access.h.
