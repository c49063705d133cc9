//! The meaning of mathematical functions on constants, where the host knows
//! it as well as the target does.
//!
//! Functions that Rust hands to the C library, or that are exact, fold, and
//! so do those that the runtime computes from them (the `pi` variants).
//! Those Rust computes in its own way (`asinh`), and those it does not have
//! (`erf`, `gamma`), stay in the program: `None`.

use super::elementary::{exp_f32, exp_f64, log_f32, log_f64};
use super::{MathFn, PrimFn};
use crate::prim::{FloatType, IntType, PrimType, PrimValue};
use half::f16;

impl PrimFn {
    /// The result for constant operands, or `None` where it does not fold.
    pub fn eval(self, args: &[PrimValue]) -> Option<PrimValue> {
        let (params, _) = self.signature();
        if !self.is_defined() || !args.iter().map(|a| a.prim_type()).eq(params) {
            return None;
        }
        match (self.at, args) {
            (PrimType::Int(t), _) => eval_int(self.op, t, args),
            (PrimType::Float(t), _) => eval_exact(self.op, t, args)
                .or_else(|| eval_pi(self.op, t, args))
                .or_else(|| eval_libm(self.op, args)),
            (PrimType::Bool | PrimType::Unit, _) => None,
        }
    }
}

/// How a float becomes an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatToInt {
    /// In 32 bits with a sign.
    I32,
    /// In 64 bits with a sign.
    I64,
    /// In 64 bits, as an unsigned number if it is in the upper half.
    U64,
}

impl FloatToInt {
    /// How a float becomes an integer of this type. Narrow types take the low bits of a wider number.
    pub fn of(to: IntType, signed: bool) -> FloatToInt {
        match (to, signed) {
            (IntType::I8 | IntType::I16, _) | (IntType::I32, true) => FloatToInt::I32,
            (IntType::I32, false) | (IntType::I64, true) => FloatToInt::I64,
            (IntType::I64, false) => FloatToInt::U64,
        }
    }

    /// The number rounded towards zero. NaN and infinities become 0, what does not fit the
    /// least number.
    pub fn eval(self, v: f64) -> i64 {
        if !v.is_finite() {
            return 0;
        }
        let (least, end) = match self {
            FloatToInt::I32 => (i64::from(i32::MIN), 2147483648.0),
            FloatToInt::I64 => (i64::MIN, 9223372036854775808.0),
            FloatToInt::U64 => (i64::MIN, 18446744073709551616.0),
        };
        let t = v.trunc();
        if t < least as f64 || t >= end {
            least
        } else if t < 0.0 {
            t as i64
        } else {
            t as u64 as i64
        }
    }
}

/// The nearest half float, ties to even. (`half`'s own conversion may round
/// twice.)
pub fn f16_from_f64(v: f64) -> f16 {
    let near = v as f32;
    if v.is_nan() || f64::from(near) == v {
        return f16::from_f32(near);
    }
    // Round to odd on the way: truncate, then keep the lost bits in the last
    // one, so that the second rounding sees that the value is inexact.
    let beyond = f64::from(near).abs() > v.abs();
    let truncated = near.to_bits() - u32::from(beyond);
    f16::from_f32(f32::from_bits(truncated | 1))
}

/// The value of `1.8p3`: hexadecimal digits and, maybe, a decimal power of two.
pub fn hex_float(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once(['p', 'P']).unwrap_or((text, "0"));
    // An exponent beyond the range of an i32 is as good as infinite.
    let mut exponent = exponent.parse::<i32>().unwrap_or(if exponent.starts_with('-') {
        i32::MIN / 2
    } else {
        i32::MAX / 2
    });
    let (mut value, mut dot) = (0u128, false);
    for c in mantissa.chars() {
        let Some(digit) = c.to_digit(16) else {
            dot = true;
            continue;
        };
        if value >> 120 == 0 {
            value = value << 4 | u128::from(digit);
            exponent = exponent.saturating_sub(if dot { 4 } else { 0 });
        } else {
            // Past the precision: only whether anything is lost matters.
            value |= u128::from(digit != 0);
            exponent = exponent.saturating_add(if dot { 0 } else { 4 });
        }
    }
    let mut result = value as f64;
    while exponent != 0 && result != 0.0 && result.is_finite() {
        let step = exponent.clamp(-1000, 1000);
        result *= 2f64.powi(step);
        exponent -= step;
    }
    result
}

