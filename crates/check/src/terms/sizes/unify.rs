//! Making the sizes of two types of the same structure equal.
//!
//! The first type is what is expected, the second what is there: a function
//! with a known result size may stand where one with an existential size is
//! expected, but not the other way around.

use super::advice;
use super::equal::{make_equal, Choices, Synonyms, Unequal};
use super::hide::Hidden;
use super::tables::{mentioned_size, mentioned_type, Flex, Slot, DEEPEST};
use super::Sizer;
use crate::context::see;
use crate::named::Named;
use crate::show::without_stars;
use crate::subst::{make_nonunique, Subst};
use crate::terms::unify::{Mismatch, Unified};
use crate::type_exp::uses::{consumes, depends_on};
use crate::types::{Arrow, RetType, Size, Type, TypeArg};
use fehu_base::{Diagnostic, Name, Span};
use fehu_syntax::ast::Liftedness;
use rustc_hash::FxHashSet;

impl Sizer<'_> {
    /// A type for a message about sizes.
    pub(crate) fn show(&mut self, t: &Type) -> String {
        let t = self.known_part(t);
        self.ctx.show().ty(&without_stars(&t))
    }

    /// A type for a message about what is consumed.
    pub(crate) fn show_with_stars(&mut self, t: &Type) -> String {
        let t = self.known_part(t);
        self.ctx.show().ty(&t)
    }

    fn known_part(&mut self, t: &Type) -> Type {
        let t = self.zonk(t);
        self.presentable(&t)
    }

    /// The type with shapes shown for what is still to be found.
    fn presentable(&mut self, t: &Type) -> Type {
        match t {
            Type::Meta(m) => match &self.slots[self.root(*m) as usize] {
                Slot::Free { shape, .. } => shape.clone(),
                Slot::Is(r) => r.ty.clone(),
                Slot::Link(_) => t.clone(),
            },
            Type::Array(u, s, e) => Type::Array(*u, s.clone(), e.with(self.presentable(e))),
            Type::Record(fs) => {
                Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, self.presentable(t))).collect()))
            }
            Type::Arrow(a) => Type::Arrow(a.with(Arrow {
                param: a.param,
                lhs: self.presentable(&a.lhs),
                ret: RetType { dims: a.ret.dims.clone(), ty: self.presentable(&a.ret.ty) },
            })),
            Type::Sum(cs) => Type::Sum(cs.with(
                cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| self.presentable(t)).collect())).collect(),
            )),
            Type::Scalar(..) | Type::Var(..) | Type::Error => t.clone(),
        }
    }

    pub(crate) fn show_size(&mut self, s: &Size) -> String {
        let s = self.size(s);
        self.ctx.show().size(&s)
    }

    /// Complains if the types do not match.
    pub(crate) fn expect(&mut self, span: Span, headline: &str, expected: &Type, actual: &Type) -> bool {
        match self.unify(expected, actual) {
            Ok(()) => true,
            Err(m) => {
                let d = self.size_error(span, headline, expected, actual, &m);
                let d = advice::coercion(self, d, span, expected, actual);
                self.ctx.report(d);
                false
            }
        }
    }

    pub(crate) fn size_error(
        &mut self,
        span: Span,
        headline: &str,
        expected: &Type,
        actual: &Type,
        m: &Mismatch,
    ) -> Diagnostic {
        let (e, a) = (self.show(expected), self.show(actual));
        let d = m.explain(Diagnostic::error(span, format!("{headline}\nExpected: {e}\nActual:   {a}")));
        let mut names: Vec<Name> = vec![];
        for t in [expected, actual] {
            let t = self.zonk(t);
            let mut mentioned: Vec<Name> = mentioned_type(&t).into_iter().collect();
            mentioned.sort();
            names.extend(mentioned);
        }
        names.dedup();
        let (expected, actual) = (self.known_part(expected), self.known_part(actual));
        let mut d = self.ctx.with_abbreviations(d, [&expected, &actual]);
        for n in names {
            if let Some(u) = self.unknowns.get(&n) {
                d = d.note(format!("\"{}\" is {}", self.ctx.show().name(n), u.why));
                if let Some(entry) = u.index {
                    d = d.note(see(entry));
                }
            }
        }
        d
    }

    /// Makes the types equal.
    pub(crate) fn unify(&mut self, expected: &Type, actual: &Type) -> Unified {
        self.ctx.texts.forget();
        self.unify_in(expected, actual, &mut vec![])
    }

    /// As [`Sizer::unify`], under arrows that bind these names.
    fn unify_in(&mut self, a: &Type, b: &Type, bound: &mut Vec<Name>) -> Unified {
        fehu_base::stack::deep(|| self.unify_inner(a, b, bound))
    }

    fn unify_inner(&mut self, a: &Type, b: &Type, bound: &mut Vec<Name>) -> Unified {
        let a = self.peek(a);
        let b = self.peek(b);
        match (&a, &b) {
            (Type::Error, Type::Meta(m)) | (Type::Meta(m), Type::Error) => {
                self.slots[*m as usize] = Slot::Is(RetType::simple(Type::Error));
                Ok(())
            }
            (Type::Error, _) | (_, Type::Error) => Ok(()),
            (Type::Meta(m), Type::Meta(n)) if m == n => Ok(()),
            (Type::Meta(m), Type::Meta(n)) => {
                self.link(*m, *n);
                Ok(())
            }
            (Type::Meta(m), t) | (t, Type::Meta(m)) => {
                let r = RetType::simple(t.clone());
                self.assign(*m, &r, bound)
            }
            (Type::Scalar(s, _), Type::Scalar(t, _)) if s == t => Ok(()),
            (Type::Array(_, m, s), Type::Array(_, n, t)) => {
                self.unify_sizes(m, n, bound)?;
                self.unify_in(s, t, bound)
            }
            (Type::Record(fs), Type::Record(gs)) if fs.len() == gs.len() => {
                for ((_, t), (_, u)) in fs.iter().zip(gs.iter()) {
                    self.unify_in(t, u, bound)?;
                }
                Ok(())
            }
            (Type::Sum(cs), Type::Sum(ds)) if cs.len() == ds.len() => {
                for ((c, ts), (_, us)) in cs.iter().zip(ds.iter()) {
                    for (t, u) in ts.iter().zip(us) {
                        self.unify_in(t, u, bound).map_err(|m| {
                            m.context(format!("When matching types of constructor \"#{c}\"."))
                        })?;
                    }
                }
                Ok(())
            }
            (Type::Arrow(f), Type::Arrow(g)) => self.unify_arrows(f, g, bound),
            (Type::Var(_, x, args), Type::Var(_, y, brgs)) if x == y && args.len() == brgs.len() => {
                for (a, b) in args.iter().zip(brgs.iter()) {
                    match (a, b) {
                        (TypeArg::Size(m), TypeArg::Size(n)) => self.unify_sizes(m, n, bound)?,
                        (TypeArg::Type(t), TypeArg::Type(u)) => self.unify_in(t, u, bound)?,
                        (TypeArg::Size(_), TypeArg::Type(_)) | (TypeArg::Type(_), TypeArg::Size(_)) => {}
                    }
                }
                Ok(())
            }
            _ => {
                let (a, b) = (self.show(&a), self.show(&b));
                Err(Mismatch::new(format!("Types \"{a}\" and \"{b}\" do not match.")))
            }
        }
    }

    fn unify_arrows(&mut self, f: &Arrow, g: &Arrow, bound: &mut Vec<Name>) -> Unified {
        if consumes(&self.peek(&g.lhs)) && !consumes(&self.peek(&f.lhs)) {
            let (x, y) = (self.show_with_stars(&f.lhs), self.show_with_stars(&g.lhs));
            let mut e = Mismatch::new(format!(
                "Parameter types \"{x}\" and \"{y}\" are incompatible regarding consuming their arguments."
            ));
            e.index = Some(Named::UnifyConsumingParam);
            return Err(e);
        }
        self.unify_in(&g.lhs, &f.lhs, bound).map_err(|m| m.context("When matching parameter types."))?;
        let depth = bound.len();
        let (mut r, mut s) = (f.ret.clone(), g.ret.clone());
        if let Some(p) = g.param.or(f.param) {
            let fresh = self.ctx.names.fresh_like(p);
            self.levels.insert(fresh, DEEPEST);
            self.ctx.texts.same(fresh, p);
            if let Some(p) = f.param {
                r = self.rename(&r, p, fresh);
            }
            if let Some(p) = g.param {
                s = self.rename(&s, p, fresh);
            }
            bound.push(fresh);
        }
        let result = self.unify_rets(&r, &s, bound);
        bound.truncate(depth);
        result.map_err(|m| m.context("When matching return types."))
    }

    fn rename(&mut self, r: &RetType, from: Name, to: Name) -> RetType {
        let r = self.zonk_ret(r);
        let mut subst = Subst::default();
        subst.rename_value(from, to);
        subst.ret(&mut self.ctx.names, &r)
    }

    fn unify_rets(&mut self, r: &RetType, s: &RetType, bound: &mut Vec<Name>) -> Unified {
        let r = self.zonk_ret(r);
        let s = self.zonk_ret(s);
        match (&r.ty, &s.ty) {
            (Type::Meta(m), Type::Meta(n)) if r.dims.is_empty() && s.dims.is_empty() => {
                if m != n {
                    self.link(*m, *n);
                }
                return Ok(());
            }
            (Type::Meta(m), _) if r.dims.is_empty() => return self.assign(*m, &s, bound),
            (_, Type::Meta(n)) if s.dims.is_empty() => return self.assign(*n, &r, bound),
            _ => {}
        }
        // What is expected to be existential may be anything; what is there is just itself.
        let mut open = Subst::default();
        for d in &r.dims {
            let base = self.ctx.names.base(*d);
            let span = self.ctx.def_spans.get(d).copied().unwrap_or(Span::NONE);
            let n = self.flex_at(base.as_str(), DEEPEST, super::tables::Origin::Other, span);
            self.private.insert(n);
            open.rename_value(*d, n);
        }
        let mut closed = Subst::default();
        for d in &s.dims {
            let n = self.ctx.names.fresh_like(*d);
            self.ctx.texts.same(n, *d);
            self.levels.insert(n, DEEPEST);
            closed.rename_value(*d, n);
        }
        let rt = open.ty(&mut self.ctx.names, &mut vec![], &r.ty);
        let st = closed.ty(&mut self.ctx.names, &mut vec![], &s.ty);
        let before = self.flex_order.len() - r.dims.len();
        self.unify_in(&rt, &st, bound).map_err(|mut m| {
            // One size that stands for two which differ, and would do so under every name outside.
            let opened = &self.flex_order[before..before + r.dims.len()];
            let local = opened.iter().any(|n| match self.flexes.get(n) {
                Some(Flex::Is(s)) => mentioned_size(s).iter().any(|n| bound.contains(n)),
                Some(Flex::Free { .. }) | None => false,
            });
            if local && m.index.is_none() {
                m.index = Some(Named::ScopeViolation);
            }
            m
        })
    }

    fn link(&mut self, m: u32, n: u32) {
        let (
            Slot::Free { shape, lifted: l1, level: v1, origin, span },
            Slot::Free { lifted: l2, level: v2, .. },
        ) = (self.slots[m as usize].clone(), self.slots[n as usize].clone())
        else {
            return;
        };
        self.slots[m as usize] = Slot::Free { shape, lifted: l1.min(l2), level: v1.min(v2), origin, span };
        self.slots[n as usize] = Slot::Link(m);
    }

    /// Says what a type still to be found is.
    fn assign(&mut self, m: u32, r: &RetType, bound: &[Name]) -> Unified {
        let Slot::Free { lifted, level, .. } = self.slots[m as usize].clone() else { return Ok(()) };
        let mut dims = r.dims.clone();
        let ty = self.zonk_into(&r.ty, &mut dims);
        if self.occurs(m, &ty) {
            // The first layer has seen to it that structure does not repeat.
            return Ok(());
        }
        let ty = make_nonunique(&ty);
        let mentioned = mentioned_type(&ty);
        let hides = dims.iter().chain(bound).any(|n| mentioned.contains(n));
        if !hides {
            self.admit(level, &ty)?;
            self.slots[m as usize] = Slot::Is(RetType::simple(ty));
            return Ok(());
        }
        if lifted == Liftedness::Unlifted {
            let shown = self.ctx.show().ty(&ty);
            return Err(Mismatch::new(format!(
                "A type parameter cannot be instantiated with type containing anonymous sizes (an existential type):\n  {shown}\n\
                 This is usually because the size of an array returned by a higher-order function argument \
                 cannot be determined statically, or because the size is that of a value parameter."
            )));
        }
        let hidden = Hidden::Names(dims.iter().chain(bound).copied().collect());
        let before = self.unknowns.len();
        let r = self.hide_ret(&RetType { dims, ty }, &hidden);
        if self.unknowns.len() > before {
            let shown = self.ctx.show().ret(&r);
            let mut e = Mismatch::new(format!(
                "Existential size would appear in function parameter of return type:\n  {shown}"
            ));
            e.index = Some(Named::ExistentialParamRet);
            return Err(e);
        }
        self.admit(level, &r.ty)?;
        self.existentials += 1;
        self.slots[m as usize] = Slot::Is(r);
        Ok(())
    }

    fn occurs(&self, m: u32, t: &Type) -> bool {
        let mut metas = vec![];
        super::tables::collect_metas(t, &mut metas);
        metas.contains(&m)
    }

    /// That a type may be given to something bound at a level: the names in it are in scope there.
    fn admit(&mut self, level: u32, t: &Type) -> Unified {
        let mut metas = vec![];
        super::tables::collect_metas(t, &mut metas);
        for m in metas {
            let root = self.root(m);
            if let Slot::Free { level: l, .. } = &mut self.slots[root as usize] {
                *l = (*l).min(level);
            }
        }
        let mut names: Vec<Name> = mentioned_type(t).into_iter().collect();
        names.sort();
        self.admit_names(level, &names)
    }

    fn admit_names(&mut self, level: u32, names: &[Name]) -> Unified {
        for n in names {
            if let Some(Flex::Free { level: l, .. }) = self.flexes.get_mut(n) {
                if *l != DEEPEST || level != DEEPEST {
                    *l = (*l).min(level);
                }
                continue;
            }
            match self.levels.get(n) {
                Some(&DEEPEST) if level != DEEPEST => return Err(self.too_early(*n)),
                Some(l) if *l > level => return Err(self.scope_violation(*n)),
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    /// The size of what a function returns is needed where the function has not been called.
    fn too_early(&mut self, n: Name) -> Box<Mismatch> {
        let base = self.ctx.show().name(n);
        let mut e = Mismatch::new(format!(
            "Causality check: size \"{base}\" is needed here, but it is only known when the function has been called."
        ));
        e.index = Some(Named::CausalityCheck);
        e
    }

    fn scope_violation(&mut self, n: Name) -> Box<Mismatch> {
        let base = self.ctx.show().name(n);
        let mut e = Mismatch::new(format!(
            "Scope violation: \"{base}\" is not in scope where the size that must equal it is introduced."
        ));
        e.index = Some(Named::ScopeViolation);
        if let Some(span) = self.ctx.def_spans.get(&n) {
            if *span != Span::NONE {
                e.related.push((*span, format!("\"{base}\" is bound here")));
            }
        }
        e
    }

    /// Makes sizes equal.
    pub(crate) fn unify_sizes(&mut self, a: &Size, b: &Size, bound: &[Name]) -> Unified {
        match make_equal(&mut Unifier { sizer: self, bound }, a, b) {
            Ok(()) => Ok(()),
            Err(Unequal::Refused(why)) => Err(why),
            Err(Unequal::Differ) => Err(self.differ(a, b)),
        }
    }

    fn differ(&mut self, a: &Size, b: &Size) -> Box<Mismatch> {
        let (x, y) = (self.show_size(a), self.show_size(b));
        let mut m = Mismatch::new(format!("Sizes \"{x}\" and \"{y}\" do not match."));
        m.related = self.namesakes(a, b);
        m
    }

    /// Where the names come from that the user calls the same.
    fn namesakes(&mut self, a: &Size, b: &Size) -> Vec<(Span, String)> {
        let [of_a, of_b] = [a, b].map(|s| mentioned_size(&self.size(s)));
        let mut found = vec![];
        for n in of_a.difference(&of_b) {
            let base = self.ctx.names.base(*n);
            let Some(m) = of_b.difference(&of_a).find(|m| self.ctx.names.base(**m) == base) else { continue };
            for n in [n, m] {
                let unknown = self.unknowns.get(n).map(|u| u.span);
                if let Some(span) = unknown.or_else(|| self.ctx.def_spans.get(n).copied()) {
                    found.push((span, format!("\"{}\"", self.ctx.show().name(*n))));
                }
            }
        }
        found.sort();
        found
    }

    fn assign_size(&mut self, n: Name, s: &Size, bound: &[Name]) -> Unified {
        if let Size::Var(m) = s {
            if self.is_free_flex(*m) {
                self.join_flexes(n, *m);
                return Ok(());
            }
        }
        let Some(Flex::Free { level, .. }) = self.flexes.get(&n).cloned() else { return Ok(()) };
        let mut names: Vec<Name> = mentioned_size(s).into_iter().collect();
        names.sort();
        if !self.private.contains(&n) {
            if let Some(b) = names.iter().find(|n| bound.contains(n)) {
                return Err(self.scope_violation(*b));
            }
            self.admit_names(level, &names)?;
        }
        let mut all = FxHashSet::default();
        depends_on(s, &mut all);
        if all.contains(&n) {
            let (x, y) = (self.show_size(&Size::Var(n)), self.show_size(s));
            let mut e = Mismatch::new(format!("Occurs check: cannot make size \"{x}\" equal to \"{y}\"."));
            e.index = Some(Named::OccursCheck);
            return Err(e);
        }
        self.flexes.insert(n, Flex::Is(s.clone()));
        Ok(())
    }

    /// Makes two flexible sizes one. The outer one stays.
    fn join_flexes(&mut self, x: Name, y: Name) {
        let level = |me: &Self, n: &Name| match me.flexes.get(n) {
            Some(Flex::Free { level, .. }) => *level,
            Some(Flex::Is(_)) | None => 0,
        };
        let keep_x = (level(self, &x), x) <= (level(self, &y), y);
        let (keep, drop) = if keep_x { (x, y) } else { (y, x) };
        let l = level(self, &keep).min(level(self, &drop));
        if let Some(Flex::Free { level, .. }) = self.flexes.get_mut(&keep) {
            *level = l;
        }
        self.flexes.insert(drop, Flex::Is(Size::Var(keep)));
    }
}

/// The flexible sizes, under arrows that bind these names.
struct Unifier<'a, 'b> {
    sizer: &'a mut Sizer<'b>,
    bound: &'a [Name],
}

impl Choices for Unifier<'_, '_> {
    type Refusal = Box<Mismatch>;

    fn synonyms(&self) -> &Synonyms {
        &self.sizer.ctx.synonyms
    }

    fn known(&mut self, s: &Size) -> Size {
        self.sizer.size(s)
    }

    fn is_open(&self, n: Name) -> bool {
        self.sizer.is_free_flex(n)
    }

    fn choose(&mut self, n: Name, s: &Size) -> Unified {
        self.sizer.assign_size(n, s, self.bound)
    }
}
