// Start of tuning.h: tuning files, lines of `name=value` and `--` comments.

// The next line, however long, without its end; false after the last. Its text is to be freed; it is NULL if there is no
// memory for it.
TOOL_FUN bool read_line(FILE *file, struct string *line) {
  *line = (struct string){0};
  int c = getc(file);
  if (c == EOF) {
    return false;
  }
  string_append(line, "", 0);
  for (; c != EOF && c != '\n'; c = getc(file)) {
    char byte = (char)c;
    string_append(line, &byte, 1);
  }
  return true;
}

// Whether all went well; what was wrong is in the string.
TOOL_FUN bool load_tuning(struct futhark_context_config *cfg, const char *path, struct string *problem) {
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    string_printf(problem, "Cannot open file: %s", strerror(errno));
    return false;
  }
  bool ok = true;
  struct string read;
  for (int number = 1; ok && read_line(file, &read); free(read.text), number++) {
    char *line = read.text;
    if (line == NULL) {
      string_lose(problem);
      ok = false;
      continue;
    }
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
      string_printf(problem, "Invalid line %d (must be of form 'name=int').", number);
      ok = false;
      continue;
    }
    *equals = '\0';
    if (futhark_context_config_set_tuning_param(cfg, line, (size_t)value) != 0) {
      string_printf(problem, "Unknown name '%s' on line %d.", line, number);
      ok = false;
    }
  }
  if (ok && ferror(file)) {
    string_printf(problem, "Cannot read file: %s", strerror(errno));
    ok = false;
  }
  fclose(file);
  return ok;
}

// End of tuning.h.
