// Start of ops.h: memory and kernels.

static void api_enter(struct futhark_context *ctx) {
  if (ctx->api.has_context) {
    ctx->api.cu.CtxPushCurrent(ctx->api.context);
  }
}

static void api_leave(struct futhark_context *ctx) {
  CUcontext old;
  if (ctx->api.has_context) {
    ctx->api.cu.CtxPopCurrent(&old);
  }
}

// Marks the start and the end of an operation, while profiling.

RTS_FUN struct device_event *cuda_event_start(struct futhark_context *ctx, struct device_event *event) {
  if (event != NULL) {
    CUevent start = NULL, end = NULL;
    if (ctx->api.cu.EventCreate(&start, CU_EVENT_DEFAULT) == CUDA_SUCCESS) {
      ctx->api.cu.EventRecord(start, ctx->api.stream);
    }
    ctx->api.cu.EventCreate(&end, CU_EVENT_DEFAULT);
    event->start = start;
    event->end = end;
  }
  return event;
}

RTS_FUN void cuda_event_end(struct futhark_context *ctx, const struct device_event *event) {
  if (event != NULL && event->end != NULL) {
    ctx->api.cu.EventRecord(event->end, ctx->api.stream);
  }
}

static int api_event_time(struct futhark_context *ctx, const struct device_event *first,
                          const struct device_event *event, double *start, double *time) {
  float before = 0, milliseconds = 0;
  const struct cuda *cu = &ctx->api.cu;
  if (first->start == NULL || event->start == NULL || event->end == NULL ||
      cu->EventElapsedTime(&before, first->start, event->start) != CUDA_SUCCESS ||
      cu->EventElapsedTime(&milliseconds, event->start, event->end) != CUDA_SUCCESS) {
    return DEVICE_ERROR;
  }
  *start = (double)before * 1000.0;
  *time = (double)milliseconds * 1000.0;
  return FUTHARK_SUCCESS;
}

static void api_event_free(struct futhark_context *ctx, struct device_event *event) {
  if (event->start != NULL) {
    ctx->api.cu.EventDestroy(event->start);
  }
  if (event->end != NULL) {
    ctx->api.cu.EventDestroy(event->end);
  }
}

static int api_allocate(struct futhark_context *ctx, int64_t bytes, device_memory *mem) {
  const struct cuda *cu = &ctx->api.cu;
  CUresult code = ctx->api.unified ? cu->MemAllocManaged(mem, (size_t)bytes, CU_MEM_ATTACH_GLOBAL)
                                   : cu->MemAlloc(mem, (size_t)bytes);
  if (code == CUDA_SUCCESS || code == CUDA_ERROR_OUT_OF_MEMORY) {
    return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : FUTHARK_OUT_OF_MEMORY;
  }
  return cuda_fail(ctx, "allocate memory", code);
}

// What is collected by now may still use the memory.
static void api_release(struct futhark_context *ctx, device_memory mem) {
  (void)send_all(ctx);
  ctx->api.cu.MemFree(mem);
}

static int api_is_aligned(struct futhark_context *ctx, device_memory mem, size_t bytes, bool *aligned) {
  (void)ctx;
  *aligned = mem % bytes == 0;
  return FUTHARK_SUCCESS;
}

// From memory that the device cannot read, bytes are taken before the call returns.
static int upload_now(struct futhark_context *ctx, CUdeviceptr to, const void *from, int64_t bytes) {
  const struct cuda *cu = &ctx->api.cu;
  struct device_event *event = cuda_event_start(ctx, event_copy(ctx, "copy from host", bytes));
  CUresult code;
  if (bytes == 4) {
    unsigned int word;
    memcpy(&word, from, 4);
    code = cu->MemsetD32Async(to, word, 1, ctx->api.stream);
  } else if (bytes == 2) {
    unsigned short word;
    memcpy(&word, from, 2);
    code = cu->MemsetD16Async(to, word, 1, ctx->api.stream);
  } else if (bytes == 1) {
    code = cu->MemsetD8Async(to, *(const unsigned char *)from, 1, ctx->api.stream);
  } else {
    code = cu->MemcpyHtoDAsync(to, from, (size_t)bytes, ctx->api.stream);
    if (code == CUDA_SUCCESS && bytes > STAGE_BYTES) {
      // The user's memory may be such that the device can read it later.
      code = cu->StreamSynchronize(ctx->api.stream);
    }
  }
  cuda_event_end(ctx, event);
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "write to the device", code);
}

static int api_upload(struct futhark_context *ctx, device_memory to, int64_t at, const void *from, int64_t bytes) {
  CUdeviceptr place = to + (CUdeviceptr)at;
  if (upload_waits(bytes)) {
    struct change change = {place, 0, (uint32_t)bytes, 0};
    return change_add(ctx, &change, from);
  }
  int err = send_all(ctx);
  return err == FUTHARK_SUCCESS ? upload_now(ctx, place, from, bytes) : err;
}

