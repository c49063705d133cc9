//! Writes at computed places under a nest: scatters, histograms and updates.
//!
//! Each point of the nest writes to an array of its own: the destinations are
//! lifted, and indices into them are those of the nest, then the computed ones.

use super::g1_manifest::Point;
use super::g4_vector::vectorised;
use super::join;
use super::lift;
use super::nest::{at, Lifted, Nest, Owner};
use super::state::Flat;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::seg::{KernelBody, KernelReturn, SegHistOp, SegKind};
use fehu_ir::soac::{Hist, Scatter};
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, Body, DimIndex, Exp, Slice, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// An array that is written to: the part of it that each point of a nest has.
struct Target {
    array: Name,
    /// Its dimensions that are indexed.
    dims: usize,
    ty: Type,
}

/// How many threads write what belongs to a point of a nest.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Writers {
    /// One, which reads before it writes.
    One,
    /// Several, in any order.
    Several,
}

pub(super) fn map_scatter(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    s: &Scatter<Soacs>,
    later: &FxHashSet<Name>,
) -> Option<Lifted> {
    if !nest.invariant(s.width) || s.lambda.ret.iter().any(|t| !nest.regular(t)) {
        return None;
    }
    let written = s.written();
    before_writing(flat, nest, stm, (written.clone(), Writers::Several), later);
    let mut arrays = vec![];
    for array in written {
        arrays.push(lift::lift_owned(flat, nest, array.into()).name()?);
    }
    let mut targets = vec![];
    for (d, k) in s.dests.iter().zip(s.results()) {
        targets.push(Target { array: arrays[k], dims: d.shape.len(), ty: stm.pat.get(k)?.ty.clone() });
    }
    let mut inner = nest.clone();
    join::level(flat, &mut inner, s.width, &s.lambda.params, &s.arrays);
    Some(write(flat, nest, &inner, s.lambda.body.clone(), targets))
}

/// An update of a lifted array.
pub(super) fn map_update(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    array: Name,
    slice: &Slice,
    value: SubExp,
    later: &FxHashSet<Name>,
) -> Option<Lifted> {
    nest.whole(array)?;
    if !fehu_ir::types::slice_shape(slice).into_iter().all(|n| nest.invariant(n)) {
        return None;
    }
    let one = slice.iter().all(|d| matches!(d, DimIndex::Fix(_)));
    let writers = if one { Writers::One } else { Writers::Several };
    before_writing(flat, nest, stm, (vec![array], writers), later);
    let lifted = lift::lift_owned(flat, nest, array.into()).name()?;
    let ty = flat.seq.b.type_of(array.into());
    let mut inner = nest.clone();
    let shape = fehu_ir::types::slice_shape(slice);
    let dims = inner.dims(&mut flat.seq.b.names, &shape);
    let mut stms = vec![];
    let mut place = vec![];
    let mut used = dims.iter();
    for dim in slice {
        place.push(match dim {
            DimIndex::Fix(i) => *i,
            DimIndex::Slice { start, stride, .. } => {
                let i = used.next().map_or(SubExp::i64(0), |i| (*i).into());
                let far = flat.seq.b.fresh("far", Type::I64);
                stms.push(plain(
                    far,
                    Type::I64,
                    Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), i, *stride)),
                ));
                let at = flat.seq.b.fresh("at", Type::I64);
                let add = Exp::Basic(Basic::BinOp(BinOp::Add(IntType::I64), *start, far.into()));
                stms.push(plain(at, Type::I64, add));
                at.into()
            }
        });
    }
    let elem = ty.peel(ty.rank());
    let value = match value {
        SubExp::Var(v) if !dims.is_empty() => {
            let x = flat.seq.b.fresh("x", elem.clone());
            stms.push(plain(x, elem.clone(), Exp::Basic(Basic::Index(v, at(&dims, &elem)))));
            x.into()
        }
        SubExp::Var(_) | SubExp::Const(_) => value,
    };
    place.push(value);
    let target = Target { array: lifted, dims: slice.len(), ty };
    Some(write(flat, nest, &inner, Body { stms, result: place }, vec![target]))
}

