// Start of build.h: the kernels, compiled when the program starts.

struct compiled {
  char *data;
  size_t size;
  // Whether they are from the cache, so that it is worth compiling them if they are of no use.
  bool cached;
};

// The newest architecture that NVRTC knows and the device has, and whether it is exactly the device's.
TOOL_FUN int nvrtc_architecture(const struct futhark_context *ctx, const struct nvrtc *rtc, bool *exact) {
  int wanted = 10 * cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
               cuda_attribute(ctx, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  int archs[256], count = 0, best = 0;
  *exact = true;
  if (rtc->GetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0 || count > 256 ||
      rtc->GetSupportedArchs(archs) != NVRTC_SUCCESS) {
    return wanted;
  }
  for (int i = 0; i < count; i++) {
    best = archs[i] <= wanted && archs[i] > best ? archs[i] : best;
  }
  *exact = best == wanted;
  return best == 0 ? wanted : best;
}

// Options for the compiler, each to be freed.
struct nvrtc_options {
  char **all;
  int count, room;
  // Whether there was no memory for one.
  bool lost;
};

TOOL_FUN void nvrtc_option(struct nvrtc_options *options, const char *format, ...) PRINTF_LIKE(2, 3);
TOOL_FUN void nvrtc_option(struct nvrtc_options *options, const char *format, ...) {
  struct string text = {0};
  va_list args;
  va_start(args, format);
  string_vprintf(&text, format, args);
  va_end(args);
  if (text.text != NULL && options->count < options->room) {
    options->all[options->count++] = text.text;
  } else {
    free(text.text);
    options->lost = true;
  }
}

// Compiles; what the compiler says is the error.
TOOL_FUN int nvrtc_run(struct futhark_context *ctx, const struct nvrtc *rtc, nvrtcProgram program,
                       const struct nvrtc_options *options, int optional) {
  const char *const *all = (const char *const *)options->all;
  nvrtcResult code = rtc->CompileProgram(program, options->count, all);
  if (code == NVRTC_ERROR_INVALID_OPTION && optional > 0) {
    // An older compiler, which does not know the last ones.
    code = rtc->CompileProgram(program, options->count - optional, all);
  }
  if (code == NVRTC_SUCCESS) {
    return FUTHARK_SUCCESS;
  }
  size_t size = 0;
  rtc->GetProgramLogSize(program, &size);
  char *log = calloc(1, size + 1);
  if (log != NULL && size > 0) {
    rtc->GetProgramLog(program, log);
  }
  set_error(ctx, "Error: NVRTC refused the kernels (%d).\n%s\n", (int)code, log == NULL ? "" : log);
  free(log);
  return DEVICE_ERROR;
}

TOOL_FUN int nvrtc_build(struct futhark_context *ctx, const struct nvrtc *rtc, const char *text, bool want_ptx,
                         struct compiled *out) {
  const struct device_config *d = &ctx->cfg->device;
  nvrtcProgram program = NULL;
  if (rtc->CreateProgram(&program, text, "kernels.cu", 0, NULL, NULL) != NVRTC_SUCCESS) {
    set_error(ctx, "Error: NVRTC could not take the kernels.\n");
    return DEVICE_ERROR;
  }
  struct nvrtc_options options = {.count = 0, .room = d->num_build_options + 3};
  options.all = calloc((size_t)options.room, sizeof(char *));
  if (options.all == NULL) {
    options.room = 0;
  }
  bool exact, cubin;
  int arch = nvrtc_architecture(ctx, rtc, &exact), optional = 0;
  cubin = exact && !want_ptx;
  nvrtc_option(&options, "--gpu-architecture=%s_%d", cubin ? "sm" : "compute", arch);
  nvrtc_option(&options, "--disable-warnings");
  for (int i = 0; i < d->num_build_options; i++) {
    nvrtc_option(&options, "%s", d->build_options[i]);
  }
  // Functions are compiled side by side.
  if (cubin) {
    nvrtc_option(&options, "--split-compile=0");
    optional = 1;
  }
  int err = FUTHARK_OUT_OF_MEMORY;
  if (options.lost) {
    set_error(ctx, "Error: out of memory: cannot build the kernels.\n");
  } else {
    err = nvrtc_run(ctx, rtc, program, &options, optional);
  }
  for (int i = 0; i < options.count; i++) {
    free(options.all[i]);
  }
  free(options.all);
  if (err == FUTHARK_SUCCESS) {
    nvrtcResult code = cubin ? rtc->GetCUBINSize(program, &out->size) : rtc->GetPTXSize(program, &out->size);
    out->data = code == NVRTC_SUCCESS ? calloc(1, out->size + 1) : NULL;
    if (out->data != NULL) {
      code = cubin ? rtc->GetCUBIN(program, out->data) : rtc->GetPTX(program, out->data);
    }
    if (out->data == NULL || code != NVRTC_SUCCESS) {
      set_error(ctx, "Error: NVRTC gave no compiled kernels (%d).\n", (int)code);
      err = DEVICE_ERROR;
    }
  }
  rtc->DestroyProgram(&program);
  return err;
}

// Compiles the kernels, or finds them in the cache if it may be used.
TOOL_FUN int cuda_compile(struct futhark_context *ctx, const char *text, bool cache, struct compiled *out) {
  const struct device_config *d = &ctx->cfg->device;
  struct cache_key key = {0, 0};
  struct string about = {0};
  int version = 0;
  ctx->api.cu.DriverGetVersion(&version);
  string_printf(&about, "%s %d", ctx->device.limits.name, version);
  cache_key_add(&key, text);
  if (about.lost) {
    set_error(ctx, "Error: out of memory: cannot build the kernels.\n");
    return FUTHARK_OUT_OF_MEMORY;
  }
  cache_key_add(&key, about.text);
  free(about.text);
  for (int i = 0; i < d->num_build_options; i++) {
    cache_key_add(&key, d->build_options[i]);
  }
  bool want_ptx = d->dump_binary != NULL;
  out->data = want_ptx || !cache ? NULL : cache_load(ctx, &key, &out->size);
  out->cached = out->data != NULL;
  if (out->cached) {
    return FUTHARK_SUCCESS;
  }
  struct nvrtc rtc = {.library = NULL};
  const char *problem = nvrtc_load(&rtc);
  int err = DEVICE_ERROR;
  if (problem != NULL) {
    set_error(ctx, "Error: %s.\n", problem);
  } else {
    int64_t start = wall_microseconds();
    err = nvrtc_build(ctx, &rtc, text, want_ptx, out);
    if (ctx->logging) {
      fprintf(ctx->log, "Compiling the kernels took %" PRId64 "us.\n", wall_microseconds() - start);
    }
  }
  if (err == FUTHARK_SUCCESS && want_ptx && !file_write(d->dump_binary, out->data, strlen(out->data))) {
    set_error(ctx, "Error: cannot write the compiled kernels to %s: %s.\n", d->dump_binary, strerror(errno));
    err = DEVICE_ERROR;
  }
  if (err == FUTHARK_SUCCESS && !want_ptx) {
    cache_store(ctx, &key, out->data, out->size);
  }
  return err;
}

TOOL_FUN int cuda_program(struct futhark_context *ctx, bool cache, struct compiled *out) {
  const struct device_config *d = &ctx->cfg->device;
  if (d->load_binary != NULL) {
    out->data = file_read(d->load_binary, &out->size);
    if (out->data == NULL) {
      set_error(ctx, "Error: cannot read %s: %s.\n", d->load_binary, strerror(errno));
      return DEVICE_ERROR;
    }
    return FUTHARK_SUCCESS;
  }
  char *text = sized_program_text(ctx);
  int err = DEVICE_ERROR;
  if (text == NULL) {
    set_error(ctx, "Error: cannot read the kernels%s%s.\n", d->load_program == NULL ? "" : " in ",
              d->load_program == NULL ? "" : d->load_program);
  } else if (d->dump_program != NULL && !file_write(d->dump_program, text, strlen(text))) {
    set_error(ctx, "Error: cannot write the kernels to %s: %s.\n", d->dump_program, strerror(errno));
  } else {
    err = cuda_compile(ctx, text, cache, out);
  }
  free(text);
  return err;
}

// Finds each kernel, and lets it use as much shared memory as there is.
TOOL_FUN int cuda_kernels(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  if (ctx->cfg->device.load_binary != NULL) {
    char name[32];
    CUfunction sizes;
    free(program_sizes(ctx, name));
    if (api->cu.ModuleGetFunction(&sizes, api->module, name) != CUDA_SUCCESS) {
      return wrong_sizes(ctx);
    }
  }
  for (int i = 0; i < NUM_KERNELS; i++) {
    int used = 0;
    CUresult code = api->cu.ModuleGetFunction(&api->kernels[i], api->module, kernel_infos[i].name);
    if (code == CUDA_SUCCESS) {
      code = api->cu.FuncGetAttribute(&api->max_threads[i], CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, api->kernels[i]);
    }
    if (code == CUDA_SUCCESS && kernel_infos[i].shared) {
      code = api->cu.FuncGetAttribute(&used, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, api->kernels[i]);
      if (code == CUDA_SUCCESS) {
        code = api->cu.FuncSetAttribute(api->kernels[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        (int)ctx->device.limits.shared_memory - used);
      }
    }
    if (code != CUDA_SUCCESS) {
      struct string what = {0};
      string_printf(&what, "find the kernel %s", kernel_infos[i].label);
      int err = cuda_fail(ctx, what.text == NULL ? "find a kernel" : what.text, code);
      free(what.text);
      return err;
    }
  }
  return FUTHARK_SUCCESS;
}

static int api_build(struct futhark_context *ctx) {
  struct compiled compiled = {NULL, 0, false};
  api_enter(ctx);
  int err = cuda_program(ctx, true, &compiled);
  if (err == FUTHARK_SUCCESS) {
    CUresult code = ctx->api.cu.ModuleLoadData(&ctx->api.module, compiled.data);
    if (code != CUDA_SUCCESS && compiled.cached) {
      free(compiled.data);
      compiled.data = NULL;
      err = cuda_program(ctx, false, &compiled);
      code = err == FUTHARK_SUCCESS ? ctx->api.cu.ModuleLoadData(&ctx->api.module, compiled.data) : CUDA_SUCCESS;
    }
    if (err == FUTHARK_SUCCESS) {
      err = code == CUDA_SUCCESS ? cuda_kernels(ctx) : cuda_fail(ctx, "load the kernels", code);
    }
  }
  free(compiled.data);
  api_leave(ctx);
  return err;
}

// End of build.h.
