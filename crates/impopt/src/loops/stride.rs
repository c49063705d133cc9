//! How far an offset moves when a variable grows by one.
//!
//! ```text
//! t = i * m; ... xs[t + j]      in j: One      in i: Far      in k: Zero      (and xs[m - j] in j: Back)
//! ```

use super::plain::for_each_set;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_imp::ops::Operation;
use fehu_imp::parts::flat;
use fehu_imp::syntax::{Code, Expr};
use rustc_hash::{FxHashMap, FxHashSet};

/// A distance, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stride {
    /// It does not move at all.
    Zero,
    /// By exactly one.
    One,
    /// By one, or not, as where an index is kept within bounds.
    Near,
    /// By exactly one, to the elements before.
    Back,
    /// By anything else.
    Far,
}

/// How far the scalars of some code move with a variable.
pub(super) struct Strides {
    var: Name,
    known: FxHashMap<Name, Stride>,
}

impl Strides {
    /// The strides of what is computed in code. Scalars from outside do not move.
    pub(super) fn of<O: Operation>(var: Name, code: &Code<O>) -> Strides {
        let mut strides = Strides { var, known: FxHashMap::default() };
        // What is assigned more than once may be anything.
        let mut assigned = FxHashSet::default();
        for_each_set_inside(code, &mut |x| {
            if !assigned.insert(x) {
                strides.known.insert(x, Stride::Far);
            }
        });
        strides.code(code);
        strides
    }

    fn code<O: Operation>(&mut self, code: &Code<O>) {
        for code in flat(code) {
            if let Code::SetScalar(x, e) = code {
                let stride = self.expr(e);
                self.known.entry(*x).or_insert(stride);
            } else if let Code::For { body, .. } = code {
                self.nested(body)
            } else if let Code::If(_, a, b) = code {
                self.nested(a);
                self.nested(b);
            }
        }
    }

    fn nested<O: Operation>(&mut self, code: &Code<O>) {
        fehu_ir::visit::deep(|| self.code(code));
    }

    /// How far an expression moves.
    pub(super) fn expr(&self, e: &Expr) -> Stride {
        use Stride::{Back, Far, Near, One, Zero};
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Gpu(_) => Zero,
            Expr::Var(x) if *x == self.var => One,
            Expr::Var(x) => self.known.get(x).copied().unwrap_or(Zero),
            Expr::BinOp(op, a, b) => match (op, self.expr(a), self.expr(b)) {
                (_, Zero, Zero) => Zero,
                (BinOp::Add(IntType::I64), s, Zero) | (BinOp::Add(IntType::I64), Zero, s) => s,
                (BinOp::Sub(IntType::I64), s, Zero) => s,
                (BinOp::Sub(IntType::I64), Zero, One) => Back,
                (BinOp::Sub(IntType::I64), Zero, Back) => One,
                (BinOp::SMin(IntType::I64) | BinOp::SMax(IntType::I64), One | Near, Zero)
                | (BinOp::SMin(IntType::I64) | BinOp::SMax(IntType::I64), Zero, One | Near) => Near,
                _ => Far,
            },
            Expr::UnOp(_, a) | Expr::Conv(_, a) => moves(&[self.expr(a)]),
            Expr::CmpOp(_, a, b) => moves(&[self.expr(a), self.expr(b)]),
            Expr::PrimFn(_, es) => moves(&es.iter().map(|e| self.expr(e)).collect::<Vec<_>>()),
            Expr::Select(c, a, b) => moves(&[self.expr(c), self.expr(a), self.expr(b)]),
            Expr::Index { offset, .. } => moves(&[self.expr(offset)]),
        }
    }
}

/// Calls a function on the scalars that code assigns, in loops, too.
fn for_each_set_inside<O: Operation>(code: &Code<O>, f: &mut impl FnMut(Name)) {
    let mut rest = vec![code];
    while let Some(code) = rest.pop() {
        for code in flat(code) {
            if let Code::For { body, .. } = code {
                rest.push(body);
            } else {
                for_each_set(code, f);
            }
        }
    }
}

/// The stride of something that is computed, in no simple way, from what has these.
fn moves(strides: &[Stride]) -> Stride {
    match strides.iter().all(|s| *s == Stride::Zero) {
        true => Stride::Zero,
        false => Stride::Far,
    }
}
