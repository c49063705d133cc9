//! What is left out of types before they are printed.

use super::given::{given, Sizes, Unknown};
use crate::tast::{Exp, ExpKind};
use crate::types::{Abbreviation, Arrow, Parts, RetType, Size, Type, TypeArg, Uniq};
use crate::visit::children;
use fehu_base::Name;
use std::sync::Arc;

/// A type with `[]` for sizes that mention names which are not known; `bound` are those that are bound just around
/// the type. An abbreviation that is not right before is none afterwards.
pub fn without_hidden(ty: &Type, known: &dyn Fn(Name) -> bool, bound: &[Name]) -> Type {
    let hides = |n: Name| !known(n) || bound.contains(&n);
    let right = |a: &Abbreviation| {
        a.def.def.dims.is_empty() || given(ty, Sizes { hides: &hides, unknown: Unknown::Once }).is_some()
    };
    let by = ty.abbreviation().filter(|a| right(a)).cloned();
    let hidden = parts(ty, known, bound);
    match by {
        Some(by) => hidden.abbreviated(by),
        None => hidden,
    }
}

fn parts(ty: &Type, known: &dyn Fn(Name) -> bool, bound: &[Name]) -> Type {
    let part = |t: &Type| without_hidden(t, known, bound);
    match ty {
        Type::Array(u, size, elem) => Type::Array(*u, visible_size(size, known), Parts::new(part(elem))),
        Type::Record(fields) => Type::Record(Parts::new(fields.iter().map(|(f, t)| (*f, part(t))).collect())),
        Type::Sum(constrs) => {
            let one = |(c, ts): &(_, Vec<Type>)| (*c, ts.iter().map(part).collect());
            Type::Sum(Parts::new(constrs.iter().map(one).collect()))
        }
        Type::Arrow(a) => {
            let inner = |n: Name| known(n) || a.param == Some(n) || a.ret.dims.contains(&n);
            let ret =
                RetType { dims: a.ret.dims.clone(), ty: without_hidden(&a.ret.ty, &inner, &a.ret.dims) };
            Type::Arrow(Parts::new(Arrow { param: a.param, lhs: without_hidden(&a.lhs, known, &[]), ret }))
        }
        Type::Var(u, n, args) => {
            let one = |a: &TypeArg| match a {
                TypeArg::Size(s) => TypeArg::Size(visible_size(s, known)),
                TypeArg::Type(t) => TypeArg::Type(part(t)),
            };
            Type::Var(*u, *n, Arc::new(args.iter().map(one).collect()))
        }
        Type::Scalar(of, _) => Type::scalar(*of),
        Type::Meta(_) | Type::Error => ty.clone(),
    }
}

fn visible_size(size: &Size, known: &dyn Fn(Name) -> bool) -> Size {
    fn names(e: &Exp, known: &dyn Fn(Name) -> bool) -> bool {
        let mut all = if let ExpKind::Var(n, _) = &*e.kind { known(*n) } else { true };
        children(e, &mut |c| all = all && names(c, known));
        all
    }
    let fine = match size {
        Size::Const(_) | Size::Any => true,
        Size::Var(n) => known(*n),
        Size::Exp(e) => names(e, known),
    };
    if fine {
        size.clone()
    } else {
        Size::Any
    }
}

/// A type without `*` outside of functions, also in elements: where it is no part of what a message is about.
pub(crate) fn without_stars(ty: &Type) -> Type {
    match ty {
        Type::Array(_, size, elem) => {
            Type::Array(Uniq::Nonunique, size.clone(), elem.with(without_stars(elem)))
        }
        Type::Record(fields) => {
            Type::Record(fields.with(fields.iter().map(|(f, t)| (*f, without_stars(t))).collect()))
        }
        Type::Sum(constrs) => {
            let one = |(c, ts): &(_, Vec<Type>)| (*c, ts.iter().map(without_stars).collect());
            Type::Sum(constrs.with(constrs.iter().map(one).collect()))
        }
        Type::Var(_, n, args) => Type::Var(Uniq::Nonunique, *n, args.clone()),
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => ty.clone(),
    }
}
