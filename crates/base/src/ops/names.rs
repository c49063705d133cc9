//! Spelling: every operator has one name, no two share one, and the name
//! reads back.
//!
//! A name is a word followed by the types it works at: `add_i32`,
//! `fmin_f16`, `eq_bool`, `sext_i32_i64`, `sqrt_f64`. Operators on booleans
//! alone need no type: `not`, `logand`, `blt`.

use super::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use crate::prim::{FloatType, IntType, PrimType};
use std::fmt;
use std::str::FromStr;

/// A word that names no operator of the kind asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownOperator;

impl fmt::Display for UnknownOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown operator")
    }
}

impl std::error::Error for UnknownOperator {}

impl UnOp {
    /// Every operator of one operand.
    pub fn all() -> Vec<UnOp> {
        let mut all = vec![UnOp::Not];
        for t in IntType::ALL {
            all.extend([UnOp::Complement(t), UnOp::Neg(t), UnOp::Abs(t), UnOp::SSignum(t), UnOp::USignum(t)]);
        }
        for t in FloatType::ALL {
            all.extend([UnOp::FNeg(t), UnOp::FAbs(t), UnOp::FSignum(t)]);
        }
        all
    }

    /// The name without the type.
    pub fn word(self) -> &'static str {
        match self {
            UnOp::Not => "not",
            UnOp::Complement(_) => "complement",
            UnOp::Neg(_) => "neg",
            UnOp::FNeg(_) => "fneg",
            UnOp::Abs(_) => "abs",
            UnOp::FAbs(_) => "fabs",
            UnOp::SSignum(_) => "ssignum",
            UnOp::USignum(_) => "usignum",
            UnOp::FSignum(_) => "fsignum",
        }
    }
}

impl BinOp {
    /// Every operator of two operands.
    pub fn all() -> Vec<BinOp> {
        let mut all = vec![BinOp::LogAnd, BinOp::LogOr];
        for t in IntType::ALL {
            all.extend(BinOp::all_int(t));
        }
        for t in FloatType::ALL {
            all.extend(BinOp::all_float(t));
        }
        all
    }

    fn all_int(t: IntType) -> [BinOp; 20] {
        [
            BinOp::Add(t),
            BinOp::Sub(t),
            BinOp::Mul(t),
            BinOp::SDiv(t),
            BinOp::SMod(t),
            BinOp::SQuot(t),
            BinOp::SRem(t),
            BinOp::UDiv(t),
            BinOp::UMod(t),
            BinOp::SMin(t),
            BinOp::SMax(t),
            BinOp::UMin(t),
            BinOp::UMax(t),
            BinOp::Shl(t),
            BinOp::LShr(t),
            BinOp::AShr(t),
            BinOp::And(t),
            BinOp::Or(t),
            BinOp::Xor(t),
            BinOp::Pow(t),
        ]
    }

    fn all_float(t: FloatType) -> [BinOp; 8] {
        [
            BinOp::FAdd(t),
            BinOp::FSub(t),
            BinOp::FMul(t),
            BinOp::FDiv(t),
            BinOp::FMod(t),
            BinOp::FMin(t),
            BinOp::FMax(t),
            BinOp::FPow(t),
        ]
    }

    /// The name without the type.
    pub fn word(self) -> &'static str {
        match self {
            BinOp::Add(_) => "add",
            BinOp::Sub(_) => "sub",
            BinOp::Mul(_) => "mul",
            BinOp::SDiv(_) => "sdiv",
            BinOp::SMod(_) => "smod",
            BinOp::SQuot(_) => "squot",
            BinOp::SRem(_) => "srem",
            BinOp::UDiv(_) => "udiv",
            BinOp::UMod(_) => "umod",
            BinOp::SMin(_) => "smin",
            BinOp::SMax(_) => "smax",
            BinOp::UMin(_) => "umin",
            BinOp::UMax(_) => "umax",
            BinOp::Shl(_) => "shl",
            BinOp::LShr(_) => "lshr",
            BinOp::AShr(_) => "ashr",
            BinOp::And(_) => "and",
            BinOp::Or(_) => "or",
            BinOp::Xor(_) => "xor",
            BinOp::Pow(_) => "pow",
            BinOp::FAdd(_) => "fadd",
            BinOp::FSub(_) => "fsub",
            BinOp::FMul(_) => "fmul",
            BinOp::FDiv(_) => "fdiv",
            BinOp::FMod(_) => "fmod",
            BinOp::FMin(_) => "fmin",
            BinOp::FMax(_) => "fmax",
            BinOp::FPow(_) => "fpow",
            BinOp::LogAnd => "logand",
            BinOp::LogOr => "logor",
        }
    }
}

