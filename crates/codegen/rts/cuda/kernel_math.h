// Mathematical functions that CUDA spells otherwise.

// The inverse of a square root, both rounded. Numbers that are far from the
// least and the greatest need no care in either step: this is asked once. All
// 2^32 numbers were compared with 1 / sqrtf(x), for which compilers ask twice.
SCALAR_FUN float rsqrt32(float x) {
#ifdef __CUDA_ARCH__
  if (__float_as_uint(x) - 0x0d000000u < 0x65000000u) {
    float y, z;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    float g = __fmul_rn(x, y), root = __fmaf_rn(__fmaf_rn(-g, g, x), __fmul_rn(0.5f, y), g);
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(z) : "f"(root));
    return __fmaf_rn(z, __fmaf_rn(-root, z, 1.0f), z);
  }
#endif
  return 1.0f / sqrtf(x);
}
SCALAR_FUN double rsqrt64(double x) {
  return 1.0 / sqrt(x);
}

#define RENAMED_MATH(W, T, F)                    \
  SCALAR_FUN T exp_f##W(T x) {                   \
    return exp##F(x);                            \
  }                                              \
  SCALAR_FUN T exp10_f##W(T x) {                 \
    return exp10##F(x);                          \
  }                                              \
  SCALAR_FUN T log_f##W(T x) {                   \
    return log##F(x);                            \
  }                                              \
  SCALAR_FUN T lgamma_f##W(T x) {                \
    return lgamma##F(x);                         \
  }                                              \
  SCALAR_FUN T sinpi##W(T x) {                   \
    return sinpi##F(x);                          \
  }                                              \
  SCALAR_FUN T cospi##W(T x) {                   \
    return cospi##F(x);                          \
  }                                              \
  SCALAR_FUN T tanpi##W(T x) {                   \
    return sinpi##F(x) / cospi##F(x);            \
  }                                              \
  SCALAR_FUN T asinpi##W(T x) {                  \
    return asin##F(x) / (T)3.14159265358979323846; \
  }                                              \
  SCALAR_FUN T acospi##W(T x) {                  \
    return acos##F(x) / (T)3.14159265358979323846; \
  }                                              \
  SCALAR_FUN T atanpi##W(T x) {                  \
    return atan##F(x) / (T)3.14159265358979323846; \
  }                                              \
  SCALAR_FUN T atan2pi##W(T x, T y) {            \
    return atan2##F(x, y) / (T)3.14159265358979323846; \
  }

RENAMED_MATH(32, float, f)
RENAMED_MATH(64, double, )
