//! Expressions that bind names or choose: `let`, `loop`, `match`, `if`, and anonymous functions.

use crate::printer::{Layout, Printer};
use fehu_base::Span;
use fehu_syntax::ast::{Case, Exp, ExpKind, Ident, Lambda, LoopForm, Pat};

impl Printer<'_> {
    pub(super) fn lambda(&mut self, f: &Lambda, layout: Layout) {
        self.put("\\");
        for (i, param) in f.params.iter().enumerate() {
            if i > 0 {
                self.put(" ");
            }
            self.pat(param);
        }
        if let Some(ret) = &f.ret {
            self.put(" : ");
            self.align(|p| p.type_exp(ret));
        }
        self.put(" ->");
        self.body(layout, |p| p.exp(&f.body));
    }

    /// One `let`; of a chain, the next one follows without an `in`.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    pub(super) fn let_exp(&mut self, e: &Exp, layout: Layout) {
        self.put("let ");
        let body = match &*e.kind {
            ExpKind::Let { sizes, pat, value, body } => {
                self.size_binders(sizes);
                self.pat(pat);
                self.put(" =");
                let binding = self.layout(pat.span().to(value.span));
                self.body(binding, |p| p.exp(value));
                body
            }
            ExpKind::LetUpdate { name, path, value, body } => {
                self.ident(*name);
                if matches!(path.first(), Some(fehu_syntax::ast::Access::Field(_))) {
                    self.put(".");
                }
                self.path(path);
                self.put(" =");
                let binding = self.layout(value.span);
                self.body(binding, |p| p.exp(value));
                body
            }
            ExpKind::LetFun(f, body) => {
                self.binder(f.name);
                self.type_params(&f.tparams);
                for param in &f.params {
                    self.put(" ");
                    self.pat(param);
                }
                if let Some(ret) = &f.ret {
                    self.put(": ");
                    self.align(|p| p.type_exp(ret));
                }
                self.put(" =");
                let binding = self.layout(f.body.span);
                self.body(binding, |p| p.exp(&f.body));
                body
            }
            _ => return,
        };
        self.gap(layout);
        let chained =
            matches!(&*body.kind, ExpKind::Let { .. } | ExpKind::LetUpdate { .. } | ExpKind::LetFun(..));
        self.comments(body.span.lo);
        if chained {
            self.exp(body);
        } else {
            self.put("in ");
            self.align(|p| p.exp(body));
        }
    }

    /// `[n][m] ` before a pattern.
    fn size_binders(&mut self, sizes: &[Ident]) {
        for n in sizes {
            self.size_binder(*n);
        }
        if !sizes.is_empty() {
            self.put(" ");
        }
    }

    pub(super) fn if_exp(&mut self, layout: Layout, condition: &Exp, yes: &Exp, no: &Exp) {
        self.put("if ");
        self.exp(condition);
        self.gap(layout);
        self.put("then ");
        self.align(|p| p.exp(yes));
        self.gap(layout);
        self.put("else ");
        if matches!(&*no.kind, ExpKind::If(..)) {
            self.exp(no);
        } else {
            self.align(|p| p.exp(no));
        }
    }

    pub(super) fn loop_exp(
        &mut self,
        layout: Layout,
        sizes: &[Ident],
        pat: &Pat,
        init: Option<&Exp>,
        form: &LoopForm,
        body: &Exp,
    ) {
        self.put("loop ");
        self.align(|p| {
            p.size_binders(sizes);
            p.pat(pat);
            if let Some(init) = init {
                p.put(" =");
                let binding = p.layout(pat.span().to(init.span));
                p.body(binding, |p| p.exp(init));
            }
        });
        // Without a value, a header of one line stays one.
        let header = self.source.tokens_in(Span { lo: pat.span().hi, ..body.span }).first();
        self.gap(match (init, header) {
            (None, Some(form)) => self.layout(pat.span().to(form.span)),
            _ => layout,
        });
        match form {
            LoopForm::For(i, bound) => {
                self.put("for ");
                self.ident(*i);
                self.put(" < ");
                self.exp(bound);
            }
            LoopForm::ForIn(pat, array) => {
                self.put("for ");
                self.pat(pat);
                self.put(" in ");
                self.exp(array);
            }
            LoopForm::While(condition) => {
                self.put("while ");
                self.exp(condition);
            }
        }
        self.put(" do");
        self.body(layout, |p| p.exp(body));
    }

    pub(super) fn match_exp(&mut self, layout: Layout, scrutinee: &Exp, cases: &[Case]) {
        self.put("match ");
        self.exp(scrutinee);
        for case in cases {
            self.gap(layout);
            self.comments(case.span.lo);
            self.put("case ");
            self.pat(&case.pat);
            self.put(" ->");
            let lines = self.layout(case.span);
            self.body(lines, |p| p.exp(&case.body));
        }
    }
}
