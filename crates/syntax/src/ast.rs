//! The abstract syntax tree: the program as written, with nothing resolved.
//!
//! Every node has the span of exactly its text. Names are texts ([`Symbol`]);
//! what they refer to is the checker's business. Operators are kept as the
//! parser grouped them, after fixities were applied; parentheses are kept, for
//! they matter to the formatter and to messages.

use fehu_base::prim::ScalarType;
use fehu_base::{Span, Symbol};

/// A name in a binding position, a field, or the last part of a qualified name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The text; for operators the symbol itself, such as `+.`.
    pub name: Symbol,
    /// Where.
    pub span: Span,
}

/// A possibly qualified name `m.n.x`; also operators `m.+` and, from
/// backquotes, `` `m.f` ``.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QualName {
    /// The modules, outermost first.
    pub quals: Vec<Ident>,
    /// The last part.
    pub name: Ident,
    /// All of it.
    pub span: Span,
}

/// An attribute: `inline`, `flattening(only_inner)`, `3`, ...
#[derive(Clone, PartialEq, Debug)]
pub enum Attr {
    /// A name.
    Atom(Ident),
    /// An integer.
    Int(i64, Span),
    /// A name applied to attributes.
    Comp(Ident, Vec<Attr>, Span),
}

/// A documentation comment (`-- | ...`), without its comment markers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doc {
    /// The text.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A whole file.
#[derive(Clone, PartialEq, Debug)]
pub struct Prog {
    /// The documentation comment that opens the file, if it is not that of the first declaration.
    pub doc: Option<Doc>,
    /// The declarations in order.
    pub decs: Vec<Dec>,
}

/// A declaration.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Dec {
    Val(Box<ValBind>),
    Type(Box<TypeBind>),
    Mod(Box<ModBind>),
    ModType(Box<ModTypeBind>),
    Open(Box<ModExp>, Span),
    /// `import "path"` as a declaration.
    Import(Symbol, Span),
    Local(Box<Dec>, Span),
}

/// What introduced a value binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ValKeyword {
    Def,
    Let,
    Entry,
}

/// `def f 'a [n] (x: t): t' = e`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct ValBind {
    pub doc: Option<Doc>,
    pub attrs: Vec<Attr>,
    pub keyword: ValKeyword,
    pub name: Ident,
    pub tparams: Vec<TypeParam>,
    pub params: Vec<Pat>,
    pub ret: Option<TypeExp>,
    pub body: Exp,
    pub span: Span,
}

/// What a type may contain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Liftedness {
    /// No functions, no existential sizes.
    Unlifted,
    /// `type~`, `'~a`: may contain existential sizes.
    SizeLifted,
    /// `type^`, `'^a`: may contain functions too.
    Lifted,
}

/// `[n]`, `'a`, `'~a` or `'^a` in a binding position.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum TypeParam {
    Size(Ident),
    Type(Liftedness, Ident),
}

/// `type t 'a = ...`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct TypeBind {
    pub doc: Option<Doc>,
    pub attrs: Vec<Attr>,
    pub lifted: Liftedness,
    pub name: Ident,
    pub tparams: Vec<TypeParam>,
    pub def: TypeExp,
    pub span: Span,
}

/// `module m (p: S) : T = e`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct ModBind {
    pub doc: Option<Doc>,
    pub attrs: Vec<Attr>,
    pub name: Ident,
    pub params: Vec<ModParam>,
    pub sig: Option<ModTypeExp>,
    pub body: ModExp,
    pub span: Span,
}

/// `(p: S)`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct ModParam {
    pub name: Ident,
    pub sig: ModTypeExp,
    pub span: Span,
}

/// `module type S = ...`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct ModTypeBind {
    pub doc: Option<Doc>,
    pub attrs: Vec<Attr>,
    pub name: Ident,
    pub def: ModTypeExp,
    pub span: Span,
}

