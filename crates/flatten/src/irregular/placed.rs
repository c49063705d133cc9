//! Rule of results whose places are known on the way down ([`super::descent`]): they are written there.
//!
//! The function for all points takes, beside what it takes otherwise, the arrays of all results, and for each
//! point and result the row at which it begins. It takes these arrays over, writes what it has, hands them on
//! to the call for the next depth, and returns them.
//!
//! ```text
//! fun sorted_lifted(width, rows, *out : [rows]f32, ns : [width]i64, total, xs : [total]f32, at : [width]i64) : *[rows]f32
//!   if width == 0 then out
//!   else ...                                              points are divided, filtered
//!        out[at + 0 ..] = xs of points with n < 2
//!        out[at + l ..] = same of the others
//!        sorted_lifted(2 * others, rows, out, ls ++ ms, less ++ more, at ++ (at + l + s))
//! ```
//!
//! Whoever calls the function from outside of its recursion allocates the arrays, in which the results of
//! each point stand one after the other. Dimensions after the first are the same in all calls; otherwise
//! results are joined after the calls.

use super::calls::{
    differing, inside_of_function, joined_arguments, lifted_function, part, same_for_all, unless_empty,
    varying_params, width_of_all, with_certs_of,
};
use super::checks::after;
use super::descent::{descent, has_places, Descent, End, Place};
use super::functions::Results;
use super::level::Lift;
use super::running::Call;
use super::value::{LevelId, Points, Value};
use fehu_base::Name;
use fehu_ir::soac::ScatterDest;
use fehu_ir::subst::Subst;
use fehu_ir::{Basic, Body, Exp, ExtSize, FunDef, FunRet, Param, PatElem, RetType, Soacs, Stm, SubExp, Type};

/// The results of a function that is flattened: the arrays that they are written to.
type Outs = Vec<Name>;

/// Calls from outside of a recursion whose results are written to their places; nothing if they are not.
pub(super) fn outer_call(lift: &mut Lift<'_>, calls: &[&Call]) -> Option<Option<()>> {
    let fun = calls.first()?.fun;
    if !lift.functions.calls_itself(fun) || !is_placed(lift, fun) {
        return None;
    }
    let one_flat = |p: &PatElem<Soacs>| lift.flat_rank(&p.ty) <= 1 && !p.ty.shape().is_empty();
    if !calls.iter().all(|call| call.pat.iter().all(one_flat)) {
        return None;
    }
    // Whether there is such a function is found out before anything is emitted.
    let params = lift.functions.source.get(&fun)?.params.clone();
    let mut differs = differing(lift, &params, calls);
    differs.resize(params.len() + calls.first()?.pat.len(), true);
    let stays = lift.stays.clone();
    if lifted_function(lift, fun, &differs, Results::Placed).is_none() {
        *lift.stays = stays;
        lift.functions.placed.insert(fun, false);
        return None;
    }
    Some(results_of_calls(lift, calls))
}

fn is_placed(lift: &mut Lift<'_>, fun: Name) -> bool {
    if let Some(known) = lift.functions.placed.get(&fun) {
        return *known;
    }
    let found = has_places(lift.functions, lift.signatures, fun);
    lift.functions.placed.insert(fun, found);
    found
}

/// Allocates what calls return, makes them, and gives each its part of the results.
fn results_of_calls(lift: &mut Lift<'_>, calls: &[&Call]) -> Option<()> {
    let count = calls.first()?.pat.len();
    let mut parts: Vec<Vec<(SubExp, SubExp)>> = vec![vec![]; count];
    let mut own: Vec<Call> = calls.iter().map(|call| (*call).clone()).collect();
    let mut outs = vec![];
    for (k, parts) in parts.iter_mut().enumerate() {
        let mut all = SubExp::i64(0);
        for (call, own) in calls.iter().zip(&mut own) {
            let rows = rows_of(lift, call.level, &call.pat[k].ty)?;
            own.args.push(first_row(lift, call.level, &call.pat[k].ty, all)?);
            parts.push((all, rows));
            all = lift.b.add64(all, rows);
        }
        let ty = &calls.first()?.pat[k].ty;
        let mut dims = vec![all];
        dims.extend(&ty.shape()[1..]);
        let scratch = Exp::Basic(Basic::Scratch(ty.elem()?, dims.clone()));
        outs.push(lift.b.bind("out", Type::Array(ty.elem()?, dims), scratch));
    }
    let all: Vec<&Call> = own.iter().collect();
    call_placed(lift, &all, &mut outs)?;
    for (i, call) in calls.iter().enumerate() {
        for ((p, out), parts) in call.pat.iter().zip(&outs).zip(&parts) {
            let (start, rows) = parts[i];
            let data = if calls.len() == 1 { *out } else { part(lift, *out, start, rows) };
            let value = lift.of_data(call.level, &p.ty, data, &[])?;
            lift.values.insert(p.name, value);
        }
    }
    Some(())
}

