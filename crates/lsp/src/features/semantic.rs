//! Colours by meaning: for each word of a file, what kind of thing it names.
//!
//! In: the text, as it is, with or without errors, and what the newest analysis knows of names from elsewhere. Out: the
//! protocol's list of five numbers for each word.
//!
//! ```text
//! def f (x: t) = m.g x      f function, x parameter, t type, m namespace, g function
//! ```
//!
//! Most words are classified by the lexer. Names are classified by a walk over the tree that knows where
//! names are bound: every binding has a scope that is one piece of the text, and the walk goes through the
//! text in order, so the bindings of a name are a stack.

use crate::analysis::{module, Analysis};
use crate::answer::Answer;
use crate::state::{Document, State};
use fehu_base::prim::ScalarType;
use fehu_base::{FileId, Span, Symbol};
use fehu_check::scope::{Env, TermEntry};
use fehu_check::types::Type;
use fehu_syntax::ast::{
    Access, Attr, Dec, Exp, ExpKind, FieldExp, Ident, LoopForm, ModExp, ModTypeExp, Pat, QualName, Spec,
    TypeExp, TypeParam,
};
use fehu_syntax::visit::{each, Node};
use fehu_syntax::{Token, TokenKind};
use rustc_hash::FxHashMap;
use serde_json::{json, Value};
use std::ops::Range;

/// The kinds of words, in the order of [`KINDS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Namespace,
    Interface,
    Type,
    TypeParameter,
    Parameter,
    Variable,
    Function,
    Property,
    EnumMember,
    Decorator,
    Keyword,
    Comment,
    String,
    Number,
    Operator,
}

const KINDS: [&str; 15] = [
    "namespace",
    "interface",
    "type",
    "typeParameter",
    "parameter",
    "variable",
    "function",
    "property",
    "enumMember",
    "decorator",
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
];

/// Modifiers, as bits.
const DECLARATION: u32 = 1;
const DEFAULT_LIBRARY: u32 = 2;
const DOCUMENTATION: u32 = 4;
const MODIFIERS: [&str; 3] = ["declaration", "defaultLibrary", "documentation"];

/// What the server offers.
pub(super) fn provider() -> Value {
    json!({
        "legend": {"tokenTypes": KINDS, "tokenModifiers": MODIFIERS},
        "full": {"delta": true},
        "range": true,
    })
}

/// The words of a file.
pub(super) fn tokens(state: &State, document: &Document, _: &Value) -> Answer {
    let data = numbers(state, document, 0..document.text.text.len());
    Ok(json!({"resultId": document.told.tell(data.clone()), "data": data}))
}

/// The words of a range of a file.
pub(super) fn range(state: &State, document: &Document, params: &Value) -> Answer {
    let at = |end: &str| document.text.offset(&params["range"][end], state.encoding);
    Ok(json!({"data": numbers(state, document, at("start")..at("end"))}))
}

/// What has changed since an answer: all between the numbers that both begin with, and those that both end with.
pub(super) fn delta(state: &State, document: &Document, params: &Value) -> Answer {
    let (last, old) = document.told.last();
    let asked = params["previousResultId"].as_str().and_then(|id| id.parse().ok());
    if asked != Some(last) || old.is_empty() {
        return tokens(state, document, params);
    }
    let new = numbers(state, document, 0..document.text.text.len());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let longest = old.len().min(new.len()) - same;
    let end = old.iter().rev().zip(new.iter().rev()).take(longest).take_while(|(a, b)| a == b).count();
    let (removed, added) = (old.len() - same - end, &new[same..new.len() - end]);
    let edits = match (removed, added) {
        (0, []) => json!([]),
        (removed, added) => json!([{"start": same, "deleteCount": removed, "data": added}]),
    };
    Ok(json!({"edits": edits, "resultId": document.told.tell(new)}))
}

