// Division of 64-bit integers, which devices do in many steps: most operands are
// small.

SCALAR_FUN uint64_t short_udiv64(uint64_t x, uint64_t y) {
  return ((x | y) >> 32) == 0 ? (uint32_t)x / (uint32_t)y : x / y;
}
SCALAR_FUN uint64_t short_umod64(uint64_t x, uint64_t y) {
  return ((x | y) >> 32) == 0 ? (uint32_t)x % (uint32_t)y : x % y;
}
SCALAR_FUN int64_t short_squot64(int64_t x, int64_t y) {
  return ((uint64_t)(x | y) >> 32) == 0 ? (int64_t)((uint32_t)x / (uint32_t)y) : x / y;
}
SCALAR_FUN int64_t short_srem64(int64_t x, int64_t y) {
  return ((uint64_t)(x | y) >> 32) == 0 ? (int64_t)((uint32_t)x % (uint32_t)y) : x % y;
}
#define QUOTIENT64 short_squot64
#define REMAINDER64 short_srem64
#define UQUOTIENT64 short_udiv64
#define UREMAINDER64 short_umod64
