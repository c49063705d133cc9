//! Loops: those that run never or once, parameters that never change, and loops that are maps.

use super::{Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_ir::subst::{rename_body, Subst};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Attr, Basic, Body, Exp, Loop, LoopForm, PatElem, Rep, Stm, SubExp};

/// Statements that unrolling on request makes, at most: those of a kernel with 24,000 lines take NVRTC more
/// than a minute.
const MAX_UNROLLED_STATEMENTS: i64 = 4096;

pub(super) fn before<R: Rep<Dec = ()>>() -> [Rule<R>; 4] {
    [
        Rule { name: "loop that never runs", apply: never },
        Rule { name: "loop that runs once", apply: once },
        Rule { name: "unroll on request", apply: unroll },
        Rule { name: "invariant parameters", apply: invariant },
    ]
}

pub(super) fn after<R: Rep<Dec = ()>>() -> [Rule<R>; 3] {
    let invariant = Rule { name: "invariant parameters", apply: invariant };
    [invariant, super::fill::rule(), super::overwritten::rule()]
}

fn never<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Loop(l) = &stm.exp else { return None };
    let stops = match &l.form {
        LoopForm::For { bound, .. } => bound.as_i64().is_some_and(|n| n <= 0),
        LoopForm::While(c) => {
            l.params.iter().any(|(p, init)| p.name == *c && *init == SubExp::Const(PrimValue::Bool(false)))
        }
    };
    stops.then(|| Rewrite::Inline { stms: vec![], result: l.params.iter().map(|(_, e)| *e).collect() })
}

fn once<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Loop(l) = &stm.exp else { return None };
    let LoopForm::For { bound, .. } = &l.form else { return None };
    if bound.as_i64() != Some(1) {
        return None;
    }
    let inits: Vec<SubExp> = l.params.iter().map(|(_, e)| *e).collect();
    let Body { stms, result } = iteration(l, l.body.clone(), 0, &inits);
    Some(Rewrite::Inline { stms, result })
}

/// The body with the index and parameters put in.
fn iteration<R: Rep>(l: &Loop<R>, mut body: Body<R>, index: i64, values: &[SubExp]) -> Body<R> {
    let mut subst: Subst = l.params.iter().zip(values).map(|((p, _), e)| (p.name, *e)).collect();
    if let LoopForm::For { var, ty, .. } = &l.form {
        subst.insert(*var, SubExp::int(*ty, index));
    }
    subst.body(&mut body);
    body
}

/// Whether a statement has the attribute `#[unroll]`.
pub(super) fn asks_to_unroll<R: Rep>(stm: &Stm<R>) -> bool {
    stm.attrs.iter().any(|a| matches!(a, Attr::Atom(s) if s.as_str() == "unroll"))
}

/// Whether so many copies of a body have more statements than unrolling may make.
pub(super) fn too_many<R: Rep>(copies: i64, body: &Body<R>) -> bool {
    let mut each = 0;
    for_each_stm(body, &mut |_| each += 1);
    copies.checked_mul(each).is_none_or(|all| all > MAX_UNROLLED_STATEMENTS)
}

/// `#[unroll]` on a loop of constant bound.
fn unroll<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Loop(l) = &stm.exp else { return None };
    let LoopForm::For { bound, .. } = &l.form else { return None };
    let n = bound.as_i64().filter(|n| asks_to_unroll(stm) && !too_many(*n, &l.body))?;
    let mut values: Vec<SubExp> = l.params.iter().map(|(_, e)| *e).collect();
    let mut stms = vec![];
    for i in 0..n {
        let copy = rename_body(engine.names, &l.body);
        let body = iteration(l, copy, i, &values);
        stms.extend(body.stms);
        values = body.result;
    }
    Some(Rewrite::Inline { stms, result: values })
}

/// A parameter that is what it was in the beginning in every iteration is no parameter.
fn invariant<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Loop(l) = &stm.exp else { return None };
    let cond: Option<Name> = match &l.form {
        LoopForm::While(c) => Some(*c),
        LoopForm::For { .. } => None,
    };
    let mut subst = Subst::new();
    let mut fixed = vec![false; l.params.len()];
    // Sizes first: the types of arrays mention them.
    for pass in 0..2 {
        for (i, (p, init)) in l.params.iter().enumerate() {
            if p.ty.is_array() != (pass == 1) || Some(p.name) == cond || p.consumed {
                continue;
            }
            let mut ty = p.ty.clone();
            subst.ty(&mut ty);
            if engine.steady.contains(&p.name) && (pass == 0 || engine.type_of(*init).as_ref() == Some(&ty)) {
                fixed[i] = true;
                subst.insert(p.name, *init);
            }
        }
    }
    if !fixed.contains(&true) {
        return None;
    }
    let mut stms = vec![];
    let bind = |p: &PatElem<R>, e: SubExp| {
        let mut s = stm.clone();
        s.pat = vec![p.clone()];
        s.exp = Exp::Basic(Basic::SubExp(e));
        s
    };
    for arrays in [false, true] {
        for ((p, (_, init)), _) in stm.pat.iter().zip(&l.params).zip(&fixed).filter(|(_, f)| **f) {
            if p.ty.is_array() == arrays {
                stms.push(bind(p, *init));
            }
        }
    }
    let kept = |i: &usize| !fixed[*i];
    let indices: Vec<usize> = (0..l.params.len()).filter(kept).collect();
    let mut rest = stm.clone();
    rest.pat = indices.iter().map(|i| stm.pat[*i].clone()).collect();
    let mut body =
        Body { stms: l.body.stms.clone(), result: indices.iter().map(|i| l.body.result[*i]).collect() };
    subst.body(&mut body);
    let mut params: Vec<_> = indices.iter().map(|i| l.params[*i].clone()).collect();
    for (p, _) in &mut params {
        subst.ty(&mut p.ty);
    }
    if params.is_empty() && cond.is_none() {
        return Some(Rewrite::Stms(stms));
    }
    rest.exp = Exp::Loop(Box::new(Loop { params, form: l.form.clone(), body }));
    stms.push(rest);
    Some(Rewrite::Stms(stms))
}
