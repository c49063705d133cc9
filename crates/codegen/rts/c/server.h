// Start of server.h: a program that keeps values in variables and obeys
// commands, one to a line, from standard input.
//
// Every answer ends with `%%% OK`; after `%%% FAILURE` comes what went wrong.
// No command, however wrong, ends the server.

// The commands, with how many arguments they take at least and at most.
#define ANY_NUMBER (-1)

static const struct command {
  const char *name;
  int least, most;
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

TOOL_FUN void run_command(struct server *s, int argc, char **words) {
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    const struct command *c = &commands[i];
    if (strcmp(c->name, words[0]) == 0) {
      if (argc - 1 < c->least) {
        failure("Insufficient command args.");
      } else if (c->most != ANY_NUMBER && argc - 1 > c->most) {
        failure("Excess command args.");
      } else {
        c->run(s, argc - 1, words + 1);
      }
      return;
    }
  }
  failure("Unknown command: %s", words[0]);
}

// Splits a line at spaces, in place; words in double quotes may contain spaces.
// How many words there are; -1 if a quote is not closed.
TOOL_FUN int split_words(char *line, char **words) {
  int count = 0;
  for (;;) {
    while (is_space((unsigned char)*line)) {
      line++;
    }
    if (*line == '\0') {
      return count;
    }
    bool quoted = *line == '"';
    char *start = quoted ? line + 1 : line;
    char *end = start;
    while (*end != '\0' && (quoted ? *end != '"' : !is_space((unsigned char)*end))) {
      end++;
    }
    if (quoted && *end == '\0') {
      return -1;
    }
    line = *end == '\0' ? end : end + 1;
    *end = '\0';
    words[count++] = start;
  }
}

// Obeys a command; one for which there was no memory has no text.
TOOL_FUN void obey(struct server *s, char *line) {
  char **words = line == NULL ? NULL : calloc(strlen(line) / 2 + 2, sizeof(char *));
  int argc = words == NULL ? 0 : split_words(line, words);
  if (words == NULL) {
    failure("Out of memory.");
  } else if (argc < 0) {
    failure("Invalid command: a quote is not closed.");
  } else if (argc == 0) {
    failure("Empty command.");
  } else {
    run_command(s, argc, words);
  }
  free(words);
}

TOOL_FUN void serve(struct server *s, const char *program) {
  const char *debugging = getenv("FUTHARK_COMPILER_DEBUGGING");
  bool echo = debugging != NULL && strcmp(debugging, "1") == 0;
  struct string line;
  printf("%%%%%% OK\n");
  fflush(stdout);
  while (read_line(stdin, &line)) {
    if (echo) {
      fprintf(stderr, "%s: %s\n", program, line.text == NULL ? "" : line.text);
    }
    obey(s, line.text);
    printf("%%%%%% OK\n");
    fflush(stdout);
    free(line.text);
  }
}

// The stack room is 0 if it is not known.
TOOL_FUN int run_main(int argc, char **argv, size_t stack_room) {
  struct options opts = {.program = argc > 0 ? argv[0] : "program", .entry = "main"};
  struct server server = {0};
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
      set_stack_room(server.ctx, stack_room);
      // Who sent a command finds in its answer what was logged.
      futhark_context_set_logging_file(server.ctx, stdout);
      serve(&server, opts.program);
      while (server.num_variables > 0) {
        remove_variable(&server, &server.variables[server.num_variables - 1]);
      }
    }
    free(server.variables);
    free(server.buckets);
    futhark_context_free(server.ctx);
  }
  futhark_context_config_free(opts.cfg);
  return status;
}

// End of server.h.
