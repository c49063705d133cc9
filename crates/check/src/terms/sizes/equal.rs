//! Whether two expressions are written the same, as sizes.
//!
//! Places and types do not count. Where one side is a plain variable and the
//! other is something else (or another variable), `leaf` is asked.

use crate::subst::exp_size;
use crate::tast::{Exp, ExpKind, Index, RangeEnd};
use crate::types::Size;
use std::sync::Arc;

/// Compares; `leaf` decides pairs that involve a variable.
pub(crate) fn same_exp(a: &Exp, b: &Exp, leaf: &mut dyn FnMut(&Exp, &Exp) -> bool) -> bool {
    let (a, b) = (skin(a), skin(b));
    if Arc::ptr_eq(&a.kind, &b.kind) {
        return true;
    }
    match (&*a.kind, &*b.kind) {
        (ExpKind::Var(x, _), ExpKind::Var(y, _)) if x == y => true,
        (ExpKind::Var(..), _) | (_, ExpKind::Var(..)) => leaf(a, b),
        (ExpKind::Literal(x), ExpKind::Literal(y)) => x == y,
        (ExpKind::String(x), ExpKind::String(y)) => x == y,
        (ExpKind::Hole, ExpKind::Hole) => true,
        (ExpKind::Record(xs), ExpKind::Record(ys)) => {
            xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.0 == y.0 && same_exp(&x.1, &y.1, leaf))
        }
        (ExpKind::Array(xs), ExpKind::Array(ys)) => all(xs, ys, leaf),
        (ExpKind::Constr(c, xs), ExpKind::Constr(d, ys)) => c == d && all(xs, ys, leaf),
        (ExpKind::Project(x, f), ExpKind::Project(y, g)) => f == g && same_exp(x, y, leaf),
        (ExpKind::Index(x, is), ExpKind::Index(y, js)) => {
            same_exp(x, y, leaf)
                && is.len() == js.len()
                && is.iter().zip(js).all(|(i, j)| same_index(i, j, leaf))
        }
        (ExpKind::Negate(x), ExpKind::Negate(y))
        | (ExpKind::Not(x), ExpKind::Not(y))
        | (ExpKind::Coerce(x), ExpKind::Coerce(y)) => same_exp(x, y, leaf),
        (ExpKind::And(x, y), ExpKind::And(v, w)) | (ExpKind::Or(x, y), ExpKind::Or(v, w)) => {
            same_exp(x, v, leaf) && same_exp(y, w, leaf)
        }
        (ExpKind::Apply(f, xs), ExpKind::Apply(g, ys)) => same_exp(f, g, leaf) && all(xs, ys, leaf),
        (ExpKind::If(c, t, f), ExpKind::If(d, u, g)) => {
            same_exp(c, d, leaf) && same_exp(t, u, leaf) && same_exp(f, g, leaf)
        }
        (
            ExpKind::Range { start: s1, second: t1, end: e1 },
            ExpKind::Range { start: s2, second: t2, end: e2 },
        ) => {
            same_exp(s1, s2, leaf)
                && same_option(t1.as_ref(), t2.as_ref(), leaf)
                && match (e1, e2) {
                    (RangeEnd::Inclusive(x), RangeEnd::Inclusive(y))
                    | (RangeEnd::UpTo(x), RangeEnd::UpTo(y))
                    | (RangeEnd::DownTo(x), RangeEnd::DownTo(y)) => same_exp(x, y, leaf),
                    (RangeEnd::Inclusive(_) | RangeEnd::UpTo(_) | RangeEnd::DownTo(_), _) => false,
                }
        }
        _ => false,
    }
}

/// Whether two sizes are written the same.
pub(crate) fn same_size(a: &Size, b: &Size) -> bool {
    match (a, b) {
        (Size::Const(x), Size::Const(y)) => x == y,
        (Size::Var(x), Size::Var(y)) => x == y,
        (Size::Exp(x), Size::Exp(y)) => same_exp(x, y, &mut |_, _| false),
        (Size::Any, Size::Any) => true,
        (Size::Const(_) | Size::Var(_) | Size::Exp(_) | Size::Any, _) => false,
    }
}

/// What does not count in a size: attributes and assertions.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn skin(e: &Exp) -> &Exp {
    match &*e.kind {
        ExpKind::Attr(_, e) | ExpKind::Assert(_, e, _) => skin(e),
        _ => e,
    }
}

/// The expression as a size, without what does not count.
pub(crate) fn bare_size(e: &Exp) -> Size {
    exp_size(skin(e).clone())
}

fn all(xs: &[Exp], ys: &[Exp], leaf: &mut dyn FnMut(&Exp, &Exp) -> bool) -> bool {
    xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| same_exp(x, y, leaf))
}

fn same_option(x: Option<&Exp>, y: Option<&Exp>, leaf: &mut dyn FnMut(&Exp, &Exp) -> bool) -> bool {
    match (x, y) {
        (None, None) => true,
        (Some(x), Some(y)) => same_exp(x, y, leaf),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn same_index(i: &Index, j: &Index, leaf: &mut dyn FnMut(&Exp, &Exp) -> bool) -> bool {
    match (i, j) {
        (Index::Fix(x), Index::Fix(y)) => same_exp(x, y, leaf),
        (Index::Slice { lo: a, hi: b, stride: c }, Index::Slice { lo: x, hi: y, stride: z }) => {
            same_option(a.as_ref(), x.as_ref(), leaf)
                && same_option(b.as_ref(), y.as_ref(), leaf)
                && same_option(c.as_ref(), z.as_ref(), leaf)
        }
        (Index::Fix(_) | Index::Slice { .. }, _) => false,
    }
}
