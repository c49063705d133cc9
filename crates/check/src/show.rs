//! Types, sizes, patterns and small expressions as text.
//!
//! One printer, two spellings of names: as the user wrote them, for people ([`show_type`], [`Show::plain`];
//! see [`Texts`]), and with their unique numbers, for `fehu dev --typed` ([`crate::print`]). What the user
//! abbreviated has the user's name for it, unless one asks for all of it.
//!
//! Expressions are printed on one line; the places that show a whole
//! declaration live in [`crate::print`].

mod given;
mod hidden;
mod hiding;
mod texts;

pub use hidden::without_hidden;
pub(crate) use hidden::without_stars;
pub use texts::Texts;

use crate::tast::{Access, Exp, ExpKind, Index, LoopForm, Pat, PatKind, RangeEnd};
use crate::types::{Abbreviation, Arrow, RetType, Scheme, Size, TParam, Type, TypeArg, Uniq};
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Symbol};
use fehu_syntax::ast::{Attr, Liftedness};
use given::{given, Sizes, Unknown, Use};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use texts::{Mentions, Space};

/// A type as users write it: `[n]i32`, `{a: i32}`, `(x: i64) -> [x]i32`.
pub fn show_type(names: &NameSource, t: &Type) -> String {
    Show::plain(names, &Texts::default()).ty(t)
}

/// A scheme as users read it: `[n] 'a -> [n]a -> a`.
pub fn show_scheme(names: &NameSource, s: &Scheme) -> String {
    Show::plain(names, &Texts::default()).scheme(s)
}

/// The names that the sizes of a type mention, in order.
pub fn sizes_in(t: &Type) -> Vec<Name> {
    let mut mentions = Mentions::default();
    mentions.ty(t);
    mentions.used.into_iter().filter(|(_, s)| *s == Space::Values).map(|(n, _)| n).collect()
}

/// How names are spelled.
#[derive(Clone, Copy, Debug)]
pub enum Spelling<'a> {
    /// As the user wrote them, in one message.
    Source(&'a Texts),
    /// With their unique numbers, `x_12`.
    Unique,
}

/// What abbreviations are printed as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abbreviations {
    /// As the user wrote them.
    Given,
    /// As what they stand for.
    Expanded,
}

