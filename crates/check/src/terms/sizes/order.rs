//! Making the order of evaluation plain.
//!
//! The typed tree promises that arguments are evaluated from left to right.
//! The sizes of a later argument may be needed by an earlier one, as in
//! `map (\row -> length row) [filter p xs]`. Such arguments are bound by `let`
//! before the application.

use super::apply::exts_of;
use super::finish::var;
use super::tables::mentioned_type;
use crate::context::Context;
use crate::tast::{Access, Exp, ExpKind, Index, LoopForm, Pat, PatKind, RangeEnd};
use crate::types::TypeArg;
use crate::visit::children;
use fehu_base::{Name, Symbol};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Orders all applications in a body.
pub(super) fn sequence(ctx: &mut Context, e: &mut Exp) {
    fehu_base::stack::deep(|| sequence_inner(ctx, e));
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn sequence_inner(ctx: &mut Context, e: &mut Exp) {
    parts(e, &mut |c| sequence(ctx, c));
    let hoist = match &*e.kind {
        ExpKind::Apply(f, args) => {
            // The last argument of which an earlier one (or a function that is not just a name) needs sizes.
            let mut needed = None;
            for (j, a) in args.iter().enumerate() {
                let mut made = vec![];
                exts_of(a, &mut made);
                if made.is_empty() {
                    continue;
                }
                let made: FxHashSet<Name> = made.into_iter().collect();
                let by_function = !matches!(&*f.kind, ExpKind::Var(..)) && mentions(f, &made);
                if by_function || args[..j].iter().any(|b| mentions(b, &made)) {
                    needed = Some(j);
                }
            }
            needed.is_some()
        }
        _ => false,
    };
    if !hoist {
        return;
    }
    let ExpKind::Apply(_, args) = Arc::make_mut(&mut e.kind) else { return };
    let mut bindings = vec![];
    for a in args.iter_mut().rev() {
        let mut made = vec![];
        exts_of(a, &mut made);
        if made.is_empty() {
            continue;
        }
        let n = ctx.bind(Symbol::new("arg"), a.span);
        let (ty, span) = (a.ty.clone(), a.span);
        let value = std::mem::replace(a, var(n, ty.clone(), span));
        bindings.push((Pat { kind: PatKind::Var(n), ty, span }, value));
    }
    for (pat, value) in bindings.into_iter().rev() {
        let (ty, span) = (e.ty.clone(), e.span);
        let body = std::mem::replace(e, var(Name(0), ty.clone(), span));
        *e = Exp { kind: Arc::new(ExpKind::Let { sizes: vec![], pat, value, body }), ty, ext: vec![], span };
    }
}

/// Whether an expression has sizes of these names in its types.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn mentions(e: &Exp, names: &FxHashSet<Name>) -> bool {
    let in_type = |t| mentioned_type(t).iter().any(|n| names.contains(n));
    let here = in_type(&e.ty)
        || match &*e.kind {
            ExpKind::Var(_, inst) => inst.iter().any(|a| match a {
                TypeArg::Size(s) => super::tables::mentioned_size(s).iter().any(|n| names.contains(n)),
                TypeArg::Type(t) => in_type(t),
            }),
            _ => false,
        };
    if here {
        return true;
    }
    let mut found = false;
    children(e, &mut |c| found = found || mentions(c, names));
    found
}

/// Calls `f` on each direct part.
fn parts(e: &mut Exp, f: &mut dyn FnMut(&mut Exp)) {
    match Arc::make_mut(&mut e.kind) {
        ExpKind::Literal(_) | ExpKind::String(_) | ExpKind::Hole | ExpKind::Var(..) => {}
        ExpKind::Record(fs) => fs.iter_mut().for_each(|(_, e)| f(e)),
        ExpKind::Array(es) | ExpKind::Constr(_, es) => es.iter_mut().for_each(f),
        ExpKind::Project(e, _)
        | ExpKind::Negate(e)
        | ExpKind::Not(e)
        | ExpKind::Coerce(e)
        | ExpKind::Attr(_, e) => f(e),
        ExpKind::Index(e, ix) => {
            f(e);
            indexes(ix, f);
        }
        ExpKind::And(l, r) | ExpKind::Or(l, r) | ExpKind::Assert(l, r, _) => {
            f(l);
            f(r);
        }
        ExpKind::Apply(g, es) => {
            f(g);
            es.iter_mut().for_each(f);
        }
        ExpKind::Lambda(l) => f(&mut l.body),
        ExpKind::Range { start, second, end } => {
            f(start);
            second.iter_mut().for_each(&mut *f);
            match end {
                RangeEnd::Inclusive(e) | RangeEnd::UpTo(e) | RangeEnd::DownTo(e) => f(e),
            }
        }
        ExpKind::Update(e, path, v) => {
            f(e);
            for a in path {
                match a {
                    Access::Field(_) => {}
                    Access::Index(ix, _) => indexes(ix, f),
                }
            }
            f(v);
        }
        ExpKind::Let { value, body, .. } => {
            f(value);
            f(body);
        }
        ExpKind::LetFun(g, body) => {
            f(&mut g.body);
            f(body);
        }
        ExpKind::If(c, t, e) => {
            f(c);
            f(t);
            f(e);
        }
        ExpKind::Loop(l) => {
            f(&mut l.init);
            match &mut l.form {
                LoopForm::For(_, _, e) | LoopForm::ForIn(_, e) | LoopForm::While(e) => f(e),
            }
            f(&mut l.body);
        }
        ExpKind::Match(e, cases) => {
            f(e);
            cases.iter_mut().for_each(|c| f(&mut c.body));
        }
    }
}

fn indexes(ix: &mut [Index], f: &mut dyn FnMut(&mut Exp)) {
    for i in ix {
        match i {
            Index::Fix(e) => f(e),
            Index::Slice { lo, hi, stride } => [lo, hi, stride].into_iter().flatten().for_each(&mut *f),
        }
    }
}
