//! Types, sizes, patterns and small expressions as text.
//!
//! One printer, two spellings of names: as the user wrote them, for messages
//! ([`show_type`], [`show_size`]), and with their unique numbers, for
//! `fehu dev --typed` ([`crate::print`]).
//!
//! Expressions are printed on one line; the places that show a whole
//! declaration live in [`crate::print`].

use crate::tast::{Access, Exp, ExpKind, Index, LoopForm, Pat, PatKind, RangeEnd};
use crate::types::{Arrow, RetType, Scheme, Size, TParam, Type, TypeArg, Uniq};
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Symbol};
use fehu_syntax::ast::{Attr, Liftedness};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A type as users write it: `[n]i32`, `{a: i32}`, `(x: i64) -> [x]i32`.
pub fn show_type(names: &NameSource, t: &Type) -> String {
    Show::plain(names).ty(t)
}

/// A result type as users write it: `?[n].[n]i32`.
pub fn show_ret(names: &NameSource, t: &RetType) -> String {
    Show::plain(names).ret(t)
}

/// A size as users write it, without brackets: `n`, `10`, `n + 1`.
pub fn show_size(names: &NameSource, s: &Size) -> String {
    Show::plain(names).size(s)
}

/// A pattern as users write it.
pub fn show_pat(names: &NameSource, p: &Pat) -> String {
    Show::plain(names).pat(p)
}

/// An expression as users write it, on one line.
pub fn show_exp(names: &NameSource, e: &Exp) -> String {
    Show::plain(names).exp(e)
}

/// How names are spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// As the user wrote them.
    Source,
    /// With their unique numbers, `x_12`.
    Unique,
}

/// A printer.
#[derive(Clone, Copy, Debug)]
pub struct Show<'a> {
    /// The texts of the names.
    pub names: &'a NameSource,
    /// How to spell them.
    pub spelling: Spelling,
    /// What is known of types that are not: `number`.
    pub words: Option<&'a FxHashMap<u32, &'static str>>,
}

/// How tightly a piece of text holds together, from loosest to tightest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    /// `let`, `if`, lambdas, arrows: whatever extends to the right.
    Open,
    /// An operator of this strength, see [`operator_level`].
    Op(u8),
    /// An application.
    Apply,
    /// A word or something in brackets.
    Atom,
}