/// A module expression.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ModExp {
    Var(QualName),
    Parens(Box<ModExp>, Span),
    Import(Symbol, Span),
    Decs(Vec<Dec>, Span),
    Apply(Box<ModExp>, Box<ModExp>, Span),
    Ascript(Box<ModExp>, Box<ModTypeExp>, Span),
    /// `\(p: S) : T -> e`.
    Lambda(Box<ModParam>, Option<Box<ModTypeExp>>, Box<ModExp>, Span),
}

/// A module type expression.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ModTypeExp {
    Var(QualName),
    Parens(Box<ModTypeExp>, Span),
    Specs(Vec<Spec>, Span),
    /// `S with t 'a = type`.
    With {
        base: Box<ModTypeExp>,
        name: QualName,
        tparams: Vec<TypeParam>,
        def: TypeExp,
        span: Span,
    },
    /// `(p: S) -> T` or `S -> T`.
    Arrow {
        param: Option<Ident>,
        lhs: Box<ModTypeExp>,
        rhs: Box<ModTypeExp>,
        span: Span,
    },
}

/// A part of a module type.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Spec {
    Val {
        doc: Option<Doc>,
        attrs: Vec<Attr>,
        name: Ident,
        tparams: Vec<TypeParam>,
        ty: TypeExp,
        span: Span,
    },
    /// `type t = ...`.
    TypeAbbrev(Box<TypeBind>),
    /// `type t`, abstract.
    Type {
        doc: Option<Doc>,
        attrs: Vec<Attr>,
        lifted: Liftedness,
        name: Ident,
        tparams: Vec<TypeParam>,
        span: Span,
    },
    Mod {
        doc: Option<Doc>,
        attrs: Vec<Attr>,
        name: Ident,
        sig: ModTypeExp,
        span: Span,
    },
    Include(Box<ModTypeExp>, Span),
}

/// The size in `[e]t` or a size argument `[e]`.
#[derive(Clone, PartialEq, Debug)]
pub enum SizeExp {
    /// `[]`, with the span of the brackets.
    Any(Span),
    /// `[e]`, with the span of the brackets.
    Exp(Box<Exp>, Span),
}

/// A type expression.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum TypeExp {
    Var(QualName),
    Parens(Box<TypeExp>, Span),
    Array(SizeExp, Box<TypeExp>, Span),
    Tuple(Vec<TypeExp>, Span),
    Record(Vec<(Ident, TypeExp)>, Span),
    Sum(Vec<(Ident, Vec<TypeExp>)>, Span),
    /// `*t`.
    Unique(Box<TypeExp>, Span),
    Apply(Box<TypeExp>, TypeArg, Span),
    /// `t -> u` or `(x: t) -> u`.
    Arrow {
        param: Option<Ident>,
        lhs: Box<TypeExp>,
        rhs: Box<TypeExp>,
        span: Span,
    },
    /// `?[n][m].t`.
    Exists(Vec<Ident>, Box<TypeExp>, Span),
}

/// An argument to a parametric type.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum TypeArg {
    Size(SizeExp),
    Type(Box<TypeExp>),
}

/// A literal in an expression or a pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// `42`, `0xFFu8`: the digits' value (mathematically; up to 128 bits, larger ones are a syntax
    /// error) and the suffix. A float suffix makes a float (`1f32`).
    Int(u128, Option<ScalarType>),
    /// `1.5`, `1e3f32`, `0x1.8p3`: the value at double precision, the text (without underscores and
    /// suffix, for exact rounding to other widths), and the suffix.
    Float(f64, Symbol, Option<ScalarType>),
    /// `true`, `false`.
    Bool(bool),
    /// `'c'`: an integer literal of any integer type.
    Char(char),
    /// `"..."`: its bytes.
    String(Vec<u8>),
}

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Pat {
    /// A variable; operators in parentheses too.
    Var(Ident),
    Wildcard(Span),
    Parens(Box<Pat>, Span),
    Tuple(Vec<Pat>, Span),
    /// `{a, b = p}`: a field without a pattern binds its own name.
    Record(Vec<(Ident, Option<Pat>)>, Span),
    /// A literal, with whether a minus stands before it. Never a string.
    Literal {
        value: Literal,
        negated: bool,
        span: Span,
    },
    Constr(Ident, Vec<Pat>, Span),
    Ascript(Box<Pat>, Box<TypeExp>, Span),
    Attr(Attr, Box<Pat>, Span),
}

