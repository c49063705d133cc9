// Start of scalar_divide.h: division by numbers that are known before.
//
// Division by a number y that many others are divided by, by its inverse. A quotient that is off by less than two
// units in the last place becomes one that is off by less than one, and then the nearest (Markstein): the remainder is
// exact, and the inverse the nearest number to 1 / y. This holds where nothing overflows or loses digits by underflow,
// which is so for all y that have an inverse here and all quotients between LEAST and MOST. Otherwise numbers
// are divided, but for zeros, infinities and NaN.
#define DIVIDE_BY(W, T, FMA, FABS, LEAST_Y, MOST_Y, LEAST, MOST)                                 \
  SCALAR_FUN T inverse##W(T y) {                                                                 \
    return FABS(y) >= LEAST_Y && FABS(y) <= MOST_Y ? 1 / y : (T)NAN;                             \
  }                                                                                              \
  SCALAR_FUN T divide_by##W(T x, T y, T inverse) {                                               \
    T q = x * inverse;                                                                           \
    q = FMA(FMA(-y, q, x), inverse, q);                                                          \
    q = FMA(FMA(-y, q, x), inverse, q);                                                          \
    if (FABS(q) >= LEAST && FABS(q) <= MOST) {                                                   \
      return q;                                                                                  \
    }                                                                                            \
    return inverse == inverse && (x == 0 || x - x != 0) ? x * inverse : x / y;                   \
  }

DIVIDE_BY(32, float, fmaf, fabsf, 0x1p-32f, 0x1p32f, 0x1p-60f, 0x1p126f)
#ifndef NO_F64
DIVIDE_BY(64, double, fma, fabs, 0x1p-200, 0x1p200, 0x1p-700, 0x1p1022)
#endif

// End of scalar_divide.h.
