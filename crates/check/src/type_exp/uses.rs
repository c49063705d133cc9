//! Where in a type a size stands.
//!
//! A size is used *constructively* where a value of the type shows it: as the
//! size of an array outside of functions. `[n + 1]i32` and `[n]i32 -> i32` do
//! not show `n`.

use crate::context::Context;
use crate::tast::{Exp, ExpKind};
use crate::types::{RetType, Size, Type, TypeArg, Uniq};
use crate::visit::children;
use fehu_base::Name;
use fehu_syntax::ast::Liftedness;
use rustc_hash::FxHashSet;

/// The sizes that a value of the type shows.
pub fn constructive(t: &Type, out: &mut FxHashSet<Name>) {
    match t {
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => {}
        Type::Array(_, s, e) => {
            if let Size::Var(n) = s {
                out.insert(*n);
            }
            constructive(e, out);
        }
        Type::Record(fs) => fs.iter().for_each(|(_, t)| constructive(t, out)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| constructive(t, out)),
        Type::Var(_, _, args) => {
            for a in args.iter() {
                match a {
                    TypeArg::Size(Size::Var(n)) => {
                        out.insert(*n);
                    }
                    TypeArg::Size(Size::Const(_) | Size::Exp(_) | Size::Any) => {}
                    // An abstract type need not contain values of its argument.
                    TypeArg::Type(_) => {}
                }
            }
        }
    }
}

/// Whether the type has an anonymous size `[]` outside of functions.
pub fn has_any(t: &Type) -> bool {
    let any = |s: &Size| matches!(s, Size::Any);
    match t {
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => false,
        Type::Array(_, s, e) => any(s) || has_any(e),
        Type::Record(fs) => fs.iter().any(|(_, t)| has_any(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(has_any),
        Type::Var(_, _, args) => args.iter().any(|a| match a {
            TypeArg::Size(s) => any(s),
            TypeArg::Type(t) => has_any(t),
        }),
    }
}

/// Whether the type has an anonymous size `[]` in the parameter of a function.
pub fn has_any_in_param(t: &Type) -> bool {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => false,
        Type::Arrow(a) => has_any(&a.lhs) || has_any_in_param(&a.lhs) || has_any_in_param(&a.ret.ty),
        Type::Array(_, _, e) => has_any_in_param(e),
        Type::Record(fs) => fs.iter().any(|(_, t)| has_any_in_param(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(has_any_in_param),
        Type::Var(_, _, args) => args.iter().any(|a| match a {
            TypeArg::Size(_) => false,
            TypeArg::Type(t) => has_any_in_param(t),
        }),
    }
}

/// The type with each anonymous size outside of functions replaced by what `fresh` gives.
pub fn name_anys(t: &Type, fresh: &mut dyn FnMut() -> Size) -> Type {
    use std::sync::Arc;
    let size = |s: &Size, fresh: &mut dyn FnMut() -> Size| match s {
        Size::Any => fresh(),
        Size::Const(_) | Size::Var(_) | Size::Exp(_) => s.clone(),
    };
    match t {
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => t.clone(),
        Type::Array(u, s, e) => {
            let s = size(s, fresh);
            Type::Array(*u, s, e.with(name_anys(e, fresh)))
        }
        Type::Record(fs) => {
            Type::Record(fs.with(fs.iter().map(|(f, t)| (*f, name_anys(t, fresh))).collect()))
        }
        Type::Sum(cs) => {
            Type::Sum(cs.with(
                cs.iter().map(|(c, ts)| (*c, ts.iter().map(|t| name_anys(t, fresh)).collect())).collect(),
            ))
        }
        Type::Var(u, n, args) => {
            let args = args
                .iter()
                .map(|a| match a {
                    TypeArg::Size(s) => TypeArg::Size(size(s, fresh)),
                    TypeArg::Type(t) => TypeArg::Type(name_anys(t, fresh)),
                })
                .collect();
            Type::Var(*u, *n, Arc::new(args))
        }
    }
}

/// All names that sizes in the type mention, anywhere.
pub fn mentioned(t: &Type, out: &mut FxHashSet<Name>) {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
        Type::Arrow(a) => {
            mentioned(&a.lhs, out);
            mentioned_ret(&a.ret, out);
        }
        Type::Array(_, s, e) => {
            mentioned_size(s, out);
            mentioned(e, out);
        }
        Type::Record(fs) => fs.iter().for_each(|(_, t)| mentioned(t, out)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).for_each(|t| mentioned(t, out)),
        Type::Var(_, _, args) => {
            for a in args.iter() {
                match a {
                    TypeArg::Size(s) => mentioned_size(s, out),
                    TypeArg::Type(t) => mentioned(t, out),
                }
            }
        }
    }
}

/// As [`mentioned`], in a result.
pub fn mentioned_ret(r: &RetType, out: &mut FxHashSet<Name>) {
    mentioned(&r.ty, out);
}

/// As [`mentioned`], in a size.
pub fn mentioned_size(s: &Size, out: &mut FxHashSet<Name>) {
    match s {
        Size::Var(n) => {
            out.insert(*n);
        }
        Size::Exp(e) => mentioned_exp(e, out),
        Size::Const(_) | Size::Any => {}
    }
}

/// As [`mentioned_size`], with what size parameters of the functions in it stand for.
pub fn depends_on(s: &Size, out: &mut FxHashSet<Name>) {
    mentioned_size(s, out);
    if let Size::Exp(e) = s {
        instances(e, out);
    }
}

fn instances(e: &Exp, out: &mut FxHashSet<Name>) {
    if let ExpKind::Var(_, inst) = &*e.kind {
        for arg in inst {
            match arg {
                TypeArg::Size(s) => depends_on(s, out),
                TypeArg::Type(_) => {}
            }
        }
    }
    children(e, &mut |c| instances(c, out));
}

fn mentioned_exp(e: &Exp, out: &mut FxHashSet<Name>) {
    if let ExpKind::Var(n, _) = &*e.kind {
        out.insert(*n);
    }
    children(e, &mut |c| mentioned_exp(c, out));
}

/// Whether a `*` stands somewhere in the type, not counting the parameters and results of functions in it: a
/// parameter of the type is consumed, and a part of a result belongs to the caller.
pub fn consumes(t: &Type) -> bool {
    match t {
        Type::Array(u, ..) | Type::Var(u, ..) => *u == Uniq::Unique,
        Type::Record(fs) => fs.iter().any(|(_, t)| consumes(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).any(consumes),
        Type::Scalar(..) | Type::Arrow(_) | Type::Meta(_) | Type::Error => false,
    }
}

/// The kind of a type, by what it may contain.
pub fn kind(ctx: &Context, t: &Type) -> Liftedness {
    match t {
        Type::Scalar(..) | Type::Meta(_) | Type::Error => Liftedness::Unlifted,
        Type::Array(_, _, e) => kind(ctx, e),
        Type::Record(fs) => fs.iter().map(|(_, t)| kind(ctx, t)).max().unwrap_or(Liftedness::Unlifted),
        Type::Sum(cs) => {
            cs.iter().flat_map(|(_, ts)| ts).map(|t| kind(ctx, t)).max().unwrap_or(Liftedness::Unlifted)
        }
        Type::Arrow(_) => Liftedness::Lifted,
        Type::Var(_, n, _) => ctx.kinds.get(n).copied().unwrap_or(Liftedness::Unlifted),
    }
}
