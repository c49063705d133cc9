//! Type variables of inference, and what is known about them.
//!
//! A variable is free, with constraints; or linked to another; or known. The
//! constraints of a free variable: which scalars it may be (overloaded
//! literals and operators), which fields or constructors it has at least,
//! whether it supports equality, and how lifted it may become.

use super::pre;
use crate::tast::Occurrence;
use crate::types::{Arrow, RetType, Type, TypeArg};
use fehu_base::prim::ScalarType;
use fehu_base::{Name, Span, Symbol};
use fehu_syntax::ast::{Ident, Liftedness};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A set of scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ScalarSet(u16);

impl ScalarSet {
    pub(crate) fn of(types: impl IntoIterator<Item = ScalarType>) -> ScalarSet {
        ScalarSet(types.into_iter().fold(0, |s, t| s | 1 << t as u16))
    }

    pub(crate) fn signed() -> ScalarSet {
        ScalarSet::of(ScalarType::ALL.into_iter().filter(|t| t.is_integer() && !t.is_unsigned()))
    }

    pub(crate) fn integers() -> ScalarSet {
        ScalarSet::of(ScalarType::ALL.into_iter().filter(|t| t.is_integer()))
    }

    pub(crate) fn floats() -> ScalarSet {
        ScalarSet::of(ScalarType::ALL.into_iter().filter(|t| t.is_float()))
    }

    pub(crate) fn numeric() -> ScalarSet {
        ScalarSet(Self::integers().0 | Self::floats().0)
    }

    pub(crate) fn has(self, t: ScalarType) -> bool {
        self.0 & (1 << t as u16) != 0
    }

    pub(crate) fn and(self, other: ScalarSet) -> ScalarSet {
        ScalarSet(self.0 & other.0)
    }

    pub(crate) fn with(self, t: ScalarType) -> ScalarSet {
        ScalarSet(self.0 | 1 << t as u16)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = ScalarType> {
        ScalarType::ALL.into_iter().filter(move |t| self.has(*t))
    }

    /// What all these types are, if there is a word for it.
    pub(crate) fn word(self) -> Option<&'static str> {
        let named = [
            (ScalarSet::numeric(), "number"),
            (ScalarSet::integers(), "integer"),
            (ScalarSet::floats(), "floating-point number"),
        ];
        named.into_iter().find(|(set, _)| *set == self).map(|(_, word)| word)
    }

