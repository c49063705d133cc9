//! Exponentials and logarithms, as compiled programs for CPUs compute them.
//!
//! Those of C libraries read tables, have no vector form, and differ from library to library. These are sums
//! and products without branches: C compilers make vector code of loops around them, whose elements have the
//! same bits as if they were computed one by one. `rts/c/scalar_exp.h` has the same operations in the same
//! order, so that interpreted and compiled programs agree to the last bit. None is off by more than one unit
//! in the last place.
//!
//! `exp x`: with `k` the integer next to `x / ln 2` and `r = x - k ln 2`, it is `2^k (1 + r + r^2 q(r))`, where
//! `q` is the polynomial that comes nearest for all such `r`. `ln 2` has two parts, the first of so few bits
//! that its product with `k` is exact; what the difference loses is added at the end.
//!
//! `log x`: with `x = 2^k m` and `m` between the roots of 1/2 and 2, it is `k ln 2 + log m`. With `f = m - 1` and
//! `s = f / (2 + f)`, `log m` is `f - (f^2/2 - s (f^2/2 + p(s^2)))`.

use std::{f32, f64};

/// `ln 2` in two parts.
const LN_2: (f64, f64) = (0.6931471803691238, 1.9082149292705877e-10);

/// The same for `f32`.
const LN_2_F32: (f32, f32) = (0.693_145_75, 1.4286068e-6);

/// Added to a number below it, it leaves the nearest integer in the last bits.
const SHIFT: f64 = 6755399441055744.0;

/// The same for `f32`.
const SHIFT_F32: f32 = 12582912.0;

/// The exponential function.
pub(super) fn exp_f64(x: f64) -> f64 {
    // Outside of these it is infinite or zero; what is no number stays so.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let k = (x * f64::consts::LOG2_E + SHIFT) - SHIFT;
    let high = x - k * LN_2.0;
    let low = k * LN_2.1;
    let r = high - low;
    let lost = (high - r) - low;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low_terms =
        (0.5000000000000012 + 0.166666666666667 * r) + (0.04166666666651542 + 0.008333333333307217 * r) * r2;
    let middle_terms = (0.0013888888947016294 + 0.00019841269917354883 * r)
        + (2.4801489941988284e-05 + 2.7557216329515965e-06 * r) * r2;
    let high_terms = 2.7631280377634664e-07 + 2.5117851188525025e-08 * r;
    let y = 1.0 + (r + (r2 * (low_terms + (middle_terms + high_terms * r4) * r4) + lost));
    // The smallest and the largest results are products with two powers: one alone would be too small or too large.
    let half = (k * 0.5 + SHIFT) - SHIFT;
    let power = |k: f64| f64::from_bits((k + (SHIFT + 1023.0)).to_bits() << 52);
    (y * power(half)) * power(k - half)
}

/// The same for `f32`.
pub(super) fn exp_f32(x: f32) -> f32 {
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -105.0 { -105.0 } else { x };
    let k = (x * f32::consts::LOG2_E + SHIFT_F32) - SHIFT_F32;
    let high = x - k * LN_2_F32.0;
    let low = k * LN_2_F32.1;
    let r = high - low;
    let lost = (high - r) - low;
    let r2 = r * r;
    let low_terms = (0.5 + 0.16666518 * r) + (0.041666206 + 0.00836889 * r) * r2;
    let y = 1.0 + (r + (r2 * (low_terms + 0.0013950492 * (r2 * r2)) + lost));
    let half = (k * 0.5 + SHIFT_F32) - SHIFT_F32;
    let power = |k: f32| f32::from_bits((k + (SHIFT_F32 + 127.0)).to_bits() << 23);
    (y * power(half)) * power(k - half)
}

/// The natural logarithm.
pub(super) fn log_f64(x: f64) -> f64 {
    let is_small = x < f64::MIN_POSITIVE;
    let bits = (if is_small { x * 18014398509481984.0 } else { x }).to_bits();
    // The power of two, counted from -1024, such that the rest is at least the root of 1/2.
    let power = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd).wrapping_add(1024 << 52) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(power << 52).wrapping_add(1024 << 52));
    let origin = if is_small { 4503599627370496.0 + 1024.0 + 54.0 } else { 4503599627370496.0 + 1024.0 };
    let k = f64::from_bits(0x4330_0000_0000_0000 | power) - origin;
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let z2 = z * z;
    let low_terms =
        (0.6666666666666735 + 0.3999999999941109 * z) + (0.2857142874326352 + 0.22222198475916094 * z) * z2;
    let high_terms = (0.18183569742845287 + 0.1531390318056208 * z) + 0.14797508281254074 * z2;
    let p = z * (low_terms + high_terms * (z2 * z2));
    let square = 0.5 * f * f;
    let y = k * LN_2.0 - ((square - (s * (square + p) + k * LN_2.1)) - f);
    let y = if x < f64::INFINITY { y } else { x };
    let y = if x < 0.0 { f64::NAN } else { y };
    if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        y
    }
}

