//! The exact meaning of operators, comparisons and conversions on constants.
//!
//! `None` stands for "no value" (a zero divisor) and for operands of the
//! wrong type, which only an invalid program has.

use super::math::{f16_from_f64, FloatToInt};
use super::{BinOp, CmpOp, ConvOp, UnOp};
use crate::prim::{FloatType, IntType, PrimType, PrimValue};
use half::f16;

impl UnOp {
    /// The result for a constant operand.
    pub fn eval(self, x: PrimValue) -> Option<PrimValue> {
        if x.prim_type() != self.operand_type() {
            return None;
        }
        match self {
            UnOp::Not => Some(PrimValue::Bool(!as_bool(x)?)),
            UnOp::Complement(t) => Some(PrimValue::int(t, !x.as_i64()?)),
            UnOp::Neg(t) => Some(PrimValue::int(t, x.as_i64()?.wrapping_neg())),
            UnOp::Abs(t) => Some(PrimValue::int(t, x.as_i64()?.wrapping_abs())),
            UnOp::SSignum(t) => Some(PrimValue::int(t, x.as_i64()?.signum())),
            UnOp::USignum(t) => Some(PrimValue::int(t, i64::from(x.as_u64()? != 0))),
            UnOp::FNeg(_) => map_float(x, |v| -v, |v| -v, |v| -v),
            UnOp::FAbs(_) => map_float(x, |v| f16::from_bits(v.to_bits() & 0x7fff), f32::abs, f64::abs),
            UnOp::FSignum(t) => {
                let v = x.as_f64()?;
                // Zero and NaN are their own signs.
                Some(if v == 0.0 || v.is_nan() { x } else { PrimValue::float(t, v.signum()) })
            }
        }
    }
}

impl BinOp {
    /// The result for constant operands; `None` for a zero divisor.
    pub fn eval(self, a: PrimValue, b: PrimValue) -> Option<PrimValue> {
        let t = self.operand_type();
        if a.prim_type() != t || b.prim_type() != t {
            return None;
        }
        match t {
            PrimType::Int(t) => {
                let signed = (a.as_i64()?, b.as_i64()?);
                let unsigned = (a.as_u64()?, b.as_u64()?);
                Some(PrimValue::int(t, self.eval_int(t, signed, unsigned)?))
            }
            PrimType::Float(_) => self.eval_float(a, b),
            PrimType::Bool => Some(PrimValue::Bool(match self {
                BinOp::LogAnd => as_bool(a)? && as_bool(b)?,
                BinOp::LogOr => as_bool(a)? || as_bool(b)?,
                _ => return None,
            })),
            PrimType::Unit => None,
        }
    }

    /// At 64 bits, on operands extended either way; the caller truncates.
    fn eval_int(self, t: IntType, (a, b): (i64, i64), (ua, ub): (u64, u64)) -> Option<i64> {
        let past_width = ub >= u64::from(t.bits());
        Some(match self {
            BinOp::Add(_) => a.wrapping_add(b),
            BinOp::Sub(_) => a.wrapping_sub(b),
            BinOp::Mul(_) => a.wrapping_mul(b),
            BinOp::SDiv(_) => floor_div(a, b)?,
            BinOp::SMod(_) => floor_mod(a, b)?,
            BinOp::SQuot(_) => (b != 0).then(|| a.wrapping_div(b))?,
            BinOp::SRem(_) => (b != 0).then(|| a.wrapping_rem(b))?,
            BinOp::UDiv(_) => ua.checked_div(ub)? as i64,
            BinOp::UMod(_) => ua.checked_rem(ub)? as i64,
            BinOp::SMin(_) => a.min(b),
            BinOp::SMax(_) => a.max(b),
            BinOp::UMin(_) => ua.min(ub) as i64,
            BinOp::UMax(_) => ua.max(ub) as i64,
            BinOp::Shl(_) if past_width => 0,
            BinOp::Shl(_) => a << ub,
            BinOp::LShr(_) if past_width => 0,
            BinOp::LShr(_) => (ua >> ub) as i64,
            BinOp::AShr(_) => a >> ub.min(63),
            BinOp::And(_) => a & b,
            BinOp::Or(_) => a | b,
            BinOp::Xor(_) => a ^ b,
            BinOp::Pow(_) => wrapping_pow(a, ub),
            BinOp::FAdd(_)
            | BinOp::FSub(_)
            | BinOp::FMul(_)
            | BinOp::FDiv(_)
            | BinOp::FMod(_)
            | BinOp::FMin(_)
            | BinOp::FMax(_)
            | BinOp::FPow(_)
            | BinOp::LogAnd
            | BinOp::LogOr => return None,
        })
    }

    /// Half floats compute in `f32` and round: for these operators that is
    /// the correctly rounded result.
    fn eval_float(self, a: PrimValue, b: PrimValue) -> Option<PrimValue> {
        match (a, b) {
            (PrimValue::F16(a), PrimValue::F16(b)) => {
                Some(PrimValue::F16(f16::from_f32(self.eval_f32(a.to_f32(), b.to_f32())?)))
            }
            (PrimValue::F32(a), PrimValue::F32(b)) => Some(PrimValue::F32(self.eval_f32(a, b)?)),
            (PrimValue::F64(a), PrimValue::F64(b)) => Some(PrimValue::F64(self.eval_f64(a, b)?)),
            _ => None,
        }
    }

