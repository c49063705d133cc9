//! Arrays put together of parts, whose elements are read where they came from.
//!
//! An array that is made by `concat` and only used element by element, as the input of combinators, need not
//! be made: who needs an element looks for the part that it is in. So a rotation costs nothing, and steps
//! that add borders to an array run in one kernel.
//!
//! ```text
//! map f (xs ++ ys)    =>    segmap (i < n + m) { f (if i < n then xs[i] else ys[i - n]) }
//! ```

use super::arrays::{Arrays, Join};
use super::nest::{at, Cost, Nest, Source};
use super::state::{Flat, Machine};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::build::plain;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::soac::Soac;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Builder, Exp, Lambda, Param, Rep, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// Remembers that elements of an array are to be read from its parts, if a statement joins few parts and the
/// array is only used element by element. Says whether that is so.
pub(super) fn note_join(flat: &mut Flat, stm: &Stm<Soacs>, rest: &[Stm<Soacs>], result: &[SubExp]) -> bool {
    let (Exp::Basic(Basic::Concat { dim: 0, arrays, .. }), [p]) = (&stm.exp, &stm.pat[..]) else {
        return false;
    };
    let grid = flat.machine == Machine::Grid;
    if !grid
        || arrays.len() > flattening::JOINED_PARTS
        || flat.arrays.parts_change(p.name)
        || !only_elements(stm, rest, result, Casts::Allowed)
    {
        return false;
    }
    flat.arrays.add_join(p.name, Join { parts: arrays.clone(), certs: stm.certs.clone() });
    true
}

/// A joined array whose size has another name is joined of the same parts. Says whether a statement makes such.
pub(super) fn note_cast(known: &mut Arrays, stm: &Stm<Soacs>) -> bool {
    let (Exp::Basic(Basic::Reshape(shape, a)), [p]) = (&stm.exp, &stm.pat[..]) else { return false };
    let Some(join) = known.join_of(*a).filter(|_| shape.len() == 1) else { return false };
    let certs = join.certs.iter().chain(&stm.certs).copied().collect();
    let parts = join.parts.clone();
    known.add_join(p.name, Join { parts, certs });
    true
}

/// Remembers the joined arrays of a body of the host.
pub(super) fn note_joins(flat: &mut Flat, body: &Body<Soacs>) {
    let few = |stm: &Stm<Soacs>| match &stm.exp {
        Exp::Basic(Basic::Concat { dim: 0, arrays, .. }) => arrays.len() <= flattening::JOINED_PARTS,
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    };
    if !body.stms.iter().any(few) {
        return;
    }
    note_changes(flat, body);
    for (k, stm) in body.stms.iter().enumerate() {
        note_cast(&mut flat.arrays, stm);
        if few(stm) {
            note_join(flat, stm, &body.stms[k + 1..], &body.result);
        }
    }
}

/// Remembers the joined arrays of a body whose parts, or what these are views of, are changed by a later
/// statement of it: who reads their elements then would find others.
pub(super) fn note_changes(flat: &mut Flat, body: &Body<Soacs>) {
    let joined = |stm: &Stm<Soacs>| matches!(stm.exp, Exp::Basic(Basic::Concat { .. }));
    if !body.stms.iter().any(joined) {
        return;
    }
    let aliases = Aliases::of_body(&flat.signatures, body);
    for (k, stm) in body.stms.iter().enumerate() {
        let (Exp::Basic(Basic::Concat { arrays, .. }), [p]) = (&stm.exp, &stm.pat[..]) else { continue };
        let parts: FxHashSet<Name> = arrays.iter().flat_map(|a| flat.memory_of(&aliases, *a)).collect();
        let taken = |stm: &Stm<Soacs>| consumed_by_exp(&flat.signatures, &aliases, &stm.exp);
        let mut changed = body.stms[k + 1..].iter().flat_map(taken);
        if changed.any(|n| parts.contains(&n)) {
            flat.arrays.add_changing_parts(p.name);
        }
    }
}