/// The same for `f32`.
pub(super) fn log_f32(x: f32) -> f32 {
    let is_small = x < f32::MIN_POSITIVE;
    let bits = (if is_small { x * 33554432.0 } else { x }).to_bits();
    let power = bits.wrapping_sub(0x3f35_04f3).wrapping_add(128 << 23) >> 23;
    let m = f32::from_bits(bits.wrapping_sub(power << 23).wrapping_add(128 << 23));
    let origin = if is_small { 8388608.0 + 128.0 + 25.0 } else { 8388608.0 + 128.0 };
    let k = f32::from_bits(0x4b00_0000 | power) - origin;
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let p = z * ((0.6666666 + 0.40000337 * z) + (0.28537238 + 0.23583569 * z) * (z * z));
    let square = 0.5 * f * f;
    let y = k * LN_2_F32.0 - ((square - (s * (square + p) + k * LN_2_F32.1)) - f);
    let y = if x < f32::INFINITY { y } else { x };
    let y = if x < 0.0 { f32::NAN } else { y };
    if x == 0.0 {
        f32::NEG_INFINITY
    } else {
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes, by their bits.
    fn numbers() -> impl Iterator<Item = u64> {
        let mut state = 1u64;
        std::iter::from_fn(move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            Some(state ^ (state >> 29))
        })
    }

    /// How many floats lie between two.
    fn apart_f64(a: f64, b: f64) -> u64 {
        if a.is_nan() || b.is_nan() {
            return if a.is_nan() && b.is_nan() { 0 } else { u64::MAX };
        }
        a.to_bits().abs_diff(b.to_bits())
    }

    fn apart_f32(a: f32, b: f32) -> u32 {
        if a.is_nan() || b.is_nan() {
            return if a.is_nan() && b.is_nan() { 0 } else { u32::MAX };
        }
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn they_are_next_to_those_of_the_library() {
        for bits in numbers().take(400_000) {
            let near = (bits >> 11) as f64 / (1u64 << 53) as f64;
            for x in [f64::from_bits(bits), near * 1500.0 - 760.0, near * 2.0 - 1.0, near * 4.0] {
                assert!(apart_f64(exp_f64(x), x.exp()) <= 1, "exp {x}: {} {}", exp_f64(x), x.exp());
                assert!(apart_f64(log_f64(x), x.ln()) <= 1, "log {x}: {} {}", log_f64(x), x.ln());
            }
            let near = near as f32;
            for x in [f32::from_bits(bits as u32), near * 200.0 - 106.0, near * 2.0 - 1.0, near * 4.0] {
                assert!(apart_f32(exp_f32(x), x.exp()) <= 1, "exp {x}: {} {}", exp_f32(x), x.exp());
                assert!(apart_f32(log_f32(x), x.ln()) <= 1, "log {x}: {} {}", log_f32(x), x.ln());
            }
        }
    }

    #[test]
    fn the_ends_of_their_ranges() {
        let inf = f64::INFINITY;
        assert_eq!([inf, -inf, 0.0, -0.0, 1e300, -1e300].map(exp_f64), [inf, 0.0, 1.0, 1.0, inf, 0.0]);
        assert_eq!([inf, 0.0, -0.0, 1.0].map(log_f64), [inf, -inf, -inf, 0.0]);
        assert!([-1.0, -inf, f64::NAN].into_iter().all(|x| log_f64(x).is_nan()));
        assert!(exp_f64(f64::NAN).is_nan());
        let inf = f32::INFINITY;
        assert_eq!([inf, -inf, 0.0, -0.0, 1e38, -1e38].map(exp_f32), [inf, 0.0, 1.0, 1.0, inf, 0.0]);
        assert_eq!([inf, 0.0, -0.0, 1.0].map(log_f32), [inf, -inf, -inf, 0.0]);
        assert!([-1.0, -inf, f32::NAN].into_iter().all(|x| log_f32(x).is_nan()));
        assert!(exp_f32(f32::NAN).is_nan());
    }
}
