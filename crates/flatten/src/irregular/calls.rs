//! Rule of calls: a function that points of a nest call is called once, for all of them.
//!
//! It has a version that takes what all points have: for a scalar, or an array of one size, an array of them;
//! for arrays whose sizes differ, flat data and their number. Parameters that are the same at all points stay
//! what they are. Its body is flattened like that of a nest.
//!
//! ```text
//! fun f(n : i64, xs : [n]f32) : f32        fun f_lifted(width : i64, ns : [width]i64, total : i64, xs : [total]f32) : [width]f32
//! ... f(m, ys) at each point               f_lifted(width, ms, total, ys)
//! ```
//!
//! Recursion is level by level: all calls of one depth are one call, as far as they do not need each other's
//! results ([`super::together`]). It ends because a call for no points at all does nothing. What several
//! calls give is joined, argument by argument, those of the first call first; each call takes its part of the
//! results:
//!
//! ```text
//! f(m, ys) at w1 points, f(n, zs) at w2      both = f_lifted(w1 + w2, ms ++ ns, total1 + total2, ys ++ zs)
//!                                            both[0 : w1], both[w1 : w1 + w2]
//! ```
//!
//! A parameter for which all calls give the same operand, which is the same at all points, stays what it is.
//!
//! Which functions are called like this: those that call themselves, and those in which sizes differ from
//! point to point. Others are code of single points.

use super::branch::result_subst;
use super::functions::Results;
use super::level::Lift;
use super::placed;
use super::point::whole;
use super::running::{Call, State};
use super::sides::given_back;
use super::value::{GivenBack, Known, LevelId, Points, Value};
use fehu_base::ops::CmpOp;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::subst::{rename_fun, Subst};
use fehu_ir::types::body_types;
use fehu_ir::visit::deep;
use fehu_ir::{
    Basic, Body, DimIndex, Exp, ExtSize, FunDef, FunRet, Param, PatElem, RetType, Soacs, Stm, SubExp, Type,
};
use rustc_hash::FxHashMap;

/// A call at the points of a level. That of a function that calls itself waits for others.
pub(super) fn call(lift: &mut Lift<'_>, level: LevelId, stm: Stm<Soacs>) -> Option<Option<State>> {
    let Stm { pat, exp: Exp::Call(fun, args), loc, .. } = stm else { return None };
    let call = Call { level, fun, args, pat, certs: lift.b.certs.clone(), loc };
    if lift.functions.calls_itself(fun) {
        return Some(Some(State::Call(call)));
    }
    call_together(lift, &[&call])?;
    Some(None)
}

/// Calls of one function, none of which needs the results of another, as one. Afterwards there are values for
/// their results.
pub(super) fn call_together(lift: &mut Lift<'_>, calls: &[&Call]) -> Option<()> {
    with_certs_of(lift, calls, |f| joined_call(f, calls))
}

/// Emits statements of the host that depend on all checks that calls depend on.
pub(super) fn with_certs_of<'l, T>(
    lift: &mut Lift<'l>,
    calls: &[&Call],
    emit: impl FnOnce(&mut Lift<'l>) -> Option<T>,
) -> Option<T> {
    let mut certs: Vec<Name> = vec![];
    for c in calls.iter().flat_map(|call| &call.certs) {
        if !certs.contains(c) {
            certs.push(*c);
        }
    }
    let loc = calls.first()?.loc.clone();
    let outer = (std::mem::replace(&mut lift.b.certs, certs), std::mem::replace(&mut lift.b.loc, loc));
    let done = emit(lift);
    (lift.b.certs, lift.b.loc) = outer;
    done
}

