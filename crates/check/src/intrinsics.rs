//! What the compiler itself provides, as the hidden module `intrinsics`, and
//! what is in scope before anything is declared: scalar types and operators.
//!
//! Functions with a type that can be written are in `crates/check/prelude/intrinsics.fut`,
//! a module type that [`crate::modules`] reads. Here are those that work on
//! several scalar types; see [`Shape`]. `==` and `!=` work on all types
//! without functions, which their scheme cannot say: expressions that use
//! them are checked for it.

use crate::context::Context;
use crate::scope::{Env, Scope, TermEntry, TypeEntry, ValEntry, ValKind};
use crate::types::{RetType, Scheme, TParam, Type, TypeDef};
use fehu_base::intrinsic::Intrinsic;
use fehu_base::prim::ScalarType;
use fehu_base::{bug, Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;
use std::sync::Arc;

/// The type of an overloaded function, where `a` is one of some scalar types.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// `a -> a`
    Unary,
    /// `a -> a -> a`
    Binary,
    /// `a -> a -> a -> a`
    Ternary,
    /// `a -> bool`
    Test,
    /// `a -> a -> bool`
    Compare,
    /// `a -> i32`
    Count,
    /// `a -> i32 -> a`
    Scale,
    /// `a -> b`, where `b` is one of some other scalar types.
    Convert(Class),
}

/// Some scalar types.
#[derive(Clone, Copy, Debug)]
enum Class {
    Integers,
    Floats,
    Numbers,
    Unsigned,
    Bool,
    Scalars,
    /// Any type: no overloading.
    Everything,
}

use Class::{Bool, Everything, Floats, Integers, Numbers, Scalars, Unsigned};
use Shape::{Binary, Compare, Convert, Count, Scale, Ternary, Test, Unary};

/// Operators in scope in every file.
const OPERATORS: [(&str, Shape, Class); 21] = [
    ("+", Binary, Numbers),
    ("-", Binary, Numbers),
    ("*", Binary, Numbers),
    ("/", Binary, Numbers),
    ("%", Binary, Numbers),
    ("//", Binary, Integers),
    ("%%", Binary, Integers),
    ("**", Binary, Numbers),
    ("&", Binary, Integers),
    ("|", Binary, Integers),
    ("^", Binary, Integers),
    ("<<", Binary, Integers),
    (">>", Binary, Integers),
    ("<", Compare, Scalars),
    ("<=", Compare, Scalars),
    (">", Compare, Scalars),
    (">=", Compare, Scalars),
    ("==", Compare, Everything),
    ("!=", Compare, Everything),
    // Only as values: in infix position these are forms of their own.
    ("&&", Binary, Bool),
    ("||", Binary, Bool),
];

/// What can only be reached through the module.
const FUNCTIONS: [(&str, Shape, Class); 61] = [
    (">>>", Binary, Integers),
    ("abs", Unary, Numbers),
    ("sgn", Unary, Numbers),
    ("min", Binary, Numbers),
    ("max", Binary, Numbers),
    ("convert", Convert(Scalars), Scalars),
    ("sqrt", Unary, Floats),
    ("cbrt", Unary, Floats),
    ("rsqrt", Unary, Floats),
    ("exp", Unary, Floats),
    ("exp2", Unary, Floats),
    ("exp10", Unary, Floats),
    ("expm1", Unary, Floats),
    ("log", Unary, Floats),
    ("log2", Unary, Floats),
    ("log10", Unary, Floats),
    ("log1p", Unary, Floats),
    ("sin", Unary, Floats),
    ("cos", Unary, Floats),
    ("tan", Unary, Floats),
    ("asin", Unary, Floats),
    ("acos", Unary, Floats),
    ("atan", Unary, Floats),
    ("sinh", Unary, Floats),
    ("cosh", Unary, Floats),
    ("tanh", Unary, Floats),
    ("asinh", Unary, Floats),
    ("acosh", Unary, Floats),
    ("atanh", Unary, Floats),
    ("sinpi", Unary, Floats),
    ("cospi", Unary, Floats),
    ("tanpi", Unary, Floats),
    ("asinpi", Unary, Floats),
    ("acospi", Unary, Floats),
    ("atanpi", Unary, Floats),
    ("atan2", Binary, Floats),
    ("atan2pi", Binary, Floats),
    ("hypot", Binary, Floats),
    ("gamma", Unary, Floats),
    ("lgamma", Unary, Floats),
    ("erf", Unary, Floats),
    ("erfc", Unary, Floats),
    ("floor", Unary, Floats),
    ("ceil", Unary, Floats),
    ("round", Unary, Floats),
    ("trunc", Unary, Floats),
    ("fma", Ternary, Floats),
    ("mad", Ternary, Floats),
    ("lerp", Ternary, Floats),
    ("isnan", Test, Floats),
    ("isinf", Test, Floats),
    ("to_bits", Convert(Unsigned), Floats),
    ("from_bits", Convert(Floats), Unsigned),
    ("nextafter", Binary, Floats),
    ("ldexp", Scale, Floats),
    ("copysign", Binary, Floats),
    ("popc", Count, Integers),
    ("clz", Count, Integers),
    ("ctz", Count, Integers),
    ("mul_hi", Binary, Integers),
    ("mad_hi", Ternary, Integers),
];

