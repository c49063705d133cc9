//! Sizes of blocks as symbolic integers, so that equal ones can be seen to be equal.
//!
//! `mul_i64(4, n)` and `mul_i64(m, 4)` with `m` another name of `n` are both `4*n`. A size that is at least 0
//! (`smax_i64(0, p)`, as allocations that were moved have it) is another one than `p` itself, which is
//! refused when it is negative.

use fehu_algebra::Poly;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::mem::poly;
use fehu_ir::visit::{deep, for_each_stm};
use fehu_ir::{Basic, Body, Exp, Memory, SubExp};
use rustc_hash::FxHashMap;

/// Sums of products longer than this are not looked into.
const MOST_TERMS: usize = 16;

/// The definitions that sizes are made of.
pub(crate) struct Sizes {
    defs: FxHashMap<Name, Def>,
    known: FxHashMap<Name, Poly>,
    /// The first name for the larger of 0 and a sum, by the text of that.
    clamped: FxHashMap<String, Name>,
}

#[derive(Clone, Copy)]
enum Def {
    Same(SubExp),
    Sum(SubExp, SubExp),
    Difference(SubExp, SubExp),
    Product(SubExp, SubExp),
    AtLeast0(SubExp),
}

impl Sizes {
    pub(crate) fn of(body: &Body<Memory>) -> Sizes {
        let mut defs = FxHashMap::default();
        for_each_stm(body, &mut |stm| {
            let def = match &stm.exp {
                Exp::Basic(Basic::SubExp(x)) => Def::Same(*x),
                // A condition that counts as 0 or 1 stands for the number.
                Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), x @ SubExp::Var(_))) => Def::Same(*x),
                Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), x, y)) => Def::Sum(*x, *y),
                Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), x, y)) => Def::Difference(*x, *y),
                Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), x, y)) => Def::Product(*x, *y),
                Exp::Basic(Basic::BinOp(BinOp::SMax(IntType::I64), x, y)) if x.as_i64() == Some(0) => {
                    Def::AtLeast0(*y)
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    return
                }
            };
            if let [p] = &stm.pat[..] {
                defs.insert(p.name, def);
            }
        });
        Sizes { defs, known: FxHashMap::default(), clamped: FxHashMap::default() }
    }

    /// The size that an operand is.
    pub(crate) fn size(&mut self, e: SubExp) -> Poly {
        let SubExp::Var(n) = e else { return poly(e) };
        if let Some(known) = self.known.get(&n) {
            return known.clone();
        }
        let sum = deep(|| match self.defs.get(&n).copied() {
            Some(Def::Same(x)) => self.size(x),
            Some(Def::Sum(x, y)) => self.size(x) + self.size(y),
            Some(Def::Difference(x, y)) => self.size(x) - self.size(y),
            Some(Def::Product(x, y)) => self.size(x) * self.size(y),
            Some(Def::AtLeast0(x)) => self.clamped(n, x),
            None => poly(e),
        });
        let short = sum.is_known() && sum.terms().len() <= MOST_TERMS;
        let sum = if short { sum } else { poly(e) };
        self.known.insert(n, sum.clone());
        sum
    }

    fn clamped(&mut self, name: Name, e: SubExp) -> Poly {
        let sum = self.size(e);
        if let Some(c) = sum.as_constant() {
            return Poly::constant(c.max(0));
        }
        poly(SubExp::Var(*self.clamped.entry(key(&sum)).or_insert(name)))
    }
}

/// What stands for a size in tables.
pub(crate) fn key(size: &Poly) -> String {
    size.text(|x| format!("x{}", x.0))
}
