// What OpenCL's cl_mem, cl_command_queue and cl_program point to. Those names are left to its own headers.
struct _cl_mem;
struct _cl_command_queue;
struct _cl_program;
