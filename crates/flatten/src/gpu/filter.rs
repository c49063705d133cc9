//! Filters: one scan that numbers what is kept and puts it in its place.
//!
//! How many elements are kept is known when all have been looked at, and to look at all of them first would
//! cost a second pass over memory. So what is kept is written to an array with room for all elements, the
//! last point writes how many there are, and the result is a slice:
//!
//! ```text
//! let (m, ys) = filter n [xs] kept 1 map \x -> (p x, x)
//!
//! let (room, total) = segscan (i < n) (+) { i64.bool (p xs[i]) }
//!   after \k -> (write xs[i] to room [n] at [if p xs[i] then k-1 else -1], write k to total [1] at [if i+1 == n then 0 else -1])
//! let (m) = total[0]
//! let (ys) = room[0 :+ m]
//! ```
//!
//! If that is a small part of much memory, it is copied, so that the room for all elements does not live as
//! long as the result does. If only the number is asked for, it is a reduction. Where exactly one of several
//! conditions holds for each element, as in a partition, the last is not counted: its elements are all the
//! others ([`classes`]). Two cases are made ready by other statements before the scan:
//!
//! - A function that costs more than reading again, or has parallelism, becomes a map of its own, and the
//!   filter is one of its results.
//! - Rows are not kept themselves, but their indices; a map copies the rows that were chosen, each element by a thread.
//!
//! Inside of a nest, the number of elements that are kept differs from point to point, so a filter is
//! sequential code there. Only a function that costs much leaves it, as above.

mod classes;

use self::classes::exactly_one;
use super::g1_manifest::Point;
use super::g4_vector::bare;
use super::join;
use super::nest::{Lifted, Nest, Owner};
use super::parallel::worth_splitting;
use super::state::{Flat, Machine};
use crate::sequential::row;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::{filter, scan_epilogue};
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::seg::{KernelBody, KernelReturn, SegAfter, SegBinOp, SegKind};
use fehu_ir::soac::{Commutativity, Filter, Reduce, Screma, Soac};
use fehu_ir::subst::rename_body;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};

/// A filter under a nest; `None` if it must be sequential there.
pub(super) fn filter(flat: &mut Flat, nest: &Nest, stm: &Stm<Soacs>, f: &Filter<Soacs>) -> Option<Lifted> {
    if nest.depth() > 0 || flat.machine == Machine::Block {
        return None;
    }
    let types = f.lambda.ret.iter().zip(&f.lambda.body.result).skip(f.kept.len());
    let computed_rows = types.clone().any(|(t, e)| t.is_array() && param_of(f, *e).is_none());
    if worth_splitting(f) || computed_rows {
        let body = split_filter(flat, stm, f);
        return Some(on_host(flat, body));
    }
    if types.clone().any(|(t, _)| t.is_array()) {
        let body = filter_indices(flat, stm, f);
        return Some(on_host(flat, body));
    }
    let most = scan_epilogue::FILTERED_VALUES;
    if scanned(f) > most {
        let body = halves(flat, stm, f, most);
        return Some(on_host(flat, body));
    }
    Some(numbered(flat, nest, stm, f))
}

fn on_host(flat: &mut Flat, body: Body<Soacs>) -> Lifted {
    flat.host_inline(body).into_iter().map(|e| (e, Owner::Nest)).collect()
}

/// A body in whose filters there is nothing that is worth a map of its own.
pub(super) fn split_filters(flat: &mut Flat, mut body: Body<Soacs>) -> Body<Soacs> {
    let splits = |stm: &Stm<Soacs>| match &stm.exp {
        Exp::Op(Soac::Filter(f)) => worth_splitting(f),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    };
    if !body.stms.iter().any(splits) {
        return body;
    }
    for stm in std::mem::take(&mut body.stms) {
        match &stm.exp {
            Exp::Op(Soac::Filter(f)) if splits(&stm) => {
                let (map, filter) = map_and_filter(flat, &stm, f);
                let certs = &stm.certs;
                body.stms.push(Stm { certs: certs.clone(), ..map });
                body.stms.push(Stm { pat: stm.pat.clone(), certs: certs.clone(), ..filter });
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                body.stms.push(stm);
            }
        }
    }
    body
}

