//! What is left out of types before they are printed.

use crate::tast::{Exp, ExpKind};
use crate::types::{Arrow, RetType, Size, Type, TypeArg, Uniq};
use crate::visit::children;
use fehu_base::Name;
use std::sync::Arc;

/// A type with `[]` for sizes that mention names which are not known.
pub fn without_hidden(ty: &Type, known: &dyn Fn(Name) -> bool) -> Type {
    let part = |t: &Type| without_hidden(t, known);
    match ty {
        Type::Array(u, size, elem) => Type::Array(*u, visible_size(size, known), elem.with(part(elem))),
        Type::Record(fields) => {
            Type::Record(fields.with(fields.iter().map(|(f, t)| (*f, part(t))).collect()))
        }
        Type::Sum(constrs) => {
            let one = |(c, ts): &(_, Vec<Type>)| (*c, ts.iter().map(part).collect());
            Type::Sum(constrs.with(constrs.iter().map(one).collect()))
        }
        Type::Arrow(a) => {
            let bound = |n: Name| known(n) || a.param == Some(n) || a.ret.dims.contains(&n);
            let ret = RetType { dims: a.ret.dims.clone(), ty: without_hidden(&a.ret.ty, &bound) };
            Type::Arrow(a.with(Arrow { param: a.param, lhs: part(&a.lhs), ret }))
        }
        Type::Var(u, n, args) => {
            let one = |a: &TypeArg| match a {
                TypeArg::Size(s) => TypeArg::Size(visible_size(s, known)),
                TypeArg::Type(t) => TypeArg::Type(part(t)),
            };
            Type::Var(*u, *n, Arc::new(args.iter().map(one).collect()))
        }
        Type::Scalar(..) | Type::Meta(_) | Type::Error => ty.clone(),
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