/// How many rows arrays of a type have at all points of a level.
fn rows_of(lift: &mut Lift<'_>, level: LevelId, ty: &Type) -> Option<SubExp> {
    let dims = &ty.shape()[..1];
    if lift.flat_rank(ty) == 0 {
        let width = lift.width(level);
        return Some(lift.b.mul64(width, dims[0]));
    }
    let shape = lift.shape(level, dims, &[])?;
    Some(lift.shapes[shape.0].total)
}

/// Where the array of each point begins, if those of all points begin at a row: a name of the nest.
fn first_row(lift: &mut Lift<'_>, level: LevelId, ty: &Type, first: SubExp) -> Option<SubExp> {
    let inner = lift.inner(level, &ty.shape()[..1], &[])?;
    let body = lift.nested(|f| {
        let start = f.start_of(level, inner);
        Some(vec![f.b.add64(first, start)])
    })?;
    let at = lift.map(level, body, &[Type::I64])?[0];
    Some(of_points(lift, level, at))
}

/// A name of the nest for numbers of points.
fn of_points(lift: &mut Lift<'_>, level: LevelId, numbers: Name) -> SubExp {
    let name = lift.b.fresh("at", Type::I64);
    lift.values.insert(name, Value::Each(level, numbers));
    name.into()
}

/// Calls of one function, whose last arguments are where results begin.
fn call_placed(lift: &mut Lift<'_>, calls: &[&Call], outs: &mut Outs) -> Option<()> {
    let fun = calls.first()?.fun;
    let source = lift.functions.source.get(&fun)?;
    let (mut params, ret) = (source.params.clone(), source.ret.clone());
    let mut differs = differing(lift, &params, calls);
    params.extend(outs.iter().map(|_| lift.b.param("at", Type::I64)));
    differs.resize(params.len(), true);
    let lifted = lifted_function(lift, fun, &differs, Results::Placed)?;
    let same = same_for_all(&params, calls, &differs)?;
    let mut all = vec![width_of_all(lift, calls)];
    all.extend(params.iter().zip(&differs).filter(|(_, d)| !**d).map(|(p, _)| same.operand(p.name.into())));
    for (out, r) in outs.iter().zip(&ret) {
        let ty = lift.b.type_of((*out).into());
        let inner: Vec<SubExp> = inner_sizes(r)?.into_iter().map(|d| same.operand(d)).collect();
        if ty.shape()[1..] != inner {
            return None;
        }
        all.extend([ty.shape()[0], (*out).into()]);
    }
    let own = varying_params(&params, &differs, &same);
    all.extend(joined_arguments(lift, calls, (&own, &differs))?);
    let types = outs.iter().map(|out| lift.b.type_of((*out).into())).collect();
    // What is given does not depend on the checks: it is computed where it is joined, before they are made.
    *outs = with_certs_of(lift, calls, |f| Some(f.b.bind_all("out", types, Exp::Call(lifted, all))))?;
    lift.forget_owners();
    Some(())
}

/// The dimensions of a result after the first.
fn inner_sizes(r: &FunRet<Soacs>) -> Option<Vec<SubExp>> {
    let RetType::Array { shape, .. } = &r.ty else { return None };
    let size = |size: &ExtSize| match size {
        ExtSize::Free(e) => Some(*e),
        ExtSize::Ext(_) => None,
    };
    shape.get(1..)?.iter().map(size).collect()
}

