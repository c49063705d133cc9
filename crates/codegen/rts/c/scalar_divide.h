// Start of scalar_divide.h: division by numbers that are known before.
//
// Division by a number y that many others are divided by, by its inverse: the nearest number to 1 / y. The product with it is off by
// less than two units in the last place. A correction by the remainder makes that less than one, and another one gives the
// nearest number (Markstein). Of f32, the first correction already does: a test (base/ops/tests.rs) tries all operands whose quotient is so close
// to the middle between two numbers that it might not.
//
// This holds where nothing overflows or loses digits by underflow, which is so for all y that have an inverse here and all quotients
// that are USUAL. Of zeros, infinities and NaN, the product is the quotient. Other numbers are divided: only these take a branch.
// inexact_by says which these are, without a branch: so quotients may be computed one after the other, and then it is asked for all of them
// whether there is one to divide (impopt/quotients).
//
// USUAL is whether |q| is between 2^-60 and 2^126 (f64: 2^-700 and 2^1022), NUMBER whether x is neither of zeros, infinities and NaN. Of f32, these are questions about bits,
// which GPUs answer faster.
#define CORRECTED(FMA, q) FMA(FMA(-y, q, x), inverse, q)
#define DIVIDE_BY(W, T, FMA, FABS, LEAST_Y, MOST_Y, FIRST, USUAL, NUMBER)                        \
  SCALAR_FUN T inverse##W(T y) {                                                                 \
    return FABS(y) >= LEAST_Y && FABS(y) <= MOST_Y ? 1 / y : (T)NAN;                             \
  }                                                                                              \
  SCALAR_FUN T nearest##W(T x, T y, T inverse) {                                                 \
    T product = x * inverse;                                                                     \
    T first = FIRST;                                                                             \
    return CORRECTED(FMA, first);                                                                \
  }                                                                                              \
  SCALAR_FUN T quotient_by##W(T x, T y, T inverse) {                                             \
    T q = nearest##W(x, y, inverse);                                                             \
    return USUAL ? q : x * inverse;                                                              \
  }                                                                                              \
  SCALAR_FUN int32_t inexact_by##W(T x, T y, T inverse) {                                        \
    T q = nearest##W(x, y, inverse);                                                             \
    return ((USUAL) == 0) & ((inverse != inverse) | (NUMBER));                                   \
  }                                                                                              \
  SCALAR_FUN T divide_by##W(T x, T y, T inverse) {                                               \
    return inexact_by##W(x, y, inverse) ? x / y : quotient_by##W(x, y, inverse);                 \
  }

#define BITS32(x) (2u * (uint32_t)to_bits32(x))
DIVIDE_BY(32, float, fmaf, fabsf, 0x1p-32f, 0x1p32f, product, (BITS32(q) - (67u << 24) <= (186u << 24)),
          (BITS32(x) - 1u < 0xfeffffffu))
#ifndef NO_F64
DIVIDE_BY(64, double, fma, fabs, 0x1p-200, 0x1p200, CORRECTED(fma, product),
          ((fabs(q) >= 0x1p-700) & (fabs(q) <= 0x1p1022)), ((x != 0) & (x - x == 0)))
#endif

// End of scalar_divide.h.