/// One index of `a[i, l:u:s]`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Index {
    Fix(Exp),
    /// `lo:hi:stride`, each optional.
    Slice {
        lo: Option<Box<Exp>>,
        hi: Option<Box<Exp>>,
        stride: Option<Box<Exp>>,
        span: Span,
    },
}

/// One step of the path of an update or of a section: `[i,j]` or `.f`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Access {
    Field(Ident),
    Index(Vec<Index>, Span),
}

/// A field of a record expression.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum FieldExp {
    /// `f = e`.
    Explicit(Ident, Exp),
    /// `f`, short for `f = f`.
    Implicit(Ident),
}

/// The end of a range.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum RangeEnd {
    /// `...e`.
    Inclusive(Box<Exp>),
    /// `..<e`.
    UpTo(Box<Exp>),
    /// `..>e`.
    DownTo(Box<Exp>),
}

/// How a loop goes on.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum LoopForm {
    /// `for i < e`.
    For(Ident, Box<Exp>),
    /// `for p in e`.
    ForIn(Box<Pat>, Box<Exp>),
    /// `while e`.
    While(Box<Exp>),
}

/// A case of a `match`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Case {
    pub pat: Pat,
    pub body: Exp,
    pub span: Span,
}

/// An anonymous function `\p q : t -> e`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Lambda {
    pub params: Vec<Pat>,
    pub ret: Option<TypeExp>,
    pub body: Exp,
}

/// A local function `let f 'a p q : t = e`.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct LocalFun {
    pub name: Ident,
    pub tparams: Vec<TypeParam>,
    pub params: Vec<Pat>,
    pub ret: Option<TypeExp>,
    pub body: Exp,
}

/// An expression and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Exp {
    /// What.
    pub kind: Box<ExpKind>,
    /// Where.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ExpKind {
    Literal(Literal),
    /// A variable or an operator in parentheses, `(+)`, `(m.+)`. A qualified name followed by fields
    /// (`m.x.y`) is a `Var` of everything: only the checker can tell modules from record fields, so it
    /// re-reads the tail of `quals` as projections where the head is a value.
    Var(QualName),
    /// `???`.
    Hole,
    Parens(Exp),
    /// `m.(e)`: `e` with `m` opened.
    QualParens(QualName, Exp),
    Tuple(Vec<Exp>),
    Record(Vec<FieldExp>),
    Array(Vec<Exp>),
    /// `e.f` where `e` is not itself a (qualified) name.
    Project(Exp, Ident),
    Index(Exp, Vec<Index>),
    Negate(Exp),
    /// `!e`.
    Not(Exp),
    /// `assert c e`.
    Assert(Exp, Exp),
    /// `#c e1 e2`.
    Constr(Ident, Vec<Exp>),
    /// `f x y`: at least one argument; `f` is not itself an application.
    Apply(Exp, Vec<Exp>),
    /// `l op r`; backquoted names too.
    BinOp(QualName, Exp, Exp),
    Lambda(Box<Lambda>),
    /// `(x+)`.
    SectionLeft(Exp, QualName),
    /// `(+x)`.
    SectionRight(QualName, Exp),
    /// `(.a.b[i])`: fields and indexing mixed, at least one.
    SectionAccess(Vec<Access>),
    /// `e : t`.
    Ascript(Exp, TypeExp),
    /// `e :> t`.
    Coerce(Exp, TypeExp),
    Range(Exp, Option<Exp>, RangeEnd),
    /// `e with a.b[i] = v`.
    Update(Exp, Vec<Access>, Exp),
    /// `let [n] p = e in body`.
    Let {
        sizes: Vec<Ident>,
        pat: Pat,
        value: Exp,
        body: Exp,
    },
    /// `let x.f[i] = v in body`, short for `let x = x with f[i] = v in body`.
    LetUpdate {
        name: Ident,
        path: Vec<Access>,
        value: Exp,
        body: Exp,
    },
    LetFun(Box<LocalFun>, Exp),
    If(Exp, Exp, Exp),
    /// `loop [n] p = init form do body`; without `init`, the pattern as an expression.
    Loop {
        sizes: Vec<Ident>,
        pat: Pat,
        init: Option<Exp>,
        form: LoopForm,
        body: Exp,
    },
    Match(Exp, Vec<Case>),
    /// `#[attr] e`.
    Attr(Attr, Exp),
    /// What recovery left where an expression should stand; its error has been reported.
    Error,
}

