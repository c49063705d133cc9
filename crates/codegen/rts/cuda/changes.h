// Start of changes.h: what the host changes of the device's memory.
//
// Programs write elements one by one where they put scalars of the host into an array, and copy a few bytes where they put
// small arrays together. Each such transfer takes the host 2 to 3 us, and ends the batch of launches that are collected. So changes
// wait, until something is sent to the device that may touch memory, and are made by one kernel, which is launched as any other:
//
//   write a, write b, copy c        wait
//   launch f                        a, b and c are changed by one kernel, before f
//
// A change waits with others only if they do not touch the same bytes: they are made at once. One by itself is a transfer
// where launches are not collected, which takes the host less time than a launch.

// Longer copies take more time in one thread block than transfers take.
#define MAX_CHANGE_COPY_BYTES 4096

static int upload_now(struct futhark_context *ctx, CUdeviceptr to, const void *from, int64_t bytes);
static int move_now(struct futhark_context *ctx, CUdeviceptr to, CUdeviceptr from, int64_t bytes);

// Sends the changes that wait.
CALLED_FUN int changes_send(struct futhark_context *ctx) {
  struct api *api = &ctx->api;
  int num = api->num_changes;
  api->num_changes = 0;
  api->given = 0;
  if (num == 0) {
    return FUTHARK_SUCCESS;
  }
  if (num == 1 && !batch_collects(api)) {
    const struct change *change = &api->changes.all[0];
    int err = batch_send(ctx);
    return err != FUTHARK_SUCCESS ? err
           : change->unit == 0    ? upload_now(ctx, change->to, api->changes.given, change->bytes)
                                  : move_now(ctx, change->to, change->from, change->bytes);
  }
  struct kernel_arg arg = {&api->changes, sizeof api->changes};
  return api_launch(ctx, CHANGES_KERNEL, num, CHANGE_BLOCK, 0, &arg, 1);
}

// All that waits goes to the device. Whatever else is sent there comes after this.
CALLED_FUN int send_all(struct futhark_context *ctx) {
  int err = changes_send(ctx);
  return err == FUTHARK_SUCCESS ? batch_send(ctx) : err;
}

RTS_FUN bool bytes_meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// Whether one of the changes that wait must be made before.
CALLED_FUN bool change_meets(const struct api *api, const struct change *change) {
  for (int i = 0; i < api->num_changes; i++) {
    const struct change *other = &api->changes.all[i];
    if (bytes_meet(change->to, change->bytes, other->to, other->bytes) ||
        (other->unit != 0 && bytes_meet(change->to, change->bytes, other->from, other->bytes)) ||
        (change->unit != 0 && bytes_meet(change->from, change->bytes, other->to, other->bytes))) {
      return true;
    }
  }
  return false;
}

// The change that the host gives these bytes for, if it has one that ends where they begin.
RTS_FUN struct change *change_before(struct api *api, uint64_t to) {
  struct change *last = api->num_changes == 0 ? NULL : &api->changes.all[api->num_changes - 1];
  return last != NULL && last->unit == 0 && last->to + last->bytes == to ? last : NULL;
}

CALLED_FUN int change_add(struct futhark_context *ctx, const struct change *change, const void *given) {
  struct api *api = &ctx->api;
  int bytes = change->unit == 0 ? (int)change->bytes : 0;
  if (api->num_changes == MAX_CHANGES || api->given + bytes > MAX_GIVEN_BYTES || change_meets(api, change)) {
    int err = changes_send(ctx);
    if (err != FUTHARK_SUCCESS) {
      return err;
    }
  }
  struct change *before = bytes > 0 ? change_before(api, change->to) : NULL;
  if (before != NULL) {
    before->bytes += change->bytes;
  } else {
    struct change *place = &api->changes.all[api->num_changes++];
    *place = *change;
    place->from = change->unit == 0 ? (uint64_t)api->given : change->from;
  }
  if (bytes > 0) {
    memcpy(api->changes.given + api->given, given, (size_t)bytes);
    api->given += bytes;
  }
  return FUTHARK_SUCCESS;
}

// Whether so few bytes are written later, with others.
RTS_FUN bool upload_waits(int64_t bytes) {
  return CHANGES_KERNEL >= 0 && bytes <= MAX_GIVEN_BYTES;
}

RTS_FUN bool move_waits(int64_t bytes) {
  return CHANGES_KERNEL >= 0 && bytes <= MAX_CHANGE_COPY_BYTES;
}

// How many bytes a thread copies at a time: places and size are multiples of them.
RTS_FUN uint32_t copy_unit(uint64_t to, uint64_t from, int64_t bytes) {
  uint64_t all = to | from | (uint64_t)bytes;
  return all % 16 == 0 ? 16 : all % 4 == 0 ? 4 : 1;
}

// End of changes.h.
