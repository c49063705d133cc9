//! Values whose result is owned by the caller only in part, where a module type says that all of it is.
//!
//! ```text
//! module type s = { val f : []i64 -> *([]i64, []i64) }
//! module m : s = { def f x = (copy x, x) }      -- gives (*[]i64, []i64)
//! ```
//!
//! Programs rely on this being accepted. Callers of `m.f` may consume the second array, so it must not be
//! `x` itself: the module gets a function of its own, that copies those parts which are not owned.

use crate::context::Context;
use crate::scope::ValEntry;
use crate::subst::{make_nonunique, Subst};
use crate::tast::{Exp, ExpKind, Pat, PatKind, ValBind};
use crate::types::{RetType, Scheme, Type, TypeArg, Uniq};
use fehu_base::intrinsic::{ArrayFn, Intrinsic};
use fehu_base::{Name, Span, Symbol};
use std::sync::Arc;

/// A function of this name and type that calls what is given, and copies what the type says is owned and is not.
pub(super) fn owning_wrapper(
    ctx: &mut Context,
    have: &ValEntry,
    expected: &Scheme,
    name: Name,
    inst: Vec<TypeArg>,
) -> ValBind {
    let span = have.span;
    let mut params: Vec<Pat> = vec![];
    let mut args: Vec<Exp> = vec![];
    let (mut ret, mut given) = (RetType::simple(expected.ty.clone()), have.scheme.ty.clone());
    while let (Type::Arrow(want), Type::Arrow(have)) = (&ret.ty, &given) {
        let param = want.param.unwrap_or_else(|| ctx.bind(Symbol::new("x"), span));
        params.push(Pat { kind: PatKind::Var(param), ty: want.lhs.clone(), span });
        args.push(node(ExpKind::Var(param, vec![]), make_nonunique(&want.lhs), span));
        (ret, given) = (want.ret.clone(), have.ret.ty.clone());
    }
    // The prelude's own may not have been read, for the program need not mention it.
    let copy = ctx.bind(Symbol::new("copy"), Span::NONE);
    ctx.intrinsics.insert(copy, Intrinsic::Array(ArrayFn::Copy));
    // The call brings its unknown sizes under names of its own.
    let mut opened = Subst::default();
    let mut ext = vec![];
    for d in &ret.dims {
        let n = ctx.names.fresh_like(*d);
        opened.rename_value(*d, n);
        ext.push(n);
    }
    let ty = opened.ty(&mut ctx.names, &mut vec![], &ret.ty);
    let function = node(ExpKind::Var(have.name, inst), expected.ty.clone(), span);
    let value = Exp { ext, ..node(ExpKind::Apply(function, args), ty.clone(), span) };
    let result = ctx.bind(Symbol::new("result"), span);
    let var = node(ExpKind::Var(result, vec![]), ty.clone(), span);
    let body = Owner { copy, span }.own(var, &given);
    let pat = Pat { kind: PatKind::Var(result), ty: ty.clone(), span };
    let body = node(ExpKind::Let { sizes: vec![], pat, value, body }, ty, span);
    let tparams = expected.tparams.clone();
    let (attrs, doc, entry, recursive) = (vec![], None, None, false);
    ValBind { name, entry, attrs, doc, tparams, params, ret, body, recursive, span }
}

struct Owner {
    copy: Name,
    span: Span,
}

impl Owner {
    /// The value with copies of those parts that its type owns and the given type does not.
    fn own(&self, e: Exp, given: &Type) -> Exp {
        match (&e.ty.clone(), given) {
            (Type::Record(fs), Type::Record(gs)) if fs.len() == gs.len() => {
                let parts = fs.iter().zip(gs.iter()).map(|((f, t), (_, g))| {
                    let part = node(ExpKind::Project(e.clone(), *f), t.clone(), self.span);
                    (*f, self.own(part, g))
                });
                let parts = parts.collect();
                node(ExpKind::Record(parts), e.ty, self.span)
            }
            (ty, given) if owned(ty) && !owned(given) => {
                let plain = make_nonunique(ty);
                let function = Type::arrow(plain.clone(), ty.clone());
                let copy = node(ExpKind::Var(self.copy, vec![TypeArg::Type(plain)]), function, self.span);
                node(ExpKind::Apply(copy, vec![e]), ty.clone(), self.span)
            }
            _ => e,
        }
    }
}

fn owned(t: &Type) -> bool {
    match t {
        Type::Array(u, ..) | Type::Var(u, ..) => *u == Uniq::Unique,
        Type::Record(fs) => fs.iter().all(|(_, t)| owned(t)),
        Type::Sum(cs) => cs.iter().flat_map(|(_, ts)| ts).all(owned),
        Type::Scalar(..) => true,
        Type::Arrow(_) | Type::Meta(_) | Type::Error => false,
    }
}

fn node(kind: ExpKind, ty: Type, span: Span) -> Exp {
    Exp { kind: Arc::new(kind), ty, ext: vec![], span }
}