fn joined_call(lift: &mut Lift<'_>, calls: &[&Call]) -> Option<()> {
    let fun = calls.first()?.fun;
    if let Some(done) = placed::outer_call(lift, calls) {
        return done;
    }
    let source = lift.functions.source.get(&fun)?;
    let (mut params, ret) = (source.params.clone(), source.ret.clone());
    let differs = differing(lift, &params, calls);
    let back = back(lift, fun, source, &differs);
    take_over(&mut params, back);
    let lifted = lifted_function(lift, fun, &differs, Results::Returned)?;
    let same = same_for_all(&params, calls, &differs)?;
    let width = width_of_all(lift, calls);
    let mut all = vec![width];
    all.extend(params.iter().zip(&differs).filter(|(_, d)| !**d).map(|(p, _)| same.operand(p.name.into())));
    let own = varying_params(&params, &differs, &same);
    all.extend(joined_arguments(lift, calls, (&own, &differs))?);
    let level = match calls {
        [only] => only.level,
        _ => lift.add_level(width, Points::Outermost),
    };
    // What differs inside of the function differs in the types of its results.
    let mut pat = result_pat(lift, &ret)?;
    pat.iter_mut().for_each(|p| same.ty(&mut p.ty));
    let bound: Vec<PatElem<Soacs>> = own.iter().map(|(p, _)| p).chain(&pat).cloned().collect();
    let results = pat.iter().flat_map(|p| lift.carried_names_of(level, &bound, p, "out")).collect::<Vec<_>>();
    lift.b.bind_names(results.clone(), Exp::Call(lifted, all));
    lift.forget_owners();
    let names: Vec<Name> = results.into_iter().map(|(n, _)| n).collect();
    match calls {
        [only] => lift.uncarried(only.level, &only.pat, &names),
        _ => parts_of_results(lift, calls, (&pat, &bound), &names),
    }
}

/// At how many points calls are made, all together.
pub(super) fn width_of_all(lift: &mut Lift<'_>, calls: &[&Call]) -> SubExp {
    let widths: Vec<SubExp> = calls.iter().map(|call| lift.width(call.level)).collect();
    sum(lift, &widths)
}

/// What stands for the parameters that do not differ.
pub(super) fn same_for_all(params: &[Param<Soacs>], calls: &[&Call], differs: &[bool]) -> Option<Subst> {
    let given = params.iter().zip(&calls.first()?.args).zip(differs);
    Some(given.filter(|(_, differs)| !**differs).map(|((p, e), _)| (p.name, *e)).collect())
}

/// What calls give for the parameters that differ, joined.
pub(super) fn joined_arguments(
    lift: &mut Lift<'_>,
    calls: &[&Call],
    (own, differs): (&[(PatElem<Soacs>, bool)], &[bool]),
) -> Option<Vec<SubExp>> {
    let pat: Vec<PatElem<Soacs>> = own.iter().map(|(p, _)| p.clone()).collect();
    let given: Vec<Vec<SubExp>> = calls
        .iter()
        .map(|call| call.args.iter().zip(differs).filter(|(_, differs)| **differs).map(|(e, _)| *e).collect())
        .collect();
    let mut all = vec![];
    for (i, (p, consumed)) in own.iter().enumerate() {
        let mut parts = vec![];
        for (call, given) in calls.iter().zip(&given) {
            let subst = result_subst(&pat, given);
            parts.push(lift.carried_one(call.level, &pat, &subst, (p, given[i]))?);
        }
        if parts.len() == 1 {
            let only = parts.pop()?;
            all.extend(if *consumed { fresh_data(lift, only) } else { only });
            continue;
        }
        let arrays: Vec<Name> = parts.iter().filter_map(|part| part.last()?.name()).collect();
        let rows: Vec<SubExp> = arrays.iter().map(|a| lift.b.type_of((*a).into()).shape()[0]).collect();
        let size = sum(lift, &rows);
        let ty = lift.b.type_of((*arrays.first()?).into()).peel(1).array_of(&[size]);
        let joined = lift.b.bind("joined", ty, Exp::Basic(Basic::Concat { dim: 0, arrays, size }));
        // Flat data come after their number.
        all.extend((parts[0].len() == 2).then_some(size));
        all.push(joined.into());
    }
    Some(all)
}

/// Gives each call its part of the results.
fn parts_of_results(
    lift: &mut Lift<'_>,
    calls: &[&Call],
    (pat, bound): (&[PatElem<Soacs>], &[PatElem<Soacs>]),
    names: &[Name],
) -> Option<()> {
    let ranks: Vec<usize> = pat.iter().map(|p| lift.carried_rank(bound, &p.ty)).collect();
    let mut names = names.iter();
    let mut data = vec![];
    for rank in &ranks {
        if *rank > 0 {
            names.next()?;
        }
        data.push(*names.next()?);
    }
    let mut first = SubExp::i64(0);
    let mut starts = vec![SubExp::i64(0); data.len()];
    for call in calls {
        let width = lift.width(call.level);
        let each = |rank: &usize| *rank == 0;
        for ((p, data), _) in call.pat.iter().zip(&data).zip(&ranks).filter(|(_, rank)| each(rank)) {
            let part = part(lift, *data, first, width);
            lift.values.insert(p.name, Value::Each(call.level, part));
        }
        first = lift.b.add64(first, width);
        // The sizes have values now.
        for (i, p) in call.pat.iter().enumerate().filter(|(i, _)| !each(&ranks[*i])) {
            let flat = lift.flat_rank(&p.ty);
            let rows = match flat {
                0 => width,
                _ => {
                    let shape = lift.shape(call.level, &p.ty.shape()[..flat], &[])?;
                    lift.shapes[shape.0].total
                }
            };
            let mut dims = vec![rows];
            dims.extend(&p.ty.shape()[flat..ranks[i]]);
            let total = lift.b.product(&dims);
            let part = part(lift, data[i], starts[i], total);
            starts[i] = lift.b.add64(starts[i], total);
            let value = lift.of_data(call.level, &p.ty, part, &[])?;
            lift.values.insert(p.name, value);
        }
    }
    Some(())
}

