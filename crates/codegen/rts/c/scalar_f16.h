// Start of scalar_f16.h: half floats.
//
// A half float is kept as its bits, in memory and in variables. Every
// operator converts to single precision, computes there and rounds back,
// which for +, -, *, / and square root is the correctly rounded result.

typedef uint16_t f16;

#ifdef DEVICE_F16
// Each kernel language has its own conversions.
#elif defined(__F16C__) && !defined(DEVICE_CODE) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
SCALAR_FUN float f16_to_f32(f16 h) {
  return _cvtsh_ss(h);
}
SCALAR_FUN f16 f32_to_f16(float x) {
  return _cvtss_sh(x, 0);
}
#else
SCALAR_FUN float f16_to_f32(f16 h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 0x1f, mantissa = h & 0x3ff;
  if (exponent == 0x1f) {
    // Infinities and NaNs (made quiet, as hardware does).
    return from_bits32((int32_t)(sign | 0x7f800000 | mantissa << 13 | (mantissa != 0 ? 0x400000 : 0)));
  }
  if (exponent == 0) {
    // Zero, or a multiple of 2^-24.
    float magnitude = (float)mantissa * 5.9604644775390625e-8f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return from_bits32((int32_t)(sign | (exponent + 112) << 23 | mantissa << 13));
}
SCALAR_FUN f16 f32_to_f16(float x) {
  uint32_t bits = (uint32_t)to_bits32(x), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return (f16)(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  }
  if (magnitude >= 0x477ff000) {
    // Rounds past the largest half float, or is infinite.
    return (f16)(sign | 0x7c00);
  }
  if (magnitude < 0x38800000) {
    // Subnormal: adding 0.5 puts the last bit of the result at the last bit
    // of the sum, so that the addition rounds.
    float sum = from_bits32((int32_t)magnitude) + 0.5f;
    return (f16)(sign | ((uint32_t)to_bits32(sum) - 0x3f000000));
  }
  uint32_t odd = (magnitude >> 13) & 1;
  return (f16)(sign | ((magnitude - 0x38000000 + 0xfff + odd) >> 13));
}
#endif

#ifndef NO_F64
SCALAR_FUN double f16_to_f64(f16 h) {
  return (double)f16_to_f32(h);
}

// Rounds once: on the way through single precision, to odd.
SCALAR_FUN f16 f64_to_f16(double x) {
  float nearest = (float)x;
  if (x != x || (double)nearest == x) {
    return f32_to_f16(nearest);
  }
  uint32_t bits = (uint32_t)to_bits32(nearest);
  if (fabs((double)nearest) > fabs(x)) {
    bits--;
  }
  return f32_to_f16(from_bits32((int32_t)(bits | 1)));
}
#endif

SCALAR_FUN int32_t f16_to_i32(f16 h) {
  return f32_to_i32(f16_to_f32(h));
}
SCALAR_FUN int64_t f16_to_i64(f16 h) {
  return f32_to_i64(f16_to_f32(h));
}
SCALAR_FUN int64_t f16_to_u64(f16 h) {
  return f32_to_i64(f16_to_f32(h));
}

#define F16_UNARY(NAME, EXPR)          \
  SCALAR_FUN f16 NAME##16(f16 h) {     \
    float x = f16_to_f32(h);           \
    return f32_to_f16(EXPR);           \
  }
#define F16_BINARY(NAME, EXPR)                      \
  SCALAR_FUN f16 NAME##16(f16 h, f16 k) {           \
    float x = f16_to_f32(h), y = f16_to_f32(k);     \
    return f32_to_f16(EXPR);                        \
  }
#define F16_COMPARE(NAME, OP)                       \
  SCALAR_FUN bool NAME##16(f16 h, f16 k) {          \
    return f16_to_f32(h) OP f16_to_f32(k);          \
  }