/// The function for all points, which writes its results at given rows of given arrays; `fun` is one of the
/// functions that it calls itself through.
pub(super) fn definition(
    lift: &mut Lift<'_>,
    (name, fun): (Name, Name),
    source: FunDef<Soacs>,
    differs: &[bool],
) -> Option<FunDef<Soacs>> {
    let found = descent(lift.functions, lift.signatures, (fun, &source))?;
    let FunDef { mut params, ret, attrs, loc, .. } = source;
    let width = lift.b.param("width", Type::I64);
    let mut all = vec![width.clone()];
    all.extend(params.iter().zip(differs).filter(|(_, differs)| !**differs).map(|(p, _)| p.clone()));
    let (mut outs, mut types) = (vec![], vec![]);
    for r in &ret {
        let RetType::Array { elem, .. } = &r.ty else { return None };
        let rows = lift.b.param("rows", Type::I64);
        let mut dims = vec![SubExp::Var(rows.name)];
        dims.extend(inner_sizes(r)?);
        let shape = dims.iter().map(|d| ExtSize::Free(*d)).collect();
        types.push(FunRet { ty: RetType::Array { elem: *elem, shape, unique: true }, dec: () });
        let out = lift.b.param("out", Type::Array(*elem, dims));
        outs.push(out.name);
        all.extend([rows, Param { consumed: true, ..out }]);
    }
    let given: Vec<SubExp> = outs.iter().map(|out| SubExp::Var(*out)).collect();
    let places: Vec<Param<Soacs>> = ret.iter().map(|_| lift.b.param("at", Type::I64)).collect();
    params.extend(places.iter().cloned());
    let own = varying_params(&params, differs, &Subst::new());
    let outer = std::mem::replace(&mut lift.b.loc, loc.clone());
    let body = lift.nested(|f| {
        let (mut lift, level, given) = inside_of_function(f, width.name, &own)?;
        all.extend(given);
        if ret.iter().any(|r| inner_sizes(r).is_none_or(|dims| dims.iter().any(|d| lift.varies(*d)))) {
            return None;
        }
        let at: Vec<(usize, SubExp)> = places.iter().map(|p| p.name.into()).enumerate().collect();
        written(&mut lift, level, found, &at, &mut outs)?;
        Some(outs.iter().map(|out| SubExp::Var(*out)).collect())
    });
    let body = body.and_then(|body| unless_empty(lift, width.name, &types, (Some(given), body)));
    lift.b.loc = outer;
    Some(FunDef { name, entry: None, attrs, params: all, ret: types, body: body?, loc })
}

/// A body, and all that it calls. Its results begin at these rows of these arrays.
fn written(
    lift: &mut Lift<'_>,
    level: LevelId,
    found: Descent,
    at: &[(usize, SubExp)],
    outs: &mut Outs,
) -> Option<()> {
    let mut calls = vec![];
    write(lift, level, found, at, (outs, &mut calls))?;
    while let Some(first) = calls.first() {
        let fun = first.fun;
        let (same, others): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(|c: &Call| c.fun == fun);
        let together: Vec<&Call> = same.iter().collect();
        call_placed(lift, &together, outs)?;
        calls = others;
    }
    Some(())
}

/// A body, up to its calls.
fn write(
    lift: &mut Lift<'_>,
    level: LevelId,
    found: Descent,
    at: &[(usize, SubExp)],
    (outs, calls): (&mut Outs, &mut Vec<Call>),
) -> Option<()> {
    let Descent { stms, used, certs, pieces, ends } = found;
    lift.code(level, Body { stms, result: used })?;
    let places: Vec<&Place> =
        pieces.iter().map(|(_, place)| place).chain(ends.iter().flat_map(|end| &end.places)).collect();
    // Before the checks, so that one kernel does both.
    let mut rows = rows(lift, level, at, &places)?.into_iter();
    after(lift, level, &certs, |f| {
        for (piece, place) in &pieces {
            let row = rows.next()?;
            write_piece(f, level, *piece, (&mut outs[at[place.result].0], row))?;
        }
        for End { stm, places, sides } in ends {
            let at: Vec<(usize, SubExp)> = places.iter().map(|p| at[p.result].0).zip(rows.by_ref()).collect();
            match sides {
                None => calls.push(call(f, level, stm, &at)?),
                Some(sides) => write_branch(f, level, (stm, *sides), &at, (outs, calls))?,
            }
        }
        Some(())
    })
}