/// Some rows of an array, which may be taken over.
pub(super) fn part(lift: &mut Lift<'_>, array: Name, start: SubExp, len: SubExp) -> Name {
    let row = lift.b.type_of(array.into()).peel(1);
    let mut slice = vec![DimIndex::Slice { start, len, stride: SubExp::i64(1) }];
    slice.extend(row.shape().iter().map(|d| whole(*d)));
    let ty = row.array_of(&[len]);
    let part = lift.b.bind("part", ty.clone(), Exp::Basic(Basic::Index(array, slice)));
    lift.b.bind("part", ty, Exp::Basic(Basic::Copy(part)))
}

pub(super) fn sum(lift: &mut Lift<'_>, numbers: &[SubExp]) -> SubExp {
    let sum = numbers.iter().copied().reduce(|x, y| lift.b.add64(x, y));
    sum.unwrap_or_else(|| SubExp::i64(0))
}

/// Which parameters of a function differ from point to point: those whose arguments do, at one of the calls
/// or between them, and arrays whose sizes do.
pub(super) fn differing(lift: &Lift<'_>, params: &[Param<Soacs>], calls: &[&Call]) -> Vec<bool> {
    let differs: Vec<bool> = (0..params.len())
        .map(|i| calls.iter().any(|call| lift.varies(call.args[i]) || call.args[i] != calls[0].args[i]))
        .collect();
    let size = |d: &SubExp| {
        let at = d.name().and_then(|n| params.iter().position(|p| p.name == n));
        at.is_some_and(|i| differs[i])
    };
    let sized = params.iter().map(|p| p.ty.shape().iter().any(size));
    sized.zip(&differs).map(|(sized, differs)| sized || *differs).collect()
}

/// The body of a function for all points, which does nothing if there are none, and then returns what is
/// given, or empty arrays. That is asked inside of the function, so that what it is given stands in the same
/// body as what that is joined of, and is made in its place.
pub(super) fn unless_empty(
    lift: &mut Lift<'_>,
    width: Name,
    types: &[FunRet<Soacs>],
    (given, body): (Option<Vec<SubExp>>, Body<Soacs>),
) -> Option<Body<Soacs>> {
    let names: Vec<Name> = types.iter().map(|_| lift.b.names.fresh_str("ret")).collect();
    let mut results = vec![];
    for (name, ret) in names.iter().zip(types) {
        let ty = match &ret.ty {
            RetType::Prim(prim) => Type::Prim(*prim),
            RetType::Array { elem, shape, .. } => {
                let size = |size: &ExtSize| match size {
                    ExtSize::Free(e) => *e,
                    ExtSize::Ext(i) => SubExp::Var(names[*i]),
                };
                Type::Array(*elem, shape.iter().map(size).collect())
            }
            RetType::Mem(_) => return None,
        };
        results.push((*name, ty));
    }
    lift.nested(|f| {
        let none = f.b.cmp(CmpOp::Eq(PrimType::I64), width.into(), SubExp::i64(0));
        let nothing = f.nested(|f| Some(given.unwrap_or_else(|| nothing(f, &results))))?;
        let names = results.iter().map(|(n, _)| SubExp::Var(*n)).collect();
        f.b.bind_names(results, Exp::If(none, Box::new(nothing), Box::new(body)));
        Some(names)
    })
}

