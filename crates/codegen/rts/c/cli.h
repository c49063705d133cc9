// Start of cli.h: an executable that runs one entry point on standard input.

TOOL_FUN int complain(const char *program, const char *format, ...) PRINTF_LIKE(2, 3);
TOOL_FUN int complain(const char *program, const char *format, ...) {
  va_list args;
  fflush(stdout);
  va_start(args, format);
  fprintf(stderr, "%s: ", program);
  vfprintf(stderr, format, args);
  va_end(args);
  return 1;
}

// Says what the context's error is.
TOOL_FUN int complain_error(const char *program, struct futhark_context *ctx) {
  char *error = futhark_context_get_error(ctx);
  complain(program, "%s", error == NULL ? "Error: unknown error.\n" : error);
  free(error);
  return 1;
}

// Whether values of the type can be written as data: scalars, arrays of them,
// and records of these, whose fields are written one after the other.
TOOL_FUN bool is_readable(const struct type *type) {
  bool readable = type->kind == KIND_SCALAR || type->kind == KIND_ARRAY || type->kind == KIND_RECORD;
  for (int i = 0; i < type->num_fields; i++) {
    readable = readable && is_readable(type->fields[i].type);
  }
  return readable;
}

TOOL_FUN int read_inputs(const char *program, struct futhark_context *ctx, const struct entry *entry,
                         union word *inputs, int *have, struct reader *reader) {
  for (int i = 0; i < entry->num_inputs; i++) {
    const struct type *type = entry->inputs[i].type;
    if (!is_readable(type)) {
      return complain(program, "Cannot read input #%d of type %s: such values have no external representation.\n", i,
                      type->name);
    }
    if (!read_value(ctx, reader, type, &inputs[i])) {
      return complain(program, "Cannot read input #%d of type %s: %s.\n", i, type->name, reader->problem);
    }
    *have = i + 1;
  }
  if (!at_end(reader)) {
    return complain(program, "Expected EOF on stdin after reading input for \"%s\".\n", entry->name);
  }
  return 0;
}

// One run. Consumed inputs are copies, so that the next run has them too.
TOOL_FUN int run_once(const char *program, struct futhark_context *ctx, const struct entry *entry,
                    const union word *inputs, union word *output, int64_t *time) {
  union word *words = calloc((size_t)entry->num_inputs + 1, sizeof(union word));
  const void **ins = calloc((size_t)entry->num_inputs + 1, sizeof(void *));
  int err = words == NULL || ins == NULL ? FUTHARK_OUT_OF_MEMORY : FUTHARK_SUCCESS;
  int copied = 0;
  for (; copied < entry->num_inputs && err == FUTHARK_SUCCESS; copied++) {
    const struct parameter *p = &entry->inputs[copied];
    words[copied] = inputs[copied];
    if (p->unique) {
      err = held_clone(ctx, p->type, &inputs[copied], &words[copied]);
    }
    ins[copied] = held_argument(p->type, &words[copied]);
  }
  if (err == FUTHARK_SUCCESS) {
    int64_t start = wall_microseconds();
    err = entry->call(ctx, output, ins);
    if (err == FUTHARK_SUCCESS) {
      err = futhark_context_sync(ctx);
    }
    *time = wall_microseconds() - start;
  }
  for (int i = 0; i < copied; i++) {
    if (entry->inputs[i].unique) {
      held_free(ctx, entry->inputs[i].type, &words[i]);
    }
  }
  free(words);
  free(ins);
  return err == FUTHARK_SUCCESS ? 0 : complain_error(program, ctx);
}

TOOL_FUN int write_part(const struct options *opts, struct futhark_context *ctx, const struct type *type,
                        const union word *words) {
  bool plain = type->kind == KIND_SCALAR || type->kind == KIND_ARRAY;
  if (opts->binary && !plain) {
    fflush(stdout);
    fprintf(stderr, "Values of type \"%s\" have no binary representation.\n", type->name);
    return 1;
  }
  bool ok = opts->binary ? write_binary_leaf(ctx, stdout, type->leaves, words)
            : plain      ? write_text_leaf(ctx, stdout, type->leaves, words)
                         : show_value(ctx, stdout, type, words);
  if (!ok) {
    return complain_error(opts->program, ctx);
  }
  putchar('\n');
  return 0;
}

