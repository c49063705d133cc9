// Start of tuning.h: tuning files, lines of `name=value` and `--` comments.

// What was wrong, in a string to be freed, or NULL.
TOOL_FUN char *load_tuning(struct futhark_context_config *cfg, const char *path) {
  struct string problem = {NULL, 0, 0};
  char line[1024];
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    string_printf(&problem, "Cannot open file: %s", strerror(errno));
    return problem.text;
  }
  for (int number = 1; problem.text == NULL && fgets(line, sizeof line, file) != NULL; number++) {
    line[strcspn(line, "\r\n")] = '\0';
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
    if (equals == NULL || value < 0 || *rest != '\0' || rest == equals + 1) {
      string_printf(&problem, "Invalid line %d (must be of form 'name=int').", number);
      break;
    }
    *equals = '\0';
    if (futhark_context_config_set_tuning_param(cfg, line, (size_t)value) != 0) {
      string_printf(&problem, "Unknown name '%s' on line %d.", line, number);
    }
  }
  fclose(file);
  return problem.text;
}

// End of tuning.h.
