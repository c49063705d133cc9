//! The typed syntax tree: what `check` promises to `lower`.
//!
//! - Every binding has a [`Name`] of its own; every use names a binding.
//! - Every expression has its type, with sizes over names in scope.
//! - **Unknown sizes.** Where an expression's value brings sizes that nobody
//!   knew before (`filter p xs`), the expression lists them in `ext`, and its
//!   type mentions them. They are in scope for everything that comes after in
//!   evaluation order within the enclosing body (arguments are evaluated left
//!   to right, `let` values before bodies). What evaluates the expression
//!   binds these names by looking at the shape of the value.
//! - **Instantiation.** A use of a polymorphic value lists what each parameter
//!   of its scheme stands for, in order. Size arguments may mention unknown
//!   sizes of the arguments applied to it.
//! - Sections, operators, ascriptions and parentheses are gone: sections are
//!   lambdas, operators are applications, except `&&` and `||`, which are
//!   forms of their own because they do not evaluate both sides.
//! - **Structure modules are gone**: a qualified name has been resolved to the
//!   name of the value. What is left of modules is a flat list of [`Dec`]s, in
//!   which functors are closures over declarations. See [`Dec`].
//!
//! Example: `module m : {type t val x: t} = {type t = i32 def x = 2i32}` gives
//! `Val x_1 = 2`, `TypeDef t_2 = i32`, `Alias x_3 = x_1`, where `m.x` is `x_3`
//! of type `t_2`.

use crate::scope::Env;
use crate::types::{RetType, Scheme, TParam, Type, TypeArg, TypeDef};
use crate::uses::Uses;
use fehu_base::intrinsic::Intrinsic;
use fehu_base::prim::{PrimValue, ScalarType};
use fehu_base::{FileId, Name, NameSource, Span, Symbol};
use fehu_syntax::ast::{Attr, Doc};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A checked program: the prelude's declarations first, then those of each
/// file, imported files before importing ones.
#[derive(Debug)]
pub struct Program {
    /// All declarations.
    pub decs: Vec<Dec>,
    /// The texts of the names; lowering goes on making names from it.
    pub names: NameSource,
    /// The built-in functions and operators, by the name that refers to them.
    /// Which of the built-in functions a name is.
    pub intrinsics: FxHashMap<Name, Intrinsic>,
    /// Where each name was bound.
    pub def_spans: FxHashMap<Name, Span>,
    /// What the main file declares: for tools, as the rest needs no scopes any more.
    pub env: Arc<Env>,
    /// What each of its files declares, as far as they were checked: for tools.
    pub files: Vec<(FileId, Arc<Env>)>,
    /// What the prelude declares; of its modules, only what the program may need.
    pub prelude_env: Arc<Env>,
    /// What is named in definitions with errors, which are no declarations here: for tools.
    pub unfinished: Vec<Occurrence>,
    /// What the words of its own files refer to, if that was noted: for tools.
    pub uses: Uses,
}

/// A place at which a value is named, with its type there as far as it is known.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Occurrence {
    pub span: Span,
    pub name: Name,
    pub ty: Type,
}

/// A declaration. Evaluating a list of declarations extends a table from names
/// to values, abstract types' definitions and functors.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all declarations are values, the largest")]
pub enum Dec {
    /// A function or constant.
    Val(ValBind),
    /// What an abstract type really is.
    TypeDef(Name, TypeDef),
    /// A value under another, possibly less general, type.
    Alias(ValAlias),
    /// A functor: nothing is evaluated until it is applied.
    Functor(Functor),
    /// An application of a functor.
    Apply(FunctorApply),
}

/// `def f [n] 'a (x: t) : t' = body`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct ValBind {
    pub name: Name,
    /// The name under which it can be called from outside, if an entry point of the main file.
    pub entry: Option<EntryPoint>,
    pub attrs: Vec<Attr>,
    pub doc: Option<Doc>,
    /// Explicit and inferred size and type parameters.
    pub tparams: Vec<TParam>,
    pub params: Vec<Pat>,
    pub ret: RetType,
    pub body: Exp,
    /// Whether the body may call the function itself.
    pub recursive: bool,
    pub span: Span,
}