/// The function as a map, then the filter of what it computed.
fn split_filter(flat: &mut Flat, stm: &Stm<Soacs>, f: &Filter<Soacs>) -> Body<Soacs> {
    let (map, filter) = map_and_filter(flat, stm, f);
    let pat = filter_pattern(flat, f.kept.len(), f.conditions().collect(), &f.lambda.ret[f.kept.len()..]);
    let result = pat.iter().map(|p| p.name.into()).collect();
    Body { stms: vec![map, Stm { pat, ..filter }], result }
}

/// A map of what a filter computes, and the filter without it, whose pattern is left to the caller. What the filter
/// just hands on is no result of the map.
fn map_and_filter(flat: &mut Flat, stm: &Stm<Soacs>, f: &Filter<Soacs>) -> (Stm<Soacs>, Stm<Soacs>) {
    let (mut pat, mut map) = (vec![], Lambda { ret: vec![], ..f.lambda.clone() });
    map.body.result.clear();
    let (mut params, mut arrays, mut result) = (vec![], vec![], vec![]);
    for (e, ty) in f.lambda.body.result.iter().zip(&f.lambda.ret) {
        if matches!(e, SubExp::Const(_)) {
            result.push(*e);
            continue;
        }
        let array = param_of(f, *e).unwrap_or_else(|| {
            let elem = flat.pattern("mapped", vec![array_of_rows(ty, &[f.width])]);
            map.body.result.push(*e);
            map.ret.push(ty.clone());
            let array = elem[0].name;
            pat.extend(elem);
            array
        });
        let param = flat.soac_param("x", ty.clone());
        result.push(param.name.into());
        params.push(param);
        arrays.push(array);
    }
    let map = Screma { width: f.width, arrays: f.arrays.clone(), scans: vec![], reds: vec![], map };
    let lambda = Lambda { params, body: Body { stms: vec![], result }, ret: f.lambda.ret.clone() };
    let filter = Filter { width: f.width, arrays, kept: f.kept.clone(), lambda };
    (
        Stm { pat, exp: Exp::Op(Soac::Screma(map)), ..bare(stm) },
        Stm { exp: Exp::Op(Soac::Filter(filter)), ..bare(stm) },
    )
}

/// The filter with indices instead of rows, and maps that copy the rows.
fn filter_indices(flat: &mut Flat, stm: &Stm<Soacs>, f: &Filter<Soacs>) -> Body<Soacs> {
    let range =
        Exp::Basic(Basic::Iota { n: f.width, start: SubExp::i64(0), step: SubExp::i64(1), ty: IntType::I64 });
    let all = flat.pattern("all", vec![Type::I64.array_of(&[f.width])]);
    let index = flat.soac_param("i", Type::I64);
    let mut lambda = f.lambda.clone();
    for e in f.kept.len()..lambda.ret.len() {
        if lambda.ret[e].is_array() {
            (lambda.body.result[e], lambda.ret[e]) = (index.name.into(), Type::I64);
        }
    }
    lambda.params.push(index);
    let kept_types = lambda.ret[f.kept.len()..].to_vec();
    let pat = filter_pattern(flat, f.kept.len(), f.conditions().collect(), &kept_types);
    let arrays = f.arrays.iter().copied().chain([all[0].name]).collect();
    let filter = Filter { width: f.width, arrays, kept: f.kept.clone(), lambda };
    let mut result: Vec<SubExp> = pat.iter().map(|p| p.name.into()).collect();
    let mut stms = vec![
        Stm { pat: all, exp: range, ..bare(stm) },
        Stm { pat: pat.clone(), exp: Exp::Op(Soac::Filter(filter)), ..bare(stm) },
    ];
    for (k, e) in f.lambda.body.result.iter().enumerate().skip(f.kept.len()) {
        let (ty, Some(rows)) = (&f.lambda.ret[k], param_of(f, *e)) else { continue };
        if !ty.is_array() {
            continue;
        }
        let (indices, count) = (pat[k].name, pat[k].ty.shape()[0]);
        let param = flat.soac_param("i", Type::I64);
        let x = flat.seq.b.fresh("x", ty.clone());
        let index = Exp::Basic(Basic::Index(rows, row(&[param.name.into()], ty)));
        let read = Stm { loc: stm.loc.clone(), ..plain(x, ty.clone(), index) };
        let body = Body { stms: vec![read], result: vec![x.into()] };
        let map = Lambda { params: vec![param], body, ret: vec![ty.clone()] };
        let map = Screma { width: count, arrays: vec![indices], scans: vec![], reds: vec![], map };
        let copied = flat.pattern("rows", vec![array_of_rows(ty, &[count])]);
        result[k] = copied[0].name.into();
        stms.push(Stm { pat: copied, exp: Exp::Op(Soac::Screma(map)), ..bare(stm) });
    }
    Body { stms, result }
}

