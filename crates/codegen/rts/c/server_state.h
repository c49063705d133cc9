// Start of server_state.h: the variables of a server, and looking things up.

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

TOOL_FUN struct variable *find_variable(struct server *s, const char *name) {
  for (int i = 0; i < s->num_variables; i++) {
    if (strcmp(s->variables[i].name, name) == 0) {
      return &s->variables[i];
    }
  }
  return NULL;
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

TOOL_FUN void remove_variable(struct server *s, struct variable *v) {
  held_free(s->ctx, v->type, &v->word);
  free(v->name);
  *v = s->variables[--s->num_variables];
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
