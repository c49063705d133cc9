//! Syntax as text, on one line, for messages.

use crate::resolve::show_qual;
use crate::type_exp::show_type_exp;
use fehu_syntax::ast::{self, Access, Exp, ExpKind, FieldExp, Index, Literal, Pat, QualName, RangeEnd};

/// How many characters of a quotation are shown.
pub(crate) const LIMIT: usize = 120;

/// An expression, cut off where it is long.
pub(crate) fn exp(e: &Exp) -> String {
    let mut q = Quote { out: String::new() };
    q.exp(e);
    q.finish()
}

/// A pattern, cut off where it is long.
pub(crate) fn pat(p: &Pat) -> String {
    let mut q = Quote { out: String::new() };
    q.pat(p);
    q.finish()
}

struct Quote {
    out: String,
}

impl Quote {
    fn finish(mut self) -> String {
        if let Some((at, _)) = self.out.char_indices().nth(LIMIT) {
            self.out.truncate(at);
            self.out.push_str("...");
        }
        self.out
    }

    fn full(&self) -> bool {
        self.out.len() > 4 * LIMIT
    }

    fn put(&mut self, s: &str) {
        self.out.push_str(s);
    }

    fn list<T>(&mut self, open: &str, items: &[T], close: &str, mut each: impl FnMut(&mut Self, &T)) {
        self.put(open);
        for (i, x) in items.iter().enumerate() {
            if self.full() {
                return;
            }
            if i > 0 {
                self.put(", ");
            }
            each(self, x);
        }
        self.put(close);
    }

    fn spaced(&mut self, items: &[Exp]) {
        for e in items {
            self.put(" ");
            self.exp(e);
        }
    }

    fn exp(&mut self, e: &Exp) {
        if self.full() {
            return;
        }
        fehu_base::stack::deep(|| self.exp_inner(e));
    }

    fn exp_inner(&mut self, e: &Exp) {
        match &*e.kind {
            ExpKind::Literal(l) => self.literal(l),
            ExpKind::Var(q) => self.name(q),
            ExpKind::Hole => self.put("???"),
            ExpKind::Parens(e) => {
                self.put("(");
                self.exp(e);
                self.put(")");
            }
            ExpKind::QualParens(q, e) => {
                self.put(&format!("{}.(", show_qual(q)));
                self.exp(e);
                self.put(")");
            }
            ExpKind::Tuple(es) => self.list("(", es, ")", |q, e| q.exp(e)),
            ExpKind::Record(fs) => self.list("{", fs, "}", |q, f| match f {
                FieldExp::Explicit(id, e) => {
                    q.put(&format!("{} = ", id.name));
                    q.exp(e);
                }
                FieldExp::Implicit(id) => q.put(id.name.as_str()),
            }),
            ExpKind::Array(es) => self.list("[", es, "]", |q, e| q.exp(e)),
            ExpKind::Project(e, f) => {
                self.exp(e);
                self.put(&format!(".{}", f.name));
            }
            ExpKind::Index(e, ix) => {
                self.exp(e);
                self.indexes(ix);
            }
            ExpKind::Negate(e) => {
                self.put("-");
                self.exp(e);
            }
            ExpKind::Not(e) => {
                self.put("!");
                self.exp(e);
            }
            ExpKind::Assert(c, e) => {
                self.put("assert ");
                self.exp(c);
                self.put(" ");
                self.exp(e);
            }
            ExpKind::Constr(c, es) => {
                self.put(&format!("#{}", c.name));
                self.spaced(es);
            }
            ExpKind::Apply(f, es) => {
                self.exp(f);
                self.spaced(es);
            }
            ExpKind::BinOp(op, l, r) => {
                self.exp(l);
                self.operator(op);
                self.exp(r);
            }
            ExpKind::Lambda(l) => self.lambda(l),
            ExpKind::SectionLeft(e, op) => {
                self.put("(");
                self.exp(e);
                self.put(&format!(" {})", op_text(op)));
            }
            ExpKind::SectionRight(op, e) => {
                self.put(&format!("({} ", op_text(op)));
                self.exp(e);
                self.put(")");
            }
            ExpKind::SectionAccess(path) => {
                self.put("(");
                self.path(path, ".");
                self.put(")");
            }
            ExpKind::Ascript(e, t) => {
                self.exp(e);
                self.put(&format!(" : {}", show_type_exp(t)));
            }
            ExpKind::Coerce(e, t) => {
                self.exp(e);
                self.put(&format!(" :> {}", show_type_exp(t)));
            }
            ExpKind::Range(start, second, end) => {
                self.exp(start);
                if let Some(s) = second {
                    self.put("..");
                    self.exp(s);
                }
                let (dots, e) = match end {
                    RangeEnd::Inclusive(e) => ("...", e),
                    RangeEnd::UpTo(e) => ("..<", e),
                    RangeEnd::DownTo(e) => ("..>", e),
                };
                self.put(dots);
                self.exp(e);
            }
            ExpKind::Update(e, path, v) => {
                self.exp(e);
                self.put(" with ");
                self.path(path, "");
                self.put(" = ");
                self.exp(v);
            }
            ExpKind::Let { .. }
            | ExpKind::LetUpdate { .. }
            | ExpKind::LetFun(..)
            | ExpKind::If(..)
            | ExpKind::Loop { .. }
            | ExpKind::Match(..)
            | ExpKind::Attr(..) => self.control(e),
            ExpKind::Error => self.put("..."),
        }
    }

