//! Types as the checker and lowering see them.
//!
//! Abbreviations are expanded; what is left of type names are type parameters and abstract types
//! ([`Type::Var`]). What an abbreviation stood for remembers it, for people alone ([`Parts`]). Tuples are
//! records with the fields `0`, `1`, ... Arrays are one dimension at a time: `[n][m]i32` is an array of
//! `[m]i32`. Uniqueness (`*`) sits on arrays and type variables, wherever they stand inside a parameter or
//! result type; `*(a, b)` is `(*a, *b)`. Unification ignores it.
//!
//! A size is a constant, a variable, or an expression over variables; two
//! sizes are equal when they are written the same. `Size::Any` and `Type::Meta`
//! exist only while a term is being checked; a finished typed tree
//! has none.

use crate::tast::Exp;
use fehu_base::prim::ScalarType;
use fehu_base::{Name, Symbol};
use fehu_syntax::ast::Liftedness;
use std::sync::Arc;

/// Whether a value is passed or returned with ownership.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum Uniq {
    Unique,
    Nonunique,
}

/// The size of an array dimension.
#[derive(Clone, Debug)]
pub enum Size {
    /// A constant.
    Const(i64),
    /// A size parameter, an `i64` variable, or an unknown size (see `Exp::ext`).
    Var(Name),
    /// Any other expression of type `i64`. Parentheses are dropped.
    Exp(Arc<Exp>),
    /// `[]` that has not been given a name yet.
    Any,
}

/// A type.
#[derive(Clone, Debug)]
pub enum Type {
    /// `i32`, ...
    Scalar(ScalarType, By),
    /// `[n]t`, `*[n]t`.
    Array(Uniq, Size, Parts<Type>),
    /// A record or tuple; fields in the order of [`field_order`].
    Record(Parts<Vec<(Symbol, Type)>>),
    /// A sum; constructors in alphabetical order.
    Sum(Parts<Vec<(Symbol, Vec<Type>)>>),
    /// A function of one parameter.
    Arrow(Parts<Arrow>),
    /// A type parameter or abstract type, with its arguments if it has parameters.
    Var(Uniq, Name, Arc<Vec<TypeArg>>),
    /// A type variable of inference.
    Meta(u32),
    /// The type of what has already been complained about; equal to all types.
    Error,
}

/// How the user abbreviated a type, if at all.
pub type By = Option<Arc<Abbreviation>>;

/// What a type consists of. If the user abbreviated the type, that is remembered: for messages alone.
/// Whatever changes a part may leave the abbreviation as it is, since printers ask whether the type is still
/// what it stands for.
#[derive(Clone, Debug)]
pub struct Parts<T> {
    of: Arc<T>,
    by: By,
}

/// `type name params = def`.
#[derive(Clone, Debug)]
pub struct Abbreviation {
    /// Its unique name.
    pub name: Name,
    /// What it stands for.
    pub def: Arc<TypeDef>,
}

impl<T> Parts<T> {
    /// Without an abbreviation.
    pub fn new(of: T) -> Parts<T> {
        Parts { of: Arc::new(of), by: None }
    }

    /// The same type with other parts.
    pub fn with(&self, of: T) -> Parts<T> {
        Parts { of: Arc::new(of), by: self.by.clone() }
    }
}

impl<T> std::ops::Deref for Parts<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.of
    }
}

/// `(x: lhs) -> ret`.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The parameter's name, if sizes in the result may mention it.
    pub param: Option<Name>,
    /// The parameter's type; unique parts are consumed.
    pub lhs: Type,
    /// The result.
    pub ret: RetType,
}

/// A result type with the sizes that only the call will tell: `?[n].[n]i32`.
#[derive(Clone, Debug)]
pub struct RetType {
    /// The existential sizes.
    pub dims: Vec<Name>,
    /// The type in which they stand.
    pub ty: Type,
}

/// An argument to a parametric type, or of an instantiation.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TypeArg {
    Size(Size),
    Type(Type),
}

/// A size or type parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TParam {
    Size(Name),
    Type(Liftedness, Name),
}

/// The type of a possibly polymorphic value.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// What is quantified over, sizes and types, explicit and inferred.
    pub tparams: Vec<TParam>,
    /// For the type parameters of intrinsics: the scalar types they may stand for.
    pub overloads: Vec<(Name, Vec<ScalarType>)>,
    /// The type.
    pub ty: Type,
}

/// What a type name stands for: `type t [n] 'a = def`.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The parameters.
    pub tparams: Vec<TParam>,
    /// The declared kind.
    pub lifted: Liftedness,
    /// The definition; may have existential sizes if lifted.
    pub def: RetType,
}

impl TParam {
    /// The name.
    pub fn name(self) -> Name {
        match self {
            TParam::Size(n) | TParam::Type(_, n) => n,
        }
    }
}

impl Scheme {
    /// A type that quantifies over nothing.
    pub fn mono(ty: Type) -> Scheme {
        Scheme { tparams: vec![], overloads: vec![], ty }
    }
}

impl RetType {
    /// A result without existential sizes.
    pub fn simple(ty: Type) -> RetType {
        RetType { dims: vec![], ty }
    }
}

impl Type {
    /// The tuple of no components.
    pub fn unit() -> Type {
        Type::Record(Parts::new(vec![]))
    }