    fn eval_f32(self, a: f32, b: f32) -> Option<f32> {
        Some(match self {
            BinOp::FAdd(_) => a + b,
            BinOp::FSub(_) => a - b,
            BinOp::FMul(_) => a * b,
            BinOp::FDiv(_) => a / b,
            BinOp::FMod(_) => a % b,
            BinOp::FPow(_) => a.powf(b),
            // Exact in f64.
            BinOp::FMin(_) | BinOp::FMax(_) => self.eval_f64(a.into(), b.into())? as f32,
            _ => return None,
        })
    }

    fn eval_f64(self, a: f64, b: f64) -> Option<f64> {
        Some(match self {
            BinOp::FAdd(_) => a + b,
            BinOp::FSub(_) => a - b,
            BinOp::FMul(_) => a * b,
            BinOp::FDiv(_) => a / b,
            BinOp::FMod(_) => a % b,
            BinOp::FPow(_) => a.powf(b),
            BinOp::FMin(_) => pick(a, b, |a, b| a < b || (a == b && a.is_sign_negative())),
            BinOp::FMax(_) => pick(a, b, |a, b| a > b || (a == b && a.is_sign_positive())),
            _ => return None,
        })
    }
}

impl CmpOp {
    /// The answer for constant operands. Float equality is that of numbers:
    /// NaN equals nothing, and the two zeros are equal.
    pub fn eval(self, a: PrimValue, b: PrimValue) -> Option<bool> {
        let t = self.operand_type();
        if a.prim_type() != t || b.prim_type() != t {
            return None;
        }
        Some(match self {
            CmpOp::Eq(PrimType::Float(_)) => a.as_f64()? == b.as_f64()?,
            CmpOp::Eq(PrimType::Int(_) | PrimType::Bool | PrimType::Unit) => a == b,
            CmpOp::SLt(_) => a.as_i64()? < b.as_i64()?,
            CmpOp::SLe(_) => a.as_i64()? <= b.as_i64()?,
            CmpOp::ULt(_) => a.as_u64()? < b.as_u64()?,
            CmpOp::ULe(_) => a.as_u64()? <= b.as_u64()?,
            CmpOp::FLt(_) => a.as_f64()? < b.as_f64()?,
            CmpOp::FLe(_) => a.as_f64()? <= b.as_f64()?,
            CmpOp::BLt => !as_bool(a)? & as_bool(b)?,
            CmpOp::BLe => as_bool(a)? <= as_bool(b)?,
        })
    }
}

impl ConvOp {
    /// The converted constant.
    pub fn eval(self, x: PrimValue) -> Option<PrimValue> {
        if x.prim_type() != self.operand_type() {
            return None;
        }
        Some(match self {
            ConvOp::ZExt(_, t) => PrimValue::int(t, x.as_u64()? as i64),
            ConvOp::SExt(_, t) => PrimValue::int(t, x.as_i64()?),
            ConvOp::FPConv(from, to) if from == to => x,
            ConvOp::FPConv(_, t) => PrimValue::float(t, x.as_f64()?),
            ConvOp::FPToUI(_, t) => PrimValue::int(t, FloatToInt::of(t, false).eval(x.as_f64()?)),
            ConvOp::FPToSI(_, t) => PrimValue::int(t, FloatToInt::of(t, true).eval(x.as_f64()?)),
            ConvOp::UIToFP(_, t) => {
                let v = x.as_u64()?;
                match t {
                    FloatType::F16 => PrimValue::F16(f16_from_f64(v as f64)),
                    FloatType::F32 => PrimValue::F32(v as f32),
                    FloatType::F64 => PrimValue::F64(v as f64),
                }
            }
            ConvOp::SIToFP(_, t) => {
                let v = x.as_i64()?;
                match t {
                    FloatType::F16 => PrimValue::F16(f16_from_f64(v as f64)),
                    FloatType::F32 => PrimValue::F32(v as f32),
                    FloatType::F64 => PrimValue::F64(v as f64),
                }
            }
            ConvOp::IToB(_) => PrimValue::Bool(x.as_i64()? != 0),
            ConvOp::BToI(t) => PrimValue::int(t, as_bool(x)?.into()),
            ConvOp::FToB(_) => PrimValue::Bool(x.as_f64()? != 0.0),
            ConvOp::BToF(t) => PrimValue::float(t, if as_bool(x)? { 1.0 } else { 0.0 }),
        })
    }
}

fn as_bool(x: PrimValue) -> Option<bool> {
    match x {
        PrimValue::Bool(b) => Some(b),
        _ => None,
    }
}

/// Applies the function of the right width.
fn map_float(
    x: PrimValue,
    f: impl Fn(f16) -> f16,
    g: impl Fn(f32) -> f32,
    h: impl Fn(f64) -> f64,
) -> Option<PrimValue> {
    match x {
        PrimValue::F16(v) => Some(PrimValue::F16(f(v))),
        PrimValue::F32(v) => Some(PrimValue::F32(g(v))),
        PrimValue::F64(v) => Some(PrimValue::F64(h(v))),
        _ => None,
    }
}

/// Division rounding towards negative infinity.
fn floor_div(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        return None;
    }
    let (q, r) = (a.wrapping_div(b), a.wrapping_rem(b));
    Some(if r != 0 && (r < 0) != (b < 0) { q - 1 } else { q })
}

/// The remainder of [`floor_div`]; it has the sign of the divisor.
fn floor_mod(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        return None;
    }
    let r = a.wrapping_rem(b);
    Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
}

/// Power by squaring, modulo 2^64.
fn wrapping_pow(mut base: i64, mut exponent: u64) -> i64 {
    let mut result: i64 = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// `a` if it is preferred or `b` is NaN, else `b`.
fn pick(a: f64, b: f64, prefer_a: impl Fn(f64, f64) -> bool) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || prefer_a(a, b) {
        a
    } else {
        b
    }
}
