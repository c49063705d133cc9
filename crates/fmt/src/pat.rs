//! Patterns.

use crate::group::Brackets;
use crate::printer::{Layout, Printer};
use fehu_syntax::ast::Pat;

impl Printer<'_> {
    /// A pattern, with the comments before it.
    pub(crate) fn pat(&mut self, pat: &Pat) {
        let span = pat.span();
        self.comments(span.lo);
        match pat {
            Pat::Var(x) => self.binder(*x),
            Pat::Wildcard(_) => self.put("_"),
            Pat::Parens(inner, _) => {
                self.align(|p| {
                    p.put("(");
                    p.align(|p| p.pat(inner));
                    if p.layout(span) == Layout::Lines {
                        p.line();
                    }
                    p.put(")");
                });
            }
            Pat::Tuple(items, _) => {
                self.group(Brackets::Round, self.layout(span), items, |p, item| p.align(|p| p.pat(item)));
            }
            Pat::Record(fields, _) => {
                self.group(Brackets::Curly, self.layout(span), fields, |p, (name, value)| {
                    match value {
                        // `f: t` is short for `f = f: t`.
                        Some(short @ Pat::Ascript(inner, ..))
                            if matches!(&**inner, Pat::Var(x) if x.span == name.span) =>
                        {
                            p.pat(short);
                        }
                        Some(value) => {
                            p.comments(name.span.lo);
                            p.ident(*name);
                            p.put(" = ");
                            p.align(|p| p.pat(value));
                        }
                        None => {
                            p.comments(name.span.lo);
                            p.ident(*name);
                        }
                    }
                });
            }
            Pat::Literal { .. } => {
                let negated = self.source.text(span).starts_with('-');
                if negated {
                    self.put("-");
                }
                if let Some(digits) = self.source.tokens_in(span).last() {
                    self.put_span(digits.span);
                }
            }
            Pat::Constr(name, args, _) => {
                self.ident(*name);
                for arg in args {
                    self.put(" ");
                    self.pat(arg);
                }
            }
            Pat::Ascript(inner, t, _) => {
                self.pat(inner);
                self.put(": ");
                self.align(|p| p.type_exp(t));
            }
            Pat::Attr(attr, inner, _) => {
                self.attr(attr);
                self.put(" ");
                self.pat(inner);
            }
        }
    }
}
