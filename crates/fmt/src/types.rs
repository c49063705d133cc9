//! Type expressions.
//!
//! ```text
//! type t =          type u =
//!     #foo i32        { a: i32
//!   | #bar            , b: []i64
//!                     }
//! ```

use crate::group::Brackets;
use crate::printer::{Layout, Printer};
use fehu_syntax::ast::{SizeExp, TypeArg, TypeExp};

impl Printer<'_> {
    /// A type, with the comments before it.
    pub(crate) fn type_exp(&mut self, t: &TypeExp) {
        let span = t.span();
        let layout = self.layout(span);
        self.comments(span.lo);
        match t {
            TypeExp::Var(name) => self.qual_name(name),
            TypeExp::Parens(inner, _) => {
                self.put("(");
                self.align(|p| p.type_exp(inner));
                self.put(")");
            }
            TypeExp::Array(size, elem, _) => {
                self.size_exp(size);
                self.type_exp(elem);
            }
            TypeExp::Tuple(items, _) => {
                self.group(Brackets::Round, layout, items, |p, t| p.align(|p| p.type_exp(t)));
            }
            TypeExp::Record(fields, _) => {
                self.group(Brackets::Curly, layout, fields, |p, (name, t)| {
                    p.ident(*name);
                    p.put(": ");
                    p.align(|p| p.type_exp(t));
                });
            }
            TypeExp::Sum(constructors, _) => {
                for (i, (name, payload)) in constructors.iter().enumerate() {
                    match (i, layout) {
                        (0, Layout::OneLine) => {}
                        (0, Layout::Lines) => self.put("  "),
                        _ => {
                            self.gap(layout);
                            self.put("| ");
                        }
                    }
                    self.ident(*name);
                    for t in payload {
                        self.put(" ");
                        self.type_exp(t);
                    }
                }
            }
            TypeExp::Unique(inner, _) => {
                self.put(if matches!(&**inner, TypeExp::Unique(..)) { "* " } else { "*" });
                self.type_exp(inner);
            }
            TypeExp::Apply(f, arg, _) => {
                self.type_exp(f);
                self.put(" ");
                match arg {
                    TypeArg::Size(size) => self.size_exp(size),
                    TypeArg::Type(t) => self.type_exp(t),
                }
            }
            TypeExp::Arrow { param, lhs, rhs, .. } => {
                match param {
                    Some(name) => {
                        self.put("(");
                        self.ident(*name);
                        self.put(": ");
                        self.align(|p| p.type_exp(lhs));
                        self.put(")");
                    }
                    None => self.type_exp(lhs),
                }
                self.gap(layout);
                self.put("-> ");
                if matches!(&**rhs, TypeExp::Arrow { .. }) {
                    self.type_exp(rhs);
                } else {
                    self.align(|p| p.type_exp(rhs));
                }
            }
            TypeExp::Exists(sizes, inner, _) => {
                self.put("?");
                for n in sizes {
                    self.size_binder(*n);
                }
                self.put(".");
                self.type_exp(inner);
            }
        }
    }

    fn size_exp(&mut self, size: &SizeExp) {
        match size {
            SizeExp::Any(_) => self.put("[]"),
            SizeExp::Exp(e, _) => {
                self.put("[");
                self.exp(e);
                self.put("]");
            }
        }
    }
}
