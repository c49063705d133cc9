// The part of OpenCL that the interface shows; its own headers agree.
typedef struct _cl_mem *cl_mem;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_program *cl_program;
