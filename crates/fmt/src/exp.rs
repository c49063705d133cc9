//! Expressions.

mod binding;

use crate::group::Brackets;
use crate::printer::{Layout, Printer};
use fehu_syntax::ast::{Access, Exp, ExpKind, FieldExp, Index, QualName, RangeEnd};

impl Printer<'_> {
    /// An expression, with the comments before it.
    pub(crate) fn exp(&mut self, e: &Exp) {
        self.comments(e.span.lo);
        // Long chains of operators and bindings are deep trees.
        fehu_base::stack::deep(|| self.exp_here(e));
    }

    fn exp_here(&mut self, e: &Exp) {
        let layout = self.layout(e.span);
        match &*e.kind {
            ExpKind::Literal(_) | ExpKind::Hole | ExpKind::Error => self.put_span(e.span),
            ExpKind::Var(name) => self.var(e, name),
            ExpKind::Parens(inner) => {
                self.put("(");
                self.align(|p| p.exp(inner));
                self.put(")");
            }
            ExpKind::QualParens(name, inner) => {
                self.qual_name(name);
                self.put(".(");
                self.align(|p| p.exp(inner));
                self.put(")");
            }
            ExpKind::Tuple(items) => {
                self.group(Brackets::Round, layout, items, |p, e| p.align(|p| p.exp(e)));
            }
            ExpKind::Array(items) => {
                self.group(Brackets::Square, layout, items, |p, e| p.align(|p| p.exp(e)));
            }
            ExpKind::Record(fields) => self.group(Brackets::Curly, layout, fields, Self::field),
            ExpKind::Project(record, field) => {
                self.exp(record);
                self.put(".");
                self.ident(*field);
            }
            ExpKind::Index(array, indices) => {
                self.exp(array);
                self.indices(layout, indices);
            }
            ExpKind::Negate(inner) => self.prefix("-", inner),
            ExpKind::Not(inner) => self.prefix("!", inner),
            ExpKind::Assert(condition, inner) => {
                self.put("assert ");
                self.exp(condition);
                self.gap(layout);
                self.exp(inner);
            }
            ExpKind::Constr(name, args) => {
                self.ident(*name);
                self.args(args);
            }
            ExpKind::Apply(f, args) => {
                self.exp(f);
                self.args(args);
            }
            ExpKind::BinOp(op, lhs, rhs) => {
                self.exp(lhs);
                self.gap(layout);
                self.operator(op);
                self.put(" ");
                self.align(|p| p.exp(rhs));
            }
            ExpKind::SectionLeft(inner, op) => {
                self.put("(");
                self.exp(inner);
                self.put(" ");
                self.operator(op);
                self.put(")");
            }
            ExpKind::SectionRight(op, inner) => {
                self.put("(");
                self.operator(op);
                self.put(" ");
                self.exp(inner);
                self.put(")");
            }
            ExpKind::SectionAccess(path) => {
                self.put("(.");
                self.path(path);
                self.put(")");
            }
            ExpKind::Ascript(inner, t) => {
                self.exp(inner);
                self.gap(layout);
                self.put(": ");
                self.align(|p| p.type_exp(t));
            }
            ExpKind::Coerce(inner, t) => {
                self.exp(inner);
                self.gap(layout);
                self.put(":> ");
                self.align(|p| p.type_exp(t));
            }
            ExpKind::Range(first, second, end) => {
                self.exp(first);
                if let Some(second) = second {
                    self.put("..");
                    self.exp(second);
                }
                let (dots, last) = match end {
                    RangeEnd::Inclusive(e) => ("...", e),
                    RangeEnd::UpTo(e) => ("..<", e),
                    RangeEnd::DownTo(e) => ("..>", e),
                };
                self.put(dots);
                self.exp(last);
            }
            ExpKind::Update(..) => self.updates(e, layout),
            ExpKind::Attr(attr, inner) => {
                self.attr(attr);
                self.gap(layout);
                self.exp(inner);
            }
            ExpKind::Lambda(f) => self.lambda(f, layout),
            ExpKind::Let { .. } | ExpKind::LetUpdate { .. } | ExpKind::LetFun(..) => self.let_exp(e, layout),
            ExpKind::If(condition, yes, no) => self.if_exp(layout, condition, yes, no),
            ExpKind::Loop { sizes, pat, init, form, body } => {
                self.loop_exp(layout, sizes, pat, init.as_ref(), form, body);
            }
            ExpKind::Match(scrutinee, cases) => self.match_exp(layout, scrutinee, cases),
        }
    }

    /// `x`, `m.x`, `(+)`, `(m.+)`.
    fn var(&mut self, e: &Exp, name: &QualName) {
        if self.source.text(e.span).starts_with('(') {
            self.put("(");
            self.operator(name);
            self.put(")");
        } else {
            self.qual_name(name);
        }
    }

    /// An operator between its operands: a symbol or a name in backquotes.
    fn operator(&mut self, op: &QualName) {
        let backquoted = self.source.text(op.span).starts_with('`');
        if backquoted {
            self.put("`");
        }
        self.qual_name(op);
        if backquoted {
            self.put("`");
        }
    }

    /// Two prefix operators in a row would be another operator or a comment.
    fn prefix(&mut self, op: &str, inner: &Exp) {
        self.put(op);
        if matches!(&*inner.kind, ExpKind::Negate(_) | ExpKind::Not(_)) {
            self.put(" ");
        }
        self.exp(inner);
    }

    /// The arguments of a function or constructor: behind it if the last one starts on the line of the first.
    fn args(&mut self, args: &[Exp]) {
        let (Some(first), Some(last)) = (args.first(), args.last()) else { return };
        self.put(" ");
        if self.source.line(first.span.lo) == self.source.line(last.span.lo) {
            for (i, arg) in args.iter().enumerate() {
                if i > 0 {
                    self.put(" ");
                }
                self.exp(arg);
            }
            return;
        }
        self.align(|p| {
            for (i, arg) in args.iter().enumerate() {
                if i > 0 {
                    p.line();
                }
                p.exp(arg);
            }
        });
    }

    fn field(&mut self, field: &FieldExp) {
        match field {
            FieldExp::Implicit(name) => {
                self.comments(name.span.lo);
                self.ident(*name);
            }
            FieldExp::Explicit(name, value) => {
                self.comments(name.span.lo);
                self.ident(*name);
                self.put(" =");
                // The name stands behind a bracket or comma and a space.
                let layout = self.layout(name.span.to(value.span));
                self.nest(if layout == Layout::Lines { crate::writer::INDENT } else { 0 }, |p| {
                    p.body(layout, |p| p.exp(value));
                });
            }
        }
    }

    /// `[i, l:u:s]`.
    fn indices(&mut self, layout: Layout, indices: &[Index]) {
        self.put("[");
        for (i, index) in indices.iter().enumerate() {
            match (i, layout) {
                (0, _) => {}
                (_, Layout::OneLine) => self.put(", "),
                (_, Layout::Lines) => {
                    self.line();
                    self.put(",");
                }
            }
            match index {
                Index::Fix(e) => self.exp(e),
                Index::Slice { lo, hi, stride, span } => {
                    if let Some(lo) = lo {
                        self.exp(lo);
                    }
                    self.put(":");
                    if let Some(hi) = hi {
                        self.exp(hi);
                    }
                    let colons = self.colons(*span, lo.as_deref(), hi.as_deref(), stride.as_deref());
                    if colons > 1 {
                        self.put(":");
                    }
                    if let Some(stride) = stride {
                        self.exp(stride);
                    }
                }
            }
        }
        self.put("]");
    }

    /// How many colons a slice is written with: a second one may stand without a stride.
    fn colons(
        &self,
        span: fehu_base::Span,
        lo: Option<&Exp>,
        hi: Option<&Exp>,
        stride: Option<&Exp>,
    ) -> usize {
        let inside =
            |at: u32| [lo, hi, stride].into_iter().flatten().any(|e| e.span.lo <= at && at < e.span.hi);
        let tokens = self.source.tokens_in(span).iter();
        tokens.filter(|t| t.kind == fehu_syntax::TokenKind::Colon && !inside(t.span.lo)).count()
    }

    /// `a.b[i]`, without the first dot.
    fn path(&mut self, path: &[Access]) {
        for (i, access) in path.iter().enumerate() {
            match access {
                Access::Field(name) => {
                    if i > 0 {
                        self.put(".");
                    }
                    self.ident(*name);
                }
                Access::Index(indices, span) => {
                    let layout = self.layout(*span);
                    self.indices(layout, indices);
                }
            }
        }
    }

    /// `a with [i] = x with [j] = y`: all of a chain below each other.
    fn updates(&mut self, e: &Exp, layout: Layout) {
        let mut chain = vec![];
        let mut base = e;
        while let ExpKind::Update(inner, path, value) = &*base.kind {
            chain.push((path, value));
            base = inner;
        }
        self.exp(base);
        self.put(" ");
        self.align(|p| {
            for (i, (path, value)) in chain.iter().rev().enumerate() {
                if i > 0 {
                    p.gap(layout);
                }
                p.put("with ");
                p.path(path);
                p.put(" = ");
                p.exp(value);
            }
        });
    }
}