/// Binds the scalar types and the operators, and gives the overloaded part of
/// the module `intrinsics`.
pub fn base(ctx: &mut Context, scope: &mut Scope) -> Env {
    for t in ScalarType::ALL {
        let sym = Symbol::new(t.as_str());
        let name = ctx.bind(sym, Span::NONE);
        let def =
            TypeDef { tparams: vec![], lifted: Liftedness::Unlifted, def: RetType::simple(Type::scalar(t)) };
        scope.bind_type(sym, TypeEntry { name, def: Arc::new(def), span: Span::NONE });
    }
    let mut env = Env::default();
    for (i, (text, shape, class)) in OPERATORS.into_iter().chain(FUNCTIONS).enumerate() {
        let sym = Symbol::new(text);
        let name = ctx.bind(sym, Span::NONE);
        let scheme = scheme(ctx, shape, class);
        let entry = intrinsic(ctx, sym, name, scheme);
        if i < OPERATORS.len() {
            scope.bind_val(sym, entry.clone());
        }
        env.terms.insert(sym, TermEntry::Val(entry));
    }
    env
}

/// The entry of a built-in function, and a note of what it is.
pub fn intrinsic(ctx: &mut Context, sym: Symbol, name: Name, scheme: Arc<Scheme>) -> ValEntry {
    let Some(known) = Intrinsic::named(sym.as_str()) else { bug!("there is no built-in function `{sym}`") };
    ctx.intrinsics.insert(name, known);
    ValEntry { name, scheme, span: Span::NONE, kind: ValKind::Intrinsic }
}

fn scheme(ctx: &mut Context, shape: Shape, class: Class) -> Arc<Scheme> {
    let mut fresh = |text| {
        let name = ctx.names.fresh_str(text);
        ctx.kinds.insert(name, Liftedness::Unlifted);
        name
    };
    let (ta, mut vars) = if matches!(class, Bool) {
        (Type::scalar(ScalarType::Bool), vec![])
    } else {
        let a = fresh("a");
        (Type::var(a), vec![(a, class)])
    };
    let bool_t = Type::scalar(ScalarType::Bool);
    let i32_t = Type::scalar(ScalarType::I32);
    let arrows =
        |params: Vec<Type>, ret: Type| params.into_iter().rev().fold(ret, |ret, p| Type::arrow(p, ret));
    let ty = match shape {
        Unary => arrows(vec![ta.clone()], ta),
        Binary => arrows(vec![ta.clone(), ta.clone()], ta),
        Ternary => arrows(vec![ta.clone(), ta.clone(), ta.clone()], ta),
        Test => arrows(vec![ta], bool_t),
        Compare => arrows(vec![ta.clone(), ta], bool_t),
        Count => arrows(vec![ta], i32_t),
        Scale => arrows(vec![ta.clone(), i32_t], ta),
        Convert(to) => {
            let b = fresh("b");
            vars.push((b, to));
            arrows(vec![ta], Type::var(b))
        }
    };
    Arc::new(Scheme {
        tparams: vars.iter().map(|(n, _)| TParam::Type(Liftedness::Unlifted, *n)).collect(),
        overloads: vars.iter().filter_map(|(n, c)| members(*c).map(|m| (*n, m))).collect(),
        ty,
    })
}

fn members(class: Class) -> Option<Vec<ScalarType>> {
    let keep = |p: fn(ScalarType) -> bool| Some(ScalarType::ALL.into_iter().filter(|t| p(*t)).collect());
    match class {
        Integers => keep(ScalarType::is_integer),
        Floats => keep(ScalarType::is_float),
        Numbers => keep(|t| t != ScalarType::Bool),
        Unsigned => keep(ScalarType::is_unsigned),
        Bool => keep(|t| t == ScalarType::Bool),
        Scalars => keep(|_| true),
        Everything => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_provided_once() {
        let mut ctx = Context::default();
        let mut scope = Scope::default();
        let env = base(&mut ctx, &mut scope);
        assert_eq!(env.terms.len(), OPERATORS.len() + FUNCTIONS.len());
        assert!(scope.term(Symbol::new("||")).is_some() && scope.term(Symbol::new(">>>")).is_none());
        assert!(scope.ty(Symbol::new("f16")).is_some());
    }
}
