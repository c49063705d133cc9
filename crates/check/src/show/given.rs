//! Types by the names that the user gave them.
//!
//! In: a type that knows its abbreviation. Out: the abbreviation with its arguments; or none, if the type is
//! no longer what the abbreviation stands for: a part may have another size by now.
//!
//! ```text
//! type pair [n] 'a = {x: [n]a, y: [n]a}
//! *{x: [3]i32, y: [3]i32}    is    *pair [3] i32
//! ```

use crate::subst::make_nonunique;
use crate::terms::sizes::equal::{same_exp, Synonyms};
use crate::types::{Abbreviation, Size, TParam, Type, TypeArg, Uniq};
use fehu_base::Name;

/// An abbreviation as it is used.
pub(super) struct Use<'a> {
    pub(super) of: &'a Abbreviation,
    pub(super) uniq: Uniq,
    pub(super) args: Vec<TypeArg>,
}

/// How the user abbreviated a type.
pub(super) fn given(t: &Type) -> Option<Use<'_>> {
    let of = t.abbreviation()?;
    // Sizes that a definition hides are bound around the type, where they would then stand for nothing.
    if !of.def.def.dims.is_empty() || stars(&of.def.def.ty)? == Some(Uniq::Unique) {
        return None;
    }
    let uniq = stars(t)?.unwrap_or(Uniq::Nonunique);
    let params = &of.def.tparams;
    let mut found = Match { params, args: vec![None; params.len()], bound: vec![] };
    if !found.ty(&of.def.def.ty, t, Stars::Ignored) {
        return None;
    }
    Some(Use { of, uniq, args: found.args.into_iter().collect::<Option<_>>()? })
}

/// What all parts that can bear a `*` have in common, if there are some; none if they differ.
fn stars(t: &Type) -> Option<Option<Uniq>> {
    fn all<'a>(mut parts: impl Iterator<Item = &'a Type>) -> Option<Option<Uniq>> {
        parts.try_fold(None, |so_far, t| match (so_far, stars(t)?) {
            (Some(a), Some(b)) => (a == b).then_some(Some(a)),
            (a, b) => Some(a.or(b)),
        })
    }
    match t {
        Type::Array(u, ..) | Type::Var(u, ..) => Some(Some(*u)),
        Type::Record(fields) => all(fields.iter().map(|(_, t)| t)),
        Type::Sum(constrs) => all(constrs.iter().flat_map(|(_, ts)| ts)),
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => Some(None),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stars {
    /// They have been looked at.
    Ignored,
    Compared,
}

/// The comparison of a definition with a type.
struct Match<'a> {
    params: &'a [TParam],
    /// What the parameters stand for.
    args: Vec<Option<TypeArg>>,
    /// What arrows bind in the definition and in the type.
    bound: Vec<(Name, Name)>,
}

impl Match<'_> {
    fn ty(&mut self, def: &Type, t: &Type, stars: Stars) -> bool {
        let fits = |u: Uniq, v: Uniq| stars == Stars::Ignored || u == v;
        match (def, t) {
            (Type::Scalar(a, _), Type::Scalar(b, _)) => a == b,
            (Type::Array(u, m, d), Type::Array(v, n, e)) => {
                fits(*u, *v) && self.size(m, n) && self.ty(d, e, Stars::Compared)
            }
            (Type::Record(fs), Type::Record(gs)) => {
                fs.len() == gs.len()
                    && fs.iter().zip(gs.iter()).all(|((f, d), (g, t))| f == g && self.ty(d, t, stars))
            }
            (Type::Sum(cs), Type::Sum(ds)) => {
                let same = |me: &mut Self, xs: &[Type], ys: &[Type]| {
                    xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| me.ty(x, y, stars))
                };
                cs.len() == ds.len()
                    && cs.iter().zip(ds.iter()).all(|((c, xs), (d, ys))| c == d && same(self, xs, ys))
            }
            (Type::Arrow(f), Type::Arrow(g)) => {
                self.bound.extend(f.param.zip(g.param));
                self.bound.extend(f.ret.dims.iter().copied().zip(g.ret.dims.iter().copied()));
                f.ret.dims.len() == g.ret.dims.len()
                    && self.ty(&f.lhs, &g.lhs, Stars::Compared)
                    && self.ty(&f.ret.ty, &g.ret.ty, Stars::Compared)
            }
            (Type::Var(u, n, xs), t) => match (self.param(*n), t) {
                (Some(i), _) => {
                    let t = if stars == Stars::Ignored { make_nonunique(t) } else { t.clone() };
                    self.stands_for(i, TypeArg::Type(t))
                }
                (None, Type::Var(v, m, ys)) => {
                    n == m
                        && fits(*u, *v)
                        && xs.len() == ys.len()
                        && xs.iter().zip(ys.iter()).all(|(x, y)| self.arg(x, y))
                }
                (None, _) => false,
            },
            (
                Type::Scalar(..)
                | Type::Array(..)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_)
                | Type::Meta(_)
                | Type::Error,
                _,
            ) => false,
        }
    }

    fn arg(&mut self, def: &TypeArg, arg: &TypeArg) -> bool {
        match (def, arg) {
            (TypeArg::Size(m), TypeArg::Size(n)) => self.size(m, n),
            (TypeArg::Type(d), TypeArg::Type(t)) => self.ty(d, t, Stars::Compared),
            (TypeArg::Size(_), TypeArg::Type(_)) | (TypeArg::Type(_), TypeArg::Size(_)) => false,
        }
    }

    fn size(&mut self, def: &Size, size: &Size) -> bool {
        match (def, size) {
            (Size::Var(n), _) if self.param(*n).is_some() => {
                self.param(*n).is_some_and(|i| self.stands_for(i, TypeArg::Size(size.clone())))
            }
            (Size::Var(m), Size::Var(n)) => m == n || self.bound.contains(&(*m, *n)),
            (Size::Const(a), Size::Const(b)) => a == b,
            (Size::Exp(a), Size::Exp(b)) => {
                // Other names of the same values would be other texts.
                same_exp(&Synonyms::default(), a, b, &mut |x, y| self.size(x, y))
            }
            (Size::Any, Size::Any) => true,
            (Size::Const(_) | Size::Var(_) | Size::Exp(_) | Size::Any, _) => false,
        }
    }

    fn param(&self, n: Name) -> Option<usize> {
        self.params.iter().position(|p| p.name() == n)
    }

    /// Whether a parameter may stand for this: the same at all its places.
    fn stands_for(&mut self, param: usize, arg: TypeArg) -> bool {
        match self.args[param].replace(arg.clone()) {
            Some(before) => Match { params: &[], args: vec![], bound: vec![] }.arg(&before, &arg),
            None => true,
        }
    }
}
