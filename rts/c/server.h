// Start of server.h: a program that keeps values in variables and obeys
// commands, one to a line, from standard input.
//
// Every answer ends with `%%% OK`; after `%%% FAILURE` comes what went wrong.
// No command, however wrong, ends the server.

struct variable {
  char *name;
  const struct type *type;
  union word word;
};

struct server {
  struct futhark_context *ctx;
  struct variable *variables;
  int num_variables, room;
};

static void failure(const char *format, ...) PRINTF_LIKE(1, 2);
static void failure(const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf("%%%%%% FAILURE\n");
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

// Reports an error of the context.
static void error_failure(struct server *s) {
  char *error = futhark_context_get_error(s->ctx);
  failure("%s", error == NULL ? "Error: unknown error." : error);
  free(error);
}

// Looking things up; the functions that start with `want` report what is missing.

static const struct entry *want_entry(const char *name) {
  for (int i = 0; i < NUM_ENTRIES; i++) {
    if (strcmp(entries[i].name, name) == 0) {
      return &entries[i];
    }
  }
  failure("Unknown entry point: %s", name);
  return NULL;
}

static const struct type *want_type(const char *name) {
  for (int i = 0; i < NUM_TYPES; i++) {
    if (strcmp(types[i]->name, name) == 0) {
      return types[i];
    }
  }
  failure("Unknown type: %s", name);
  return NULL;
}

static struct variable *find_variable(struct server *s, const char *name) {
  for (int i = 0; i < s->num_variables; i++) {
    if (strcmp(s->variables[i].name, name) == 0) {
      return &s->variables[i];
    }
  }
  return NULL;
}

static struct variable *want_variable(struct server *s, const char *name) {
  struct variable *v = find_variable(s, name);
  if (v == NULL) {
    failure("Unknown variable: %s", name);
  }
  return v;
}

// Whether all of these names are still free, and differ.
static bool want_fresh(struct server *s, char **names, int n, int step) {
  for (int i = 0; i < n; i++) {
    bool taken = find_variable(s, names[i * step]) != NULL;
    for (int j = 0; j < i; j++) {
      taken = taken || strcmp(names[i * step], names[j * step]) == 0;
    }
    if (taken) {
      failure("Variable already exists: %s", names[i * step]);
      return false;
    }
  }
  return true;
}

// Takes over the value, also if there is no room for it.
static bool add_variable(struct server *s, const char *name, const struct type *type, const union word *word) {
  if (s->num_variables == s->room) {
    int room = 2 * s->room + 16;
    struct variable *more = realloc(s->variables, (size_t)room * sizeof(struct variable));
    if (more != NULL) {
      s->variables = more;
      s->room = room;
    }
  }
  char *copy = s->num_variables < s->room ? string_copy(name) : NULL;
  if (copy == NULL) {
    held_free(s->ctx, type, word);
    failure("Out of memory.");
    return false;
  }
  s->variables[s->num_variables++] = (struct variable){copy, type, *word};
  return true;
}

static void remove_variable(struct server *s, struct variable *v) {
  held_free(s->ctx, v->type, &v->word);
  free(v->name);
  *v = s->variables[--s->num_variables];
}

static const void *variable_argument(const struct variable *v) {
  return held_argument(v->type, &v->word);
}

// The arguments that variables hold, or NULL; to be freed.
static const void **want_arguments(struct server *s, char **names, int n) {
  const void **arguments = calloc((size_t)n + 1, sizeof(void *));
  for (int i = 0; i < n && arguments != NULL; i++) {
    struct variable *v = want_variable(s, names[i]);
    if (v == NULL) {
      free(arguments);
      return NULL;
    }
    arguments[i] = variable_argument(v);
  }
  return arguments;
}

// Stores the result of an operation, or reports its failure.
static void finish(struct server *s, int err, const char *name, const struct type *type, const union word *word) {
  if (err == FUTHARK_SUCCESS) {
    add_variable(s, name, type, word);
  } else {
    error_failure(s);
  }
}

static bool is_array(const struct type *type) {
  return type->kind == KIND_ARRAY || type->kind == KIND_OPAQUE_ARRAY || type->kind == KIND_RECORD_ARRAY;
}

static bool want_kind(bool is_it, const char *what) {
  if (!is_it) {
    failure("Not %s type", what);
  }
  return is_it;
}

static bool want_count(int have, int want) {
  if (have != want) {
    failure("%s command args.", have < want ? "Insufficient" : "Excess");
  }
  return have == want;
}

// An integer argument of a command.
static bool want_integer(const char *word, int64_t *out) {
  char *rest;
  errno = 0;
  *out = strtoll(word, &rest, 10);
  if (errno != 0 || rest == word || *rest != '\0') {
    failure("Not an integer: %s", word);
    return false;
  }
  return true;
}

static bool want_integers(char **words, int n, int64_t *out) {
  for (int i = 0; i < n; i++) {
    if (!want_integer(words[i], &out[i])) {
      return false;
    }
  }
  return true;
}

// General commands.

static void command_types(struct server *s, int argc, char **args) {
  (void)s, (void)argc, (void)args;
  for (int i = 0; i < NUM_TYPES; i++) {
    puts(types[i]->name);
  }
}

static void command_entry_points(struct server *s, int argc, char **args) {
  (void)s, (void)argc, (void)args;
  for (int i = 0; i < NUM_ENTRIES; i++) {
    puts(entries[i].name);
  }
}

static bool check_inputs(struct server *s, const struct entry *entry, char **names) {
  for (int i = 0; i < entry->num_inputs; i++) {
    struct variable *v = want_variable(s, names[i]);
    if (v == NULL) {
      return false;
    }
    if (v->type != entry->inputs[i].type) {
      failure("Wrong input type.  Expected %s, got %s.", entry->inputs[i].type->name, v->type->name);
      return false;
    }
  }
  return true;
}

// Gives the components of a tuple names of their own, as older clients expect.
static void spread_tuple(struct server *s, const struct type *type, const union word *tuple, char **names) {
  for (int i = 0; i < type->num_fields; i++) {
    union word field;
    if (value_project(s->ctx, &field, held_value(tuple), i) != FUTHARK_SUCCESS) {
      error_failure(s);
      break;
    }
    if (!add_variable(s, names[i], type->fields[i].type, &field)) {
      break;
    }
  }
  held_free(s->ctx, type, tuple);
}

static void command_call(struct server *s, int argc, char **args) {
  const struct entry *entry = want_entry(args[0]);
  if (entry == NULL) {
    return;
  }
  const struct type *type = entry->output.type;
  int num_outs = 1;
  if (is_tuple(type) && argc - 1 - entry->num_inputs == type->num_fields) {
    num_outs = type->num_fields;
  }
  char **outs = args + 1, **ins = outs + num_outs;
  if (!want_count(argc - 1, num_outs + entry->num_inputs) || !want_fresh(s, outs, num_outs, 1) ||
      !check_inputs(s, entry, ins)) {
    return;
  }
  const void **arguments = want_arguments(s, ins, entry->num_inputs);
  if (arguments == NULL) {
    return;
  }
  union word out;
  int64_t start = wall_microseconds();
  int err = entry->call(s->ctx, &out, arguments);
  if (err == FUTHARK_SUCCESS) {
    err = futhark_context_sync(s->ctx);
  }
  printf("runtime: %" PRId64 "\n", wall_microseconds() - start);
  free(arguments);
  if (err == FUTHARK_SUCCESS && (num_outs != 1 || (is_tuple(type) && type->num_fields == 0 && argc == 1))) {
    spread_tuple(s, type, &out, outs);
  } else {
    finish(s, err, outs[0], type, &out);
  }
}

static void command_restore(struct server *s, int argc, char **args) {
  if (argc % 2 != 1) {
    failure("Insufficient command args.");
    return;
  }
  int n = argc / 2;
  for (int i = 0; i < n; i++) {
    if (want_type(args[2 + 2 * i]) == NULL) {
      return;
    }
  }
  if (!want_fresh(s, args + 1, n, 2)) {
    return;
  }
  FILE *file = fopen(args[0], "rb");
  if (file == NULL) {
    failure("Failed to open %s: %s", args[0], strerror(errno));
    return;
  }
  struct reader reader = {file, ""};
  int before = s->num_variables;
  bool ok = true;
  for (int i = 0; i < n && ok; i++) {
    const struct type *type = want_type(args[2 + 2 * i]);
    union word word;
    if (!read_value(s->ctx, &reader, type, &word)) {
      failure("Failed to restore variable %s of type %s from %s: %s.", args[1 + 2 * i], type->name, args[0],
              reader.problem);
      ok = false;
    } else {
      ok = add_variable(s, args[1 + 2 * i], type, &word);
    }
  }
  if (ok && !at_end(&reader)) {
    failure("Expected EOF in %s after %d values.", args[0], n);
    ok = false;
  }
  while (!ok && s->num_variables > before) {
    remove_variable(s, &s->variables[s->num_variables - 1]);
  }
  fclose(file);
}

static void command_store(struct server *s, int argc, char **args) {
  for (int i = 1; i < argc; i++) {
    if (want_variable(s, args[i]) == NULL) {
      return;
    }
  }
  FILE *file = fopen(args[0], "wb");
  if (file == NULL) {
    failure("Failed to open %s: %s", args[0], strerror(errno));
    return;
  }
  bool ok = true;
  for (int i = 1; i < argc; i++) {
    const struct variable *v = find_variable(s, args[i]);
    const union word *words = v->type->kind == KIND_SCALAR ? &v->word : held_value(&v->word)->words;
    for (int j = 0; j < v->type->num_leaves && ok; j++) {
      ok = write_binary_leaf(file, &v->type->leaves[j], words);
    }
  }
  if (fclose(file) != 0 || !ok) {
    failure("Failed to write %s: %s", args[0], strerror(errno));
  }
}

static void command_free(struct server *s, int argc, char **args) {
  for (int i = 0; i < argc; i++) {
    struct variable *v = want_variable(s, args[i]);
    if (v == NULL) {
      return;
    }
    remove_variable(s, v);
  }
}

static void command_rename(struct server *s, int argc, char **args) {
  (void)argc;
  struct variable *v = want_variable(s, args[0]);
  if (v == NULL || !want_fresh(s, args + 1, 1, 1)) {
    return;
  }
  char *name = string_copy(args[1]);
  if (name == NULL) {
    failure("Out of memory.");
    return;
  }
  free(v->name);
  v->name = name;
}

static void print_parameter(const struct parameter *p) {
  printf("%s%s\n", p->unique ? "*" : "", p->type->name);
}

static void command_inputs(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  for (int i = 0; entry != NULL && i < entry->num_inputs; i++) {
    print_parameter(&entry->inputs[i]);
  }
}

static void command_output(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  if (entry != NULL) {
    print_parameter(&entry->output);
  }
}

// As older clients ask: the components of a tuple are outputs of their own.
static void command_outputs(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  if (entry != NULL && is_tuple(entry->output.type)) {
    for (int i = 0; i < entry->output.type->num_fields; i++) {
      struct parameter field = {"", entry->output.type->fields[i].type, entry->output.unique};
      print_parameter(&field);
    }
  } else if (entry != NULL) {
    print_parameter(&entry->output);
  }
}

static void command_clear(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  if (futhark_context_clear_caches(s->ctx) != FUTHARK_SUCCESS) {
    error_failure(s);
  }
}

static void command_kind(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type != NULL) {
    puts(type->kind == KIND_SCALAR   ? "primitive"
         : is_array(type)            ? "array"
         : type->kind == KIND_RECORD ? "record"
         : type->kind == KIND_SUM    ? "sum"
                                     : "opaque");
  }
}

