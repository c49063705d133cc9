//! The second layer: applications and sections.

use super::advice;
use super::equal::bare_size;
use super::exp::node;
use super::extent;
use super::extent::is_moderate;
use super::tables::{mentioned_type, Origin, Slot};
use super::Sizer;
use crate::context::see;
use crate::named::Named;
use crate::subst::Subst;
use crate::tast::{Exp, ExpKind, Lambda, Pat, PatKind};
use crate::terms::pre::{self, Side};
use crate::type_exp::uses::consumes;
use crate::types::{Arrow, RetType, Scheme, Size, Type, TypeArg};
use crate::visit::children;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;
use std::sync::Arc;

impl Sizer<'_> {
    /// `f x y`, `x op y`.
    pub(crate) fn application(&mut self, f: &pre::Exp, args: &[pre::Exp], span: Span) -> Exp {
        let f = self.exp(f);
        let args: Vec<Exp> = args.iter().map(|a| self.exp(a)).collect();
        self.apply(f, args, span)
    }

    /// An application whose parts are done.
    pub(crate) fn apply(&mut self, f: Exp, args: Vec<Exp>, span: Span) -> Exp {
        let mut ty = f.ty.clone();
        let mut ext = vec![];
        for a in &args {
            let Type::Arrow(arrow) = self.head(&ty) else {
                return node(ExpKind::Apply(f, args), Type::Error, span);
            };
            let before = self.existentials;
            if let Err(m) = self.unify(&arrow.lhs, &a.ty) {
                let what = callee(self, &f);
                let shown = self.ctx.show().exp(a);
                let headline = format!("Cannot apply {what} to \"{shown}\" (invalid type).");
                let d = self.size_error(a.span, &headline, &arrow.lhs, &a.ty, &m);
                let d = advice::coercion(self, d, a.span, &arrow.lhs, &a.ty);
                self.ctx.report(d);
                return node(ExpKind::Apply(f, args), Type::Error, span);
            }
            if self.existentials != before && !self.existential_params(&f, a, &arrow.ret, span) {
                return node(ExpKind::Apply(f, args), Type::Error, span);
            }
            let ret = self.depend(&f, &arrow, a, &mut ext);
            let r = self.zonk_ret(&ret);
            let r = extent::moderate(self, r);
            ty = self.open(&r, &f, span, &mut ext);
        }
        Exp { ext, ..node(ExpKind::Apply(f, args), ty, span) }
    }

    /// The result with the argument for the parameter that its sizes mention.
    fn depend(&mut self, f: &Exp, arrow: &Arrow, arg: &Exp, ext: &mut Vec<Name>) -> RetType {
        let Some(p) = arrow.param else { return arrow.ret.clone() };
        let ret = self.zonk_ret(&arrow.ret);
        if !mentioned_type(&ret.ty).contains(&p) {
            return ret;
        }
        let mut subst = Subst::default();
        match self.arg_size(arg) {
            Some(size) => {
                subst.sizes.insert(p, size);
            }
            None if is_i64(&arg.ty) => {
                let what = callee(self, f);
                let shown = self.ctx.show().exp(arg);
                let why = format!("an unknown size arising from passing \"{shown}\" to {what}");
                let base = self.ctx.names.base(p);
                let n = self.unknown(base.as_str(), arg.span, why);
                if let Some(unknown) = self.unknowns.get_mut(&n).filter(|_| binds(arg)) {
                    unknown.index = Some(Named::SizeExpressionBind);
                }
                subst.rename_value(p, n);
                ext.push(n);
            }
            // Sizes that mention the parameter, a record or an array, become unknown.
            None => {
                let names = [p].into_iter().collect();
                return self.hide_ret(&ret, &super::hide::Hidden::Names(names));
            }
        }
        subst.ret(&mut self.ctx.names, &ret)
    }

    /// Gives the existential sizes of a result their names here.
    fn open(&mut self, r: &RetType, f: &Exp, span: Span, ext: &mut Vec<Name>) -> Type {
        if r.dims.is_empty() {
            return r.ty.clone();
        }
        let mut subst = Subst::default();
        let what = callee(self, f);
        for d in &r.dims {
            let base = self.ctx.names.base(*d);
            let n = self.unknown(base.as_str(), span, format!("an unknown size returned by applying {what}"));
            subst.rename_value(*d, n);
            ext.push(n);
        }
        subst.ty(&mut self.ctx.names, &mut vec![], &r.ty)
    }

    /// Complains where an existential type came to stand in a parameter.
    fn existential_params(&mut self, f: &Exp, a: &Exp, ret: &RetType, span: Span) -> bool {
        if !self.has_existential_param(&ret.ty) {
            return true;
        }
        let what = callee(self, f);
        let shown = self.ctx.show().exp(a);
        let r = self.zonk_ret(ret);
        let ty = self.ctx.show().ret(&r);
        self.ctx.report(
            Diagnostic::error(
                span,
                format!(
                    "Cannot apply {what} to \"{shown}\" (invalid type).\n\
                     Existential size would appear in function parameter of return type:\n  {ty}"
                ),
            )
            .note("the function that is passed returns a size that is only known after it has been called")
            .note(see(Named::ExistentialParamRet))
            .help("use pipelines, as in \"x |> f |> g\", instead of composing functions"),
        );
        false
    }

    fn has_existential_param(&mut self, t: &Type) -> bool {
        if let Type::Arrow(a) = self.peek(t) {
            self.is_existential(&a.lhs) || self.has_existential_param(&a.ret.ty)
        } else {
            false
        }
    }

    fn is_existential(&mut self, t: &Type) -> bool {
        match t {
            Type::Meta(m) => {
                let root = self.root(*m);
                match self.slots[root as usize].clone() {
                    Slot::Is(r) => !r.dims.is_empty() || self.is_existential(&r.ty),
                    Slot::Free { .. } | Slot::Link(_) => false,
                }
            }
            Type::Scalar(..) | Type::Error => false,
            Type::Array(_, _, e) => self.is_existential(e),
            Type::Record(fs) => fs.iter().any(|(_, t)| self.is_existential(t)),
            Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(|t| self.is_existential(t)),
            Type::Arrow(a) => self.is_existential(&a.lhs),
            Type::Var(_, _, args) => args.iter().any(|a| match a {
                TypeArg::Size(_) => false,
                TypeArg::Type(t) => self.is_existential(t),
            }),
        }
    }

    /// The argument as a size, if it can be one: it is not too large, binds no names and consumes nothing.
    pub(crate) fn arg_size(&mut self, e: &Exp) -> Option<Size> {
        (is_moderate(e) && self.may_be_size(e)).then(|| bare_size(e))
    }

    fn may_be_size(&mut self, e: &Exp) -> bool {
        let fits = match &*e.kind {
            ExpKind::Lambda(_)
            | ExpKind::Let { .. }
            | ExpKind::LetFun(..)
            | ExpKind::Loop(_)
            | ExpKind::Match(..)
            | ExpKind::Hole
            | ExpKind::Update(..) => false,
            ExpKind::Apply(f, args) => {
                let mut ty = f.ty.clone();
                let mut pure = true;
                for _ in args {
                    let Type::Arrow(a) = self.peek(&ty) else { break };
                    pure &= !consumes(&self.peek(&a.lhs));
                    ty = a.ret.ty.clone();
                }
                pure
            }
            ExpKind::Literal(_)
            | ExpKind::String(_)
            | ExpKind::Var(..)
            | ExpKind::Record(_)
            | ExpKind::Array(_)
            | ExpKind::Project(..)
            | ExpKind::Index(..)
            | ExpKind::Negate(_)
            | ExpKind::Not(_)
            | ExpKind::And(..)
            | ExpKind::Or(..)
            | ExpKind::Assert(..)
            | ExpKind::Constr(..)
            | ExpKind::Coerce(_)
            | ExpKind::Range { .. }
            | ExpKind::If(..)
            | ExpKind::Attr(..) => true,
        };
        if !fits {
            return false;
        }
        let mut parts = vec![];
        children(e, &mut |c| parts.push(c));
        parts.into_iter().all(|c| self.may_be_size(c))
    }

    /// `(x op)` and `(op y)`: the operand is evaluated once, then a function of the other operand.
    pub(crate) fn section(&mut self, f: &pre::Exp, x: &pre::Exp, side: Side, span: Span) -> Exp {
        let f = self.exp(f);
        let x = self.exp(x);
        let Type::Arrow(first) = self.head(&f.ty) else { return node(ExpKind::Hole, Type::Error, span) };
        let Type::Arrow(second) = self.head(&first.ret.ty) else {
            return node(ExpKind::Hole, Type::Error, span);
        };
        let other = match side {
            Side::Left => second.lhs.clone(),
            Side::Right => first.lhs.clone(),
        };
        let operand = self.ctx.bind(Symbol::new("x"), x.span);
        self.levels.insert(operand, self.level);
        let operand_var = node(ExpKind::Var(operand, vec![]), x.ty.clone(), x.span);
        let simple = matches!(&*x.kind, ExpKind::Var(..) | ExpKind::Literal(_));
        let given = if simple { x.clone() } else { operand_var };
        let lambda = self.lambda_of(other, span, |me, param| {
            let args = match side {
                Side::Left => vec![given, param],
                Side::Right => vec![param, given],
            };
            me.apply(f, args, span)
        });
        if simple {
            return lambda;
        }
        // The operand's sizes must be known where the section stands, so that the
        // function can be passed on.
        let t = self.zonk(&lambda.ty);
        let names = mentioned_type(&t);
        let mut made = vec![];
        exts_of(&x, &mut made);
        if let Some(n) = made.into_iter().find(|n| names.contains(n)) {
            let base = self.ctx.show().name(n);
            let shown = self.show(&t);
            self.ctx.report(
                Diagnostic::error(
                    span,
                    format!(
                        "Causality check: size \"{base}\" needed for type of operator section:\n  {shown}"
                    ),
                )
                .related(x.span, "but it is computed here")
                .note(see(Named::CausalityCheck))
                .help("bind the operand with \"let\" beforehand"),
            );
        }
        let ty = lambda.ty.clone();
        let pat = Pat { kind: PatKind::Var(operand), ty: x.ty.clone(), span: x.span };
        let kind = ExpKind::Let { sizes: vec![], pat, value: x, body: lambda };
        node(kind, ty, span)
    }

    /// `(.a[i])`.
    pub(crate) fn section_access(&mut self, path: &[pre::Access], param: &Type, span: Span) -> Exp {
        let shape = self.shape(param);
        let ty = self.of_shape(&shape, Liftedness::Lifted, Origin::Other, span);
        self.lambda_of(ty, span, |me, mut e| {
            for a in path {
                e = match a {
                    pre::Access::Field(f) => {
                        let ty = me.field(&e.ty, *f);
                        node(ExpKind::Project(e, *f), ty, span)
                    }
                    pre::Access::Index(ix, s) => {
                        let ix = me.indexes(ix);
                        let mut ext = vec![];
                        let ty = me.index_type(&e.ty.clone(), &ix, &mut ext, *s);
                        Exp { ext, ..node(ExpKind::Index(e, ix), ty, *s) }
                    }
                };
            }
            e
        })
    }

    /// A function of one parameter that the user did not write.
    fn lambda_of(&mut self, param: Type, span: Span, body: impl FnOnce(&mut Self, Exp) -> Exp) -> Exp {
        let name = self.ctx.bind(Symbol::new("y"), span);
        let level = self.level;
        self.level += 1;
        self.levels.insert(name, self.level);
        self.vars.insert(name, Arc::new(Scheme::mono(param.clone())));
        let var = node(ExpKind::Var(name, vec![]), param.clone(), span);
        self.level += 1;
        self.depth += 1;
        let body = body(self, var);
        self.depth -= 1;
        self.level = level;
        let pat = Pat { kind: PatKind::Var(name), ty: param, span };
        let (ret, ty) = self.close(&[], std::slice::from_ref(&pat), &body.ty.clone());
        let lambda = Lambda { params: vec![pat], ret, body };
        node(ExpKind::Lambda(lambda), ty, span)
    }
}

