//! The walk over a type expression.

use super::params::bind_size;
use super::show::{show_size, show_type_exp};
use super::uses::{constructive, name_anys};
use crate::context::{see, Context};
use crate::named::Named;
use crate::resolve::{closest, follow, refer, term, type_entry};
use crate::scope::{Scope, TermEntry, ValEntry, ValKind};
use crate::subst::{apply, make_unique};
use crate::terms;
use crate::types::{
    is_too_large, Abbreviation, Arrow, Parts, RetType, Scheme, Size, TParam, Type, TypeArg, MAX_DEPTH,
    MAX_PARTS,
};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::{self, Ident, Liftedness, SizeExp, TypeExp};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The type that a type expression denotes. Anonymous sizes `[]` stay
/// [`crate::types::Size::Any`]: what they mean depends on where the type
/// stands, and the caller knows; except in the result of an arrow, where they
/// are existential sizes of that arrow. The `dims` are those bound by an outermost
/// `?[n]`, by a size-lifted abbreviation's own existential sizes, or by a size
/// argument `[]` of an abbreviation (which may stand at several places of the
/// type). Problems are reported, and [`Type::Error`] stands for what could not
/// be resolved.
pub fn elaborate(ctx: &mut Context, scope: &mut Scope, te: &TypeExp) -> RetType {
    elaborate_kinded(ctx, scope, te).0
}

/// As [`elaborate`], with the kind of the type as its names were declared: an
/// abbreviation declared lifted is lifted, whatever it stands for.
pub fn elaborate_kinded(ctx: &mut Context, scope: &mut Scope, te: &TypeExp) -> (RetType, Liftedness) {
    let mut w = Walk { ctx, scope, dims: vec![], floating: vec![], bound: vec![] };
    let (ty, kind) = w.ty(te);
    let mut dims = w.dims;
    dims.append(&mut w.floating);
    (RetType { dims, ty }, kind)
}

/// How many constructors a sum type may have: their tags are bytes.
const MAX_CONSTRUCTORS: usize = 256;

struct Walk<'a> {
    ctx: &'a mut Context,
    scope: &'a mut Scope,
    /// Existential sizes of the nearest result type around.
    dims: Vec<Name>,
    /// Existential sizes of parameters: the caller brings them, so they belong to the whole type.
    floating: Vec<Name>,
    /// Names bound by arrows and `?[n]` around: none may be bound twice.
    bound: Vec<Ident>,
}

