// What kernels need of OpenCL C.

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#else
#define NO_F64
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;

#define DEVICE_CODE
#define SCALAR_FUN static inline
#define DEVICE_FUN static
#define KERNEL __kernel void
#define GLOBAL __global
#define SHARED __local
#define CONSTANT __constant
#define CONSTANT_POINTER __constant
// The place of shared memory is a multiple of what its parameter points to, and some arrays are of 16 bytes.
#define SHARED_DECLARE __local uint8_t *shared_memory = (__local uint8_t *)shared_memory_start;
#define SHARED_ARRAY(T, NAME, N) __local T NAME[N] __attribute__((aligned(16)))
#define KERNEL_OF(N) __kernel __attribute__((reqd_work_group_size(N, 1, 1))) void
#define KERNEL_AT_MOST(N) KERNEL
#define KERNEL_RESIDENT(N, T) KERNEL_OF(N)

#define LOCAL_ID ((int64_t)get_local_id(0))
#define BLOCK_ID ((int64_t)get_group_id(0))
#define BLOCK_SIZE ((int64_t)get_local_size(0))
#define GRID_SIZE ((int64_t)get_num_groups(0))
#define RESTRICT restrict
#define UNROLL
#define UNROLL_BY(N)
#ifdef POCL_DEVICE_ADDRESS_BITS
// In loops, PoCL 3.1 takes the code on both sides of a barrier for one piece, if both are conditionals; with two barriers it does not.
#define BARRIER() \
  do { \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
  } while (0)
// In kernels that blocks may leave early, it lets threads enter a loop behind the last barrier whose condition does not hold for them.
#define BLOCK_END() BARRIER()
// Where the iterations of a loop end with a barrier and a conditional comes behind the loop, it lets threads enter that whose condition does not hold.
#define LOOP_END() BARRIER()
#else
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define BLOCK_END()
#define LOOP_END()
#endif
#define FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define BLOCK_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE)

// There are no copies that run while the thread goes on.
#define COPY_AHEAD(BYTES, COUNT, TO, FROM)                                                                  \
  for (int ahead = 0; ahead < COUNT; ahead++) {                                                             \
    (TO)[ahead] = (FROM)[ahead];                                                                            \
  }
#define AWAIT_COPIES()

#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807L - 1)
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807L
#define INT64_C(x) x##L
#define UINT64_C(x) x##UL
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)

SCALAR_FUN int32_t bits_set(uint64_t x) {
  return (int32_t)popcount(x);
}
SCALAR_FUN int32_t leading_zeros(uint64_t x) {
  return (int32_t)clz(x);
}
SCALAR_FUN int32_t trailing_zeros(uint64_t x) {
  return x == 0 ? 64 : 63 - (int32_t)clz(x & (0 - x));
}
SCALAR_FUN int32_t to_bits32(float x) {
  return as_int(x);
}
SCALAR_FUN float from_bits32(int32_t bits) {
  return as_float(bits);
}
#ifndef NO_F64
SCALAR_FUN int64_t to_bits64(double x) {
  return as_long(x);
}
SCALAR_FUN double from_bits64(int64_t bits) {
  return as_double(bits);
}
#endif

// Whether it holds for any thread of the block; all get here. The cell is zero
// before, and stays so until it does.
#define ANY_CELL __local int any_cell;
#define ANY_CLEAR                                \
  if (get_local_id(0) == 0) {                    \
    any_cell = 0;                                \
  }                                              \
  barrier(CLK_LOCAL_MEM_FENCE);
#define ANY_START(CONDITION)                     \
  if (get_local_id(0) == 0) {                    \
    any_cell = (CONDITION);                      \
  }                                              \
  barrier(CLK_LOCAL_MEM_FENCE);                  \
  bool any_start = any_cell != 0;                \
  barrier(CLK_LOCAL_MEM_FENCE);