F16_BINARY(fadd, x + y)
F16_BINARY(fsub, x - y)
F16_BINARY(fmul, x * y)
F16_BINARY(fdiv, x / y)
F16_BINARY(fmod, fmodf(x, y))
F16_BINARY(fmin, fmin32(x, y))
F16_BINARY(fmax, fmax32(x, y))
F16_BINARY(fpow, powf(x, y))
F16_BINARY(atan2_f, atan2f(x, y))
F16_BINARY(atan2pi, atan2pi32(x, y))
F16_BINARY(hypot_f, hypotf(x, y))
F16_COMPARE(feq, ==)
F16_COMPARE(flt, <)
F16_COMPARE(fle, <=)
F16_UNARY(fsignum, fsignum32(x))
F16_UNARY(sqrt_f, sqrtf(x))
F16_UNARY(cbrt_f, cbrtf(x))
F16_UNARY(rsqrt, rsqrt32(x))
F16_UNARY(exp_f, exp_f32(x))
F16_UNARY(exp2_f, exp2f(x))
F16_UNARY(exp10_f, exp10_f32(x))
F16_UNARY(expm1_f, expm1f(x))
F16_UNARY(log_f, log_f32(x))
F16_UNARY(log2_f, log2f(x))
F16_UNARY(log10_f, log10f(x))
F16_UNARY(log1p_f, log1pf(x))
F16_UNARY(sin_f, sinf(x))
F16_UNARY(cos_f, cosf(x))
F16_UNARY(tan_f, tanf(x))
F16_UNARY(asin_f, asinf(x))
F16_UNARY(acos_f, acosf(x))
F16_UNARY(atan_f, atanf(x))
F16_UNARY(sinh_f, sinhf(x))
F16_UNARY(cosh_f, coshf(x))
F16_UNARY(tanh_f, tanhf(x))
F16_UNARY(asinh_f, asinhf(x))
F16_UNARY(acosh_f, acoshf(x))
F16_UNARY(atanh_f, atanhf(x))
F16_UNARY(sinpi, sinpi32(x))
F16_UNARY(cospi, cospi32(x))
F16_UNARY(tanpi, tanpi32(x))
F16_UNARY(asinpi, asinpi32(x))
F16_UNARY(acospi, acospi32(x))
F16_UNARY(atanpi, atanpi32(x))
F16_UNARY(gamma_f, tgammaf(x))
F16_UNARY(lgamma_f, lgamma_f32(x))
F16_UNARY(erf_f, erff(x))
F16_UNARY(erfc_f, erfcf(x))
F16_UNARY(floor_f, floorf(x))
F16_UNARY(ceil_f, ceilf(x))
F16_UNARY(round_f, nearbyintf(x))
F16_UNARY(trunc_f, truncf(x))

SCALAR_FUN bool isnan16(f16 h) {
  return (h & 0x7fff) > 0x7c00;
}
SCALAR_FUN bool isinf16(f16 h) {
  return (h & 0x7fff) == 0x7c00;
}
SCALAR_FUN f16 copysign16(f16 h, f16 k) {
  return (f16)((h & 0x7fff) | (k & 0x8000));
}
SCALAR_FUN f16 mad16(f16 a, f16 b, f16 c) {
  return fadd16(fmul16(a, b), c);
}
SCALAR_FUN f16 lerp16(f16 a, f16 b, f16 t) {
  return fadd16(a, fmul16(fsub16(b, a), t));
}
#ifndef NO_F64
SCALAR_FUN f16 ldexp16(f16 h, int32_t n) {
  return f64_to_f16(ldexp(f16_to_f64(h), n));
}

// The product is exact in double precision; the sum is rounded to odd there,
// so that the last rounding is the only one.
SCALAR_FUN f16 fma16(f16 a, f16 b, f16 c) {
  double product = f16_to_f64(a) * f16_to_f64(b), addend = f16_to_f64(c);
  double sum = product + addend;
  if (sum - sum == 0.0) {
    double back = sum - product, error = (product - (sum - back)) + (addend - back);
    int64_t bits = to_bits64(sum);
    if (error != 0.0 && (bits & 1) == 0) {
      sum = from_bits64((error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1);
    }
  }
  return f64_to_f16(sum);
}
#endif

// One up in the bits is one step away from zero, on either side.
SCALAR_FUN f16 nextafter16(f16 h, f16 k) {
  float x = f16_to_f32(h), y = f16_to_f32(k);
  if (x != x) {
    return h;
  }
  if (y != y || x == y) {
    return k;
  }
  if (x == 0.0f) {
    return y < 0.0f ? 0x8001 : 0x0001;
  }
  return (f16)((y > x) == (x > 0.0f) ? h + 1 : h - 1);
}

// End of scalar_f16.h.
