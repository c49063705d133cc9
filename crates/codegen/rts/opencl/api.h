// Start of api.h: what we use of OpenCL 1.2, declared here so that programs build
// without its headers.

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_ulong cl_bitfield;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef cl_mem device_memory;

#define CL_SUCCESS 0
#define CL_DEVICE_NOT_FOUND (-1)
#define CL_MEM_OBJECT_ALLOCATION_FAILURE (-4)
#define CL_OUT_OF_RESOURCES (-5)
#define CL_OUT_OF_HOST_MEMORY (-6)
#define CL_INVALID_BUFFER_SIZE (-61)
#define CL_TRUE 1
#define CL_FALSE 0
#define CL_PLATFORM_NAME 0x0902
#define CL_DEVICE_TYPE_GPU ((cl_bitfield)1 << 2)
#define CL_DEVICE_TYPE_CPU ((cl_bitfield)1 << 1)
#define CL_DEVICE_TYPE_ALL ((cl_bitfield)0xffffffff)
#define CL_DEVICE_TYPE 0x1000
#define CL_DEVICE_MAX_COMPUTE_UNITS 0x1002
#define CL_DEVICE_MAX_WORK_GROUP_SIZE 0x1004
#define CL_DEVICE_SINGLE_FP_CONFIG 0x101B
#define CL_DEVICE_GLOBAL_MEM_SIZE 0x101F
#define CL_DEVICE_LOCAL_MEM_SIZE 0x1023
#define CL_DEVICE_NAME 0x102B
#define CL_DRIVER_VERSION 0x102D
#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ((cl_bitfield)1 << 7)
#define CL_QUEUE_PROFILING_ENABLE ((cl_bitfield)1 << 1)
#define CL_QUEUE_CONTEXT 0x1090
#define CL_QUEUE_DEVICE 0x1091
#define CL_MEM_READ_WRITE ((cl_bitfield)1 << 0)
#define CL_MEM_HOST_PTR 0x1103
#define CL_PROGRAM_BINARY_SIZES 0x1165
#define CL_PROGRAM_BINARIES 0x1166
#define CL_PROGRAM_BUILD_LOG 0x1183
#define CL_PROFILING_COMMAND_START 0x1282
#define CL_PROFILING_COMMAND_END 0x1283

#define CL_FUNCTIONS(F)                                                                                              \
  F(cl_int, GetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                                                  \
  F(cl_int, GetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *))                                    \
  F(cl_int, GetDeviceIDs, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))                         \
  F(cl_int, GetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *))                                        \
  F(cl_context, CreateContext,                                                                                       \
    (const intptr_t *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, size_t, void *), void *,  \
     cl_int *))                                                                                                      \
  F(cl_int, RetainContext, (cl_context))                                                                             \
  F(cl_int, ReleaseContext, (cl_context))                                                                            \
  F(cl_command_queue, CreateCommandQueue, (cl_context, cl_device_id, cl_bitfield, cl_int *))                         \
  F(cl_int, RetainCommandQueue, (cl_command_queue))                                                                  \
  F(cl_int, ReleaseCommandQueue, (cl_command_queue))                                                                 \
  F(cl_int, GetCommandQueueInfo, (cl_command_queue, cl_uint, size_t, void *, size_t *))                              \
  F(cl_program, CreateProgramWithSource, (cl_context, cl_uint, const char **, const size_t *, cl_int *))             \
  F(cl_program, CreateProgramWithBinary,                                                                             \
    (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *))         \
  F(cl_int, BuildProgram,                                                                                            \
    (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *))                 \
  F(cl_int, GetProgramInfo, (cl_program, cl_uint, size_t, void *, size_t *))                                         \
  F(cl_int, GetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))                      \
  F(cl_int, ReleaseProgram, (cl_program))                                                                            \
  F(cl_kernel, CreateKernel, (cl_program, const char *, cl_int *))                                                   \
  F(cl_int, ReleaseKernel, (cl_kernel))                                                                              \
  F(cl_int, SetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                                                \
  F(cl_mem, CreateBuffer, (cl_context, cl_bitfield, size_t, void *, cl_int *))                                       \
  F(cl_int, ReleaseMemObject, (cl_mem))                                                                              \
  F(cl_int, GetMemObjectInfo, (cl_mem, cl_uint, size_t, void *, size_t *))                                           \
  F(cl_int, EnqueueReadBuffer,                                                                                       \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *))              \
  F(cl_int, EnqueueWriteBuffer,                                                                                      \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *))        \
  F(cl_int, EnqueueFillBuffer,                                                                                       \
    (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *))         \
  F(cl_int, EnqueueCopyBuffer,                                                                                       \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *))               \
  F(cl_int, EnqueueNDRangeKernel,                                                                                    \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint, const cl_event *, \
     cl_event *))                                                                                                    \
  F(cl_int, GetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *))                                    \
  F(cl_int, ReleaseEvent, (cl_event))                                                                                \
  F(cl_int, Flush, (cl_command_queue))                                                                               \
  F(cl_int, Finish, (cl_command_queue))

