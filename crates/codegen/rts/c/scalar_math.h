// Start of scalar_math.h: mathematical functions that the C library lacks or
// spells otherwise.

SCALAR_FUN double rsqrt64(double x) {
  return 1.0 / sqrt(x);
}
SCALAR_FUN float rsqrt32(float x) {
  return 1.0f / sqrtf(x);
}
SCALAR_FUN double exp10_f64(double x) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
  return exp10(x);
#else
  return pow(10.0, x);
#endif
}
SCALAR_FUN float exp10_f32(float x) {
  return (float)exp10_f64((double)x);
}

#define PI 3.14159265358979323846

SCALAR_FUN double sinpi64(double x) {
  double r = x - 2.0 * nearbyint(x / 2.0);
  if (fabs(r) > 0.5) {
    r = copysign(1.0, r) - r;
  }
  return r == 0.0 ? copysign(0.0, x) : sin(PI * r);
}
SCALAR_FUN double cospi64(double x) {
  double r = fabs(x - 2.0 * nearbyint(x / 2.0));
  return r < 0.25 ? cos(PI * r) : r <= 0.75 ? sin(PI * (0.5 - r)) : -cos(PI * (1.0 - r));
}
SCALAR_FUN double tanpi64(double x) {
  return sinpi64(x) / cospi64(x);
}
SCALAR_FUN double asinpi64(double x) {
  return asin(x) / PI;
}
SCALAR_FUN double acospi64(double x) {
  return acos(x) / PI;
}
SCALAR_FUN double atanpi64(double x) {
  return atan(x) / PI;
}
SCALAR_FUN double atan2pi64(double x, double y) {
  return atan2(x, y) / PI;
}
SCALAR_FUN double lgamma_f64(double x) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
  int sign;
  return lgamma_r(x, &sign);
#else
  return lgamma(x);
#endif
}
SCALAR_FUN float lgamma_f32(float x) {
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
  int sign;
  return lgammaf_r(x, &sign);
#else
  return lgammaf(x);
#endif
}
SCALAR_FUN float sinpi32(float x) {
  return (float)sinpi64((double)x);
}
SCALAR_FUN float cospi32(float x) {
  return (float)cospi64((double)x);
}
SCALAR_FUN float tanpi32(float x) {
  return (float)tanpi64((double)x);
}
SCALAR_FUN float asinpi32(float x) {
  return (float)asinpi64((double)x);
}
SCALAR_FUN float acospi32(float x) {
  return (float)acospi64((double)x);
}
SCALAR_FUN float atanpi32(float x) {
  return (float)atanpi64((double)x);
}
SCALAR_FUN float atan2pi32(float x, float y) {
  return (float)atan2pi64((double)x, (double)y);
}

// End of scalar_math.h.