impl CmpOp {
    /// Every comparison.
    pub fn all() -> Vec<CmpOp> {
        let mut all = vec![CmpOp::BLt, CmpOp::BLe, CmpOp::Eq(PrimType::Bool), CmpOp::Eq(PrimType::Unit)];
        for t in IntType::ALL {
            all.extend(CmpOp::all_int(t));
        }
        for t in FloatType::ALL {
            all.extend(CmpOp::all_float(t));
        }
        all
    }

    fn all_int(t: IntType) -> [CmpOp; 5] {
        [CmpOp::Eq(PrimType::Int(t)), CmpOp::SLt(t), CmpOp::SLe(t), CmpOp::ULt(t), CmpOp::ULe(t)]
    }

    fn all_float(t: FloatType) -> [CmpOp; 3] {
        [CmpOp::Eq(PrimType::Float(t)), CmpOp::FLt(t), CmpOp::FLe(t)]
    }

    /// The name without the type.
    pub fn word(self) -> &'static str {
        match self {
            CmpOp::Eq(_) => "eq",
            CmpOp::SLt(_) => "slt",
            CmpOp::SLe(_) => "sle",
            CmpOp::ULt(_) => "ult",
            CmpOp::ULe(_) => "ule",
            CmpOp::FLt(_) => "flt",
            CmpOp::FLe(_) => "fle",
            CmpOp::BLt => "blt",
            CmpOp::BLe => "ble",
        }
    }
}

impl ConvOp {
    /// Every conversion.
    pub fn all() -> Vec<ConvOp> {
        let mut all = Vec::new();
        for i in IntType::ALL {
            all.extend([ConvOp::IToB(i), ConvOp::BToI(i)]);
            all.extend(IntType::ALL.map(|j| ConvOp::ZExt(i, j)));
            all.extend(IntType::ALL.map(|j| ConvOp::SExt(i, j)));
            for f in FloatType::ALL {
                all.extend([ConvOp::FPToUI(f, i), ConvOp::FPToSI(f, i)]);
                all.extend([ConvOp::UIToFP(i, f), ConvOp::SIToFP(i, f)]);
            }
        }
        for f in FloatType::ALL {
            all.extend([ConvOp::FToB(f), ConvOp::BToF(f)]);
            all.extend(FloatType::ALL.map(|g| ConvOp::FPConv(f, g)));
        }
        all
    }

    /// The name without the types.
    pub fn word(self) -> &'static str {
        match self {
            ConvOp::ZExt(..) => "zext",
            ConvOp::SExt(..) => "sext",
            ConvOp::FPConv(..) => "fpconv",
            ConvOp::FPToUI(..) => "fptoui",
            ConvOp::FPToSI(..) => "fptosi",
            ConvOp::UIToFP(..) => "uitofp",
            ConvOp::SIToFP(..) => "sitofp",
            ConvOp::IToB(_) => "itob",
            ConvOp::BToI(_) => "btoi",
            ConvOp::FToB(_) => "ftob",
            ConvOp::BToF(_) => "btof",
        }
    }
}

