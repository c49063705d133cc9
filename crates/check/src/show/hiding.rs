//! Sizes that need not be printed, because the abbreviations in a type hide them.
//!
//! What is printed is read back: an abbreviation brings new sizes, bound around the nearest result or around
//! the whole type. A size is hidden if it is bound there, and if nothing that is printed mentions it.

use super::given::{given, Sizes, Unknown};
use super::texts::{Mentions, Space};
use crate::types::{Type, TypeArg};
use fehu_base::Name;
use rustc_hash::FxHashSet;

/// The hidden sizes of a type around which these names are bound.
pub(super) fn hidden(around: &[Name], t: &Type) -> FxHashSet<Name> {
    if !may_hide(t) {
        return FxHashSet::default();
    }
    let mut shown = FxHashSet::default();
    loop {
        let mut walk = Walk { around, shown: &shown, hidden: vec![], mentions: Mentions::default() };
        walk.ty(t, around);
        let mentioned: FxHashSet<Name> =
            walk.mentions.used.iter().filter(|(_, s)| *s == Space::Values).map(|(n, _)| *n).collect();
        let uses = |n: Name| walk.hidden.iter().filter(|m| **m == n).count();
        let wrong: Vec<Name> =
            walk.hidden.iter().copied().filter(|n| mentioned.contains(n) || uses(*n) > 1).collect();
        if wrong.is_empty() {
            return walk.hidden.into_iter().collect();
        }
        // Where these are not hidden, more is printed.
        shown.extend(wrong);
    }
}

/// Whether an abbreviation that hides sizes is anywhere in a type.
fn may_hide(t: &Type) -> bool {
    if t.abbreviation().is_some_and(|a| !a.def.def.dims.is_empty()) {
        return true;
    }
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => false,
        Type::Array(_, _, elem) => may_hide(elem),
        Type::Record(fields) => fields.iter().any(|(_, t)| may_hide(t)),
        Type::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).any(may_hide),
        Type::Arrow(a) => may_hide(&a.lhs) || may_hide(&a.ret.ty),
        Type::Var(_, _, args) => args.iter().any(|a| match a {
            TypeArg::Size(_) => false,
            TypeArg::Type(t) => may_hide(t),
        }),
    }
}

/// A walk over what is printed of a type.
struct Walk<'a> {
    /// The names that are bound around the whole type; so are the sizes of parameters.
    around: &'a [Name],
    /// Sizes that are not hidden.
    shown: &'a FxHashSet<Name>,
    /// Those that uses of abbreviations hide.
    hidden: Vec<Name>,
    mentions: Mentions,
}

impl Walk<'_> {
    /// A type around which the nearest place that binds sizes binds these.
    fn ty(&mut self, t: &Type, nearest: &[Name]) {
        fehu_base::stack::deep(|| self.ty_inner(t, nearest));
    }

    fn ty_inner(&mut self, t: &Type, nearest: &[Name]) {
        let shown = self.shown;
        let hides = |n: Name| nearest.contains(&n) && !shown.contains(&n);
        if let Some(used) = given(t, Sizes { hides: &hides, unknown: Unknown::Hidden }) {
            self.hidden.extend(used.hidden);
            return used.args.iter().for_each(|a| self.arg(a, nearest));
        }
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
            Type::Array(_, size, elem) => {
                self.mentions.size(size);
                self.ty(elem, nearest);
            }
            Type::Record(fields) => fields.iter().for_each(|(_, t)| self.ty(t, nearest)),
            Type::Sum(constrs) => {
                constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| self.ty(t, nearest));
            }
            Type::Arrow(a) => {
                self.ty(&a.lhs, self.around);
                self.ty(&a.ret.ty, &a.ret.dims);
            }
            Type::Var(_, _, args) => args.iter().for_each(|a| self.arg(a, nearest)),
        }
    }

    fn arg(&mut self, a: &TypeArg, nearest: &[Name]) {
        match a {
            TypeArg::Size(s) => self.mentions.size(s),
            TypeArg::Type(t) => self.ty(t, nearest),
        }
    }
}
