//! An array that a loop overwrites need not have had values.
//!
//! ```text
//! xs = replicate [n] 0                                    xs = scratch [n]
//! loop (*p = xs, s = 1) for i < n {                 =>    loop (*p = xs, s = 1) for i < n {
//!   let (t) = f(s)  let (q) = p with [i] = t  return (q, t) }  ...
//! ```
//!
//! Programs have no other way to say that a loop makes an array than to begin with one. Here each iteration
//! replaces the element, or the row, of its number and reads nothing of the array, and there are as many
//! iterations as elements: no value of `xs` is left, and none is seen. Where iterations do not depend on each
//! other, the loop is a map ([`fill`](super::fill)); this is for the others, such as walks with a state. It
//! is done when kernels are known: before, whatever is copied or joined has values.

use super::{Rewrite, Rule};
use crate::simplify::engine::Engine;
use crate::simplify::Uses;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::mem::poly;
use fehu_ir::op::RepOp;
use fehu_ir::visit::Visitor;
use fehu_ir::{Basic, DimIndex, Exp, Loop, LoopForm, Rep, Stm, SubExp};

pub(super) fn rule<R: Rep<Dec = ()>>() -> Rule<R> {
    Rule { name: "array that a loop overwrites", apply }
}

fn apply<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Loop(l) = &stm.exp else { return None };
    let LoopForm::For { var, ty: IntType::I64, bound } = l.form else { return None };
    if R::Op::HAS_SOACS || l.params.iter().all(|(p, _)| !p.ty.is_array()) {
        return None;
    }
    let mut uses = Uses::default();
    uses.body(&l.body);
    let overwritten: Vec<usize> = (0..l.params.len())
        .filter(|k| {
            is_replicated(engine, l.params[*k].1) && is_overwritten(engine, l, *k, (var, bound), &uses)
        })
        .collect();
    if overwritten.is_empty() {
        return None;
    }
    let (mut stms, mut l) = (vec![], l.clone());
    for k in overwritten {
        let (p, init) = &mut l.params[k];
        let certs = engine.def(init.name()?)?.certs.to_vec();
        let scratch = Exp::Basic(Basic::Scratch(p.ty.elem()?, p.ty.shape().to_vec()));
        let (name, mut made) = engine.fresh_stm("scratch", p.ty.clone(), &stm.loc, scratch);
        made.certs = certs;
        stms.push(made);
        *init = name.into();
    }
    stms.push(Stm { exp: Exp::Loop(l), ..stm.clone() });
    Some(Rewrite::Stms(stms))
}

/// Whether an array has the same value everywhere, and is the loop's alone.
fn is_replicated<R: Rep<Dec = ()>>(engine: &Engine<'_, R>, init: SubExp) -> bool {
    let def = init.name().filter(|n| engine.used_at_most(*n, 1)).and_then(|n| engine.def(n));
    def.is_some_and(|def| matches!(&*def.exp, Exp::Basic(Basic::Replicate(..))))
}

/// Whether each iteration replaces the element of its number, and does nothing else with the array of this parameter.
fn is_overwritten<R: Rep<Dec = ()>>(
    engine: &Engine<'_, R>,
    l: &Loop<R>,
    k: usize,
    (var, bound): (Name, SubExp),
    uses: &Uses,
) -> bool {
    let (p, result) = (&l.params[k].0, l.body.result[k]);
    let used_once = |n: Name| uses.0.get(&n) == Some(&1);
    let (Some(facts), [n, rows @ ..]) = (engine.frames.last().map(|f| &f.facts), p.ty.shape()) else {
        return false;
    };
    let is_whole = |d: &DimIndex, n: &SubExp| match d {
        DimIndex::Slice { start, len, stride } => {
            *start == SubExp::i64(0) && *stride == SubExp::i64(1) && len == n
        }
        DimIndex::Fix(_) => false,
    };
    let replaces = |s: &Stm<R>| match (&s.exp, s.pat.as_slice()) {
        (Exp::Basic(Basic::Update(a, slice, _)), [q]) => {
            let [DimIndex::Fix(at), rest @ ..] = slice.as_slice() else { return false };
            let own = *a == p.name && SubExp::Var(q.name) == result && *at == var.into();
            own && used_once(q.name) && rest.iter().zip(rows).all(|(d, n)| is_whole(d, n))
        }
        _ => false,
    };
    used_once(p.name) && facts.eq(&poly(*n), &poly(bound)) && l.body.stms.iter().any(replaces)
}
