//! Types by the names that the user gave them.
//!
//! In: a type that knows its abbreviation. Out: the abbreviation with its arguments; or none, if the type is
//! no longer what the abbreviation stands for: a part may have another size by now.
//!
//! ```text
//! type pair [n] 'a = {x: [n]a, y: [n]a}
//! *{x: [3]i32, y: [3]i32}    is    *pair [3] i32
//! ```
//!
//! A definition may hide sizes. The type is what it stands for as long as nothing else in the whole type tells
//! of these sizes ([`super::hiding`]):
//!
//! ```text
//! type~ row = []i32
//! [n] -> [n]i32 -> ?[m].[m]i32    is    row -> row
//! [n] -> [n]i32 -> [n]i32         is    itself
//! ```

use crate::subst::make_nonunique;
use crate::tast::{Exp, ExpKind};
use crate::terms::sizes::equal::{same_exp, Synonyms};
use crate::types::{Abbreviation, Size, TParam, Type, TypeArg, Uniq};
use crate::visit::children;
use fehu_base::Name;

/// An abbreviation as it is used.
pub(super) struct Use<'a> {
    pub(super) of: &'a Abbreviation,
    pub(super) uniq: Uniq,
    pub(super) args: Vec<TypeArg>,
    /// The sizes of the type that the definition hides.
    pub(super) hidden: Vec<Name>,
}

/// What is known of sizes that definitions hide.
#[derive(Clone, Copy)]
pub(super) struct Sizes<'a> {
    /// Whether a size may be hidden.
    pub(super) hides: &'a dyn Fn(Name) -> bool,
    /// What `[]` may be.
    pub(super) unknown: Unknown,
}

/// What `[]` may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// A hidden size that stands nowhere else.
    Once,
    /// Any hidden size: the type was what its abbreviation stands for when its sizes were left out.
    Hidden,
}

/// How the user abbreviated a type.
pub(super) fn given<'t>(t: &'t Type, sizes: Sizes<'_>) -> Option<Use<'t>> {
    let of = t.abbreviation()?;
    if stars(&of.def.def.ty)? == Some(Uniq::Unique) {
        return None;
    }
    let uniq = stars(t)?.unwrap_or(Uniq::Nonunique);
    let (params, dims) = (&of.def.tparams, &of.def.def.dims);
    let (args, hidden) = (vec![None; params.len()], vec![None; dims.len()]);
    let mut found = Match { params, dims, sizes, args, hidden, bound: vec![] };
    if !found.ty(&of.def.def.ty, t, Stars::Ignored) {
        return None;
    }
    let hidden = found.hidden.into_iter().flatten().filter_map(|s| match s {
        Size::Var(n) => Some(n),
        Size::Const(_) | Size::Exp(_) | Size::Any => None,
    });
    Some(Use { of, uniq, hidden: hidden.collect(), args: found.args.into_iter().collect::<Option<_>>()? })
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
    /// The sizes that the definition hides.
    dims: &'a [Name],
    sizes: Sizes<'a>,
    /// What the parameters stand for.
    args: Vec<Option<TypeArg>>,
    /// What the hidden sizes stand for.
    hidden: Vec<Option<Size>>,
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
            (Size::Var(n), _) if self.dims.contains(n) => self.hides(*n, size),
            (Size::Var(m), Size::Var(n)) => m == n || self.bound.contains(&(*m, *n)),
            (Size::Const(a), Size::Const(b)) => a == b,
            (Size::Exp(a), Size::Exp(b)) => {
                // Other names of the same values would be other texts.
                same_exp(&Synonyms::default(), a, b, &mut |x, y| self.size(x, y))
            }
            (Size::Any, Size::Any) => true,
            (Size::Exp(e), Size::Any) => self.sizes.unknown == Unknown::Hidden && mentions(e, self.dims),
            (Size::Const(_) | Size::Var(_) | Size::Exp(_) | Size::Any, _) => false,
        }
    }

    fn param(&self, n: Name) -> Option<usize> {
        self.params.iter().position(|p| p.name() == n)
    }

    /// Whether a parameter may stand for this: the same at all its places.
    fn stands_for(&mut self, param: usize, arg: TypeArg) -> bool {
        match self.args[param].replace(arg.clone()) {
            Some(before) => {
                let sizes = Sizes { hides: &|_| false, unknown: Unknown::Once };
                let (args, hidden, bound) = (vec![], vec![], vec![]);
                Match { params: &[], dims: &[], sizes, args, hidden, bound }.arg(&before, &arg)
            }
            None => true,
        }
    }

    /// Whether the definition's size may stand for this one: the same at all its places, and no other hidden one.
    fn hides(&mut self, dim: Name, size: &Size) -> bool {
        let Some(at) = self.dims.iter().position(|d| *d == dim) else { return false };
        let right = match (size, &self.hidden[at]) {
            (Size::Any, None) => true,
            (Size::Any, Some(before)) => self.sizes.unknown == Unknown::Hidden && matches!(before, Size::Any),
            (Size::Var(n), Some(before)) => matches!(before, Size::Var(m) if m == n),
            (Size::Var(n), None) => {
                let another = |s: &Option<Size>| matches!(s, Some(Size::Var(m)) if m == n);
                (self.sizes.hides)(*n) && !self.hidden.iter().any(another)
            }
            (Size::Const(_) | Size::Exp(_), _) => false,
        };
        self.hidden[at] = Some(size.clone());
        right
    }
}

fn mentions(e: &Exp, names: &[Name]) -> bool {
    let mut found = matches!(&*e.kind, ExpKind::Var(n, _) if names.contains(n));
    children(e, &mut |c| found = found || mentions(c, names));
    found
}
