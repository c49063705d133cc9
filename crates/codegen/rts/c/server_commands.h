// Start of server_commands.h: commands on the program and on any value.

TOOL_FUN void command_types(struct server *s, int argc, char **args) {
  (void)s, (void)argc, (void)args;
  for (int i = 0; i < NUM_TYPES; i++) {
    puts(types[i]->name);
  }
}

TOOL_FUN void command_entry_points(struct server *s, int argc, char **args) {
  (void)s, (void)argc, (void)args;
  for (int i = 0; i < NUM_ENTRIES; i++) {
    puts(entries[i].name);
  }
}

TOOL_FUN bool check_inputs(struct server *s, const struct entry *entry, char **names) {
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
TOOL_FUN void spread_tuple(struct server *s, const struct type *type, const union word *tuple, char **names) {
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

TOOL_FUN void command_call(struct server *s, int argc, char **args) {
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

TOOL_FUN void command_restore(struct server *s, int argc, char **args) {
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
  struct reader reader;
  int before = s->num_variables;
  bool ok = reader_open(&reader, file);
  if (!ok) {
    failure("Out of memory.");
  }
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
  reader_close(&reader);
  fclose(file);
}

TOOL_FUN void command_store(struct server *s, int argc, char **args) {
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
      ok = write_binary_leaf(s->ctx, file, &v->type->leaves[j], words);
    }
  }
  if (fclose(file) != 0 || !ok) {
    failure("Failed to write %s: %s", args[0], strerror(errno));
  }
}

TOOL_FUN void command_free(struct server *s, int argc, char **args) {
  for (int i = 0; i < argc; i++) {
    struct variable *v = want_variable(s, args[i]);
    if (v == NULL) {
      return;
    }
    remove_variable(s, v);
  }
}

TOOL_FUN void command_rename(struct server *s, int argc, char **args) {
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
  int i = (int)(v - s->variables);
  unlink_variable(s, i);
  free(v->name);
  v->name = name;
  link_variable(s, i);
}

TOOL_FUN void print_parameter(const struct parameter *p) {
  printf("%s%s\n", p->unique ? "*" : "", p->type->name);
}

TOOL_FUN void command_inputs(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  for (int i = 0; entry != NULL && i < entry->num_inputs; i++) {
    print_parameter(&entry->inputs[i]);
  }
}

TOOL_FUN void command_output(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  if (entry != NULL) {
    print_parameter(&entry->output);
  }
}

// As older clients ask: the components of a tuple are outputs of their own.
TOOL_FUN void command_outputs(struct server *s, int argc, char **args) {
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

TOOL_FUN void command_clear(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  if (futhark_context_clear_caches(s->ctx) != FUTHARK_SUCCESS) {
    error_failure(s);
  }
}

TOOL_FUN void command_kind(struct server *s, int argc, char **args) {
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

TOOL_FUN void command_type(struct server *s, int argc, char **args) {
  (void)argc;
  const struct variable *v = want_variable(s, args[0]);
  if (v != NULL) {
    puts(v->type->name);
  }
}

TOOL_FUN void command_pause_profiling(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  futhark_context_pause_profiling(s->ctx);
}

TOOL_FUN void command_unpause_profiling(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  futhark_context_unpause_profiling(s->ctx);
}

TOOL_FUN void command_report(struct server *s, int argc, char **args) {
  (void)argc, (void)args;
  char *report = futhark_context_report(s->ctx);
  if (report == NULL) {
    failure("Failed to produce a report.");
  } else {
    puts(report);
  }
  free(report);
}

TOOL_FUN void command_set_tuning_param(struct server *s, int argc, char **args) {
  (void)argc;
  int64_t value;
  if (!want_integer(args[1], &value)) {
    return;
  }
  if (value < 0 || futhark_context_config_set_tuning_param(s->ctx->cfg, args[0], (size_t)value) != 0) {
    failure("Failed to set tuning parameter %s to %s", args[0], args[1]);
  }
}

TOOL_FUN void command_tuning_params(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  for (int i = 0; entry != NULL && i < entry->num_params; i++) {
    printf("%s %s\n", param_names[entry->params[i]], param_classes[entry->params[i]]);
  }
}

TOOL_FUN void command_tuning_param_class(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
    if (strcmp(futhark_get_tuning_param_name(i), args[0]) == 0) {
      puts(futhark_get_tuning_param_class(i));
      return;
    }
  }
  failure("Unknown tuning parameter: %s", args[0]);
}

TOOL_FUN void command_attributes(struct server *s, int argc, char **args) {
  (void)s, (void)argc;
  const struct entry *entry = want_entry(args[0]);
  for (int i = 0; entry != NULL && i < entry->num_attributes; i++) {
    puts(entry->attributes[i]);
  }
}

// End of server_commands.h.
