// Start of options.h: options that only OpenCL has.

#define API_OPTIONS                                                                                                 \
  {'p', "platform", "NAME", "Use the first platform whose name contains this, or #k for the k-th.", true},          \
  {0, "list-devices", NULL, "List all platforms and devices and exit.", true},                                      \
  {0, "build-option", "OPT", "Pass this to the compiler of kernels.", true},                                        \
  {0, "dump-opencl", "FILE", "Write the kernels to this file and exit.", true},                                     \
  {0, "load-opencl", "FILE", "Use the kernels in this file.", true},                                                \
  {0, "dump-opencl-binary", "FILE", "Write the compiled kernels to this file and exit.", true},                     \
  {0, "load-opencl-binary", "FILE", "Use the compiled kernels in this file.", true},

// End of options.h.
