//! Short names for expressions that translators build by hand. Constants fold where it is free to do so.
//!
//! ```text
//! add(mul(x, i64(4)), i64(0))   is   x * 4
//! ```

use crate::syntax::{Code, Expr, GpuIndex, Order};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::Name;

/// A loop over 64-bit integers from 0 to a bound, in order.
pub fn count_up<O>(x: Name, bound: Expr, body: Code<O>) -> Code<O> {
    for_loop((x, IntType::I64), bound, body)
}

/// A loop from 0 to a bound, in order.
pub fn for_loop<O>((x, ty): (Name, IntType), bound: Expr, body: Code<O>) -> Code<O> {
    Code::For { var: x, ty, bound, order: Order::Sequential, body: Box::new(body) }
}

/// An `i64` constant.
pub fn i64(v: i64) -> Expr {
    Expr::Const(PrimValue::I64(v))
}

/// An `i32` constant.
pub fn i32(v: i32) -> Expr {
    Expr::Const(PrimValue::I32(v))
}

/// A variable.
pub fn var(x: Name) -> Expr {
    Expr::Var(x)
}

/// The thread's number in its block.
pub fn local() -> Expr {
    Expr::Gpu(GpuIndex::Local)
}

/// The block's number in the grid.
pub fn block() -> Expr {
    Expr::Gpu(GpuIndex::Block)
}

/// Threads in a block.
pub fn block_size() -> Expr {
    Expr::Gpu(GpuIndex::BlockSize)
}

/// Blocks in the grid.
pub fn grid_size() -> Expr {
    Expr::Gpu(GpuIndex::GridSize)
}

/// Whether warps multiply matrices of `f64`.
pub fn matrix_units() -> Expr {
    lt(i64(0), Expr::Gpu(GpuIndex::MatrixUnits))
}

/// The constant, if it is an integer.
pub fn constant(e: &Expr) -> Option<i64> {
    let Expr::Const(v) = e else { return None };
    v.as_i64()
}

/// An operator applied; folded if both operands are constants.
pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const(x), Expr::Const(y)) = (&a, &b) {
        if let Some(v) = op.eval(*x, *y) {
            return Expr::Const(v);
        }
    }
    Expr::BinOp(op, Box::new(a), Box::new(b))
}

/// Sum of `i64`s.
pub fn add(a: Expr, b: Expr) -> Expr {
    match (constant(&a), constant(&b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => binary(BinOp::Add(IntType::I64), a, b),
    }
}

/// Difference of `i64`s.
pub fn sub(a: Expr, b: Expr) -> Expr {
    match constant(&b) {
        Some(0) => a,
        _ => binary(BinOp::Sub(IntType::I64), a, b),
    }
}

/// Product of `i64`s.
pub fn mul(a: Expr, b: Expr) -> Expr {
    match (constant(&a), constant(&b)) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        (Some(0), _) | (_, Some(0)) => i64(0),
        _ => binary(BinOp::Mul(IntType::I64), a, b),
    }
}

/// Quotient of `i64`s, rounded towards zero.
pub fn quot(a: Expr, b: Expr) -> Expr {
    match constant(&b) {
        Some(1) => a,
        _ => binary(BinOp::SQuot(IntType::I64), a, b),
    }
}

/// Remainder of [`quot`].
pub fn rem(a: Expr, b: Expr) -> Expr {
    match constant(&b) {
        Some(1) => i64(0),
        _ => binary(BinOp::SRem(IntType::I64), a, b),
    }
}

/// The bits that two `i64`s have in common.
pub fn bits(a: Expr, b: Expr) -> Expr {
    binary(BinOp::And(IntType::I64), a, b)
}

/// Quotient of nonnegative `i64`s, rounded up.
pub fn quot_up(a: Expr, b: Expr) -> Expr {
    match constant(&b) {
        Some(1) => a,
        _ => quot(sub(add(a, b.clone()), i64(1)), b),
    }
}

/// The smaller of two `i64`s.
pub fn min(a: Expr, b: Expr) -> Expr {
    binary(BinOp::SMin(IntType::I64), a, b)
}

/// The larger of two `i64`s.
pub fn max(a: Expr, b: Expr) -> Expr {
    binary(BinOp::SMax(IntType::I64), a, b)
}

/// Whether one `i64` is less than another.
pub fn lt(a: Expr, b: Expr) -> Expr {
    Expr::CmpOp(CmpOp::SLt(IntType::I64), Box::new(a), Box::new(b))
}

/// Whether one `i64` is at most another.
pub fn le(a: Expr, b: Expr) -> Expr {
    Expr::CmpOp(CmpOp::SLe(IntType::I64), Box::new(a), Box::new(b))
}

/// Whether two `i64`s are equal.
pub fn eq(a: Expr, b: Expr) -> Expr {
    equal(PrimType::I64, a, b)
}

/// Whether two values of a type are equal.
pub fn equal(ty: PrimType, a: Expr, b: Expr) -> Expr {
    Expr::CmpOp(CmpOp::Eq(ty), Box::new(a), Box::new(b))
}

/// Both.
pub fn and(a: Expr, b: Expr) -> Expr {
    binary(BinOp::LogAnd, a, b)
}

/// Either.
pub fn or(a: Expr, b: Expr) -> Expr {
    binary(BinOp::LogOr, a, b)
}

/// The opposite.
pub fn not(a: Expr) -> Expr {
    equal(PrimType::Bool, a, bool(false))
}

/// A boolean constant.
pub fn bool(v: bool) -> Expr {
    Expr::Const(PrimValue::Bool(v))
}

/// One of two.
pub fn select(c: Expr, a: Expr, b: Expr) -> Expr {
    Expr::Select(Box::new(c), Box::new(a), Box::new(b))
}