struct opencl {
  void *library;
#define FIELD(RESULT, NAME, ARGS) RESULT(*NAME) ARGS;
  CL_FUNCTIONS(FIELD)
#undef FIELD
};

struct api {
  struct opencl cl;
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernels[NUM_KERNELS + 1];
  // The launch that failed, or 0, and what it says.
  cl_mem failure, failure_values;
};

#define API_KERNEL "__kernel void"
#define BACKEND_CONFIG_FIELDS struct device_config device;
#define BACKEND_FIELDS   \
  struct device device;  \
  struct api api;

// What was wrong, in a string that stays, or NULL.
TOOL_FUN const char *opencl_load(struct opencl *cl) {
  static const char *const names[] = {
#if defined(_WIN32)
      "OpenCL.dll",
#elif defined(__APPLE__)
      "/System/Library/Frameworks/OpenCL.framework/OpenCL",
#else
      "libOpenCL.so.1", "libOpenCL.so",
#endif
      NULL};
  cl->library = library_present("clGetPlatformIDs");
  if (cl->library == NULL) {
    cl->library = library_find(names);
  }
  if (cl->library == NULL) {
    return "cannot find the OpenCL library (libOpenCL.so.1); install an OpenCL driver and loader";
  }
#define LOAD(RESULT, NAME, ARGS)                                        \
  *(void **)&cl->NAME = library_symbol(cl->library, "cl" #NAME);        \
  if (cl->NAME == NULL) {                                               \
    return "the OpenCL library lacks cl" #NAME "; it is too old";       \
  }
  CL_FUNCTIONS(LOAD)
#undef LOAD
  return NULL;
}

TOOL_FUN const char *opencl_error_name(cl_int code) {
  switch (code) {
  case -1: return "CL_DEVICE_NOT_FOUND";
  case -2: return "CL_DEVICE_NOT_AVAILABLE";
  case -3: return "CL_COMPILER_NOT_AVAILABLE";
  case -4: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
  case -5: return "CL_OUT_OF_RESOURCES";
  case -6: return "CL_OUT_OF_HOST_MEMORY";
  case -11: return "CL_BUILD_PROGRAM_FAILURE";
  case -14: return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
  case -30: return "CL_INVALID_VALUE";
  case -34: return "CL_INVALID_CONTEXT";
  case -36: return "CL_INVALID_COMMAND_QUEUE";
  case -38: return "CL_INVALID_MEM_OBJECT";
  case -42: return "CL_INVALID_BINARY";
  case -46: return "CL_INVALID_KERNEL_NAME";
  case -49: return "CL_INVALID_ARG_INDEX";
  case -50: return "CL_INVALID_ARG_VALUE";
  case -51: return "CL_INVALID_ARG_SIZE";
  case -52: return "CL_INVALID_KERNEL_ARGS";
  case -54: return "CL_INVALID_WORK_GROUP_SIZE";
  case -55: return "CL_INVALID_WORK_ITEM_SIZE";
  case -61: return "CL_INVALID_BUFFER_SIZE";
  case -63: return "CL_INVALID_GLOBAL_WORK_SIZE";
  case -1001: return "no OpenCL platform is installed";
  default: return "unknown error";
  }
}

// End of api.h.