/// Some of the conditions of a filter first, then the others.
fn halves(flat: &mut Flat, stm: &Stm<Soacs>, f: &Filter<Soacs>, first: usize) -> Body<Soacs> {
    let values = first_values(f, first);
    let (mut stms, mut counts, mut arrays) = (vec![], vec![], vec![]);
    let conditions = f.kept.len();
    for (which, kept) in [
        (0..first, conditions..conditions + values),
        (first..conditions, conditions + values..f.lambda.ret.len()),
    ] {
        let lambda = fehu_ir::subst::rename_lambda(&mut flat.seq.b.names, &f.lambda);
        flat.seq.learn_types(&lambda);
        let chosen: Vec<usize> = which.clone().chain(kept).collect();
        let ret: Vec<Type> = chosen.iter().map(|k| lambda.ret[*k].clone()).collect();
        let result = chosen.iter().map(|k| lambda.body.result[*k]).collect();
        let body = Body { stms: lambda.body.stms, result };
        let part = Filter {
            width: f.width,
            arrays: f.arrays.clone(),
            kept: f.kept[which.clone()].to_vec(),
            lambda: Lambda { params: lambda.params, body, ret },
        };
        let types = part.lambda.ret[part.kept.len()..].to_vec();
        let pat = filter_pattern(flat, part.kept.len(), part.conditions().collect(), &types);
        let (own_counts, own_arrays) = pat.split_at(part.kept.len());
        counts.extend(own_counts.iter().map(|p| SubExp::Var(p.name)));
        arrays.extend(own_arrays.iter().map(|p| SubExp::Var(p.name)));
        stms.push(Stm { pat, exp: Exp::Op(Soac::Filter(part)), ..bare(stm) });
    }
    Body { stms, result: counts.into_iter().chain(arrays).collect() }
}

/// What binds the results of a filter: numbers, then arrays of these sizes.
fn filter_pattern(
    flat: &mut Flat,
    counts: usize,
    conditions: Vec<usize>,
    types: &[Type],
) -> Vec<PatElem<Soacs>> {
    let mut pat = flat.pattern("count", vec![Type::I64; counts]);
    let arrays = types.iter().zip(conditions).map(|(t, k)| array_of_rows(t, &[pat[k].name.into()]));
    let arrays = flat.pattern("kept", arrays.collect());
    pat.extend(arrays);
    pat
}

/// The scan, where all that is kept is scalars. If only the numbers of elements are asked for, a reduction.
fn numbered(flat: &mut Flat, nest: &Nest, stm: &Stm<Soacs>, f: &Filter<Soacs>) -> Lifted {
    let (conditions, scanned) = (f.kept.len(), scanned(f));
    let types = f.lambda.ret[conditions..].to_vec();
    if types.is_empty() {
        return counted(flat, nest, stm, f);
    }
    let roomy: Vec<Type> = types.iter().map(|t| array_of_rows(t, &[f.width])).collect();
    let total = Type::I64.array_of(&[SubExp::i64(1)]);
    let mut targets = vec![];
    for ty in &roomy {
        let elem = ty.elem().unwrap_or(PrimType::Unit);
        let scratch = Exp::Basic(Basic::Scratch(elem, ty.shape().to_vec()));
        targets.push(flat.seq.b.bind("scratch", ty.clone(), scratch));
    }
    for _ in 0..scanned {
        let none = Exp::Basic(Basic::Replicate(vec![SubExp::i64(1)], SubExp::i64(0)));
        targets.push(flat.seq.b.bind("total", total.clone(), none));
    }
    let mut inner = nest.clone();
    join::level(flat, &mut inner, f.width, &f.lambda.params, &f.arrays);
    let map = with_numbers(flat, f, scanned);
    let opened =
        flat.open(Point { nest: &inner, depth: inner.depth(), body: map.body, types: map.ret.clone() });
    let mut body = flat.seq_body(opened.body);
    let again = rename_body(&mut flat.seq.b.names, &body);
    body.result.truncate(scanned);
    let index = opened.space.dims[opened.space.dims.len() - 1].0;
    let (after, places, last) = placing(flat, again, (conditions, scanned), types, (index, f.width));
    let results: Vec<Type> = roomy.iter().cloned().chain(std::iter::repeat_n(total, scanned)).collect();
    let places = f.conditions().map(|k| places[k]).chain(std::iter::repeat_n(last, scanned));
    let returns = targets.iter().zip(&results).zip(places).map(|((array, ty), place)| KernelReturn::Write {
        array: *array,
        shape: ty.shape().to_vec(),
        index: vec![place],
    });
    let after = SegAfter { lambda: after, returns: returns.collect() };
    let mut ops = vec![];
    for _ in 0..scanned {
        let Reduce { op, neutral, .. } = counting(flat);
        let op = flat.operator(&op);
        ops.push(SegBinOp { comm: Commutativity::Noncommutative, op, neutral });
    }
    let kind = SegKind::Scan(ops, Some(Box::new(after)));
    let numbers = vec![Type::I64; scanned];
    let body = KernelBody { body, returns: vec![KernelReturn::Elem; scanned] };
    let written = flat.seg_op(opened.space, numbers, body, kind, results);
    let (kept, totals) = written.split_at(roomy.len());
    let mut counts: Vec<SubExp> = totals
        .iter()
        .map(|total| {
            let first = Basic::Index(*total, vec![DimIndex::Fix(SubExp::i64(0))]);
            flat.seq.b.bind("count", Type::I64, Exp::Basic(first)).into()
        })
        .collect();
    the_rest(flat, &mut counts, f.width, conditions);
    let mut results: Lifted = counts.iter().map(|e| (*e, Owner::Nest)).collect();
    for ((array, ty), k) in kept.iter().zip(&f.lambda.ret[conditions..]).zip(f.conditions()) {
        results.push((first_elements(flat, *array, ty, counts[k], f.width).into(), Owner::Nest));
    }
    results
}

