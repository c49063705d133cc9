// Start of open.h: the device, its context and its stream.

TOOL_FUN int cuda_fail(struct futhark_context *ctx, const char *what, CUresult code) {
  const char *name = NULL, *text = NULL;
  ctx->api.cu.GetErrorName(code, &name);
  ctx->api.cu.GetErrorString(code, &text);
  set_error(ctx, "Error: CUDA could not %s: %s (%s, %d).\n", what, text == NULL ? "unknown error" : text,
            name == NULL ? "?" : name, (int)code);
  return code == CUDA_ERROR_OUT_OF_MEMORY ? FUTHARK_OUT_OF_MEMORY : DEVICE_ERROR;
}

// The number in `#k`, or -1.
TOOL_FUN long wanted_number(const char *wanted) {
  char *rest = NULL;
  long k = wanted != NULL && wanted[0] == '#' ? strtol(wanted + 1, &rest, 10) : -1;
  return rest != NULL && (*rest != '\0' || rest == wanted + 1) ? -1 : k;
}

TOOL_FUN int cuda_attribute(const struct futhark_context *ctx, int attribute) {
  int value = 0;
  return ctx->api.cu.DeviceGetAttribute(&value, attribute, ctx->api.device) == CUDA_SUCCESS ? value : 0;
}

TOOL_FUN int cuda_select(struct futhark_context *ctx) {
  const struct cuda *cu = &ctx->api.cu;
  const char *wanted = ctx->cfg->device.device;
  long number = wanted_number(wanted);
  int count = 0;
  CUresult code = cu->Init(0);
  if (code != CUDA_SUCCESS) {
    return cuda_fail(ctx, code == CUDA_ERROR_NO_DEVICE ? "find a device" : "start", code);
  }
  code = cu->DeviceGetCount(&count);
  if (code != CUDA_SUCCESS) {
    return cuda_fail(ctx, "count devices", code);
  }
  struct string there = {0};
  for (int i = 0; i < count; i++) {
    char name[256] = {0};
    CUdevice device;
    if (cu->DeviceGet(&device, i) != CUDA_SUCCESS || cu->DeviceGetName(name, sizeof name - 1, device) != CUDA_SUCCESS) {
      continue;
    }
    if (wanted == NULL || (number >= 0 ? number == i : strstr(name, wanted) != NULL)) {
      ctx->api.device = device;
      memcpy(ctx->device.limits.name, name, sizeof name);
      free(there.text);
      return FUTHARK_SUCCESS;
    }
    string_printf(&there, "%s#%d %s", there.text == NULL ? "; there is " : ", ", i, name);
  }
  set_error(ctx, "Error: found no CUDA device%s%s%s.\n", wanted == NULL ? "" : " that matches ",
            wanted == NULL ? "" : wanted, there.text == NULL ? "" : there.text);
  free(there.text);
  return DEVICE_ERROR;
}

TOOL_FUN void cuda_limits(struct futhark_context *ctx) {
  struct device_limits *limits = &ctx->device.limits;
  limits->block_size = cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits->grid_size = cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  limits->shared_memory = cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (limits->shared_memory == 0) {
    limits->shared_memory = cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  }
  size_t memory = 0;
  ctx->api.cu.DeviceTotalMem(&memory, ctx->api.device);
  limits->memory = (int64_t)memory;
  limits->threads = (int64_t)cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *
                    cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  limits->warp = 32;
}

static int api_open(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  const struct cuda *cu = &api->cu;
  const char *problem = cuda_load(&api->cu);
  if (problem != NULL) {
    set_error(ctx, "Error: %s.\n", problem);
    return DEVICE_ERROR;
  }
  int err = cuda_select(ctx);
  if (err != FUTHARK_SUCCESS) {
    return err;
  }
  cuda_limits(ctx);
  api->launches_alone = ctx->cfg->device.launch_alone;
  // Where host and device share memory, it costs nothing that both see it.
  bool together = cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0 ||
                  cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES) != 0;
  int unified = ctx->cfg->device.unified_memory;
  api->unified = unified == 1 ||
                 (unified == 2 && together && cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) != 0);
  // The context that the rest of the process has too, so that both see each other's memory.
  CUresult code = cu->DevicePrimaryCtxRetain(&api->context, api->device);
  if (code != CUDA_SUCCESS) {
    return cuda_fail(ctx, "create a context", code);
  }
  api->has_context = true;
  api_enter(ctx);
  const size_t values = HOST_PLACES_AT + HOST_PLACES * SEEN_BYTES;
  void *host_values = NULL;
  code = cu->StreamCreate(&api->stream, CU_STREAM_DEFAULT);
  if (code == CUDA_SUCCESS) {
    code = cu->MemHostAlloc(&api->stage, STAGE_BYTES + SEEN_BYTES, CU_MEMHOSTALLOC_PORTABLE);
  }
  if (code == CUDA_SUCCESS) {
    code = cu->MemHostAlloc(&host_values, values, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    api->host_failure_values = host_values;
  }
  if (code == CUDA_SUCCESS) {
    api->host_failure_values[0] = -1;
    code = cu->MemHostGetDevicePointer(&api->failure_values, host_values, 0);
  }
  if (code == CUDA_SUCCESS) {
    code = cu->MemAlloc(&api->failure, sizeof(int32_t));
  }
  if (code == CUDA_SUCCESS) {
    code = cu->MemsetD32Async(api->failure, 0, 1, api->stream);
  }
  api_leave(ctx);
  return code == CUDA_SUCCESS ? FUTHARK_SUCCESS : cuda_fail(ctx, "prepare the device", code);
}

static void api_close(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  const struct cuda *cu = &api->cu;
  if (!api->has_context) {
    return;
  }
  api_enter(ctx);
  batch_close(api);
  if (api->failure != 0) {
    cu->MemFree(api->failure);
  }
  if (api->host_failure_values != NULL) {
    cu->MemFreeHost(api->host_failure_values);
  }
  if (api->ahead != NULL) {
    cu->EventDestroy(api->ahead);
  }
  if (api->stage != NULL) {
    cu->MemFreeHost(api->stage);
  }
  if (api->module != NULL) {
    cu->ModuleUnload(api->module);
  }
  if (api->stream != NULL) {
    cu->StreamDestroy(api->stream);
  }
  api_leave(ctx);
  cu->DevicePrimaryCtxRelease(api->device);
}

// End of open.h.