/// Empty arrays of no points, for what a call returns.
fn nothing(lift: &mut Lift<'_>, results: &[(Name, Type)]) -> Vec<SubExp> {
    let none: Subst = results.iter().map(|(n, _)| (*n, SubExp::i64(0))).collect();
    let mut all = vec![];
    for (_, ty) in results {
        all.push(match ty {
            Type::Array(elem, dims) => {
                let dims: Vec<SubExp> = dims.iter().map(|d| none.operand(*d)).collect();
                let scratch = Exp::Basic(Basic::Scratch(*elem, dims.clone()));
                lift.b.bind("none", Type::Array(*elem, dims), scratch).into()
            }
            Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => SubExp::i64(0),
        });
    }
    all
}

/// The parameter that a function that calls itself gives back, if its size differs from point to point.
fn back(lift: &Lift<'_>, fun: Name, source: &FunDef<Soacs>, differs: &[bool]) -> Option<GivenBack> {
    let back = lift.functions.calls_itself(fun).then(|| given_back(source)).flatten()?;
    let differing = |n: Name| source.params.iter().zip(differs).any(|(p, differs)| *differs && p.name == n);
    let param = source.params.iter().find(|p| p.name == back.param)?;
    param.ty.shape().iter().any(|d| d.name().is_some_and(differing)).then_some(back)
}

/// What a function gives back it takes over.
fn take_over(params: &mut [Param<Soacs>], back: Option<GivenBack>) {
    params.iter_mut().for_each(|p| p.consumed |= back.is_some_and(|b| b.param == p.name));
}

/// The function for all points.
pub(super) fn lifted_function(
    lift: &mut Lift<'_>,
    fun: Name,
    differs: &[bool],
    results: Results,
) -> Option<Name> {
    let call = (fun, differs.to_vec(), results);
    if let Some((name, _)) = lift.functions.lifted.get(&call) {
        return Some(*name);
    }
    let count = lift.functions.count();
    let base = format!("{}_lifted_{count}", lift.b.names.base(fun));
    let name = lift.b.names.fresh_str(&base);
    let source = rename_fun(&mut lift.b.names, lift.functions.source.get(&fun)?);
    lift.b.types.extend(body_types(&source.body));
    lift.b.types.extend(source.params.iter().map(|p| (p.name, p.ty.clone())));
    lift.functions.lifted.insert(call.clone(), (name, None));
    let definition = deep(|| match results {
        Results::Returned => {
            let back = back(lift, fun, &source, differs);
            definition(lift, name, source, (differs, back))
        }
        Results::Placed => placed::definition(lift, (name, fun), source, differs),
    });
    match definition {
        Some(definition) => {
            lift.functions.lifted.insert(call, (name, Some(definition)));
            Some(name)
        }
        None => {
            lift.functions.truncate(count);
            None
        }
    }
}

fn definition(
    lift: &mut Lift<'_>,
    name: Name,
    source: FunDef<Soacs>,
    (differs, back): (&[bool], Option<GivenBack>),
) -> Option<FunDef<Soacs>> {
    let FunDef { mut params, ret, body, attrs, loc, .. } = source;
    take_over(&mut params, back);
    let width = lift.b.param("width", Type::I64);
    let mut all = vec![width.clone()];
    let same = params.iter().zip(differs).filter(|(_, differs)| !**differs).map(|(p, _)| p.clone());
    all.extend(same);
    let own = varying_params(&params, differs, &Subst::new());
    let outer = std::mem::replace(&mut lift.b.loc, loc.clone());
    let mut types = vec![];
    let body = lift.nested(|f| {
        let (mut lift, level, given) = inside_of_function(f, width.name, &own)?;
        lift.given_back = back;
        all.extend(given);
        let result = lift.code(level, body)?;
        returned(&mut lift, level, &ret, &result, &mut types)
    });
    let body = body.and_then(|body| unless_empty(lift, width.name, &types, (None, body)));
    lift.b.loc = outer;
    let body = body?;
    Some(FunDef { name, entry: None, attrs, params: all, ret: types, body, loc })
}