/// How many conditions are counted: the last one is not, if it holds for just those elements that no other holds for.
fn scanned(f: &Filter<Soacs>) -> usize {
    let conditions = f.kept.len();
    let body = &f.lambda.body;
    conditions - usize::from(exactly_one(body, &body.result[..conditions]))
}

/// The number of a condition that is not counted, after those of the others: what remains of all.
fn the_rest(flat: &mut Flat, numbers: &mut Vec<SubExp>, all: SubExp, conditions: usize) {
    if numbers.len() < conditions {
        let rest = numbers.iter().fold(all, |rest, n| flat.seq.b.sub64(rest, *n));
        numbers.push(rest);
    }
}

/// The numbers of elements that filters keep, if nothing else is asked for.
fn counted(flat: &mut Flat, nest: &Nest, stm: &Stm<Soacs>, f: &Filter<Soacs>) -> Lifted {
    let (conditions, scanned) = (f.kept.len(), scanned(f));
    let reds = (0..scanned).map(|_| counting(flat)).collect();
    let mut map = with_numbers(flat, f, scanned);
    map.body.result.truncate(scanned);
    map.ret.truncate(scanned);
    let count = Screma { width: f.width, arrays: f.arrays.clone(), scans: vec![], reds, map };
    let counts = flat.segmented(&mut nest.clone(), &Stm { pat: vec![], ..bare(stm) }, &count);
    let mut numbers = counts.iter().map(|(e, _)| *e).collect();
    the_rest(flat, &mut numbers, f.width, conditions);
    let rest = numbers.into_iter().skip(scanned).map(|e| (e, Owner::Nest));
    counts.into_iter().chain(rest).collect()
}

/// The first elements of an array that is written to. They are copied if they are few, so that they do not
/// hold on to the room for all.
fn first_elements(flat: &mut Flat, array: Name, elem: &Type, count: SubExp, width: SubExp) -> Name {
    let ty = elem.array_of(&[count]);
    let first = DimIndex::Slice { start: SubExp::i64(0), len: count, stride: SubExp::i64(1) };
    let kept = flat.seq.b.bind("kept", ty.clone(), Exp::Basic(Basic::Index(array, vec![first])));
    let bytes = elem.elem().map_or(1, |p| p.bytes().max(1) as i64);
    let b = &mut flat.seq.b;
    let as_many = b.mul64(count, SubExp::i64(filter::WASTE));
    let few = b.cmp(CmpOp::SLe(IntType::I64), as_many, width);
    let much = b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(filter::ROOM_BYTES / bytes), width);
    let pays = b.bin(BinOp::LogAnd, few, much);
    let copied = flat.nested(|f| vec![f.seq.b.bind("few", ty.clone(), Exp::Basic(Basic::Copy(kept))).into()]);
    let whole = flat.nested(|_| vec![kept.into()]);
    flat.seq.b.bind("kept", ty, Exp::If(pays, Box::new(copied), Box::new(whole)))
}

