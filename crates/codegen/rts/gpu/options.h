// Start of options.h: options of executables for devices. The API's own come before.

#define BACKEND_OPTIONS                                                                                             \
  {'d', "device", "NAME", "Use the first device whose name contains this, or #k for the k-th.", true},              \
  {0, "default-thread-block-size", "INT", "The usual number of threads in a block.", true},                         \
  {0, "default-group-size", "INT", "The same.", true},                                                              \
  {0, "default-grid-size", "INT", "The usual number of thread blocks.", true},                                      \
  {0, "default-num-thread-blocks", "INT", "The same.", true},                                                       \
  {0, "default-num-groups", "INT", "The same.", true},                                                              \
  {0, "default-tile-size", "INT", "The usual size of tiles.", true},                                                \
  {0, "default-reg-tile-size", "INT", "The usual size of tiles in registers.", true},                               \
  {0, "default-threshold", "INT", "How much parallelism is usually enough.", true},                                 \
  {0, "unified-memory", "INT", "Use memory that the host sees too: 0 never, 1 always, 2 if supported.", true},      \
  API_OPTIONS

// End of options.h.
