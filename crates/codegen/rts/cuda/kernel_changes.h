// Makes changes that the host has collected (changes.h), a block for each.

#define CHANGE_PER_THREAD 4

// All elements of a thread are read before the first is written.
#define CHANGE_COPY(T)                                                                                \
  for (uint32_t first = i; first < change.bytes / sizeof(T); first += CHANGE_PER_THREAD * CHANGE_BLOCK) { \
    T element[CHANGE_PER_THREAD];                                                                     \
    UNROLL                                                                                            \
    for (int k = 0; k < CHANGE_PER_THREAD; k++) {                                                     \
      if (first + k * CHANGE_BLOCK < change.bytes / sizeof(T)) {                                      \
        element[k] = ((const T *)change.from)[first + k * CHANGE_BLOCK];                              \
      }                                                                                               \
    }                                                                                                 \
    UNROLL                                                                                            \
    for (int k = 0; k < CHANGE_PER_THREAD; k++) {                                                     \
      if (first + k * CHANGE_BLOCK < change.bytes / sizeof(T)) {                                      \
        ((T *)change.to)[first + k * CHANGE_BLOCK] = element[k];                                      \
      }                                                                                               \
    }                                                                                                 \
  }

KERNEL_OF(CHANGE_BLOCK) change_memory(const struct changes changes) {
  struct change change = changes.all[blockIdx.x];
  uint32_t i = threadIdx.x;
  if (change.unit == 0) {
    if (i < change.bytes) {
      ((uint8_t *)change.to)[i] = changes.given[change.from + i];
    }
  } else if (change.unit == 16) {
    CHANGE_COPY(uint4)
  } else if (change.unit == 4) {
    CHANGE_COPY(uint32_t)
  } else {
    CHANGE_COPY(uint8_t)
  }
}
