//! Sizes that leave their scope.
//!
//! When a `let`, a branch or a function ends, its type may mention sizes that
//! are not known outside. At places where a value shows the size (an array
//! outside of functions) the size gets a new name; in the result of an arrow
//! it becomes an existential size of that arrow.

use super::equal::{same_size, Synonyms};
use super::extent::nodes_up_to;
use super::tables::{mentioned_size, Flex, Slot, Unknown};
use super::Sizer;
use crate::subst::{exp_size, Subst};
use crate::tast::{Exp, ExpKind};
use crate::type_exp::uses::constructive;
use crate::types::{Arrow, Parts, RetType, Size, Type, TypeArg};
use fehu_base::{Name, Span};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Which names are not to be seen any more.
pub(crate) enum Hidden {
    /// These.
    Names(FxHashSet<Name>),
    /// Variables bound deeper than the level; unknown sizes made in deeper bodies than the depth.
    Deeper { level: u32, depth: u32 },
}

/// Names given to sizes that go out of scope.
#[derive(Default)]
struct Renaming {
    pairs: Vec<(Size, Name)>,
}

impl Renaming {
    fn find(&self, known: &Synonyms, s: &Size) -> Option<Name> {
        self.pairs.iter().find(|(t, _)| same_size(known, s, t)).map(|(_, n)| *n)
    }

    fn name(&mut self, me: &mut Sizer<'_>, s: &Size) -> Name {
        if let Some(n) = self.find(&me.ctx.synonyms, s) {
            return n;
        }
        let n = match s {
            Size::Var(v) => me.ctx.names.fresh_like(*v),
            Size::Const(_) | Size::Exp(_) | Size::Any => me.ctx.names.fresh_str("d"),
        };
        self.pairs.push((s.clone(), n));
        n
    }

