//! G7: a map of loops becomes a loop of maps.
//!
//! In the paper: under `Σ`, a loop of `n` iterations, `n` the same at all
//! points, whose body has parallelism becomes a loop of the host over the
//! arrays of its parameters, with the body under `Σ` in it:
//!
//! ```text
//! map (\x0 -> loop x = x0 for i < n do f x) xs0  =  loop xs = xs0 for i < n do map f xs
//! ```

use super::lift;
use super::nest::{Lifted, Nest, Owner};
use super::parallel::exploitable;
use super::state::Flat;
use crate::sequential::same_param;
use fehu_base::Name;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Exp, Loop, LoopForm, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

pub(super) fn map_loop(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    l: &Loop<Soacs>,
    later: &FxHashSet<Name>,
) -> Option<Lifted> {
    let LoopForm::For { bound, .. } = &l.form else { return None };
    let own: FxHashSet<Name> = l.params.iter().map(|(p, _)| p.name).collect();
    let fits = |t: &Type| {
        !matches!(t, Type::Acc(..))
            && nest.regular(t)
            && t.shape().iter().all(|e| e.name().is_none_or(|n| !own.contains(&n)))
    };
    if !nest.invariant(*bound) || !l.params.iter().all(|(p, _)| fits(&p.ty)) || !exploitable(&l.body) {
        return None;
    }
    let needed = nest.needed(stm);
    lift::materialise(flat, nest, &needed);
    let consumed: Vec<Name> =
        l.params.iter().filter(|(p, _)| p.consumed).filter_map(|(_, e)| e.name()).collect();
    // What an iteration changes is there when the next one runs.
    let later: FxHashSet<Name> = later.iter().copied().chain(needed).collect();
    lift::protect(flat, nest, &consumed, &later);
    let mut inits = vec![];
    for (p, init) in &l.params {
        inits.push(if p.consumed {
            (lift::lift_owned(flat, nest, *init), Owner::Nest)
        } else {
            (lift::lift(flat, nest, *init), Owner::Shared)
        });
    }
    let mut inner = nest.clone();
    let mut params = vec![];
    let mut owners = vec![];
    for ((p, _), (init, owner)) in l.params.iter().zip(inits) {
        let ty = array_of_rows(&p.ty, &nest.widths);
        let array = flat.seq.b.names.fresh_like(p.name);
        flat.seq.b.types.insert(array, ty.clone());
        inner.bind_whole(p.name, p.ty.clone(), array, owner);
        let mut lifted = same_param(p.clone());
        lifted.name = array;
        lifted.ty = ty;
        params.push((lifted, init));
        owners.push(owner);
    }
    let types: Vec<Type> = l.params.iter().map(|(p, _)| p.ty.clone()).collect();
    let body = l.body.clone();
    let wanted = owners.clone();
    let body = flat.nested(|f| f.distribute_for(inner, body, &types, &wanted));
    let results = types.iter().map(|t| array_of_rows(t, &nest.widths)).collect();
    let lifted = Loop { params, form: l.form.clone(), body };
    let names = flat.seq.b.bind_all("out", results, Exp::Loop(Box::new(lifted)));
    Some(names.into_iter().map(SubExp::Var).zip(owners).collect())
}
