// CUDA's language for the C compiler of the host: comes before the text of kernels, which `machine` then runs (see block.h).

#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "block.h"

struct machine *machine;

#define __device__
#define __global__ cuda_kernel
#define __shared__ static
#define __align__(N) __attribute__((aligned(N)))
#define __launch_bounds__(...)

// As much as any block may have, and room to see what is written beyond.
__align__(16) unsigned char shared_memory[SHARED_BYTES + BEYOND_BYTES];

// What the compiler calls before it reads or writes.
#ifdef COUNT_TRAFFIC
#define NOT_COUNTED __attribute__((no_sanitize("kernel-address")))
#define BEFORE(NAME, BYTES, WRITE)                                                             \
  NOT_COUNTED void __asan_##NAME##_noabort(const void *start) {                                \
    machine->touch(start, BYTES, WRITE, __builtin_return_address(0));                          \
  }
#define BEFORE_BOTH(N) BEFORE(load##N, N, 0) BEFORE(store##N, N, 1)
BEFORE_BOTH(1)
BEFORE_BOTH(2)
BEFORE_BOTH(4)
BEFORE_BOTH(8)
BEFORE_BOTH(16)
NOT_COUNTED void __asan_loadN_noabort(const void *start, long bytes) {
  machine->touch(start, (int)bytes, 0, __builtin_return_address(0));
}
NOT_COUNTED void __asan_storeN_noabort(const void *start, long bytes) {
  machine->touch(start, (int)bytes, 1, __builtin_return_address(0));
}
NOT_COUNTED void __asan_handle_no_return(void) {
}
#endif

#define threadIdx (machine->thread)
#define blockIdx (machine->block)
#define blockDim (machine->block_size)
#define gridDim (machine->grid)

// Read and written at once, which compilers do with vectors alone, where they know them.
#ifdef COUNT_TRAFFIC
typedef unsigned int uint2 __attribute__((vector_size(8)));
typedef unsigned int uint4 __attribute__((vector_size(16)));
#else
typedef struct {
  unsigned int x, y;
} __align__(8) uint2;
typedef struct {
  unsigned int x, y, z, w;
} __align__(16) uint4;
#endif

#define __syncthreads() machine->barrier(__LINE__)
#define __syncthreads_or(X) machine->barrier_or((X) != 0, __LINE__)
#define __threadfence()
#define __threadfence_block()
#define __syncwarp() machine->exchange(NOTHING, NULL, 0, 0, __LINE__)
#define EXCHANGE(HOW, X, BY)                                              \
  ({                                                                      \
    __typeof__(X) exchanged = (X);                                        \
    machine->exchange(HOW, &exchanged, sizeof exchanged, (BY), __LINE__); \
    exchanged;                                                            \
  })
#define __shfl_up_sync(MASK, X, N) EXCHANGE(FROM_BEFORE, X, N)
#define __shfl_down_sync(MASK, X, N) EXCHANGE(FROM_AFTER, X, N)
// With a lane, or with a lane and the width of the group that it counts in.
#define __shfl_sync(MASK, X, ...) EXCHANGE(FROM_LANE, X, LANE_OF_GROUP(__VA_ARGS__, 32, 0))
#define LANE_OF_GROUP(LANE, WIDTH, ...) ((int)(threadIdx.x % 32 / (WIDTH) * (WIDTH)) + (LANE))
// All lanes, if all are here; else each lane alone, as if the others were elsewhere at the time.
#define __activemask() EXCHANGE(HERE, 0u, 0)
#define __ballot_sync(MASK, X) EXCHANGE(WHO, (int)((X) != 0), 0)

// Copies that are done when they are waited for, and not before.
#define COPY_AHEAD(BYTES, COUNT, TO, FROM) machine->copy_later(TO, FROM, BYTES)
#define AWAIT_COPIES() machine->await_copies()

