// What kernels need of CUDA.

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

#define DEVICE_CODE
#define SCALAR_FUN static __device__ inline
#define DEVICE_FUN static __device__
#define KERNEL extern "C" __global__ void __launch_bounds__(1024)
#define KERNEL_OF(N) extern "C" __global__ void __launch_bounds__(N)
#define KERNEL_AT_MOST(N) KERNEL_OF(N)
// Of so many threads, at least one block, fit a multiprocessor.
#define KERNEL_RESIDENT(N, T) extern "C" __global__ void __launch_bounds__(N, (N) > (T) ? 1 : (T) / (N))
#define GLOBAL
#define SHARED
#define CONSTANT static __device__ const
#define CONSTANT_POINTER const
#define SHARED_DECLARE extern __shared__ __align__(16) uint8_t shared_memory[];
#define SHARED_ARRAY(T, NAME, N) __shared__ __align__(16) T NAME[N]

#define LOCAL_ID ((int64_t)threadIdx.x)
#define BLOCK_ID ((int64_t)blockIdx.x)
#define BLOCK_SIZE ((int64_t)blockDim.x)
#define GRID_SIZE ((int64_t)gridDim.x)
#define RESTRICT __restrict__
#define UNROLL _Pragma("unroll")
#define PRAGMA(X) _Pragma(#X)
#define UNROLL_BY(N) PRAGMA(unroll N)
#define BARRIER() __syncthreads()
#define BLOCK_END()
#define LOOP_END()
#define FENCE() __threadfence()
#define BLOCK_FENCE() __threadfence_block()
#define WARP_BARRIER() __syncwarp()
#define BALLOT(X) ((int32_t)__ballot_sync(0xffffffffu, X))
#define SHUFFLE_UP(X, N) __shfl_up_sync(0xffffffffu, X, N)
#define SHUFFLE_DOWN(X, N) __shfl_down_sync(0xffffffffu, X, N)
#define SHUFFLE_FIRST(X) __shfl_sync(0xffffffffu, X, 0)
#define SHUFFLE_FIRST_OF(X, LANES) __shfl_sync(0xffffffffu, X, 0, LANES)
#define SHUFFLE_LAST_OF(X, LANES) __shfl_sync(0xffffffffu, X, (LANES)-1, LANES)

// Copies to shared memory that run while the thread goes on, of 4, 8 or 16 bytes. Those of 16 bypass the first-level cache.
#if __CUDA_ARCH__ >= 800
#define COPY_AHEAD_FUN(BYTES, CACHE)                                                                        \
  SCALAR_FUN void copy_ahead_##BYTES(void *to, const void *from) {                                          \
    asm volatile("cp.async." CACHE ".shared.global [%0], [%1], " #BYTES ";"                                 \
                 :                                                                                          \
                 : "r"((uint32_t)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from))         \
                 : "memory");                                                                               \
  }
COPY_AHEAD_FUN(4, "ca")
COPY_AHEAD_FUN(8, "ca")
COPY_AHEAD_FUN(16, "cg")
#define COPY_AHEAD(BYTES, COUNT, TO, FROM) copy_ahead_##BYTES(TO, FROM)
#define AWAIT_COPIES() asm volatile("cp.async.wait_all;" : : : "memory")
#elif !defined(COPY_AHEAD)
#define COPY_AHEAD(BYTES, COUNT, TO, FROM)                                                                  \
  for (int ahead = 0; ahead < COUNT; ahead++) {                                                             \
    (TO)[ahead] = (FROM)[ahead];                                                                            \
  }
#define AWAIT_COPIES()
#endif

// Products of matrices by warps: KernelOp::MultiplyAdd says which lane has what. Each product and sum is rounded once, as by `fma`, in the order of
// the columns on the left. What is awaited is computed by then, by all lanes together.
#if __CUDA_ARCH__ >= 800
#define MATRIX_UNITS 1
#if __CUDA_ARCH__ >= 900
SCALAR_FUN void multiply_add(double *upper, double *lower, const double *left, const double *right) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
      : "d"(left[0]), "d"(left[2]), "d"(left[1]), "d"(left[3]), "d"(right[0]), "d"(right[1]));
}
#else
SCALAR_FUN void multiply_add_quarter(double *sums, double left, double right) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sums[0]), "+d"(sums[1])
      : "d"(left), "d"(right));
}
SCALAR_FUN void multiply_add(double *upper, double *lower, const double *left, const double *right) {
  multiply_add_quarter(upper, left[0], right[0]);
  multiply_add_quarter(lower, left[2], right[0]);
  multiply_add_quarter(upper, left[1], right[1]);
  multiply_add_quarter(lower, left[3], right[1]);
}
#endif
#define MULTIPLY_ADD(N, SUMS, LEFT, RIGHT)                                                                  \
  UNROLL                                                                                                    \
  for (int r = 0; r < (N); r += 2) {                                                                        \
    UNROLL                                                                                                  \
    for (int q = 0; q < (N); q += 2) {                                                                      \
      multiply_add(&SUMS[r * (N) + q], &SUMS[(r + 1) * (N) + q], &LEFT[2 * r], &RIGHT[q]);                  \
    }                                                                                                       \
  }
