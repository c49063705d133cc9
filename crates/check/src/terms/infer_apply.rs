//! The first layer: uses of values, applications, sections, updates.

use super::foreign::bare_lambda;
use super::guess::unknown;
use super::hints::{assigning, map_of_several, other_form, word_operator, Advice, Refused};
use super::infer::{Infer, BOOL};
use super::metas::{ScalarSet, Why, WhyKind};
use super::pre::{self, Access, Exp, ExpKind, Side, Use};
use super::quote;
use super::unknown::long_enough;
use crate::resolve::{closest, parametric, show_qual};
use crate::scope::{Env, ModEntry, Module, TermEntry, ValEntry, ValKind};
use crate::subst::Subst;
use crate::tast::Occurrence;
use crate::types::{Arrow, Scheme, TParam, Type, TypeArg};
use fehu_base::intrinsic::Intrinsic;
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::{self, Liftedness, QualName};
use std::sync::Arc;

/// What a path leads to.
enum Found {
    Value(ValEntry, usize),
    Module(Arc<Env>),
    /// To nothing that is known; its type.
    Unknown(Type),
}

impl Infer<'_> {
    /// A variable, possibly behind modules, possibly with fields after it.
    pub(crate) fn var(&mut self, q: &QualName) -> Exp {
        match self.follow(q) {
            None => Exp::error(q.span),
            Some(Found::Unknown(ty)) => Exp { ty, ..Exp::error(q.span) },
            Some(Found::Module(_)) => self.module_as_value(q),
            Some(Found::Value(v, used)) => {
                let parts: Vec<ast::Ident> = q.quals.iter().copied().chain([q.name]).collect();
                let first = parts.first().map_or(q.span, |p| p.span);
                let mut at = first.to(parts.get(used - 1).map_or(q.span, |p| p.span));
                if used == parts.len() {
                    at = q.span;
                }
                let mut e = self.use_of(&v, at);
                let path =
                    |n: usize| parts[..n].iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(".");
                for (n, f) in parts.iter().enumerate().skip(used) {
                    at = at.to(f.span);
                    e = self.project(e, *f, at, &path(n));
                }
                e
            }
        }
    }

    /// Follows a path through modules; stops at a value, and says how many parts led to it.
    fn follow(&mut self, q: &QualName) -> Option<Found> {
        let mut env: Option<Arc<Env>> = None;
        let parts: Vec<ast::Ident> = q.quals.iter().copied().chain([q.name]).collect();
        for (i, p) in parts.iter().enumerate() {
            let entry = match &env {
                None => self.scope.term(p.name).cloned(),
                Some(e) => e.terms.get(&p.name).cloned(),
            };
            match entry {
                Some(TermEntry::Val(v)) => {
                    self.ctx.uses.refer(*p, v.span);
                    return Some(Found::Value(v, i + 1));
                }
                Some(TermEntry::Mod(ModEntry { module: Module::Struct(e), span })) => {
                    self.ctx.uses.refer(*p, span);
                    env = Some(e);
                }
                Some(TermEntry::Mod(ModEntry { module: Module::Functor(_), .. })) => {
                    self.report(parametric(*p));
                    return None;
                }
                None => {
                    // Behind an unknown module is a name; in a module, there may be fields behind it.
                    let whole = i + 1 == parts.len() || env.is_none() && parts.len() == 2;
                    if let Some(ty) = unknown(self, q, env.as_deref()).filter(|_| whole) {
                        return Some(Found::Unknown(ty));
                    }
                    let d = self.unknown_name(&parts, i, env.as_deref(), q.span);
                    self.ctx.report_unknown(d);
                    return None;
                }
            }
        }
        env.map(Found::Module)
    }

    /// The complaint about the first of the parts of a name that nothing has.
    fn unknown_name(&self, parts: &[ast::Ident], i: usize, env: Option<&Env>, at: Span) -> Diagnostic {
        let p = parts[i];
        let alone = parts.len() == 1;
        let shown: Vec<&str> = parts[..=i].iter().map(|p| p.name.as_str()).collect();
        let d = Diagnostic::error(at, format!("Unknown name \"{}\".", shown.join("."))).label("not in scope");
        let span = parts[0].span.to(p.span);
        if let Some((name, mark)) = self.st.mutables.iter().find(|(name, _)| alone && *name == p.name) {
            return d
                .help(format!(
                    "no value changes: \"let {name} = 0\" names one, and \"let {name} = {name} + 1\" gives \
                     the name to another"
                ))
                .fix("Remove the word", *mark, "");
        }
        let form = other_form(p.name).filter(|_| i == 0);
        match (self.guesses.meant(at), form) {
            (Some(meant), None) => return meant.added_to(d, at),
            (Some(meant), Some(_)) if meant.is_certain() => return meant.added_to(d, at),
            (_, Some(form)) => return d.help(form),
            (None, None) => {}
        }
        if let [module, name] = parts {
            if let (1, Some(form)) = (i, self.only_of_floats(*module, *name)) {
                return d.help(form);
            }
            if let (1, Some(TermEntry::Val(_))) = (i, self.scope.term(name.name)) {
                return Advice::replace_name(at, name.name.to_string()).given(d);
            }
        }
        // Of another type than the place asks for, but perhaps that is another mistake.
        let near = match env {
            None => closest(p.name, self.scope.term_names()),
            Some(e) => closest(p.name, e.terms.keys().copied()),
        };
        let qualifiers: String = shown[..i].iter().map(|q| format!("{q}.")).collect();
        match near.filter(|_| i > 0 || long_enough(p)) {
            Some(near) => Advice::replace_name(span, format!("{qualifiers}{near}")).given(d),
            None => d,
        }
    }

    /// The complaint about a module where a value is needed: `map f64 xs`.
    fn module_as_value(&mut self, q: &QualName) -> Exp {
        if let Some(ty) = unknown(self, q, None) {
            return Exp { ty, ..Exp::error(q.span) };
        }
        let d = Diagnostic::error(q.span, format!("Unknown name \"{}\".", show_qual(q)))
            .note("there is a module of this name, but a value is needed here");
        let d = match self.guesses.meant(q.span) {
            Some(meant) => meant.added_to(d, q.span),
            None => d,
        };
        self.report(d);
        Exp::error(q.span)
    }

    /// `m.(e)`.
    pub(crate) fn local_open(&mut self, q: &QualName, e: &ast::Exp, span: Span) -> Exp {
        match self.follow(q) {
            None | Some(Found::Unknown(_)) => Exp::error(span),
            Some(Found::Value(v, _)) => {
                self.report(
                    Diagnostic::error(q.span, format!("\"{}\" is a value, not a module.", show_qual(q)))
                        .related(v.span, "bound as a value here"),
                );
                Exp::error(span)
            }
            Some(Found::Module(env)) => {
                let locals = self.locals_like(&env);
                let (mark, seen) = (self.scope.mark(), self.st.seen.len());
                self.scope.open(&env);
                let e = self.exp(e);
                self.scope.rollback(mark);
                let used = self.st.seen.get(seen..).unwrap_or_default();
                let hidden = locals.iter().filter(|(_, own)| used.iter().any(|o| o.name == *own));
                self.ctx.hidden.extend(hidden.map(|(local, _)| (*local, q.span)));
                e
            }
        }
    }

    /// The local names that values of a module hide where it is opened, and these values.
    fn locals_like(&self, env: &Env) -> Vec<(Name, Name)> {
        let pair = |(sym, own): (&Symbol, &TermEntry)| match (self.scope.term(*sym), own) {
            (Some(TermEntry::Val(local)), TermEntry::Val(own)) => match local.kind {
                ValKind::Local | ValKind::SizeParam => Some((local.name, own.name)),
                ValKind::Global | ValKind::Intrinsic => None,
            },
            (Some(_) | None, TermEntry::Val(_) | TermEntry::Mod(_)) => None,
        };
        env.terms.iter().filter_map(pair).collect()
    }

    /// A use of a value: its type parameters become fresh variables.
    pub(crate) fn use_of(&mut self, v: &ValEntry, span: Span) -> Exp {
        if self.own == Some(v.name) {
            self.recursive = self.recursive.or(Some(span));
        }
        let text = self.ctx.names.base(v.name).as_str();
        if text.starts_with('_') && v.kind == ValKind::Local {
            let headline =
                format!("Use of \"{text}\": variables prefixed with underscore may not be accessed.");
            self.report(Diagnostic::error(span, headline).related(v.span, "bound here"));
        }
        self.ctx.uses_broken |= v.scheme.ty.is_broken();
        let global = match v.kind {
            ValKind::Global | ValKind::Intrinsic => Some(v.scheme.clone()),
            ValKind::Local | ValKind::SizeParam => None,
        };
        let type_params = v.scheme.tparams.iter().filter(|p| matches!(p, TParam::Type(..))).count();
        if type_params == 0 {
            let ty = v.scheme.ty.clone();
            self.st.seen.push(Occurrence { span, name: v.name, ty: ty.clone() });
            return Exp::new(ExpKind::Var(Use { name: v.name, global, types: vec![] }), ty, span);
        }
        let op = self.ctx.intrinsics.get(&v.name).copied();
        let mut types = Vec::with_capacity(type_params);
        let mut params = Vec::with_capacity(type_params);
        for p in &v.scheme.tparams {
            let TParam::Type(lifted, n) = *p else { continue };
            let set = v.scheme.overloads.iter().find(|(m, _)| *m == n);
            let t = match set {
                Some((_, scalars)) => {
                    let kind = match op {
                        Some(op) => WhyKind::Operator(fehu_base::Symbol::new(op.name())),
                        None => WhyKind::TypeParam(n),
                    };
                    self.one_of(ScalarSet::of(scalars.iter().copied()), kind, span)
                }
                None => {
                    let called = self.ctx.names.base(n);
                    self.st.fresh_called(called, span)
                }
            };
            if lifted != Liftedness::Lifted && set.is_none() {
                let kind = if is_endo(&v.scheme, n) { WhyKind::OnlyValue(n) } else { WhyKind::TypeParam(n) };
                let result = self.restrict(&t, lifted, &Why { kind, span });
                self.demand(span, "Invalid type argument.", result);
            }
            if op.is_some_and(Intrinsic::is_equality) {
                let result = self.require_equality(&t, span);
                self.demand(span, "Invalid comparison.", result);
            }
            params.push(*p);
            types.push(t);
        }
        let args: Vec<TypeArg> = types.iter().cloned().map(TypeArg::Type).collect();
        let ty = Subst::of_args(&params, &args).ty(&mut self.ctx.names, &mut vec![], &v.scheme.ty);
        self.st.seen.push(Occurrence { span, name: v.name, ty: ty.clone() });
        Exp::new(ExpKind::Var(Use { name: v.name, global, types }), ty, span)
    }

    /// `f x y`.
    pub(crate) fn application(&mut self, f: &ast::Exp, args: &[ast::Exp], span: Span) -> Exp {
        let what = callee(f);
        if let Some(name) = self.unknown_callee(f) {
            return self.unknown_applied(f, name, args, span);
        }
        let f = self.exp(f);
        let said = self.ctx.diagnostics.len();
        let typed: Vec<Exp> = args.iter().map(|a| self.exp(a)).collect();
        if let Some(advice) = args.last().filter(|_| self.ctx.diagnostics.len() > said).and_then(bare_lambda)
        {
            let first = self.ctx.diagnostics[said].clone();
            self.ctx.diagnostics.truncate(said);
            self.report(advice.given(first));
            return Exp::error(span);
        }
        let source: Vec<&ast::Exp> = args.iter().collect();
        self.apply(what, f, typed, &source, span)
    }

    /// A function that is not there, applied. Where it is clear which one is meant, what follows is checked
    /// with that.
    fn unknown_applied(&mut self, f: &ast::Exp, name: ast::Ident, args: &[ast::Exp], span: Span) -> Exp {
        let typed: Vec<Exp> = args.iter().map(|a| self.exp(a)).collect();
        let types: Vec<Type> = typed.iter().map(|a| a.ty.clone()).collect();
        let Some(advice) = self.unknown_function(name, args, &types) else {
            drop(self.exp(f));
            return Exp::error(span);
        };
        let meant = advice.name().and_then(|n| self.value(n));
        let d = Diagnostic::error(name.span, format!("Unknown name \"{}\".", name.name));
        self.ctx.report_unknown(advice.given(d.label("not in scope")));
        let Some(meant) = meant else { return Exp::error(span) };
        let function = self.use_of(&meant, name.span);
        let said = self.ctx.diagnostics.len();
        let applied = self.apply(callee(f), function, typed, &args.iter().collect::<Vec<_>>(), span);
        // One mistake has one message.
        self.ctx.diagnostics.truncate(said);
        applied
    }

    /// `l op r`.
    pub(crate) fn binary(&mut self, op: &QualName, l: &ast::Exp, r: &ast::Exp, span: Span) -> Exp {
        if op.quals.is_empty() && matches!(op.name.name.as_str(), "&&" | "||") {
            let left = self.condition(l);
            let right = self.condition(r);
            let kind = match op.name.name.as_str() {
                "&&" => ExpKind::And(left, right),
                _ => ExpKind::Or(left, right),
            };
            return Exp::new(kind, BOOL, span);
        }
        let unknown = op.quals.is_empty() && self.scope.term(op.name.name).is_none();
        if let Some(advice) = assigning(op.name.name.as_str(), l, r).filter(|_| unknown) {
            let d = Diagnostic::error(op.span, format!("Unknown name \"{}\".", op.name.name));
            self.ctx.report_unknown(advice.given(d));
            return Exp::error(span);
        }
        let f = self.var(op);
        let typed = vec![self.exp(l), self.exp(r)];
        self.apply(format!("\"{}\"", show_qual(op)), f, typed, &[l, r], span)
    }

    fn apply(&mut self, what: String, f: Exp, args: Vec<Exp>, source: &[&ast::Exp], span: Span) -> Exp {
        let mut ty = f.ty.clone();
        let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
        for (i, a) in args.iter().enumerate() {
            match self.st.head(&ty) {
                Type::Error => return Exp::new(ExpKind::Apply(f, args), Type::Error, span),
                Type::Arrow(arrow) => {
                    if let Err(m) = self.unify(&arrow.lhs, &a.ty) {
                        let shown = source.get(i).map(|e| quote::exp(e)).unwrap_or_default();
                        let headline = format!("Cannot apply {what} to \"{shown}\" (invalid type).");
                        let d = self.type_error(a.span, &headline, &arrow.lhs, &a.ty, &m);
                        let refused = Refused {
                            what: &what,
                            function: f.span,
                            args: source,
                            at: i,
                            expected: &arrow.lhs,
                            actual: &a.ty,
                            types: &types,
                        };
                        let advice = self.defaulted(&f, &refused).or_else(|| self.hint(&refused));
                        self.report(match advice {
                            Some(advice) => advice.given(d),
                            None => d,
                        });
                        return Exp::error(span);
                    }
                    ty = self.applied(&arrow, a);
                }
                Type::Meta(_) => {
                    let ret = self.fresh(span);
                    let arrow = Type::arrow(a.ty.clone(), ret.clone());
                    if let Err(m) = self.unify(&ty, &arrow) {
                        let shown = source.get(i).map(|e| quote::exp(e)).unwrap_or_default();
                        let d = Diagnostic::error(f.span, format!("Cannot apply {what} to \"{shown}\"."));
                        let d = m.explain(d);
                        self.report(d);
                        return Exp::error(span);
                    }
                    ty = ret;
                }
                other @ (Type::Scalar(..)
                | Type::Array(..)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Var(..)) => {
                    let shown = self.show(&other);
                    let arg = source.get(i).map(|e| quote::exp(e)).unwrap_or_default();
                    let message = match i {
                        0 if what == "function" => {
                            format!("Cannot apply expression as function.\nIts type is \"{shown}\".")
                        }
                        0 => format!(
                            "Cannot apply {what} as function, as it has type \"{shown}\"."
                        ),
                        _ => format!(
                            "Cannot apply {what} to argument #{} \"{arg}\", as {what} only takes {i} argument{}.",
                            i + 1,
                            if i == 1 { "" } else { "s" }
                        ),
                    };
                    let help = match i {
                        0 => word_operator(&what, source)
                            .or_else(|| self.applied_value(&other, f.span, source, &what)),
                        _ => map_of_several(what.trim_matches('"'), f.span, source.len()),
                    };
                    let d = Diagnostic::error(if i == 0 { f.span } else { a.span }, message);
                    self.report(match help {
                        Some(advice) => advice.given(d),
                        None => d,
                    });
                    return Exp::error(span);
                }
            }
        }
        Exp::new(ExpKind::Apply(f, args), ty, span)
    }

    /// The result of a function. The second layer finds out its sizes; those that stand in the argument are
    /// put in already, for messages.
    fn applied(&mut self, arrow: &Arrow, arg: &Exp) -> Type {
        let ExpKind::Var(argument) = &*arg.kind else { return arrow.ret.ty.clone() };
        let Some(param) = arrow.param.filter(|_| matches!(arrow.lhs, Type::Scalar(ScalarType::I64, _)))
        else {
            return arrow.ret.ty.clone();
        };
        let mut subst = Subst::default();
        subst.rename_value(param, argument.name);
        subst.ty(&mut self.ctx.names, &mut vec![], &arrow.ret.ty)
    }

    /// `(e op)` or `(op e)`.
    pub(crate) fn section(&mut self, op: &QualName, e: &ast::Exp, side: Side, span: Span) -> Exp {
        let what = format!("\"{}\"", show_qual(op));
        let f = if op.quals.is_empty() && matches!(op.name.name.as_str(), "&&" | "||") {
            return self.logic_section(op, e, side, span);
        } else {
            self.var(op)
        };
        let operand = self.exp(e);
        let (left, right) = (self.fresh(span), self.fresh(span));
        let ret = self.fresh(span);
        let (mine, other) = match side {
            Side::Left => (&left, &right),
            Side::Right => (&right, &left),
        };
        let shape = Type::arrow(left.clone(), Type::arrow(right.clone(), ret.clone()));
        if let Err(m) = self.unify(&shape, &f.ty) {
            let d = self.type_error(f.span, &format!("Cannot use {what} as an operator."), &shape, &f.ty, &m);
            self.report(d);
            return Exp::error(span);
        }
        if let Err(m) = self.unify(mine, &operand.ty) {
            let headline = format!("Cannot apply {what} to \"{}\" (invalid type).", quote::exp(e));
            let d = self.type_error(operand.span, &headline, mine, &operand.ty, &m);
            self.report(d);
            return Exp::error(span);
        }
        let ty = Type::arrow(other.clone(), ret);
        Exp::new(ExpKind::Section(f, operand, side), ty, span)
    }

    /// `(a &&)` and the like, as the function it stands for.
    fn logic_section(&mut self, op: &QualName, e: &ast::Exp, side: Side, span: Span) -> Exp {
        let operand = self.condition(e);
        let name = self.ctx.bind(fehu_base::Symbol::new("x"), span);
        let param = pre::Pat { kind: pre::PatKind::Var(name), ty: BOOL, span };
        let var = Exp::new(ExpKind::Var(Use { name, global: None, types: vec![] }), BOOL, span);
        let (l, r) = match side {
            Side::Left => (operand, var),
            Side::Right => (var, operand),
        };
        let kind = match op.name.name.as_str() {
            "&&" => ExpKind::And(l, r),
            _ => ExpKind::Or(l, r),
        };
        let body = Exp::new(kind, BOOL, span);
        let lambda = pre::Lambda { params: vec![param], ret: None, body };
        Exp::new(ExpKind::Lambda(Box::new(lambda)), Type::arrow(BOOL, BOOL), span)
    }

    /// `(.a[i])`.
    pub(crate) fn section_access(&mut self, path: &[ast::Access], span: Span) -> Exp {
        let param = self.fresh(span);
        let mut ty = param.clone();
        let mut out = vec![];
        for a in path {
            match a {
                ast::Access::Field(f) => {
                    ty = self.field_type(&ty, *f, None);
                    out.push(Access::Field(f.name));
                }
                ast::Access::Index(ix, s) => {
                    let ix = self.indexes(ix);
                    ty = self.index_type(&ty, &ix, *s, "Cannot index value of this type.");
                    out.push(Access::Index(ix, *s));
                }
            }
        }
        let fun = Type::arrow(param.clone(), ty);
        Exp::new(ExpKind::SectionAccess(out, param), fun, span)
    }

    /// `e with path = v`.
    pub(crate) fn update(&mut self, e: Exp, path: &[ast::Access], v: &ast::Exp, span: Span) -> Exp {
        let mut ty = e.ty.clone();
        let mut out = vec![];
        let mut last_field = None;
        for a in path {
            match a {
                ast::Access::Field(f) => {
                    last_field = Some(f.name);
                    if let Type::Meta(_) = self.st.head(&ty) {
                        self.st.updated.push((ty.clone(), e.span));
                    }
                    ty = self.field_type(&ty, *f, None);
                    out.push(Access::Field(f.name));
                }
                ast::Access::Index(ix, s) => {
                    last_field = None;
                    let ix = self.indexes(ix);
                    ty = self.index_type(&ty, &ix, *s, "Cannot update value of this type.");
                    out.push(Access::Index(ix, *s));
                }
            }
        }
        let v = self.exp(v);
        let headline = match last_field {
            Some(f) => format!("Type mismatch for record field \"{f}\"."),
            None => "Source of in-place update does not have expected type.".to_string(),
        };
        self.expect(v.span, &headline, &ty, &v.ty.clone());
        let ty = e.ty.clone();
        Exp::new(ExpKind::Update(e, out, v), ty, span)
    }
}

/// The function in words.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn callee(f: &ast::Exp) -> String {
    match &*f.kind {
        ast::ExpKind::Var(q) => format!("\"{}\"", show_qual(q)),
        ast::ExpKind::Parens(e) => callee(e),
        _ => "function".into(),
    }
}

/// Whether values of the scheme are functions that take one value of the type parameter, and return one.
fn is_endo(s: &Scheme, param: Name) -> bool {
    let is_param = |t: &Type| matches!(t, Type::Var(_, n, _) if *n == param);
    matches!(&s.ty, Type::Arrow(a) if is_param(&a.lhs) && is_param(&a.ret.ty))
}