impl<'a> Show<'a> {
    /// Names as the user wrote them.
    pub fn plain(names: &'a NameSource) -> Show<'a> {
        Show { names, spelling: Spelling::Source, words: None }
    }

    /// Names with their numbers.
    pub fn unique(names: &'a NameSource) -> Show<'a> {
        Show { names, spelling: Spelling::Unique, words: None }
    }

    /// A name.
    pub fn name(&self, n: Name) -> String {
        match self.spelling {
            Spelling::Source => self.names.base(n).to_string(),
            Spelling::Unique => self.names.show(n),
        }
    }

    /// A type.
    pub fn ty(&self, t: &Type) -> String {
        fehu_base::stack::deep(|| self.ty_open(t))
    }

    fn ty_open(&self, t: &Type) -> String {
        match t {
            Type::Scalar(s) => s.to_string(),
            Type::Array(u, size, elem) => {
                format!("{}[{}]{}", star(*u), self.size(size), self.ty_atom(elem))
            }
            Type::Record(fields) => self.record_type(fields),
            Type::Sum(constrs) => self.sum_type(constrs),
            Type::Arrow(arrow) => self.arrow(arrow),
            Type::Var(u, name, args) => {
                let mut text = format!("{}{}", star(*u), self.name(*name));
                for a in args.iter() {
                    let _ = write!(text, " {}", self.type_arg(a));
                }
                text
            }
            Type::Meta(n) => match (self.spelling, self.words.and_then(|words| words.get(n))) {
                (_, Some(word)) => (*word).to_owned(),
                (Spelling::Unique, None) => format!("t{n}"),
                (Spelling::Source, None) => "_".into(),
            },
            Type::Error => "_".into(),
        }
    }

    fn record_type(&self, fields: &[(Symbol, Type)]) -> String {
        if is_tuple(fields) {
            return format!("({})", commas(fields.iter().map(|(_, t)| self.ty(t))));
        }
        format!("{{{}}}", commas(fields.iter().map(|(f, t)| format!("{f}: {}", self.ty(t)))))
    }

    fn sum_type(&self, constrs: &[(Symbol, Vec<Type>)]) -> String {
        let one = |(c, ts): &(Symbol, Vec<Type>)| {
            let mut text = format!("#{c}");
            for t in ts {
                let _ = write!(text, " {}", self.ty_atom(t));
            }
            text
        };
        constrs.iter().map(one).collect::<Vec<_>>().join(" | ")
    }

    fn arrow(&self, a: &Arrow) -> String {
        format!("{} -> {}", self.param(a), self.ret(&a.ret))
    }

    /// The parameter of a function, as it stands before the arrow.
    pub fn param(&self, a: &Arrow) -> String {
        match a.param {
            Some(p) => format!("({}: {})", self.name(p), self.ty(&a.lhs)),
            None => {
                if let Type::Arrow(_) | Type::Sum(_) = a.lhs {
                    format!("({})", self.ty(&a.lhs))
                } else {
                    self.ty(&a.lhs)
                }
            }
        }
    }

    /// A type where only one that holds together may stand.
    fn ty_atom(&self, t: &Type) -> String {
        let text = self.ty(t);
        let loose = match t {
            Type::Sum(_) | Type::Arrow(_) => true,
            Type::Var(_, _, args) => !args.is_empty(),
            Type::Scalar(_) | Type::Array(..) | Type::Record(_) | Type::Meta(_) | Type::Error => false,
        };
        if loose {
            format!("({text})")
        } else {
            text
        }
    }

    /// A result type.
    pub fn ret(&self, r: &RetType) -> String {
        if r.dims.is_empty() {
            return self.ty(&r.ty);
        }
        let dims: String = r.dims.iter().map(|d| format!("[{}]", self.name(*d))).collect();
        format!("?{dims}.{}", self.ty(&r.ty))
    }

    /// A size, without brackets.
    pub fn size(&self, s: &Size) -> String {
        match s {
            Size::Const(c) => c.to_string(),
            Size::Var(n) => self.name(*n),
            Size::Exp(e) => self.exp(e),
            Size::Any => String::new(),
        }
    }

    /// An argument of a type or of an instantiation.
    pub fn type_arg(&self, a: &TypeArg) -> String {
        match a {
            TypeArg::Size(s) => format!("[{}]", self.size(s)),
            TypeArg::Type(t) => self.ty_atom(t),
        }
    }

    /// A size or type parameter.
    pub fn tparam(&self, p: TParam) -> String {
        match p {
            TParam::Size(n) => format!("[{}]", self.name(n)),
            TParam::Type(l, n) => format!("'{}{}", lift_mark(l), self.name(n)),
        }
    }

    /// A scheme.
    pub fn scheme(&self, s: &Scheme) -> String {
        let mut text: String = s.tparams.iter().map(|p| self.tparam(*p) + " ").collect();
        if !text.is_empty() {
            text.push_str("-> ");
        }
        text + &self.ty(&s.ty)
    }

    /// A pattern.
    pub fn pat(&self, p: &Pat) -> String {
        match &p.kind {
            PatKind::Var(n) => self.name(*n),
            PatKind::Wildcard => "_".into(),
            PatKind::Record(fields) => {
                if is_tuple(fields) {
                    return format!("({})", commas(fields.iter().map(|(_, p)| self.pat(p))));
                }
                format!("{{{}}}", commas(fields.iter().map(|(f, p)| format!("{f} = {}", self.pat(p)))))
            }
            PatKind::Literal(v) => literal(*v, &p.ty),
            PatKind::Constr(c, args) => {
                let mut text = format!("#{c}");
                for a in args {
                    let inner = self.pat(a);
                    let loose = matches!(&a.kind, PatKind::Constr(_, args) if !args.is_empty());
                    let _ = if loose { write!(text, " ({inner})") } else { write!(text, " {inner}") };
                }
                text
            }
            PatKind::Attr(a, p) => format!("#[{}] {}", attr(a), self.pat(p)),
        }
    }

    /// An expression on one line.
    pub fn exp(&self, e: &Exp) -> String {
        self.exp_level(e).0
    }

    /// An expression where only an operand of at least this strength may stand.
    fn exp_at(&self, e: &Exp, least: Level) -> String {
        let (text, level) = self.exp_level(e);
        if level < least {
            format!("({text})")
        } else {
            text
        }
    }

    /// An expression where only a word or something in brackets may stand.
    pub fn operand(&self, e: &Exp) -> String {
        self.exp_at(e, Level::Atom)
    }

    fn exp_level(&self, e: &Exp) -> (String, Level) {
        let (text, level) = fehu_base::stack::deep(|| self.exp_level_inner(e));
        if self.spelling == Spelling::Source || e.ext.is_empty() {
            return (text, level);
        }
        let sizes: String = e.ext.iter().map(|n| format!("[{}]", self.name(*n))).collect();
        let text = if level < Level::Apply { format!("({text})") } else { text };
        (format!("{text} ?{sizes}"), Level::Apply)
    }

    fn exp_level_inner(&self, e: &Exp) -> (String, Level) {
        use Level::{Apply, Atom, Op, Open};
        match &*e.kind {
            ExpKind::Literal(v) => (literal(*v, &e.ty), Atom),
            ExpKind::String(bytes) => (format!("{:?}", String::from_utf8_lossy(bytes)), Atom),
            ExpKind::Hole => ("???".into(), Atom),
            ExpKind::Var(n, inst) => (self.var(*n, inst), Atom),
            ExpKind::Record(fields) if is_tuple(fields) => {
                (format!("({})", commas(fields.iter().map(|(_, e)| self.exp(e)))), Atom)
            }
            ExpKind::Record(fields) => (
                format!("{{{}}}", commas(fields.iter().map(|(f, e)| format!("{f} = {}", self.exp(e))))),
                Atom,
            ),
            ExpKind::Array(es) => (format!("[{}]", commas(es.iter().map(|e| self.exp(e)))), Atom),
            ExpKind::Project(e, f) => (format!("{}.{f}", self.exp_at(e, Atom)), Atom),
            ExpKind::Index(e, ixs) => (format!("{}[{}]", self.exp_at(e, Atom), self.indexes(ixs)), Atom),
            ExpKind::Negate(e) => (format!("-{}", self.exp_at(e, Apply)), Apply),
            ExpKind::Not(e) => (format!("!{}", self.exp_at(e, Apply)), Apply),
            ExpKind::And(l, r) => self.infix("&&", l, r),
            ExpKind::Or(l, r) => self.infix("||", l, r),
            ExpKind::Assert(c, e, _) => {
                (format!("assert {} {}", self.exp_at(c, Atom), self.exp_at(e, Atom)), Apply)
            }
            ExpKind::Constr(c, args) if args.is_empty() => (format!("#{c}"), Atom),
            ExpKind::Constr(c, args) => (format!("#{c} {}", self.args(args)), Apply),
            ExpKind::Apply(f, args) => {
                if let (ExpKind::Var(op, _), [l, r]) = (&*f.kind, args.as_slice()) {
                    let text = self.names.base(*op).as_str();
                    if is_operator(text) {
                        return self.infix(&self.name(*op), l, r);
                    }
                }
                (format!("{} {}", self.exp_at(f, Atom), self.args(args)), Apply)
            }
            ExpKind::Lambda(l) => {
                let params: Vec<_> = l.params.iter().map(|p| self.pat(p)).collect();
                (format!("\\{} -> {}", params.join(" "), self.exp(&l.body)), Open)
            }
            ExpKind::Coerce(e2) => (format!("{} :> {}", self.exp_at(e2, Op(0)), self.ty(&e.ty)), Open),
            ExpKind::Range { start, second, end } => {
                let mut text = self.exp_at(start, Op(0));
                if let Some(s) = second {
                    let _ = write!(text, "..{}", self.exp_at(s, Op(0)));
                }
                let (dots, end) = match end {
                    RangeEnd::Inclusive(e) => ("...", e),
                    RangeEnd::UpTo(e) => ("..<", e),
                    RangeEnd::DownTo(e) => ("..>", e),
                };
                (format!("{text}{dots}{}", self.exp_at(end, Op(0))), Open)
            }
            ExpKind::Update(e, path, v) => {
                (format!("{} with {} = {}", self.exp_at(e, Op(0)), self.path(path), self.exp(v)), Open)
            }
            ExpKind::Let { sizes, pat, value, body } => {
                let sizes: String = sizes.iter().map(|n| format!("[{}] ", self.name(*n))).collect();
                (format!("let {sizes}{} = {} in {}", self.pat(pat), self.exp(value), self.exp(body)), Open)
            }
            ExpKind::LetFun(f, body) => {
                let params: String = f.params.iter().map(|p| format!(" {}", self.pat(p))).collect();
                let head = self.name(f.name);
                (format!("let {head}{params} = {} in {}", self.exp(&f.body), self.exp(body)), Open)
            }
            ExpKind::If(c, t, f) => {
                (format!("if {} then {} else {}", self.exp(c), self.exp(t), self.exp(f)), Open)
            }
            ExpKind::Loop(l) => {
                let head = format!("loop {} = {}", self.pat(&l.pat), self.exp_at(&l.init, Op(0)));
                (format!("{head} {} do {}", self.loop_form(&l.form), self.exp(&l.body)), Open)
            }
            ExpKind::Match(e, cases) => {
                let mut text = format!("match {}", self.exp(e));
                for c in cases {
                    let _ = write!(text, " case {} -> {}", self.pat(&c.pat), self.exp_at(&c.body, Op(0)));
                }
                (text, Open)
            }
            ExpKind::Attr(a, e) => (format!("#[{}] {}", attr(a), self.exp(e)), Open),
        }
    }

    fn var(&self, n: Name, inst: &[TypeArg]) -> String {
        let mut text = self.name(n);
        if is_operator(&text) {
            text = format!("({text})");
        }
        match self.spelling {
            Spelling::Source => text,
            Spelling::Unique => inst.iter().fold(text, |t, a| format!("{t}@{}", self.type_arg(a))),
        }
    }

    fn args(&self, args: &[Exp]) -> String {
        args.iter().map(|a| self.exp_at(a, Level::Atom)).collect::<Vec<_>>().join(" ")
    }

    fn infix(&self, op: &str, l: &Exp, r: &Exp) -> (String, Level) {
        let level = operator_level(op);
        let left = self.exp_at(l, Level::Op(level));
        let right = self.exp_at(r, Level::Op(level + 1));
        (format!("{left} {op} {right}"), Level::Op(level))
    }

    /// Indexes, without brackets.
    pub fn indexes(&self, ixs: &[Index]) -> String {
        let part = |e: &Option<Exp>| e.as_ref().map(|e| self.exp(e)).unwrap_or_default();
        commas(ixs.iter().map(|i| match i {
            Index::Fix(e) => self.exp(e),
            Index::Slice { lo, hi, stride: None } => format!("{}:{}", part(lo), part(hi)),
            Index::Slice { lo, hi, stride } => format!("{}:{}:{}", part(lo), part(hi), part(stride)),
        }))
    }

    /// The path of an update.
    pub fn path(&self, path: &[Access]) -> String {
        let mut text = String::new();
        for step in path {
            match step {
                Access::Field(f) if text.is_empty() => text.push_str(f.as_str()),
                Access::Field(f) => {
                    let _ = write!(text, ".{f}");
                }
                Access::Index(ixs, _) => {
                    let _ = write!(text, "[{}]", self.indexes(ixs));
                }
            }
        }
        text
    }

    /// How a loop goes on: `for i < n`, ...
    pub fn loop_form(&self, form: &LoopForm) -> String {
        match form {
            LoopForm::For(i, _, e) => format!("for {} < {}", self.name(*i), self.exp(e)),
            LoopForm::ForIn(p, e) => format!("for {} in {}", self.pat(p), self.exp(e)),
            LoopForm::While(e) => format!("while {}", self.exp(e)),
        }
    }
}

/// Whether the fields are `0`, `1`, ..., as written or in the type's order; a
/// record of one field is not a tuple.
pub fn is_tuple<T>(fields: &[(Symbol, T)]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(i, (f, _))| f.as_str() == i.to_string())
}

/// A scalar constant: `i64` bare, since that is what sizes are, others with their type.
pub fn literal(v: PrimValue, ty: &Type) -> String {
    match (v, ty) {
        (PrimValue::Bool(b), _) => b.to_string(),
        (PrimValue::I64(n), Type::Scalar(ScalarType::I64)) => n.to_string(),
        (_, Type::Scalar(s)) if s.is_unsigned() => {
            let mask = if s.prim().bytes() == 8 { u64::MAX } else { (1 << (8 * s.prim().bytes())) - 1 };
            format!("{}{s}", v.as_u64().unwrap_or(0) & mask)
        }
        _ => v.to_string(),
    }
}

/// An attribute, without its brackets.
pub fn attr(a: &Attr) -> String {
    match a {
        Attr::Atom(id) => id.name.to_string(),
        Attr::Int(n, _) => n.to_string(),
        Attr::Comp(id, args, _) => format!("{}({})", id.name, commas(args.iter().map(attr))),
    }
}

/// The mark of a lifted kind.
pub fn lift_mark(l: Liftedness) -> &'static str {
    match l {
        Liftedness::Unlifted => "",
        Liftedness::SizeLifted => "~",
        Liftedness::Lifted => "^",
    }
}

fn star(u: Uniq) -> &'static str {
    match u {
        Uniq::Unique => "*",
        Uniq::Nonunique => "",
    }
}

fn commas(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Whether a name is an operator.
pub fn is_operator(text: &str) -> bool {
    text.starts_with(|c: char| "+-*/%=!><|&^.".contains(c))
}

/// How strongly an operator binds, by the longest built-in prefix of its name.
fn operator_level(op: &str) -> u8 {
    const LEVELS: [(&str, u8); 25] = [
        ("<|", 1),
        ("|>", 2),
        ("||", 3),
        ("&&", 4),
        ("<=", 5),
        (">=", 5),
        ("==", 5),
        ("!=", 5),
        ("<<", 7),
        (">>", 7),
        ("**", 10),
        ("//", 9),
        ("%%", 9),
        ("<", 5),
        (">", 5),
        ("=", 5),
        ("!", 5),
        ("&", 6),
        ("^", 6),
        ("|", 6),
        ("+", 8),
        ("-", 8),
        ("*", 9),
        ("/", 9),
        ("%", 9),
    ];
    LEVELS.iter().find(|(p, _)| op.starts_with(p)).map_or(9, |(_, l)| *l)
}

#[cfg(test)]
mod tests;
