// Start of device.h: what all GPU back ends have, and what each must do.
//
// Before this file come the generated tables of kernels and `device_memory`, the
// type of the API's memory. After it, the API's own files define `struct api`
// and the functions that are declared here.

// Any failure that is neither the program's nor one of memory.
#define DEVICE_ERROR 1

struct kernel_info {
  // The function in the kernel text, and what people call it.
  const char *name, *label;
  int place;
  // Whether it wants a place for shared memory.
  bool shared;
  // Whether it wants to know of failures, and may fail itself: then it wants a place for values,
  // the launch's number and that of its first check too.
  bool checks_failure, can_fail;
  int32_t first_check;
};

// A parameter of a kernel: so many bytes, or if none, a block.
struct kernel_arg {
  const void *value;
  size_t size;
};

// What the device allows.
struct device_limits {
  char name[256];
  int64_t block_size;
  int64_t grid_size;
  int64_t shared_memory;
  // Bytes of its own memory.
  int64_t memory;
  // Threads that it runs at a time.
  int64_t threads;
  // Threads of a block that exchange values without shared memory, of which a block has to have a multiple; or 1.
  int64_t warp;
};

// What users may set before a context is created; strings belong to it.
struct device_config {
  char *device, *platform;
  // Kernel text, or files to put it to or take it from, instead of the program's own.
  char *program;
  char *dump_program, *load_program, *dump_binary, *load_binary;
  char **build_options;
  int num_build_options;
  // Zero if not given.
  int64_t thread_block_size, grid_size, tile_size, reg_tile_size, shared_memory;
  // Negative if not given.
  int64_t threshold;
  int unified_memory;
  void *queue;
  // Whether launches are never collected.
  bool launch_alone;
};

// One thing that the device did, while profiling.
struct device_event;

struct device {
  struct device_limits limits;
  // Whether a kernel has run that may have failed, and the number of the last launch, from 1 on.
  bool may_have_failed;
  int32_t launches;
  // The program's constant data.
  struct block **statics;
  int num_statics;
  struct device_event *events;
  int64_t num_events, room_events;
};

// All but `allocate` leave an error behind when they fail.

static int api_open(struct futhark_context *ctx);
// The kernels, for which the parameters have their values.
static int api_build(struct futhark_context *ctx);
static void api_close(struct futhark_context *ctx);
static void api_enter(struct futhark_context *ctx);
static void api_leave(struct futhark_context *ctx);
// Fails with FUTHARK_OUT_OF_MEMORY and no error, or for another reason.
static int api_allocate(struct futhark_context *ctx, int64_t bytes, device_memory *mem);
static void api_release(struct futhark_context *ctx, device_memory mem);
// Whether memory that the user has given begins at a multiple of so many bytes.
static int api_is_aligned(struct futhark_context *ctx, device_memory mem, size_t bytes, bool *aligned);
// The bytes have been taken when it returns.
static int api_upload(struct futhark_context *ctx, device_memory to, int64_t at, const void *from, int64_t bytes);
// The bytes are there when it returns, and all before has happened.
static int api_download(struct futhark_context *ctx, device_memory from, int64_t at, void *to, int64_t bytes);
// The same in two steps, for up to SEEN_BYTES: a copy that may begin, and bytes that are there when the second one returns. Whether a check has failed by then.
static int api_begin_download(struct futhark_context *ctx, device_memory from, int64_t bytes, bool *begun);
static int api_end_download(struct futhark_context *ctx, const unsigned char *host, void *to, int64_t bytes, bool *failed);
static bool api_wait_ahead(struct futhark_context *ctx);
static int api_move(struct futhark_context *ctx, device_memory to, int64_t to_at, device_memory from, int64_t from_at,
                    int64_t bytes);
static int api_launch(struct futhark_context *ctx, int kernel, int64_t grid, int64_t block, int64_t shared,
                      const struct kernel_arg *args, int num_args);
// What was launched is on its way, whether anyone waits for it or not.
static int api_send(struct futhark_context *ctx);
static int api_wait(struct futhark_context *ctx);
// The number of the first check that failed, or -1, and its values; then forgets it.
static int api_failure(struct futhark_context *ctx, int32_t *number, int64_t *values);
// Microseconds that an event took.
// When an event began, after the beginning of another one, and how long it took, in microseconds.
static int api_event_time(struct futhark_context *ctx, const struct device_event *first,
                          const struct device_event *event, double *start, double *time);
static void api_event_free(struct futhark_context *ctx, struct device_event *event);

// End of device.h.