/// What becomes of the numbers of elements: values and the numbers themselves, the place of each condition's
/// values, and that of numbers, which only the last point writes.
fn placing(
    flat: &mut Flat,
    again: Body<Kernels>,
    (conditions, scanned): (usize, usize),
    types: Vec<Type>,
    (index, width): (Name, SubExp),
) -> (Lambda<Kernels>, Vec<SubExp>, SubExp) {
    let params: Vec<Param<Kernels>> = (0..scanned).map(|_| flat.seq.b.param("number", Type::I64)).collect();
    let (mut places, mut last) = (vec![], SubExp::i64(-1));
    let body = flat.nested(|flat| {
        for stm in again.stms {
            flat.seq.b.push(stm);
        }
        let end = flat.seq.b.add64(index.into(), SubExp::i64(1));
        let mut numbers: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        the_rest(flat, &mut numbers, end, conditions);
        for (holds, number) in again.result[scanned..].iter().zip(&numbers) {
            let yes = flat.nested(|f| vec![f.seq.b.sub64(*number, SubExp::i64(1))]);
            places.push(place(flat, *holds, yes));
        }
        let is_last = flat.seq.b.cmp(CmpOp::Eq(PrimType::I64), end, width);
        let first = flat.nested(|_| vec![SubExp::i64(0)]);
        last = place(flat, is_last, first);
        again.result[scanned + conditions..].iter().copied().chain(numbers[..scanned].to_vec()).collect()
    });
    let ret = types.into_iter().chain(std::iter::repeat_n(Type::I64, scanned)).collect();
    (Lambda { params, body, ret }, places, last)
}

/// A place to write to; outside of the array if a condition does not hold.
fn place(flat: &mut Flat, holds: SubExp, yes: Body<Kernels>) -> SubExp {
    let no = flat.nested(|_| vec![SubExp::i64(-1)]);
    let choice = Exp::If(holds, Box::new(yes), Box::new(no));
    flat.seq.b.bind("place", Type::I64, choice).into()
}

/// The function of a filter with a number for each of the first conditions before its results: one where it
/// holds, or zero.
fn with_numbers(flat: &mut Flat, f: &Filter<Soacs>, first: usize) -> Lambda<Soacs> {
    let mut map = f.lambda.clone();
    let mut numbers = vec![];
    for condition in &f.lambda.body.result[..first] {
        let one = Basic::Conv(ConvOp::BToI(IntType::I64), *condition);
        let stm = number(flat, "one", one);
        numbers.push(stm.pat[0].name.into());
        map.body.stms.push(stm);
    }
    map.body.result.splice(0..0, numbers);
    map.ret.splice(0..0, vec![Type::I64; first]);
    map
}

/// A statement that computes a number, for the current code.
fn number(flat: &mut Flat, base: &str, exp: Basic) -> Stm<Soacs> {
    let name = flat.seq.b.fresh(base, Type::I64);
    Stm { loc: flat.seq.b.loc.clone(), ..plain(name, Type::I64, Exp::Basic(exp)) }
}

/// A sum of whole numbers.
fn counting(flat: &mut Flat) -> Reduce<Soacs> {
    let params = vec![flat.soac_param("x", Type::I64), flat.soac_param("y", Type::I64)];
    let add = Basic::BinOp(BinOp::Add(IntType::I64), params[0].name.into(), params[1].name.into());
    let sum = number(flat, "t", add);
    let body = Body { result: vec![sum.pat[0].name.into()], stms: vec![sum] };
    let op = Lambda { params, body, ret: vec![Type::I64] };
    Reduce { comm: Commutativity::Commutative, op, neutral: vec![SubExp::i64(0)] }
}

/// The array whose elements are a result of a filter's function as they are.
fn param_of(f: &Filter<Soacs>, e: SubExp) -> Option<Name> {
    let own = |p: &Param<Soacs>| SubExp::Var(p.name) == e && !p.consumed;
    f.lambda.params.iter().position(own).map(|k| f.arrays[k])
}

/// How many values the first conditions keep.
fn first_values(f: &Filter<Soacs>, conditions: usize) -> usize {
    f.kept[..conditions].iter().sum()
}