impl Walk<'_> {
    fn ty(&mut self, te: &TypeExp) -> (Type, Liftedness) {
        fehu_base::stack::deep(|| self.ty_inner(te))
    }

    fn ty_inner(&mut self, te: &TypeExp) -> (Type, Liftedness) {
        match te {
            TypeExp::Parens(t, _) => self.ty(t),
            TypeExp::Var(_) | TypeExp::Apply(..) => self.application(te),
            TypeExp::Array(s, t, span) => self.array(s, t, *span),
            TypeExp::Tuple(ts, _) => {
                let (ts, kind) = self.types(ts);
                (Type::tuple(ts), kind)
            }
            TypeExp::Record(fs, span) => self.record(te, fs, *span),
            TypeExp::Sum(cs, span) => self.sum(te, cs, *span),
            TypeExp::Unique(t, span) => {
                let (ty, kind) = self.ty(t);
                if matches!(ty, Type::Scalar(..)) {
                    self.ctx.report(Diagnostic::warning(
                        *span,
                        format!("Declaring \"{}\" as unique has no effect.", show_type_exp(t)),
                    ));
                }
                (make_unique(&ty), kind)
            }
            TypeExp::Arrow { param, lhs, rhs, .. } => self.arrow(*param, lhs, rhs),
            TypeExp::Exists(ds, t, span) => self.exists(ds, t, *span),
        }
    }

    fn types(&mut self, ts: &[TypeExp]) -> (Vec<Type>, Liftedness) {
        let mut kind = Liftedness::Unlifted;
        let ts = ts
            .iter()
            .map(|t| {
                let (t, k) = self.ty(t);
                kind = kind.max(k);
                t
            })
            .collect();
        (ts, kind)
    }

    fn array(&mut self, s: &SizeExp, t: &TypeExp, span: Span) -> (Type, Liftedness) {
        let size = self.size(s);
        let (elem, kind) = self.ty(t);
        // A refined type has the kind that its module type declares, whatever it stands for.
        let (lifted, why) = match kind.max(super::uses::kind(self.ctx, &elem)) {
            Liftedness::Unlifted => return (Type::array(size, elem), kind),
            Liftedness::SizeLifted => ("size-lifted", "might cause irregular array"),
            Liftedness::Lifted => ("lifted", "might contain function"),
        };
        self.ctx.report(Diagnostic::error(
            span,
            format!("Cannot create array with elements of {lifted} type \"{}\" ({why}).", show_type_exp(t)),
        ));
        (Type::Error, Liftedness::Unlifted)
    }

    fn record(&mut self, te: &TypeExp, fs: &[(Ident, TypeExp)], span: Span) -> (Type, Liftedness) {
        if let Some((again, first)) = duplicate(fs.iter().map(|(f, _)| *f)) {
            self.ctx.report(
                Diagnostic::error(span, format!("Duplicate record fields in {}.", show_type_exp(te)))
                    .related(first.span, "first here")
                    .related(again.span, "again here"),
            );
            return (Type::Error, Liftedness::Unlifted);
        }
        let mut kind = Liftedness::Unlifted;
        let fields = fs
            .iter()
            .map(|(f, t)| {
                let (t, k) = self.ty(t);
                kind = kind.max(k);
                (f.name, t)
            })
            .collect();
        let ty = Type::record(fields);
        fs.iter().for_each(|(f, _)| self.ctx.uses.declared_label(*f, &ty));
        (ty, kind)
    }

    fn sum(&mut self, te: &TypeExp, cs: &[(Ident, Vec<TypeExp>)], span: Span) -> (Type, Liftedness) {
        if let Some((again, first)) = duplicate(cs.iter().map(|(c, _)| *c)) {
            self.ctx.report(
                Diagnostic::error(span, format!("Duplicate constructors in {}.", show_type_exp(te)))
                    .related(first.span, "first here")
                    .related(again.span, "again here"),
            );
            return (Type::Error, Liftedness::Unlifted);
        }
        if cs.len() > MAX_CONSTRUCTORS {
            self.ctx.report(Diagnostic::error(
                span,
                format!("Sum type has {} constructors, but may have at most {MAX_CONSTRUCTORS}.", cs.len()),
            ));
            return (Type::Error, Liftedness::Unlifted);
        }
        let mut kind = Liftedness::Unlifted;
        let constrs = cs
            .iter()
            .map(|(c, ts)| {
                let (ts, k) = self.types(ts);
                kind = kind.max(k);
                (c.name, ts)
            })
            .collect();
        let ty = Type::sum(constrs);
        cs.iter().for_each(|(c, _)| self.ctx.uses.declared_label(*c, &ty));
        (ty, kind)
    }

    fn arrow(&mut self, param: Option<Ident>, lhs: &TypeExp, rhs: &TypeExp) -> (Type, Liftedness) {
        let outer = std::mem::take(&mut self.dims);
        let (lhs, _) = self.ty(lhs);
        let brought = std::mem::replace(&mut self.dims, outer);
        self.floating.extend(brought);
        let mark = self.scope.mark();
        let depth = self.bound.len();
        let name = param.map(|p| {
            self.bind_once(p);
            let name = self.ctx.bind(p.name, p.span);
            self.ctx.uses.bind(p);
            let scheme = Arc::new(Scheme::mono(lhs.clone()));
            self.scope.bind_val(p.name, ValEntry { name, scheme, span: p.span, kind: ValKind::Local });
            name
        });
        let outer = std::mem::take(&mut self.dims);
        let (ty, _) = self.ty(rhs);
        let mut dims = std::mem::replace(&mut self.dims, outer);
        self.scope.rollback(mark);
        self.bound.truncate(depth);
        let names = &mut self.ctx.names;
        let ty = name_anys(&ty, &mut || {
            let d = names.fresh_str("d");
            dims.push(d);
            Size::Var(d)
        });
        let ret = RetType { dims, ty };
        (Type::Arrow(Parts::new(Arrow { param: name, lhs, ret })), Liftedness::Lifted)
    }

    fn exists(&mut self, ds: &[Ident], t: &TypeExp, span: Span) -> (Type, Liftedness) {
        let mark = self.scope.mark();
        let depth = self.bound.len();
        let mut names = vec![];
        for d in ds {
            self.bind_once(*d);
            names.push(bind_size(self.ctx, self.scope, *d));
        }
        let (ty, kind) = self.ty(t);
        self.scope.rollback(mark);
        self.bound.truncate(depth);
        let mut shown = FxHashSet::default();
        constructive(&ty, &mut shown);
        for (d, n) in ds.iter().zip(&names) {
            if !shown.contains(n) && !matches!(ty, Type::Error) {
                self.ctx.report(
                    Diagnostic::error(span, format!("Existential size \"{}\" not used as array size.", d.name))
                        .note("a value of the type must show the size: as the size of an array that is not behind a function")
                        .note(see(Named::UnusedExistential)),
                );
            }
        }
        self.dims.extend(names);
        (ty, kind.max(Liftedness::SizeLifted))
    }

    fn bind_once(&mut self, id: Ident) {
        if let Some(first) = self.bound.iter().find(|b| b.name == id.name) {
            let d =
                Diagnostic::error(id.span, format!("Name \"{}\" also bound within the same type.", id.name))
                    .label("bound again here")
                    .related(first.span, "first bound here");
            self.ctx.report(d);
        }
        self.bound.push(id);
    }

    /// A type name with the arguments it needs.
    fn application(&mut self, te: &TypeExp) -> (Type, Liftedness) {
        let mut head = te;
        let mut args = vec![];
        let failed = (Type::Error, Liftedness::Unlifted);
        let q = loop {
            match head {
                TypeExp::Apply(f, a, _) => {
                    args.push(a);
                    head = f;
                }
                TypeExp::Parens(t, _) => head = t,
                TypeExp::Var(q) => break q,
                TypeExp::Array(..)
                | TypeExp::Tuple(..)
                | TypeExp::Record(..)
                | TypeExp::Sum(..)
                | TypeExp::Unique(..)
                | TypeExp::Arrow { .. }
                | TypeExp::Exists(..) => {
                    self.ctx.report(Diagnostic::error(
                        te.span(),
                        format!("Type \"{}\" takes no arguments.", show_type_exp(head)),
                    ));
                    return failed;
                }
            }
        };
        args.reverse();
        let Some(entry) = type_entry(self.ctx, self.scope, q) else { return failed };
        let params = &entry.def.tparams;
        if params.len() != args.len() {
            let d = Diagnostic::error(
                te.span(),
                format!(
                    "Type constructor \"{}\" requires {} arguments, but provided {}.",
                    show_type_exp(head),
                    params.len(),
                    args.len()
                ),
            );
            let d = d.related(entry.span, "declared here");
            // `i32[n]`: in most languages, an array.
            let sizes = args.iter().rev().try_fold(head.clone(), |t, a| match a {
                ast::TypeArg::Size(s) => Some(TypeExp::Array(s.clone(), Box::new(t), te.span())),
                ast::TypeArg::Type(_) => None,
            });
            self.ctx.report(match sizes.filter(|_| params.is_empty()).map(|t| show_type_exp(&t)) {
                Some(array) => d
                    .help(format!("the sizes of an array stand before the type of its elements: \"{array}\""))
                    .fix(format!("Change to `{array}`"), te.span(), array),
                None => d,
            });
            return failed;
        }
        let mut kind = entry.def.lifted;
        let mut given = Vec::with_capacity(args.len());
        for (p, a) in params.iter().zip(args) {
            let Some((arg, k)) = self.argument(te.span(), *p, a) else { return failed };
            kind = kind.max(k);
            given.push(arg);
        }
        if given.iter().any(|a| matches!(a, TypeArg::Type(Type::Error))) {
            return failed;
        }
        let r = apply(&mut self.ctx.names, &entry.def, &given);
        if is_too_large(&r.ty, Type::clone) {
            let message = format!(
                "This type has more than {MAX_PARTS} parts, or is nested more than {MAX_DEPTH} times, when its abbreviations are expanded."
            );
            self.ctx.report(Diagnostic::error(te.span(), message).related(entry.span, "declared here"));
            return failed;
        }
        self.dims.extend(r.dims);
        // `i32` and its kin abbreviate nothing, and `type t 'a = a` is what it is applied to.
        let params = &entry.def.tparams;
        let own = matches!(&entry.def.def.ty, Type::Var(_, n, _) if params.iter().any(|p| p.name() == *n));
        if own || entry.span == Span::NONE {
            return (r.ty, kind);
        }
        let by = Abbreviation { name: entry.name, def: entry.def.clone() };
        (r.ty.abbreviated(by), kind)
    }

    fn argument(&mut self, span: Span, p: TParam, a: &ast::TypeArg) -> Option<(TypeArg, Liftedness)> {
        match (p, a) {
            (TParam::Size(_), ast::TypeArg::Size(SizeExp::Any(_))) => {
                let d = self.ctx.names.fresh_str("d");
                self.dims.push(d);
                Some((TypeArg::Size(Size::Var(d)), Liftedness::Unlifted))
            }
            (TParam::Size(_), ast::TypeArg::Size(s)) => {
                Some((TypeArg::Size(self.size(s)), Liftedness::Unlifted))
            }
            (TParam::Type(..), ast::TypeArg::Type(t)) => {
                let (ty, kind) = self.ty(t);
                let ty = self.name_anys(&ty);
                Some((TypeArg::Type(ty), kind))
            }
            (TParam::Size(n), ast::TypeArg::Type(t)) => {
                let base = self.ctx.names.base(n);
                self.misplaced(span, &show_type_exp(t), &format!("[{base}]"));
                None
            }
            (TParam::Type(lifted, n), ast::TypeArg::Size(s)) => {
                let base = self.ctx.names.base(n);
                let mark = crate::show::lift_mark(lifted);
                self.misplaced(span, &show_size(s), &format!("'{mark}{base}"));
                None
            }
        }
    }

    /// A type argument may stand at several places, so its anonymous sizes get names.
    fn name_anys(&mut self, ty: &Type) -> Type {
        let Walk { ctx, dims, .. } = self;
        name_anys(ty, &mut || {
            let d = ctx.names.fresh_str("d");
            dims.push(d);
            Size::Var(d)
        })
    }

    fn misplaced(&mut self, span: Span, arg: &str, param: &str) {
        self.ctx.report(Diagnostic::error(
            span,
            format!("Type argument {arg} not valid for a type parameter {param}."),
        ));
    }

    fn size(&mut self, s: &SizeExp) -> Size {
        match s {
            SizeExp::Any(_) => Size::Any,
            SizeExp::Exp(e, _) => match self.undeclared(e) {
                Some(d) => {
                    self.ctx.report_unknown(d);
                    Size::Any
                }
                None => self.simple_size(e).unwrap_or_else(|| terms::check_size_exp(self.ctx, self.scope, e)),
            },
        }
    }

    /// The complaint about a size that is a name which nothing has, and nothing that is similar.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn undeclared(&self, e: &ast::Exp) -> Option<Diagnostic> {
        let id = match &*e.kind {
            ast::ExpKind::Var(q) if q.quals.is_empty() => q.name,
            _ => return None,
        };
        let n = id.name;
        if self.scope.term(n).is_some() || closest(n, self.scope.term_names()).is_some() {
            return None;
        }
        let d = Diagnostic::error(id.span, format!("Unknown name \"{n}\".")).label("not in scope");
        let in_body = self.ctx.terms.as_ref().is_some_and(|st| st.in_body);
        Some(match self.ctx.definition {
            Some(of) if !in_body => d
                .help(format!("declare the size before the first parameter: \"{} [{n}]\"", of.name))
                .fix(format!("Declare `[{n}]`"), of.span.end(), format!(" [{n}]")),
            Some(_) | None => d.help(format!(
                "a size that only a value tells is bound with it, as in \"let [{n}] (xs: [{n}]i32) = ...\""
            )),
        })
    }

    /// A constant or a name that is known to be an `i64`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn simple_size(&mut self, e: &ast::Exp) -> Option<Size> {
        match &*e.kind {
            ast::ExpKind::Parens(e) => self.simple_size(e),
            ast::ExpKind::Literal(ast::Literal::Int(n, None | Some(ScalarType::I64))) => {
                i64::try_from(*n).ok().map(Size::Const)
            }
            ast::ExpKind::Var(q) => {
                let env = follow(self.scope, &q.quals).ok()?;
                let Some(TermEntry::Val(v)) = term(self.scope, &env, q.name.name) else { return None };
                let is_size =
                    v.scheme.tparams.is_empty() && matches!(v.scheme.ty, Type::Scalar(ScalarType::I64, _));
                let (name, span) = (v.name, v.span);
                is_size.then(|| {
                    refer(self.ctx, self.scope, q, span);
                    Size::Var(name)
                })
            }
            _ => None,
        }
    }
}

/// The first name that occurs twice: where again, and where first.
fn duplicate(ids: impl Iterator<Item = Ident>) -> Option<(Ident, Ident)> {
    let mut seen: Vec<(Symbol, Ident)> = vec![];
    for id in ids {
        if let Some((_, first)) = seen.iter().find(|(s, _)| *s == id.name) {
            return Some((id, *first));
        }
        seen.push((id.name, id));
    }
    None
}
