// Start of scalar.h: operators on integers, booleans and floats.
//
// Arithmetic that C spells directly (wrapping addition, comparisons,
// conversions between integers) is generated in place; here is the rest.
// Names end in the width. Nothing in this file has undefined behaviour.
//
// Kernels use it too: what they spell otherwise (counting and reinterpreting bits,
// 64-bit division) is defined before, with `DEVICE_CODE`.

#ifndef DEVICE_CODE
#define SHORT_OPERANDS64(x, y) false
#endif
#define SHORT_OPERANDS8(x, y) false
#define SHORT_OPERANDS16(x, y) false
#define SHORT_OPERANDS32(x, y) false

// The narrowest type in which numbers of so many bits are shifted and multiplied without becoming signed.
typedef uint32_t word8_t;
typedef uint32_t word16_t;
typedef uint32_t word32_t;
typedef uint64_t word64_t;

#define INTEGER_OPS(W)                                                                        \
  SCALAR_FUN int##W##_t neg##W(int##W##_t x) {                                                \
    return (int##W##_t)(0u - (uint##W##_t)x);                                                 \
  }                                                                                           \
  SCALAR_FUN int##W##_t abs##W(int##W##_t x) {                                                \
    return x < 0 ? neg##W(x) : x;                                                             \
  }                                                                                           \
  SCALAR_FUN int##W##_t ssignum##W(int##W##_t x) {                                            \
    return (int##W##_t)((x > 0) - (x < 0));                                                   \
  }                                                                                           \
  SCALAR_FUN int##W##_t usignum##W(int##W##_t x) {                                            \
    return (int##W##_t)(x != 0);                                                              \
  }                                                                                           \
  /* A zero divisor is excluded before, or the program asked for no checks. */                \
  SCALAR_FUN int##W##_t squot##W(int##W##_t x, int##W##_t y) {                                \
    return UNLIKELY(y == 0) ? 0                                                               \
           : UNLIKELY(y == -1) ? neg##W(x)                                                    \
           : SHORT_OPERANDS##W(x, y) ? (int##W##_t)((uint32_t)x / (uint32_t)y)                \
           : (int##W##_t)(x / y);                                                             \
  }                                                                                           \
  SCALAR_FUN int##W##_t srem##W(int##W##_t x, int##W##_t y) {                                 \
    return UNLIKELY(y == 0 || y == -1) ? 0                                                    \
           : SHORT_OPERANDS##W(x, y) ? (int##W##_t)((uint32_t)x % (uint32_t)y)                \
           : (int##W##_t)(x % y);                                                             \
  }                                                                                           \
  SCALAR_FUN int##W##_t sdiv##W(int##W##_t x, int##W##_t y) {                                 \
    if (SHORT_OPERANDS##W(x, y)) {                                                            \
      return UNLIKELY(y == 0) ? 0 : (int##W##_t)((uint32_t)x / (uint32_t)y);                  \
    }                                                                                         \
    int##W##_t q = squot##W(x, y), r = srem##W(x, y);                                         \
    return (int##W##_t)(q - (r != 0 && (r < 0) != (y < 0)));                                  \
  }                                                                                           \
  SCALAR_FUN int##W##_t smod##W(int##W##_t x, int##W##_t y) {                                 \
    if (SHORT_OPERANDS##W(x, y)) {                                                            \
      return UNLIKELY(y == 0) ? 0 : (int##W##_t)((uint32_t)x % (uint32_t)y);                  \
    }                                                                                         \
    int##W##_t r = srem##W(x, y);                                                             \
    return (int##W##_t)(r != 0 && (r < 0) != (y < 0) ? r + y : r);                            \
  }                                                                                           \
  SCALAR_FUN int##W##_t udiv##W(int##W##_t x, int##W##_t y) {                                 \
    return UNLIKELY(y == 0) ? 0                                                               \
           : SHORT_OPERANDS##W(x, y) ? (int##W##_t)((uint32_t)x / (uint32_t)y)                \
           : (int##W##_t)((uint##W##_t)x / (uint##W##_t)y);                                   \
  }                                                                                           \
  SCALAR_FUN int##W##_t umod##W(int##W##_t x, int##W##_t y) {                                 \
    return UNLIKELY(y == 0) ? 0                                                               \
           : SHORT_OPERANDS##W(x, y) ? (int##W##_t)((uint32_t)x % (uint32_t)y)                \
           : (int##W##_t)((uint##W##_t)x % (uint##W##_t)y);                                   \
  }                                                                                           \
  SCALAR_FUN int##W##_t smin##W(int##W##_t x, int##W##_t y) {                                 \
    return x < y ? x : y;                                                                     \
  }                                                                                           \
  SCALAR_FUN int##W##_t smax##W(int##W##_t x, int##W##_t y) {                                 \
    return x < y ? y : x;                                                                     \
  }                                                                                           \
  SCALAR_FUN int##W##_t umin##W(int##W##_t x, int##W##_t y) {                                 \
    return (uint##W##_t)x < (uint##W##_t)y ? x : y;                                           \
  }                                                                                           \
  SCALAR_FUN int##W##_t umax##W(int##W##_t x, int##W##_t y) {                                 \
    return (uint##W##_t)x < (uint##W##_t)y ? y : x;                                           \
  }                                                                                           \
  /* Shifts count their amount as unsigned; all bits may go. */                               \
  SCALAR_FUN int##W##_t shl##W(int##W##_t x, int##W##_t y) {                                  \
    return (uint##W##_t)y < W ? (int##W##_t)((word##W##_t)(uint##W##_t)x << y) : 0;           \
  }                                                                                           \
  SCALAR_FUN int##W##_t lshr##W(int##W##_t x, int##W##_t y) {                                 \
    return (uint##W##_t)y < W ? (int##W##_t)((uint##W##_t)x >> (uint##W##_t)y) : 0;           \
  }                                                                                           \
  SCALAR_FUN int##W##_t ashr##W(int##W##_t x, int##W##_t y) {                                 \
    return (int##W##_t)(x >> ((uint##W##_t)y < W ? (uint##W##_t)y : W - 1));                  \
  }                                                                                           \
  SCALAR_FUN int##W##_t pow##W(int##W##_t x, int##W##_t y) {                                  \
    word##W##_t base = (word##W##_t)x, result = 1;                                            \
    for (uint##W##_t rest = (uint##W##_t)y; rest > 0; rest >>= 1) {                           \
      if (rest & 1) {                                                                         \
        result *= base;                                                                       \
      }                                                                                       \
      base *= base;                                                                           \
    }                                                                                         \
    return (int##W##_t)result;                                                                \
  }                                                                                           \
  SCALAR_FUN int32_t popc##W(int##W##_t x) {                                                  \
    return bits_set((uint##W##_t)x);                                                          \
  }                                                                                           \
  SCALAR_FUN int32_t clz##W(int##W##_t x) {                                                   \
    return leading_zeros((uint##W##_t)x) - (64 - W);                                          \
  }                                                                                           \
  SCALAR_FUN int32_t ctz##W(int##W##_t x) {                                                   \
    return x == 0 ? W : trailing_zeros((uint##W##_t)x);                                       \
  }

#ifdef DEVICE_CODE
// Each kernel language has its own.
#elif defined(__GNUC__) || defined(__clang__)
SCALAR_FUN int32_t bits_set(uint64_t x) {
  return __builtin_popcountll(x);
}
SCALAR_FUN int32_t leading_zeros(uint64_t x) {
  return x == 0 ? 64 : __builtin_clzll(x);
}
SCALAR_FUN int32_t trailing_zeros(uint64_t x) {
  return x == 0 ? 64 : __builtin_ctzll(x);
}
#else
SCALAR_FUN int32_t bits_set(uint64_t x) {
  int32_t n = 0;
  for (; x != 0; x &= x - 1) {
    n++;
  }
  return n;
}
SCALAR_FUN int32_t leading_zeros(uint64_t x) {
  int32_t n = 64;
  for (; x != 0; x >>= 1) {
    n--;
  }
  return n;
}
SCALAR_FUN int32_t trailing_zeros(uint64_t x) {
  return x == 0 ? 64 : bits_set((x & (0 - x)) - 1);
}
#endif

INTEGER_OPS(8)
INTEGER_OPS(16)
INTEGER_OPS(32)
INTEGER_OPS(64)

// Shifts by amounts that are not constants.
#ifndef HAS_CLAMPED_SHIFTS
#define any_shl8 shl8
#define any_lshr8 lshr8
#define any_ashr8 ashr8
#define any_shl16 shl16
#define any_lshr16 lshr16
#define any_ashr16 ashr16
#define any_shl32 shl32
#define any_lshr32 lshr32
#define any_ashr32 ashr32
#define any_shl64 shl64
#define any_lshr64 lshr64
#define any_ashr64 ashr64
#endif

#ifndef DEVICE_CODE
// The product of sizes, or the largest number if it is larger; -1 if one is negative. An array without elements needs no
// memory, whatever its other sizes: who would have checked the size of its rows makes none.
SCALAR_FUN int64_t size_mul(int64_t x, int64_t y) {
  if (x < 0 || y < 0) {
    return x == 0 || y == 0 ? 0 : -1;
  }
#if defined(__GNUC__) || defined(__clang__)
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) ? INT64_MAX : product;
#else
  return x != 0 && y > INT64_MAX / x ? INT64_MAX : x * y;
#endif
}

// The sum of sizes, or the largest number if it is larger.
SCALAR_FUN int64_t size_add(int64_t x, int64_t y) {
  return x > 0 && y > INT64_MAX - x ? INT64_MAX : (int64_t)((uint64_t)x + (uint64_t)y);
}
#endif

// The high half of products.

SCALAR_FUN int8_t smul_hi8(int8_t x, int8_t y) {
  return (int8_t)((x * y) >> 8);
}
SCALAR_FUN int16_t smul_hi16(int16_t x, int16_t y) {
  return (int16_t)((x * y) >> 16);
}
SCALAR_FUN int32_t smul_hi32(int32_t x, int32_t y) {
  return (int32_t)(((int64_t)x * (int64_t)y) >> 32);
}
SCALAR_FUN int8_t umul_hi8(int8_t x, int8_t y) {
  return (int8_t)(((uint32_t)(uint8_t)x * (uint8_t)y) >> 8);
}
SCALAR_FUN int16_t umul_hi16(int16_t x, int16_t y) {
  return (int16_t)(((uint32_t)(uint16_t)x * (uint16_t)y) >> 16);
}
SCALAR_FUN int32_t umul_hi32(int32_t x, int32_t y) {
  return (int32_t)(((uint64_t)(uint32_t)x * (uint32_t)y) >> 32);
}
SCALAR_FUN int64_t umul_hi64(int64_t x, int64_t y) {
#if defined(__SIZEOF_INT128__) && !defined(DEVICE_CODE)
  __extension__ typedef unsigned __int128 wide;
  return (int64_t)(uint64_t)(((wide)(uint64_t)x * (uint64_t)y) >> 64);
#else
  uint64_t a = (uint64_t)x, b = (uint64_t)y;
  uint64_t a_lo = (uint32_t)a, a_hi = a >> 32, b_lo = (uint32_t)b, b_hi = b >> 32;
  uint64_t low = a_lo * b_lo, mid = a_hi * b_lo + (low >> 32), cross = a_lo * b_hi + (uint32_t)mid;
  return (int64_t)(a_hi * b_hi + (mid >> 32) + (cross >> 32));
#endif
}
SCALAR_FUN int64_t smul_hi64(int64_t x, int64_t y) {
  uint64_t high = (uint64_t)umul_hi64(x, y);
  return (int64_t)(high - (x < 0 ? (uint64_t)y : 0) - (y < 0 ? (uint64_t)x : 0));
}

#define MAD_HI(W)                                                                   \
  SCALAR_FUN int##W##_t smad_hi##W(int##W##_t x, int##W##_t y, int##W##_t z) {      \
    return (int##W##_t)((uint##W##_t)smul_hi##W(x, y) + (uint##W##_t)z);            \
  }                                                                                 \
  SCALAR_FUN int##W##_t umad_hi##W(int##W##_t x, int##W##_t y, int##W##_t z) {      \
    return (int##W##_t)((uint##W##_t)umul_hi##W(x, y) + (uint##W##_t)z);            \
  }

MAD_HI(8)
MAD_HI(16)
MAD_HI(32)
MAD_HI(64)

// Floats and their bits.

#ifndef DEVICE_CODE
SCALAR_FUN int32_t to_bits32(float x) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
SCALAR_FUN float from_bits32(int32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
SCALAR_FUN int64_t to_bits64(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
SCALAR_FUN double from_bits64(int64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#endif

// Minimum and maximum ignore a NaN where they can, and know that -0 < 0: of
// equal operands (the same bits, or two zeros) the bits are joined.
#define FLOAT_EXTREMES(W, T)                                                                     \
  SCALAR_FUN T fmin##W(T x, T y) {                                                               \
    return x < y || y != y ? x : x == y ? from_bits##W(to_bits##W(x) | to_bits##W(y)) : y;       \
  }                                                                                              \
  SCALAR_FUN T fmax##W(T x, T y) {                                                               \
    return x > y || y != y ? x : x == y ? from_bits##W(to_bits##W(x) & to_bits##W(y)) : y;       \
  }
#define FLOAT_OPS(W, T)                                                                          \
  SCALAR_FUN T fsignum##W(T x) {                                                                 \
    return x > 0 ? (T)1 : x < 0 ? (T)-1 : x;                                                     \
  }                                                                                              \
  SCALAR_FUN bool isnan##W(T x) {                                                                \
    return x != x;                                                                               \
  }                                                                                              \
  SCALAR_FUN bool isinf##W(T x) {                                                                \
    return x == (T)INFINITY || x == -(T)INFINITY;                                                \
  }                                                                                              \
  SCALAR_FUN T lerp##W(T x, T y, T t) {                                                          \
    return x + (y - x) * t;                                                                      \
  }                                                                                              \
  SCALAR_FUN T mad##W(T x, T y, T z) {                                                           \
    return x * y + z;                                                                            \
  }