#define ANY_THREAD(CONDITION) any_thread(&any_cell, CONDITION)
SCALAR_FUN bool any_thread(volatile __local int *cell, bool condition) {
  if (condition) {
    atomic_or(cell, 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  bool any = *cell != 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  return any;
}

// Whether an earlier launch failed; it is over, so that a cached value will do.
SCALAR_FUN bool failed_before(volatile __global int32_t *failure, int32_t launch) {
  int32_t failed = *(const __global int32_t *)failure;
  return failed != 0 && failed != launch;
}

SCALAR_FUN bool record_failure(volatile __global int32_t *failure, __global int64_t *values, int32_t number,
                               int32_t launch) {
  if (atomic_cmpxchg(failure, 0, launch) == 0) {
    values[0] = number;
    return true;
  }
  return false;
}

// Atomics: in global and in shared memory.
#define ATOMICS(SPACE, QUALIFIER)                                                                               \
  SCALAR_FUN int32_t atomic_add_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                         \
    return atomic_add(p, x);                                                                                    \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_smax_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                        \
    return atomic_max(p, x);                                                                                    \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_smin_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                        \
    return atomic_min(p, x);                                                                                    \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_umax_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                        \
    return (int32_t)atomic_max((volatile QUALIFIER uint32_t *)p, (uint32_t)x);                                  \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_umin_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                        \
    return (int32_t)atomic_min((volatile QUALIFIER uint32_t *)p, (uint32_t)x);                                  \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_and_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                         \
    return atomic_and(p, x);                                                                                    \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_or_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                          \
    return atomic_or(p, x);                                                                                     \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_xor_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                         \
    return atomic_xor(p, x);                                                                                    \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_exchange_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t x) {                    \
    return atomic_xchg(p, x);                                                                                   \
  }                                                                                                             \
  SCALAR_FUN int32_t atomic_cas_i32_##SPACE(volatile QUALIFIER int32_t *p, int32_t expected, int32_t x) {       \
    return atomic_cmpxchg(p, expected, x);                                                                      \
  }                                                                                                             \
  SCALAR_FUN float atomic_exchange_f32_##SPACE(volatile QUALIFIER float *p, float x) {                          \
    return atomic_xchg(p, x);                                                                                   \
  }                                                                                                             \
  SCALAR_FUN float atomic_cas_f32_##SPACE(volatile QUALIFIER float *p, float expected, float x) {               \
    return as_float(atomic_cmpxchg((volatile QUALIFIER int32_t *)p, as_int(expected), as_int(x)));              \
  }                                                                                                             \
  SCALAR_FUN float atomic_fadd_f32_##SPACE(volatile QUALIFIER float *p, float x) {                              \
    int32_t old = as_int(*p), seen;                                                                             \
    while ((seen = atomic_cmpxchg((volatile QUALIFIER int32_t *)p, old, as_int(as_float(old) + x))) != old) {   \
      old = seen;                                                                                               \
    }                                                                                                           \
    return as_float(old);                                                                                       \
  }

ATOMICS(global, __global)
ATOMICS(shared, __local)

#ifdef cl_khr_int64_base_atomics
#define ATOMICS64(SPACE, QUALIFIER)                                                                             \
  SCALAR_FUN int64_t atomic_add_i64_##SPACE(volatile QUALIFIER int64_t *p, int64_t x) {                         \
    return atom_add(p, x);                                                                                      \
  }                                                                                                             \
  SCALAR_FUN int64_t atomic_exchange_i64_##SPACE(volatile QUALIFIER int64_t *p, int64_t x) {                    \
    return atom_xchg(p, x);                                                                                     \
  }                                                                                                             \
  SCALAR_FUN int64_t atomic_cas_i64_##SPACE(volatile QUALIFIER int64_t *p, int64_t expected, int64_t x) {       \
    return atom_cmpxchg(p, expected, x);                                                                        \
  }
// Built from compare-and-swap: few devices have them all.
#define ATOMIC64_BY_CAS(NAME, SPACE, QUALIFIER, NEW)                                                            \
  SCALAR_FUN int64_t atomic_##NAME##_i64_##SPACE(volatile QUALIFIER int64_t *p, int64_t x) {                    \
    int64_t old = *p, seen;                                                                                     \
    while ((seen = atom_cmpxchg(p, old, NEW)) != old) {                                                         \
      old = seen;                                                                                               \
    }                                                                                                           \
    return old;                                                                                                 \
  }
#define ATOMICS64_BY_CAS(SPACE, QUALIFIER)                                                                      \
  ATOMIC64_BY_CAS(smax, SPACE, QUALIFIER, max(old, x))                                                          \
  ATOMIC64_BY_CAS(smin, SPACE, QUALIFIER, min(old, x))                                                          \
  ATOMIC64_BY_CAS(umax, SPACE, QUALIFIER, (int64_t)max((uint64_t)old, (uint64_t)x))                             \
  ATOMIC64_BY_CAS(umin, SPACE, QUALIFIER, (int64_t)min((uint64_t)old, (uint64_t)x))                             \
  ATOMIC64_BY_CAS(and, SPACE, QUALIFIER, old & x)                                                               \
  ATOMIC64_BY_CAS(or, SPACE, QUALIFIER, old | x)                                                                \
  ATOMIC64_BY_CAS(xor, SPACE, QUALIFIER, old ^ x)
#define ATOMICS_F64(SPACE, QUALIFIER)                                                                           \
  SCALAR_FUN double atomic_exchange_f64_##SPACE(volatile QUALIFIER double *p, double x) {                       \
    return as_double(atom_xchg((volatile QUALIFIER int64_t *)p, as_long(x)));                                   \
  }                                                                                                             \
  SCALAR_FUN double atomic_cas_f64_##SPACE(volatile QUALIFIER double *p, double expected, double x) {           \
    return as_double(atom_cmpxchg((volatile QUALIFIER int64_t *)p, as_long(expected), as_long(x)));             \
  }                                                                                                             \
  SCALAR_FUN double atomic_fadd_f64_##SPACE(volatile QUALIFIER double *p, double x) {                           \
    int64_t old = as_long(*p), seen;                                                                            \
    while ((seen = atom_cmpxchg((volatile QUALIFIER int64_t *)p, old, as_long(as_double(old) + x))) != old) {   \
      old = seen;                                                                                               \
    }                                                                                                           \
    return as_double(old);                                                                                      \
  }
ATOMICS64(global, __global)
ATOMICS64(shared, __local)
ATOMICS64_BY_CAS(global, __global)
ATOMICS64_BY_CAS(shared, __local)
#ifndef NO_F64
ATOMICS_F64(global, __global)
ATOMICS_F64(shared, __local)
#endif
#endif
