// Start of server_values.h: commands on arrays, records and sums.

// Commands on arrays.

TOOL_FUN void command_rank(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type != NULL && want_kind(is_array(type), "an array")) {
    printf("%d\n", type->rank);
  }
}

TOOL_FUN void command_elemtype(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type != NULL && want_kind(is_array(type), "an array")) {
    puts(type->elem->name);
  }
}

TOOL_FUN void command_new_array(struct server *s, int argc, char **args) {
  const struct type *type = want_type(args[1]);
  int64_t shape[256];
  if (type == NULL || !want_fresh(s, args, 1, 1) || !want_kind(is_array(type), "an array")) {
    return;
  }
  if (argc - 2 < type->rank) {
    failure("Insufficient command args.");
    return;
  }
  if (type->rank > 256 || !want_integers(args + 2, type->rank, shape)) {
    return;
  }
  char **elems = args + 2 + type->rank;
  int num_elems = argc - 2 - type->rank;
  int64_t n = shape_elements(type->rank, shape, 1);
  if (n != num_elems) {
    failure("The shape does not fit %d elements.", num_elems);
    return;
  }
  for (int i = 0; i < num_elems; i++) {
    const struct variable *v = want_variable(s, elems[i]);
    if (v == NULL) {
      return;
    }
    if (v->type != type->elem) {
      failure("Element %d mismatch: expected type %s, got %s", i, type->elem->name, v->type->name);
      return;
    }
  }
  const void **arguments = want_arguments(s, elems, num_elems);
  if (arguments != NULL) {
    union word out;
    int err = value_array(s->ctx, type, &out, arguments, shape);
    finish(s, err, args[0], type, &out);
  }
  free(arguments);
}

// The array and the index of commands that end in both.
TOOL_FUN struct variable *want_element(struct server *s, const char *name, int argc, char **args, int64_t *index) {
  struct variable *arr = want_variable(s, name);
  if (arr == NULL || !want_kind(is_array(arr->type), "an array") || !want_count(argc, arr->type->rank) ||
      arr->type->rank > 256 || !want_integers(args, argc, index)) {
    return NULL;
  }
  return arr;
}

TOOL_FUN void command_set(struct server *s, int argc, char **args) {
  int64_t index[256];
  const struct variable *arr = want_element(s, args[0], argc - 2, args + 2, index);
  const struct variable *elem = arr == NULL ? NULL : want_variable(s, args[1]);
  if (elem == NULL) {
    return;
  }
  if (elem->type != arr->type->elem) {
    failure("Element mismatch: expected type %s, got %s", arr->type->elem->name, elem->type->name);
  } else if (value_set(s->ctx, held_value(&arr->word), variable_argument(elem), index) != FUTHARK_SUCCESS) {
    error_failure(s);
  }
}

TOOL_FUN void command_shape(struct server *s, int argc, char **args) {
  (void)argc;
  const struct variable *v = want_variable(s, args[0]);
  if (v != NULL && want_kind(is_array(v->type), "an array")) {
    for (int i = 0; i < v->type->rank; i++) {
      printf("%" PRId64 "\n", value_shape(held_value(&v->word))[i]);
    }
  }
}

TOOL_FUN void command_index(struct server *s, int argc, char **args) {
  int64_t index[256];
  union word out;
  if (!want_fresh(s, args, 1, 1)) {
    return;
  }
  const struct variable *arr = want_element(s, args[1], argc - 2, args + 2, index);
  if (arr != NULL) {
    const struct type *elem = arr->type->elem;
    int err = value_index(s->ctx, &out, held_value(&arr->word), index);
    finish(s, err, args[0], elem, &out);
  }
}

// Checks variables against the fields of a record or an array of records.
TOOL_FUN bool want_fields(struct server *s, const struct type *type, int n, char **names) {
  if (!want_count(n, type->num_fields)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    const struct variable *v = want_variable(s, names[i]);
    if (v == NULL) {
      return false;
    }
    if (v->type != type->fields[i].type) {
      failure("Field %s mismatch: expected type %s, got %s", type->fields[i].name, type->fields[i].type->name,
              v->type->name);
      return false;
    }
  }
  return true;
}

TOOL_FUN void command_zip(struct server *s, int argc, char **args) {
  const struct type *type = want_type(args[1]);
  union word out;
  if (type == NULL || !want_fresh(s, args, 1, 1) ||
      !want_kind(type->kind == KIND_RECORD_ARRAY, "an array of records") ||
      !want_fields(s, type, argc - 2, args + 2)) {
    return;
  }
  const void **fields = want_arguments(s, args + 2, argc - 2);
  if (fields != NULL) {
    int err = value_zip(s->ctx, type, &out, fields);
    finish(s, err, args[0], type, &out);
  }
  free(fields);
}

TOOL_FUN void command_unzip(struct server *s, int argc, char **args) {
  const struct variable *arr = want_variable(s, args[0]);
  if (arr == NULL || !want_kind(arr->type->kind == KIND_RECORD_ARRAY, "an array of records") ||
      !want_count(argc - 1, arr->type->num_fields) || !want_fresh(s, args + 1, argc - 1, 1)) {
    return;
  }
  // Adding variables may move them.
  const struct type *type = arr->type;
  struct value *value = held_value(&arr->word);
  for (int i = 0; i < type->num_fields; i++) {
    union word field;
    int err = value_project(s->ctx, &field, value, i);
    finish(s, err, args[1 + i], type->fields[i].type, &field);
    if (err != FUTHARK_SUCCESS) {
      return;
    }
  }
}

