//! G7: a map of loops becomes a loop of maps.
//!
//! In the paper: under `Σ`, a loop of `n` iterations, `n` the same at all
//! points, whose body has parallelism becomes a loop of the host over the
//! arrays of its parameters, with the body under `Σ` in it:
//!
//! ```text
//! map (\x0 -> loop x = x0 for i < n do f x) xs0  =  loop xs = xs0 for i < n do map f xs
//! ```
//!
//! Each iteration then launches kernels, however small what it does is. So such a loop also has a version in
//! which a thread block runs all iterations for a point, with what they change in shared memory; where the
//! body of the map that the loop is in has such a version as a whole, that one is enough.

use super::block::{self, Weighed};
use super::guard::Version;
use super::lift;
use super::nest::{Lifted, Nest, Owner};
use super::parallel::exploitable;
use super::ran::Ran;
use super::shared_rows::SharedRows;
use super::state::Flat;
use crate::sequential::same_param;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, Body, Exp, Loop, LoopForm, Soacs, Stm, SubExp, Type};
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
    if flat.loops_in_blocks && flat.may_version() {
        if let Some(results) = in_blocks(flat, nest, stm, l, later) {
            return Some(results);
        }
    }
    Some(interchanged(flat, nest, stm, l, later))
}

/// The choice between a version in thread blocks and the interchanged loop, if there can be the former.
fn in_blocks(
    flat: &mut Flat,
    nest: &Nest,
    stm: &Stm<Soacs>,
    l: &Loop<Soacs>,
    later: &FxHashSet<Name>,
) -> Option<Lifted> {
    let types: Vec<Type> = l.params.iter().map(|(p, _)| p.ty.clone()).collect();
    let body = of_a_point(flat, stm, l);
    let before = flat.ran.so_far();
    let version = block::intra_version(flat, nest, &body, &types);
    let in_blocks = flat.ran.take_since(before);
    let version = version?;
    let name = flat.guards.name(Version::Intra);
    let mut owners = vec![];
    let (interchanged, checked) = flat.unless(Some(name), |f| {
        f.nested_checking(|f| {
            let lifted = interchanged(f, &mut nest.clone(), stm, l, later);
            let (results, of): (Vec<SubExp>, Vec<Owner>) = lifted.into_iter().unzip();
            owners = of;
            results
        })
    });
    let rows = SharedRows::in_body(nest, &body);
    let weighed = Weighed { traffic: None, rows: rows.as_ref() };
    let cond = block::fits(flat, nest, name, &version, true, weighed);
    flat.ran.extend(Ran::in_both(&in_blocks, &checked));
    let results = types.iter().map(|t| array_of_rows(t, &nest.widths)).collect();
    let chosen = flat.choose(cond, version.body, interchanged, results);
    Some(chosen.into_iter().zip(owners).collect())
}

/// The loop as the body of a map, which changes copies of what it starts from.
fn of_a_point(flat: &mut Flat, stm: &Stm<Soacs>, l: &Loop<Soacs>) -> Body<Soacs> {
    let mut stms = vec![];
    let mut own = l.clone();
    for (p, init) in &mut own.params {
        if let (true, Type::Array(..), Some(array)) = (p.consumed, &p.ty, init.name()) {
            let ty = flat.seq.b.type_of(array.into());
            let copy = flat.seq.b.names.fresh_like(array);
            flat.seq.b.types.insert(copy, ty.clone());
            stms.push(plain(copy, ty, Exp::Basic(Basic::Copy(array))));
            *init = copy.into();
        }
    }
    stms.push(Stm { exp: Exp::Loop(Box::new(own)), ..stm.clone() });
    Body { stms, result: stm.pat.iter().map(|p| p.name.into()).collect() }
}

fn interchanged(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    l: &Loop<Soacs>,
    later: &FxHashSet<Name>,
) -> Lifted {
    let needed = nest.needed(stm);
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
    names.into_iter().map(SubExp::Var).zip(owners).collect()
}
