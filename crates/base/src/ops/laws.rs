//! Algebraic laws, exact to the last bit (only the payload of a NaN may
//! differ): what a simplifier may use without asking about fast math.

use super::BinOp;
use crate::prim::{FloatType, IntType, PrimValue};

impl BinOp {
    /// Whether `a op b = b op a`.
    pub fn is_commutative(self) -> bool {
        match self {
            BinOp::Add(_)
            | BinOp::Mul(_)
            | BinOp::SMin(_)
            | BinOp::SMax(_)
            | BinOp::UMin(_)
            | BinOp::UMax(_)
            | BinOp::And(_)
            | BinOp::Or(_)
            | BinOp::Xor(_)
            | BinOp::FAdd(_)
            | BinOp::FMul(_)
            | BinOp::FMin(_)
            | BinOp::FMax(_)
            | BinOp::LogAnd
            | BinOp::LogOr => true,
            BinOp::Sub(_)
            | BinOp::SDiv(_)
            | BinOp::SMod(_)
            | BinOp::SQuot(_)
            | BinOp::SRem(_)
            | BinOp::UDiv(_)
            | BinOp::UMod(_)
            | BinOp::Shl(_)
            | BinOp::LShr(_)
            | BinOp::AShr(_)
            | BinOp::Pow(_)
            | BinOp::FSub(_)
            | BinOp::FDiv(_)
            | BinOp::FMod(_)
            | BinOp::FPow(_) => false,
        }
    }

    /// Whether `(a op b) op c = a op (b op c)`. Float addition and
    /// multiplication are not: they round.
    pub fn is_associative(self) -> bool {
        self.is_commutative() && !matches!(self, BinOp::FAdd(_) | BinOp::FMul(_))
    }

    /// Whether `a op a = a`.
    pub fn is_idempotent(self) -> bool {
        matches!(
            self,
            BinOp::SMin(_)
                | BinOp::SMax(_)
                | BinOp::UMin(_)
                | BinOp::UMax(_)
                | BinOp::And(_)
                | BinOp::Or(_)
                | BinOp::FMin(_)
                | BinOp::FMax(_)
                | BinOp::LogAnd
                | BinOp::LogOr
        )
    }

    /// Whether some operands have no result, so that the operation must not
    /// move before the check that guards it: a zero divisor.
    pub fn is_partial(self) -> bool {
        matches!(
            self,
            BinOp::SDiv(_)
                | BinOp::SMod(_)
                | BinOp::SQuot(_)
                | BinOp::SRem(_)
                | BinOp::UDiv(_)
                | BinOp::UMod(_)
        )
    }

    /// The `e` with `e op a = a op e = a`. For float addition it is -0, as
    /// `-0 + 0 = 0`; for float minimum and maximum it is NaN.
    pub fn neutral(self) -> Option<PrimValue> {
        match self {
            BinOp::Add(t) | BinOp::Or(t) | BinOp::Xor(t) | BinOp::UMax(t) => Some(PrimValue::int(t, 0)),
            BinOp::Mul(t) => Some(PrimValue::int(t, 1)),
            BinOp::And(t) | BinOp::UMin(t) => Some(PrimValue::int(t, -1)),
            BinOp::SMin(t) => Some(smax_value(t)),
            BinOp::SMax(t) => Some(smin_value(t)),
            BinOp::FAdd(t) => Some(PrimValue::float(t, -0.0)),
            BinOp::FMul(t) => Some(PrimValue::float(t, 1.0)),
            BinOp::FMin(t) | BinOp::FMax(t) => Some(nan(t)),
            BinOp::LogAnd => Some(PrimValue::Bool(true)),
            BinOp::LogOr => Some(PrimValue::Bool(false)),
            BinOp::Sub(_)
            | BinOp::SDiv(_)
            | BinOp::SMod(_)
            | BinOp::SQuot(_)
            | BinOp::SRem(_)
            | BinOp::UDiv(_)
            | BinOp::UMod(_)
            | BinOp::Shl(_)
            | BinOp::LShr(_)
            | BinOp::AShr(_)
            | BinOp::Pow(_)
            | BinOp::FSub(_)
            | BinOp::FDiv(_)
            | BinOp::FMod(_)
            | BinOp::FPow(_) => None,
        }
    }

    /// The `e` with `a op e = a`: the neutral element, and for operators that
    /// have none, those that do nothing on the right, as in `a - 0`.
    pub fn right_neutral(self) -> Option<PrimValue> {
        match self {
            BinOp::Sub(t) | BinOp::Shl(t) | BinOp::LShr(t) | BinOp::AShr(t) => Some(PrimValue::int(t, 0)),
            BinOp::SDiv(t) | BinOp::SQuot(t) | BinOp::UDiv(t) | BinOp::Pow(t) => Some(PrimValue::int(t, 1)),
            BinOp::FSub(t) => Some(PrimValue::float(t, 0.0)),
            BinOp::FDiv(t) | BinOp::FPow(t) => Some(PrimValue::float(t, 1.0)),
            BinOp::SMod(_) | BinOp::SRem(_) | BinOp::UMod(_) | BinOp::FMod(_) => None,
            BinOp::Add(_)
            | BinOp::Mul(_)
            | BinOp::SMin(_)
            | BinOp::SMax(_)
            | BinOp::UMin(_)
            | BinOp::UMax(_)
            | BinOp::And(_)
            | BinOp::Or(_)
            | BinOp::Xor(_)
            | BinOp::FAdd(_)
            | BinOp::FMul(_)
            | BinOp::FMin(_)
            | BinOp::FMax(_)
            | BinOp::LogAnd
            | BinOp::LogOr => self.neutral(),
        }
    }

    /// The `z` with `z op a = a op z = z`, as 0 for integer multiplication.
    /// Float multiplication has none: `0 * inf` is NaN.
    pub fn absorbing(self) -> Option<PrimValue> {
        match self {
            BinOp::Mul(t) | BinOp::And(t) | BinOp::UMin(t) => Some(PrimValue::int(t, 0)),
            BinOp::Or(t) | BinOp::UMax(t) => Some(PrimValue::int(t, -1)),
            BinOp::SMin(t) => Some(smin_value(t)),
            BinOp::SMax(t) => Some(smax_value(t)),
            BinOp::LogAnd => Some(PrimValue::Bool(false)),
            BinOp::LogOr => Some(PrimValue::Bool(true)),
            BinOp::FMin(t) => Some(PrimValue::float(t, f64::NEG_INFINITY)),
            BinOp::FMax(t) => Some(PrimValue::float(t, f64::INFINITY)),
            BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::SDiv(_)
            | BinOp::SMod(_)
            | BinOp::SQuot(_)
            | BinOp::SRem(_)
            | BinOp::UDiv(_)
            | BinOp::UMod(_)
            | BinOp::Shl(_)
            | BinOp::LShr(_)
            | BinOp::AShr(_)
            | BinOp::Xor(_)
            | BinOp::Pow(_)
            | BinOp::FAdd(_)
            | BinOp::FSub(_)
            | BinOp::FMul(_)
            | BinOp::FDiv(_)
            | BinOp::FMod(_)
            | BinOp::FPow(_) => None,
        }
    }
}

/// The smallest signed value.
fn smin_value(t: IntType) -> PrimValue {
    PrimValue::int(t, i64::MIN >> (64 - t.bits()))
}

/// The largest signed value.
fn smax_value(t: IntType) -> PrimValue {
    PrimValue::int(t, i64::MAX >> (64 - t.bits()))
}

fn nan(t: FloatType) -> PrimValue {
    PrimValue::float(t, f64::NAN)
}
