// Start of shown.h: values of any type as text: records, sums, and arrays of them.
//
// A record that is in no array or sum has a line for each field; everything else is on one line. `written.rs` of the
// interpreter writes the same.

#define ONE_LINE (-1)

// A leaf of a value, or of an element of it: its elements in memory.
struct part {
  enum scalar scalar;
  int rank;
  const int64_t *shape;
  const unsigned char *data;
};

TOOL_FUN bool show_parts(FILE *file, const struct type *type, const struct part *parts, int column);

// Ends one element; the next begins in this column.
TOOL_FUN void show_comma(FILE *file, int column) {
  fputs(column == ONE_LINE ? ", " : ",\n", file);
  for (int i = 0; i < column; i++) {
    fputc(' ', file);
  }
}

TOOL_FUN void show_type(FILE *file, const struct type *type) {
  if (type->kind != KIND_RECORD) {
    fputs(type->name, file);
    return;
  }
  bool tuple = is_tuple(type);
  fputc(tuple ? '(' : '{', file);
  for (int i = 0; i < type->num_fields; i++) {
    fputs(i > 0 ? ", " : "", file);
    if (!tuple) {
      fprintf(file, "%s: ", type->fields[i].name);
    }
    show_type(file, type->fields[i].type);
  }
  fputc(tuple ? ')' : '}', file);
}

TOOL_FUN bool show_record(FILE *file, const struct type *type, const struct part *parts, int column) {
  bool tuple = is_tuple(type), ok = true;
  int inside = column == ONE_LINE ? ONE_LINE : column + 1;
  fputc(tuple ? '(' : '{', file);
  for (int i = 0; i < type->num_fields && ok; i++) {
    const struct field *field = &type->fields[i];
    int at = inside;
    if (i > 0) {
      show_comma(file, inside);
    }
    if (!tuple) {
      fprintf(file, "%s = ", field->name);
      at = inside == ONE_LINE ? ONE_LINE : inside + (int)strlen(field->name) + 3;
    }
    ok = show_parts(file, field->type, parts + field->leaf, at);
  }
  fputc(tuple ? ')' : '}', file);
  return ok;
}

TOOL_FUN bool show_sum(FILE *file, const struct type *type, const struct part *parts) {
  const struct variant *variant = &type->variants[parts[0].data[0]];
  bool ok = true;
  fprintf(file, "#%s", variant->name);
  for (int i = 0; i < variant->arity && ok; i++) {
    const struct payload *payload = &variant->payloads[i];
    bool is_sum = payload->type->kind == KIND_SUM;
    struct part *own = calloc((size_t)payload->type->num_leaves + 1, sizeof(struct part));
    ok = own != NULL;
    for (int j = 0; j < payload->type->num_leaves && ok; j++) {
      own[j] = parts[payload->leaves[j]];
    }
    fputs(is_sum ? " (" : " ", file);
    ok = ok && show_parts(file, payload->type, own, ONE_LINE);
    fputs(is_sum ? ")" : "", file);
    free(own);
  }
  return ok;
}

// An array of anything, of which so many dimensions are left.
TOOL_FUN bool show_rows(FILE *file, const struct type *elem, int num_parts, const struct part *parts, int rank) {
  if (rank == 0) {
    return show_parts(file, elem, parts, ONE_LINE);
  }
  struct part *row = calloc((size_t)num_parts + 1, sizeof(struct part));
  bool ok = row != NULL;
  for (int i = 0; i < num_parts && ok; i++) {
    row[i] = parts[i];
    row[i].rank--;
    row[i].shape++;
  }
  fputc('[', file);
  for (int64_t n = 0; n < parts[0].shape[0] && ok; n++) {
    if (n > 0) {
      show_comma(file, ONE_LINE);
    }
    ok = show_rows(file, elem, num_parts, row, rank - 1);
    for (int i = 0; i < num_parts; i++) {
      int64_t size = scalar_sizes[row[i].scalar];
      row[i].data += size * shape_elements(row[i].rank, row[i].shape, size);
    }
  }
  fputc(']', file);
  free(row);
  return ok;
}

// Whether there was memory to do it.
TOOL_FUN bool show_parts(FILE *file, const struct type *type, const struct part *parts, int column) {
  switch (type->kind) {
  case KIND_SCALAR:
  case KIND_ARRAY:
  case KIND_OPAQUE:
    write_rows(file, parts->scalar, parts->rank, parts->shape, parts->data);
    return true;
  case KIND_RECORD: return show_record(file, type, parts, column);
  case KIND_SUM: return show_sum(file, type, parts);
  case KIND_OPAQUE_ARRAY:
  case KIND_RECORD_ARRAY: return show_rows(file, type->elem, type->num_leaves, parts, type->rank);
  }
  return true;
}

// Writes an array that has no elements as its shape and type; whether it is one.
TOOL_FUN bool show_empty(FILE *file, const struct type *type, const int64_t *shape) {
  bool empty = false;
  for (int i = 0; i < type->rank; i++) {
    empty = empty || shape[i] == 0;
  }
  if (empty) {
    fputs("empty(", file);
    for (int i = 0; i < type->rank; i++) {
      fprintf(file, "[%" PRId64 "]", shape[i]);
    }
    show_type(file, type->elem);
    fputc(')', file);
  }
  return empty;
}

// Where the elements of empty arrays are.
static UNUSED const unsigned char no_elements[1];

// Writes the value with these words; if that fails, the context has an error.
TOOL_FUN bool show_value(struct futhark_context *ctx, FILE *file, const struct type *type, const union word *words) {
  struct part *parts = calloc((size_t)type->num_leaves + 1, sizeof(struct part));
  bool ok = parts != NULL, viewed = ok;
  enter(ctx);
  for (int i = 0; i < type->num_leaves && viewed; i++) {
    const struct leaf *leaf = &type->leaves[i];
    parts[i] = (struct part){leaf->scalar, leaf->rank, leaf_shape(leaf, words),
                             (const unsigned char *)&words[leaf->word]};
    if (leaf->rank > 0) {
      int64_t bytes = leaf_bytes(leaf, words);
      parts[i].data = bytes == 0 ? no_elements : block_view(ctx, words[leaf->word].block, bytes);
      viewed = parts[i].data != NULL;
    }
  }
  leave(ctx);
  if (viewed && !(type->rank > 0 && show_empty(file, type, parts[0].shape))) {
    ok = show_parts(file, type, parts, 0);
  }
  if (!ok) {
    set_error(ctx, "Error: out of memory: cannot print a value of type %s.\n", type->name);
  }
  for (int i = 0; i < type->num_leaves && parts != NULL; i++) {
    if (type->leaves[i].rank > 0 && parts[i].data != NULL && parts[i].data != no_elements) {
      block_unview(parts[i].data);
    }
  }
  free(parts);
  return ok && viewed;
}

// End of shown.h.
