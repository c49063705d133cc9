//! Conditionals.
//!
//! Those that passes have marked stay branches, unless their condition is known: whoever finds the mark reads
//! the condition from there.

use super::{Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::seg::is_of_passes;
use fehu_ir::subst::Subst;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Exp, Purpose, Rep, Stm, SubExp, Type};

/// Reads of a branch that are looked at.
const MOST: usize = 16;

pub(super) fn before<R: Rep<Dec = ()>>() -> [Rule<R>; 2] {
    [Rule { name: "known condition", apply: known }, Rule { name: "negated condition", apply: negated }]
}

pub(super) fn after<R: Rep<Dec = ()>>() -> [Rule<R>; 4] {
    [
        Rule { name: "element read in both branches", apply: common_reads },
        Rule { name: "results equal in both branches", apply: equal_results },
        Rule { name: "selection of booleans", apply: booleans },
        Rule { name: "minimum and maximum", apply: extremum },
    ]
}

fn known<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::If(SubExp::Const(PrimValue::Bool(c)), t, f) = &stm.exp else { return None };
    let Body { stms, result } = (**if *c { t } else { f }).clone();
    Some(Rewrite::Inline { stms, result })
}

fn negated<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::If(c, t, f) = &stm.exp else { return None };
    match &*engine.pure_def(*c)? {
        Exp::Basic(Basic::UnOp(UnOp::Not, x)) => Some(Rewrite::Exp(Exp::If(*x, f.clone(), t.clone()))),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// A result that is the same in both branches, and bound outside, is no result. Where branches check it to be
/// a size, it remains one: those who use it rely on the checks, which go with the branches.
fn equal_results<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::If(c, t, f) = &stm.exp else { return None };
    if is_marked(stm) {
        return None;
    }
    let inner = engine.here() + 1;
    let of = |body: &Body<R>| -> Vec<SubExp> {
        body.result.iter().zip(&stm.pat).map(|(e, p)| size_of_results(stm, body, p.name, *e)).collect()
    };
    let (yes, no) = (of(t), of(f));
    let same: Vec<bool> = yes
        .iter()
        .zip(&no)
        .zip(&stm.pat)
        .map(|((x, y), p)| {
            let same = x == y && engine.is_outer(*x, inner) && matches_type(engine, *x, &p.ty);
            let relied_on =
                || p.ty == Type::I64 && !engine.is_size(*x) && [t, f].iter().any(|b| checks_sizes(b));
            same && !relied_on()
        })
        .collect();
    if !same.contains(&true) {
        return None;
    }
    let keep = |body: &Body<R>| Body { stms: body.stms.clone(), result: without(&body.result, &same) };
    let mut stms = vec![];
    for ((p, e), _) in stm.pat.iter().zip(&yes).zip(&same).filter(|(_, same)| **same) {
        let mut copy = stm.clone();
        copy.pat = vec![p.clone()];
        copy.exp = Exp::Basic(Basic::SubExp(*e));
        stms.push(copy);
    }
    if same.contains(&false) || !t.stms.is_empty() || !f.stms.is_empty() {
        let mut rest = stm.clone();
        rest.pat = without(&stm.pat, &same);
        rest.exp = Exp::If(*c, Box::new(keep(t)), Box::new(keep(f)));
        // Results that remain may mention the others in their types.
        stms.push(rest);
    }
    Some(Rewrite::Stms(stms))
}

/// Whether a branch, or one inside of it, checks sizes.
fn checks_sizes<R: Rep>(body: &Body<R>) -> bool {
    deep(|| {
        body.stms.iter().any(|stm| match &stm.exp {
            Exp::Basic(Basic::Assert(_, _, Purpose::Sizes { .. })) => true,
            Exp::If(_, yes, no) => checks_sizes(yes) || checks_sizes(no),
            Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
        })
    })
}

/// What a branch returns as a size of its other results. Where that waits for checks for which the arrays of
/// that size wait, too, as in `<check> n` beside `<check> concat [xs, ys] n`, it is the size alone.
fn size_of_results<R: Rep>(stm: &Stm<R>, body: &Body<R>, name: Name, e: SubExp) -> SubExp {
    let defined =
        |e: SubExp| body.stms.iter().find(|s| matches!(s.pat.as_slice(), [p] if Some(p.name) == e.name()));
    let sized: Vec<SubExp> = (stm.pat.iter().zip(&body.result))
        .filter(|(p, _)| p.ty.shape().contains(&name.into()))
        .map(|(_, e)| *e)
        .collect();
    match defined(e) {
        Some(Stm { exp: Exp::Basic(Basic::SubExp(size)), certs, .. }) => {
            let waits = |e: &SubExp| defined(*e).is_some_and(|s| certs.iter().all(|c| s.certs.contains(c)));
            if !sized.is_empty() && sized.iter().all(waits) {
                *size
            } else {
                e
            }
        }
        Some(_) | None => e,
    }
}