    fn lambda(&mut self, l: &ast::Lambda) {
        self.put("\\");
        for (i, p) in l.params.iter().enumerate() {
            self.put(if i > 0 { " " } else { "" });
            self.pat(p);
        }
        if let Some(t) = &l.ret {
            self.put(&format!(" : {}", show_type_exp(t)));
        }
        self.put(" -> ");
        self.exp(&l.body);
    }

    /// Bindings, branches and loops; of loops and matches only the beginning.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are written by the caller")]
    fn control(&mut self, e: &Exp) {
        match &*e.kind {
            ExpKind::Let { pat, value, body, .. } => {
                self.put("let ");
                self.pat(pat);
                self.put(" = ");
                self.exp(value);
                self.put(" in ");
                self.exp(body);
            }
            ExpKind::LetUpdate { name, path, value, body } => {
                self.put(&format!("let {}", name.name));
                self.path(path, ".");
                self.put(" = ");
                self.exp(value);
                self.put(" in ");
                self.exp(body);
            }
            ExpKind::LetFun(f, body) => {
                self.put(&format!("let {} ... in ", f.name.name));
                self.exp(body);
            }
            ExpKind::If(c, t, f) => {
                self.put("if ");
                self.exp(c);
                self.put(" then ");
                self.exp(t);
                self.put(" else ");
                self.exp(f);
            }
            ExpKind::Loop { pat, .. } => {
                self.put("loop ");
                self.pat(pat);
                self.put(" ...");
            }
            ExpKind::Match(e, _) => {
                self.put("match ");
                self.exp(e);
                self.put(" ...");
            }
            ExpKind::Attr(a, e) => {
                self.put(&format!("#[{}] ", crate::show::attr(a)));
                self.exp(e);
            }
            _ => {}
        }
    }

    fn name(&mut self, q: &QualName) {
        if crate::show::is_operator(q.name.name.as_str()) {
            self.put(&format!("({})", show_qual(q)));
        } else {
            self.put(&show_qual(q));
        }
    }

    fn operator(&mut self, op: &QualName) {
        self.put(&format!(" {} ", op_text(op)));
    }

    fn indexes(&mut self, ix: &[Index]) {
        self.list("[", ix, "]", |q, i| match i {
            Index::Fix(e) => q.exp(e),
            Index::Slice { lo, hi, stride, .. } => {
                if let Some(e) = lo {
                    q.exp(e);
                }
                q.put(":");
                if let Some(e) = hi {
                    q.exp(e);
                }
                if let Some(e) = stride {
                    q.put(":");
                    q.exp(e);
                }
            }
        });
    }

    fn path(&mut self, path: &[Access], before_first: &str) {
        for (i, a) in path.iter().enumerate() {
            match a {
                Access::Field(f) => {
                    self.put(if i == 0 { before_first } else { "." });
                    self.put(f.name.as_str());
                }
                Access::Index(ix, _) => self.indexes(ix),
            }
        }
    }

    fn literal(&mut self, l: &Literal) {
        let text = match l {
            Literal::Int(n, None) => n.to_string(),
            Literal::Int(n, Some(t)) => format!("{n}{}", t.as_str()),
            Literal::Float(_, text, None) => text.to_string(),
            Literal::Float(_, text, Some(t)) => format!("{text}{}", t.as_str()),
            Literal::Bool(b) => b.to_string(),
            Literal::Char(c) => format!("{c:?}"),
            Literal::String(s) => format!("{:?}", String::from_utf8_lossy(s)),
        };
        self.put(&text);
    }

    fn pat(&mut self, p: &Pat) {
        if self.full() {
            return;
        }
        match p {
            Pat::Var(id) => self.put(id.name.as_str()),
            Pat::Wildcard(_) => self.put("_"),
            Pat::Parens(p, _) => {
                self.put("(");
                self.pat(p);
                self.put(")");
            }
            Pat::Tuple(ps, _) => self.list("(", ps, ")", |q, p| q.pat(p)),
            Pat::Record(fs, _) => self.list("{", fs, "}", |q, (f, p): &(ast::Ident, Option<Pat>)| {
                q.put(f.name.as_str());
                if let Some(p) = p {
                    q.put(" = ");
                    q.pat(p);
                }
            }),
            Pat::Literal { value, negated, .. } => {
                self.put(if *negated { "-" } else { "" });
                self.literal(value);
            }
            Pat::Constr(c, ps, _) => {
                self.put(&format!("#{}", c.name));
                for p in ps {
                    self.put(" ");
                    self.pat(p);
                }
            }
            Pat::Ascript(p, t, _) => {
                self.pat(p);
                self.put(&format!(": {}", show_type_exp(t)));
            }
            Pat::Attr(a, p, _) => {
                self.put(&format!("#[{}] ", crate::show::attr(a)));
                self.pat(p);
            }
        }
    }
}

/// An operator between its operands: names stand in backquotes.
fn op_text(op: &QualName) -> String {
    let shown = show_qual(op);
    if crate::show::is_operator(op.name.name.as_str()) {
        shown
    } else {
        format!("`{shown}`")
    }
}
