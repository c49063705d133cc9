//! Operand and result types of the operators.

use super::{BinOp, CmpOp, ConvOp, MathFn, PrimFn, UnOp};
use crate::prim::{FloatType, IntType, PrimType};

impl UnOp {
    /// The type of the operand.
    pub fn operand_type(self) -> PrimType {
        match self {
            UnOp::Not => PrimType::Bool,
            UnOp::Complement(t) | UnOp::Neg(t) | UnOp::Abs(t) | UnOp::SSignum(t) | UnOp::USignum(t) => {
                PrimType::Int(t)
            }
            UnOp::FNeg(t) | UnOp::FAbs(t) | UnOp::FSignum(t) => PrimType::Float(t),
        }
    }

    /// The type of the result: that of the operand.
    pub fn result_type(self) -> PrimType {
        self.operand_type()
    }
}

impl BinOp {
    /// The type of both operands.
    pub fn operand_type(self) -> PrimType {
        match self {
            BinOp::Add(t)
            | BinOp::Sub(t)
            | BinOp::Mul(t)
            | BinOp::SDiv(t)
            | BinOp::SMod(t)
            | BinOp::SQuot(t)
            | BinOp::SRem(t)
            | BinOp::UDiv(t)
            | BinOp::UMod(t)
            | BinOp::SMin(t)
            | BinOp::SMax(t)
            | BinOp::UMin(t)
            | BinOp::UMax(t)
            | BinOp::Shl(t)
            | BinOp::LShr(t)
            | BinOp::AShr(t)
            | BinOp::And(t)
            | BinOp::Or(t)
            | BinOp::Xor(t)
            | BinOp::Pow(t) => PrimType::Int(t),
            BinOp::FAdd(t)
            | BinOp::FSub(t)
            | BinOp::FMul(t)
            | BinOp::FDiv(t)
            | BinOp::FMod(t)
            | BinOp::FMin(t)
            | BinOp::FMax(t)
            | BinOp::FPow(t) => PrimType::Float(t),
            BinOp::LogAnd | BinOp::LogOr => PrimType::Bool,
        }
    }

    /// The type of the result: that of the operands.
    pub fn result_type(self) -> PrimType {
        self.operand_type()
    }
}

impl CmpOp {
    /// The type of both operands.
    pub fn operand_type(self) -> PrimType {
        match self {
            CmpOp::Eq(t) => t,
            CmpOp::SLt(t) | CmpOp::SLe(t) | CmpOp::ULt(t) | CmpOp::ULe(t) => PrimType::Int(t),
            CmpOp::FLt(t) | CmpOp::FLe(t) => PrimType::Float(t),
            CmpOp::BLt | CmpOp::BLe => PrimType::Bool,
        }
    }

    /// Always a boolean.
    pub fn result_type(self) -> PrimType {
        PrimType::Bool
    }
}

impl ConvOp {
    /// The type converted from.
    pub fn operand_type(self) -> PrimType {
        match self {
            ConvOp::ZExt(t, _)
            | ConvOp::SExt(t, _)
            | ConvOp::UIToFP(t, _)
            | ConvOp::SIToFP(t, _)
            | ConvOp::IToB(t) => PrimType::Int(t),
            ConvOp::FPConv(t, _) | ConvOp::FPToUI(t, _) | ConvOp::FPToSI(t, _) | ConvOp::FToB(t) => {
                PrimType::Float(t)
            }
            ConvOp::BToI(_) | ConvOp::BToF(_) => PrimType::Bool,
        }
    }

    /// The type converted to.
    pub fn result_type(self) -> PrimType {
        match self {
            ConvOp::ZExt(_, t)
            | ConvOp::SExt(_, t)
            | ConvOp::FPToUI(_, t)
            | ConvOp::FPToSI(_, t)
            | ConvOp::BToI(t) => PrimType::Int(t),
            ConvOp::FPConv(_, t) | ConvOp::UIToFP(_, t) | ConvOp::SIToFP(_, t) | ConvOp::BToF(t) => {
                PrimType::Float(t)
            }
            ConvOp::IToB(_) | ConvOp::FToB(_) => PrimType::Bool,
        }
    }
}

impl MathFn {
    /// All functions, in the order of their declaration.
    #[rustfmt::skip]
    pub const ALL: [MathFn; 61] = {
        use MathFn::*;
        [
            Sqrt, Cbrt, Rsqrt, Exp, Exp2, Exp10, Expm1, Log, Log2, Log10, Log1p,
            Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh,
            SinPi, CosPi, TanPi, AsinPi, AcosPi, AtanPi, Atan2, Atan2Pi, Hypot,
            Gamma, LGamma, Erf, Erfc, Floor, Ceil, Round, Trunc, Fma, Mad, Lerp,
            Inverse, DivideBy, QuotientBy, InexactBy,
            IsNan, IsInf, ToBits, FromBits, NextAfter, Ldexp, CopySign,
            Popc, Clz, Ctz, SMulHi, UMulHi, SMadHi, UMadHi,
        ]
    };