// Commands on records.

TOOL_FUN void command_fields(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type != NULL && want_kind(type->kind == KIND_RECORD || type->kind == KIND_RECORD_ARRAY, "a record")) {
    for (int i = 0; i < type->num_fields; i++) {
      printf("%s %s\n", type->fields[i].name, type->fields[i].type->name);
    }
  }
}

TOOL_FUN void command_new(struct server *s, int argc, char **args) {
  const struct type *type = want_type(args[1]);
  union word out;
  if (type == NULL || !want_fresh(s, args, 1, 1) || !want_kind(type->kind == KIND_RECORD, "a record") ||
      !want_fields(s, type, argc - 2, args + 2)) {
    return;
  }
  const void **fields = want_arguments(s, args + 2, argc - 2);
  if (fields != NULL) {
    int err = value_record(s->ctx, type, &out, fields);
    finish(s, err, args[0], type, &out);
  }
  free(fields);
}

TOOL_FUN void command_project(struct server *s, int argc, char **args) {
  (void)argc;
  const struct variable *from = want_variable(s, args[1]);
  if (from == NULL || !want_fresh(s, args, 1, 1) ||
      !want_kind(from->type->kind == KIND_RECORD || from->type->kind == KIND_RECORD_ARRAY, "a record")) {
    return;
  }
  for (int i = 0; i < from->type->num_fields; i++) {
    if (strcmp(from->type->fields[i].name, args[2]) == 0) {
      union word field;
      const struct type *type = from->type->fields[i].type;
      int err = value_project(s->ctx, &field, held_value(&from->word), i);
      finish(s, err, args[0], type, &field);
      return;
    }
  }
  failure("No such field: %s", args[2]);
}

// Commands on sums.

TOOL_FUN void command_variants(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type == NULL || !want_kind(type->kind == KIND_SUM, "a sum")) {
    return;
  }
  for (int i = 0; i < type->num_variants; i++) {
    puts(type->variants[i].name);
    for (int j = 0; j < type->variants[i].arity; j++) {
      printf("- %s\n", type->variants[i].payloads[j].type->name);
    }
  }
}

TOOL_FUN void command_construct(struct server *s, int argc, char **args) {
  const struct type *type = want_type(args[1]);
  if (type == NULL || !want_fresh(s, args, 1, 1) || !want_kind(type->kind == KIND_SUM, "a sum")) {
    return;
  }
  int variant = 0;
  while (variant < type->num_variants && strcmp(type->variants[variant].name, args[2]) != 0) {
    variant++;
  }
  if (variant == type->num_variants) {
    failure("No such variant: %s", args[2]);
    return;
  }
  const struct variant *constructor = &type->variants[variant];
  if (!want_count(argc - 3, constructor->arity)) {
    return;
  }
  for (int i = 0; i < constructor->arity; i++) {
    const struct variable *v = want_variable(s, args[3 + i]);
    if (v == NULL) {
      return;
    }
    if (v->type != constructor->payloads[i].type) {
      failure("Payload %d mismatch: expected type %s, got %s", i, constructor->payloads[i].type->name,
              v->type->name);
      return;
    }
  }
  const void **arguments = want_arguments(s, args + 3, constructor->arity);
  if (arguments != NULL) {
    union word out;
    int err = value_construct(s->ctx, type, variant, &out, arguments);
    finish(s, err, args[0], type, &out);
  }
  free(arguments);
}

// The variant of a sum value, or NULL.
TOOL_FUN const struct variant *want_variant(struct server *s, const char *name) {
  const struct variable *v = want_variable(s, name);
  if (v == NULL || !want_kind(v->type->kind == KIND_SUM, "a sum")) {
    return NULL;
  }
  int variant = value_variant(held_value(&v->word));
  if (variant < 0 || variant >= v->type->num_variants) {
    failure("The value has no valid variant.");
    return NULL;
  }
  return &v->type->variants[variant];
}

TOOL_FUN void command_destruct(struct server *s, int argc, char **args) {
  const struct variant *variant = want_variant(s, args[0]);
  if (variant == NULL || !want_count(argc - 1, variant->arity) || !want_fresh(s, args + 1, argc - 1, 1)) {
    return;
  }
  size_t n = (size_t)variant->arity + 1;
  union word *words = calloc(n, sizeof(union word));
  void **outs = calloc(n, sizeof(void *));
  if (words == NULL || outs == NULL) {
    failure("Out of memory.");
  } else {
    for (int i = 0; i < variant->arity; i++) {
      outs[i] = &words[i];
    }
    const struct value *v = held_value(&want_variable(s, args[0])->word);
    int err = value_destruct(s->ctx, v, value_variant(v), outs);
    if (err != FUTHARK_SUCCESS) {
      error_failure(s);
    }
    for (int i = 0; i < variant->arity && err == FUTHARK_SUCCESS; i++) {
      add_variable(s, args[1 + i], variant->payloads[i].type, &words[i]);
    }
  }
  free(words);
  free(outs);
}

TOOL_FUN void command_variant(struct server *s, int argc, char **args) {
  (void)argc;
  const struct variant *variant = want_variant(s, args[0]);
  if (variant != NULL) {
    puts(variant->name);
  }
}

// End of server_values.h.
