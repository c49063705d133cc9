//! Rule of calls: a function that points of a nest call is called once, for all of them.
//!
//! It has a version that takes what all points have: for a scalar, or an array of one size, an array of them; for arrays whose sizes
//! differ, flat data and their number. Parameters that are the same at all points stay what they are. Its body is flattened
//! like that of a nest.
//!
//! ```text
//! fun f(n : i64, xs : [n]f32) : f32        fun f_lifted(width : i64, ns : [width]i64, total : i64, xs : [total]f32) : [width]f32
//! ... f(m, ys) at each point               if width == 0 then empty arrays else f_lifted(width, ms, total, ys)
//! ```
//!
//! Recursion is level by level: all calls of one depth that are made at one place of the function are one call. It ends because nobody
//! calls for no points at all. A function that calls itself at two places may double the calls with each depth.
//!
//! Which functions are called like this: those that call themselves, and those in which sizes differ from point to point. Others
//! are code of single points.

use super::branch::result_subst;
use super::level::Lift;
use super::value::{Known, LevelId, Points};
use fehu_base::ops::CmpOp;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::subst::{rename_fun, Subst};
use fehu_ir::types::body_types;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Exp, ExtSize, FunDef, FunRet, Param, PatElem, RetType, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// A call at the points of a level.
pub(super) fn call(lift: &mut Lift<'_>, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
    let Stm { pat, exp: Exp::Call(fun, args), .. } = stm else { return None };
    let source = lift.functions.source.get(&fun)?;
    let differs = differing(lift, source, &args);
    let params = source.params.clone();
    let lifted = lifted_function(lift, fun, &differs)?;
    let width = lift.width(level);
    let mut all = vec![width];
    let mut same = Subst::new();
    for ((p, e), _) in params.iter().zip(&args).zip(&differs).filter(|(_, differs)| !**differs) {
        all.push(*e);
        same.insert(p.name, *e);
    }
    let (own, given) = varying_params(&params, &differs, &args, &same);
    let (own, consumed): (Vec<PatElem<Soacs>>, Vec<bool>) = own.into_iter().unzip();
    let subst = result_subst(&own, &given);
    for ((p, e), consumed) in own.iter().zip(&given).zip(consumed) {
        let carried = lift.carried_one(level, &own, &subst, (p, *e))?;
        all.extend(if consumed { fresh_data(lift, carried) } else { carried });
    }
    let results = lift.carried_names(level, &pat, "out");
    let none = lift.b.cmp(CmpOp::Eq(PrimType::I64), width, SubExp::i64(0));
    let nothing = lift.nested(|f| Some(nothing(f, &results)))?;
    let called = lift.nested(|f| {
        let own = f.carried_names(level, &pat, "out");
        let names = own.iter().map(|(n, _)| SubExp::Var(*n)).collect();
        f.b.bind_names(own, Exp::Call(lifted, all));
        Some(names)
    })?;
    lift.b.bind_names(results.clone(), Exp::If(none, Box::new(nothing), Box::new(called)));
    let names: Vec<Name> = results.into_iter().map(|(n, _)| n).collect();
    lift.uncarried(level, &pat, &names)
}

/// Which parameters of a function differ from point to point: those whose arguments do, and arrays whose sizes do.
fn differing(lift: &Lift<'_>, fun: &FunDef<Soacs>, args: &[SubExp]) -> Vec<bool> {
    let differs: Vec<bool> = args.iter().map(|e| lift.varies(*e)).collect();
    let size = |d: &SubExp| {
        let at = d.name().and_then(|n| fun.params.iter().position(|p| p.name == n));
        at.is_some_and(|i| differs[i])
    };
    let sized = fun.params.iter().map(|p| p.ty.shape().iter().any(size));
    sized.zip(&differs).map(|(sized, differs)| sized || *differs).collect()
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

/// The function for all points.
fn lifted_function(lift: &mut Lift<'_>, fun: Name, differs: &[bool]) -> Option<Name> {
    let call = (fun, differs.to_vec());
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
    match deep(|| definition(lift, name, source, differs)) {
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
    differs: &[bool],
) -> Option<FunDef<Soacs>> {
    let FunDef { params, ret, body, attrs, loc, .. } = source;
    let width = lift.b.param("width", Type::I64);
    let mut all = vec![width.clone()];
    let same = params.iter().zip(differs).filter(|(_, differs)| !**differs).map(|(p, _)| p.clone());
    all.extend(same);
    let operands: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
    let (own, _) = varying_params(&params, differs, &operands, &Subst::new());
    let outer = std::mem::replace(&mut lift.b.loc, loc.clone());
    let mut types = vec![];
    let body = lift.nested(|f| {
        let mut lift = Lift {
            b: &mut *f.b,
            signatures: f.signatures,
            functions: &mut *f.functions,
            stays: &mut *f.stays,
            levels: vec![],
            shapes: vec![],
            values: FxHashMap::default(),
            known: Known::default(),
        };
        let level = lift.add_level(width.name.into(), Points::Outermost);
        let pat: Vec<PatElem<Soacs>> = own.iter().map(|(p, _)| p.clone()).collect();
        let mut given = vec![];
        for (p, consumed) in &own {
            for (name, ty) in lift.carried_names_of(level, &pat, p, "all") {
                let consumed = *consumed && ty.is_array();
                all.push(Param { name, ty, dec: (), consumed });
                given.push(name);
            }
        }
        lift.uncarried(level, &pat, &given)?;
        let result = lift.code(level, body)?;
        returned(&mut lift, level, &ret, &result, &mut types)
    });
    lift.b.loc = outer;
    let body = body?;
    Some(FunDef { name, entry: None, attrs, params: all, ret: types, body, loc })
}

/// What a function for all points returns, and its types.
fn returned(
    lift: &mut Lift<'_>,
    level: LevelId,
    ret: &[FunRet<Soacs>],
    result: &[SubExp],
    types: &mut Vec<FunRet<Soacs>>,
) -> Option<Vec<SubExp>> {
    let names: Vec<Name> = result.iter().map(|_| lift.b.names.fresh_str("ret")).collect();
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
    let subst = result_subst(&pat, result);
    let mut operands = vec![];
    let mut places: FxHashMap<Name, usize> = FxHashMap::default();
    for (p, e) in pat.iter().zip(result) {
        // Nests return fresh arrays, so what is returned for all points may not be an argument.
        let carried = lift.carried_one(level, &pat, &subst, (p, *e))?;
        operands.append(&mut fresh_data(lift, carried));
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

/// The parameters that differ from point to point, whether they are consumed, and what is given for them. Their types are in terms of
/// what is given for the others.
fn varying_params(
    params: &[Param<Soacs>],
    differs: &[bool],
    args: &[SubExp],
    same: &Subst,
) -> (Vec<(PatElem<Soacs>, bool)>, Vec<SubExp>) {
    let own = params.iter().zip(args).zip(differs).filter(|(_, differs)| **differs);
    own.map(|((p, e), _)| {
        let mut ty = p.ty.clone();
        same.ty(&mut ty);
        ((PatElem { name: p.name, ty, dec: () }, p.consumed), *e)
    })
    .unzip()
}
