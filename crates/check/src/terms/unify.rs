//! Making two types equal, sizes aside.

use super::infer::Infer;
use super::metas::{Cons, Free, ScalarSet, Slot, Why, WhyKind};
use super::sizes::tables::collect_metas;
use crate::context::see;
use crate::named::Named;
use crate::scope::TermEntry;
use crate::show::{without_hidden, without_stars, Show};
use crate::types::{Type, TypeArg};
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;

/// Why two types cannot be made equal.
#[derive(Clone, Default, Debug)]
pub(crate) struct Mismatch {
    /// What went wrong, and where in the types.
    pub(crate) lines: Vec<String>,
    /// Other places.
    pub(crate) related: Vec<(Span, String)>,
    /// The entry of the error index that explains it.
    pub(crate) index: Option<Named>,
}

/// The answer of a unification.
pub(crate) type Unified = Result<(), Box<Mismatch>>;

impl Mismatch {
    pub(crate) fn new(line: impl Into<String>) -> Box<Mismatch> {
        Box::new(Mismatch { lines: vec![line.into()], ..Mismatch::default() })
    }

    pub(crate) fn context(mut self: Box<Self>, line: impl Into<String>) -> Box<Mismatch> {
        self.lines.push(line.into());
        self
    }

    /// Adds the reasons to a message.
    pub(crate) fn explain(&self, mut d: Diagnostic) -> Diagnostic {
        for l in &self.lines {
            d.message.push('\n');
            d.message.push_str(l);
        }
        for (span, text) in &self.related {
            d = d.related(*span, text.clone());
        }
        match self.index {
            Some(entry) => d.note(see(entry)),
            None => d,
        }
    }
}