/// Expressions nest without bound (long chains of operators or bindings), so
/// dropping one makes room on the stack. A consequence: `kind` cannot be moved
/// out of an `Exp`; borrow it, or take it with `std::mem::replace`.
impl Drop for Exp {
    fn drop(&mut self) {
        if matches!(*self.kind, ExpKind::Literal(_) | ExpKind::Var(_) | ExpKind::Hole | ExpKind::Error) {
            return;
        }
        let kind = std::mem::replace(&mut *self.kind, ExpKind::Error);
        fehu_base::stack::deep(move || drop(kind));
    }
}

impl Dec {
    /// Where the declaration stands.
    pub fn span(&self) -> Span {
        match self {
            Dec::Val(b) => b.span,
            Dec::Type(b) => b.span,
            Dec::ModType(b) => b.span,
            Dec::Mod(b) => b.span,
            Dec::Open(_, s) | Dec::Import(_, s) | Dec::Local(_, s) => *s,
        }
    }
}

impl TypeExp {
    /// Where the type stands.
    pub fn span(&self) -> Span {
        match self {
            TypeExp::Var(q) => q.span,
            TypeExp::Parens(_, s)
            | TypeExp::Array(_, _, s)
            | TypeExp::Tuple(_, s)
            | TypeExp::Record(_, s)
            | TypeExp::Sum(_, s)
            | TypeExp::Unique(_, s)
            | TypeExp::Apply(_, _, s)
            | TypeExp::Exists(_, _, s) => *s,
            TypeExp::Arrow { span, .. } => *span,
        }
    }
}

impl Pat {
    /// Where the pattern stands.
    pub fn span(&self) -> Span {
        match self {
            Pat::Var(x) => x.span,
            Pat::Wildcard(s)
            | Pat::Parens(_, s)
            | Pat::Tuple(_, s)
            | Pat::Record(_, s)
            | Pat::Constr(_, _, s)
            | Pat::Ascript(_, _, s)
            | Pat::Attr(_, _, s) => *s,
            Pat::Literal { span, .. } => *span,
        }
    }
}

impl ModExp {
    /// Where the module expression stands.
    pub fn span(&self) -> Span {
        match self {
            ModExp::Var(q) => q.span,
            ModExp::Parens(_, s)
            | ModExp::Import(_, s)
            | ModExp::Decs(_, s)
            | ModExp::Apply(_, _, s)
            | ModExp::Ascript(_, _, s)
            | ModExp::Lambda(_, _, _, s) => *s,
        }
    }
}

impl ModTypeExp {
    /// Where the module type expression stands.
    pub fn span(&self) -> Span {
        match self {
            ModTypeExp::Var(q) => q.span,
            ModTypeExp::Parens(_, s) | ModTypeExp::Specs(_, s) => *s,
            ModTypeExp::With { span, .. } | ModTypeExp::Arrow { span, .. } => *span,
        }
    }
}
