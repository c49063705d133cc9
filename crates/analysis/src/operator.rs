//! Operators of reductions, scans, histograms and accumulators: what they are made of.

use fehu_base::ops::BinOp;
use fehu_base::prim::{FloatType, IntType, PrimType};
use fehu_ir::schedule::Update;
use fehu_ir::soac::Commutativity;
use fehu_ir::{Basic, Exp, Lambda, Rep, SubExp, Type};

/// The operators, if each result is one operator applied to the matching parameters.
pub fn binops<R: Rep>(op: &Lambda<R>) -> Option<Vec<BinOp>> {
    let n = op.ret.len();
    let (xs, ys) = op.params.split_at_checked(n)?;
    let mut ops = vec![];
    for ((x, y), result) in xs.iter().zip(ys).zip(&op.body.result) {
        let stm =
            op.body.stms.iter().find(|s| s.pat.first().is_some_and(|p| SubExp::Var(p.name) == *result))?;
        let (x, y) = (SubExp::Var(x.name), SubExp::Var(y.name));
        let Exp::Basic(Basic::BinOp(op, a, b)) = stm.exp else { return None };
        if (a, b) != (x, y) && !((a, b) == (y, x) && op.is_commutative()) {
            return None;
        }
        ops.push(op);
    }
    (op.body.stms.len() == n).then_some(ops)
}

/// Whether the order of operands does not matter.
pub fn is_commutative<R: Rep>(comm: Commutativity, op: &Lambda<R>) -> bool {
    match comm {
        Commutativity::Commutative => true,
        Commutativity::Noncommutative => {
            binops(op).is_some_and(|ops| ops.iter().all(|op| op.is_commutative()))
        }
    }
}

/// Whether the last bits of a result may depend on the order in which values are combined.
pub fn depends_on_order<R: Rep>(op: &Lambda<R>) -> bool {
    let of_floats = op.ret.iter().any(|t| matches!(t.elem(), Some(PrimType::Float(_))));
    of_floats && binops(op).is_none_or(|ops| !ops.iter().all(|op| op.is_associative()))
}

/// How a GPU combines an element with a value by an operator on scalars, while other threads do the same: by
/// an instruction where there is one, on one value by compare and swap, else under a lock.
pub fn update<R: Rep>(op: &Lambda<R>) -> Update {
    if binops(op).is_some_and(|ops| ops.into_iter().all(has_atomic)) {
        return Update::Atomic;
    }
    match op.ret.as_slice() {
        [Type::Prim(ty)] => match ty {
            PrimType::Int(IntType::I32 | IntType::I64) | PrimType::Float(FloatType::F32 | FloatType::F64) => {
                Update::Swap
            }
            PrimType::Int(IntType::I8 | IntType::I16) | PrimType::Float(FloatType::F16) | PrimType::Bool => {
                Update::SwapPart
            }
            PrimType::Unit => Update::Lock,
        },
        _ => Update::Lock,
    }
}

/// Whether an instruction applies an operator to memory, indivisibly.
pub fn has_atomic(op: BinOp) -> bool {
    match op {
        BinOp::Add(t)
        | BinOp::SMin(t)
        | BinOp::SMax(t)
        | BinOp::UMin(t)
        | BinOp::UMax(t)
        | BinOp::And(t)
        | BinOp::Or(t)
        | BinOp::Xor(t) => matches!(t, IntType::I32 | IntType::I64),
        BinOp::FAdd(t) => matches!(t, FloatType::F32 | FloatType::F64),
        BinOp::Sub(_)
        | BinOp::Mul(_)
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
        | BinOp::FMul(_)
        | BinOp::FDiv(_)
        | BinOp::FMod(_)
        | BinOp::FMin(_)
        | BinOp::FMax(_)
        | BinOp::FPow(_)
        | BinOp::LogAnd
        | BinOp::LogOr => false,
    }
}