/// A printer.
#[derive(Clone, Copy, Debug)]
pub struct Show<'a> {
    /// The texts of the names.
    pub names: &'a NameSource,
    /// How to spell them.
    pub spelling: Spelling<'a>,
    /// What to do about abbreviations.
    pub abbreviations: Abbreviations,
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
    /// Names and types as the user wrote them, in a message whose names have these texts.
    pub fn plain(names: &'a NameSource, texts: &'a Texts) -> Show<'a> {
        let (spelling, abbreviations) = (Spelling::Source(texts), Abbreviations::Given);
        Show { names, spelling, abbreviations, words: None }
    }

    /// Names with their numbers.
    pub fn unique(names: &'a NameSource) -> Show<'a> {
        let (spelling, abbreviations) = (Spelling::Unique, Abbreviations::Expanded);
        Show { names, spelling, abbreviations, words: None }
    }

    /// The name of a value or size.
    pub fn name(&self, n: Name) -> String {
        self.spelled(n, Space::Values)
    }

    fn spelled(&self, n: Name, space: Space) -> String {
        match self.spelling {
            Spelling::Source(texts) => texts.of(self.names, n, space),
            Spelling::Unique => self.names.show(n),
        }
    }

    /// A type.
    pub fn ty(&self, t: &Type) -> String {
        self.learn(&[], t);
        self.ty_open(t)
    }

    fn ty_open(&self, t: &Type) -> String {
        fehu_base::stack::deep(|| match self.given(t) {
            Some(used) => self.application(used.uniq, used.of.name, &used.args),
            None => self.ty_expanded(t),
        })
    }

    fn given<'t>(&self, t: &'t Type) -> Option<Use<'t>> {
        match self.abbreviations {
            Abbreviations::Given => given(t, Sizes { hides: &|n| self.hides(n), unknown: Unknown::Hidden }),
            Abbreviations::Expanded => None,
        }
    }

    /// Whether an abbreviation that is printed stands for the size.
    fn hides(&self, n: Name) -> bool {
        match (self.abbreviations, self.spelling) {
            (Abbreviations::Given, Spelling::Source(texts)) => texts.hides(n),
            (Abbreviations::Given, Spelling::Unique) | (Abbreviations::Expanded, _) => false,
        }
    }

    /// A type name with its arguments.
    fn application(&self, uniq: Uniq, name: Name, args: &[TypeArg]) -> String {
        let args: String = args.iter().map(|a| format!(" {}", self.type_arg(a))).collect();
        format!("{}{}{args}", star(uniq), self.spelled(name, Space::Types))
    }

    /// The abbreviations that stand in a type as it is printed, and what they stand for:
    /// `type point = {x: f32, y: f32}`.
    pub fn abbreviations_in(&self, t: &Type) -> Vec<String> {
        let mut found: Vec<&Abbreviation> = vec![];
        self.named(t, &mut |_, abbreviation| match abbreviation {
            Some(a) if found.iter().all(|b| a.name != b.name) => found.push(a),
            Some(_) | None => {}
        });
        let line = |a: &&Abbreviation| {
            let (mark, name) = (lift_mark(a.def.lifted), self.spelled(a.name, Space::Types));
            format!(
                "type{mark} {name}{} = {}",
                self.tparams(&a.def.tparams),
                self.ret(&definition(&a.def.def))
            )
        };
        found.iter().map(line).collect()
    }

    /// The names of types that stand in a type as it is printed.
    pub fn names_in(&self, t: &Type) -> Vec<Name> {
        let mut found: Vec<Name> = vec![];
        self.named(t, &mut |name, _| {
            if !found.contains(&name) {
                found.push(name);
            }
        });
        found
    }

    /// Calls `f` on each name of a type that stands in a type, and on what it abbreviates.
    fn named<'t>(&self, t: &'t Type, f: &mut dyn FnMut(Name, Option<&'t Abbreviation>)) {
        self.learn(&[], t);
        self.named_open(t, f);
    }

    fn named_open<'t>(&self, t: &'t Type, f: &mut dyn FnMut(Name, Option<&'t Abbreviation>)) {
        if let Some(used) = self.given(t) {
            return f(used.of.name, Some(used.of));
        }
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
            Type::Array(_, _, elem) => self.named_open(elem, f),
            Type::Record(fields) => fields.iter().for_each(|(_, t)| self.named_open(t, f)),
            Type::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| self.named_open(t, f)),
            Type::Arrow(a) => {
                self.named_open(&a.lhs, f);
                self.named_open(&a.ret.ty, f);
            }
            Type::Var(_, name, args) => {
                f(*name, None);
                for a in args.iter() {
                    if let TypeArg::Type(t) = a {
                        self.named_open(t, f);
                    }
                }
            }
        }
    }

    fn ty_expanded(&self, t: &Type) -> String {
        match t {
            Type::Scalar(s, _) => s.to_string(),
            Type::Array(u, size, elem) => {
                format!("{}[{}]{}", star(*u), self.size(size), self.ty_atom(elem))
            }
            Type::Record(fields) => self.record_type(fields),
            Type::Sum(constrs) => self.sum_type(constrs),
            Type::Arrow(arrow) => self.arrow(arrow),
            Type::Var(u, name, args) => self.application(*u, *name, args),
            Type::Meta(n) => match (self.spelling, self.words.and_then(|words| words.get(n))) {
                (_, Some(word)) => (*word).to_owned(),
                (Spelling::Unique, None) => format!("t{n}"),
                (Spelling::Source(_), None) => "_".into(),
            },
            Type::Error => "_".into(),
        }
    }

    fn record_type(&self, fields: &[(Symbol, Type)]) -> String {
        if is_tuple(fields) {
            return format!("({})", commas(fields.iter().map(|(_, t)| self.ty_open(t))));
        }
        format!("{{{}}}", commas(fields.iter().map(|(f, t)| format!("{f}: {}", self.ty_open(t)))))
    }

    fn sum_type(&self, constrs: &[(Symbol, Vec<Type>)]) -> String {
        let one = |(c, ts): &(Symbol, Vec<Type>)| {
            let mut text = format!("#{c}");
            for (i, t) in ts.iter().enumerate() {
                // What follows an array would be taken for an argument of its elements' type.
                let bare = i + 1 == ts.len() && !matches!(t, Type::Array(Uniq::Unique, ..));
                let _ = write!(text, " {}", if bare { self.ty_atom(t) } else { self.ty_word(t) });
            }
            text
        };
        constrs.iter().map(one).collect::<Vec<_>>().join(" | ")
    }

    fn arrow(&self, a: &Arrow) -> String {
        format!("{} -> {}", self.param(a), self.ret_open(&a.ret))
    }

    /// The parameter of a function, as it stands before the arrow.
    pub fn param(&self, a: &Arrow) -> String {
        let text = self.ty_open(&a.lhs);
        match a.param {
            // An operator has no name here, and no size mentions it.
            Some(p) if !is_operator(self.names.base(p).as_str()) => format!("({}: {text})", self.name(p)),
            _ if matches!(a.lhs, Type::Arrow(_) | Type::Sum(_)) && self.given(&a.lhs).is_none() => {
                format!("({text})")
            }
            _ => text,
        }
    }

    /// A type where only one that holds together may stand.
    fn ty_atom(&self, t: &Type) -> String {
        let text = self.ty_open(t);
        let loose = match (self.given(t), t) {
            (Some(used), _) => !used.args.is_empty(),
            (None, Type::Sum(_) | Type::Arrow(_)) => true,
            (None, Type::Var(_, _, args)) => !args.is_empty(),
            (None, Type::Scalar(..) | Type::Array(..) | Type::Record(_) | Type::Meta(_) | Type::Error) => {
                false
            }
        };
        if loose {
            format!("({text})")
        } else {
            text
        }
    }

    /// A type where only a word or something in brackets may stand.
    fn ty_word(&self, t: &Type) -> String {
        let text = self.ty_atom(t);
        if text.starts_with(['[', '*']) {
            format!("({text})")
        } else {
            text
        }
    }

    /// A result type.
    pub fn ret(&self, r: &RetType) -> String {
        let dims: Vec<TParam> = r.dims.iter().map(|d| TParam::Size(*d)).collect();
        self.learn(&dims, &r.ty);
        self.ret_open(r)
    }

    fn ret_open(&self, r: &RetType) -> String {
        let shown = r.dims.iter().filter(|d| !self.hides(**d));
        let dims: String = shown.map(|d| format!("[{}]", self.name(*d))).collect();
        let ty = self.ty_open(&r.ty);
        if dims.is_empty() {
            ty
        } else {
            format!("?{dims}.{ty}")
        }
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
            TypeArg::Type(t) => self.ty_word(t),
        }
    }

    /// A size or type parameter.
    pub fn tparam(&self, p: TParam) -> String {
        match p {
            TParam::Size(n) => format!("[{}]", self.name(n)),
            TParam::Type(l, n) => format!("'{}{}", lift_mark(l), self.spelled(n, Space::Types)),
        }
    }

    /// Size and type parameters as they stand behind a name, but for sizes that abbreviations hide: ` [n] 'a`.
    pub fn tparams(&self, params: &[TParam]) -> String {
        params.iter().filter(|p| !self.hides(p.name())).map(|p| format!(" {}", self.tparam(*p))).collect()
    }

    /// A scheme.
    pub fn scheme(&self, s: &Scheme) -> String {
        match self.scheme_parts(s) {
            (tparams, ty) if tparams.is_empty() => ty,
            (tparams, ty) => format!("{} -> {ty}", tparams.trim_start()),
        }
    }

    /// A value with its scheme, as a module type has it: `f [n] 'a : [n]a -> a`.
    pub fn specification(&self, name: &str, s: &Scheme) -> String {
        let (tparams, ty) = self.scheme_parts(s);
        format!("{name}{tparams} : {ty}")
    }

    fn scheme_parts(&self, s: &Scheme) -> (String, String) {
        self.learn(&s.tparams, &s.ty);
        (self.tparams(&s.tparams), self.ty_open(&s.ty))
    }

    /// Gives names their texts, for a type of which the parts are printed.
    pub fn learn(&self, tparams: &[TParam], t: &Type) {
        if let Spelling::Source(texts) = self.spelling {
            texts.learn(self.names, tparams, t);
        }
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
        if matches!(self.spelling, Spelling::Source(_)) || e.ext.is_empty() {
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
                (format!("({})", commas(fields.iter().map(|(_, e)| self.component(e)))), Atom)
            }
            ExpKind::Record(fields) => (
                format!("{{{}}}", commas(fields.iter().map(|(f, e)| format!("{f} = {}", self.component(e))))),
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

    /// Part of a record, where nothing says that a number is an `i64`.
    fn component(&self, e: &Exp) -> String {
        if let ExpKind::Literal(v @ PrimValue::I64(_)) = &*e.kind {
            v.to_string()
        } else {
            self.exp(e)
        }
    }

    fn var(&self, n: Name, inst: &[TypeArg]) -> String {
        let mut text = self.name(n);
        if is_operator(&text) {
            text = format!("({text})");
        }
        match self.spelling {
            Spelling::Source(_) => text,
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
        (PrimValue::I64(n), Type::Scalar(ScalarType::I64, _)) => n.to_string(),
        (_, Type::Scalar(s, _)) if s.is_unsigned() => {
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

/// A definition with `[]` for sizes that it hides and mentions once.
fn definition(def: &RetType) -> RetType {
    let mut mentions = Mentions::default();
    mentions.ty(&def.ty);
    let once = |n: &Name| mentions.used.iter().filter(|(m, _)| m == n).count() == 1;
    let (left, kept): (Vec<Name>, Vec<Name>) = def.dims.iter().partition(|n| once(n));
    RetType { dims: kept, ty: without_hidden(&def.ty, &|n| !left.contains(&n), &[]) }
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
