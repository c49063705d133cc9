//! Scalars that are polynomials of others.

use fehu_algebra::{Poly, Sym};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_ir::mem::{poly, sym};
use fehu_ir::{Basic, Exp, Rep, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// Polynomials with more terms and factors than this stay names: products of sums, one after another, would
/// have as many terms as there are statements, each of as many factors. Offsets of arrays have few.
const MAX_SIZE: usize = 200;

/// The integer that a statement computes as a polynomial, in terms of others that are known. `counts` says of
/// a name whether it is the variable of a loop: that is what it counts, in any width.
pub fn polynomial<R: Rep>(
    stm: &Stm<R>,
    known: &FxHashMap<Sym, Poly>,
    counts: impl Fn(Sym) -> bool,
) -> Option<Poly> {
    let [p] = stm.pat.as_slice() else { return None };
    let of = |e: SubExp| poly(e).subst_all(|x| known.get(&x).cloned());
    let Exp::Basic(basic) = &stm.exp else { return None };
    let value = if let Basic::SubExp(e) = basic {
        (p.ty == Type::I64).then(|| of(*e))?
    } else if let Basic::BinOp(op, a, b) = basic {
        if *op == BinOp::Add(IntType::I64) {
            of(*a) + of(*b)
        } else if *op == BinOp::Sub(IntType::I64) {
            of(*a) - of(*b)
        } else if *op == BinOp::Mul(IntType::I64) {
            of(*a) * of(*b)
        } else {
            return None;
        }
    } else if let Basic::Conv(ConvOp::SExt(_, IntType::I64), SubExp::Var(x)) = basic {
        counts(sym(*x)).then(|| poly((*x).into()))?
    } else {
        return None;
    };
    (value.is_known() && value.size() <= MAX_SIZE).then_some(value)
}
