// Start of ops.h: memory and kernels.

static void api_enter(struct futhark_context *ctx) {
  (void)ctx;
}

static void api_leave(struct futhark_context *ctx) {
  (void)ctx;
}

// Where the event of an operation goes.
RTS_FUN cl_event *opencl_event(struct device_event *event) {
  return event == NULL ? NULL : (cl_event *)&event->end;
}

// OpenCL may put off giving memory until it is used, so a byte is written at once. It may also promise more than the
// device has, and end the program that uses it.
static int api_allocate(struct futhark_context *ctx, int64_t bytes, device_memory *mem) {
  const struct opencl *cl = &ctx->api.cl;
  int64_t most = ctx->device.limits.memory;
  if (most > 0 && ctx->memory.held > most - bytes) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  cl_int code = CL_SUCCESS;
  *mem = cl->CreateBuffer(ctx->api.context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
  if (code == CL_SUCCESS) {
    const unsigned char zero = 0;
    code = cl->EnqueueFillBuffer(ctx->api.queue, *mem, &zero, 1, 0, 1, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
      cl->ReleaseMemObject(*mem);
    }
  }
  if (code == CL_SUCCESS) {
    return FUTHARK_SUCCESS;
  }
  *mem = NULL;
  if (code == CL_INVALID_BUFFER_SIZE || code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
      code == CL_OUT_OF_HOST_MEMORY) {
    return FUTHARK_OUT_OF_MEMORY;
  }
  return opencl_fail(ctx, "allocate memory", code);
}

static void api_release(struct futhark_context *ctx, device_memory mem) {
  ctx->api.cl.ReleaseMemObject(mem);
}

// Devices align the buffers that they allocate, and parts of them; buffers in memory of the host are where the user says.
static int api_is_aligned(struct futhark_context *ctx, device_memory mem, size_t bytes, bool *aligned) {
  void *host = NULL;
  cl_int code = ctx->api.cl.GetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
  *aligned = (uintptr_t)host % bytes == 0;
  return code == CL_SUCCESS ? FUTHARK_SUCCESS : opencl_fail(ctx, "ask where a buffer is", code);
}

static int api_upload(struct futhark_context *ctx, device_memory to, int64_t at, const void *from, int64_t bytes) {
  const struct opencl *cl = &ctx->api.cl;
  bool is_small = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  cl_event *event = opencl_event(event_copy(ctx, "copy from host", bytes));
  // The pattern of a fill is taken at once.
  cl_int code = is_small && at % bytes == 0
                    ? cl->EnqueueFillBuffer(ctx->api.queue, to, from, (size_t)bytes, (size_t)at, (size_t)bytes, 0, NULL, event)
                    : cl->EnqueueWriteBuffer(ctx->api.queue, to, CL_TRUE, (size_t)at, (size_t)bytes, from, 0, NULL, event);
  return code == CL_SUCCESS ? FUTHARK_SUCCESS : opencl_fail(ctx, "write to the device", code);
}

static int api_download(struct futhark_context *ctx, device_memory from, int64_t at, void *to, int64_t bytes) {
  cl_event *event = opencl_event(event_copy(ctx, "copy to host", bytes));
  cl_int code = ctx->api.cl.EnqueueReadBuffer(ctx->api.queue, from, CL_TRUE, (size_t)at, (size_t)bytes, to, 0, NULL, event);
  return code == CL_SUCCESS ? FUTHARK_SUCCESS : opencl_fail(ctx, "read from the device", code);
}

// Nothing begins: whether a check has failed is known when all is done.
static int api_begin_download(struct futhark_context *ctx, device_memory from, int64_t bytes, bool *begun) {
  (void)ctx, (void)from, (void)bytes;
  *begun = false;
  return FUTHARK_SUCCESS;
}

static const unsigned char *api_take_host(struct futhark_context *ctx, device_memory *mem) {
  (void)ctx, (void)mem;
  return NULL;
}

static void api_give_host(struct futhark_context *ctx, const unsigned char *host) {
  (void)ctx, (void)host;
}

static bool api_wait_ahead(struct futhark_context *ctx) {
  (void)ctx;
  return false;
}

static int api_end_download(struct futhark_context *ctx, const unsigned char *host, void *to, int64_t bytes, bool *failed) {
  (void)ctx, (void)host, (void)to, (void)bytes;
  *failed = false;
  return FUTHARK_SUCCESS;
}

static int api_move(struct futhark_context *ctx, device_memory to, int64_t to_at, device_memory from, int64_t from_at,
                    int64_t bytes) {
  cl_event *event = opencl_event(event_copy(ctx, "copy on device", bytes));
  cl_int code = ctx->api.cl.EnqueueCopyBuffer(ctx->api.queue, from, to, (size_t)from_at, (size_t)to_at, (size_t)bytes, 0,
                                              NULL, event);
  return code == CL_SUCCESS ? FUTHARK_SUCCESS : opencl_fail(ctx, "copy on the device", code);
}

static int api_launch(struct futhark_context *ctx, int kernel, int64_t grid, int64_t block, int64_t shared,
                      const struct kernel_arg *args, int num_args) {
  const struct kernel_info *info = &kernel_infos[kernel];
  const struct opencl *cl = &ctx->api.cl;
  cl_kernel k = ctx->api.kernels[kernel];
  cl_uint at = 0;
  cl_int code = CL_SUCCESS;
  if (info->shared) {
    code = cl->SetKernelArg(k, at++, shared > 0 ? (size_t)shared : 16, NULL);
  }
  if (info->checks_failure && code == CL_SUCCESS) {
    code = cl->SetKernelArg(k, at++, sizeof(cl_mem), &ctx->api.failure);
  }
  if (info->can_fail && code == CL_SUCCESS) {
    code = cl->SetKernelArg(k, at++, sizeof(cl_mem), &ctx->api.failure_values);
    code = code == CL_SUCCESS ? cl->SetKernelArg(k, at++, sizeof(int32_t), &ctx->device.launches) : code;
    code = code == CL_SUCCESS ? cl->SetKernelArg(k, at++, sizeof(int32_t), &info->first_check) : code;
  }
  for (int i = 0; i < num_args && code == CL_SUCCESS; i++) {
    if (args[i].size > 0) {
      code = cl->SetKernelArg(k, at++, args[i].size, args[i].value);
    } else {
      const struct block *b = args[i].value;
      cl_mem mem = b == NULL ? NULL : b->mem;
      code = cl->SetKernelArg(k, at++, sizeof(cl_mem), &mem);
    }
  }
  if (code == CL_SUCCESS) {
    size_t local = (size_t)block, global = (size_t)grid * (size_t)block;
    cl_event *event = opencl_event(event_kernel(ctx, info, grid, block, shared));
    code = cl->EnqueueNDRangeKernel(ctx->api.queue, k, 1, NULL, &global, &local, 0, NULL, event);
  }
  if (code != CL_SUCCESS) {
    set_error(ctx, "Error: OpenCL could not launch the kernel %s: %s (%d).\n", info->label, opencl_error_name(code),
              (int)code);
    return DEVICE_ERROR;
  }
  return FUTHARK_SUCCESS;
}

// Drivers start what is in their queues.
static int api_send(struct futhark_context *ctx) {
  (void)ctx;
  return FUTHARK_SUCCESS;
}

static int api_wait(struct futhark_context *ctx) {
  if (ctx->api.queue == NULL) {
    return FUTHARK_SUCCESS;
  }
  cl_int code = ctx->api.cl.Finish(ctx->api.queue);
  return code == CL_SUCCESS ? FUTHARK_SUCCESS : opencl_fail(ctx, "finish", code);
}

static int api_failure(struct futhark_context *ctx, int32_t *number, int64_t *values) {
  int32_t launch = 0, none = 0;
  int err = api_download(ctx, ctx->api.failure, 0, &launch, sizeof launch);
  if (err != FUTHARK_SUCCESS || launch == 0) {
    return err;
  }
  err = api_download(ctx, ctx->api.failure_values, 0, values, MAX_FAILURE_VALUES * (int64_t)sizeof(int64_t));
  *number = (int32_t)values[0];
  return err == FUTHARK_SUCCESS ? api_upload(ctx, ctx->api.failure, 0, &none, sizeof none) : err;
}

static int api_event_time(struct futhark_context *ctx, const struct device_event *first,
                          const struct device_event *event, double *start, double *time) {
  cl_ulong zero = 0, from = 0, to = 0;
  const struct opencl *cl = &ctx->api.cl;
  if (first->end == NULL || event->end == NULL ||
      cl->GetEventProfilingInfo(first->end, CL_PROFILING_COMMAND_START, sizeof zero, &zero, NULL) != CL_SUCCESS ||
      cl->GetEventProfilingInfo(event->end, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL) != CL_SUCCESS ||
      cl->GetEventProfilingInfo(event->end, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL) != CL_SUCCESS) {
    return DEVICE_ERROR;
  }
  *start = from < zero ? 0.0 : (double)(from - zero) / 1000.0;
  *time = (double)(to - from) / 1000.0;
  return FUTHARK_SUCCESS;
}

static void api_event_free(struct futhark_context *ctx, struct device_event *event) {
  if (event->end != NULL) {
    ctx->api.cl.ReleaseEvent(event->end);
  }
}

// The rest of the interface.

void futhark_context_config_set_platform(struct futhark_context_config *cfg, const char *s) {
  config_string(cfg, &cfg->device.platform, s);
}

void futhark_context_config_list_devices(struct futhark_context_config *cfg) {
  (void)cfg;
  opencl_list(stdout);
}

void futhark_context_config_select_device_interactively(struct futhark_context_config *cfg) {
  char line[64];
  opencl_list(stdout);
  printf("Platform number: ");
  fflush(stdout);
  if (fgets(line, sizeof line - 1, stdin) != NULL) {
    char wanted[66] = "#";
    line[strcspn(line, "\r\n")] = '\0';
    futhark_context_config_set_platform(cfg, strcat(wanted, line));
  }
  printf("Device number: ");
  fflush(stdout);
  if (fgets(line, sizeof line - 1, stdin) != NULL) {
    char wanted[66] = "#";
    line[strcspn(line, "\r\n")] = '\0';
    futhark_context_config_set_device(cfg, strcat(wanted, line));
  }
}

void futhark_context_config_set_command_queue(struct futhark_context_config *cfg, cl_command_queue queue) {
  cfg->device.queue = queue;
}

cl_command_queue futhark_context_get_command_queue(struct futhark_context *ctx) {
  return ctx->api.queue;
}

void futhark_context_config_add_build_option(struct futhark_context_config *cfg, const char *opt) {
  config_build_option(cfg, opt);
}

cl_program futhark_context_get_program(struct futhark_context *ctx) {
  return ctx->api.program;
}

void futhark_context_config_dump_binary_to(struct futhark_context_config *cfg, const char *path) {
  config_string(cfg, &cfg->device.dump_binary, path);
}

void futhark_context_config_load_binary_from(struct futhark_context_config *cfg, const char *path) {
  config_string(cfg, &cfg->device.load_binary, path);
}

// End of ops.h.
