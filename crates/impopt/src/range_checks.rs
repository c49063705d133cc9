//! Whether an index is within bounds takes one comparison.
//!
//! ```text
//! low = 0 <= i                          low = 0 <= i
//! high = i < n              =>          high = i < n
//! inside = low && high                  inside = unsigned i < unsigned max(n, 0)
//! ```
//!
//! A negative index is a large number without a sign, and so is not below the bound. The bound is 0 if it is
//! negative: so the two agree whatever is known of it. It hardly ever changes in a loop, so that C compilers
//! compute the maximum before. What is not used any more, they remove.

use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::Name;
use fehu_imp::build::{binary, constant};
use fehu_imp::ops::Operation;
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, Expr, Program};
use fehu_imp::visit::{change_code, Mutator};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// Checks of both bounds of an index are one comparison.
pub static PASS: Pass<Program> = Pass {
    name: "range-checks",
    need: Need::Optional,
    run: |program| {
        let bodies = program.functions.iter_mut().map(|f| &mut f.body);
        bodies.chain([&mut program.init]).for_each(|body| Checks.code(body));
    },
};

struct Checks;

impl Mutator for Checks {
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        if let Code::Seq(codes) = code {
            in_sequence(codes);
        }
        change_code(self, code);
    }

    fn expr(&mut self, _: &mut Expr) {}
}

/// One side of a check.
enum Side {
    /// The expression is not negative.
    Low(IntType, Expr),
    /// The first is below the second.
    High(IntType, Expr, Expr),
}

/// Replaces checks in statements that follow each other: between the comparisons and what joins them nothing
/// else runs, and no scalar is assigned that they mention.
fn in_sequence<O: Operation>(codes: &mut [Code<O>]) {
    let mut sides: FxHashMap<Name, Side> = FxHashMap::default();
    for code in codes {
        match code {
            Code::SetScalar(x, e) => {
                if let Some(check) = joined(&sides, e) {
                    *e = check;
                }
                let x = *x;
                sides.retain(|of, side| *of != x && !mentions(side, x));
                sides.extend(side(e).filter(|side| !mentions(side, x)).map(|side| (x, side)));
            }
            Code::DeclareScalar(..) | Code::Write { .. } | Code::Assert { .. } => {}
            Code::Seq(_)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Copy { .. }
            | Code::For { .. }
            | Code::While(..)
            | Code::If(..)
            | Code::Call { .. }
            | Code::Op(_) => sides.clear(),
        }
    }
}

fn side(e: &Expr) -> Option<Side> {
    let Expr::CmpOp(op, a, b) = e else { return None };
    // Memory may be written between.
    if [a, b].into_iter().any(|e| reads(e)) {
        return None;
    }
    match op {
        CmpOp::SLe(ty) if is_zero(a) => Some(Side::Low(*ty, (**b).clone())),
        CmpOp::SLt(ty) => Some(Side::High(*ty, (**a).clone(), (**b).clone())),
        CmpOp::SLe(_)
        | CmpOp::Eq(_)
        | CmpOp::ULt(_)
        | CmpOp::ULe(_)
        | CmpOp::FLt(_)
        | CmpOp::FLe(_)
        | CmpOp::BLt
        | CmpOp::BLe => None,
    }
}

/// The one comparison for two sides that are joined.
fn joined(sides: &FxHashMap<Name, Side>, e: &Expr) -> Option<Expr> {
    let Expr::BinOp(BinOp::LogAnd, a, b) = e else { return None };
    let (Expr::Var(a), Expr::Var(b)) = (&**a, &**b) else { return None };
    let (Side::Low(ty, i), Side::High(other, j, n)) = (sides.get(a)?, sides.get(b)?) else { return None };
    if ty != other || i != j {
        return None;
    }
    let bound = match constant(n) {
        Some(n) if n >= 0 => Expr::Const(PrimValue::int(*ty, n)),
        Some(_) | None => binary(BinOp::SMax(*ty), n.clone(), Expr::Const(PrimValue::int(*ty, 0))),
    };
    Some(Expr::CmpOp(CmpOp::ULt(*ty), Box::new(i.clone()), Box::new(bound)))
}

fn is_zero(e: &Expr) -> bool {
    matches!(e, Expr::Const(v) if matches!(v.prim_type(), PrimType::Int(ty) if *v == PrimValue::int(ty, 0)))
}

fn reads(e: &Expr) -> bool {
    let mut reads = false;
    for_each_part(e, &mut |part| reads |= matches!(part, Expr::Index { .. }));
    reads
}

fn mentions(side: &Side, x: Name) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| for_each_part(e, &mut |part| found |= matches!(part, Expr::Var(y) if *y == x));
    match side {
        Side::Low(_, i) => look(i),
        Side::High(_, i, n) => {
            look(i);
            look(n);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_imp::build::{and, i64, le, lt, var};
    use fehu_imp::syntax::HostOp;

    fn check(between: Vec<Code<HostOp>>, i: Expr) -> Expr {
        let set = |x: u32, e| Code::SetScalar(Name(x), e);
        let mut codes = vec![set(1, le(i64(0), var(Name(0)))), set(2, lt(i, var(Name(9))))];
        codes.extend(between);
        codes.push(set(3, and(var(Name(1)), var(Name(2)))));
        in_sequence(&mut codes);
        match codes.pop() {
            Some(Code::SetScalar(_, e)) => e,
            other => panic!("{other:?}"),
        }
    }

    fn is_one(e: &Expr) -> bool {
        matches!(e, Expr::CmpOp(CmpOp::ULt(IntType::I64), ..))
    }

    #[test]
    fn only_of_the_same_index() {
        assert!(is_one(&check(vec![], var(Name(0)))));
        assert!(!is_one(&check(vec![], var(Name(8)))));
    }

    #[test]
    fn only_of_what_stays_the_same() {
        let set = |x: u32| vec![Code::SetScalar(Name(x), i64(7))];
        assert!(is_one(&check(set(5), var(Name(0)))));
        for x in [0, 1, 2, 9] {
            assert!(!is_one(&check(set(x), var(Name(0)))), "{x}");
        }
        let nested = vec![Code::If(var(Name(4)), Box::new(set(0).remove(0)), Box::new(Code::Seq(vec![])))];
        assert!(!is_one(&check(nested, var(Name(0)))));
    }
}
