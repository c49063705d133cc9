//! Modules and module types.
//!
//! ```text
//! module m (p: S)            module type S = {
//!   : T with t = i32 = {       type t
//!   def x = p.x                val x : t
//! }                          }
//! ```

use crate::printer::{Layout, Printer};
use crate::writer::INDENT;
use fehu_base::Span;
use fehu_syntax::ast::{Dec, ModBind, ModExp, ModParam, ModTypeExp, Spec};

impl Printer<'_> {
    pub(crate) fn mod_bind(&mut self, bind: &ModBind) {
        self.put("module ");
        self.ident(bind.name);
        let params = match bind.params.last() {
            Some(last) => self.layout(bind.name.span.to(last.span)),
            None => Layout::OneLine,
        };
        self.nest(INDENT, |p| {
            for param in &bind.params {
                p.gap(params);
                p.mod_param(param);
            }
            if let Some(sig) = &bind.sig {
                let layout = p.layout(bind.name.span.to(sig.span()));
                p.gap(layout);
                p.put(": ");
                p.align(|p| p.mod_type(sig));
            }
        });
        self.put(" =");
        // A module of several lines begins behind the `=`.
        let layout = match self.layout(bind.body.span()) {
            Layout::OneLine => self.layout(bind.name.span.to(bind.body.span())),
            Layout::Lines => Layout::OneLine,
        };
        self.body(layout, |p| p.mod_exp(&bind.body));
    }

    fn mod_param(&mut self, param: &ModParam) {
        self.comments(param.span.lo);
        self.put("(");
        self.ident(param.name);
        self.put(": ");
        self.mod_type(&param.sig);
        self.put(")");
    }

    pub(crate) fn mod_exp(&mut self, m: &ModExp) {
        let span = m.span();
        self.comments(span.lo);
        match m {
            ModExp::Var(name) => self.qual_name(name),
            ModExp::Parens(inner, _) => {
                self.put("(");
                self.nest(INDENT, |p| {
                    if p.layout(span) == Layout::Lines {
                        p.line();
                    }
                    p.mod_exp(inner);
                });
                self.put(")");
            }
            ModExp::Import(_, span) => {
                self.put("import ");
                self.path_literal(*span);
            }
            ModExp::Decs(decs, _) => self.decs(decs, span),
            ModExp::Apply(f, arg, _) => {
                self.mod_exp(f);
                self.put(" ");
                self.mod_exp(arg);
            }
            ModExp::Ascript(inner, sig, _) => {
                self.mod_exp(inner);
                self.put(": ");
                self.mod_type(sig);
            }
            ModExp::Lambda(param, sig, body, _) => {
                self.put("\\");
                self.mod_param(param);
                if let Some(sig) = sig {
                    self.put(": ");
                    self.align(|p| p.mod_type(sig));
                }
                self.put(" ->");
                let layout = self.layout(span);
                self.body(layout, |p| p.mod_exp(body));
            }
        }
    }

    fn decs(&mut self, decs: &[Dec], span: Span) {
        self.braces(span, decs, fehu_syntax::ast::Dec::span, Self::dec);
    }

    /// Declarations or specifications in braces.
    fn braces<T>(
        &mut self,
        span: Span,
        items: &[T],
        item_span: impl Fn(&T) -> Span,
        mut print: impl FnMut(&mut Self, &T),
    ) {
        self.put("{");
        let close = span.hi.saturating_sub(1);
        let layout = self.layout(span);
        let around = std::mem::replace(&mut self.dec_layout, layout);
        match layout {
            Layout::OneLine => {
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.put(" ");
                    }
                    print(self, item);
                }
            }
            Layout::Lines => {
                self.nest(INDENT, |p| {
                    p.line();
                    p.sequence(items, item_span, print);
                    if p.comments_wait(close) {
                        if !items.is_empty() {
                            p.line();
                            p.line();
                        }
                        p.last_comments(close);
                    } else {
                        p.line();
                    }
                });
            }
        }
        self.dec_layout = around;
        self.put("}");
    }

    pub(crate) fn mod_type(&mut self, t: &ModTypeExp) {
        let span = t.span();
        let layout = self.layout(span);
        self.comments(span.lo);
        match t {
            ModTypeExp::Var(name) => self.qual_name(name),
            ModTypeExp::Parens(inner, _) => {
                self.put("(");
                self.align(|p| p.mod_type(inner));
                self.put(")");
            }
            ModTypeExp::Specs(specs, _) => self.braces(span, specs, spec_span, Self::spec),
            ModTypeExp::With { .. } => self.refinements(t, layout),
            ModTypeExp::Arrow { param, lhs, rhs, .. } => {
                match param {
                    Some(name) => {
                        self.put("(");
                        self.ident(*name);
                        self.put(": ");
                        self.mod_type(lhs);
                        self.put(")");
                    }
                    None => self.mod_type(lhs),
                }
                self.gap(layout);
                self.put("-> ");
                self.mod_type(rhs);
            }
        }
    }

    /// `S with t = a with u = b`: all of a chain below each other.
    fn refinements(&mut self, t: &ModTypeExp, layout: Layout) {
        let mut chain = vec![];
        let mut base = t;
        while let ModTypeExp::With { base: inner, name, tparams, def, .. } = base {
            chain.push((name, tparams, def));
            base = inner;
        }
        self.mod_type(base);
        for (name, tparams, def) in chain.into_iter().rev() {
            self.gap(layout);
            self.put("with ");
            self.qual_name(name);
            self.type_params(tparams);
            self.put(" = ");
            self.align(|p| p.type_exp(def));
        }
    }

    fn spec(&mut self, spec: &Spec) {
        let span = spec_span(spec);
        self.front(span);
        match spec {
            Spec::Val { name, tparams, ty, .. } => {
                self.put("val ");
                self.binder(*name);
                self.type_params(tparams);
                self.put(" :");
                let layout = self.layout(name.span.to(ty.span()));
                self.body(layout, |p| p.type_exp(ty));
            }
            Spec::TypeAbbrev(bind) => self.type_bind(bind),
            Spec::Type { lifted, name, tparams, .. } => {
                self.type_head(*lifted);
                self.ident(*name);
                self.type_params(tparams);
            }
            Spec::Mod { name, sig, .. } => {
                self.put("module ");
                self.ident(*name);
                self.put(": ");
                self.mod_type(sig);
            }
            Spec::Include(sig, _) => {
                self.put("include ");
                self.mod_type(sig);
            }
        }
    }
}

/// Where a specification stands, its attributes included.
fn spec_span(spec: &Spec) -> Span {
    match spec {
        Spec::TypeAbbrev(bind) => bind.span,
        Spec::Val { span, .. }
        | Spec::Type { span, .. }
        | Spec::Mod { span, .. }
        | Spec::Include(_, span) => *span,
    }
}
