//! When two sizes are equal: the one rule, for unification, for module types and for branches.
//!
//! Sizes are equal when they are written the same; places, types, attributes and assertions do not count. Two
//! names of one value are the same ([`Synonyms`]). Names that stand for sizes still to be found can be chosen
//! ([`Choices`]), operators and other functions cannot.

use crate::subst::exp_size;
use crate::tast::{Exp, ExpKind, Index, RangeEnd};
use crate::types::{Size, Type, TypeArg};
use fehu_base::Name;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Constants and functions that are other ones by definition, local ones too: `def rate = t.rate`,
/// `let rate = t.rate in ...`, or a value seen through a module type.
#[derive(Clone, Default, Debug)]
pub struct Synonyms(FxHashMap<Name, Name>);

impl Synonyms {
    /// Notes that one name stands for what the other stands for.
    pub(crate) fn note(&mut self, name: Name, of: Name) {
        let of = self.value(of);
        if of != name {
            self.0.insert(name, of);
        }
    }

    /// The one name that all names of the same value have in common.
    pub(crate) fn value(&self, name: Name) -> Name {
        self.0.get(&name).copied().unwrap_or(name)
    }

    fn same(&self, a: Name, b: Name) -> bool {
        a == b || self.value(a) == self.value(b)
    }
}

/// What an expression is only another name for: `t.rate`.
pub(crate) fn other_name(e: &Exp) -> Option<Name> {
    let ExpKind::Var(n, inst) = &*e.kind else { return None };
    inst.is_empty().then_some(*n)
}

pub(crate) type Leaf<'a> = dyn FnMut(&Size, &Size) -> bool + 'a;

/// Sizes still to be found.
pub(crate) trait Choices {
    /// Why a size cannot be what is wanted.
    type Refusal;
    fn synonyms(&self) -> &Synonyms;
    /// The size with everything put in that has been chosen.
    fn known(&mut self, s: &Size) -> Size;
    /// Whether the name stands for a size still to be found.
    fn is_open(&self, n: Name) -> bool;
    /// Says what an open name stands for: possibly another open name, never something that mentions it.
    fn choose(&mut self, n: Name, s: &Size) -> Result<(), Self::Refusal>;
}

/// Why two sizes are not equal.
pub(crate) enum Unequal<R> {
    Differ,
    Refused(R),
}

/// Makes two sizes equal by choosing what is open.
pub(crate) fn make_equal<C: Choices>(choices: &mut C, a: &Size, b: &Size) -> Result<(), Unequal<C::Refusal>> {
    let (a, b) = (choices.known(a), choices.known(b));
    match (&a, &b) {
        (Size::Any, _) | (_, Size::Any) => Ok(()),
        (Size::Var(x), Size::Var(y)) if x == y => Ok(()),
        (Size::Var(x), s) if choices.is_open(*x) => choices.choose(*x, s).map_err(Unequal::Refused),
        (s, Size::Var(y)) if choices.is_open(*y) => choices.choose(*y, s).map_err(Unequal::Refused),
        (Size::Exp(x), Size::Exp(y)) => {
            let mut pairs = vec![];
            let alike = same_exp(choices.synonyms(), x, y, &mut |x, y| {
                pairs.push((x.clone(), y.clone()));
                true
            });
            // Each pair is smaller than the whole, and what is chosen does not mention itself: so this ends.
            let same = alike && pairs.iter().all(|(x, y)| make_equal(choices, x, y).is_ok());
            if same {
                Ok(())
            } else {
                Err(Unequal::Differ)
            }
        }
        (Size::Const(_) | Size::Var(_) | Size::Exp(_), _) => {
            if same_size(choices.synonyms(), &a, &b) {
                Ok(())
            } else {
                Err(Unequal::Differ)
            }
        }
    }
}

