//! Offsets of elements say how they depend on the counters of loops.
//!
//! Sums wrap around, which C says by numbers without a sign. C compilers then do not know that the next
//! iteration reads the next element, and make no vector code. The sum in an offset does not wrap:
//!
//! ```text
//! for k < to - from {                       for k < to - from {
//!   j = from + k                       =>     j = from + k
//!   b[i*m + j] = a[i*m + j] + j               b[i*m + (from + k)] = a[i*m + (from + k)] + j
//! }                                         }
//! ```
//!
//! A counter is not negative, and far from the largest number. If a sum of it and another number wraps, it is
//! near the least number there is, so that no element is there.

use crate::instead::Instead;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code, Expr, Program};
use fehu_imp::visit::{change_code, change_expr, look_at_code, Mutator, Visitor};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// Sums with counters stand in offsets.
pub static PASS: Pass<Program> = Pass {
    name: "offsets",
    need: Need::Optional,
    run: |program| {
        let bodies = program.functions.iter_mut().map(|f| &mut f.body);
        bodies.chain([&mut program.init]).for_each(|body| {
            let mut seen = Seen::default();
            seen.code(body);
            let sums = seen.fixed();
            if !sums.is_empty() {
                Offsets(&sums).code(body);
            }
        });
    },
};

/// What is known of the scalars of a function.
#[derive(Default)]
struct Seen {
    /// The counters of the loops around.
    around: Vec<Name>,
    /// Scalars, and the loops that each is declared in.
    declared: FxHashMap<Name, Vec<Name>>,
    assigned: FxHashMap<Name, usize>,
    sums: Vec<Sum>,
}

/// A scalar that is the sum of a counter and something else.
struct Sum {
    x: Name,
    value: Expr,
    counter: Name,
    /// What else it is a sum of, and how often that has been assigned before.
    other: Option<(Name, usize)>,
}

impl<'c> Visitor<'c> for Seen {
    fn code<O: Operation>(&mut self, code: &'c Code<O>) {
        if let Code::For { var, ty: IntType::I64, body, .. } = code {
            self.around.push(*var);
            fehu_ir::visit::deep(|| self.code(&**body));
            self.around.pop();
            return;
        }
        if let Code::DeclareScalar(x, _) = code {
            self.declared.insert(*x, self.around.clone());
        } else if let Code::SetScalar(x, e) = code {
            self.sums.extend(self.sum(*x, e));
        }
        look_at_code(self, code);
    }

    fn expr(&mut self, _: &'c Expr) {}

    fn assigned(&mut self, x: &'c Name) {
        *self.assigned.entry(*x).or_default() += 1;
    }
}

impl Seen {
    fn times(&self, x: Name) -> usize {
        self.assigned.get(&x).copied().unwrap_or(0)
    }

    fn sum(&self, x: Name, e: &Expr) -> Option<Sum> {
        let Expr::BinOp(BinOp::Add(IntType::I64), a, b) = e else { return None };
        let is_counter = |k: &Name| self.around.contains(k);
        let (counter, other) = match (&**a, &**b) {
            (Expr::Var(k), other) | (other, Expr::Var(k)) if is_counter(k) => (*k, other),
            (other, Expr::Var(k)) if is_counter(k) => (*k, other),
            _ => return None,
        };
        let other = if let Expr::Var(y) = other {
            Some((*y, self.times(*y)))
        } else if let Expr::Const(_) = other {
            None
        } else {
            return None;
        };
        Some(Sum { x, value: e.clone(), counter, other })
    }

    /// The sums that hold wherever their scalar is known: both it and what it is a sum of never change.
    fn fixed(self) -> FxHashMap<Name, Expr> {
        let holds = |sum: &Sum| {
            let here = self.declared.get(&sum.x).is_some_and(|around| around.contains(&sum.counter));
            let other = sum.other.is_none_or(|(y, before)| {
                self.times(y) == before && (before == 0 || before == 1 && self.declared.contains_key(&y))
            });
            here && other && self.times(sum.x) == 1 && self.times(sum.counter) == 0
        };
        self.sums.iter().filter(|sum| holds(sum)).map(|sum| (sum.x, sum.value.clone())).collect()
    }
}

struct Offsets<'s>(&'s FxHashMap<Name, Expr>);

impl Mutator for Offsets<'_> {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        if let Code::Write { offset, .. } = code {
            Instead(self.0).expr(offset);
        }
        change_code(self, code);
    }

    fn expr(&mut self, e: &mut Expr) {
        if let Expr::Index { offset, .. } = e {
            Instead(self.0).expr(offset);
        } else {
            change_expr(self, e);
        }
    }
}