/// The unknown sizes that an expression and its parts bring to the body around.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
pub(crate) fn exts_of(e: &Exp, out: &mut Vec<Name>) {
    out.extend(&e.ext);
    match &*e.kind {
        ExpKind::Lambda(_) => {}
        ExpKind::If(c, _, _) => exts_of(c, out),
        ExpKind::Match(x, _) => exts_of(x, out),
        ExpKind::Loop(l) => exts_of(&l.init, out),
        ExpKind::LetFun(_, body) => exts_of(body, out),
        _ => children(e, &mut |c| exts_of(c, out)),
    }
}

/// Whether names are bound in an expression.
fn binds(e: &Exp) -> bool {
    let mut found = matches!(
        &*e.kind,
        ExpKind::Lambda(_)
            | ExpKind::Let { .. }
            | ExpKind::LetFun(..)
            | ExpKind::Loop(_)
            | ExpKind::Match(..)
    );
    children(e, &mut |c| found |= binds(c));
    found
}

fn is_i64(t: &Type) -> bool {
    matches!(t, Type::Scalar(fehu_base::prim::ScalarType::I64, _))
}

/// The function in words.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn callee(me: &Sizer<'_>, f: &Exp) -> String {
    match &*f.kind {
        ExpKind::Var(n, _) => format!("\"{}\"", me.ctx.show().name(*n)),
        _ => "function".into(),
    }
}