#define AWAIT_PRODUCTS(N, SUMS)                                                                             \
  UNROLL                                                                                                    \
  for (int i = 0; i < (N) * (N); i++) {                                                                     \
    asm volatile("" : "+d"(SUMS[i]));                                                                       \
  }
#elif !defined(MULTIPLY_ADD)
#define MATRIX_UNITS 0
#define MULTIPLY_ADD(N, SUMS, LEFT, RIGHT)
#define AWAIT_PRODUCTS(N, SUMS)
#endif

#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT64_MAX 9223372036854775807LL
#define INT64_C(x) x##LL
#define UINT64_C(x) x##ULL
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// What is written in the device's own instructions has a form in C, too, where there are no such instructions.
#ifdef __CUDA_ARCH__

// Shifts by amounts that are not constants. The instructions take all amounts as the language does, where C needs a
// comparison; narrow integers are shifted as 32 bits, and cut.
#define HAS_CLAMPED_SHIFTS
#define CLAMPED_SHIFTS(NAME, OF, TYPE)                                                                      \
  SCALAR_FUN int32_t any_##NAME##32(int32_t x, int32_t y) {                                                 \
    int32_t z;                                                                                              \
    asm(OF "32 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));                                                    \
    return z;                                                                                               \
  }                                                                                                         \
  SCALAR_FUN int64_t any_##NAME##64(int64_t x, int64_t y) {                                                 \
    int64_t z;                                                                                              \
    uint32_t by = (uint64_t)y >> 32 == 0 ? (uint32_t)y : 64;                                                \
    asm(OF "64 %0, %1, %2;" : "=l"(z) : "l"(x), "r"(by));                                                   \
    return z;                                                                                               \
  }                                                                                                         \
  SCALAR_FUN int8_t any_##NAME##8(int8_t x, int8_t y) {                                                     \
    return (int8_t)any_##NAME##32((TYPE##8_t)x, (uint8_t)y);                                                \
  }                                                                                                         \
  SCALAR_FUN int16_t any_##NAME##16(int16_t x, int16_t y) {                                                 \
    return (int16_t)any_##NAME##32((TYPE##16_t)x, (uint16_t)y);                                             \
  }
CLAMPED_SHIFTS(shl, "shl.b", uint)
CLAMPED_SHIFTS(lshr, "shr.u", uint)
CLAMPED_SHIFTS(ashr, "shr.s", int)

// Minimum and maximum are single instructions, which ignore a NaN where they can, and know that -0 < 0. Compilers may not take them for what
// C would say instead: six instructions and a branch. There are none for doubles.
#define HAS_EXTREMES32
#define FLOAT_EXTREME(NAME)                                                                                 \
  SCALAR_FUN float f##NAME##32(float x, float y) {                                                          \
    float z;                                                                                                \
    asm(#NAME ".f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));                                               \
    return z;                                                                                               \
  }
FLOAT_EXTREME(min)
FLOAT_EXTREME(max)

#define DEVICE_F16
SCALAR_FUN float f16_to_f32(uint16_t h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
SCALAR_FUN uint16_t f32_to_f16(float x) {
  uint16_t h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}

#endif

SCALAR_FUN int32_t bits_set(uint64_t x) {
  return __popcll(x);
}
SCALAR_FUN int32_t leading_zeros(uint64_t x) {
  return __clzll((int64_t)x);
}
SCALAR_FUN int32_t trailing_zeros(uint64_t x) {
  return x == 0 ? 64 : __ffsll((int64_t)x) - 1;
}
SCALAR_FUN int32_t to_bits32(float x) {
  return __float_as_int(x);
}
SCALAR_FUN float from_bits32(int32_t bits) {
  return __int_as_float(bits);
}
SCALAR_FUN int64_t to_bits64(double x) {
  return __double_as_longlong(x);
}
SCALAR_FUN double from_bits64(int64_t bits) {
  return __longlong_as_double(bits);
}
// Whether it holds for any thread of the block; all get here.
#define ANY_CELL
#define ANY_CLEAR
#define ANY_START(CONDITION) bool any_start = __syncthreads_or(threadIdx.x == 0 && (CONDITION)) != 0;
#define ANY_THREAD(CONDITION) (__syncthreads_or(CONDITION) != 0)

// Whether an earlier launch failed; it is over, so that a cached value will do.
SCALAR_FUN bool failed_before(volatile int32_t *failure, int32_t launch) {
  int32_t failed = *(const int32_t *)failure;
  return failed != 0 && failed != launch;
}

SCALAR_FUN bool record_failure(volatile int32_t *failure, int64_t *values, int32_t number, int32_t launch) {
  if (atomicCAS((int32_t *)failure, 0, launch) == 0) {
    values[0] = number;
    return true;
  }
  return false;
}

// Atomics: in global and in shared memory, which the compiler tells apart.
#define ATOMICS(SPACE)                                                                                        \
  SCALAR_FUN int32_t atomic_add_i32_##SPACE(int32_t *p, int32_t x) {                                          \
    return atomicAdd(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_smax_i32_##SPACE(int32_t *p, int32_t x) {                                         \
    return atomicMax(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_smin_i32_##SPACE(int32_t *p, int32_t x) {                                         \
    return atomicMin(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_umax_i32_##SPACE(int32_t *p, int32_t x) {                                         \
    return (int32_t)atomicMax((uint32_t *)p, (uint32_t)x);                                                    \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_umin_i32_##SPACE(int32_t *p, int32_t x) {                                         \
    return (int32_t)atomicMin((uint32_t *)p, (uint32_t)x);                                                    \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_and_i32_##SPACE(int32_t *p, int32_t x) {                                          \
    return atomicAnd(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_or_i32_##SPACE(int32_t *p, int32_t x) {                                           \
    return atomicOr(p, x);                                                                                    \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_xor_i32_##SPACE(int32_t *p, int32_t x) {                                          \
    return atomicXor(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_exchange_i32_##SPACE(int32_t *p, int32_t x) {                                     \
    return atomicExch(p, x);                                                                                  \
  }                                                                                                           \
  SCALAR_FUN int32_t atomic_cas_i32_##SPACE(int32_t *p, int32_t expected, int32_t x) {                        \
    return atomicCAS(p, expected, x);                                                                         \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_add_i64_##SPACE(int64_t *p, int64_t x) {                                          \
    return (int64_t)atomicAdd((uint64_t *)p, (uint64_t)x);                                                    \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_smax_i64_##SPACE(int64_t *p, int64_t x) {                                         \
    return atomicMax(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_smin_i64_##SPACE(int64_t *p, int64_t x) {                                         \
    return atomicMin(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_umax_i64_##SPACE(int64_t *p, int64_t x) {                                         \
    return (int64_t)atomicMax((uint64_t *)p, (uint64_t)x);                                                    \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_umin_i64_##SPACE(int64_t *p, int64_t x) {                                         \
    return (int64_t)atomicMin((uint64_t *)p, (uint64_t)x);                                                    \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_and_i64_##SPACE(int64_t *p, int64_t x) {                                          \
    return (int64_t)atomicAnd((uint64_t *)p, (uint64_t)x);                                                    \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_or_i64_##SPACE(int64_t *p, int64_t x) {                                           \
    return (int64_t)atomicOr((uint64_t *)p, (uint64_t)x);                                                     \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_xor_i64_##SPACE(int64_t *p, int64_t x) {                                          \
    return (int64_t)atomicXor((uint64_t *)p, (uint64_t)x);                                                    \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_exchange_i64_##SPACE(int64_t *p, int64_t x) {                                     \
    return (int64_t)atomicExch((uint64_t *)p, (uint64_t)x);                                                   \
  }                                                                                                           \
  SCALAR_FUN int64_t atomic_cas_i64_##SPACE(int64_t *p, int64_t expected, int64_t x) {                        \
    return (int64_t)atomicCAS((uint64_t *)p, (uint64_t)expected, (uint64_t)x);                                \
  }                                                                                                           \
  SCALAR_FUN float atomic_fadd_f32_##SPACE(float *p, float x) {                                               \
    return atomicAdd(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN float atomic_exchange_f32_##SPACE(float *p, float x) {                                           \
    return atomicExch(p, x);                                                                                  \
  }                                                                                                           \
  SCALAR_FUN float atomic_cas_f32_##SPACE(float *p, float expected, float x) {                                \
    return __int_as_float(atomicCAS((int32_t *)p, __float_as_int(expected), __float_as_int(x)));              \
  }                                                                                                           \
  SCALAR_FUN double atomic_fadd_f64_##SPACE(double *p, double x) {                                            \
    return atomicAdd(p, x);                                                                                   \
  }                                                                                                           \
  SCALAR_FUN double atomic_exchange_f64_##SPACE(double *p, double x) {                                        \
    return __longlong_as_double((int64_t)atomicExch((uint64_t *)p, (uint64_t)__double_as_longlong(x)));       \
  }                                                                                                           \
  SCALAR_FUN double atomic_cas_f64_##SPACE(double *p, double expected, double x) {                            \
    return __longlong_as_double((int64_t)atomicCAS((uint64_t *)p, (uint64_t)__double_as_longlong(expected),   \
                                                   (uint64_t)__double_as_longlong(x)));                       \
  }

ATOMICS(global)
ATOMICS(shared)