/// The words of a part of a file, as the protocol has them.
fn numbers(state: &State, document: &Document, part: Range<usize>) -> Vec<u32> {
    let text = &document.text.text;
    let mut data: Vec<u32> = vec![];
    let (mut line, mut column) = (0, 0);
    for (span, kind, modifiers) in classified(state, document) {
        let (lo, hi) = (span.lo as usize, span.hi as usize);
        if hi <= part.start || lo >= part.end {
            continue;
        }
        let (l, c) = document.text.line_column(lo, state.encoding);
        let length = state.encoding.units(text.get(lo..hi).unwrap_or(""));
        let from = if l == line { column } else { 0 };
        let numbers = [l - line, c - from, length];
        data.extend(numbers.map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
        data.extend([kind as u32, modifiers]);
        (line, column) = (l, c);
    }
    data
}

/// All words that have a kind, in order.
fn classified(state: &State, document: &Document) -> Vec<(Span, Kind, u32)> {
    let text = &document.text.text;
    let parsed = fehu_syntax::parse(FileId(0), text);
    let prelude = state.prelude().map(|p| &*p.prelude_env);
    let mut names = Names {
        known: document.analysis.as_ref().map(|a: &Analysis| &*a.program.env),
        prelude,
        found: FxHashMap::default(),
        values: FxHashMap::default(),
        types: FxHashMap::default(),
        ends: vec![text.len() as u32],
    };
    each(&parsed.prog.decs, &mut |node| names.node(node));
    let found = names.found;
    let word = |t: Token| {
        let (kind, modifiers) = match lexical(t.kind) {
            Some(kind) => (kind, if t.kind == TokenKind::DocComment { DOCUMENTATION } else { 0 }),
            None => *found.get(&t.span.lo)?,
        };
        Some((t.span, kind, modifiers))
    };
    fehu_syntax::tokens(FileId(0), text).into_iter().filter_map(word).collect()
}

/// The kind of a word that is no name.
#[allow(clippy::wildcard_enum_match_arm, reason = "names and brackets have no kind of their own")]
fn lexical(kind: TokenKind) -> Option<Kind> {
    use TokenKind as T;
    Some(match kind {
        T::Comment | T::DocComment => Kind::Comment,
        T::String | T::Char => Kind::String,
        T::Int | T::Float => Kind::Number,
        T::Constructor => Kind::EnumMember,
        T::Op | T::QualOp | T::Minus | T::Bang | T::Star | T::Less | T::Bar | T::Hat | T::Tilde => {
            Kind::Operator
        }
        T::Equals | T::Arrow | T::Backslash | T::Colon | T::ColonGreater | T::Question | T::Hole => {
            Kind::Operator
        }
        T::TwoDots | T::ThreeDots | T::TwoDotsLess | T::TwoDotsGreater => Kind::Operator,
        kind if kind.is_keyword() => Kind::Keyword,
        _ => return None,
    })
}

/// A name and the part of the text in which it is known.
struct Binding {
    lo: u32,
    hi: u32,
    kind: Kind,
}

type Bindings = FxHashMap<Symbol, Vec<Binding>>;

struct Names<'a> {
    /// What the file declares, as of the newest analysis.
    known: Option<&'a Env>,
    prelude: Option<&'a Env>,
    /// The kind of the name that begins at each place.
    found: FxHashMap<u32, (Kind, u32)>,
    values: Bindings,
    types: Bindings,
    /// Where the file ends, and the modules around the place, the innermost last.
    ends: Vec<u32>,
}

