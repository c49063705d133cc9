// Start of options.h: options that only multicore programs have.

#define BACKEND_OPTIONS {0, "num-threads", "INT", "Use so many threads; below 1, one for each core.", true},

// End of options.h.
