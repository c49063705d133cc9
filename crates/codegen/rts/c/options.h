// Start of options.h: command lines.
//
// Long options may be shortened as long as one is meant; values follow `=` or
// are the next word; short options may be joined.

struct option_spec {
  char letter; // Or 0.
  const char *name;
  const char *value; // What it is called in the help text, or NULL.
  const char *help;
  // Whether servers have it too.
  bool in_server;
};

static UNUSED const struct option_spec option_specs[] = {
    {'t', "write-runtime-to", "FILE", "Write the time of each run to this file, in microseconds.", false},
    {'r', "runs", "INT", "Run this many times, after one run to warm up.", false},
    {'e', "entry-point", "NAME", "The entry point to run; main if not given.", false},
    {'b', "binary-output", NULL, "Print the result in the binary data format.", false},
    {'n', "no-print-result", NULL, "Do not print the result.", false},
    {'D', "debugging", NULL, "Check more and log more; implies -L and -P.", true},
    {'L', "log", NULL, "Log to standard error what happens.", true},
    {'P', "profile", NULL, "Gather profiling information.", true},
    {'h', "help", NULL, "Print this text and exit.", true},
    {0, "print-params", NULL, "Print the tuning parameters and exit.", true},
    {0, "param", "NAME=INT", "Set a tuning parameter.", true},
    {0, "tuning", "FILE", "Set the tuning parameters that this file lists.", true},
    {0, "cache-file", "FILE", "Keep what speeds up the next start in this file.", true},
#ifdef BACKEND_OPTIONS
    BACKEND_OPTIONS
#endif
};
#define NUM_OPTIONS ((int)(sizeof option_specs / sizeof option_specs[0]))

// What the command line says; all strings belong to it.
struct options {
  const char *program;
  struct futhark_context_config *cfg;
  const char *entry, *time_file;
  int64_t runs; // 0 if not given.
  bool binary, quiet;
  // Whether to only create a context.
  bool setup_only;
  // Whether to exit, and how.
  bool stop;
  int status;
};

TOOL_FUN void print_help(FILE *file, const char *program, bool server) {
  fprintf(file, "Usage: %s [OPTION]...\nOptions:\n\n", program);
  for (int i = 0; i < NUM_OPTIONS; i++) {
    const struct option_spec *o = &option_specs[i];
    if (server && !o->in_server) {
      continue;
    }
    char text[64];
    int n = o->letter != 0 ? snprintf(text, sizeof text, "-%c/", o->letter) : 0;
    snprintf(text + n, sizeof text - (size_t)n, "--%s%s%s", o->name, o->value == NULL ? "" : " ",
             o->value == NULL ? "" : o->value);
    fprintf(file, "  %-28s %s\n", text, o->help);
  }
}

TOOL_FUN void option_error(struct options *opts, const char *format, ...) PRINTF_LIKE(2, 3);
TOOL_FUN void option_error(struct options *opts, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s: ", opts->program);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  opts->stop = true;
  opts->status = 1;
}

TOOL_FUN void set_param_option(struct options *opts, const char *assignment) {
  const char *equals = strchr(assignment, '=');
  char *rest = NULL;
  long long value = equals == NULL ? -1 : strtoll(equals + 1, &rest, 10);
  if (equals == NULL || value < 0 || value == INT64_MAX || rest == equals + 1 || *rest != '\0') {
    option_error(opts, "Invalid argument for size option: %s", assignment);
    return;
  }
  char *name = string_copy(assignment);
  if (name == NULL) {
    option_error(opts, "Out of memory.");
    return;
  }
  name[equals - assignment] = '\0';
  if (futhark_context_config_set_tuning_param(opts->cfg, name, (size_t)value) != 0) {
    option_error(opts, "Unknown size: %s", name);
  }
  free(name);
}

#ifdef BACKEND_OPTIONS
// The options of the back end; others it does not know.
static void backend_option(struct options *opts, const char *name, const char *value);
#endif