fn eval_int(op: MathFn, t: IntType, args: &[PrimValue]) -> Option<PrimValue> {
    let signed = |i: usize| args.get(i).and_then(|a| a.as_i64()).map(i128::from);
    let unsigned = |i: usize| args.get(i).and_then(|a| a.as_u64());
    let bits = t.bits();
    let count = |n: u32| Some(PrimValue::I32(n as i32));
    let signed_hi = || Some((signed(0)? * signed(1)?) >> bits);
    let unsigned_hi = || Some((u128::from(unsigned(0)?) * u128::from(unsigned(1)?)) >> bits);
    let result = |v: i64| Some(PrimValue::int(t, v));
    match op {
        MathFn::Popc => count(unsigned(0)?.count_ones()),
        MathFn::Clz => count(unsigned(0)?.leading_zeros() + bits - 64),
        MathFn::Ctz => count(unsigned(0)?.trailing_zeros().min(bits)),
        MathFn::SMulHi => result(signed_hi()? as i64),
        MathFn::UMulHi => result(unsigned_hi()? as i64),
        MathFn::SMadHi => result((signed_hi()? as i64).wrapping_add(signed(2)? as i64)),
        MathFn::UMadHi => result((unsigned_hi()? as i64).wrapping_add(unsigned(2)? as i64)),
        _ => None,
    }
}

/// Functions with one right answer at every width.
fn eval_exact(op: MathFn, t: FloatType, args: &[PrimValue]) -> Option<PrimValue> {
    let x = *args.first()?;
    let second = || args.get(1)?.as_f64();
    let third = || args.get(2)?.as_f64();
    let v = x.as_f64();
    let float = |v: f64| Some(PrimValue::float(t, v));
    match op {
        MathFn::Floor => float(v?.floor()),
        MathFn::Ceil => float(v?.ceil()),
        MathFn::Trunc => float(v?.trunc()),
        MathFn::Round => float(v?.round_ties_even()),
        MathFn::IsNan => Some(PrimValue::Bool(v?.is_nan())),
        MathFn::IsInf => Some(PrimValue::Bool(v?.is_infinite())),
        MathFn::ToBits => match x {
            PrimValue::F16(v) => Some(PrimValue::I16(v.to_bits() as i16)),
            PrimValue::F32(v) => Some(PrimValue::I32(v.to_bits() as i32)),
            PrimValue::F64(v) => Some(PrimValue::I64(v.to_bits() as i64)),
            _ => None,
        },
        MathFn::FromBits => match x {
            PrimValue::I16(v) => Some(PrimValue::F16(f16::from_bits(v as u16))),
            PrimValue::I32(v) => Some(PrimValue::F32(f32::from_bits(v as u32))),
            PrimValue::I64(v) => Some(PrimValue::F64(f64::from_bits(v as u64))),
            _ => None,
        },
        MathFn::CopySign => float(v?.copysign(second()?)),
        MathFn::NextAfter => next_after(x, *args.get(1)?),
        MathFn::Ldexp => {
            let exponent = args.get(1)?.as_i64()?;
            match t {
                FloatType::F64 => float(ldexp(v?, exponent)),
                // Exact in f64 wherever the narrower result is not 0 or inf.
                FloatType::F16 | FloatType::F32 => float(v? * power_of_two(exponent.clamp(-600, 600))),
            }
        }
        MathFn::Fma => match t {
            FloatType::F16 => Some(PrimValue::F16(fma_f16(v?, second()?, third()?))),
            FloatType::F32 => match args {
                [PrimValue::F32(a), PrimValue::F32(b), PrimValue::F32(c)] => {
                    Some(PrimValue::F32(a.mul_add(*b, *c)))
                }
                _ => None,
            },
            FloatType::F64 => float(v?.mul_add(second()?, third()?)),
        },
        // One rounding per step; `float` of an f64 sum, difference or product
        // of narrower floats is correctly rounded.
        MathFn::Mad => {
            let product = PrimValue::float(t, v? * second()?);
            float(product.as_f64()? + third()?)
        }
        MathFn::Lerp => {
            let difference = PrimValue::float(t, second()? - v?);
            let step = PrimValue::float(t, difference.as_f64()? * third()?);
            float(v? + step.as_f64()?)
        }
        MathFn::Inverse | MathFn::DivideBy | MathFn::QuotientBy | MathFn::InexactBy => {
            eval_by_inverse(op, args)
        }
        _ => None,
    }
}

