//! A loop that fills arrays element by element is a map.
//!
//! ```text
//! loop (*p = xs) for i < n { let (v) = f i  let (q) = p with [i] = v  return (q) }
//!   =>   screma n [iota n] map \i -> f i
//! ```
//!
//! where `xs` is a replicated value, of `n` elements, and `f` does not read `p`: no element of `xs` is left,
//! and iterations do not depend on each other. That `n` is a size is checked for `xs`, and then for the map.
//! A map is fused with what reads it, is computed where it ends up, and runs in parallel.
//!
//! A program may have a loop so that the arrays of one iteration are there at a time, not those of all. So
//! only iterations that compute scalars are points of a map.

use super::{Rewrite, Rule};
use crate::simplify::engine::Engine;
use crate::simplify::Uses;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::mem::poly;
use fehu_ir::op::RepOp;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::{deep, for_each_body, Visitor};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Loop, LoopForm, Param, Rep, Stm, SubExp, Type};

pub(super) fn rule<R: Rep<Dec = ()>>() -> Rule<R> {
    Rule { name: "loop that fills arrays", apply }
}

fn apply<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Loop(l) = &stm.exp else { return None };
    let LoopForm::For { var, ty: IntType::I64, bound } = l.form else { return None };
    if !R::Op::HAS_SOACS || !stm.attrs.is_empty() || !computes_scalars(&l.body) {
        return None;
    }
    let width = filled(engine, l, bound)?;
    let mut certs = stm.certs.clone();
    for (_, init) in &l.params {
        certs.extend(size_checks(engine, *init)?);
    }
    let mut body = l.body.clone();
    for e in &mut body.result {
        *e = value(&mut body.stms, var, e.name()?)?;
    }
    let mut ret = vec![];
    for (p, _) in &l.params {
        ret.push(Type::Prim(p.ty.elem()?));
    }
    let iota =
        Exp::Basic(Basic::Iota { n: width, start: SubExp::i64(0), step: SubExp::i64(1), ty: IntType::I64 });
    let (indices, mut range) = engine.fresh_stm("iota", Type::I64.array_of(&[width]), &stm.loc, iota);
    range.certs = certs.clone();
    let params = vec![Param { name: var, ty: Type::I64, dec: (), consumed: false }];
    let map = Lambda { params, body, ret };
    let map = Soac::Screma(Screma { width, arrays: vec![indices], scans: vec![], reds: vec![], map });
    let exp = Exp::Op(R::Op::from_soac(map)?);
    Some(Rewrite::Stms(vec![range, Stm { certs, exp, ..stm.clone() }]))
}

/// The size of the arrays that a loop of so many iterations has, if each of them has an element for each iteration, and
/// iterations use them for nothing but to replace it.
fn filled<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, l: &Loop<R>, bound: SubExp) -> Option<SubExp> {
    let facts = &engine.frames.last()?.facts;
    let mut uses = Uses::default();
    uses.body(&l.body);
    let used_once = |n: Name| uses.0.get(&n) == Some(&1);
    let mut width = None;
    for ((p, _), result) in l.params.iter().zip(&l.body.result) {
        let [n] = p.ty.shape() else { return None };
        if !facts.eq(&poly(*n), &poly(bound)) || *width.get_or_insert(*n) != *n {
            return None;
        }
        let updated = l.body.stms.iter().find_map(|s| match (&s.exp, s.pat.as_slice()) {
            (Exp::Basic(Basic::Update(a, _, _)), [q]) if SubExp::Var(q.name) == *result => Some((*a, q.name)),
            _ => None,
        });
        if !updated.is_some_and(|(a, q)| a == p.name && used_once(a) && used_once(q)) {
            return None;
        }
    }
    width
}

/// What the size of the array that a loop starts with depends on, if all of the array can go.
fn size_checks<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, init: SubExp) -> Option<Vec<Name>> {
    let def = engine.def(init.name()?)?;
    match &*def.exp {
        Exp::Basic(Basic::Replicate(..) | Basic::Scratch(..)) => Some(def.certs.to_vec()),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// The value that an update puts at the index of the iteration. If the update depends on checks, the value does.
fn value<R: Rep>(stms: &mut Vec<Stm<R>>, index: Name, updated: Name) -> Option<SubExp> {
    let at = stms.iter().position(|s| s.pat.iter().any(|q| q.name == updated))?;
    let Exp::Basic(Basic::Update(_, slice, e)) = &stms[at].exp else { return None };
    let e = *e;
    if slice.as_slice() != [DimIndex::Fix(index.into())] {
        return None;
    }
    if stms[at].certs.is_empty() {
        stms.remove(at);
        return Some(e);
    }
    let [q] = stms[at].pat.as_mut_slice() else { return None };
    q.ty = Type::Prim(q.ty.elem()?);
    stms[at].exp = Exp::Basic(Basic::SubExp(e));
    Some(updated.into())
}

/// Whether code allocates nothing but the arrays that it updates.
fn computes_scalars<R: Rep>(body: &Body<R>) -> bool {
    let one = |s: &Stm<R>| match &s.exp {
        Exp::Basic(Basic::Update(..)) => true,
        Exp::Basic(b) => b.cost().is_scalar() && b.may_move() || matches!(b, Basic::Assert(..)),
        Exp::Call(..) | Exp::WithAcc(_) => false,
        Exp::If(..) | Exp::Loop(_) | Exp::Op(_) => {
            let mut scalars = s.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
            for_each_body(&s.exp, &mut |b| scalars = scalars && deep(|| computes_scalars(b)));
            scalars
        }
    };
    body.stms.iter().all(one)
}
