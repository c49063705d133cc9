//! Values as the bits of integers, and back: words hold values of every type, also those that are shorter.

use fehu_base::bug;
use fehu_base::ops::{ConvOp, MathFn, PrimFn};
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_imp::syntax::Expr;

/// The integer type that has the bits of a value.
pub(super) fn bits_of(ty: PrimType) -> IntType {
    match ty {
        PrimType::Int(t) => t,
        PrimType::Float(FloatType::F16) => IntType::I16,
        PrimType::Float(FloatType::F32) => IntType::I32,
        PrimType::Float(FloatType::F64) => IntType::I64,
        PrimType::Bool => IntType::I8,
        PrimType::Unit => bug!("an update of nothing"),
    }
}

/// The value as an integer of a part of a word, and back.
pub(super) fn to_part(ty: PrimType, bits: IntType, e: Expr) -> Expr {
    match ty {
        PrimType::Bool => Expr::Conv(ConvOp::BToI(bits), Box::new(e)),
        PrimType::Float(_) | PrimType::Int(_) | PrimType::Unit => to_bits(ty, e),
    }
}

pub(super) fn from_part(ty: PrimType, bits: IntType, e: Expr) -> Expr {
    match ty {
        PrimType::Bool => Expr::Conv(ConvOp::IToB(bits), Box::new(e)),
        PrimType::Float(_) | PrimType::Int(_) | PrimType::Unit => from_bits(ty, e),
    }
}

/// The bits of a value, at the lower end of a wider integer, and back.
pub(super) fn widened(ty: PrimType, bits: IntType, wide: IntType, e: Expr) -> Expr {
    let e = to_part(ty, bits, e);
    if bits == wide {
        return e;
    }
    Expr::Conv(ConvOp::ZExt(bits, wide), Box::new(e))
}

pub(super) fn narrowed(ty: PrimType, bits: IntType, wide: IntType, e: Expr) -> Expr {
    if bits == wide {
        return from_part(ty, bits, e);
    }
    from_part(ty, bits, Expr::Conv(ConvOp::ZExt(wide, bits), Box::new(e)))
}

pub(super) fn to_bits(ty: PrimType, e: Expr) -> Expr {
    match ty {
        PrimType::Float(_) => Expr::PrimFn(PrimFn { op: MathFn::ToBits, at: ty }, vec![e]),
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => e,
    }
}

pub(super) fn from_bits(ty: PrimType, e: Expr) -> Expr {
    match ty {
        PrimType::Float(_) => Expr::PrimFn(PrimFn { op: MathFn::FromBits, at: ty }, vec![e]),
        PrimType::Int(_) | PrimType::Bool | PrimType::Unit => e,
    }
}
