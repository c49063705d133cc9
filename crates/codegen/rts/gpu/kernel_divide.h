// Division of 64-bit integers, which devices do in many steps: most operands are not negative and small, as one test shows. Then a
// division of 32 bits does. Divisions of programs (`/`, `%`) ask for that first, so that neither a divisor of -1 nor the sign of a
// remainder needs a test of its own (scalar.h). Those of the compiler's own indices (`squot`, `srem`) ask for it last: written like the
// others, in front of a loop that is unrolled, they make NVRTC read one element at a time in it, and a histogram of 1024 bins take
// 479 instead of 250 us on an H200.

#define SHORT_OPERANDS64(x, y) ((uint64_t)((x) | (y)) >> 32 == 0)
