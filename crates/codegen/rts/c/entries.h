// Start of entries.h: the program's face, for executables and servers.
//
// After this file come the generated tables `entries` and `types`.

struct parameter {
  const char *name;
  const struct type *type;
  bool unique;
};

struct entry {
  const char *name;
  int num_inputs;
  const struct parameter *inputs;
  struct parameter output;
  // Scalars are passed by address, other values as themselves.
  int (*call)(struct futhark_context *ctx, void *out, const void *const *ins);
  int num_params;
  const int *params;
  int num_attributes;
  const char *const *attributes;
};

// What a variable holds: a scalar, or a pointer to a value.
TOOL_FUN struct value *held_value(const union word *word) {
  struct value *v;
  memcpy(&v, word, sizeof v);
  return v;
}

TOOL_FUN const void *held_argument(const struct type *type, const union word *word) {
  return type->kind == KIND_SCALAR ? (const void *)word : held_value(word);
}

TOOL_FUN void held_free(struct futhark_context *ctx, const struct type *type, const union word *word) {
  if (type->kind != KIND_SCALAR) {
    value_free(ctx, held_value(word));
  }
}

// A copy that shares no memory.
TOOL_FUN int held_clone(struct futhark_context *ctx, const struct type *type, const union word *from, union word *to) {
  if (type->kind == KIND_SCALAR) {
    *to = *from;
    return FUTHARK_SUCCESS;
  }
  const struct value *v = held_value(from);
  enter(ctx);
  struct value *copy = value_new(ctx, type);
  for (int i = 0; i < type->num_leaves && copy != NULL; i++) {
    const struct leaf *leaf = &type->leaves[i];
    if (leaf->rank == 0) {
      leaf_copy(leaf, copy->words, leaf, v->words);
      continue;
    }
    if (leaf_alloc(ctx, leaf, copy->words, leaf_shape(leaf, v->words), leaf->rank, NULL) != FUTHARK_SUCCESS) {
      value_drop(ctx, copy);
      copy = NULL;
      break;
    }
    int64_t bytes = leaf_bytes(leaf, v->words);
    const struct block *source = v->words[leaf->word].block;
    if (bytes > 0 && block_copy(ctx, copy->words[leaf->word].block, 0, source, 0, bytes) != FUTHARK_SUCCESS) {
      value_drop(ctx, copy);
      copy = NULL;
    }
  }
  leave(ctx);
  memcpy(to, &copy, sizeof copy);
  return copy == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
}

// Whether a type is a tuple: a record of numbered fields.
TOOL_FUN bool is_tuple(const struct type *type) {
  if (type->kind != KIND_RECORD) {
    return false;
  }
  for (int i = 0; i < type->num_fields; i++) {
    char name[16];
    snprintf(name, sizeof name, "%d", i);
    if (strcmp(type->fields[i].name, name) != 0) {
      return false;
    }
  }
  return true;
}

// End of entries.h.