TOOL_FUN void apply_option(struct options *opts, const struct option_spec *o, const char *value, bool server) {
  if (strcmp(o->name, "write-runtime-to") == 0) {
    opts->time_file = value;
  } else if (strcmp(o->name, "runs") == 0) {
    char *rest;
    opts->runs = strtoll(value, &rest, 10);
    if (opts->runs <= 0 || opts->runs > INT32_MAX || *rest != '\0') {
      option_error(opts, "Need a positive number of runs, not %s", value);
    }
  } else if (strcmp(o->name, "entry-point") == 0) {
    opts->entry = value;
  } else if (strcmp(o->name, "binary-output") == 0) {
    opts->binary = true;
  } else if (strcmp(o->name, "no-print-result") == 0) {
    opts->quiet = true;
  } else if (strcmp(o->name, "debugging") == 0) {
    futhark_context_config_set_debugging(opts->cfg, 1);
  } else if (strcmp(o->name, "log") == 0) {
    futhark_context_config_set_logging(opts->cfg, 1);
  } else if (strcmp(o->name, "profile") == 0) {
    futhark_context_config_set_profiling(opts->cfg, 1);
  } else if (strcmp(o->name, "help") == 0) {
    print_help(stdout, opts->program, server);
    opts->stop = true;
  } else if (strcmp(o->name, "print-params") == 0) {
    for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
      printf("%s (%s)\n", futhark_get_tuning_param_name(i), futhark_get_tuning_param_class(i));
    }
    opts->stop = true;
  } else if (strcmp(o->name, "param") == 0) {
    set_param_option(opts, value);
  } else if (strcmp(o->name, "tuning") == 0) {
    struct string problem = {0};
    if (!load_tuning(opts->cfg, value, &problem)) {
      option_error(opts, "When loading tuning file '%s': %s", value, problem.text == NULL ? "Out of memory." : problem.text);
    }
    free(problem.text);
  } else if (strcmp(o->name, "cache-file") == 0) {
    futhark_context_config_set_cache_file(opts->cfg, value);
  }
#ifdef BACKEND_OPTIONS
  backend_option(opts, o->name, value);
#endif
}

// The option of this name or, if there is just one, of this beginning.
TOOL_FUN const struct option_spec *find_option(const char *name, size_t length, bool server) {
  const struct option_spec *found = NULL;
  int matches = 0;
  for (int i = 0; i < NUM_OPTIONS; i++) {
    const struct option_spec *o = &option_specs[i];
    if ((server && !o->in_server) || strncmp(o->name, name, length) != 0) {
      continue;
    }
    if (strlen(o->name) == length) {
      return o;
    }
    found = o;
    matches++;
  }
  return matches == 1 ? found : NULL;
}

TOOL_FUN const struct option_spec *find_letter(char letter, bool server) {
  for (int i = 0; i < NUM_OPTIONS; i++) {
    if (option_specs[i].letter == letter && (!server || option_specs[i].in_server)) {
      return &option_specs[i];
    }
  }
  return NULL;
}

TOOL_FUN void parse_options(struct options *opts, int argc, char **argv, bool server) {
  for (int i = 1; i < argc && !opts->stop; i++) {
    const char *word = argv[i];
    if (word[0] != '-' || word[1] == '\0') {
      option_error(opts, "Excess non-option: %s", word);
    } else if (word[1] == '-') {
      size_t length = strcspn(word + 2, "=");
      const char *value = word[2 + length] == '=' ? word + 3 + length : NULL;
      const struct option_spec *o = length == 0 ? NULL : find_option(word + 2, length, server);
      if (o == NULL) {
        print_help(stderr, opts->program, server);
        option_error(opts, "Unknown option: %s", word);
      } else if (o->value == NULL && value != NULL) {
        option_error(opts, "Option --%s takes no argument", o->name);
      } else if (o->value != NULL && value == NULL && ++i == argc) {
        option_error(opts, "Missing argument for option %s", word);
      } else {
        apply_option(opts, o, o->value != NULL && value == NULL ? argv[i] : value, server);
      }
    } else {
      for (const char *at = word + 1; *at != '\0' && !opts->stop; at++) {
        const struct option_spec *o = find_letter(*at, server);
        if (o == NULL) {
          print_help(stderr, opts->program, server);
          option_error(opts, "Unknown option: -%c", *at);
        } else if (o->value == NULL) {
          apply_option(opts, o, NULL, server);
        } else if (at[1] != '\0') {
          apply_option(opts, o, at + 1, server);
          break;
        } else if (++i == argc) {
          option_error(opts, "Missing argument for option -%c", *at);
        } else {
          apply_option(opts, o, argv[i], server);
          break;
        }
      }
    }
  }
}

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

// Pipes carry bytes, also where the system would rather change some.
TOOL_FUN void binary_pipes(void) {
#ifdef _WIN32
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
#endif
}

TOOL_FUN void set_stack_room(struct futhark_context *ctx, size_t room) {
  if (room != 0) {
    ctx->stack_room = room;
  }
}

// End of options.h.