static void command_type(struct server *s, int argc, char **args) {
  (void)argc;
  const struct variable *v = want_variable(s, args[0]);
  if (v != NULL) {
    puts(v->type->name);
  }
}

static void command_pause_profiling(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  futhark_context_pause_profiling(s->ctx);
}

static void command_unpause_profiling(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  futhark_context_unpause_profiling(s->ctx);
}

static void command_report(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  char *report = futhark_context_report(s->ctx);
  if (report == NULL) {
    failure("Failed to produce a report.");
  } else {
    puts(report);
  }
  free(report);
}

static void command_set_tuning_param(struct server *s, int argc, char **args) {
  (void)argc;
  int64_t value;
  if (!want_integer(args[1], &value)) {
    return;
  }
  if (value < 0 || futhark_context_config_set_tuning_param(s->ctx->cfg, args[0], (size_t)value) != 0) {
    failure("Failed to set tuning parameter %s to %s", args[0], args[1]);
  }
}

static void command_tuning_params(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  for (int i = 0; entry != NULL && i < entry->num_params; i++) {
    printf("%s %s\n", param_names[entry->params[i]], param_classes[entry->params[i]]);
  }
}

static void command_tuning_param_class(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
    if (strcmp(futhark_get_tuning_param_name(i), args[0]) == 0) {
      puts(futhark_get_tuning_param_class(i));
      return;
    }
  }
  failure("Unknown tuning parameter: %s", args[0]);
}

