// Start of store.h: values as bytes.
//
// A value is stored as its leaves in the binary data format, one after the
// other, so a stored value is also what an executable could print.

#define BINARY_VERSION 2
#define BINARY_HEADER 7

CALLED_FUN const char *scalar_tag(enum scalar scalar) {
  static const char *const tags[] = {"  i8", " i16", " i32", " i64", "  u8", " u16",
                                     " u32", " u64", " f16", " f32", " f64", "bool"};
  return tags[scalar];
}

CALLED_FUN bool is_big_endian(void) {
  uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

// The format is little-endian.
CALLED_FUN void swap_if_big_endian(unsigned char *data, int64_t n, int64_t size) {
  if (size > 1 && is_big_endian()) {
    for (int64_t i = 0; i < n; i++, data += size) {
      for (int64_t a = 0, b = size - 1; a < b; a++, b--) {
        unsigned char byte = data[a];
        data[a] = data[b];
        data[b] = byte;
      }
    }
  }
}

CALLED_FUN size_t leaf_stored_size(const struct leaf *leaf, const union word *words) {
  int64_t bytes = leaf->rank == 0 ? scalar_sizes[leaf->scalar] : leaf_bytes(leaf, words);
  return BINARY_HEADER + 8 * (size_t)leaf->rank + (size_t)bytes;
}

// The end of what was written, or NULL with an error.
CALLED_FUN unsigned char *leaf_store(struct futhark_context *ctx, const struct leaf *leaf, const union word *words,
                                     unsigned char *to) {
  int64_t size = scalar_sizes[leaf->scalar], n = 1;
  *to++ = 'b';
  *to++ = BINARY_VERSION;
  *to++ = (unsigned char)leaf->rank;
  memcpy(to, scalar_tag(leaf->scalar), 4);
  to += 4;
  if (leaf->rank > 0) {
    memcpy(to, leaf_shape(leaf, words), 8 * (size_t)leaf->rank);
    swap_if_big_endian(to, leaf->rank, 8);
    to += 8 * leaf->rank;
    n = shape_elements(leaf->rank, leaf_shape(leaf, words), size);
  }
  if (leaf->rank == 0) {
    memcpy(to, &words[leaf->word], (size_t)size);
  } else if (n > 0 && block_read(ctx, words[leaf->word].block, 0, to, n * size) != FUTHARK_SUCCESS) {
    return NULL;
  }
  swap_if_big_endian(to, n, size);
  return to + n * size;
}

CALLED_FUN int value_store(struct futhark_context *ctx, const struct value *v, void **p, size_t *n) {
  enter(ctx);
  int err = FUTHARK_SUCCESS;
  size_t size = 0;
  for (int i = 0; i < v->type->num_leaves; i++) {
    const struct leaf *leaf = &v->type->leaves[i];
    if (leaf->rank > 0 && leaf_bytes(leaf, v->words) < 0) {
      set_error(ctx, "Error: an array of this shape cannot be stored: it is too large.\n");
      leave(ctx);
      return FUTHARK_PROGRAM_ERROR;
    }
    size += leaf_stored_size(leaf, v->words);
  }
  *n = size;
  if (p != NULL && *p == NULL) {
    *p = malloc(size + 1);
    if (*p == NULL) {
      set_error(ctx, "Error: out of memory: cannot store a value of %zu bytes.\n", size);
      err = FUTHARK_OUT_OF_MEMORY;
    }
  }
  if (p != NULL && err == FUTHARK_SUCCESS) {
    unsigned char *to = *p;
    for (int i = 0; i < v->type->num_leaves && to != NULL; i++) {
      to = leaf_store(ctx, &v->type->leaves[i], v->words, to);
    }
    err = to == NULL ? FUTHARK_PROGRAM_ERROR : FUTHARK_SUCCESS;
  }
  leave(ctx);
  return err;
}

// Gives an array leaf its elements, which are little-endian.
CALLED_FUN int leaf_fill(struct futhark_context *ctx, const struct leaf *leaf, union word *words,
                         const unsigned char *from, int64_t bytes) {
  int64_t size = scalar_sizes[leaf->scalar];
  if (size == 1 || !is_big_endian()) {
    return block_write(ctx, words[leaf->word].block, 0, from, bytes);
  }
  unsigned char *swapped = malloc((size_t)bytes);
  if (swapped == NULL) {
    set_error(ctx, "Error: out of memory: cannot read a value of %" PRId64 " bytes.\n", bytes);
    return FUTHARK_OUT_OF_MEMORY;
  }
  memcpy(swapped, from, (size_t)bytes);
  swap_if_big_endian(swapped, bytes / size, size);
  int err = block_write(ctx, words[leaf->word].block, 0, swapped, bytes);
  free(swapped);
  return err;
}

// Reads a leaf of the right type; NULL with an error if there is none.
CALLED_FUN const unsigned char *leaf_restore(struct futhark_context *ctx, const struct leaf *leaf, union word *words,
                                          const unsigned char *from) {
  int64_t size = scalar_sizes[leaf->scalar], n = 1;
  if (from[0] != 'b' || from[1] != BINARY_VERSION || from[2] != leaf->rank ||
      memcmp(from + 3, scalar_tag(leaf->scalar), 4) != 0) {
    set_error(ctx, "Error: these bytes do not hold a stored value of this type.\n");
    return NULL;
  }
  from += BINARY_HEADER;
  if (leaf->rank > 0) {
    memcpy(&words[leaf->word + 1], from, 8 * (size_t)leaf->rank);
    swap_if_big_endian((unsigned char *)&words[leaf->word + 1], leaf->rank, 8);
    from += 8 * leaf->rank;
    const int64_t *shape = leaf_shape(leaf, words);
    if (leaf_alloc(ctx, leaf, words, shape, leaf->rank, NULL) != FUTHARK_SUCCESS) {
      return NULL;
    }
    n = shape_elements(leaf->rank, shape, size);
  }
  if (!want_booleans(ctx, leaf->scalar, from, n)) {
    return NULL;
  }
  if (leaf->rank > 0) {
    if (n > 0 && leaf_fill(ctx, leaf, words, from, n * size) != FUTHARK_SUCCESS) {
      return NULL;
    }
  } else {
    memcpy(&words[leaf->word], from, (size_t)size);
    swap_if_big_endian((unsigned char *)&words[leaf->word], 1, size);
  }
  return from + n * size;
}

CALLED_FUN struct value *value_restore(struct futhark_context *ctx, const struct type *type, const void *p) {
  struct value *out = NULL;
  enter(ctx);
  struct value *v = value_new(ctx, type);
  const unsigned char *from = v == NULL ? NULL : p;
  for (int i = 0; i < type->num_leaves && from != NULL; i++) {
    from = leaf_restore(ctx, &type->leaves[i], v->words, from);
  }
  value_done(ctx, v, from == NULL ? FUTHARK_PROGRAM_ERROR : FUTHARK_SUCCESS, &out);
  return out;
}

// End of store.h.