static int api_download(struct futhark_context *ctx, device_memory from, int64_t at, void *to, int64_t bytes) {
  const struct cuda *cu = &ctx->api.cu;
  int err = send_all(ctx);
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  struct device_event *event = cuda_event_start(ctx, event_copy(ctx, "copy to host", bytes));
  bool staged = bytes <= STAGE_BYTES;
  CUresult code = cu->MemcpyDtoHAsync(staged ? ctx->api.stage : to, from + (CUdeviceptr)at, (size_t)bytes, ctx->api.stream);
  cuda_event_end(ctx, event);
  if (code == CUDA_SUCCESS) {
    code = cu->StreamSynchronize(ctx->api.stream);
    ctx->api.launches = 0;
  }
  if (code == CUDA_SUCCESS && staged) {
    memcpy(to, ctx->api.stage, (size_t)bytes);
  }
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "read from the device", code);
}

static int api_begin_download(struct futhark_context *ctx, device_memory from, int64_t bytes, bool *begun) {
  const struct cuda *cu = &ctx->api.cu;
  int err = send_all(ctx);
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  CUresult code = CUDA_SUCCESS;
  if (ctx->api.ahead == NULL) {
    code = cu->EventCreate(&ctx->api.ahead, CU_EVENT_DISABLE_TIMING);
  }
  struct device_event *event = cuda_event_start(ctx, event_copy(ctx, "copy to host", bytes));
  if (code == CUDA_SUCCESS) {
    code = cu->MemcpyDtoHAsync((unsigned char *)ctx->api.stage + STAGE_BYTES, from, (size_t)bytes, ctx->api.stream);
  }
  cuda_event_end(ctx, event);
  if (code == CUDA_SUCCESS) {
    code = cu->EventRecord(ctx->api.ahead, ctx->api.stream);
  }
  *begun = code == CUDA_SUCCESS;
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "read from the device", code);
}

// Memory of the host that is free, or NULL.
static const unsigned char *api_take_host(struct futhark_context *ctx, device_memory *mem) {
  struct api *api = &ctx->api;
  for (int i = 0; i < HOST_PLACES; i++) {
    if ((api->host_places >> i & 1) == 0) {
      api->host_places |= (uint32_t)1 << i;
      *mem = api->failure_values + HOST_PLACES_AT + (CUdeviceptr)i * SEEN_BYTES;
      return (const unsigned char *)api->host_failure_values + HOST_PLACES_AT + (size_t)i * SEEN_BYTES;
    }
  }
  return NULL;
}

static void api_give_host(struct futhark_context *ctx, const unsigned char *host) {
  size_t at = (size_t)(host - (const unsigned char *)ctx->api.host_failure_values) - HOST_PLACES_AT;
  ctx->api.host_places &= ~((uint32_t)1 << at / SEEN_BYTES);
}

// The host will wait for what has been launched by now. If it launches more before, that is marked: it costs a microsecond.
static bool api_wait_ahead(struct futhark_context *ctx) {
  if (ctx->api.ahead == NULL &&
      ctx->api.cu.EventCreate(&ctx->api.ahead, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
    return false;
  }
  ctx->api.mark_ahead = true;
  return true;
}

// Marks the end of what has been launched by now.
static int mark_ahead(struct futhark_context *ctx) {
  ctx->api.mark_ahead = false;
  int err = batch_send(ctx);
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  CUresult code = ctx->api.cu.EventRecord(ctx->api.ahead, ctx->api.stream);
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "read from the device", code);
}

// From the host's memory, or where the copy that has begun ends.
static int api_end_download(struct futhark_context *ctx, const unsigned char *host, void *to, int64_t bytes, bool *failed) {
  int err = send_all(ctx);
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  CUresult code;
  if (host != NULL && ctx->api.mark_ahead) {
    code = ctx->api.cu.StreamSynchronize(ctx->api.stream);
    ctx->api.launches = 0;
    ctx->api.mark_ahead = false;
  } else {
    code = ctx->api.cu.EventSynchronize(ctx->api.ahead);
  }
  memcpy(to, host != NULL ? host : (unsigned char *)ctx->api.stage + STAGE_BYTES, (size_t)bytes);
  *failed = *(volatile int64_t *)ctx->api.host_failure_values >= 0;
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "read from the device", code);
}

static int move_now(struct futhark_context *ctx, CUdeviceptr to, CUdeviceptr from, int64_t bytes) {
  struct device_event *event = cuda_event_start(ctx, event_copy(ctx, "copy on device", bytes));
  CUresult code = ctx->api.cu.MemcpyDtoDAsync(to, from, (size_t)bytes, ctx->api.stream);
  cuda_event_end(ctx, event);
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "copy on the device", code);
}