impl MathFn {
    /// The name without the type.
    pub fn word(self) -> &'static str {
        match self {
            MathFn::Sqrt => "sqrt",
            MathFn::Cbrt => "cbrt",
            MathFn::Rsqrt => "rsqrt",
            MathFn::Exp => "exp",
            MathFn::Exp2 => "exp2",
            MathFn::Exp10 => "exp10",
            MathFn::Expm1 => "expm1",
            MathFn::Log => "log",
            MathFn::Log2 => "log2",
            MathFn::Log10 => "log10",
            MathFn::Log1p => "log1p",
            MathFn::Sin => "sin",
            MathFn::Cos => "cos",
            MathFn::Tan => "tan",
            MathFn::Asin => "asin",
            MathFn::Acos => "acos",
            MathFn::Atan => "atan",
            MathFn::Sinh => "sinh",
            MathFn::Cosh => "cosh",
            MathFn::Tanh => "tanh",
            MathFn::Asinh => "asinh",
            MathFn::Acosh => "acosh",
            MathFn::Atanh => "atanh",
            MathFn::SinPi => "sinpi",
            MathFn::CosPi => "cospi",
            MathFn::TanPi => "tanpi",
            MathFn::AsinPi => "asinpi",
            MathFn::AcosPi => "acospi",
            MathFn::AtanPi => "atanpi",
            MathFn::Atan2 => "atan2",
            MathFn::Atan2Pi => "atan2pi",
            MathFn::Hypot => "hypot",
            MathFn::Gamma => "gamma",
            MathFn::LGamma => "lgamma",
            MathFn::Erf => "erf",
            MathFn::Erfc => "erfc",
            MathFn::Floor => "floor",
            MathFn::Ceil => "ceil",
            MathFn::Round => "round",
            MathFn::Trunc => "trunc",
            MathFn::Fma => "fma",
            MathFn::Mad => "mad",
            MathFn::Lerp => "lerp",
            MathFn::Inverse => "inverse",
            MathFn::DivideBy => "divide_by",
            MathFn::QuotientBy => "quotient_by",
            MathFn::InexactBy => "inexact_by",
            MathFn::IsNan => "isnan",
            MathFn::IsInf => "isinf",
            MathFn::ToBits => "to_bits",
            MathFn::FromBits => "from_bits",
            MathFn::NextAfter => "nextafter",
            MathFn::Ldexp => "ldexp",
            MathFn::CopySign => "copysign",
            MathFn::Popc => "popc",
            MathFn::Clz => "clz",
            MathFn::Ctz => "ctz",
            MathFn::SMulHi => "smul_hi",
            MathFn::UMulHi => "umul_hi",
            MathFn::SMadHi => "smad_hi",
            MathFn::UMadHi => "umad_hi",
        }
    }
}

impl PrimFn {
    /// Every function at every type it is defined at.
    pub fn all() -> Vec<PrimFn> {
        let ints = IntType::ALL.map(PrimType::Int);
        let floats = FloatType::ALL.map(PrimType::Float);
        let types: Vec<PrimType> = ints.into_iter().chain(floats).collect();
        let at = |op| types.iter().map(move |&at| PrimFn { op, at });
        MathFn::ALL.into_iter().flat_map(at).filter(|f| f.is_defined()).collect()
    }
}

impl fmt::Display for UnOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnOp::Not => f.write_str(self.word()),
            _ => write!(f, "{}_{}", self.word(), self.operand_type()),
        }
    }
}

impl fmt::Display for BinOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BinOp::LogAnd | BinOp::LogOr => f.write_str(self.word()),
            _ => write!(f, "{}_{}", self.word(), self.operand_type()),
        }
    }
}

impl fmt::Display for CmpOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CmpOp::BLt | CmpOp::BLe => f.write_str(self.word()),
            _ => write!(f, "{}_{}", self.word(), self.operand_type()),
        }
    }
}

impl fmt::Display for ConvOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvOp::IToB(_) | ConvOp::FToB(_) => write!(f, "{}_{}", self.word(), self.operand_type()),
            ConvOp::BToI(_) | ConvOp::BToF(_) => write!(f, "{}_{}", self.word(), self.result_type()),
            _ => write!(f, "{}_{}_{}", self.word(), self.operand_type(), self.result_type()),
        }
    }
}

impl fmt::Display for PrimFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.op.word(), self.at)
    }
}

impl FromStr for UnOp {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<UnOp, UnknownOperator> {
        find(UnOp::all(), text, UnOp::word)
    }
}

impl FromStr for BinOp {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<BinOp, UnknownOperator> {
        find(BinOp::all(), text, BinOp::word)
    }
}

impl FromStr for CmpOp {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<CmpOp, UnknownOperator> {
        find(CmpOp::all(), text, CmpOp::word)
    }
}

impl FromStr for ConvOp {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<ConvOp, UnknownOperator> {
        find(ConvOp::all(), text, ConvOp::word)
    }
}

impl FromStr for PrimFn {
    type Err = UnknownOperator;

    fn from_str(text: &str) -> Result<PrimFn, UnknownOperator> {
        find(PrimFn::all(), text, |f| f.op.word())
    }
}

/// The operator of that name. The word is compared before the whole name is
/// put together, so that looking one up prints few of the others.
fn find<T: Copy + fmt::Display>(
    all: Vec<T>,
    text: &str,
    word: impl Fn(T) -> &'static str,
) -> Result<T, UnknownOperator> {
    all.into_iter().find(|&op| text.starts_with(word(op)) && op.to_string() == text).ok_or(UnknownOperator)
}
