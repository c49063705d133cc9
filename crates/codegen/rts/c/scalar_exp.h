// Start of scalar_exp.h: exponentials and logarithms.
//
// Sums and products without branches, of which compilers make vector code. The
// compiler's own (crates/base/src/ops/elementary.rs, which says why they are
// right) have the same operations in the same order.

#define LN_2_HIGH 0.6931471803691238
#define LN_2_LOW 1.9082149292705877e-10
#define LN_2_HIGH_F32 0.69314575f
#define LN_2_LOW_F32 1.4286068e-6f
#define LOG2_E 1.4426950408889634
#define LOG2_E_F32 1.442695f

// Added to a number below it, it leaves the nearest integer in the last bits.
#define SHIFT 6755399441055744.0
#define SHIFT_F32 12582912.0f

SCALAR_FUN double power_f64(double k) {
  return from_bits64((int64_t)((uint64_t)to_bits64(k + (SHIFT + 1023.0)) << 52));
}
SCALAR_FUN float power_f32(float k) {
  return from_bits32((int32_t)((uint32_t)to_bits32(k + (SHIFT_F32 + 127.0f)) << 23));
}

SCALAR_FUN double exp_f64(double x) {
  x = x > 710.0 ? 710.0 : x;
  x = x < -746.0 ? -746.0 : x;
  double k = (x * LOG2_E + SHIFT) - SHIFT;
  double high = x - k * LN_2_HIGH;
  double low = k * LN_2_LOW;
  double r = high - low;
  double lost = (high - r) - low;
  double r2 = r * r;
  double r4 = r2 * r2;
  double low_terms =
      (0.5000000000000012 + 0.166666666666667 * r) + (0.04166666666651542 + 0.008333333333307217 * r) * r2;
  double middle_terms = (0.0013888888947016294 + 0.00019841269917354883 * r) +
                        (2.4801489941988284e-05 + 2.7557216329515965e-06 * r) * r2;
  double high_terms = 2.7631280377634664e-07 + 2.5117851188525025e-08 * r;
  double y = 1.0 + (r + (r2 * (low_terms + (middle_terms + high_terms * r4) * r4) + lost));
  double half = (k * 0.5 + SHIFT) - SHIFT;
  return (y * power_f64(half)) * power_f64(k - half);
}
SCALAR_FUN float exp_f32(float x) {
  x = x > 89.0f ? 89.0f : x;
  x = x < -105.0f ? -105.0f : x;
  float k = (x * LOG2_E_F32 + SHIFT_F32) - SHIFT_F32;
  float high = x - k * LN_2_HIGH_F32;
  float low = k * LN_2_LOW_F32;
  float r = high - low;
  float lost = (high - r) - low;
  float r2 = r * r;
  float low_terms = (0.5f + 0.16666518f * r) + (0.041666206f + 0.00836889f * r) * r2;
  float y = 1.0f + (r + (r2 * (low_terms + 0.0013950492f * (r2 * r2)) + lost));
  float half = (k * 0.5f + SHIFT_F32) - SHIFT_F32;
  return (y * power_f32(half)) * power_f32(k - half);
}

SCALAR_FUN double log_f64(double x) {
  bool is_small = x < DBL_MIN;
  uint64_t bits = (uint64_t)to_bits64(is_small ? x * 18014398509481984.0 : x);
  uint64_t power = (bits - UINT64_C(0x3fe6a09e667f3bcd) + (UINT64_C(1024) << 52)) >> 52;
  double m = from_bits64((int64_t)(bits - (power << 52) + (UINT64_C(1024) << 52)));
  double origin = is_small ? 4503599627370496.0 + 1024.0 + 54.0 : 4503599627370496.0 + 1024.0;
  double k = from_bits64((int64_t)(UINT64_C(0x4330000000000000) | power)) - origin;
  double f = m - 1.0;
  double s = f / (2.0 + f);
  double z = s * s;
  double z2 = z * z;
  double low_terms =
      (0.6666666666666735 + 0.3999999999941109 * z) + (0.2857142874326352 + 0.22222198475916094 * z) * z2;
  double high_terms = (0.18183569742845287 + 0.1531390318056208 * z) + 0.14797508281254074 * z2;
  double p = z * (low_terms + high_terms * (z2 * z2));
  double square = 0.5 * f * f;
  double y = k * LN_2_HIGH - ((square - (s * (square + p) + k * LN_2_LOW)) - f);
  y = x < (double)INFINITY ? y : x;
  y = x < 0.0 ? (double)NAN : y;
  return x == 0.0 ? -(double)INFINITY : y;
}
SCALAR_FUN float log_f32(float x) {
  bool is_small = x < FLT_MIN;
  uint32_t bits = (uint32_t)to_bits32(is_small ? x * 33554432.0f : x);
  uint32_t power = (bits - 0x3f3504f3u + (128u << 23)) >> 23;
  float m = from_bits32((int32_t)(bits - (power << 23) + (128u << 23)));
  float origin = is_small ? 8388608.0f + 128.0f + 25.0f : 8388608.0f + 128.0f;
  float k = from_bits32((int32_t)(0x4b000000u | power)) - origin;
  float f = m - 1.0f;
  float s = f / (2.0f + f);
  float z = s * s;
  float p = z * ((0.6666666f + 0.40000337f * z) + (0.28537238f + 0.23583569f * z) * (z * z));
  float square = 0.5f * f * f;
  float y = k * LN_2_HIGH_F32 - ((square - (s * (square + p) + k * LN_2_LOW_F32)) - f);
  y = x < INFINITY ? y : x;
  y = x < 0.0f ? NAN : y;
  return x == 0.0f ? -INFINITY : y;
}

// End of scalar_exp.h.