    /// Whether it works on integers; all others work on floats.
    pub fn is_integer(self) -> bool {
        match self {
            MathFn::Popc
            | MathFn::Clz
            | MathFn::Ctz
            | MathFn::SMulHi
            | MathFn::UMulHi
            | MathFn::SMadHi
            | MathFn::UMadHi => true,
            MathFn::Sqrt
            | MathFn::Cbrt
            | MathFn::Rsqrt
            | MathFn::Exp
            | MathFn::Exp2
            | MathFn::Exp10
            | MathFn::Expm1
            | MathFn::Log
            | MathFn::Log2
            | MathFn::Log10
            | MathFn::Log1p
            | MathFn::Sin
            | MathFn::Cos
            | MathFn::Tan
            | MathFn::Asin
            | MathFn::Acos
            | MathFn::Atan
            | MathFn::Sinh
            | MathFn::Cosh
            | MathFn::Tanh
            | MathFn::Asinh
            | MathFn::Acosh
            | MathFn::Atanh
            | MathFn::SinPi
            | MathFn::CosPi
            | MathFn::TanPi
            | MathFn::AsinPi
            | MathFn::AcosPi
            | MathFn::AtanPi
            | MathFn::Atan2
            | MathFn::Atan2Pi
            | MathFn::Hypot
            | MathFn::Gamma
            | MathFn::LGamma
            | MathFn::Erf
            | MathFn::Erfc
            | MathFn::Floor
            | MathFn::Ceil
            | MathFn::Round
            | MathFn::Trunc
            | MathFn::Fma
            | MathFn::Mad
            | MathFn::Lerp
            | MathFn::Inverse
            | MathFn::DivideBy
            | MathFn::QuotientBy
            | MathFn::InexactBy
            | MathFn::IsNan
            | MathFn::IsInf
            | MathFn::ToBits
            | MathFn::FromBits
            | MathFn::NextAfter
            | MathFn::Ldexp
            | MathFn::CopySign => false,
        }
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            MathFn::Fma
            | MathFn::Mad
            | MathFn::Lerp
            | MathFn::DivideBy
            | MathFn::QuotientBy
            | MathFn::InexactBy
            | MathFn::SMadHi
            | MathFn::UMadHi => 3,
            MathFn::Atan2
            | MathFn::Atan2Pi
            | MathFn::Hypot
            | MathFn::NextAfter
            | MathFn::Ldexp
            | MathFn::CopySign
            | MathFn::SMulHi
            | MathFn::UMulHi => 2,
            MathFn::Sqrt
            | MathFn::Cbrt
            | MathFn::Rsqrt
            | MathFn::Exp
            | MathFn::Exp2
            | MathFn::Exp10
            | MathFn::Expm1
            | MathFn::Log
            | MathFn::Log2
            | MathFn::Log10
            | MathFn::Log1p
            | MathFn::Sin
            | MathFn::Cos
            | MathFn::Tan
            | MathFn::Asin
            | MathFn::Acos
            | MathFn::Atan
            | MathFn::Sinh
            | MathFn::Cosh
            | MathFn::Tanh
            | MathFn::Asinh
            | MathFn::Acosh
            | MathFn::Atanh
            | MathFn::SinPi
            | MathFn::CosPi
            | MathFn::TanPi
            | MathFn::AsinPi
            | MathFn::AcosPi
            | MathFn::AtanPi
            | MathFn::Gamma
            | MathFn::LGamma
            | MathFn::Erf
            | MathFn::Erfc
            | MathFn::Floor
            | MathFn::Ceil
            | MathFn::Round
            | MathFn::Trunc
            | MathFn::Inverse
            | MathFn::IsNan
            | MathFn::IsInf
            | MathFn::ToBits
            | MathFn::FromBits
            | MathFn::Popc
            | MathFn::Clz
            | MathFn::Ctz => 1,
        }
    }
}

impl PrimFn {
    /// Whether the function exists at its type: integer functions at integer
    /// types, all others at float types; no number is divided by a known
    /// half float in a way of its own.
    pub fn is_defined(self) -> bool {
        let by_inverse =
            matches!(self.op, MathFn::Inverse | MathFn::DivideBy | MathFn::QuotientBy | MathFn::InexactBy);
        match self.at {
            PrimType::Int(_) => self.op.is_integer(),
            PrimType::Float(FloatType::F16) if by_inverse => false,
            PrimType::Float(_) => !self.op.is_integer(),
            PrimType::Bool | PrimType::Unit => false,
        }
    }

    /// The types of the operands, and that of the result. Meaningful only
    /// where the function [is defined](PrimFn::is_defined).
    pub fn signature(self) -> (Vec<PrimType>, PrimType) {
        match self.op {
            MathFn::IsNan | MathFn::IsInf => (vec![self.at], PrimType::Bool),
            MathFn::ToBits => (vec![self.at], bits_type(self.at)),
            MathFn::FromBits => (vec![bits_type(self.at)], self.at),
            MathFn::Ldexp => (vec![self.at, PrimType::I32], self.at),
            MathFn::Popc | MathFn::Clz | MathFn::Ctz => (vec![self.at], PrimType::I32),
            MathFn::InexactBy => (vec![self.at; 3], PrimType::I32),
            op => (vec![self.at; op.arity()], self.at),
        }
    }
}

/// The integer type as wide as a float type.
fn bits_type(t: PrimType) -> PrimType {
    match t {
        PrimType::Float(FloatType::F16) => PrimType::Int(IntType::I16),
        PrimType::Float(FloatType::F32) => PrimType::Int(IntType::I32),
        PrimType::Float(FloatType::F64) => PrimType::Int(IntType::I64),
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => t,
    }
}