impl Infer<'_> {
    /// A type for a message. Of a part that is not known, it says whether it is a number. Sizes are only
    /// found out later: those that have no name here are not shown.
    pub(crate) fn show(&mut self, t: &Type) -> String {
        let t = self.visible(t);
        let mut unknown = vec![];
        collect_metas(&t, &mut unknown);
        let words = unknown.into_iter().filter_map(|m| Some((m, self.set_of(m)?.word()?))).collect();
        Show { words: Some(&words), ..self.ctx.show() }.ty(&t)
    }

    /// As much of a type as can be shown.
    pub(super) fn visible(&mut self, t: &Type) -> Type {
        let t = self.st.zonk(t);
        let visible = |n: Name| match self.scope.term(self.ctx.names.base(n)) {
            Some(TermEntry::Val(v)) => v.name == n,
            Some(TermEntry::Mod(_)) | None => self.st.size_exps.contains_key(&n),
        };
        without_stars(&without_hidden(&t, &visible, &[]))
    }

    /// The scalar types that a type which is not known may be, if it must be one.
    pub(super) fn set_of(&mut self, meta: u32) -> Option<ScalarSet> {
        let Type::Meta(root) = self.st.head(&Type::Meta(meta)) else { return None };
        if let Slot::Free(free) = &self.st.slots[root as usize] {
            if let Cons::OneOf(set, _) = free.cons {
                return Some(set);
            }
        }
        None
    }

    /// Makes the types equal.
    pub(crate) fn unify(&mut self, expected: &Type, actual: &Type) -> Unified {
        self.ctx.texts.forget();
        fehu_base::stack::deep(|| self.unify_inner(expected, actual))
    }

    fn unify_inner(&mut self, a: &Type, b: &Type) -> Unified {
        let a = self.st.head(a);
        let b = self.st.head(b);
        match (&a, &b) {
            // What is equal to an error is not to be complained about again.
            (Type::Error, Type::Meta(m)) | (Type::Meta(m), Type::Error) => {
                self.st.slots[*m as usize] = Slot::Known(Type::Error);
                Ok(())
            }
            (Type::Error, _) | (_, Type::Error) => Ok(()),
            (Type::Meta(m), Type::Meta(n)) if m == n => Ok(()),
            (Type::Meta(m), Type::Meta(n)) => self.link(*m, *n),
            (Type::Meta(m), t) | (t, Type::Meta(m)) => self.assign(*m, t),
            (Type::Scalar(s, _), Type::Scalar(t, _)) if s == t => Ok(()),
            (Type::Array(_, _, s), Type::Array(_, _, t)) => self.unify(s, t),
            (Type::Record(fs), Type::Record(gs)) => self.unify_records(fs, gs),
            (Type::Sum(cs), Type::Sum(ds)) => self.unify_sums(cs, ds),
            (Type::Arrow(f), Type::Arrow(g)) => {
                self.unify(&f.lhs, &g.lhs).map_err(|m| m.context("When matching parameter types."))?;
                self.unify(&f.ret.ty, &g.ret.ty).map_err(|m| m.context("When matching return types."))
            }
            (Type::Var(_, x, args), Type::Var(_, y, brgs)) if x == y && args.len() == brgs.len() => {
                for (a, b) in args.iter().zip(brgs.iter()) {
                    if let (TypeArg::Type(a), TypeArg::Type(b)) = (a, b) {
                        self.unify(a, b)?;
                    }
                }
                Ok(())
            }
            (
                Type::Scalar(..)
                | Type::Array(..)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_)
                | Type::Var(..),
                _,
            ) => {
                let (a, b) = (self.show(&a), self.show(&b));
                Err(Mismatch::new(format!("Types \"{a}\" and \"{b}\" do not match.")))
            }
        }
    }

    fn unify_records(&mut self, fs: &[(Symbol, Type)], gs: &[(Symbol, Type)]) -> Unified {
        if fs.len() == gs.len() && fs.iter().zip(gs).all(|(f, g)| f.0 == g.0) {
            for ((f, t), (_, u)) in fs.iter().zip(gs) {
                self.unify(t, u)
                    .map_err(|m| m.context(format!("When matching types of record field \"{f}\".")))?;
            }
            return Ok(());
        }
        let only = |xs: &[(Symbol, Type)], ys: &[(Symbol, Type)]| -> Vec<&'static str> {
            xs.iter().filter(|x| ys.iter().all(|y| y.0 != x.0)).map(|x| x.0.as_str()).collect()
        };
        let mut unshared = only(fs, gs);
        unshared.extend(only(gs, fs));
        unshared.sort_unstable();
        Err(Mismatch::new(format!(
            "Cannot unify record types with unshared fields: {}.",
            unshared.join(", ")
        )))
    }

    fn unify_sums(&mut self, cs: &[(Symbol, Vec<Type>)], ds: &[(Symbol, Vec<Type>)]) -> Unified {
        if cs.len() != ds.len() || cs.iter().zip(ds).any(|(c, d)| c.0 != d.0) {
            let only = |xs: &[(Symbol, Vec<Type>)], ys: &[(Symbol, Vec<Type>)]| -> Vec<String> {
                xs.iter().filter(|x| ys.iter().all(|y| y.0 != x.0)).map(|x| format!("#{}", x.0)).collect()
            };
            let mut unshared = only(cs, ds);
            unshared.extend(only(ds, cs));
            unshared.sort_unstable();
            return Err(Mismatch::new(format!("Unshared constructors: {}.", unshared.join(", "))));
        }
        for ((c, ts), (_, us)) in cs.iter().zip(ds) {
            self.unify_payloads(*c, ts, us)?;
        }
        Ok(())
    }

    fn unify_payloads(&mut self, c: Symbol, ts: &[Type], us: &[Type]) -> Unified {
        if ts.len() != us.len() {
            return Err(Mismatch::new(format!(
                "Cannot unify type with constructors \"#{c}\": they differ in arity ({} and {}).",
                ts.len(),
                us.len()
            )));
        }
        for (t, u) in ts.iter().zip(us) {
            self.unify(t, u)
                .map_err(|m| m.context(format!("When matching types of constructor \"#{c}\".")))?;
        }
        Ok(())
    }

    /// Makes two free variables one.
    fn link(&mut self, m: u32, n: u32) -> Unified {
        let (Some(a), Some(b)) = (self.st.free(m).cloned(), self.st.free(n).cloned()) else { return Ok(()) };
        let laxer = |w: &Option<Why>| w.as_ref().is_some_and(Why::admits_hidden_sizes);
        let (lifted, lift_why) = if (a.lifted, laxer(&a.lift_why)) <= (b.lifted, laxer(&b.lift_why)) {
            (a.lifted, a.lift_why)
        } else {
            (b.lifted, b.lift_why)
        };
        let merged = |cons| Free {
            cons,
            level: a.level.min(b.level),
            lifted,
            lift_why: lift_why.clone(),
            eq: a.eq.or(b.eq),
            span: a.span,
            called: a.called.or(b.called),
        };
        self.st.slots[n as usize] = Slot::Link(m);
        let (cons, later) = match (a.cons, b.cons) {
            (Cons::Open, c) | (c, Cons::Open) => (c, vec![]),
            (Cons::OneOf(s, w), Cons::OneOf(t, v)) => {
                let both = s.and(t);
                if both == ScalarSet::of([]) {
                    let mut e = Mismatch::new(format!(
                        "Type constrained to one of {} but also one of {}.",
                        s.show(),
                        t.show()
                    ));
                    e.related = vec![why_label(self, &w), why_label(self, &v)];
                    return Err(e);
                }
                (Cons::OneOf(both, if both == s { w } else { v }), vec![])
            }
            (Cons::Record(mut fs), Cons::Record(gs)) => {
                let mut pairs = vec![];
                for (g, t) in gs {
                    match fs.iter().find(|(f, _)| *f == g) {
                        Some((_, u)) => pairs.push((g, vec![u.clone()], vec![t])),
                        None => fs.push((g, t)),
                    }
                }
                (Cons::Record(fs), pairs)
            }
            (Cons::Sum(mut cs), Cons::Sum(ds)) => {
                let mut pairs = vec![];
                for (d, ts) in ds {
                    match cs.iter().find(|(c, _)| *c == d) {
                        Some((_, us)) => pairs.push((d, us.clone(), ts)),
                        None => cs.push((d, ts)),
                    }
                }
                (Cons::Sum(cs), pairs)
            }
            (x, y) => {
                let (x, y) = if matches!(x, Cons::Record(_)) { (y, x) } else { (x, y) };
                let (x, y) = (self.show_cons(&x), self.show_cons(&y));
                return Err(Mismatch::new(format!("Cannot unify type {x} with type {y}.")));
            }
        };
        self.st.slots[m as usize] = Slot::Free(Box::new(merged(cons)));
        for (what, us, ts) in later {
            self.unify_payloads(what, &us, &ts)?;
        }
        self.check_constraint_kinds(m)
    }

    /// The kinds of a record's or sum's parts follow that of the whole.
    fn check_constraint_kinds(&mut self, m: u32) -> Unified {
        let Some(f) = self.st.free(m).cloned() else { return Ok(()) };
        let parts: Vec<Type> = match f.cons {
            Cons::Open | Cons::OneOf(..) => return Ok(()),
            Cons::Record(fs) => fs.into_iter().map(|(_, t)| t).collect(),
            Cons::Sum(cs) => cs.into_iter().flat_map(|(_, ts)| ts).collect(),
        };
        for t in &parts {
            if let Some(why) = &f.lift_why {
                self.restrict(t, f.lifted, why)?;
            }
            if let Some(span) = f.eq {
                self.require_equality(t, span)?;
            }
        }
        Ok(())
    }

    pub(crate) fn show_cons(&mut self, c: &Cons) -> String {
        match c {
            Cons::Open => "that may be anything".into(),
            Cons::OneOf(s, _) => format!("that must be one of {}", s.show()),
            Cons::Record(fs) => {
                let fs: Vec<String> = fs.iter().map(|(f, _)| format!("{f}: ...")).collect();
                format!("that must be a record with fields {{{}}}", fs.join(", "))
            }
            Cons::Sum(cs) => {
                let cs: Vec<String> = cs.iter().map(|(c, _)| format!("#{c}")).collect();
                format!("with constructors {} (a sum type)", cs.join(" | "))
            }
        }
    }

    /// Says what a free variable is.
    fn assign(&mut self, m: u32, t: &Type) -> Unified {
        let Some(free) = self.st.free(m).cloned() else { return Ok(()) };
        self.admit(m, free.level, t)?;
        match &free.cons {
            Cons::Open => {}
            Cons::OneOf(set, why) => match t {
                Type::Scalar(s, _) if set.has(*s) => {}
                Type::Scalar(..)
                | Type::Array(..)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_)
                | Type::Var(..)
                | Type::Meta(_)
                | Type::Error => {
                    let shown = self.show(t);
                    let mut e = Mismatch::new(format!(
                        "Type \"{shown}\" is not one of {}, as demanded by {}.",
                        set.show(),
                        why_text(self, why)
                    ));
                    e.related.push(why_label(self, why));
                    return Err(e);
                }
            },
            Cons::Record(fs) => self.assign_record(fs, t)?,
            Cons::Sum(cs) => self.assign_sum(cs, t)?,
        }
        if let Some(span) = free.eq {
            self.require_equality(t, span)?;
        }
        if let Some(why) = &free.lift_why {
            self.restrict(t, free.lifted, why)?;
        }
        // What is computed with a number is no longer what that was called: a speed times a time is no speed.
        let known = if let Type::Scalar(scalar, _) = t { Type::scalar(*scalar) } else { t.clone() };
        self.st.slots[m as usize] = Slot::Known(known);
        Ok(())
    }

    fn assign_record(&mut self, fs: &[(Symbol, Type)], t: &Type) -> Unified {
        let Type::Record(gs) = t else {
            let shown = self.show(t);
            let cons = self.show_cons(&Cons::Record(fs.to_vec()));
            return Err(Mismatch::new(format!("Cannot unify type \"{shown}\" with type {cons}.")));
        };
        let missing: Vec<&str> =
            fs.iter().filter(|(f, _)| gs.iter().all(|g| g.0 != *f)).map(|(f, _)| f.as_str()).collect();
        if !missing.is_empty() {
            let shown = self.show(t);
            return Err(Mismatch::new(format!(
                "Cannot unify record type \"{shown}\" with record type that must have the field{} {}.",
                if missing.len() == 1 { "" } else { "s" },
                missing.iter().map(|f| format!("\"{f}\"")).collect::<Vec<_>>().join(", ")
            )));
        }
        for (f, t) in fs {
            if let Some((_, u)) = gs.iter().find(|g| g.0 == *f) {
                self.unify(t, u)
                    .map_err(|m| m.context(format!("When matching types of record field \"{f}\".")))?;
            }
        }
        Ok(())
    }

    fn assign_sum(&mut self, cs: &[(Symbol, Vec<Type>)], t: &Type) -> Unified {
        let Type::Sum(ds) = t else {
            let shown = self.show(t);
            let cons = self.show_cons(&Cons::Sum(cs.to_vec()));
            return Err(Mismatch::new(format!("Cannot unify type {cons} with type \"{shown}\".")));
        };
        let missing: Vec<String> =
            cs.iter().filter(|(c, _)| ds.iter().all(|d| d.0 != *c)).map(|(c, _)| format!("#{c}")).collect();
        if !missing.is_empty() {
            let shown = self.show(t);
            return Err(Mismatch::new(format!(
                "Cannot unify type with constructors of \"{shown}\".\nUnshared constructors: {}.",
                missing.join(", ")
            )));
        }
        for (c, ts) in cs {
            if let Some((_, us)) = ds.iter().find(|d| d.0 == *c) {
                self.unify_payloads(*c, ts, us)?;
            }
        }
        Ok(())
    }

    /// The occurs check, and that no type parameter leaves its function.
    fn admit(&mut self, m: u32, level: u32, t: &Type) -> Unified {
        match self.st.head(t) {
            Type::Scalar(..) | Type::Error => Ok(()),
            Type::Meta(n) if n == m => {
                let mut e = Mismatch::new("Occurs check: the type would contain itself.");
                e.index = Some(Named::OccursCheck);
                Err(e)
            }
            Type::Meta(n) => {
                let parts: Vec<Type> = match self.st.free(n) {
                    None => return Ok(()),
                    Some(f) => {
                        f.level = f.level.min(level);
                        match &f.cons {
                            Cons::Open | Cons::OneOf(..) => return Ok(()),
                            Cons::Record(fs) => fs.iter().map(|(_, t)| t.clone()).collect(),
                            Cons::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts.iter().cloned()).collect(),
                        }
                    }
                };
                parts.iter().try_for_each(|t| self.admit(m, level, t))
            }
            Type::Array(_, _, e) => self.admit(m, level, &e),
            Type::Record(fs) => fs.iter().try_for_each(|(_, t)| self.admit(m, level, t)),
            Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).try_for_each(|t| self.admit(m, level, t)),
            Type::Arrow(a) => {
                self.admit(m, level, &a.lhs)?;
                self.admit(m, level, &a.ret.ty)
            }
            Type::Var(_, n, args) => {
                if self.st.levels.get(&n).is_some_and(|l| *l > level) {
                    return Err(self.out_of_scope(n));
                }
                args.iter().try_for_each(|a| match a {
                    TypeArg::Size(_) => Ok(()),
                    TypeArg::Type(t) => self.admit(m, level, t),
                })
            }
        }
    }

    fn out_of_scope(&mut self, n: Name) -> Box<Mismatch> {
        let base = self.ctx.names.base(n);
        let mut e = Mismatch::new(format!(
            "Scope violation: type parameter \"{base}\" is not in scope where the other type is bound."
        ));
        e.index = Some(Named::ScopeViolation);
        if let Some(span) = self.ctx.def_spans.get(&n) {
            e.related.push((*span, format!("\"{base}\" is bound here")));
        }
        e
    }

    /// Demands that a type is not more lifted than this.
    pub(crate) fn restrict(&mut self, t: &Type, max: Liftedness, why: &Why) -> Unified {
        if max == Liftedness::Lifted {
            return Ok(());
        }
        match self.st.head(t) {
            Type::Scalar(..) | Type::Error | Type::Array(..) => Ok(()),
            Type::Meta(m) => {
                let Some(f) = self.st.free(m) else { return Ok(()) };
                let laxer = f.lift_why.as_ref().is_some_and(Why::admits_hidden_sizes);
                if (f.lifted, laxer) <= (max, why.admits_hidden_sizes()) {
                    return Ok(());
                }
                f.lifted = max;
                f.lift_why = Some(why.clone());
                self.check_constraint_kinds(m)
            }
            Type::Record(fs) => fs.iter().try_for_each(|(_, t)| self.restrict(t, max, why)),
            Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).try_for_each(|t| self.restrict(t, max, why)),
            f @ Type::Arrow(_) => {
                let shown = self.show(&f);
                let mut e = Mismatch::new(
                    if let WhyKind::IfResult | WhyKind::MatchResult | WhyKind::LoopParam = why.kind {
                        format!(
                            "{} may not be of function type, but this is \"{shown}\".",
                            why_text(self, why)
                        )
                    } else {
                        format!("Type \"{shown}\" is functional, which {} may not be.", why_text(self, why))
                    },
                );
                e.related.push(why_label(self, why));
                Err(e)
            }
            v @ Type::Var(..) => {
                let Type::Var(_, n, args) = &v else { return Ok(()) };
                let kind = self.ctx.kinds.get(n).copied().unwrap_or(Liftedness::Unlifted);
                // Types that have sizes as parameters, too, are none of them: Futhark's own tests demand an error.
                let hidden =
                    kind == Liftedness::SizeLifted && args.is_empty() && !self.ctx.type_params.contains(n);
                if kind > max && !(hidden && why.admits_hidden_sizes()) {
                    let shown = self.show(&v);
                    let more = match kind {
                        Liftedness::Lifted => "may be functional",
                        Liftedness::SizeLifted | Liftedness::Unlifted => "may hide sizes",
                    };
                    let mut e = Mismatch::new(format!(
                        "Type \"{shown}\" is lifted ({more}), which {} may not be.",
                        why_text(self, why)
                    ));
                    e.related.push(why_label(self, why));
                    return Err(e);
                }
                args.iter().try_for_each(|a| match a {
                    TypeArg::Size(_) => Ok(()),
                    TypeArg::Type(t) => self.restrict(t, max, why),
                })
            }
        }
    }

    /// Demands that values of the type can be compared.
    pub(crate) fn require_equality(&mut self, t: &Type, span: Span) -> Unified {
        match self.st.head(t) {
            Type::Scalar(..) | Type::Error => Ok(()),
            Type::Array(_, _, e) => self.require_equality(&e, span),
            Type::Record(fs) => fs.iter().try_for_each(|(_, t)| self.require_equality(t, span)),
            Type::Sum(cs) => {
                cs.iter().flat_map(|(_, ts)| ts).try_for_each(|t| self.require_equality(t, span))
            }
            Type::Meta(m) => {
                let Some(f) = self.st.free(m) else { return Ok(()) };
                if f.eq.is_some() {
                    return Ok(());
                }
                f.eq = Some(span);
                self.check_constraint_kinds(m)
            }
            other @ (Type::Arrow(_) | Type::Var(..)) => {
                let shown = self.show(&other);
                let mut e = Mismatch::new(format!("Type \"{shown}\" does not support equality."));
                e.related.push((span, "compared here".into()));
                Err(e)
            }
        }
    }
}

fn why_label(me: &Infer<'_>, why: &Why) -> (Span, String) {
    (why.span, format!("due to {}", why_text(me, why)))
}

/// The demand in words, as a noun.
pub(crate) fn why_text(me: &Infer<'_>, why: &Why) -> String {
    match why.kind {
        WhyKind::ArrayElement => "an array element".into(),
        WhyKind::IfResult => "The result of an if".into(),
        WhyKind::MatchResult => "The result of a match".into(),
        WhyKind::LoopParam => "A loop parameter".into(),
        WhyKind::TypeParam(n) | WhyKind::OnlyValue(n) => {
            format!(
                "the instance of non-lifted type parameter \"{}\" (possibly an array element)",
                me.ctx.names.base(n)
            )
        }
        WhyKind::IntLiteral => "an integer literal".into(),
        WhyKind::FloatLiteral => "a float literal".into(),
        WhyKind::Operator(op) => format!("the use of \"{op}\""),
        WhyKind::Index => "use as an index".into(),
        WhyKind::Range => "use in a range".into(),
        WhyKind::Bound => "use as a loop bound".into(),
    }
}