impl Names<'_> {
    fn set(&mut self, name: Ident, kind: Kind, modifiers: u32) {
        // What is classified first is meant: a name at the head of an application is a function.
        self.found.entry(name.span.lo).or_insert((kind, modifiers));
    }

    /// A name that is known in `lo..hi`.
    fn bind(&mut self, name: Ident, kind: Kind, lo: u32, hi: u32) {
        self.set(name, kind, DECLARATION);
        let bindings = match kind {
            Kind::TypeParameter | Kind::Type => &mut self.types,
            Kind::Namespace
            | Kind::Interface
            | Kind::Parameter
            | Kind::Variable
            | Kind::Function
            | Kind::Property
            | Kind::EnumMember
            | Kind::Decorator
            | Kind::Keyword
            | Kind::Comment
            | Kind::String
            | Kind::Number
            | Kind::Operator => &mut self.values,
        };
        bindings.entry(name.name).or_default().push(Binding { lo, hi, kind });
    }

    /// What a name is at a place, if the file binds it.
    fn bound(bindings: &mut Bindings, name: Ident) -> Option<Kind> {
        let at = name.span.lo;
        let all = bindings.get_mut(&name.name)?;
        // The walk goes on in the text, so a scope that has ended stays so.
        while all.last().is_some_and(|b| b.hi <= at) {
            all.pop();
        }
        all.iter().rev().find(|b| b.lo <= at && at < b.hi).map(|b| b.kind)
    }

    fn pattern(&mut self, p: &Pat, kind: Kind, lo: u32, hi: u32) {
        let mut rest = vec![p];
        while let Some(p) = rest.pop() {
            match p {
                Pat::Var(name) => self.bind(*name, kind, lo, hi),
                Pat::Record(fields, _) => {
                    for (name, p) in fields {
                        match p {
                            Some(p) => {
                                self.set(*name, Kind::Property, 0);
                                rest.push(p);
                            }
                            None => self.bind(*name, kind, lo, hi),
                        }
                    }
                }
                Pat::Parens(p, _) | Pat::Ascript(p, ..) | Pat::Attr(_, p, _) => rest.push(p),
                Pat::Tuple(ps, _) | Pat::Constr(_, ps, _) => rest.extend(ps),
                Pat::Wildcard(_) | Pat::Literal { .. } => {}
            }
        }
    }

    fn parameters(&mut self, tparams: &[TypeParam], params: &[Pat], hi: u32) {
        self.type_parameters(tparams, hi);
        // A parameter is known in the types of those after it.
        params.iter().for_each(|p| self.pattern(p, Kind::Parameter, p.span().lo, hi));
    }

    fn type_parameters(&mut self, tparams: &[TypeParam], hi: u32) {
        for p in tparams {
            match p {
                TypeParam::Size(name) => self.bind(*name, Kind::Parameter, name.span.lo, hi),
                TypeParam::Type(_, name) => self.bind(*name, Kind::TypeParameter, name.span.lo, hi),
            }
        }
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Dec(d) => self.dec(d),
            Node::Exp(e) => self.exp(e),
            Node::Type(t) => self.type_exp(t),
            Node::Mod(m) => self.module(m),
            Node::ModType(t) => self.module_type(t),
            Node::Spec(s) => self.spec(s),
            Node::Attr(a) => self.attr(a),
            // Bound by what they are part of.
            Node::Pat(_) | Node::TypeParam(_) => {}
        }
    }

    /// The end of the module that a place is in.
    fn end(&mut self, at: u32) -> u32 {
        while self.ends.len() > 1 && self.ends.last().is_some_and(|end| *end <= at) {
            self.ends.pop();
        }
        self.ends.last().copied().unwrap_or(at)
    }

    fn dec(&mut self, d: &Dec) {
        match d {
            Dec::Val(b) => {
                let end = self.end(b.name.span.lo);
                let function = !b.params.is_empty() || matches!(*b.body.kind, ExpKind::Lambda(_));
                let function = function || (self.ends.len() == 1 && self.is_function(&[], b.name.name));
                let kind = if function { Kind::Function } else { Kind::Variable };
                self.bind(b.name, kind, b.name.span.lo, end);
                self.parameters(&b.tparams, &b.params, b.span.hi);
            }
            Dec::Type(b) => {
                let end = self.end(b.name.span.lo);
                self.bind(b.name, Kind::Type, b.name.span.lo, end);
                self.type_parameters(&b.tparams, b.span.hi);
            }
            Dec::Mod(b) => {
                let end = self.end(b.name.span.lo);
                self.bind(b.name, Kind::Namespace, b.name.span.lo, end);
                for p in &b.params {
                    self.bind(p.name, Kind::Namespace, p.name.span.lo, b.span.hi);
                }
            }
            Dec::ModType(b) => self.set(b.name, Kind::Interface, DECLARATION),
            Dec::Open(..) | Dec::Import(..) | Dec::Local(..) => {}
        }
    }

    fn spec(&mut self, s: &Spec) {
        match s {
            Spec::Val { name, tparams, span, ty, .. } => {
                let function = matches!(ty, TypeExp::Arrow { .. });
                self.set(*name, if function { Kind::Function } else { Kind::Variable }, DECLARATION);
                self.type_parameters(tparams, span.hi);
            }
            Spec::TypeAbbrev(b) => {
                self.set(b.name, Kind::Type, DECLARATION);
                self.type_parameters(&b.tparams, b.span.hi);
            }
            Spec::Type { name, tparams, span, .. } => {
                self.set(*name, Kind::Type, DECLARATION);
                self.type_parameters(tparams, span.hi);
            }
            Spec::Mod { name, .. } => self.set(*name, Kind::Namespace, DECLARATION),
            Spec::Include(..) => {}
        }
    }

    fn module(&mut self, m: &ModExp) {
        match m {
            ModExp::Var(q) => self.path(q, Kind::Namespace),
            ModExp::Lambda(p, _, _, span) => self.bind(p.name, Kind::Namespace, p.name.span.lo, span.hi),
            ModExp::Decs(_, span) => {
                self.end(span.lo);
                self.ends.push(span.hi);
            }
            ModExp::Parens(..) | ModExp::Import(..) | ModExp::Apply(..) | ModExp::Ascript(..) => {}
        }
    }

    fn module_type(&mut self, t: &ModTypeExp) {
        match t {
            ModTypeExp::Var(q) => self.path(q, Kind::Interface),
            ModTypeExp::With { name, tparams, span, .. } => {
                self.path(name, Kind::Type);
                self.type_parameters(tparams, span.hi);
            }
            ModTypeExp::Arrow { param, span, .. } => {
                if let Some(name) = param {
                    self.bind(*name, Kind::Namespace, name.span.lo, span.hi);
                }
            }
            ModTypeExp::Parens(..) | ModTypeExp::Specs(..) => {}
        }
    }

    fn attr(&mut self, a: &Attr) {
        let mut rest = vec![a];
        while let Some(a) = rest.pop() {
            match a {
                Attr::Atom(name) => self.set(*name, Kind::Decorator, 0),
                Attr::Comp(name, args, _) => {
                    self.set(*name, Kind::Decorator, 0);
                    rest.extend(args);
                }
                Attr::Int(..) => {}
            }
        }
    }

    /// A name of modules, and what is in the innermost.
    fn path(&mut self, q: &QualName, kind: Kind) {
        for m in &q.quals {
            self.set(*m, Kind::Namespace, 0);
        }
        self.set(q.name, kind, 0);
    }

    fn type_exp(&mut self, t: &TypeExp) {
        match t {
            TypeExp::Var(q) => {
                let own = if q.quals.is_empty() { Self::bound(&mut self.types, q.name) } else { None };
                let built_in = own.is_none() && ScalarType::named(q.name.name.as_str()).is_some();
                self.path(q, own.unwrap_or(Kind::Type));
                if built_in {
                    self.found.insert(q.name.span.lo, (Kind::Type, DEFAULT_LIBRARY));
                }
            }
            TypeExp::Record(fields, _) => fields.iter().for_each(|(f, _)| self.set(*f, Kind::Property, 0)),
            TypeExp::Arrow { param: Some(name), span, .. } => {
                self.bind(*name, Kind::Parameter, name.span.lo, span.hi);
            }
            TypeExp::Exists(names, _, span) => {
                names.iter().for_each(|n| self.bind(*n, Kind::Parameter, n.span.lo, span.hi));
            }
            TypeExp::Parens(..)
            | TypeExp::Array(..)
            | TypeExp::Tuple(..)
            | TypeExp::Sum(..)
            | TypeExp::Unique(..)
            | TypeExp::Apply(..)
            | TypeExp::Arrow { param: None, .. } => {}
        }
    }

    fn exp(&mut self, e: &Exp) {
        match &*e.kind {
            ExpKind::Var(q) => self.value(q, Kind::Variable),
            ExpKind::BinOp(q, ..) | ExpKind::SectionLeft(_, q) | ExpKind::SectionRight(q, _) => {
                self.value(q, Kind::Function);
            }
            ExpKind::Apply(f, _) => {
                if let ExpKind::Var(q) = &*f.kind {
                    self.value(q, Kind::Function);
                }
            }
            ExpKind::QualParens(q, _) => self.path(q, Kind::Namespace),
            ExpKind::Project(_, field) => self.set(*field, Kind::Property, 0),
            ExpKind::Record(fields) => {
                for field in fields {
                    match field {
                        FieldExp::Explicit(name, _) => self.set(*name, Kind::Property, 0),
                        FieldExp::Implicit(name) => {
                            let kind = Self::bound(&mut self.values, *name).unwrap_or(Kind::Variable);
                            self.set(*name, kind, 0);
                        }
                    }
                }
            }
            ExpKind::SectionAccess(path) | ExpKind::Update(_, path, _) => self.fields(path),
            ExpKind::Lambda(l) => self.parameters(&[], &l.params, e.span.hi),
            ExpKind::Let { sizes, pat, body, .. } => {
                sizes.iter().for_each(|n| self.bind(*n, Kind::Variable, n.span.lo, e.span.hi));
                self.pattern(pat, Kind::Variable, body.span.lo, e.span.hi);
            }
            ExpKind::LetUpdate { name, path, .. } => {
                let kind = Self::bound(&mut self.values, *name).unwrap_or(Kind::Variable);
                self.set(*name, kind, 0);
                self.fields(path);
            }
            ExpKind::LetFun(f, body) => {
                self.bind(f.name, Kind::Function, body.span.lo, e.span.hi);
                self.parameters(&f.tparams, &f.params, f.body.span.hi);
            }
            ExpKind::Loop { sizes, pat, form, body, .. } => {
                sizes.iter().for_each(|n| self.bind(*n, Kind::Variable, n.span.lo, e.span.hi));
                let from = match form {
                    LoopForm::For(i, bound) => {
                        self.bind(*i, Kind::Variable, body.span.lo, e.span.hi);
                        bound.span.hi
                    }
                    LoopForm::ForIn(p, values) => {
                        self.pattern(p, Kind::Variable, body.span.lo, e.span.hi);
                        values.span.hi
                    }
                    LoopForm::While(condition) => condition.span.lo,
                };
                self.pattern(pat, Kind::Variable, from, e.span.hi);
            }
            ExpKind::Match(_, cases) => {
                for case in cases {
                    self.pattern(&case.pat, Kind::Variable, case.pat.span().hi, case.span.hi);
                }
            }
            ExpKind::Literal(_)
            | ExpKind::Hole
            | ExpKind::Parens(_)
            | ExpKind::Tuple(_)
            | ExpKind::Array(_)
            | ExpKind::Index(..)
            | ExpKind::Negate(_)
            | ExpKind::Not(_)
            | ExpKind::Assert(..)
            | ExpKind::Constr(..)
            | ExpKind::Ascript(..)
            | ExpKind::Coerce(..)
            | ExpKind::Range(..)
            | ExpKind::If(..)
            | ExpKind::Attr(..)
            | ExpKind::Error => {}
        }
    }

    fn fields(&mut self, path: &[Access]) {
        for step in path {
            match step {
                Access::Field(name) => self.set(*name, Kind::Property, 0),
                Access::Index(..) => {}
            }
        }
    }

    /// A value, in a module or with fields; `kind` is what it is if nothing is known of it.
    fn value(&mut self, q: &QualName, kind: Kind) {
        let parts: Vec<Ident> = q.quals.iter().copied().chain([q.name]).collect();
        let Some((head, rest)) = parts.split_first() else { return };
        let fields = match Self::bound(&mut self.values, *head) {
            Some(Kind::Namespace) => None,
            Some(own) => {
                self.set(*head, own, 0);
                Some(rest)
            }
            None => None,
        };
        let fields = fields.or_else(|| {
            let at = parts.iter().enumerate().position(|(i, p)| self.is_value(&parts[..i], p.name))?;
            self.global(&parts[..at], parts[at]);
            Some(&parts[at + 1..])
        });
        match fields {
            Some(fields) => fields.iter().for_each(|f| self.set(*f, Kind::Property, 0)),
            None => self.path(q, kind),
        }
    }

    /// A value that another file or the prelude declares, or that is in a module.
    fn global(&mut self, modules: &[Ident], name: Ident) {
        modules.iter().for_each(|m| self.set(*m, Kind::Namespace, 0));
        let function = self.is_function(modules, name.name);
        let own = self.known.is_some_and(|env| entry(env, modules, name.name).is_some());
        let kind = if function { Kind::Function } else { Kind::Variable };
        self.set(name, kind, if own { 0 } else { DEFAULT_LIBRARY });
    }

    fn entry(&self, modules: &[Ident], name: Symbol) -> Option<&TermEntry> {
        [self.known, self.prelude].into_iter().flatten().find_map(|env| entry(env, modules, name))
    }

    fn is_value(&self, modules: &[Ident], name: Symbol) -> bool {
        matches!(self.entry(modules, name), Some(TermEntry::Val(_)))
    }

    fn is_function(&self, modules: &[Ident], name: Symbol) -> bool {
        matches!(self.entry(modules, name), Some(TermEntry::Val(v)) if matches!(v.scheme.ty, Type::Arrow(_)))
    }
}

fn entry<'a>(env: &'a Env, modules: &[Ident], name: Symbol) -> Option<&'a TermEntry> {
    let path: Vec<&str> = modules.iter().map(|m| m.name.as_str()).collect();
    module(env, &path)?.terms.get(&name)
}
