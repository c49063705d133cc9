// Start of launch.h: starting kernels.

CALLED_FUN int launch_kernel(struct futhark_context *ctx, int kernel, int64_t grid, int64_t block, int64_t shared,
                             const struct kernel_arg *args, int num_args) {
  const struct device_limits *limits = &ctx->device.limits;
  const struct kernel_info *info = &kernel_infos[kernel];
  if (grid <= 0) {
    return FUTHARK_SUCCESS;
  }
  if (block <= 0 || block > limits->block_size) {
    set_error(ctx, "Error: the kernel %s wants thread blocks of %" PRId64 " threads, but the device %s has at most %" PRId64
              ".\n", info->label, block, limits->name, limits->block_size);
    return DEVICE_ERROR;
  }
  if (grid > limits->grid_size) {
    set_error(ctx, "Error: the kernel %s wants %" PRId64 " thread blocks, but the device %s has at most %" PRId64 ".\n",
              info->label, grid, limits->name, limits->grid_size);
    return DEVICE_ERROR;
  }
  if (shared > limits->shared_memory) {
    set_error(ctx, "Error: the kernel %s wants %" PRId64 " bytes of shared memory, but the device %s has only %" PRId64
              ".\n", info->label, shared, limits->name, limits->shared_memory);
    return FUTHARK_OUT_OF_MEMORY;
  }
  memory_unsee(&ctx->memory);
  int64_t start = ctx->debugging ? wall_microseconds() : 0;
  if (ctx->debugging) {
    fprintf(ctx->log, "Launching kernel %s with grid %" PRId64 ", block %" PRId64 ", shared memory %" PRId64 ".\n",
            info->label, grid, block, shared);
  }
  ctx->device.launches = ctx->device.launches == INT32_MAX ? 1 : ctx->device.launches + 1;
  ctx->device.may_have_failed = ctx->device.may_have_failed || info->can_fail;
  int err = api_launch(ctx, kernel, grid, block, shared, args, num_args);
  if (ctx->debugging && err == FUTHARK_SUCCESS) {
    // So that a fault is found where it was made.
    err = api_wait(ctx);
    if (err == FUTHARK_SUCCESS) {
      fprintf(ctx->log, "Kernel %s took %" PRId64 "us.\n", info->label, wall_microseconds() - start);
    }
  }
  return err;
}

// The place of the next array in shared memory.
RTS_FUN int32_t shared_place(int64_t *total, int64_t bytes) {
  int64_t at = *total;
  *total += bytes < 0 ? 0 : (bytes + 15) / 16 * 16;
  return (int32_t)at;
}

// End of launch.h.
