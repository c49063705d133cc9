// Start of api.h: what we use of the CUDA driver and of NVRTC, declared here so
// that programs build without their headers.

typedef int CUresult;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
typedef unsigned long long CUdeviceptr;
typedef CUdeviceptr device_memory;

#define CUDA_SUCCESS 0
#define CUDA_ERROR_OUT_OF_MEMORY 2
#define CUDA_ERROR_NO_DEVICE 100
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK 1
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X 5
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK 8
#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT 16
#define CU_DEVICE_ATTRIBUTE_INTEGRATED 18
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR 39
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR 75
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR 76
#define CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY 83
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN 97
#define CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES 100
#define CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK 0
#define CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES 1
#define CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES 8
#define CU_MEM_ATTACH_GLOBAL 1
#define CU_MEMHOSTALLOC_PORTABLE 1
#define CU_MEMHOSTALLOC_DEVICEMAP 2
#define CU_STREAM_DEFAULT 0
#define CU_EVENT_DEFAULT 0
#define CU_EVENT_DISABLE_TIMING 2
#define NVRTC_SUCCESS 0
#define NVRTC_ERROR_INVALID_OPTION 5

// The name in the library, after `cu`, where it differs.
#define CUDA_FUNCTIONS(F)                                                                                            \
  F(GetErrorName, "GetErrorName", (CUresult, const char **))                                                         \
  F(GetErrorString, "GetErrorString", (CUresult, const char **))                                                     \
  F(Init, "Init", (unsigned int))                                                                                    \
  F(DriverGetVersion, "DriverGetVersion", (int *))                                                                   \
  F(DeviceGetCount, "DeviceGetCount", (int *))                                                                       \
  F(DeviceGet, "DeviceGet", (CUdevice *, int))                                                                       \
  F(DeviceGetName, "DeviceGetName", (char *, int, CUdevice))                                                         \
  F(DeviceGetAttribute, "DeviceGetAttribute", (int *, int, CUdevice))                                                \
  F(DeviceTotalMem, "DeviceTotalMem_v2", (size_t *, CUdevice))                                                       \
  F(DevicePrimaryCtxRetain, "DevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                       \
  F(DevicePrimaryCtxRelease, "DevicePrimaryCtxRelease_v2", (CUdevice))                                               \
  F(CtxPushCurrent, "CtxPushCurrent_v2", (CUcontext))                                                                \
  F(CtxPopCurrent, "CtxPopCurrent_v2", (CUcontext *))                                                                \
  F(StreamCreate, "StreamCreate", (CUstream *, unsigned int))                                                        \
  F(StreamDestroy, "StreamDestroy_v2", (CUstream))                                                                   \
  F(StreamSynchronize, "StreamSynchronize", (CUstream))                                                              \
  F(MemAlloc, "MemAlloc_v2", (CUdeviceptr *, size_t))                                                                \
  F(MemAllocManaged, "MemAllocManaged", (CUdeviceptr *, size_t, unsigned int))                                       \
  F(MemFree, "MemFree_v2", (CUdeviceptr))                                                                            \
  F(MemHostAlloc, "MemHostAlloc", (void **, size_t, unsigned int))                                                   \
  F(MemFreeHost, "MemFreeHost", (void *))                                                                            \
  F(MemHostGetDevicePointer, "MemHostGetDevicePointer_v2", (CUdeviceptr *, void *, unsigned int))                    \
  F(MemcpyHtoDAsync, "MemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))                            \
  F(MemcpyDtoHAsync, "MemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))                                  \
  F(MemcpyDtoDAsync, "MemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                             \
  F(MemsetD8Async, "MemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                                  \
  F(MemsetD16Async, "MemsetD16Async", (CUdeviceptr, unsigned short, size_t, CUstream))                               \
  F(MemsetD32Async, "MemsetD32Async", (CUdeviceptr, unsigned int, size_t, CUstream))                                 \
  F(ModuleLoadData, "ModuleLoadData", (CUmodule *, const void *))                                                    \
  F(ModuleUnload, "ModuleUnload", (CUmodule))                                                                        \
  F(ModuleGetFunction, "ModuleGetFunction", (CUfunction *, CUmodule, const char *))                                  \
  F(FuncGetAttribute, "FuncGetAttribute", (int *, int, CUfunction))                                                  \
  F(FuncSetAttribute, "FuncSetAttribute", (CUfunction, int, int))                                                    \
  F(LaunchKernel, "LaunchKernel",                                                                                    \
    (CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,   \
     CUstream, void **, void **))                                                                                    \
  F(EventCreate, "EventCreate", (CUevent *, unsigned int))                                                           \
  F(EventRecord, "EventRecord", (CUevent, CUstream))                                                                 \
  F(EventSynchronize, "EventSynchronize", (CUevent))                                                                 \
  F(EventElapsedTime, "EventElapsedTime", (float *, CUevent, CUevent))                                               \
  F(EventDestroy, "EventDestroy_v2", (CUevent))

#define NVRTC_FUNCTIONS(F)                                                                                           \
  F(Version, (int *, int *))                                                                                         \
  F(CreateProgram, (nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *))      \
  F(CompileProgram, (nvrtcProgram, int, const char *const *))                                                        \
  F(DestroyProgram, (nvrtcProgram *))                                                                                \
  F(GetProgramLogSize, (nvrtcProgram, size_t *))                                                                     \
  F(GetProgramLog, (nvrtcProgram, char *))                                                                           \
  F(GetCUBINSize, (nvrtcProgram, size_t *))                                                                          \
  F(GetCUBIN, (nvrtcProgram, char *))                                                                                \
  F(GetPTXSize, (nvrtcProgram, size_t *))                                                                            \
  F(GetPTX, (nvrtcProgram, char *))                                                                                  \
  F(GetNumSupportedArchs, (int *))                                                                                   \
  F(GetSupportedArchs, (int *))

struct cuda {
  void *library;
#define FIELD(NAME, SYMBOL, ARGS) CUresult(*NAME) ARGS;
  CUDA_FUNCTIONS(FIELD)
#undef FIELD
};

struct nvrtc {
  void *library;
#define FIELD(NAME, ARGS) nvrtcResult(*NAME) ARGS;
  NVRTC_FUNCTIONS(FIELD)
#undef FIELD
};

// Small transfers to the host go through memory that the device can write to.
#define STAGE_BYTES 65536
// How many blocks there are at a time that kernels write to the host's memory.
#define HOST_PLACES 16
// Where they begin, behind what failed checks say.
#define HOST_PLACES_AT ((MAX_FAILURE_VALUES * sizeof(int64_t) + SEEN_BYTES - 1) / SEEN_BYTES * SEEN_BYTES)

struct api {
  struct cuda cu;
  bool has_context, unified;
  CUdevice device;
  CUcontext context;
  CUstream stream;
  CUmodule module;
  CUfunction kernels[NUM_KERNELS + 1];
  int max_threads[NUM_KERNELS + 1];
  // Memory for small transfers, and behind that for a copy that has begun; and when that has ended.
  void *stage;
  CUevent ahead;
  // Whether that is not marked yet: nothing has been launched since.
  bool mark_ahead;
  // The launch that failed, or 0, on the device; what it says is in the host's memory.
  CUdeviceptr failure, failure_values;
  int64_t *host_failure_values;
  // Behind that, places of which each is the memory of a block that kernels write and the host reads; which are taken, a bit each.
  uint32_t host_places;
  // Launches that are collected, and how many there were since somebody last waited; whether all go by themselves.
  struct batch *batch;
  int64_t launches;
  bool launches_alone;
  // Changes of memory that wait, and how many of the bytes that the host gives them are taken.
  struct changes changes;
  int num_changes, given;
};

#define API_KERNEL "extern \"C\" __global__ void"
#define BACKEND_CONFIG_FIELDS struct device_config device;
#define BACKEND_FIELDS   \
  struct device device;  \
  struct api api;

// What was wrong, in a string that stays, or NULL.
TOOL_FUN const char *cuda_load(struct cuda *cu) {
  static const char *const names[] = {
#ifdef _WIN32
      "nvcuda.dll",
#else
      "libcuda.so.1", "libcuda.so",
#endif
      NULL};
  cu->library = library_find(names);
  if (cu->library == NULL) {
    return "cannot find the CUDA driver (libcuda.so.1); install an NVIDIA driver";
  }
#define LOAD(NAME, SYMBOL, ARGS)                                        \
  *(void **)&cu->NAME = library_symbol(cu->library, "cu" SYMBOL);       \
  if (cu->NAME == NULL) {                                               \
    return "the CUDA driver lacks cu" SYMBOL "; it is too old";         \
  }
  CUDA_FUNCTIONS(LOAD)
#undef LOAD
  return NULL;
}

// Where the toolkit usually is, then where the user says it is.
TOOL_FUN void *nvrtc_find(void) {
  static const char *const names[] = {
#ifdef _WIN32
      "nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll",
#else
      "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so",
      "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so",
      "/opt/cuda/lib64/libnvrtc.so",
#endif
      NULL};
  static const char *const variables[] = {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH", NULL};
  void *library = NULL;
  for (int i = 0; variables[i] != NULL && library == NULL; i++) {
    const char *home = getenv(variables[i]);
    struct string path = {0};
    if (home != NULL) {
      string_printf(&path, "%s/lib64/libnvrtc.so", home);
      library = path.text == NULL ? NULL : library_open(path.text);
      free(path.text);
    }
  }
  return library != NULL ? library : library_find(names);
}

TOOL_FUN const char *nvrtc_load(struct nvrtc *rtc) {
  rtc->library = nvrtc_find();
  if (rtc->library == NULL) {
    return "cannot find NVRTC (libnvrtc.so), the compiler of CUDA kernels; install the CUDA toolkit or set CUDA_HOME";
  }
#define LOAD(NAME, ARGS)                                                \
  *(void **)&rtc->NAME = library_symbol(rtc->library, "nvrtc" #NAME);   \
  if (rtc->NAME == NULL) {                                              \
    return "NVRTC lacks nvrtc" #NAME "; it is too old";                 \
  }
  NVRTC_FUNCTIONS(LOAD)
#undef LOAD
  return NULL;
}

// End of api.h.