#ifndef HAS_EXTREMES32
FLOAT_EXTREMES(32, float)
#endif
FLOAT_OPS(32, float)
#ifndef NO_F64
FLOAT_EXTREMES(64, double)
FLOAT_OPS(64, double)
#endif

// Float to integer, towards zero. NaN and infinities become 0, and what does
// not fit the least number; callers truncate further. The conversion itself
// is not under a condition, so that loops can be vectorised.
#define FLOAT_TO_INT(NAME, FROM, TO, LEAST, FITS)                  \
  SCALAR_FUN TO NAME(FROM x) {                                     \
    bool fits = FITS;                                              \
    TO converted = (TO)(fits ? x : 0);                             \
    return fits ? converted : x - x == 0 ? (TO)(LEAST) : (TO)0;    \
  }
FLOAT_TO_INT(f32_to_i32, float, int32_t, INT32_MIN, x >= -2147483648.0f && x < 2147483648.0f)
FLOAT_TO_INT(f32_to_i64, float, int64_t, INT64_MIN, x >= -9223372036854775808.0f && x < 9223372036854775808.0f)
SCALAR_FUN int64_t f32_to_u64(float x) {
  bool upper = x >= 9223372036854775808.0f && x < 18446744073709551616.0f;
  int64_t lower = f32_to_i64(upper ? x - 9223372036854775808.0f : x);
  return upper ? lower ^ INT64_MIN : lower;
}
#ifndef NO_F64
FLOAT_TO_INT(f64_to_i32, double, int32_t, INT32_MIN, x > -2147483649.0 && x < 2147483648.0)
FLOAT_TO_INT(f64_to_i64, double, int64_t, INT64_MIN, x >= -9223372036854775808.0 && x < 9223372036854775808.0)
SCALAR_FUN int64_t f64_to_u64(double x) {
  bool upper = x >= 9223372036854775808.0 && x < 18446744073709551616.0;
  int64_t lower = f64_to_i64(upper ? x - 9223372036854775808.0 : x);
  return upper ? lower ^ INT64_MIN : lower;
}
#endif

// End of scalar.h.
