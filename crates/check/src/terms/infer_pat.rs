//! The first layer: patterns.

use super::infer::Infer;
use super::metas::Cons;
use super::pre::{Pat, PatKind, Sign};
use super::quote;
use crate::types::{Scheme, Type};
use fehu_base::{Diagnostic, Name, Span, Symbol};
use fehu_syntax::ast::{self, Ident};

/// What patterns bind, and what was bound beside them.
#[derive(Default)]
pub(crate) struct Bound {
    seen: Vec<Ident>,
    fresh: Vec<(Ident, Name, Type)>,
}

impl Bound {
    /// Names that patterns may not bind again.
    pub(crate) fn with(seen: Vec<Ident>) -> Bound {
        Bound { seen, fresh: vec![] }
    }
}

impl Infer<'_> {
    /// A pattern. Its names come into scope with [`Infer::enter`].
    pub(crate) fn pat(&mut self, p: &ast::Pat, bound: &mut Bound) -> Pat {
        let span = p.span();
        match p {
            ast::Pat::Var(id) => {
                self.bind_once(*id, bound);
                let name = self.ctx.bind(id.name, id.span);
                let ty = self.fresh(span);
                bound.fresh.push((*id, name, ty.clone()));
                Pat { kind: PatKind::Var(name), ty, span }
            }
            ast::Pat::Wildcard(_) => Pat { kind: PatKind::Wildcard, ty: self.fresh(span), span },
            ast::Pat::Parens(p, _) => Pat { span, ..self.pat(p, bound) },
            ast::Pat::Tuple(ps, _) => {
                let fields: Vec<(Symbol, Pat)> = ps
                    .iter()
                    .enumerate()
                    .map(|(i, p)| (Symbol::new(&i.to_string()), self.pat(p, bound)))
                    .collect();
                let ty = Type::tuple(fields.iter().map(|(_, p)| p.ty.clone()).collect());
                Pat { kind: PatKind::Record(fields), ty, span }
            }
            ast::Pat::Record(fs, _) => self.record_pat(p, fs, span, bound),
            ast::Pat::Literal { value, negated, .. } => {
                let ty = self.literal_type(value, span);
                let sign = if *negated { Sign::Minus } else { Sign::Plus };
                Pat { kind: PatKind::Literal(value.clone(), sign), ty, span }
            }
            ast::Pat::Constr(c, ps, _) => {
                let ps: Vec<Pat> = ps.iter().map(|p| self.pat(p, bound)).collect();
                let payload = ps.iter().map(|p| p.ty.clone()).collect();
                let ty = self.st.fresh(Cons::Sum(vec![(c.name, payload)]), span);
                self.st.labels.push((*c, ty.clone()));
                Pat { kind: PatKind::Constr(c.name, ps), ty, span }
            }
            ast::Pat::Ascript(inner, te, _) => {
                let written = self.written(te);
                let before = bound.fresh.len();
                let inner_pat = self.pat(inner, bound);
                self.ctx.declared.extend(bound.fresh[before..].iter().map(|(_, n, _)| *n));
                let ty = written.ret.ty.clone();
                if let Err(m) = self.unify(&ty, &inner_pat.ty.clone()) {
                    let shown = self.show(&ty);
                    let text = quote::pat(inner);
                    let d = Diagnostic::error(
                        span,
                        format!("Pattern \"{text}\" cannot match value of type \"{shown}\"."),
                    );
                    let d = m.explain(d);
                    self.report(d);
                }
                Pat { kind: PatKind::Ascript(Box::new(inner_pat), written), ty, span }
            }
            ast::Pat::Attr(a, p, _) => {
                let p = self.pat(p, bound);
                let ty = p.ty.clone();
                Pat { kind: PatKind::Attr(a.clone(), Box::new(p)), ty, span }
            }
        }
    }

    fn record_pat(
        &mut self,
        whole: &ast::Pat,
        fs: &[(Ident, Option<ast::Pat>)],
        span: Span,
        bound: &mut Bound,
    ) -> Pat {
        let mut fields: Vec<(Symbol, Pat)> = vec![];
        let mut twice = false;
        for (f, p) in fs {
            let p = match p {
                Some(p) => self.pat(p, bound),
                None => self.pat(&ast::Pat::Var(*f), bound),
            };
            if fields.iter().any(|(g, _)| *g == f.name) {
                twice = true;
            } else {
                fields.push((f.name, p));
            }
        }
        if twice {
            self.report(Diagnostic::error(
                span,
                format!("Duplicate fields in record pattern \"{}\".", quote::pat(whole)),
            ));
        }
        let ty = Type::record(fields.iter().map(|(f, p)| (*f, p.ty.clone())).collect());
        self.st.labels.extend(fs.iter().map(|(f, _)| (*f, ty.clone())));
        fields.sort_by(|a, b| crate::types::field_order(a.0, b.0));
        Pat { kind: PatKind::Record(fields), ty, span }
    }

    fn bind_once(&mut self, id: Ident, bound: &mut Bound) {
        if let Some(first) = bound.seen.iter().find(|s| s.name == id.name) {
            let d =
                Diagnostic::error(id.span, format!("Name \"{}\" also bound in the same pattern.", id.name))
                    .label("bound again")
                    .related(first.span, "also bound here");
            self.report(d);
        }
        bound.seen.push(id);
    }

    /// Brings the names that patterns bound into scope.
    pub(crate) fn enter(&mut self, bound: &mut Bound) {
        for (id, name, ty) in std::mem::take(&mut bound.fresh) {
            self.bind_local(id.name, name, Scheme::mono(ty), id.span);
        }
    }

    /// Matches a pattern with a value.
    pub(crate) fn match_pat(&mut self, source: &ast::Pat, pat: &Pat, value: &Type, span: Span) {
        if let Err(m) = self.unify(&pat.ty.clone(), value) {
            let shown = self.show(value);
            let d = Diagnostic::error(
                pat.span,
                format!("Pattern \"{}\" cannot match value of type \"{shown}\".", quote::pat(source)),
            );
            let d = m.explain(d.related(span, "the value"));
            self.report(d);
        }
    }
}