fn matches_type<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, e: SubExp, ty: &Type) -> bool {
    !ty.is_array() || engine.type_of(e).as_ref() == Some(ty)
}

fn without<T: Clone>(all: &[T], dropped: &[bool]) -> Vec<T> {
    all.iter().zip(dropped).filter(|(_, d)| !**d).map(|(x, _)| x.clone()).collect()
}

/// An element that both branches read is read before them: memory can then be asked for it before the
/// condition is known.
fn common_reads<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::If(c, t, f) = &stm.exp else { return None };
    let inner = engine.here() + 1;
    let outside = |s: &Stm<R>| free_in_stm(s).into_iter().all(|n| engine.is_outer(n.into(), inner));
    let read = |s: &&Stm<R>| {
        let scalar = matches!(s.pat.as_slice(), [p] if !p.ty.is_array());
        matches!(s.exp, Exp::Basic(Basic::Index(..))) && scalar && s.attrs.is_empty() && outside(s)
    };
    let reads =
        |body: &Body<R>| -> Vec<Stm<R>> { body.stms.iter().filter(read).take(MOST).cloned().collect() };
    let (yes, no) = (reads(t), reads(f));
    let (one, other) = yes.iter().find_map(|a| {
        let b = no.iter().find(|b| a.exp == b.exp && a.certs == b.certs)?;
        Some((a.clone(), b.pat.first()?.name))
    })?;
    let name = one.pat.first()?.name;
    let without = |body: &Body<R>, gone: Name| {
        let stms = body.stms.iter().filter(|s| s.pat.iter().all(|p| p.name != gone)).cloned().collect();
        Body { stms, result: body.result.clone() }
    };
    let mut no = without(f, other);
    let mut subst = Subst::new();
    subst.insert(other, name);
    subst.body(&mut no);
    let rest = Exp::If(*c, Box::new(without(t, name)), Box::new(no));
    Some(Rewrite::Stms(vec![one, Stm { exp: rest, ..stm.clone() }]))
}

fn is_marked<R: Rep>(stm: &Stm<R>) -> bool {
    stm.attrs.iter().any(is_of_passes)
}

/// The only result of a conditional whose branches are empty: condition and operands.
fn selection<R: Rep>(stm: &Stm<R>) -> Option<(SubExp, SubExp, SubExp)> {
    let Exp::If(c, t, f) = &stm.exp else { return None };
    let empty = t.stms.is_empty() && f.stms.is_empty() && !is_marked(stm);
    match (empty, t.result.as_slice(), f.result.as_slice()) {
        (true, [x], [y]) => Some((*c, *x, *y)),
        _ => None,
    }
}

fn booleans<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let (c, x, y) = selection(stm)?;
    if stm.pat.first()?.ty != Type::BOOL {
        return None;
    }
    let constant = |e: SubExp| match e {
        SubExp::Const(PrimValue::Bool(b)) => Some(b),
        SubExp::Const(_) | SubExp::Var(_) => None,
    };
    let exp = match (constant(x), constant(y)) {
        (Some(true), Some(false)) => Exp::Basic(Basic::SubExp(c)),
        (Some(false), Some(true)) => Exp::Basic(Basic::UnOp(UnOp::Not, c)),
        (Some(true), None) => Exp::Basic(Basic::BinOp(BinOp::LogOr, c, y)),
        (None, Some(false)) => Exp::Basic(Basic::BinOp(BinOp::LogAnd, c, x)),
        _ => return None,
    };
    Some(Rewrite::Exp(exp))
}

/// `if a < b then a else b` on integers.
fn extremum<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let (c, x, y) = selection(stm)?;
    let Type::Prim(PrimType::Int(_)) = stm.pat.first()?.ty else { return None };
    let Exp::Basic(Basic::CmpOp(op, a, b)) = &*engine.pure_def(c)? else { return None };
    let (min, max) = match op {
        CmpOp::SLt(t) | CmpOp::SLe(t) => (BinOp::SMin(*t), BinOp::SMax(*t)),
        CmpOp::ULt(t) | CmpOp::ULe(t) => (BinOp::UMin(*t), BinOp::UMax(*t)),
        CmpOp::Eq(_) | CmpOp::FLt(_) | CmpOp::FLe(_) | CmpOp::BLt | CmpOp::BLe => return None,
    };
    if (x, y) == (*a, *b) {
        Some(Rewrite::Exp(Exp::Basic(Basic::BinOp(min, x, y))))
    } else if (x, y) == (*b, *a) {
        Some(Rewrite::Exp(Exp::Basic(Basic::BinOp(max, x, y))))
    } else {
        None
    }
}