/// The state for the body of a function for all points, given the parameters that differ and whether they are
/// consumed; its level, and the parameters that stand for them.
pub(super) fn inside_of_function<'l>(
    outer: &'l mut Lift<'_>,
    width: Name,
    own: &[(PatElem<Soacs>, bool)],
) -> Option<(Lift<'l>, LevelId, Vec<Param<Soacs>>)> {
    let mut lift = Lift {
        b: &mut *outer.b,
        signatures: outer.signatures,
        functions: &mut *outer.functions,
        stays: &mut *outer.stays,
        levels: vec![],
        shapes: vec![],
        values: FxHashMap::default(),
        known: Known::default(),
        given_back: None,
        known_sum: None,
    };
    let level = lift.add_level(width.into(), Points::Outermost);
    let pat: Vec<PatElem<Soacs>> = own.iter().map(|(p, _)| p.clone()).collect();
    let mut given = vec![];
    for (p, consumed) in own {
        for (name, ty) in lift.carried_names_of(level, &pat, p, "all") {
            let consumed = *consumed && ty.is_array();
            given.push(Param { name, ty, dec: (), consumed });
        }
    }
    let names: Vec<Name> = given.iter().map(|p| p.name).collect();
    lift.uncarried(level, &pat, &names)?;
    Some((lift, level, given))
}

/// Names and types for what a function returns.
pub(super) fn result_pat(lift: &mut Lift<'_>, ret: &[FunRet<Soacs>]) -> Option<Vec<PatElem<Soacs>>> {
    let names: Vec<Name> = ret.iter().map(|_| lift.b.names.fresh_str("ret")).collect();
    let size = |e: &ExtSize| match e {
        ExtSize::Free(e) => *e,
        ExtSize::Ext(i) => SubExp::Var(names[*i]),
    };
    let mut pat: Vec<PatElem<Soacs>> = vec![];
    for (name, r) in names.iter().zip(ret) {
        let ty = match &r.ty {
            RetType::Prim(prim) => Type::Prim(*prim),
            RetType::Array { elem, shape, .. } => Type::Array(*elem, shape.iter().map(size).collect()),
            RetType::Mem(_) => return None,
        };
        if ty == Type::UNIT {
            return None;
        }
        lift.b.types.insert(*name, ty.clone());
        pat.push(PatElem { name: *name, ty, dec: () });
    }
    Some(pat)
}

/// What a function for all points returns, and its types.
fn returned(
    lift: &mut Lift<'_>,
    level: LevelId,
    ret: &[FunRet<Soacs>],
    result: &[SubExp],
    types: &mut Vec<FunRet<Soacs>>,
) -> Option<Vec<SubExp>> {
    let pat = result_pat(lift, ret)?;
    let subst = result_subst(&pat, result);
    let mut operands = vec![];
    let mut places: FxHashMap<Name, usize> = FxHashMap::default();
    for (p, e) in pat.iter().zip(result) {
        // Nests return fresh arrays, so what is returned for all points may not be an argument, unless it was
        // taken over.
        let carried = lift.carried_one(level, &pat, &subst, (p, *e))?;
        let own = lift.given_back.is_some_and(|back| back.written && *e == SubExp::Var(back.result));
        operands.append(&mut if own { carried } else { fresh_data(lift, carried) });
        for (name, ty) in lift.carried_names_of(level, &pat, p, "ret") {
            places.insert(name, types.len());
            let ty = match ty {
                Type::Array(elem, dims) => {
                    let size = |d: &SubExp| match d.name().and_then(|n| places.get(&n)) {
                        Some(at) => ExtSize::Ext(*at),
                        None => ExtSize::Free(*d),
                    };
                    RetType::Array { elem, shape: dims.iter().map(size).collect(), unique: true }
                }
                Type::Prim(prim) => RetType::Prim(prim),
                Type::Acc(..) | Type::Mem(_) => return None,
            };
            types.push(FunRet { ty, dec: () });
        }
    }
    Some(operands)
}

/// The same, with data that nobody else has.
fn fresh_data(lift: &mut Lift<'_>, mut carried: Vec<SubExp>) -> Vec<SubExp> {
    if let Some(SubExp::Var(data)) = carried.pop() {
        let ty = lift.b.type_of(data.into());
        carried.push(lift.b.bind("copy", ty, Exp::Basic(Basic::Copy(data))).into());
    }
    carried
}

/// The parameters that differ from point to point, and whether they are consumed. Their types are in terms of
/// what is given for the others.
pub(super) fn varying_params(
    params: &[Param<Soacs>],
    differs: &[bool],
    same: &Subst,
) -> Vec<(PatElem<Soacs>, bool)> {
    let own = params.iter().zip(differs).filter(|(_, differs)| **differs);
    own.map(|(p, _)| {
        let mut ty = p.ty.clone();
        same.ty(&mut ty);
        (PatElem { name: p.name, ty, dec: () }, p.consumed)
    })
    .collect()
}