/// Where arrays begin, for each point: names of the nest.
fn rows(
    lift: &mut Lift<'_>,
    level: LevelId,
    at: &[(usize, SubExp)],
    places: &[&Place],
) -> Option<Vec<SubExp>> {
    let moved: Vec<&&Place> = places.iter().filter(|p| !p.before.is_empty()).collect();
    let body = lift.nested(|f| {
        let row = |p: &&&Place| p.before.iter().fold(at[p.result].1, |row, n| f.b.add64(row, *n));
        Some(moved.iter().map(row).collect())
    })?;
    let mut sums = vec![];
    if !moved.is_empty() {
        sums = lift.map(level, body, &vec![Type::I64; moved.len()])?;
    }
    let mut sums = sums.into_iter();
    let mut rows = vec![];
    for p in places {
        rows.push(match p.before.is_empty() {
            true => at[p.result].1,
            false => of_points(lift, level, sums.next()?),
        });
    }
    Some(rows)
}

/// The array of each point is written, from a row on.
fn write_piece(
    lift: &mut Lift<'_>,
    level: LevelId,
    piece: Name,
    (out, row): (&mut Name, SubExp),
) -> Option<()> {
    let ty = lift.b.type_of(piece.into());
    let all = lift.b.type_of((*out).into());
    if lift.flat_rank(&ty) > 1 {
        return None;
    }
    let inner = lift.inner(level, &ty.shape()[..1], &[])?;
    if let Points::Elements(shape) = lift.levels[inner.0].points {
        // No element is written twice, at any depth.
        lift.search_among_all(shape)?;
    }
    let (Value::Each(_, data) | Value::Flat(_, data)) = lift.conform(level, piece.into(), &ty, &[])? else {
        return None;
    };
    let mut dims = vec![lift.width(inner)];
    dims.extend(&all.shape()[1..]);
    let data = lift.reshaped(data, dims);
    let body = lift.nested(|f| {
        let place = f.place(inner);
        Some(vec![f.b.add64(row, place)])
    })?;
    let places = lift.map(inner, body, &[Type::I64])?[0];
    let dest = ScatterDest { shape: vec![all.shape()[0]], array: *out };
    *out = lift.write(inner, vec![dest], &[places, data])?.first().copied()?;
    Some(())
}

/// A call, which is given where its results begin.
fn call(lift: &Lift<'_>, level: LevelId, stm: Stm<Soacs>, at: &[(usize, SubExp)]) -> Option<Call> {
    let Stm { pat, exp: Exp::Call(fun, mut args), loc, .. } = stm else { return None };
    args.extend(at.iter().map(|(_, row)| *row));
    Some(Call { level, fun, args, pat, certs: lift.b.certs.clone(), loc })
}

/// A branch, whose sides are written at the points that take them.
fn write_branch(
    lift: &mut Lift<'_>,
    level: LevelId,
    (stm, sides): (Stm<Soacs>, [Descent; 2]),
    at: &[(usize, SubExp)],
    (outs, calls): (&mut Outs, &mut Vec<Call>),
) -> Option<()> {
    let Exp::If(cond, yes, no) = &stm.exp else { return None };
    if !lift.varies(*cond) {
        return host_branch(lift, level, (*cond, sides), at, outs);
    }
    let sizes = [&**yes, &**no].map(|side| lift.size_used_or_returned(level, side));
    let divided = lift.divide_with(level, *cond, sizes)?;
    let [yes, no] = sides;
    write(lift, divided.yes, yes, at, (outs, calls))?;
    write(lift, divided.no, no, at, (outs, calls))
}

/// A branch whose condition is the same at all points.
fn host_branch(
    lift: &mut Lift<'_>,
    level: LevelId,
    (cond, sides): (SubExp, [Descent; 2]),
    at: &[(usize, SubExp)],
    outs: &mut Outs,
) -> Option<()> {
    let mut bodies = vec![];
    for side in sides {
        bodies.push(lift.nested_host(|f| {
            let mut own = outs.clone();
            written(f, level, side, at, &mut own)?;
            Some(own.into_iter().map(SubExp::Var).collect())
        })?);
    }
    let no = Box::new(bodies.pop()?);
    let yes = Box::new(bodies.pop()?);
    let types = outs.iter().map(|out| lift.b.type_of((*out).into())).collect();
    *outs = lift.b.bind_all("out", types, Exp::If(cond, yes, no));
    Some(())
}
