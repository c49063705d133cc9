// Division of 64-bit integers, which devices do in many steps: most operands are not negative and small, as one test shows. Then a
// division of 32 bits does, and neither a divisor of -1 nor the sign of a remainder needs a test of its own (scalar.h).

#define SHORT_OPERANDS64(x, y) ((uint64_t)((x) | (y)) >> 32 == 0)
