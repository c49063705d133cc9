// Start of open.h: the device, its queue, and the kernels.

TOOL_FUN int opencl_fail(struct futhark_context *ctx, const char *what, cl_int code) {
  set_error(ctx, "Error: OpenCL could not %s: %s (%d).\n", what, opencl_error_name(code), (int)code);
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY
             ? FUTHARK_OUT_OF_MEMORY
             : DEVICE_ERROR;
}

// Chooses a device and makes a queue for it, or takes the user's.
TOOL_FUN int opencl_queue(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  const struct opencl *cl = &api->cl;
  cl_int code = CL_SUCCESS;
  if (ctx->cfg->device.queue != NULL) {
    api->queue = ctx->cfg->device.queue;
    code = cl->RetainCommandQueue(api->queue);
    if (code == CL_SUCCESS) {
      code = cl->GetCommandQueueInfo(api->queue, CL_QUEUE_CONTEXT, sizeof api->context, &api->context, NULL);
    }
    if (code == CL_SUCCESS) {
      code = cl->GetCommandQueueInfo(api->queue, CL_QUEUE_DEVICE, sizeof api->device, &api->device, NULL);
    }
    if (code == CL_SUCCESS) {
      code = cl->RetainContext(api->context);
    }
    return code == CL_SUCCESS ? FUTHARK_SUCCESS : opencl_fail(ctx, "use the given command queue", code);
  }
  int count = 0;
  struct opencl_device *all = opencl_devices(cl, &count, &code), chosen = {.platform = NULL};
  bool found = opencl_select(ctx->cfg, all, count, &chosen);
  if (!found) {
    const char *platform = ctx->cfg->device.platform, *device = ctx->cfg->device.device;
    struct string there = {0};
    for (int i = 0; i < count; i++) {
      string_printf(&there, "%s%s on %s", i == 0 ? "; there is " : ", ", all[i].device_name, all[i].platform_name);
    }
    if (count == 0 && code != CL_SUCCESS) {
      string_printf(&there, ": %s (%d)", opencl_error_name(code), (int)code);
    }
    set_error(ctx, "Error: found no OpenCL device%s%s%s%s%s.\n",
              device == NULL ? "" : " that matches ", device == NULL ? "" : device,
              platform == NULL ? "" : " on a platform that matches ", platform == NULL ? "" : platform,
              there.text == NULL ? "" : there.text);
    free(there.text);
  }
  free(all);
  if (!found) {
    return DEVICE_ERROR;
  }
  api->platform = chosen.platform;
  api->device = chosen.device;
  api->context = cl->CreateContext(NULL, 1, &api->device, NULL, NULL, &code);
  if (code != CL_SUCCESS) {
    return opencl_fail(ctx, "create a context", code);
  }
  api->queue = cl->CreateCommandQueue(api->context, api->device, ctx->profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
  return code == CL_SUCCESS ? FUTHARK_SUCCESS : opencl_fail(ctx, "create a command queue", code);
}

TOOL_FUN void opencl_limits(struct futhark_context *ctx) {
  const struct api *api = &ctx->api;
  struct device_limits *limits = &ctx->device.limits;
  size_t block = 1;
  cl_uint units = 1;
  cl_ulong shared = 0, memory = 0;
  cl_bitfield type = 0;
  api->cl.GetDeviceInfo(api->device, CL_DEVICE_NAME, sizeof limits->name - 1, limits->name, NULL);
  api->cl.GetDeviceInfo(api->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof block, &block, NULL);
  api->cl.GetDeviceInfo(api->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  api->cl.GetDeviceInfo(api->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof shared, &shared, NULL);
  api->cl.GetDeviceInfo(api->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
  api->cl.GetDeviceInfo(api->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  bool gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  limits->block_size = block > 1024 ? 1024 : (int64_t)block;
  limits->grid_size = INT32_MAX;
  limits->shared_memory = (int64_t)shared;
  limits->memory = (int64_t)memory;
  limits->threads = (int64_t)units * (gpu ? 2048 : 1024);
  limits->warp = 1;
}

// Options for the compiler of kernels, to be freed, or NULL.
TOOL_FUN char *opencl_options(const struct futhark_context *ctx) {
  const struct device_config *d = &ctx->cfg->device;
  struct string options = {0};
  cl_bitfield floats = 0;
  ctx->api.cl.GetDeviceInfo(ctx->api.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof floats, &floats, NULL);
  if ((floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0) {
    string_printf(&options, "-cl-fp32-correctly-rounded-divide-sqrt ");
  }
  for (int i = 0; i < d->num_build_options; i++) {
    string_printf(&options, "%s ", d->build_options[i]);
  }
  string_append(&options, "", 0);
  return options.text;
}

// The compiled kernels, to be freed, or NULL.
TOOL_FUN unsigned char *opencl_binary(struct futhark_context *ctx, size_t *size) {
  const struct opencl *cl = &ctx->api.cl;
  *size = 0;
  if (cl->GetProgramInfo(ctx->api.program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) != CL_SUCCESS || *size == 0) {
    return NULL;
  }
  unsigned char *binary = malloc(*size);
  if (binary != NULL &&
      cl->GetProgramInfo(ctx->api.program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) != CL_SUCCESS) {
    free(binary);
    binary = NULL;
  }
  return binary;
}

TOOL_FUN int opencl_compile(struct futhark_context *ctx, const char *options) {
  const struct api *api = &ctx->api;
  cl_int code = api->cl.BuildProgram(api->program, 1, &api->device, options, NULL, NULL);
  if (code == CL_SUCCESS) {
    return FUTHARK_SUCCESS;
  }
  size_t size = 0;
  api->cl.GetProgramBuildInfo(api->program, api->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *log = calloc(1, size + 1);
  if (log != NULL) {
    api->cl.GetProgramBuildInfo(api->program, api->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  }
  set_error(ctx, "Error: the OpenCL compiler refused the kernels: %s (%d).\n%s\n", opencl_error_name(code), (int)code,
            log == NULL ? "" : log);
  free(log);
  return DEVICE_ERROR;
}

// Whether compiled kernels could be used; leaves no error.
TOOL_FUN bool opencl_use_binary(struct futhark_context *ctx, const char *binary, size_t size, const char *options) {
  struct api *api = &ctx->api;
  const unsigned char *data = (const unsigned char *)binary;
  cl_int status = CL_SUCCESS, code = CL_SUCCESS;
  api->program = api->cl.CreateProgramWithBinary(api->context, 1, &api->device, &size, &data, &status, &code);
  if (code == CL_SUCCESS && status == CL_SUCCESS &&
      api->cl.BuildProgram(api->program, 1, &api->device, options, NULL, NULL) == CL_SUCCESS) {
    return true;
  }
  if (api->program != NULL) {
    api->cl.ReleaseProgram(api->program);
    api->program = NULL;
  }
  return false;
}

TOOL_FUN int opencl_program(struct futhark_context *ctx, const char *options) {
  struct api *api = &ctx->api;
  const struct device_config *d = &ctx->cfg->device;
  cl_int code = CL_SUCCESS;
  size_t size = 0;
  if (d->load_binary != NULL) {
    char *binary = file_read(d->load_binary, &size);
    bool ok = binary != NULL && opencl_use_binary(ctx, binary, size, options);
    if (!ok) {
      set_error(ctx, "Error: cannot use the compiled kernels in %s%s%s.\n", d->load_binary, binary == NULL ? ": " : "",
                binary == NULL ? strerror(errno) : "");
    }
    free(binary);
    return ok ? FUTHARK_SUCCESS : DEVICE_ERROR;
  }
  char *text = sized_program_text(ctx);
  if (text == NULL) {
    set_error(ctx, "Error: cannot read the kernels%s%s.\n", d->load_program == NULL ? "" : " in ",
              d->load_program == NULL ? "" : d->load_program);
    return DEVICE_ERROR;
  }
  if (d->dump_program != NULL && !file_write(d->dump_program, text, strlen(text))) {
    set_error(ctx, "Error: cannot write the kernels to %s: %s.\n", d->dump_program, strerror(errno));
    free(text);
    return DEVICE_ERROR;
  }
  struct cache_key key = {0, 0};
  char driver[256] = {0};
  api->cl.GetDeviceInfo(api->device, CL_DRIVER_VERSION, sizeof driver - 1, driver, NULL);
  cache_key_add(&key, text);
  cache_key_add(&key, options);
  cache_key_add(&key, ctx->device.limits.name);
  cache_key_add(&key, driver);
  char *cached = cache_load(ctx, &key, &size);
  if (cached != NULL && opencl_use_binary(ctx, cached, size, options)) {
    free(cached);
    free(text);
    return FUTHARK_SUCCESS;
  }
  free(cached);
  const char *source = text;
  api->program = api->cl.CreateProgramWithSource(api->context, 1, &source, NULL, &code);
  int err = code == CL_SUCCESS ? opencl_compile(ctx, options) : opencl_fail(ctx, "take the kernels", code);
  free(text);
  if (err == FUTHARK_SUCCESS && (ctx->cfg->cache_file != NULL || d->dump_binary != NULL)) {
    unsigned char *binary = opencl_binary(ctx, &size);
    if (binary != NULL) {
      cache_store(ctx, &key, binary, size);
    }
    if (d->dump_binary != NULL && (binary == NULL || !file_write(d->dump_binary, binary, size))) {
      set_error(ctx, "Error: cannot write the compiled kernels to %s.\n", d->dump_binary);
      err = DEVICE_ERROR;
    }
    free(binary);
  }
  return err;
}

TOOL_FUN int opencl_kernels(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  cl_int code = CL_SUCCESS;
  if (ctx->cfg->device.load_binary != NULL) {
    char name[32];
    free(program_sizes(ctx, name));
    cl_kernel sizes = api->cl.CreateKernel(api->program, name, &code);
    if (code != CL_SUCCESS) {
      return wrong_sizes(ctx);
    }
    api->cl.ReleaseKernel(sizes);
  }
  for (int i = 0; i < NUM_KERNELS; i++) {
    api->kernels[i] = api->cl.CreateKernel(api->program, kernel_infos[i].name, &code);
    if (code != CL_SUCCESS) {
      api->kernels[i] = NULL;
      set_error(ctx, "Error: OpenCL could not create the kernel %s: %s (%d).\n", kernel_infos[i].label,
                opencl_error_name(code), (int)code);
      return DEVICE_ERROR;
    }
  }
  int32_t none = 0;
  int64_t bytes = MAX_FAILURE_VALUES * (int64_t)sizeof(int64_t);
  int err = api_allocate(ctx, sizeof none, &api->failure);
  if (err == FUTHARK_SUCCESS) {
    err = api_allocate(ctx, bytes, &api->failure_values);
  }
  if (err == FUTHARK_OUT_OF_MEMORY) {
    set_error(ctx, "Error: the device has no memory left.\n");
  }
  return err == FUTHARK_SUCCESS ? api_upload(ctx, api->failure, 0, &none, sizeof none) : err;
}

static int api_open(struct futhark_context *ctx) {
  const char *problem = opencl_load(&ctx->api.cl);
  if (problem != NULL) {
    set_error(ctx, "Error: %s.\n", problem);
    return DEVICE_ERROR;
  }
  int err = opencl_queue(ctx);
  if (err == FUTHARK_SUCCESS) {
    opencl_limits(ctx);
  }
  return err;
}

static int api_build(struct futhark_context *ctx) {
  char *options = opencl_options(ctx);
  if (options == NULL) {
    set_error(ctx, "Error: out of memory: cannot build the kernels.\n");
    return FUTHARK_OUT_OF_MEMORY;
  }
  int err = opencl_program(ctx, options);
  free(options);
  return err == FUTHARK_SUCCESS ? opencl_kernels(ctx) : err;
}

static void api_close(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  const struct opencl *cl = &api->cl;
  if (api->failure != NULL) {
    cl->ReleaseMemObject(api->failure);
  }
  if (api->failure_values != NULL) {
    cl->ReleaseMemObject(api->failure_values);
  }
  for (int i = 0; i < NUM_KERNELS; i++) {
    if (api->kernels[i] != NULL) {
      cl->ReleaseKernel(api->kernels[i]);
    }
  }
  if (api->program != NULL) {
    cl->ReleaseProgram(api->program);
  }
  if (api->queue != NULL) {
    cl->ReleaseCommandQueue(api->queue);
  }
  if (api->context != NULL) {
    cl->ReleaseContext(api->context);
  }
  // The library stays: some drivers do not survive being closed.
}

// End of open.h.
