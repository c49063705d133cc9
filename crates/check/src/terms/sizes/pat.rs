//! The second layer: patterns, and `let`.

use super::exp::{node, scoped};
use super::extent::has_moderate_sizes;
use super::hide::Hidden;
use super::tables::{mentioned_type, Origin};
use super::Sizer;
use crate::context::see;
use crate::subst::Subst;
use crate::tast::{Exp, ExpKind, Pat, PatKind};
use crate::terms::literal;
use crate::terms::pre;
use crate::type_exp::uses::constructive;
use crate::types::{Scheme, Type};
use fehu_base::prim::ScalarType;
use fehu_base::{Diagnostic, Name, Span};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Sizer<'_> {
    /// A pattern for values of a type. Its names are bound at the current level.
    pub(crate) fn pat(&mut self, p: &pre::Pat, t: &Type, headline: &str) -> Pat {
        let span = p.span;
        match &p.kind {
            pre::PatKind::Var(n) => {
                self.bind_var(*n, t.clone());
                Pat { kind: PatKind::Var(*n), ty: t.clone(), span }
            }
            pre::PatKind::Wildcard => Pat { kind: PatKind::Wildcard, ty: t.clone(), span },
            pre::PatKind::Record(fs) => {
                let types = if let Type::Record(ts) = self.head(t) { ts } else { Arc::new(vec![]) };
                let fs = fs
                    .iter()
                    .map(|(f, p)| {
                        let t = types.iter().find(|(g, _)| g == f).map_or(Type::Error, |(_, t)| t.clone());
                        (*f, self.pat(p, &t, headline))
                    })
                    .collect::<Vec<_>>();
                let ty = Type::Record(Arc::new(fs.iter().map(|(f, p)| (*f, p.ty.clone())).collect()));
                Pat { kind: PatKind::Record(fs), ty, span }
            }
            pre::PatKind::Literal(l, sign) => {
                let ty = self.shape(&p.ty);
                let v = literal::value(self.ctx, l, *sign, &ty, span);
                Pat { kind: PatKind::Literal(v), ty, span }
            }
            pre::PatKind::Constr(c, ps) => {
                let payload = if let Type::Sum(cs) = self.head(t) {
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
                        self.pat(p, &t, headline)
                    })
                    .collect();
                Pat { kind: PatKind::Constr(*c, ps), ty: t.clone(), span }
            }
            pre::PatKind::Ascript(inner, w) => {
                let written = self.written(w, Origin::Pattern);
                self.expect(span, headline, &written, t);
                self.pat(inner, &written, headline)
            }
            pre::PatKind::Attr(a, p) => {
                let p = self.pat(p, t, headline);
                let ty = p.ty.clone();
                Pat { kind: PatKind::Attr(a.clone(), Box::new(p)), ty, span }
            }
        }
    }

    /// Binds a local value of one type.
    pub(crate) fn bind_var(&mut self, n: Name, t: Type) {
        // Sizes in its own type do not see the name.
        self.levels.insert(n, self.level + 1);
        self.vars.insert(n, Arc::new(Scheme::mono(t)));
    }

    /// `let [n] p = e in body`.
    pub(crate) fn let_pat(
        &mut self,
        sizes: &[Name],
        pat: &pre::Pat,
        value: &pre::Exp,
        body: &pre::Exp,
        span: Span,
    ) -> Exp {
        let value = self.exp(value);
        let level = self.level;
        self.level += 1;
        let pat = if sizes.is_empty() {
            let headline = "Pattern cannot match value.";
            self.pat(pat, &value.ty.clone(), headline)
        } else {
            self.sized_pat(sizes, pat, &value)
        };
        self.level += 1;
        let body = self.exp(body);
        self.level = level;
        // A name for a size is no more than a short form of it.
        let mut ty = body.ty.clone();
        if let (PatKind::Var(n), Type::Scalar(ScalarType::I64), []) = (&pat.kind, &pat.ty, sizes) {
            let t = self.zonk(&ty);
            if mentioned_type(&t).contains(n) {
                if let Some(s) = self.arg_size(&value) {
                    let mut subst = Subst::default();
                    subst.sizes.insert(*n, s);
                    let full = subst.ty(&mut self.ctx.names, &mut vec![], &t);
                    if has_moderate_sizes(&full) {
                        ty = full;
                    }
                }
            }
        }
        let hidden = Hidden::Deeper { level, depth: self.depth };
        let (ty, ext) = self.leave(&ty, &hidden, span, "going out of scope");
        let kind = ExpKind::Let { sizes: sizes.to_vec(), pat, value, body };
        scoped(node(kind, ty.clone(), span), ty, ext)
    }

    /// A pattern that binds sizes: they may be anything when the value is
    /// matched, and are names of their own afterwards.
    pub(crate) fn sized_pat(&mut self, sizes: &[Name], pat: &pre::Pat, value: &Exp) -> Pat {
        for n in sizes {
            self.levels.insert(*n, self.level);
            self.vars.insert(*n, Arc::new(Scheme::mono(Type::Scalar(ScalarType::I64))));
        }
        let own = self.pattern_type(pat);
        let mut subst = Subst::default();
        let mut flexes = vec![];
        for n in sizes {
            let base = self.ctx.names.base(*n);
            let f = self.flex(base.as_str(), Origin::Pattern, pat.span);
            // What the value says about the size is of no interest to others.
            flexes.push((*n, f));
            subst.rename_value(*n, f);
        }
        let open = subst.ty(&mut self.ctx.names, &mut vec![], &own);
        if let Err(m) = self.unify(&open, &value.ty) {
            let d = self.size_error(pat.span, "Pattern cannot match value.", &open, &value.ty, &m);
            self.ctx.report(d.related(value.span, "the value"));
        }
        self.check_bound_sizes(sizes, &own, pat.span);
        self.pat(pat, &own, "Pattern cannot match value.")
    }

    fn check_bound_sizes(&mut self, sizes: &[Name], t: &Type, span: Span) {
        let t = self.zonk(t);
        let used = mentioned_type(&t);
        let mut shown = FxHashSet::default();
        constructive(&t, &mut shown);
        for n in sizes {
            let base = self.ctx.names.base(*n);
            if !used.contains(n) {
                self.ctx.report(
                    Diagnostic::error(span, format!("Size [{base}] unused in pattern."))
                        .note(see("unused-size"))
                        .help("use the size in the type of the pattern, or remove it"),
                );
            } else if !shown.contains(n) {
                self.ctx.report(Diagnostic::error(
                    span,
                    format!("Cannot bind [{base}] as it is never used as the size of a concrete (non-function) value."),
                ));
            }
        }
    }

    /// The type of a pattern as far as it is written.
    fn pattern_type(&mut self, p: &pre::Pat) -> Type {
        match &p.kind {
            pre::PatKind::Ascript(_, w) => self.written(w, Origin::Pattern),
            pre::PatKind::Record(fs) => {
                Type::Record(Arc::new(fs.iter().map(|(f, p)| (*f, self.pattern_type(p))).collect()))
            }
            pre::PatKind::Attr(_, p) => self.pattern_type(p),
            pre::PatKind::Var(_)
            | pre::PatKind::Wildcard
            | pre::PatKind::Literal(..)
            | pre::PatKind::Constr(..) => {
                let shape = self.shape(&p.ty);
                self.of_shape(&shape, fehu_syntax::ast::Liftedness::Lifted, Origin::Pattern, p.span)
            }
        }
    }
}