/// Whether two expressions are written the same but for names of sizes; `leaf` decides pairs in which one
/// side is such a name and the other is not the same one.
pub(crate) fn same_exp(known: &Synonyms, a: &Exp, b: &Exp, leaf: &mut Leaf<'_>) -> bool {
    let (a, b) = (skin(a), skin(b));
    if Arc::ptr_eq(&a.kind, &b.kind) {
        return true;
    }
    let same = |x: &Exp, y: &Exp, leaf: &mut Leaf<'_>| same_exp(known, x, y, leaf);
    match (&*a.kind, &*b.kind) {
        (ExpKind::Var(x, xs), ExpKind::Var(y, ys)) if known.same(*x, *y) => same_sizes(xs, ys, leaf),
        _ if is_size_name(a) || is_size_name(b) => leaf(&exp_size(a.clone()), &exp_size(b.clone())),
        (ExpKind::Literal(x), ExpKind::Literal(y)) => x == y,
        (ExpKind::String(x), ExpKind::String(y)) => x == y,
        (ExpKind::Hole, ExpKind::Hole) => true,
        (ExpKind::Record(xs), ExpKind::Record(ys)) => {
            xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.0 == y.0 && same(&x.1, &y.1, leaf))
        }
        (ExpKind::Array(xs), ExpKind::Array(ys)) => all(known, xs, ys, leaf),
        (ExpKind::Constr(c, xs), ExpKind::Constr(d, ys)) => c == d && all(known, xs, ys, leaf),
        (ExpKind::Project(x, f), ExpKind::Project(y, g)) => f == g && same(x, y, leaf),
        (ExpKind::Index(x, is), ExpKind::Index(y, js)) => {
            same(x, y, leaf)
                && is.len() == js.len()
                && is.iter().zip(js).all(|(i, j)| same_index(known, i, j, leaf))
        }
        (ExpKind::Negate(x), ExpKind::Negate(y))
        | (ExpKind::Not(x), ExpKind::Not(y))
        | (ExpKind::Coerce(x), ExpKind::Coerce(y)) => same(x, y, leaf),
        (ExpKind::And(x, y), ExpKind::And(v, w)) | (ExpKind::Or(x, y), ExpKind::Or(v, w)) => {
            same(x, v, leaf) && same(y, w, leaf)
        }
        (ExpKind::Apply(f, xs), ExpKind::Apply(g, ys)) => same(f, g, leaf) && all(known, xs, ys, leaf),
        (ExpKind::If(c, t, f), ExpKind::If(d, u, g)) => {
            same(c, d, leaf) && same(t, u, leaf) && same(f, g, leaf)
        }
        (
            ExpKind::Range { start: s1, second: t1, end: e1 },
            ExpKind::Range { start: s2, second: t2, end: e2 },
        ) => {
            same(s1, s2, leaf)
                && same_option(known, t1.as_ref(), t2.as_ref(), leaf)
                && match (e1, e2) {
                    (RangeEnd::Inclusive(x), RangeEnd::Inclusive(y))
                    | (RangeEnd::UpTo(x), RangeEnd::UpTo(y))
                    | (RangeEnd::DownTo(x), RangeEnd::DownTo(y)) => same(x, y, leaf),
                    (RangeEnd::Inclusive(_) | RangeEnd::UpTo(_) | RangeEnd::DownTo(_), _) => false,
                }
        }
        _ => false,
    }
}

/// Whether two sizes are written the same.
pub(crate) fn same_size(known: &Synonyms, a: &Size, b: &Size) -> bool {
    match (a, b) {
        (Size::Const(x), Size::Const(y)) => x == y,
        (Size::Var(x), Size::Var(y)) => known.same(*x, *y),
        (Size::Exp(x), Size::Exp(y)) => same_exp(known, x, y, &mut |x, y| same_size(known, x, y)),
        (Size::Any, Size::Any) => true,
        (Size::Const(_) | Size::Var(_) | Size::Exp(_) | Size::Any, _) => false,
    }
}

/// Whether an expression is a name that may stand for a size: not an operator or another function.
fn is_size_name(e: &Exp) -> bool {
    matches!(&*e.kind, ExpKind::Var(_, inst) if inst.is_empty()) && !matches!(e.ty, Type::Arrow(_))
}

/// Whether two uses of a polymorphic value have the same sizes.
fn same_sizes(xs: &[TypeArg], ys: &[TypeArg], leaf: &mut Leaf<'_>) -> bool {
    xs.iter().zip(ys).all(|(x, y)| match (x, y) {
        (TypeArg::Size(x), TypeArg::Size(y)) => leaf(x, y),
        (TypeArg::Size(_) | TypeArg::Type(_), _) => true,
    })
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

fn all(known: &Synonyms, xs: &[Exp], ys: &[Exp], leaf: &mut Leaf<'_>) -> bool {
    xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| same_exp(known, x, y, leaf))
}

fn same_option(known: &Synonyms, x: Option<&Exp>, y: Option<&Exp>, leaf: &mut Leaf<'_>) -> bool {
    match (x, y) {
        (None, None) => true,
        (Some(x), Some(y)) => same_exp(known, x, y, leaf),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn same_index(known: &Synonyms, i: &Index, j: &Index, leaf: &mut Leaf<'_>) -> bool {
    match (i, j) {
        (Index::Fix(x), Index::Fix(y)) => same_exp(known, x, y, leaf),
        (Index::Slice { lo: a, hi: b, stride: c }, Index::Slice { lo: x, hi: y, stride: z }) => {
            same_option(known, a.as_ref(), x.as_ref(), leaf)
                && same_option(known, b.as_ref(), y.as_ref(), leaf)
                && same_option(known, c.as_ref(), z.as_ref(), leaf)
        }
        (Index::Fix(_) | Index::Slice { .. }, _) => false,
    }
}
