// Mathematical functions: OpenCL has one name for all types.

#define sqrtf(x) sqrt((float)(x))
#define cbrtf(x) cbrt((float)(x))
#define exp2f(x) exp2((float)(x))
#define expm1f(x) expm1((float)(x))
#define log2f(x) log2((float)(x))
#define log10f(x) log10((float)(x))
#define log1pf(x) log1p((float)(x))
#define sinf(x) sin((float)(x))
#define cosf(x) cos((float)(x))
#define tanf(x) tan((float)(x))
#define asinf(x) asin((float)(x))
#define acosf(x) acos((float)(x))
#define atanf(x) atan((float)(x))
#define sinhf(x) sinh((float)(x))
#define coshf(x) cosh((float)(x))
#define tanhf(x) tanh((float)(x))
#define asinhf(x) asinh((float)(x))
#define acoshf(x) acosh((float)(x))
#define atanhf(x) atanh((float)(x))
#define tgammaf(x) tgamma((float)(x))
#define erff(x) erf((float)(x))
#define erfcf(x) erfc((float)(x))
#define floorf(x) floor((float)(x))
#define ceilf(x) ceil((float)(x))
#define truncf(x) trunc((float)(x))
#define fabsf(x) fabs((float)(x))
#define nearbyintf(x) rint((float)(x))
#define nearbyint(x) rint(x)
#define atan2f(x, y) atan2((float)(x), (float)(y))
#define hypotf(x, y) hypot((float)(x), (float)(y))
#define powf(x, y) pow((float)(x), (float)(y))
#define fmodf(x, y) fmod((float)(x), (float)(y))
#define nextafterf(x, y) nextafter((float)(x), (float)(y))
#define copysignf(x, y) copysign((float)(x), (float)(y))
#define ldexpf(x, n) ldexp((float)(x), (int)(n))
#define fmaf(x, y, z) fma((float)(x), (float)(y), (float)(z))

#define RENAMED_MATH(W, T)                       \
  SCALAR_FUN T rsqrt##W(T x) {                   \
    return (T)1 / sqrt(x);                       \
  }                                              \
  SCALAR_FUN T exp_f##W(T x) {                   \
    return exp(x);                               \
  }                                              \
  SCALAR_FUN T exp10_f##W(T x) {                 \
    return exp10(x);                             \
  }                                              \
  SCALAR_FUN T log_f##W(T x) {                   \
    return log(x);                               \
  }                                              \
  SCALAR_FUN T lgamma_f##W(T x) {                \
    return lgamma(x);                            \
  }                                              \
  SCALAR_FUN T sinpi##W(T x) {                   \
    return sinpi(x);                             \
  }                                              \
  SCALAR_FUN T cospi##W(T x) {                   \
    return cospi(x);                             \
  }                                              \
  SCALAR_FUN T tanpi##W(T x) {                   \
    return tanpi(x);                             \
  }                                              \
  SCALAR_FUN T asinpi##W(T x) {                  \
    return asinpi(x);                            \
  }                                              \
  SCALAR_FUN T acospi##W(T x) {                  \
    return acospi(x);                            \
  }                                              \
  SCALAR_FUN T atanpi##W(T x) {                  \
    return atanpi(x);                            \
  }                                              \
  SCALAR_FUN T atan2pi##W(T x, T y) {            \
    return atan2pi(x, y);                        \
  }

RENAMED_MATH(32, float)
#ifndef NO_F64
RENAMED_MATH(64, double)
#endif
