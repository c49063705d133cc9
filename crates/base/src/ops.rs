//! Primitive operators of the core: their types, their names and their exact
//! meaning on constants.
//!
//! Operators carry the width they work at, and say in their name whether they
//! see integers as signed (`S`) or unsigned (`U`). Integer arithmetic wraps.
//! `Div`/`Mod` round towards negative infinity, `Quot`/`Rem` towards zero; a
//! zero divisor has no value here (`eval` gives `None`), for lowering has put
//! a check before it.
//!
//! This file holds the operators alone. What is said about them lives beside:
//! `ops/types.rs` their operand and result types, `ops/names.rs` their
//! spelling in IR text, `ops/eval.rs` and `ops/math.rs` their meaning,
//! `ops/laws.rs` the algebraic laws they obey.

mod elementary;
mod eval;
mod laws;
mod math;
mod names;
#[cfg(test)]
mod tests;
mod types;

pub use math::{f16_from_f64, hex_float, FloatToInt};
pub use names::UnknownOperator;

use crate::prim::{FloatType, IntType, PrimType};

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum UnOp {
    /// Boolean negation.
    Not,
    /// Bitwise complement.
    Complement(IntType),
    Neg(IntType),
    FNeg(FloatType),
    Abs(IntType),
    FAbs(FloatType),
    SSignum(IntType),
    USignum(IntType),
    FSignum(FloatType),
}

/// Operators of two operands of one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Add(IntType),
    Sub(IntType),
    Mul(IntType),
    SDiv(IntType),
    SMod(IntType),
    SQuot(IntType),
    SRem(IntType),
    UDiv(IntType),
    UMod(IntType),
    SMin(IntType),
    SMax(IntType),
    UMin(IntType),
    UMax(IntType),
    /// The language leaves shifts by a negative amount, or by the width or
    /// more, undefined. Here the amount counts as unsigned and every bit may
    /// be shifted out: `Shl` and `LShr` then give 0, `AShr` 0 or -1.
    Shl(IntType),
    LShr(IntType),
    AShr(IntType),
    And(IntType),
    Or(IntType),
    Xor(IntType),
    /// Integer power of either signedness. The exponent counts as unsigned:
    /// for signed powers a check before it has excluded negative ones.
    Pow(IntType),
    FAdd(FloatType),
    FSub(FloatType),
    FMul(FloatType),
    FDiv(FloatType),
    FMod(FloatType),
    FMin(FloatType),
    FMax(FloatType),
    FPow(FloatType),
    LogAnd,
    LogOr,
}

/// Comparisons: two operands of one type, a boolean result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq(PrimType),
    SLt(IntType),
    SLe(IntType),
    ULt(IntType),
    ULe(IntType),
    FLt(FloatType),
    FLe(FloatType),
    /// On booleans, false < true.
    BLt,
    BLe,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ConvOp {
    /// Widen with zeros, or truncate.
    ZExt(IntType, IntType),
    /// Widen with the sign, or truncate.
    SExt(IntType, IntType),
    /// Between float widths.
    FPConv(FloatType, FloatType),
    /// Float to unsigned integer: see [`FloatToInt`].
    FPToUI(FloatType, IntType),
    /// Float to signed integer: see [`FloatToInt`].
    FPToSI(FloatType, IntType),
    /// Unsigned integer to float.
    UIToFP(IntType, FloatType),
    /// Signed integer to float.
    SIToFP(IntType, FloatType),
    /// Integer to boolean: nonzero.
    IToB(IntType),
    /// Boolean to integer: 0 or 1.
    BToI(IntType),
    /// Float to boolean: nonzero.
    FToB(FloatType),
    /// Boolean to float: 0 or 1.
    BToF(FloatType),
}

/// Mathematical functions on primitive values. Which types each is defined
/// at: [`PrimFn::is_defined`]; arity and result type: [`PrimFn::signature`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum MathFn {
    Sqrt,
    Cbrt,
    Rsqrt,
    Exp,
    Exp2,
    Exp10,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    SinPi,
    CosPi,
    TanPi,
    AsinPi,
    AcosPi,
    AtanPi,
    Atan2,
    Atan2Pi,
    Hypot,
    Gamma,
    LGamma,
    Erf,
    Erfc,
    Floor,
    Ceil,
    /// To the nearest integer, halves to even.
    Round,
    Trunc,
    /// `a*b+c` with one rounding.
    Fma,
    /// `a*b+c`, rounded as is fast.
    Mad,
    /// `lerp a b t = a + (b-a)*t`.
    Lerp,
    /// `1/y` where [`MathFn::DivideBy`] can use it, else NaN.
    Inverse,
    /// `x/y`, from `x`, `y` and the inverse of `y`: the same number, without a division.
    DivideBy,
    /// The same where [`MathFn::InexactBy`] is 0; else any number.
    QuotientBy,
    /// Whether [`MathFn::QuotientBy`] of the same operands may not be `x/y`: 1 or 0.
    InexactBy,
    IsNan,
    IsInf,
    /// Float to the integer of the same bits.
    ToBits,
    /// Integer to the float of the same bits.
    FromBits,
    NextAfter,
    /// Float, `i32` exponent.
    Ldexp,
    CopySign,
    Popc,
    Clz,
    Ctz,
    SMulHi,
    UMulHi,
    SMadHi,
    UMadHi,
}

/// A mathematical function at an operand type, for instance square root of
/// `f32`. For [`MathFn::FromBits`] the type is that of the *result*.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PrimFn {
    /// The function.
    pub op: MathFn,
    /// The type it works at.
    pub at: PrimType,
}
