// Start of options.h: options that only CUDA has.

#define API_OPTIONS                                                                        \
  {0, "nvrtc-option", "OPT", "Pass this to the compiler of kernels.", true},               \
  {0, "dump-cuda", "FILE", "Write the kernels to this file and exit.", true},              \
  {0, "load-cuda", "FILE", "Use the kernels in this file.", true},                         \
  {0, "dump-ptx", "FILE", "Write the compiled kernels to this file and exit.", true},      \
  {0, "load-ptx", "FILE", "Use the compiled kernels in this file.", true},                 \
  {0, "launch-alone", NULL, "Launch each kernel by itself, and never several as a graph.", true},

// End of options.h.