    /// The type written with the names given so far.
    fn rewrite_type(&self, known: &Synonyms, t: &Type) -> Type {
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => t.clone(),
            Type::Array(u, s, e) => {
                Type::Array(*u, self.rewrite(known, s), e.with(self.rewrite_type(known, e)))
            }
            Type::Record(fs) => {
                Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, self.rewrite_type(known, t))).collect()))
            }
            Type::Sum(cs) => Type::Sum(
                cs.with(
                    cs.iter()
                        .map(|(c, ts)| (*c, ts.iter().map(|t| self.rewrite_type(known, t)).collect()))
                        .collect(),
                ),
            ),
            Type::Arrow(a) => Type::Arrow(a.with(Arrow {
                param: a.param,
                lhs: self.rewrite_type(known, &a.lhs),
                ret: RetType { dims: a.ret.dims.clone(), ty: self.rewrite_type(known, &a.ret.ty) },
            })),
            Type::Var(u, n, args) => {
                let args = args
                    .iter()
                    .map(|a| match a {
                        TypeArg::Size(s) => TypeArg::Size(self.rewrite(known, s)),
                        TypeArg::Type(t) => TypeArg::Type(self.rewrite_type(known, t)),
                    })
                    .collect();
                Type::Var(*u, *n, Arc::new(args))
            }
        }
    }

    /// The size written with the names given so far: `n - k` where `k` has a new name.
    fn rewrite(&self, known: &Synonyms, s: &Size) -> Size {
        match s {
            Size::Exp(e) => exp_size(self.rewrite_exp(known, e)),
            Size::Var(_) => self.find(known, s).map_or_else(|| s.clone(), Size::Var),
            Size::Const(_) | Size::Any => s.clone(),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn rewrite_exp(&self, known: &Synonyms, e: &Exp) -> Exp {
        let size = exp_size(e.clone());
        if let Some(n) = self.find(known, &size) {
            return Exp { kind: Arc::new(ExpKind::Var(n, vec![])), ..e.clone() };
        }
        let kind = match &*e.kind {
            ExpKind::Apply(f, args) => {
                ExpKind::Apply(f.clone(), args.iter().map(|a| self.rewrite_exp(known, a)).collect())
            }
            ExpKind::Negate(x) => ExpKind::Negate(self.rewrite_exp(known, x)),
            _ => return e.clone(),
        };
        Exp { kind: Arc::new(kind), ..e.clone() }
    }
}

/// How long a size expression is, so that parts come before what they are part of.
fn length(s: &Size) -> usize {
    match s {
        Size::Exp(e) => nodes_up_to(e, usize::MAX),
        Size::Const(_) | Size::Var(_) | Size::Any => 1,
    }
}

impl Sizer<'_> {
    pub(crate) fn is_hidden(&self, n: Name, hidden: &Hidden) -> bool {
        match hidden {
            Hidden::Names(names) => names.contains(&n),
            Hidden::Deeper { level, depth } => {
                if let Some(u) = self.unknowns.get(&n) {
                    return u.depth > *depth;
                }
                !self.flexes.contains_key(&n) && self.levels.get(&n).is_some_and(|l| l > level)
            }
        }
    }

    /// What leaves a scope: sizes to be found belong outside now.
    pub(crate) fn raise(&mut self, t: &Type, level: u32) {
        let mut metas = vec![];
        super::tables::collect_metas(t, &mut metas);
        for m in metas {
            let root = self.root(m);
            if let Slot::Free { level: l, .. } = &mut self.slots[root as usize] {
                *l = (*l).min(level);
            }
        }
        for n in super::tables::mentioned_type(t) {
            if let Some(Flex::Free { level: l, .. }) = self.flexes.get_mut(&n) {
                *l = (*l).min(level);
            }
        }
    }

    /// A type that leaves the scope of an expression: hidden sizes become
    /// unknown ones of that expression, which are returned.
    pub(crate) fn leave(&mut self, t: &Type, hidden: &Hidden, span: Span, why: &str) -> (Type, Vec<Name>) {
        let t = self.zonk(t);
        let t = self.fresh_binders(&t);
        let mut renaming = Renaming::default();
        self.name_shown(&t, hidden, &mut renaming);
        let t = self.hide(&t, hidden, &mut renaming);
        let mut ext = vec![];
        let mut subst = Subst::default();
        for (s, n) in renaming.pairs {
            let base = match &s {
                Size::Var(v) => self.ctx.names.base(*v).as_str(),
                Size::Const(_) | Size::Exp(_) | Size::Any => "d",
            };
            let shown = self.show_size(&s);
            let u = self.unknown(base, span, format!("an unknown size arising from \"{shown}\" {why}"));
            subst.rename_value(n, u);
            ext.push(u);
        }
        let t = subst.ty(&mut self.ctx.names, &mut vec![], &t);
        // What the value does not show, it does not bring.
        let mut shown = FxHashSet::default();
        constructive(&t, &mut shown);
        ext.retain(|n| shown.contains(n));
        if let Hidden::Deeper { level, .. } = hidden {
            self.raise(&t, *level);
        }
        (t, ext)
    }

    /// The type with new names for what its arrows bind: those are not hidden.
    fn fresh_binders(&mut self, t: &Type) -> Type {
        if !has_arrow(t) {
            return t.clone();
        }
        Subst::default().ty(&mut self.ctx.names, &mut vec![], t)
    }

    /// A result type without its hidden sizes.
    pub(crate) fn hide_ret(&mut self, r: &RetType, hidden: &Hidden) -> RetType {
        let r = self.zonk_ret(r);
        let r = RetType { dims: r.dims, ty: self.fresh_binders(&r.ty) };
        let own: FxHashSet<Name> = r.dims.iter().copied().collect();
        let mut renaming = Renaming::default();
        let both = |me: &Self, n: Name| own.contains(&n) || me.is_hidden(n, hidden);
        let names: FxHashSet<Name> =
            super::tables::mentioned_type(&r.ty).into_iter().filter(|n| both(self, *n)).collect();
        if names.is_empty() {
            return RetType::simple(r.ty);
        }
        let hidden = Hidden::Names(names);
        self.name_shown(&r.ty, &hidden, &mut renaming);
        let ty = self.hide(&r.ty, &hidden, &mut renaming);
        let mut shown = FxHashSet::default();
        constructive(&ty, &mut shown);
        let mut dims = vec![];
        for (s, n) in renaming.pairs {
            self.ctx.def_spans.entry(n).or_insert(Span::NONE);
            if shown.contains(&n) {
                dims.push(n);
                continue;
            }
            let why = format!("an unknown size arising from \"{}\" going out of scope", self.show_size(&s));
            self.unknowns.insert(n, Unknown { span: Span::NONE, why, index: None, depth: 0 });
        }
        RetType { dims, ty }
    }

    /// Names the hidden sizes that values of the type show, short ones first: where a value shows
    /// both `k` and `n - k`, only `k` needs a name.
    fn name_shown(&mut self, t: &Type, hidden: &Hidden, renaming: &mut Renaming) {
        let mut shown = vec![];
        collect_shown(t, &mut shown);
        let mut shown: Vec<Size> = shown.into_iter().map(|s| self.size(s)).collect();
        shown.sort_by_key(length);
        for s in shown {
            self.hide_size(&s, hidden, renaming);
        }
    }

    fn hide(&mut self, t: &Type, hidden: &Hidden, renaming: &mut Renaming) -> Type {
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => t.clone(),
            Type::Array(u, s, e) => {
                let s = self.hide_size(s, hidden, renaming);
                Type::Array(*u, s, e.with(self.hide(e, hidden, renaming)))
            }
            Type::Record(fs) => {
                Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, self.hide(t, hidden, renaming))).collect()))
            }
            Type::Sum(cs) => Type::Sum(
                cs.with(
                    cs.iter()
                        .map(|(c, ts)| (*c, ts.iter().map(|t| self.hide(t, hidden, renaming)).collect()))
                        .collect(),
                ),
            ),
            Type::Arrow(a) => self.hide_arrow(a, hidden, renaming),
            Type::Var(u, n, args) => {
                let args = args
                    .iter()
                    .map(|a| match a {
                        TypeArg::Size(s) => TypeArg::Size(self.hide_size(s, hidden, renaming)),
                        TypeArg::Type(t) => TypeArg::Type(self.hide(t, hidden, renaming)),
                    })
                    .collect();
                Type::Var(*u, *n, Arc::new(args))
            }
        }
    }

    /// Inside a function a size that the value does not show gets a name in the
    /// parameter (there is no way to call the function then, unless the
    /// size is also shown elsewhere), and becomes existential in the result.
    fn hide_arrow(&mut self, a: &Parts<Arrow>, hidden: &Hidden, renaming: &mut Renaming) -> Type {
        let lhs = self.hide(&a.lhs, hidden, renaming);
        let ret =
            RetType { dims: a.ret.dims.clone(), ty: renaming.rewrite_type(&self.ctx.synonyms, &a.ret.ty) };
        let names: FxHashSet<Name> = super::tables::mentioned_type(&ret.ty)
            .into_iter()
            .filter(|n| self.is_hidden(*n, hidden))
            .collect();
        let ret = if names.is_empty() { ret } else { self.hide_ret_keep(&ret, names) };
        Type::Arrow(a.with(Arrow { param: a.param, lhs, ret }))
    }

    fn hide_ret_keep(&mut self, r: &RetType, names: FxHashSet<Name>) -> RetType {
        let mut renaming = Renaming::default();
        let hidden = Hidden::Names(names);
        self.name_shown(&r.ty, &hidden, &mut renaming);
        let ty = self.hide(&r.ty, &hidden, &mut renaming);
        let mut dims = r.dims.clone();
        dims.extend(renaming.pairs.into_iter().map(|(_, n)| n));
        RetType { dims, ty }
    }

    fn hide_size(&mut self, s: &Size, hidden: &Hidden, renaming: &mut Renaming) -> Size {
        let s = self.size(s);
        let leaves = |me: &Self, s: &Size| mentioned_size(s).into_iter().any(|n| me.is_hidden(n, hidden));
        if !leaves(self, &s) {
            return s;
        }
        let rewritten = renaming.rewrite(&self.ctx.synonyms, &s);
        if !leaves(self, &rewritten) {
            return rewritten;
        }
        Size::Var(renaming.name(self, &s))
    }
}

/// The sizes that values of the type show.
fn collect_shown<'a>(t: &'a Type, out: &mut Vec<&'a Size>) {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error | Type::Arrow(_) => {}
        Type::Array(_, s, e) => {
            out.push(s);
            collect_shown(e, out);
        }
        Type::Record(fs) => fs.iter().for_each(|(_, t)| collect_shown(t, out)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| collect_shown(t, out)),
        Type::Var(_, _, args) => {
            for a in args.iter() {
                match a {
                    TypeArg::Size(s) => out.push(s),
                    TypeArg::Type(t) => collect_shown(t, out),
                }
            }
        }
    }
}

fn has_arrow(t: &Type) -> bool {
    match t {
        Type::Arrow(_) => true,
        Type::Scalar(..) | Type::Meta(_) | Type::Error | Type::Array(..) => false,
        Type::Record(fs) => fs.iter().any(|(_, t)| has_arrow(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(has_arrow),
        Type::Var(_, _, args) => args.iter().any(|a| match a {
            TypeArg::Size(_) => false,
            TypeArg::Type(t) => has_arrow(t),
        }),
    }
}