static void command_attributes(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  for (int i = 0; entry != NULL && i < entry->num_attributes; i++) {
    puts(entry->attributes[i]);
  }
}

// Commands on arrays.

static void command_rank(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type != NULL && want_kind(is_array(type), "an array")) {
    printf("%d\n", type->rank);
  }
}

static void command_elemtype(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type != NULL && want_kind(is_array(type), "an array")) {
    puts(type->elem->name);
  }
}

static void command_new_array(struct server *s, int argc, char **args) {
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
static struct variable *want_element(struct server *s, const char *name, int argc, char **args, int64_t *index) {
  struct variable *arr = want_variable(s, name);
  if (arr == NULL || !want_kind(is_array(arr->type), "an array") || !want_count(argc, arr->type->rank) ||
      arr->type->rank > 256 || !want_integers(args, argc, index)) {
    return NULL;
  }
  return arr;
}

static void command_set(struct server *s, int argc, char **args) {
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

static void command_shape(struct server *s, int argc, char **args) {
  (void)argc;
  const struct variable *v = want_variable(s, args[0]);
  if (v != NULL && want_kind(is_array(v->type), "an array")) {
    for (int i = 0; i < v->type->rank; i++) {
      printf("%" PRId64 "\n", value_shape(held_value(&v->word))[i]);
    }
  }
}

static void command_index(struct server *s, int argc, char **args) {
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
static bool want_fields(struct server *s, const struct type *type, int n, char **names) {
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

static void command_zip(struct server *s, int argc, char **args) {
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

static void command_unzip(struct server *s, int argc, char **args) {
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

static void command_fields(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct type *type = want_type(args[0]);
  if (type != NULL && want_kind(type->kind == KIND_RECORD || type->kind == KIND_RECORD_ARRAY, "a record")) {
    for (int i = 0; i < type->num_fields; i++) {
      printf("%s %s\n", type->fields[i].name, type->fields[i].type->name);
    }
  }
}

static void command_new(struct server *s, int argc, char **args) {
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

static void command_project(struct server *s, int argc, char **args) {
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

static void command_variants(struct server *s, int argc, char **args) {
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

static void command_construct(struct server *s, int argc, char **args) {
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
static const struct variant *want_variant(struct server *s, const char *name) {
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

static void command_destruct(struct server *s, int argc, char **args) {
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

static void command_variant(struct server *s, int argc, char **args) {
  (void)argc;
  const struct variant *variant = want_variant(s, args[0]);
  if (variant != NULL) {
    puts(variant->name);
  }
}

// The commands, with how many arguments they take at least and at most.
#define ANY_NUMBER (-1)

static const struct command {
  const char *name;
  int min, max;
  void (*run)(struct server *s, int argc, char **args);
} commands[] = {
    {"types", 0, 0, command_types},
    {"entry_points", 0, 0, command_entry_points},
    {"call", 1, ANY_NUMBER, command_call},
    {"restore", 1, ANY_NUMBER, command_restore},
    {"store", 1, ANY_NUMBER, command_store},
    {"free", 0, ANY_NUMBER, command_free},
    {"rename", 2, 2, command_rename},
    {"inputs", 1, 1, command_inputs},
    {"output", 1, 1, command_output},
    {"outputs", 1, 1, command_outputs},
    {"clear", 0, 0, command_clear},
    {"kind", 1, 1, command_kind},
    {"type", 1, 1, command_type},
    {"pause_profiling", 0, 0, command_pause_profiling},
    {"unpause_profiling", 0, 0, command_unpause_profiling},
    {"report", 0, 0, command_report},
    {"set_tuning_param", 2, 2, command_set_tuning_param},
    {"tuning_params", 1, 1, command_tuning_params},
    {"tuning_param_class", 1, 1, command_tuning_param_class},
    {"attributes", 1, 1, command_attributes},
    {"rank", 1, 1, command_rank},
    {"elemtype", 1, 1, command_elemtype},
    {"new_array", 2, ANY_NUMBER, command_new_array},
    {"set", 2, ANY_NUMBER, command_set},
    {"shape", 1, 1, command_shape},
    {"index", 2, ANY_NUMBER, command_index},
    {"zip", 2, ANY_NUMBER, command_zip},
    {"unzip", 1, ANY_NUMBER, command_unzip},
    {"fields", 1, 1, command_fields},
    {"new", 2, ANY_NUMBER, command_new},
    {"project", 3, 3, command_project},
    {"variants", 1, 1, command_variants},
    {"construct", 3, ANY_NUMBER, command_construct},
    {"destruct", 1, ANY_NUMBER, command_destruct},
    {"variant", 1, 1, command_variant},
};

static void run_command(struct server *s, int argc, char **words) {
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    const struct command *c = &commands[i];
    if (strcmp(c->name, words[0]) == 0) {
      if (argc - 1 < c->min) {
        failure("Insufficient command args.");
      } else if (c->max != ANY_NUMBER && argc - 1 > c->max) {
        failure("Excess command args.");
      } else {
        c->run(s, argc - 1, words + 1);
      }
      return;
    }
  }
  failure("Unknown command: %s", words[0]);
}

// A line without its end, or NULL at the end of input; to be freed.
static char *read_line(void) {
  struct string line = {NULL, 0, 0};
  int c = getchar();
  if (c == EOF) {
    return NULL;
  }
  string_append(&line, "", 0);
  for (; c != EOF && c != '\n'; c = getchar()) {
    char byte = (char)c;
    string_append(&line, &byte, 1);
  }
  return line.text;
}

// Splits a line at spaces, in place; words in double quotes may contain spaces.
// NULL if a quote is not closed or there is no memory.
static char **split_words(char *line, int *argc) {
  char **words = calloc(strlen(line) / 2 + 2, sizeof(char *));
  *argc = 0;
  while (words != NULL) {
    while (is_space((unsigned char)*line)) {
      line++;
    }
    if (*line == '\0') {
      break;
    }
    bool quoted = *line == '"';
    char *start = quoted ? line + 1 : line;
    char *end = start;
    while (*end != '\0' && (quoted ? *end != '"' : !is_space((unsigned char)*end))) {
      end++;
    }
    if (quoted && *end == '\0') {
      free(words);
      return NULL;
    }
    line = *end == '\0' ? end : end + 1;
    *end = '\0';
    words[(*argc)++] = start;
  }
  return words;
}

static void serve(struct server *s, const char *program) {
  const char *debugging = getenv("FUTHARK_COMPILER_DEBUGGING");
  bool echo = debugging != NULL && strcmp(debugging, "1") == 0;
  char *line;
  printf("%%%%%% OK\n");
  fflush(stdout);
  while ((line = read_line()) != NULL) {
    int argc;
    if (echo) {
      fprintf(stderr, "%s: %s\n", program, line);
    }
    char **words = split_words(line, &argc);
    if (words == NULL) {
      failure("Invalid command: a quote is not closed.");
    } else if (argc == 0) {
      failure("Empty command.");
    } else {
      run_command(s, argc, words);
    }
    printf("%%%%%% OK\n");
    fflush(stdout);
    free(words);
    free(line);
  }
}

int main(int argc, char **argv) {
  struct options opts = {.program = argc > 0 ? argv[0] : "program", .entry = "main"};
  struct server server = {NULL, NULL, 0, 0};
  binary_pipes();
  opts.cfg = futhark_context_config_new();
  if (opts.cfg == NULL) {
    return 1;
  }
  parse_options(&opts, argc, argv, true);
  int status = opts.status;
  if (!opts.stop) {
    server.ctx = futhark_context_new(opts.cfg);
    if (server.ctx == NULL || server.ctx->error != NULL) {
      fprintf(stderr, "%s: %s", opts.program, server.ctx == NULL ? "Out of memory.\n" : server.ctx->error);
      status = 1;
    } else {
      serve(&server, opts.program);
      while (server.num_variables > 0) {
        remove_variable(&server, &server.variables[server.num_variables - 1]);
      }
    }
    free(server.variables);
    futhark_context_free(server.ctx);
  }
  futhark_context_config_free(opts.cfg);
  return status;
}

// End of server.h.
