//! The second layer: patterns, and `let`.

use super::equal::other_name;
use super::exp::{node, scoped};
use super::extent::has_moderate_sizes;
use super::hide::Hidden;
use super::tables::{mentioned_type, Origin};
use super::Sizer;
use crate::context::see;
use crate::named::Named;
use crate::subst::Subst;
use crate::tast::{Exp, ExpKind, Pat, PatKind};
use crate::terms::literal;
use crate::terms::pre;
use crate::type_exp::uses::constructive;
use crate::types::{Parts, Scheme, Type};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A pattern for values of a type. Its names are bound at the current level.
pub(crate) fn checked(sizer: &mut Sizer<'_>, p: &pre::Pat, t: &Type, headline: &str) -> Pat {
    let span = p.span;
    match &p.kind {
        pre::PatKind::Var(n) => {
            bind_var(sizer, *n, t.clone());
            Pat { kind: PatKind::Var(*n), ty: t.clone(), span }
        }
        pre::PatKind::Wildcard => Pat { kind: PatKind::Wildcard, ty: t.clone(), span },
        pre::PatKind::Record(fs) => {
            let types = if let Type::Record(ts) = sizer.head(t) { ts } else { Parts::new(vec![]) };
            let fs = fs
                .iter()
                .map(|(f, p)| {
                    let t = types.iter().find(|(g, _)| g == f).map_or(Type::Error, |(_, t)| t.clone());
                    (*f, checked(sizer, p, &t, headline))
                })
                .collect::<Vec<_>>();
            let ty = Type::Record(types.with(fs.iter().map(|(f, p)| (*f, p.ty.clone())).collect()));
            Pat { kind: PatKind::Record(fs), ty, span }
        }
        pre::PatKind::Literal(l, sign) => {
            let ty = sizer.shape(&p.ty);
            let v = literal::value(sizer.ctx, l, *sign, &ty, span);
            Pat { kind: PatKind::Literal(v), ty, span }
        }
        pre::PatKind::Constr(c, ps) => {
            let payload = if let Type::Sum(cs) = sizer.head(t) {
                cs.iter().find(|(d, _)| d == c).map(|(_, ts)| ts.clone())
            } else {
                None
            };
            let payload = payload.unwrap_or_default();
            let ps = ps
                .iter()
                .enumerate()
                .map(|(i, p)| {
                    let t = payload.get(i).cloned().unwrap_or(Type::Error);
                    checked(sizer, p, &t, headline)
                })
                .collect();
            Pat { kind: PatKind::Constr(*c, ps), ty: t.clone(), span }
        }
        pre::PatKind::Ascript(inner, w) => {
            let written = sizer.written(w, Origin::Pattern);
            sizer.expect(span, headline, &written, t);
            checked(sizer, inner, &written, headline)
        }
        pre::PatKind::Attr(a, p) => {
            let p = checked(sizer, p, t, headline);
            let ty = p.ty.clone();
            Pat { kind: PatKind::Attr(a.clone(), Box::new(p)), ty, span }
        }
    }
}

/// Binds a local value of one type.
pub(crate) fn bind_var(sizer: &mut Sizer<'_>, n: Name, t: Type) {
    // Sizes in its own type do not see the name.
    sizer.levels.insert(n, sizer.level + 1);
    sizer.vars.insert(n, Arc::new(Scheme::mono(t)));
}