/// Division by a number whose inverse is known, step by step as the runtime does it (`rts/c/scalar_divide.h`
/// has the reasons).
fn eval_by_inverse(op: MathFn, args: &[PrimValue]) -> Option<PrimValue> {
    macro_rules! at {
        ($value:path, $t:ty, $least:expr, $most:expr, $corrections:expr, $least_result:expr, $most_result:expr) => {
            match (op, args) {
                (MathFn::Inverse, [$value(y)]) => {
                    let known = y.abs() >= $least && y.abs() <= $most;
                    Some($value(if known { 1.0 / y } else { <$t>::NAN }))
                }
                (_, [$value(x), $value(y), $value(inverse)]) => {
                    let nearer = |q: $t| (-*y).mul_add(q, *x).mul_add(*inverse, q);
                    let q = (0..$corrections).fold(x * inverse, |q, _| nearer(q));
                    let exact = q.abs() >= $least_result && q.abs() <= $most_result;
                    let simple = !inverse.is_nan() && (*x == 0.0 || !x.is_finite());
                    Some(match op {
                        MathFn::InexactBy => PrimValue::I32(i32::from(!exact && !simple)),
                        _ if exact => $value(q),
                        MathFn::DivideBy if !simple => $value(x / y),
                        _ => $value(x * inverse),
                    })
                }
                _ => None,
            }
        };
    }
    let power = |n: i64| power_of_two(n);
    at!(PrimValue::F32, f32, power(-32) as f32, power(32) as f32, 1, power(-60) as f32, power(126) as f32)
        .or_else(|| at!(PrimValue::F64, f64, power(-200), power(200), 2, power(-700), power(1022)))
}

/// Functions of multiples of pi, as the runtime computes them: in `f64`, step by step.
fn eval_pi(op: MathFn, t: FloatType, args: &[PrimValue]) -> Option<PrimValue> {
    use std::f64::consts::PI;
    let x = args.first()?.as_f64()?;
    let result = match op {
        MathFn::SinPi => sinpi(x),
        MathFn::CosPi => cospi(x),
        MathFn::TanPi => sinpi(x) / cospi(x),
        MathFn::AsinPi => x.asin() / PI,
        MathFn::AcosPi => x.acos() / PI,
        MathFn::AtanPi => x.atan() / PI,
        MathFn::Atan2Pi => x.atan2(args.get(1)?.as_f64()?) / PI,
        _ => return None,
    };
    Some(match t {
        // Half floats go through `f32`.
        FloatType::F16 => PrimValue::F16(f16::from_f32(result as f32)),
        FloatType::F32 | FloatType::F64 => PrimValue::float(t, result),
    })
}

fn sinpi(x: f64) -> f64 {
    let mut r = x - 2.0 * (x / 2.0).round_ties_even();
    if r.abs() > 0.5 {
        r = 1f64.copysign(r) - r;
    }
    if r == 0.0 {
        0f64.copysign(x)
    } else {
        (std::f64::consts::PI * r).sin()
    }
}

fn cospi(x: f64) -> f64 {
    use std::f64::consts::PI;
    let r = (x - 2.0 * (x / 2.0).round_ties_even()).abs();
    if r < 0.25 {
        (PI * r).cos()
    } else if r <= 0.75 {
        (PI * (0.5 - r)).sin()
    } else {
        -(PI * (1.0 - r)).cos()
    }
}