// Products of matrices by the lanes of a warp: KernelOp::MultiplyAdd says which lane has what. `k` is the column on the left, and the row on the right.
#define MATRIX_UNITS 1
#define MULTIPLY_ADD(N, SUMS, LEFT, RIGHT)                                                     \
  for (int k = 0, lane = threadIdx.x % 32; k < 8; k++) {                                       \
    for (int r = 0; r < (N); r++) {                                                            \
      double left = EXCHANGE(FROM_LANE, LEFT[2 * r + k / 4], lane / 4 * 4 + k % 4);            \
      for (int q = 0; q < (N); q++) {                                                          \
        int column = 2 * (lane % 4) + q % 2;                                                   \
        double right = EXCHANGE(FROM_LANE, RIGHT[q / 2 * 2 + k / 4], column * 4 + k % 4);      \
        SUMS[r * (N) + q] = fma(left, right, SUMS[r * (N) + q]);                               \
      }                                                                                        \
    }                                                                                          \
  }
#define AWAIT_PRODUCTS(N, SUMS)

#define __popcll(X) machine->bits_set(X)
#define __clzll(X) machine->leading_zeros(X)
#define __ffsll(X) machine->first_set(X)
#define SAME_BITS(NAME, FROM, TO)   \
  static inline TO NAME(FROM x) {   \
    union {                         \
      FROM from;                    \
      TO to;                        \
    } bits = {x};                   \
    return bits.to;                 \
  }
SAME_BITS(__float_as_int, float, int)
SAME_BITS(__int_as_float, int, float)
SAME_BITS(__double_as_longlong, double, long long)
SAME_BITS(__longlong_as_double, long long, double)

// The old value, and `NEW`, which may use it, stored.
#define UPDATE(P, X, NEW)                          \
  ({                                               \
    __typeof__(P) updated = (P);                   \
    __typeof__(*(P)) old = *updated, with = (X);   \
    *updated = (NEW);                              \
    old;                                           \
  })
#define atomicAdd(P, X) UPDATE(P, X, old + with)
#define atomicMax(P, X) UPDATE(P, X, old > with ? old : with)
#define atomicMin(P, X) UPDATE(P, X, old < with ? old : with)
#define atomicAnd(P, X) UPDATE(P, X, old & with)
#define atomicOr(P, X) UPDATE(P, X, old | with)
#define atomicXor(P, X) UPDATE(P, X, old ^ with)
#define atomicExch(P, X) UPDATE(P, X, with)
#define atomicCAS(P, EXPECTED, X) UPDATE(P, X, old == (EXPECTED) ? with : old)

// Remainders are exact, so that there are zeros where they should be.
#define SINPI(NAME, T, F)                                                                              \
  static inline T NAME(T x) {                                                                          \
    T r = fmod##F(x, 2);                                                                               \
    return r == 0 || fabs##F(r) == 1 ? (T)0 * x : sin##F((T)3.14159265358979323846 * r);               \
  }
#define COSPI(NAME, T, F)                                                                              \
  static inline T NAME(T x) {                                                                          \
    T r = fmod##F(fabs##F(x), 2);                                                                      \
    return r == (T)0.5 || r == (T)1.5 ? (T)0 : cos##F((T)3.14159265358979323846 * r);                  \
  }
#define sinpi cpu_sinpi
#define sinpif cpu_sinpif
#define cospi cpu_cospi
#define cospif cpu_cospif
SINPI(sinpi, double, )
SINPI(sinpif, float, f)
COSPI(cospi, double, )
COSPI(cospif, float, f)

// Kernels say what these are; headers of the host may have said otherwise.
#define int8_t kernel_int8_t
#define int16_t kernel_int16_t
#define int32_t kernel_int32_t
#define int64_t kernel_int64_t
#define uint8_t kernel_uint8_t
#define uint16_t kernel_uint16_t
#define uint32_t kernel_uint32_t
#define uint64_t kernel_uint64_t

// The host's compiler need not unroll loops.
#undef _Pragma
#define _Pragma(X)