    /// A tuple.
    pub fn tuple(parts: Vec<Type>) -> Type {
        Type::Record(Parts::new(
            parts.into_iter().enumerate().map(|(i, t)| (Symbol::new(&i.to_string()), t)).collect(),
        ))
    }

    /// A record; fields in any order.
    pub fn record(mut fields: Vec<(Symbol, Type)>) -> Type {
        fields.sort_by(|a, b| field_order(a.0, b.0));
        Type::Record(Parts::new(fields))
    }

    /// A sum; constructors in any order.
    pub fn sum(mut constrs: Vec<(Symbol, Vec<Type>)>) -> Type {
        constrs.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        Type::Sum(Parts::new(constrs))
    }

    /// Whether a mistake that has been complained about hides some part of it.
    pub fn is_broken(&self) -> bool {
        match self {
            Type::Error => true,
            Type::Scalar(..) | Type::Meta(_) => false,
            Type::Array(_, _, elem) => elem.is_broken(),
            Type::Record(fields) => fields.iter().any(|(_, t)| t.is_broken()),
            Type::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).any(Type::is_broken),
            Type::Arrow(a) => a.lhs.is_broken() || a.ret.ty.is_broken(),
            Type::Var(_, _, args) => args.iter().any(|a| match a {
                TypeArg::Size(_) => false,
                TypeArg::Type(t) => t.is_broken(),
            }),
        }
    }

    /// A nonunique array.
    pub fn array(size: Size, elem: Type) -> Type {
        Type::Array(Uniq::Nonunique, size, Parts::new(elem))
    }

    /// A function without a named parameter and without existential sizes.
    pub fn arrow(lhs: Type, ret: Type) -> Type {
        Type::Arrow(Parts::new(Arrow { param: None, lhs, ret: RetType::simple(ret) }))
    }

    /// A scalar without an abbreviation.
    pub const fn scalar(of: ScalarType) -> Type {
        Type::Scalar(of, None)
    }

    /// The type as abbreviated by the user; abstract types have names of their own.
    pub fn abbreviated(mut self, by: Abbreviation) -> Type {
        let by = Some(Arc::new(by));
        match &mut self {
            Type::Array(_, _, elem) => elem.by = by,
            Type::Record(fields) => fields.by = by,
            Type::Sum(constrs) => constrs.by = by,
            Type::Arrow(arrow) => arrow.by = by,
            Type::Scalar(_, own) => *own = by,
            Type::Var(..) | Type::Meta(_) | Type::Error => {}
        }
        self
    }

    /// The abbreviation that the user wrote, if there was one.
    pub fn abbreviation(&self) -> Option<&Abbreviation> {
        match self {
            Type::Array(_, _, elem) => elem.by.as_deref(),
            Type::Record(fields) => fields.by.as_deref(),
            Type::Sum(constrs) => constrs.by.as_deref(),
            Type::Arrow(arrow) => arrow.by.as_deref(),
            Type::Scalar(_, by) => by.as_deref(),
            Type::Var(..) | Type::Meta(_) | Type::Error => None,
        }
    }

    /// A type variable without arguments.
    pub fn var(name: Name) -> Type {
        Type::Var(Uniq::Nonunique, name, Arc::new(vec![]))
    }
}

/// How many parts a type may have, as far as it is written out. Abbreviations and pairs of pairs can double
/// with every line of a program.
pub const MAX_PARTS: usize = 100_000;

/// How deep parts may be in each other: every level of an expression can have a type of its own, one deeper
/// than the last.
pub const MAX_DEPTH: usize = 400;

/// Whether a type has more than [`MAX_PARTS`] parts, or parts deeper than [`MAX_DEPTH`]; `known` says what a
/// type variable of inference stands for.
pub fn is_too_large(t: &Type, mut known: impl FnMut(&Type) -> Type) -> bool {
    let mut count = 0;
    let mut rest = vec![(t.clone(), 0)];
    while let Some((t, depth)) = rest.pop() {
        count += 1;
        if count > MAX_PARTS || depth > MAX_DEPTH {
            return true;
        }
        let deeper = |t: &Type| (t.clone(), depth + 1);
        match known(&t) {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
            Type::Array(_, _, elem) => rest.push(deeper(&elem)),
            Type::Record(fields) => rest.extend(fields.iter().map(|(_, t)| deeper(t))),
            Type::Sum(constrs) => rest.extend(constrs.iter().flat_map(|(_, ts)| ts).map(deeper)),
            Type::Arrow(a) => rest.extend([deeper(&a.lhs), deeper(&a.ret.ty)]),
            Type::Var(_, _, args) => rest.extend(args.iter().filter_map(|a| match a {
                TypeArg::Size(_) => None,
                TypeArg::Type(t) => Some(deeper(t)),
            })),
        }
    }
    false
}

/// The order of record fields: numbers first, as numbers, then names alphabetically.
pub fn field_order(a: Symbol, b: Symbol) -> std::cmp::Ordering {
    let number = |s: Symbol| s.as_str().parse::<u32>().ok();
    match (number(a), number(b)) {
        (Some(x), Some(y)) => x.cmp(&y),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.as_str().cmp(b.as_str()),
    }
}