static int api_move(struct futhark_context *ctx, device_memory to, int64_t to_at, device_memory from, int64_t from_at,
                    int64_t bytes) {
  CUdeviceptr to_place = to + (CUdeviceptr)to_at, from_place = from + (CUdeviceptr)from_at;
  if (move_waits(bytes)) {
    struct change change = {to_place, from_place, (uint32_t)bytes, copy_unit(to_place, from_place, bytes)};
    return change_add(ctx, &change, NULL);
  }
  int err = send_all(ctx);
  return err == FUTHARK_SUCCESS ? move_now(ctx, to_place, from_place, bytes) : err;
}

#define MAX_KERNEL_ARGS 1024

static int api_launch(struct futhark_context *ctx, int kernel, int64_t grid, int64_t block, int64_t shared,
                      const struct kernel_arg *args, int num_args) {
  static CUdeviceptr nothing = 0;
  const struct kernel_info *info = &kernel_infos[kernel];
  struct api *api = &ctx->api;
  void *params[MAX_KERNEL_ARGS + 4];
  size_t sizes[MAX_KERNEL_ARGS + 4];
  int at = 0;
  int err = changes_send(ctx);
  if (err == FUTHARK_SUCCESS && api->mark_ahead) {
    err = mark_ahead(ctx);
  }
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  if (num_args > MAX_KERNEL_ARGS) {
    set_error(ctx, "Error: the kernel %s has too many parameters.\n", info->label);
    return DEVICE_ERROR;
  }
  if (block > api->max_threads[kernel]) {
    set_error(ctx,
              "Error: the kernel %s needs so many registers that a thread block can have %d threads, but it is launched "
              "with %" PRId64 ".\n",
              info->label, api->max_threads[kernel], block);
    return DEVICE_ERROR;
  }
  if (info->checks_failure) {
    sizes[at] = sizeof api->failure;
    params[at++] = &api->failure;
  }
  if (info->can_fail) {
    sizes[at] = sizeof api->failure_values;
    params[at++] = &api->failure_values;
    sizes[at] = sizeof ctx->device.launches;
    params[at++] = &ctx->device.launches;
    sizes[at] = sizeof info->first_check;
    params[at++] = (void *)&info->first_check;
  }
  for (int i = 0; i < num_args; i++) {
    const struct block *b = args[i].value;
    sizes[at] = args[i].size > 0 ? args[i].size : sizeof b->mem;
    params[at++] = args[i].size > 0 ? (void *)args[i].value : b == NULL ? (void *)&nothing : (void *)&b->mem;
  }
  int words = 0;
  for (int i = 0; i < at; i++) {
    words += words_of(sizes[i]);
  }
  struct device_event *event = event_kernel(ctx, info, grid, block, shared);
  if (event == NULL && batch_takes(api, words)) {
    struct waiting_launch launch = {kernel, (unsigned int)grid, (unsigned int)block, (unsigned int)shared, 0, words};
    return batch_add(ctx, &launch, params, sizes, at);
  }
  err = batch_send(ctx);
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  cuda_event_start(ctx, event);
  CUresult code = api->cu.LaunchKernel(api->kernels[kernel], (unsigned int)grid, 1, 1, (unsigned int)block, 1, 1,
                                       (unsigned int)shared, api->stream, params, NULL);
  cuda_event_end(ctx, event);
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : launch_failed(ctx, kernel, code);
}

static int api_send(struct futhark_context *ctx) {
  return send_all(ctx);
}

static int api_wait(struct futhark_context *ctx) {
  int err = send_all(ctx);
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  CUresult code = ctx->api.stream == NULL ? CUDA_SUCCESS : ctx->api.cu.StreamSynchronize(ctx->api.stream);
  ctx->api.launches = 0;
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "finish", code);
}

static int api_failure(struct futhark_context *ctx, int32_t *number, int64_t *values) {
  volatile int64_t *found = ctx->api.host_failure_values;
  if (found[0] < 0) {
    return FUTHARK_SUCCESS;
  }
  for (int i = 0; i < MAX_FAILURE_VALUES; i++) {
    values[i] = found[i];
  }
  *number = (int32_t)values[0];
  found[0] = -1;
  CUresult code = ctx->api.cu.MemsetD32Async(ctx->api.failure, 0, 1, ctx->api.stream);
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "write to the device", code);
}

// The rest of the interface.

void futhark_context_config_add_nvrtc_option(struct futhark_context_config *cfg, const char *opt) {
  config_build_option(cfg, opt);
}

void futhark_context_config_dump_ptx_to(struct futhark_context_config *cfg, const char *path) {
  config_string(cfg, &cfg->device.dump_binary, path);
}

void futhark_context_config_load_ptx_from(struct futhark_context_config *cfg, const char *path) {
  config_string(cfg, &cfg->device.load_binary, path);
}

// End of ops.h.
