//! The tree between the two layers: names resolved, short forms written out,
//! and every node has its type without sizes.
//!
//! Types here may contain [`Type::Meta`], to be read through the tables of
//! [`super::metas`]. Types that the user wrote are kept with their sizes, as
//! [`Written`]; a size expression in them that is more than a name or a number
//! stands under a name of its own, which `State::size_exps` explains.

use crate::types::{RetType, Scheme, TParam, Type};
use fehu_base::{Name, Span, Symbol};
use fehu_syntax::ast::{self, Attr};
use std::sync::Arc;

/// A type that the user wrote, with its sizes.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) ret: RetType,
    pub(crate) span: Span,
}

/// A pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pat {
    pub(crate) kind: PatKind,
    pub(crate) ty: Type,
    pub(crate) span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug)]
pub(crate) enum PatKind {
    Var(Name),
    Wildcard,
    Record(Vec<(Symbol, Pat)>),
    Literal(ast::Literal, Sign),
    Constr(Symbol, Vec<Pat>),
    Ascript(Box<Pat>, Written),
    Attr(Attr, Box<Pat>),
}

/// Whether a minus stands before a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Exp {
    pub(crate) kind: Node,
    pub(crate) ty: Type,
    pub(crate) span: Span,
}

/// A use of a value.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) name: Name,
    /// The scheme, if the value is not local.
    pub(crate) global: Option<Arc<Scheme>>,
    /// What the scheme's type parameters stand for, in order.
    pub(crate) types: Vec<Type>,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub(crate) enum ExpKind {
    Literal(ast::Literal),
    String(Vec<u8>),
    Hole,
    Var(Use),
    Record(Vec<(Symbol, Exp)>),
    Array(Vec<Exp>),
    Project(Exp, Symbol),
    Index(Exp, Vec<Index>),
    Negate(Exp),
    Not(Exp),
    And(Exp, Exp),
    Or(Exp, Exp),
    Assert(Exp, Exp, Symbol),
    Constr(Symbol, Vec<Exp>),
    Apply(Exp, Vec<Exp>),
    Lambda(Box<Lambda>),
    /// `(x +)` and `(+ y)`: the operator, the operand, and on which side it stands.
    Section(Exp, Exp, Side),
    /// `(.a[i])`: a function of one parameter.
    SectionAccess(Vec<Access>, Type),
    Ascript(Exp, Written),
    Coerce(Exp, Written),
    Range(Exp, Option<Exp>, RangeEnd),
    Update(Exp, Vec<Access>, Exp),
    Let {
        sizes: Vec<Name>,
        pat: Pat,
        value: Exp,
        body: Exp,
    },
    LetFun(Box<Fun>, Exp),
    If(Exp, Exp, Exp),
    Loop(Box<Loop>),
    Match(Exp, Vec<Case>),
    Attr(Attr, Exp),
    /// What has been complained about.
    Error,
}

/// Where the operand of a section stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Right,
}

/// An anonymous function.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    pub(crate) params: Vec<Pat>,
    pub(crate) ret: Option<Written>,
    pub(crate) body: Exp,
}

/// A named function.
#[derive(Clone, Debug)]
pub(crate) struct Fun {
    pub(crate) name: Name,
    pub(crate) tparams: Vec<TParam>,
    pub(crate) params: Vec<Pat>,
    pub(crate) ret: Option<Written>,
    pub(crate) body: Exp,
}

/// A loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) sizes: Vec<Name>,
    pub(crate) pat: Pat,
    pub(crate) init: Exp,
    pub(crate) form: LoopForm,
    pub(crate) body: Exp,
}

/// How a loop goes on.
#[derive(Clone, Debug)]
pub(crate) enum LoopForm {
    For(Name, Exp),
    ForIn(Pat, Exp),
    While(Exp),
}

/// A case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) pat: Pat,
    pub(crate) body: Exp,
    pub(crate) span: Span,
}

/// One index.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    Fix(Exp),
    Slice { lo: Option<Exp>, hi: Option<Exp>, stride: Option<Exp> },
}

/// One step of a path.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    Field(Symbol),
    Index(Vec<Index>, Span),
}

/// The end of a range.
#[derive(Clone, Debug)]
pub(crate) enum RangeEnd {
    Inclusive(Exp),
    UpTo(Exp),
    DownTo(Exp),
}

/// The form of an expression. Expressions nest as deep as the text does, so dropping one makes room on the stack.
#[derive(Clone, Debug)]
pub(crate) struct Node(Box<ExpKind>);

impl std::ops::Deref for Node {
    type Target = ExpKind;

    fn deref(&self) -> &ExpKind {
        &self.0
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if matches!(*self.0, ExpKind::Literal(_) | ExpKind::Var(_) | ExpKind::Hole | ExpKind::Error) {
            return;
        }
        let kind = std::mem::replace(&mut *self.0, ExpKind::Hole);
        fehu_base::stack::deep(move || drop(kind));
    }
}

impl Exp {
    pub(crate) fn new(kind: ExpKind, ty: Type, span: Span) -> Exp {
        Exp { kind: Node(Box::new(kind)), ty, span }
    }

    pub(crate) fn error(span: Span) -> Exp {
        Exp::new(ExpKind::Error, Type::Error, span)
    }
}