/// `let [n] p = e in body`.
pub(crate) fn let_pat(
    sizer: &mut Sizer<'_>,
    sizes: &[Name],
    pat: &pre::Pat,
    value: &pre::Exp,
    body: &pre::Exp,
    span: Span,
) -> Exp {
    let value = sizer.exp(value);
    let level = sizer.level;
    sizer.level += 1;
    let pat = if sizes.is_empty() {
        let headline = "Pattern cannot match value.";
        checked(sizer, pat, &value.ty.clone(), headline)
    } else {
        sized_pat(sizer, sizes, pat, &value)
    };
    if let (PatKind::Var(n), Some(other)) = (&pat.kind, other_name(&value)) {
        sizer.ctx.synonyms.note(*n, other);
    }
    sizer.level += 1;
    let body = sizer.exp(body);
    sizer.level = level;
    // A name for a size is no more than a short form of it.
    let mut ty = body.ty.clone();
    if let (PatKind::Var(n), Type::Scalar(ScalarType::I64, _), []) = (&pat.kind, &pat.ty, sizes) {
        let t = sizer.zonk(&ty);
        if mentioned_type(&t).contains(n) {
            if let Some(s) = sizer.arg_size(&value) {
                let mut subst = Subst::default();
                subst.sizes.insert(*n, s);
                let full = subst.ty(&mut sizer.ctx.names, &mut vec![], &t);
                if has_moderate_sizes(&full) {
                    ty = full;
                }
            }
        }
    }
    let hidden = Hidden::Deeper { level, depth: sizer.depth };
    let (ty, ext) = sizer.leave(&ty, &hidden, span, "going out of scope");
    let kind = ExpKind::Let { sizes: sizes.to_vec(), pat, value, body };
    scoped(node(kind, ty.clone(), span), ty, ext)
}

/// A pattern that binds sizes: they may be anything when the value is
/// matched, and are names of their own afterwards.
pub(crate) fn sized_pat(sizer: &mut Sizer<'_>, sizes: &[Name], pat: &pre::Pat, value: &Exp) -> Pat {
    for n in sizes {
        sizer.levels.insert(*n, sizer.level);
        sizer.vars.insert(*n, Arc::new(Scheme::mono(Type::scalar(ScalarType::I64))));
    }
    let own = pattern_type(sizer, pat);
    let mut subst = Subst::default();
    let mut flexes = vec![];
    for n in sizes {
        let base = sizer.ctx.names.base(*n);
        let f = sizer.flex(base.as_str(), Origin::Pattern, pat.span);
        // What the value says about the size is of no interest to others.
        flexes.push((*n, f));
        subst.rename_value(*n, f);
    }
    let open = subst.ty(&mut sizer.ctx.names, &mut vec![], &own);
    if let Err(m) = sizer.unify(&open, &value.ty) {
        let d = sizer.size_error(pat.span, "Pattern cannot match value.", &open, &value.ty, &m);
        sizer.ctx.report(d.related(value.span, "the value"));
    }
    check_bound_sizes(sizer, sizes, &own, pat.span);
    checked(sizer, pat, &own, "Pattern cannot match value.")
}

fn check_bound_sizes(sizer: &mut Sizer<'_>, sizes: &[Name], t: &Type, span: Span) {
    let t = sizer.zonk(t);
    let used = mentioned_type(&t);
    let mut shown = FxHashSet::default();
    constructive(&t, &mut shown);
    for n in sizes {
        let base = sizer.ctx.show().name(*n);
        if !used.contains(n) {
            sizer.ctx.report(
                Diagnostic::error(span, format!("Size [{base}] unused in pattern."))
                    .note(see(Named::UnusedSize))
                    .help("use the size in the type of the pattern, or remove it"),
            );
        } else if !shown.contains(n) {
            sizer.ctx.report(Diagnostic::error(
                span,
                format!("Cannot bind [{base}] as it is never used as the size of a concrete (non-function) value."),
            ));
        }
    }
}

/// The type of a pattern as far as it is written.
fn pattern_type(sizer: &mut Sizer<'_>, p: &pre::Pat) -> Type {
    match &p.kind {
        pre::PatKind::Ascript(_, w) => sizer.written(w, Origin::Pattern),
        pre::PatKind::Record(fs) => {
            Type::Record(Parts::new(fs.iter().map(|(f, p)| (*f, pattern_type(sizer, p))).collect()))
        }
        pre::PatKind::Attr(_, p) => pattern_type(sizer, p),
        pre::PatKind::Var(_)
        | pre::PatKind::Wildcard
        | pre::PatKind::Literal(..)
        | pre::PatKind::Constr(..) => {
            let shape = sizer.shape(&p.ty);
            sizer.of_shape(&shape, fehu_syntax::ast::Liftedness::Lifted, Origin::Pattern, p.span)
        }
    }
}