/// A further level, with parameters that are the elements of arrays, of which some may be joined.
pub(super) fn level(
    flat: &mut Flat,
    nest: &mut Nest,
    width: SubExp,
    params: &[Param<Soacs>],
    arrays: &[Name],
) {
    let joined = |p: &Param<Soacs>, a: &Name| flat.arrays.join_of(*a).filter(|_| !p.consumed).cloned();
    let mut plain_params = vec![];
    let mut plain_arrays = vec![];
    let mut of_joins = vec![];
    for (p, a) in params.iter().zip(arrays) {
        match joined(p, a) {
            Some(join) => of_joins.push((p, join)),
            None => {
                plain_params.push(p.clone());
                plain_arrays.push(*a);
            }
        }
    }
    let level = nest.depth();
    nest.level(&mut flat.seq.b.names, width, &plain_params, &plain_arrays);
    for (p, join) in of_joins {
        let i = flat.seq.b.fresh("i", Type::I64);
        nest.bind(vec![(i, Type::I64)], Source::Index(level));
        let body = element_of_join(&mut flat.seq.b, &join.parts, 0, vec![i], &p.ty);
        for stm in body.stms {
            nest.bind_stm(Stm { certs: join.certs.clone(), ..stm }, Cost::Cheap);
        }
        if let [x] = body.result[..] {
            nest.bind_stm(plain(p.name, p.ty.clone(), Exp::Basic(Basic::SubExp(x))), Cost::Cheap);
        }
    }
}

/// The element of joined arrays at some indices.
pub(crate) fn element_of_join<R: Rep<Dec = ()>>(
    b: &mut Builder<R>,
    parts: &[Name],
    dim: usize,
    mut indices: Vec<Name>,
    elem: &Type,
) -> Body<Soacs> {
    let read = |b: &mut Builder<R>, part: Name, indices: &[Name]| {
        let x = b.fresh("x", elem.clone());
        plain(x, elem.clone(), Exp::Basic(Basic::Index(part, at(indices, elem))))
    };
    let [part, rest @ ..] = parts else { fehu_base::bug!("nothing to join") };
    if rest.is_empty() {
        let stm = read(b, *part, &indices);
        return Body { result: vec![stm.pat[0].name.into()], stms: vec![stm] };
    }
    let size = b.type_of((*part).into()).shape()[dim];
    let here = b.fresh("here", Type::BOOL);
    let less = Exp::Basic(Basic::CmpOp(CmpOp::SLt(IntType::I64), indices[dim].into(), size));
    let stm = read(b, *part, &indices);
    let yes = Body { result: vec![stm.pat[0].name.into()], stms: vec![stm] };
    let after = b.fresh("i", Type::I64);
    let sub = Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), indices[dim].into(), size));
    indices[dim] = after;
    let mut no = deep(|| element_of_join(b, rest, dim, indices, elem));
    no.stms.insert(0, plain(after, Type::I64, sub));
    let x = b.fresh("x", elem.clone());
    let choice = Exp::If(here.into(), Box::new(yes), Box::new(no));
    let stms = vec![plain(here, Type::BOOL, less), plain(x, elem.clone(), choice)];
    Body { stms, result: vec![x.into()] }
}

/// Whether the vector that a statement makes is used for nothing but its elements, as an input of combinators.
pub(super) fn only_input(stm: &Stm<Soacs>, rest: &[Stm<Soacs>], result: &[SubExp]) -> bool {
    only_elements(stm, rest, result, Casts::Forbidden)
}

/// Whether a vector may be given another name for its size on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Casts {
    Allowed,
    Forbidden,
}

fn only_elements(stm: &Stm<Soacs>, rest: &[Stm<Soacs>], result: &[SubExp], casts: Casts) -> bool {
    let [p] = &stm.pat[..] else { return false };
    if p.ty.rank() != 1 || result.contains(&p.name.into()) {
        return false;
    }
    rest.iter().enumerate().all(|(k, user)| {
        if !free_in_stm(user).contains(&p.name) {
            return true;
        }
        let (arrays, lambdas): (&[Name], Vec<&Lambda<Soacs>>) = match &user.exp {
            Exp::Op(Soac::Screma(s)) => (
                &s.arrays,
                s.scans.iter().map(|x| &x.op).chain(s.reds.iter().map(|x| &x.op)).chain([&s.map]).collect(),
            ),
            Exp::Op(Soac::Scatter(s)) if s.dests.iter().all(|d| d.array != p.name) => {
                (&s.arrays, vec![&s.lambda])
            }
            Exp::Op(Soac::Filter(f)) => (&f.arrays, vec![&f.lambda]),
            Exp::Basic(Basic::Reshape(shape, _)) if shape.len() == 1 && casts == Casts::Allowed => {
                return deep(|| only_elements(user, &rest[k + 1..], result, casts));
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return false
            }
        };
        arrays.contains(&p.name) && lambdas.iter().all(|l| !free_in_lambda(l).contains(&p.name))
    })
}
