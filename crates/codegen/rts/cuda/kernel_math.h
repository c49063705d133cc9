// Mathematical functions that CUDA spells otherwise.

#define RENAMED_MATH(W, T, F)                    \
  SCALAR_FUN T rsqrt##W(T x) {                   \
    return (T)1 / sqrt##F(x);                    \
  }                                              \
  SCALAR_FUN T exp10_f##W(T x) {                 \
    return exp10##F(x);                          \
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