    pub(crate) fn show(self) -> String {
        self.iter().map(ScalarType::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// Why something is demanded of a type.
#[derive(Clone, Debug)]
pub(crate) struct Why {
    pub(crate) kind: WhyKind,
    pub(crate) span: Span,
}

/// The kinds of demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhyKind {
    /// Elements of arrays.
    ArrayElement,
    /// What an `if` gives.
    IfResult,
    /// What a `match` gives.
    MatchResult,
    /// What a loop carries.
    LoopParam,
    /// What a type parameter of that name stands for.
    TypeParam(Name),
    /// The same, of a function from that type to itself.
    OnlyValue(Name),
    /// An integer literal.
    IntLiteral,
    /// A float literal.
    FloatLiteral,
    /// The operand of an operator.
    Operator(Symbol),
    /// An index.
    Index,
    /// Part of a range.
    Range,
    /// The bound of a `for`.
    Bound,
}

impl Why {
    /// Whether abstract types that hide sizes will do. Of what a function only takes once and returns there
    /// is one value, so all its values have the same sizes: `copy`.
    pub(crate) fn admits_hidden_sizes(&self) -> bool {
        matches!(self.kind, WhyKind::OnlyValue(_))
    }
}

/// What shape a free variable has at least.
#[derive(Clone, Debug)]
pub(crate) enum Cons {
    /// Nothing is known.
    Open,
    /// One of these scalars.
    OneOf(ScalarSet, Why),
    /// A record with at least these fields.
    Record(Vec<(Symbol, Type)>),
    /// A sum with at least these constructors.
    Sum(Vec<(Symbol, Vec<Type>)>),
}

/// A free variable.
#[derive(Clone, Debug)]
pub(crate) struct Free {
    pub(crate) cons: Cons,
    /// How deep in local functions it was made.
    pub(crate) level: u32,
    /// How lifted it may become at most, and if that is a restriction, why.
    pub(crate) lifted: Liftedness,
    pub(crate) lift_why: Option<Why>,
    /// Whether it must support equality.
    pub(crate) eq: Option<Span>,
    /// Where it was made.
    pub(crate) span: Span,
    /// What a type parameter is called that it stands for.
    pub(crate) called: Option<Symbol>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Link(u32),
    Known(Type),
    Free(Box<Free>),
}

/// What the first layer knows while it walks a declaration.
#[derive(Clone, Default, Debug)]
pub struct State {
    pub(crate) slots: Vec<Slot>,
    /// How deep in local functions we are.
    pub(crate) level: u32,
    /// Where local type parameters were bound.
    pub(crate) levels: FxHashMap<Name, u32>,
    /// Names that were bound by `let mut x = ...`, and where the word is that should not be there.
    pub(crate) mutables: Vec<(Symbol, Span)>,
    /// Whether the parameters and the result's type have been read.
    pub(crate) in_body: bool,
    /// Records of which a field was updated before their type was known.
    pub(crate) updated: Vec<(Type, Span)>,
    /// The size expressions of written types, by the names that stand for them; finished by the second layer.
    pub(crate) size_exps: FxHashMap<Name, pre::Exp>,
    /// The places at which values are named, with their types.
    pub(crate) seen: Vec<Occurrence>,
    /// The places of fields and constructors, with the types that have them.
    pub(crate) labels: Vec<(Ident, Type)>,
}

impl State {
    /// A free variable.
    pub(crate) fn fresh(&mut self, cons: Cons, span: Span) -> Type {
        let free = Free {
            cons,
            level: self.level,
            lifted: Liftedness::Lifted,
            lift_why: None,
            eq: None,
            span,
            called: None,
        };
        self.slots.push(Slot::Free(Box::new(free)));
        Type::Meta(self.slots.len() as u32 - 1)
    }

    /// A free variable that stands for a type parameter.
    pub(crate) fn fresh_called(&mut self, called: Symbol, span: Span) -> Type {
        let t = self.fresh(Cons::Open, span);
        if let Some(Slot::Free(free)) = self.slots.last_mut() {
            free.called = Some(called);
        }
        t
    }

    /// The variable at the end of the links.
    pub(crate) fn root(&mut self, m: u32) -> u32 {
        let mut at = m;
        while let Slot::Link(next) = self.slots[at as usize] {
            at = next;
        }
        let mut from = m;
        while let Slot::Link(next) = self.slots[from as usize] {
            self.slots[from as usize] = Slot::Link(at);
            from = next;
        }
        at
    }

    /// The type with its outermost constructor known, if it is.
    pub(crate) fn head(&mut self, t: &Type) -> Type {
        let Type::Meta(m) = t else { return t.clone() };
        let root = self.root(*m);
        match &self.slots[root as usize] {
            Slot::Known(t) => t.clone(),
            Slot::Free(_) | Slot::Link(_) => Type::Meta(root),
        }
    }

    /// The constraints of a root.
    pub(crate) fn free(&mut self, root: u32) -> Option<&mut Free> {
        match &mut self.slots[root as usize] {
            Slot::Free(f) => Some(f),
            Slot::Link(_) | Slot::Known(_) => None,
        }
    }

    /// The type with all that is known put in.
    pub(crate) fn zonk(&mut self, t: &Type) -> Type {
        fehu_base::stack::deep(|| self.zonk_inner(t))
    }

    fn zonk_inner(&mut self, t: &Type) -> Type {
        match t {
            Type::Meta(_) => match self.head(t) {
                m @ Type::Meta(_) => m,
                known @ (Type::Scalar(..)
                | Type::Array(..)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_)
                | Type::Var(..)
                | Type::Error) => {
                    let full = self.zonk(&known);
                    if let Type::Meta(m) = t {
                        let root = self.root(*m);
                        self.slots[root as usize] = Slot::Known(full.clone());
                    }
                    full
                }
            },
            Type::Scalar(..) | Type::Error => t.clone(),
            Type::Array(u, s, e) => Type::Array(*u, s.clone(), e.with(self.zonk(e))),
            Type::Record(fs) => Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, self.zonk(t))).collect())),
            Type::Sum(cs) => Type::Sum(
                cs.with(cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| self.zonk(t)).collect())).collect()),
            ),
            Type::Arrow(a) => Type::Arrow(a.with(Arrow {
                param: a.param,
                lhs: self.zonk(&a.lhs),
                ret: RetType { dims: a.ret.dims.clone(), ty: self.zonk(&a.ret.ty) },
            })),
            Type::Var(u, n, args) => {
                let args = args
                    .iter()
                    .map(|a| match a {
                        TypeArg::Size(s) => TypeArg::Size(s.clone()),
                        TypeArg::Type(t) => TypeArg::Type(self.zonk(t)),
                    })
                    .collect();
                Type::Var(*u, *n, Arc::new(args))
            }
        }
    }
}
