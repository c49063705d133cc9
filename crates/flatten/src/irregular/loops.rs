//! Rule of loops: a loop at each point is a loop of the host.
//!
//! Its parameters are the values of all points: one array for scalars and for arrays of one size, flat data
//! and their number for others, whose shape is computed anew in each iteration if the loop changes it.
//!
//! Where all points make the same number of iterations, that is all. Otherwise the loop goes on as long as
//! any point does; the body runs at the points that do, and the others keep what they have:
//!
//! ```text
//! loop x = a while c x do f x      loop (xs = as) while any (c xs) do
//!                                    let (going, places) = the points at which c holds
//!                                    let ys = f at going
//!                                    in map (\p -> if c xs[p] then ys[places[p]] else xs[p])
//! ```

use super::branch::At;
use super::level::Lift;
use super::value::{LevelId, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::soac::{Commutativity, Reduce, Screma, Soac};
use fehu_ir::subst::Subst;
use fehu_ir::{Body, Exp, Lambda, Loop, LoopForm, Param, PatElem, Soacs, Stm, SubExp, Type};

/// A loop at the points of a level.
pub(super) fn loops(lift: &mut Lift<'_>, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
    let Stm { pat, exp: Exp::Loop(l), .. } = stm else { return None };
    let Loop { params, form, body } = *l;
    if pat.iter().any(|p| matches!(p.ty, Type::Acc(..) | Type::Mem(_)) || p.ty == Type::UNIT) {
        return None;
    }
    let (inside, init): (Vec<PatElem<Soacs>>, Vec<SubExp>) =
        params.into_iter().map(|(p, e)| (PatElem { name: p.name, ty: p.ty, dec: () }, e)).unzip();
    let mut all_init = lift.carried(level, &inside, &init)?;
    let mut all = lift.carried_names(level, &inside, "p");
    let carried: Vec<Name> = all.iter().map(|(n, _)| *n).collect();
    let mut results = lift.carried_names(level, &pat, "out");
    let outs: Vec<Name> = results.iter().map(|(n, _)| *n).collect();
    let (form, new_body) = match form {
        LoopForm::For { var, ty, bound } if !lift.varies(bound) => {
            let body = lift.nested_host(|f| {
                f.uncarried(level, &inside, &carried)?;
                let result = f.code(level, body)?;
                f.carried(level, &inside, &result)
            })?;
            (LoopForm::For { var, ty, bound }, body)
        }
        LoopForm::For { var, ty, bound } => {
            let (zero, one) = (SubExp::int(ty, 0), SubExp::int(ty, 1));
            let int = Type::Prim(PrimType::Int(ty));
            let lt = CmpOp::SLt(ty);
            let any = any_point(lift, level, |f| f.b.cmp(lt, zero, bound))?;
            let going = lift.b.fresh("going", Type::BOOL);
            lift.b.types.insert(var, int.clone());
            let body = lift.nested_host(|f| {
                f.uncarried(level, &inside, &carried)?;
                let goes = condition(f, level, |f| f.b.cmp(lt, var.into(), bound))?;
                let next = f.b.bin(BinOp::Add(ty), var.into(), one);
                let mut result = iteration(f, level, &inside, goes, body)?.0;
                let any = any_point(f, level, |f| f.b.cmp(lt, next, bound))?;
                result.splice(0..0, [any, next]);
                Some(result)
            })?;
            let index = lift.b.fresh("i", int.clone());
            let end = lift.b.fresh("going", Type::BOOL);
            all.splice(0..0, [(going, Type::BOOL), (var, int.clone())]);
            all_init.splice(0..0, [any, zero]);
            results.splice(0..0, [(end, Type::BOOL), (index, int)]);
            (LoopForm::While(going), body)
        }
        LoopForm::While(cond) => {
            let at = inside.iter().position(|p| p.name == cond)?;
            let first = init[at];
            let any = any_point(lift, level, |_| first)?;
            let going = lift.b.fresh("going", Type::BOOL);
            let body = lift.nested_host(|f| {
                f.uncarried(level, &inside, &carried)?;
                let (mut result, next) = iteration(f, level, &inside, cond, body)?;
                let any = any_point(f, level, |_| next[at].into())?;
                result.insert(0, any);
                Some(result)
            })?;
            let end = lift.b.fresh("going", Type::BOOL);
            all.insert(0, (going, Type::BOOL));
            all_init.insert(0, any);
            results.insert(0, (end, Type::BOOL));
            (LoopForm::While(going), body)
        }
    };
    let param = |(name, ty)| Param { name, ty, dec: (), consumed: false };
    let params = all.into_iter().map(param).zip(all_init).collect();
    lift.b.bind_names(results, Exp::Loop(Box::new(Loop { params, form, body: new_body })));
    lift.uncarried(level, &pat, &outs)
}

/// One iteration at the points at which a condition holds. Gives what is carried to the next one, and its names.
fn iteration(
    lift: &mut Lift<'_>,
    level: LevelId,
    inside: &[PatElem<Soacs>],
    goes: Name,
    body: Body<Soacs>,
) -> Option<(Vec<SubExp>, Vec<Name>)> {
    let divided = lift.divide(level, goes.into())?;
    let yes = lift.side(divided.yes, At::First, inside, body)?;
    let number = lift.b.fresh("p", Type::I64);
    lift.values.insert(number, Value::Number(level));
    let old: Vec<SubExp> = inside.iter().map(|p| p.name.into()).collect();
    let no = lift.side_of(level, At::Own(number), inside, &old)?;
    let next: Vec<Name> = inside.iter().map(|p| lift.b.fresh("next", p.ty.clone())).collect();
    let subst: Subst = inside.iter().map(|p| p.name).zip(next.iter().map(|n| SubExp::Var(*n))).collect();
    let pat: Vec<PatElem<Soacs>> = inside
        .iter()
        .zip(&next)
        .map(|(p, name)| {
            let mut ty = p.ty.clone();
            subst.ty(&mut ty);
            lift.b.types.insert(*name, ty.clone());
            PatElem { name: *name, ty, dec: () }
        })
        .collect();
    lift.joined_sides(level, &pat, goes.into(), &divided, [&yes, &no])?;
    let result: Vec<SubExp> = next.iter().map(|n| SubExp::Var(*n)).collect();
    Some((lift.carried(level, inside, &result)?, next))
}

/// A condition at all points, as a name of the nest.
fn condition(
    lift: &mut Lift<'_>,
    level: LevelId,
    cond: impl FnOnce(&mut Lift<'_>) -> SubExp,
) -> Option<Name> {
    let body = lift.nested(|f| Some(vec![cond(f)]))?;
    let array = lift.map(level, body, &[Type::BOOL])?[0];
    let name = lift.b.fresh("goes", Type::BOOL);
    lift.values.insert(name, Value::Each(level, array));
    Some(name)
}

/// Whether a condition holds at any point.
fn any_point(
    lift: &mut Lift<'_>,
    level: LevelId,
    cond: impl FnOnce(&mut Lift<'_>) -> SubExp,
) -> Option<SubExp> {
    over_points(lift, level, ("any", BinOp::LogOr, SubExp::bool(false)), cond)
}

/// The conditions of all points, combined by an operator: a name for that, the operator and its neutral element.
pub(super) fn over_points(
    lift: &mut Lift<'_>,
    level: LevelId,
    (base, op, neutral): (&str, BinOp, SubExp),
    cond: impl FnOnce(&mut Lift<'_>) -> SubExp,
) -> Option<SubExp> {
    let body = lift.nested(|f| Some(vec![cond(f)]))?;
    let array = lift.map(level, body, &[Type::BOOL])?[0];
    let [x, y, z] = ["x", "y", "z"].map(|base| lift.b.param(base, Type::BOOL));
    let op = lift.nested(|f| Some(vec![f.b.bin(op, x.name.into(), y.name.into())]))?;
    let op = Lambda { params: vec![x, y], body: op, ret: vec![Type::BOOL] };
    let result = vec![z.name.into()];
    let map = Lambda { params: vec![z], body: Body { stms: vec![], result }, ret: vec![Type::BOOL] };
    let reds = vec![Reduce { comm: Commutativity::Commutative, op, neutral: vec![neutral] }];
    let width = lift.width(level);
    let screma = Soac::Screma(Screma { width, arrays: vec![array], scans: vec![], reds, map });
    Some(lift.b.bind(base, Type::BOOL, Exp::Op(screma)).into())
}
