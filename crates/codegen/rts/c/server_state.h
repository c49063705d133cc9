// Start of server_state.h: the variables of a server, and looking things up.

struct variable {
  char *name;
  const struct type *type;
  union word word;
  // The number of the next variable in its bucket, or -1.
  int next;
};

struct server {
  struct futhark_context *ctx;
  struct variable *variables;
  // The first variable of each bucket, or -1; there are as many buckets as there is room for variables.
  int *buckets;
  int num_variables, room;
};

TOOL_FUN void failure(const char *format, ...) PRINTF_LIKE(1, 2);
TOOL_FUN void failure(const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf("%%%%%% FAILURE\n");
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

// Reports an error of the context.
TOOL_FUN void error_failure(struct server *s) {
  char *error = futhark_context_get_error(s->ctx);
  failure("%s", error == NULL ? "Error: unknown error." : error);
  free(error);
}

// Looking things up; the functions that start with `want` report what is missing.

TOOL_FUN const struct entry *want_entry(const char *name) {
  for (int i = 0; i < NUM_ENTRIES; i++) {
    if (strcmp(entries[i].name, name) == 0) {
      return &entries[i];
    }
  }
  failure("Unknown entry point: %s", name);
  return NULL;
}

TOOL_FUN const struct type *want_type(const char *name) {
  for (int i = 0; i < NUM_TYPES; i++) {
    if (strcmp(types[i]->name, name) == 0) {
      return types[i];
    }
  }
  failure("Unknown type: %s", name);
  return NULL;
}

// Variables are found by hashes of their names; there may be many.

TOOL_FUN int *bucket_of(struct server *s, const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name != '\0'; name++) {
    hash = (hash ^ (unsigned char)*name) * 16777619u;
  }
  return &s->buckets[hash % (uint32_t)s->room];
}

TOOL_FUN void link_variable(struct server *s, int i) {
  int *bucket = bucket_of(s, s->variables[i].name);
  s->variables[i].next = *bucket;
  *bucket = i;
}

TOOL_FUN void unlink_variable(struct server *s, int i) {
  int *at = bucket_of(s, s->variables[i].name);
  while (*at != i) {
    at = &s->variables[*at].next;
  }
  *at = s->variables[i].next;
}

// Whether there is room for one more variable.
TOOL_FUN bool want_room(struct server *s) {
  if (s->num_variables < s->room) {
    return true;
  }
  int room = 2 * s->room + 16;
  struct variable *variables = realloc(s->variables, (size_t)room * sizeof(struct variable));
  s->variables = variables == NULL ? s->variables : variables;
  int *buckets = variables == NULL ? NULL : malloc((size_t)room * sizeof(int));
  if (buckets == NULL) {
    return false;
  }
  free(s->buckets);
  s->buckets = buckets;
  s->room = room;
  for (int i = 0; i < room; i++) {
    buckets[i] = -1;
  }
  for (int i = 0; i < s->num_variables; i++) {
    link_variable(s, i);
  }
  return true;
}

TOOL_FUN struct variable *find_variable(struct server *s, const char *name) {
  int i = s->room == 0 ? -1 : *bucket_of(s, name);
  while (i >= 0 && strcmp(s->variables[i].name, name) != 0) {
    i = s->variables[i].next;
  }
  return i < 0 ? NULL : &s->variables[i];
}

TOOL_FUN struct variable *want_variable(struct server *s, const char *name) {
  struct variable *v = find_variable(s, name);
  if (v == NULL) {
    failure("Unknown variable: %s", name);
  }
  return v;
}

// Whether all of these names are still free, and differ.
TOOL_FUN bool want_fresh(struct server *s, char **names, int n, int step) {
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
TOOL_FUN bool add_variable(struct server *s, const char *name, const struct type *type, const union word *word) {
  char *copy = want_room(s) ? string_copy(name) : NULL;
  if (copy == NULL) {
    held_free(s->ctx, type, word);
    failure("Out of memory.");
    return false;
  }
  s->variables[s->num_variables] = (struct variable){copy, type, *word, -1};
  link_variable(s, s->num_variables++);
  return true;
}

// The last variable takes its place.
TOOL_FUN void remove_variable(struct server *s, struct variable *v) {
  int i = (int)(v - s->variables), last = --s->num_variables;
  held_free(s->ctx, v->type, &v->word);
  unlink_variable(s, i);
  free(v->name);
  if (i != last) {
    unlink_variable(s, last);
    *v = s->variables[last];
    link_variable(s, i);
  }
}

TOOL_FUN const void *variable_argument(const struct variable *v) {
  return held_argument(v->type, &v->word);
}

// The arguments that variables hold, or NULL; to be freed.
TOOL_FUN const void **want_arguments(struct server *s, char **names, int n) {
  const void **arguments = calloc((size_t)n + 1, sizeof(void *));
  if (arguments == NULL) {
    failure("Out of memory.");
  }
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
TOOL_FUN void finish(struct server *s, int err, const char *name, const struct type *type, const union word *word) {
  if (err == FUTHARK_SUCCESS) {
    add_variable(s, name, type, word);
  } else {
    error_failure(s);
  }
}

TOOL_FUN bool is_array(const struct type *type) {
  return type->kind == KIND_ARRAY || type->kind == KIND_OPAQUE_ARRAY || type->kind == KIND_RECORD_ARRAY;
}

TOOL_FUN bool want_kind(bool is_it, const char *what) {
  if (!is_it) {
    failure("Not %s type", what);
  }
  return is_it;
}

TOOL_FUN bool want_count(int have, int want) {
  if (have != want) {
    failure("%s command args.", have < want ? "Insufficient" : "Excess");
  }
  return have == want;
}

// An integer argument of a command.
TOOL_FUN bool want_integer(const char *word, int64_t *out) {
  char *rest;
  errno = 0;
  *out = strtoll(word, &rest, 10);
  if (errno != 0 || rest == word || *rest != '\0') {
    failure("Not an integer: %s", word);
    return false;
  }
  return true;
}

TOOL_FUN bool want_integers(char **words, int n, int64_t *out) {
  for (int i = 0; i < n; i++) {
    if (!want_integer(words[i], &out[i])) {
      return false;
    }
  }
  return true;
}

// End of server_state.h.