/// How an entry point presents itself: the types as the user wrote them, which
/// decide the names of opaque types in the C API (`None` where inferred).
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct EntryPoint {
    pub name: Symbol,
    pub params: Vec<EntryParam>,
    /// The result type, if it was written.
    pub ret: Option<Shown>,
}

/// A parameter of an entry point.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct EntryParam {
    pub name: Option<Symbol>,
    pub ty: Option<Shown>,
}

/// A type as callers name it: as it was written, without sizes. Types of which only the parts were written,
/// or nothing, have the same names as those that were written in full.
#[derive(Clone, PartialEq, Debug)]
pub enum Shown {
    /// A name with its arguments, and what it stands for if that can be seen.
    Name(String, Option<Box<Shown>>),
    /// `[]t`.
    Array(Box<Shown>),
    /// `(t, u)`.
    Tuple(Vec<Shown>),
    /// `{f: t, g: u}`, the fields in the order of the type.
    Record(Vec<(Symbol, Shown)>),
    /// `#c t u | #d`, the constructors in alphabetical order.
    Sum(Vec<(Symbol, Vec<Shown>)>),
}

impl Shown {
    /// The name of the type.
    pub fn text(&self) -> String {
        let join = |texts: Vec<String>, by: &str| texts.join(by);
        match self {
            Shown::Name(name, _) => name.clone(),
            Shown::Array(t) => format!("[]{}", t.atom()),
            Shown::Tuple(ts) => format!("({})", join(ts.iter().map(Shown::text).collect(), ", ")),
            Shown::Record(fs) => {
                let fields = fs.iter().map(|(f, t)| format!("{f}: {}", t.text())).collect();
                format!("{{{}}}", join(fields, ", "))
            }
            Shown::Sum(cs) => {
                let payload = |ts: &[Shown]| ts.iter().map(|t| format!(" {}", t.atom())).collect::<String>();
                join(cs.iter().map(|(c, ts)| format!("#{c}{}", payload(ts))).collect(), " | ")
            }
        }
    }

    /// The name where another one stands before it.
    fn atom(&self) -> String {
        match self {
            Shown::Sum(_) => format!("({})", self.text()),
            Shown::Name(..) | Shown::Array(_) | Shown::Tuple(_) | Shown::Record(_) => self.text(),
        }
    }

    /// What a name stands for, if that can be seen; other types stand for themselves.
    pub fn meaning(&self) -> &Shown {
        match self {
            Shown::Name(_, Some(t)) => t.meaning(),
            Shown::Name(..) | Shown::Array(_) | Shown::Tuple(_) | Shown::Record(_) | Shown::Sum(_) => self,
        }
    }
}

/// `name = Λ tparams. target [inst]`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct ValAlias {
    pub name: Name,
    pub scheme: Scheme,
    pub target: Name,
    /// What the target's scheme parameters are, in terms of `scheme.tparams`. A
    /// size may also be a parameter of the function type, known when the function is called.
    pub inst: Vec<TypeArg>,
}

/// A parametric module. The names its parameter binds are bound by `bind` of
/// each application.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Functor {
    pub name: Name,
    pub body: Vec<Dec>,
    pub span: Span,
}

/// Application of a functor. To evaluate it: take the table that the functor
/// closed over, extend it with `bind` (whose right-hand sides are evaluated in
/// the *current* table), evaluate the functor's body there, and copy the
/// results: for each `(outer, inner)`, `outer` in the current table becomes what
/// `inner` is in the body's (a value, an abstract type or a functor).
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct FunctorApply {
    pub functor: Name,
    pub bind: Vec<Dec>,
    pub results: Vec<(Name, Name)>,
    pub span: Span,
}

