// Start of writer.h: values as text or binary data.

CALLED_FUN void write_integer(FILE *file, bool negative, uint64_t bits, enum scalar scalar) {
  char text[32];
  char *at = text + sizeof text;
  uint64_t magnitude = negative ? 0 - bits : bits;
  do {
    *--at = (char)('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude > 0);
  if (negative) {
    *--at = '-';
  }
  fwrite(at, 1, (size_t)(text + sizeof text - at), file);
  fputs(scalar_names[scalar], file);
}

// Words such as `f32.nan` say their type themselves.
CALLED_FUN void write_float(FILE *file, const char *text, enum scalar scalar) {
  fputs(text, file);
  if (strchr(text, 'n') == NULL) {
    fputs(scalar_names[scalar], file);
  }
}

CALLED_FUN void write_scalar(FILE *file, enum scalar scalar, const void *at) {
  union word w;
  w.i64 = 0;
  memcpy(&w, at, (size_t)scalar_sizes[scalar]);
  switch (scalar) {
  case SCALAR_I8: write_integer(file, w.i8 < 0, (uint64_t)(int64_t)w.i8, scalar); break;
  case SCALAR_I16: write_integer(file, w.i16 < 0, (uint64_t)(int64_t)w.i16, scalar); break;
  case SCALAR_I32: write_integer(file, w.i32 < 0, (uint64_t)(int64_t)w.i32, scalar); break;
  case SCALAR_I64: write_integer(file, w.i64 < 0, (uint64_t)w.i64, scalar); break;
  case SCALAR_U8: write_integer(file, false, (uint8_t)w.i8, scalar); break;
  case SCALAR_U16: write_integer(file, false, (uint16_t)w.i16, scalar); break;
  case SCALAR_U32: write_integer(file, false, (uint32_t)w.i32, scalar); break;
  case SCALAR_U64: write_integer(file, false, (uint64_t)w.i64, scalar); break;
  case SCALAR_F16: write_float(file, show_f16(FLOAT_TEXT, w.f16), scalar); break;
  case SCALAR_F32: write_float(file, show_f32(FLOAT_TEXT, w.f32), scalar); break;
  case SCALAR_F64: write_float(file, show_f64(FLOAT_TEXT, w.f64), scalar); break;
  case SCALAR_BOOL: fputs(show_bool(w.b), file); break;
  }
}

// An array of scalars, and where the next one begins.
CALLED_FUN const unsigned char *write_rows(FILE *file, enum scalar scalar, int rank, const int64_t *shape,
                                           const unsigned char *data) {
  if (rank == 0) {
    write_scalar(file, scalar, data);
    return data + scalar_sizes[scalar];
  }
  fputc('[', file);
  for (int64_t i = 0; i < shape[0]; i++) {
    if (i > 0) {
      fputs(", ", file);
    }
    data = write_rows(file, scalar, rank - 1, shape + 1, data);
  }
  fputc(']', file);
  return data;
}

// Both say whether they could; if not, the context has an error.

TOOL_FUN bool write_text_leaf(struct futhark_context *ctx, FILE *file, const struct leaf *leaf,
                              const union word *words) {
  if (leaf->rank == 0) {
    write_scalar(file, leaf->scalar, &words[leaf->word]);
    return true;
  }
  const int64_t *shape = leaf_shape(leaf, words);
  int64_t bytes = leaf_bytes(leaf, words);
  if (bytes > 0) {
    enter(ctx);
    const unsigned char *data = block_view(ctx, words[leaf->word].block, bytes);
    leave(ctx);
    if (data == NULL) {
      return false;
    }
    write_rows(file, leaf->scalar, leaf->rank, shape, data);
    block_unview(data);
    return true;
  }
  fputs("empty(", file);
  for (int i = 0; i < leaf->rank; i++) {
    fprintf(file, "[%" PRId64 "]", shape[i]);
  }
  fprintf(file, "%s)", scalar_names[leaf->scalar]);
  return true;
}

// The data of a leaf as a file or a pipe wants it.
TOOL_FUN bool write_binary_leaf(struct futhark_context *ctx, FILE *file, const struct leaf *leaf,
                                const union word *words) {
  size_t size = leaf_stored_size(leaf, words);
  unsigned char *data = malloc(size);
  if (data == NULL) {
    set_error(ctx, "Error: out of memory: cannot write a value of %zu bytes.\n", size);
    return false;
  }
  enter(ctx);
  bool ok = leaf_store(ctx, leaf, words, data) != NULL;
  leave(ctx);
  ok = ok && fwrite(data, 1, size, file) == size;
  free(data);
  return ok;
}

// End of writer.h.
