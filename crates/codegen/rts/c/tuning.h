// Start of tuning.h: tuning files, lines of `name=value` and `--` comments.

// The next line, however long, without its end; NULL after the last. To be freed.
TOOL_FUN char *tuning_line(FILE *file) {
  struct string line = {NULL, 0, 0};
  int c = getc(file);
  if (c != EOF) {
    string_append(&line, "", 0);
  }
  for (; c != EOF && c != '\n'; c = getc(file)) {
    char byte = (char)c;
    string_append(&line, &byte, 1);
  }
  return line.text;
}

// What was wrong, in a string to be freed, or NULL.
TOOL_FUN char *load_tuning(struct futhark_context_config *cfg, const char *path) {
  struct string problem = {NULL, 0, 0};
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    string_printf(&problem, "Cannot open file: %s", strerror(errno));
    return problem.text;
  }
  char *line = NULL;
  for (int number = 1; problem.text == NULL && (line = tuning_line(file)) != NULL; free(line), number++) {
    char *comment = strstr(line, "--");
    if (comment != NULL) {
      *comment = '\0';
    }
    size_t end = strlen(line);
    while (end > 0 && is_space(line[end - 1])) {
      line[--end] = '\0';
    }
    if (end == 0) {
      continue;
    }
    char *equals = strchr(line, '='), *rest;
    long long value = equals == NULL ? -1 : strtoll(equals + 1, &rest, 10);
    if (equals == NULL || value < 0 || value == INT64_MAX || *rest != '\0' || rest == equals + 1) {
      string_printf(&problem, "Invalid line %d (must be of form 'name=int').", number);
      continue;
    }
    *equals = '\0';
    if (futhark_context_config_set_tuning_param(cfg, line, (size_t)value) != 0) {
      string_printf(&problem, "Unknown name '%s' on line %d.", line, number);
    }
  }
  if (problem.text == NULL && ferror(file)) {
    string_printf(&problem, "Cannot read file: %s", strerror(errno));
  }
  fclose(file);
  return problem.text;
}

// End of tuning.h.