/// Functions of the C library. Half floats go through `f32`.
fn eval_libm(op: MathFn, args: &[PrimValue]) -> Option<PrimValue> {
    match args {
        [PrimValue::F16(a)] => {
            let a = a.to_f32();
            Some(PrimValue::F16(f16::from_f32(libm_f32(op, a, a)?)))
        }
        [PrimValue::F16(a), PrimValue::F16(b)] => {
            Some(PrimValue::F16(f16::from_f32(libm_f32(op, a.to_f32(), b.to_f32())?)))
        }
        [PrimValue::F32(a)] => Some(PrimValue::F32(libm_f32(op, *a, *a)?)),
        [PrimValue::F32(a), PrimValue::F32(b)] => Some(PrimValue::F32(libm_f32(op, *a, *b)?)),
        [PrimValue::F64(a)] => Some(PrimValue::F64(libm_f64(op, *a, *a)?)),
        [PrimValue::F64(a), PrimValue::F64(b)] => Some(PrimValue::F64(libm_f64(op, *a, *b)?)),
        _ => None,
    }
}

macro_rules! libm {
    ($name:ident, $float:ty, $exp:path, $log:path) => {
        /// The second operand is ignored by functions of one.
        fn $name(op: MathFn, a: $float, b: $float) -> Option<$float> {
            Some(match op {
                MathFn::Sqrt => a.sqrt(),
                MathFn::Cbrt => a.cbrt(),
                MathFn::Rsqrt => 1.0 / a.sqrt(),
                MathFn::Exp => $exp(a),
                MathFn::Exp2 => a.exp2(),
                MathFn::Expm1 => a.exp_m1(),
                MathFn::Log => $log(a),
                MathFn::Log2 => a.log2(),
                MathFn::Log10 => a.log10(),
                MathFn::Log1p => a.ln_1p(),
                MathFn::Sin => a.sin(),
                MathFn::Cos => a.cos(),
                MathFn::Tan => a.tan(),
                MathFn::Asin => a.asin(),
                MathFn::Acos => a.acos(),
                MathFn::Atan => a.atan(),
                MathFn::Sinh => a.sinh(),
                MathFn::Cosh => a.cosh(),
                MathFn::Tanh => a.tanh(),
                MathFn::Atan2 => a.atan2(b),
                MathFn::Hypot => a.hypot(b),
                _ => return None,
            })
        }
    };
}

libm!(libm_f32, f32, exp_f32, log_f32);
libm!(libm_f64, f64, exp_f64, log_f64);

/// The next float from `x` in the direction of `y`.
fn next_after(x: PrimValue, y: PrimValue) -> Option<PrimValue> {
    let (from, to) = (x.as_f64()?, y.as_f64()?);
    if from.is_nan() {
        return Some(x);
    }
    if to.is_nan() || from == to {
        return Some(y);
    }
    // Away from zero is one up in the bits, on either side of zero.
    let step = |bits: u64, sign: u64| match (from == 0.0, (to > from) == (from > 0.0)) {
        (true, _) => {
            if to < 0.0 {
                sign | 1
            } else {
                1
            }
        }
        (false, true) => bits + 1,
        (false, false) => bits - 1,
    };
    match x {
        PrimValue::F16(v) => Some(PrimValue::F16(f16::from_bits(step(v.to_bits().into(), 1 << 15) as u16))),
        PrimValue::F32(v) => Some(PrimValue::F32(f32::from_bits(step(v.to_bits().into(), 1 << 31) as u32))),
        PrimValue::F64(v) => Some(PrimValue::F64(f64::from_bits(step(v.to_bits(), 1 << 63)))),
        _ => None,
    }
}

/// `2^n` for `-1022 <= n <= 1023`.
fn power_of_two(n: i64) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// `v * 2^n` with one rounding.
fn ldexp(mut v: f64, n: i64) -> f64 {
    let mut n = n.clamp(-2200, 2200);
    while n > 1023 {
        v *= power_of_two(1023);
        n -= 1023;
    }
    // A step of -969 leaves 53 bits above the smallest normal number, so a
    // value that loses bits in it loses all of them in the last one.
    while n < -1022 {
        v *= power_of_two(-969);
        n += 969;
    }
    v * power_of_two(n)
}

/// `a*b+c` of half floats with one rounding: the product is exact in `f64`,
/// the sum is rounded to odd so that the last rounding is right.
fn fma_f16(a: f64, b: f64, c: f64) -> f16 {
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return f16_from_f64(sum);
    }
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return f16_from_f64(sum);
    }
    let away = (error > 0.0) == (sum > 0.0);
    f16_from_f64(f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 }))
}