/// A pattern.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Pat {
    pub kind: PatKind,
    pub ty: Type,
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum PatKind {
    Var(Name),
    Wildcard,
    /// Records and tuples: every field of the type exactly once, in the type's order.
    Record(Vec<(Symbol, Pat)>),
    /// The value's core representation; the scalar type is the pattern's type.
    Literal(PrimValue),
    Constr(Symbol, Vec<Pat>),
    Attr(Attr, Box<Pat>),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Exp {
    /// What. Shared, as sizes contain the sizes of what they were computed from.
    pub kind: Arc<ExpKind>,
    /// Its type.
    pub ty: Type,
    /// The unknown sizes that its value brings; see the module's text.
    pub ext: Vec<Name>,
    /// Where.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExpKind {
    /// A scalar. Its surface type is the expression's type.
    Literal(PrimValue),
    /// A string: an array of `u8`.
    String(Vec<u8>),
    /// `???`: fails when evaluated.
    Hole,
    /// A use of a value, with its instantiation (see the module's text). Intrinsics too: look the name
    /// up in [`Program::intrinsics`].
    Var(Name, Vec<TypeArg>),
    /// A record or tuple, in the order in which the fields were written.
    Record(Vec<(Symbol, Exp)>),
    /// `[a, b, c]`; may be empty or very long.
    Array(Vec<Exp>),
    /// `e.f`.
    Project(Exp, Symbol),
    /// `e[i, l:u]`.
    Index(Exp, Vec<Index>),
    /// `-e`.
    Negate(Exp),
    /// `!e`: of a boolean, or bitwise of an integer.
    Not(Exp),
    /// `l && r`.
    And(Exp, Exp),
    /// `l || r`.
    Or(Exp, Exp),
    /// `assert cond e`, with the condition's source text for the message.
    Assert(Exp, Exp, Symbol),
    /// `#c e1 e2`.
    Constr(Symbol, Vec<Exp>),
    /// `f x y`; possibly partial, possibly of more arguments than the function's definition shows.
    Apply(Exp, Vec<Exp>),
    /// `\p q -> e`.
    Lambda(Lambda),
    /// `e :> t`, where `t` is the expression's type: checked at run time.
    Coerce(Exp),
    /// `start[..second]...end`.
    Range {
        /// The first element.
        start: Exp,
        /// The second, which gives the step.
        second: Option<Exp>,
        /// The end.
        end: RangeEnd,
    },
    /// `e with a.b[i] = v`: `e` is consumed by an index step, and the result has its memory.
    Update(Exp, Vec<Access>, Exp),
    /// `let [n] p = e in body`: sizes bound by looking at the value's shape, `p`'s type mentions them.
    Let {
        /// Sizes to bind.
        sizes: Vec<Name>,
        /// What the value is matched with.
        pat: Pat,
        /// The value.
        value: Exp,
        /// Where the pattern's names are in scope.
        body: Exp,
    },
    /// A local function.
    LetFun(Box<LocalFun>, Exp),
    /// `if c then t else f`.
    If(Exp, Exp, Exp),
    /// A loop.
    Loop(Box<Loop>),
    /// `match e case p -> e ...`.
    Match(Exp, Vec<Case>),
    /// `#[attr] e`.
    Attr(Attr, Exp),
}

/// An anonymous function.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Lambda {
    pub params: Vec<Pat>,
    pub ret: RetType,
    pub body: Exp,
}

/// A local function; polymorphic only where written so.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct LocalFun {
    pub name: Name,
    pub tparams: Vec<TParam>,
    pub params: Vec<Pat>,
    pub ret: RetType,
    pub body: Exp,
}

/// `loop [sizes] pat = init form do body`. The sizes are those parts of the
/// pattern's type that may change from one iteration to the next; they are
/// bound anew in each, by looking at the value's shape. The loop expression's
/// own type mentions its `ext` in their place.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Loop {
    pub sizes: Vec<Name>,
    pub pat: Pat,
    pub init: Exp,
    pub form: LoopForm,
    pub body: Exp,
}

/// How a loop goes on.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum LoopForm {
    /// `for i < e`, with the type of `i` and `e`.
    For(Name, ScalarType, Exp),
    ForIn(Pat, Exp),
    While(Exp),
}

/// A case of a `match`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Case {
    /// Sizes in the pattern's type that only the value tells.
    pub pat: Pat,
    pub body: Exp,
    pub span: Span,
}

/// One index.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Index {
    Fix(Exp),
    Slice { lo: Option<Exp>, hi: Option<Exp>, stride: Option<Exp> },
}

/// One step of an update's path.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Access {
    Field(Symbol),
    Index(Vec<Index>, Span),
}

/// The end of a range.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum RangeEnd {
    Inclusive(Exp),
    UpTo(Exp),
    DownTo(Exp),
}
