//! Checks that always hold, and those that were made before.

use super::{one, Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_base::ops::BinOp;
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_ir::{Basic, Exp, Purpose, Rep, Stm, SubExp};

/// How deep a condition is looked into.
const MAX_DEPTH: usize = 6;

pub(super) fn rules<R: Rep<Dec = ()>>() -> [Rule<R>; 3] {
    [
        Rule { name: "check that holds", apply: holds },
        Rule { name: "check that holds here", apply: holds_here },
        Rule { name: "check made before", apply: made_before },
    ]
}

/// A check that holds stays as long as it says of a size what is not known otherwise.
fn holds<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let is_news = |purpose: &Purpose| match purpose {
        Purpose::Values | Purpose::Program => false,
        Purpose::Sizes { sizes, .. } => !sizes.iter().all(|n| engine.is_size(*n)),
    };
    match &stm.exp {
        Exp::Basic(Basic::Assert(SubExp::Const(PrimValue::Bool(true)), _, purpose))
            if stm.certs.is_empty() && !is_news(purpose) =>
        {
            one(SubExp::Const(PrimValue::Unit))
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// A condition that was computed further outside may be certain here.
fn holds_here<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Assert(cond @ SubExp::Var(_), parts, purpose)) = &stm.exp else { return None };
    is_certain(engine, *cond, MAX_DEPTH)
        .then(|| Rewrite::Exp(Exp::Basic(Basic::Assert(SubExp::bool(true), parts.clone(), purpose.clone()))))
}

fn is_certain<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, cond: SubExp, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match engine.pure_def(cond).as_deref() {
        Some(Exp::Basic(Basic::CmpOp(op, x, y))) => engine.decide(*op, *x, *y) == Some(true),
        Some(Exp::Basic(Basic::BinOp(BinOp::LogAnd, x, y))) => {
            is_certain(engine, *x, depth) && is_certain(engine, *y, depth)
        }
        Some(Exp::Basic(Basic::BinOp(BinOp::LogOr, x, y))) => {
            is_certain(engine, *x, depth) || is_certain(engine, *y, depth)
        }
        _ => cond == SubExp::bool(true),
    }
}

/// What follows from conditions that were checked depends on their certificates. A check that stays may go
/// only if the others stay.
fn made_before<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Basic(Basic::Assert(cond, _, purpose)) = &stm.exp else { return None };
    let mut certs: Vec<Name> = vec![];
    if !follows(engine, *cond, purpose.stays(), MAX_DEPTH, &mut certs) {
        return None;
    }
    if let ([cert], true) = (certs.as_slice(), stm.certs.is_empty()) {
        return one((*cert).into());
    }
    certs.extend(&stm.certs);
    Some(Rewrite::Stms(vec![Stm {
        exp: Exp::Basic(Basic::SubExp(SubExp::Const(PrimValue::Unit))),
        certs,
        ..stm.clone()
    }]))
}

fn follows<R: Rep<Dec = ()>>(
    engine: &Engine<'_, R>,
    cond: SubExp,
    stays: bool,
    depth: usize,
    certs: &mut Vec<Name>,
) -> bool {
    if let Some((cert, _)) = engine.certificate(cond).filter(|(_, made_stays)| *made_stays || !stays) {
        certs.push(cert);
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    match engine.pure_def(cond).as_deref() {
        Some(Exp::Basic(Basic::BinOp(BinOp::LogAnd, x, y))) => {
            follows(engine, *x, stays, depth, certs) && follows(engine, *y, stays, depth, certs)
        }
        Some(Exp::Basic(Basic::BinOp(BinOp::LogOr, x, y))) => {
            follows(engine, *x, stays, depth, certs) || follows(engine, *y, stays, depth, certs)
        }
        _ => false,
    }
}