/// Computes what has to be known before arrays of the nest are written to. What several writers need of these
/// arrays is read before one of them writes.
pub(super) fn before_writing(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    (dests, writers): (Vec<Name>, Writers),
    later: &FxHashSet<Name>,
) {
    if nest.depth() > 0 {
        let needed = nest.needed(stm);
        lift::materialise(flat, nest, &needed);
        let also = if writers == Writers::Several { needed } else { vec![] };
        let later: FxHashSet<Name> = later.iter().copied().chain(also).collect();
        lift::protect(flat, nest, &dests, &later);
    }
}

/// A kernel whose body returns indices into each target, then a value for each. Targets in one array are one result.
fn write(flat: &mut Flat, nest: &Nest, inner: &Nest, body: Body<Soacs>, targets: Vec<Target>) -> Lifted {
    let depth = nest.depth();
    let elems: Vec<Type> = targets.iter().map(|t| t.ty.peel(t.dims)).collect();
    let opened = flat.open(Point { nest: inner, depth: inner.depth(), body, types: elems.clone() });
    let mut body = flat.seq_body(opened.body);
    let total: usize = targets.iter().map(|t| t.dims).sum();
    let values = body.result.split_off(total.min(body.result.len()));
    let mut indices = std::mem::replace(&mut body.result, values).into_iter();
    let mut returns = vec![];
    let mut results = vec![];
    for t in &targets {
        let own = opened.space.dims.iter().take(depth).map(|d| SubExp::Var(d.0));
        let index = own.chain(indices.by_ref().take(t.dims)).collect();
        let all = array_of_rows(&t.ty, &nest.widths);
        let shape = all.shape()[..depth + t.dims].to_vec();
        if !returns.iter().any(|r| matches!(r, KernelReturn::Write { array, .. } if *array == t.array)) {
            results.push(all);
        }
        returns.push(KernelReturn::Write { array: t.array, shape, index });
    }
    let names = flat.seg_op(opened.space, elems, KernelBody { body, returns }, SegKind::Map, results);
    names.into_iter().map(|n| (n.into(), Owner::Nest)).collect()
}

pub(super) fn map_hist(
    flat: &mut Flat,
    nest: &mut Nest,
    stm: &Stm<Soacs>,
    h: &Hist<Soacs>,
    later: &FxHashSet<Name>,
) -> Option<Lifted> {
    let regular = nest.invariant(h.width)
        && h.lambda.ret.iter().all(|t| nest.regular(t))
        && h.ops.iter().all(|op| {
            op.shape.iter().all(|n| nest.invariant(*n)) && nest.invariant_operator(&op.op, &op.neutral)
        });
    if !regular {
        return None;
    }
    let dests = h.ops.iter().flat_map(|op| op.dests.clone()).collect();
    before_writing(flat, nest, stm, (dests, Writers::Several), later);
    let mut ops = vec![];
    for op in &h.ops {
        let mut dests = vec![];
        for d in &op.dests {
            dests.push(lift::lift_owned(flat, nest, (*d).into()).name()?);
        }
        let (vector, inner) = vectorised(&mut flat.seq.b.names, &op.op);
        let elements: Option<Vec<SubExp>> = op
            .neutral
            .iter()
            .zip(&inner.ret)
            .map(|(e, t)| flat.arrays.element_of(&flat.seq.b, *e, t.rank()))
            .collect();
        let (vector, inner, neutral) = match elements {
            Some(neutral) if !vector.is_empty() => (vector, inner, neutral),
            Some(_) | None => (vec![], op.op.clone(), op.neutral.clone()),
        };
        let op = SegHistOp { shape: op.shape.clone(), dests, neutral, vector, op: flat.operator(&inner) };
        ops.push(op);
    }
    let mut inner = nest.clone();
    join::level(flat, &mut inner, h.width, &h.lambda.params, &h.arrays);
    let types = h.lambda.ret.clone();
    let point =
        Point { nest: &inner, depth: inner.depth(), body: h.lambda.body.clone(), types: types.clone() };
    let opened = flat.open(point);
    let body = flat.seq_body(opened.body);
    let returns = types.iter().map(|_| KernelReturn::Elem).collect();
    let results = stm.pat.iter().map(|p| array_of_rows(&p.ty, &nest.widths)).collect();
    let names = flat.seg_op(opened.space, types, KernelBody { body, returns }, SegKind::Hist(ops), results);
    Some(names.into_iter().map(|n| (n.into(), Owner::Nest)).collect())
}