// A tuple is written as its components, one after the other.
TOOL_FUN int write_output(const struct options *opts, struct futhark_context *ctx, const struct type *type,
                          const union word *output) {
  if (type->kind == KIND_SCALAR) {
    return write_part(opts, ctx, type, output);
  }
  const struct value *v = held_value(output);
  if (!is_tuple(type)) {
    return write_part(opts, ctx, type, v->words);
  }
  int status = 0;
  for (int i = 0; i < type->num_fields && status == 0; i++) {
    // The leaves of a component are one after the other, and so are their words.
    const struct field *field = &type->fields[i];
    status = write_part(opts, ctx, field->type, &v->words[type->leaves[field->leaf].word]);
  }
  return status;
}

TOOL_FUN int run_entry(const struct options *opts, struct futhark_context *ctx, const struct entry *entry) {
  union word *inputs = calloc((size_t)entry->num_inputs + 1, sizeof(union word));
  union word output;
  bool have_output = false;
  int have = 0, status;
  if (inputs == NULL) {
    return complain(opts->program, "Out of memory.\n");
  }
  struct reader reader;
  status = reader_open(&reader, stdin) ? read_inputs(opts->program, ctx, entry, inputs, &have, &reader)
                                       : complain(opts->program, "Out of memory.\n");
  reader_close(&reader);
  FILE *times = NULL;
  if (status == 0 && opts->time_file != NULL) {
    times = fopen(opts->time_file, "w");
    if (times == NULL) {
      status = complain(opts->program, "Cannot open %s: %s\n", opts->time_file, strerror(errno));
    }
  }
  int64_t runs = opts->runs > 0 ? opts->runs : 1;
  for (int64_t i = opts->runs > 0 ? -1 : 0; i < runs && status == 0; i++) {
    int64_t time = 0;
    if (have_output) {
      held_free(ctx, entry->output.type, &output);
      have_output = false;
    }
    status = run_once(opts->program, ctx, entry, inputs, &output, &time);
    have_output = status == 0;
    if (times != NULL && i >= 0 && status == 0) {
      fprintf(times, "%" PRId64 "\n", time);
    }
  }
  if (times != NULL) {
    bool written = !ferror(times);
    if ((fclose(times) != 0 || !written) && status == 0) {
      status = complain(opts->program, "Cannot write %s: %s\n", opts->time_file, strerror(errno));
    }
  }
  if (status == 0 && !opts->quiet) {
    status = write_output(opts, ctx, entry->output.type, &output);
  }
  if (have_output) {
    held_free(ctx, entry->output.type, &output);
  }
  for (int i = 0; i < have; i++) {
    held_free(ctx, entry->inputs[i].type, &inputs[i]);
  }
  free(inputs);
  return status;
}

TOOL_FUN int run_program(const struct options *opts, struct futhark_context *ctx) {
  for (int i = 0; i < NUM_ENTRIES; i++) {
    if (strcmp(entries[i].name, opts->entry) == 0) {
      return run_entry(opts, ctx, &entries[i]);
    }
  }
  fprintf(stderr, "No entry point '%s'.  Select another with --entry-point.  Options are:\n", opts->entry);
  for (int i = 0; i < NUM_ENTRIES; i++) {
    fprintf(stderr, "%s\n", entries[i].name);
  }
  return 1;
}

// The stack room is 0 if it is not known.
TOOL_FUN int run_main(int argc, char **argv, size_t stack_room) {
  struct options opts = {.program = argc > 0 ? argv[0] : "program", .entry = "main"};
  binary_pipes();
  opts.cfg = futhark_context_config_new();
  if (opts.cfg == NULL) {
    return complain(opts.program, "Out of memory.\n");
  }
  parse_options(&opts, argc, argv, false);
  int status = opts.status;
  if (!opts.stop) {
    struct futhark_context *ctx = futhark_context_new(opts.cfg);
    if (ctx == NULL || ctx->error != NULL) {
      status = ctx == NULL ? complain(opts.program, "Out of memory.\n") : complain_error(opts.program, ctx);
    } else {
      set_stack_room(ctx, stack_room);
      status = opts.setup_only ? 0 : run_program(&opts, ctx);
      if (opts.cfg->profiling) {
        char *report = futhark_context_report(ctx);
        fprintf(stderr, "%s\n", report == NULL ? "" : report);
        free(report);
      }
    }
    futhark_context_free(ctx);
  }
  futhark_context_config_free(opts.cfg);
  bool written = !ferror(stdout);
  if ((fflush(stdout) != 0 || !written) && status == 0) {
    status = complain(opts.program, "Cannot write the result: %s\n", strerror(errno));
  }
  return status;
}

// End of cli.h.
