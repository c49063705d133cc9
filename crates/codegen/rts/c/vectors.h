// Start of vectors.h: loops for each width of vectors.
//
// A program runs on every processor of its kind, and uses the widest vectors
// that the one it runs on has. No version computes anything else than the
// others: nothing is contracted, and elements that lie anywhere are read one
// by one.
//
// WIDE_LOOP(f, (int64_t n, float *xs), (n, xs)) defines f from f_body: with 256
// bits where there are so many. WIDEST_LOOP has a version with 512, too. A
// compiler that gets the width for all code, by -march or VECTOR_BITS, makes
// one version only.

#if defined(__GNUC__) && defined(__x86_64__)
#define LOOP_BODY static inline UNUSED __attribute__((always_inline))
#else
#define LOOP_BODY static inline UNUSED
#endif

// Whether all code has wide vectors, or may not have any.
#if !defined(__GNUC__) || !defined(__x86_64__) || defined(__AVX2__)
#undef VECTOR_BITS
#define VECTOR_BITS 0
#endif

#if defined(__clang__)
#define TARGET_512 target("avx512f,avx512bw,avx512dq,avx512vl")
#else
#define TARGET_512 target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif

#define LOOP_256(name, params, args) \
  static UNUSED __attribute__((noinline, target("avx2"))) int name##_256 params { return name##_body args; }
#define LOOP_512(name, params, args) \
  static UNUSED __attribute__((noinline, TARGET_512)) int name##_512 params { return name##_body args; }

#if !defined(VECTOR_BITS)

#define HAS_256 __builtin_cpu_supports("avx2")
#define HAS_512 \
  (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && \
   __builtin_cpu_supports("avx512vl"))
#define WIDE_LOOP(name, params, args) \
  LOOP_256(name, params, args)        \
  static inline UNUSED int name params { return HAS_256 ? name##_256 args : name##_body args; }
#define WIDEST_LOOP(name, params, args) \
  LOOP_256(name, params, args)          \
  LOOP_512(name, params, args)          \
  static inline UNUSED int name params { \
    return HAS_512 ? name##_512 args : HAS_256 ? name##_256 args : name##_body args; \
  }

#elif VECTOR_BITS < 256

#define WIDE_LOOP(name, params, args) \
  static inline UNUSED int name params { return name##_body args; }
#define WIDEST_LOOP WIDE_LOOP

#else

#define WIDE_LOOP(name, params, args) \
  LOOP_256(name, params, args)        \
  static inline UNUSED int name params { return name##_256 args; }
#if VECTOR_BITS < 512
#define WIDEST_LOOP WIDE_LOOP
#else
#define WIDEST_LOOP(name, params, args) \
  LOOP_512(name, params, args)          \
  static inline UNUSED int name params { return name##_512 args; }
#endif

#endif

// End of vectors.h.
