//! Reductions and scans whose operator takes arrays, or has irregular operations in it: level by level.
//!
//! Each level is a map, which other rules flatten:
//!
//! ```text
//! reduce op ne xs                                      scan op ne xs
//!
//! loop (n, xs) while n > 1 do                          loop (d, xs) = (1, xs) while d < n do
//!   map (\i -> if 2 * i + 1 < n                          (2 * d, map (\i -> if d <= i
//!              then op xs[2 * i] xs[2 * i + 1]                             then op xs[i - d] xs[i]
//!              else xs[2 * i])                                            else xs[i]) (iota n))
//!       (iota ((n + 1) / 2))
//! in if length xs == 0 then ne else op ne xs[0]        where the first of xs is op ne xs[0]
//! ```
//!
//! A reduction applies the operator as often as there are elements, a scan up to log n times as often, for
//! the largest size n.

use super::level::Lift;
use super::operators::either;
use super::point::whole;
use super::screma::Combined;
use super::value::{LevelId, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::{rename_lambda, Subst};
use fehu_ir::types::body_types;
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Loop, LoopForm, Param, Soacs, SubExp, Type};

/// A reduction level by level.
pub(super) fn reduced_by_levels(
    lift: &mut Lift<'_>,
    level: LevelId,
    inner: LevelId,
    width: SubExp,
    c: Combined,
) -> Option<Vec<Value>> {
    let (xs, types) = whole_arrays(lift, level, inner, width, &c)?;
    let Combined { op, neutral, .. } = c;
    let body = lift.nested(|f| {
        let [first, one, two] = [0, 1, 2].map(SubExp::i64);
        let goes = f.b.cmp(CmpOp::SLt(IntType::I64), one, width);
        let rows = |n| types.iter().map(|t| t.array_of(&[n])).collect();
        let last = level_by_level(f, (goes, width), &xs, rows, |f, n, rows| {
            let more = f.b.add64(n, one);
            let half = f.b.bin(BinOp::SQuot(IntType::I64), more, two);
            let ys = at_each(f, half, &types, |f, i| {
                let left = f.b.mul64(i, two);
                let right = f.b.add64(left, one);
                let both = f.b.cmp(CmpOp::SLt(IntType::I64), right, n);
                combined_or(f, both, &op, rows, [left, right, left])
            })?;
            let goes = f.b.cmp(CmpOp::SLt(IntType::I64), one, half);
            Some(((goes, half), ys))
        })?;
        let none = f.b.cmp(CmpOp::SLt(IntType::I64), width, one);
        let yes = Body { stms: vec![], result: neutral.clone() };
        let no = f.nested(|f| {
            let mut operands = neutral.clone();
            for (x, t) in last.iter().zip(&types) {
                operands.push(row(f, *x, t, first));
            }
            Some(applied(f, &op, operands))
        })?;
        Some(either(f, none, yes, no, &types))
    })?;
    values_of(lift, level, body, &types)
}

/// A scan level by level.
pub(super) fn scanned_by_levels(
    lift: &mut Lift<'_>,
    level: LevelId,
    inner: LevelId,
    width: SubExp,
    c: Combined,
) -> Option<Vec<Value>> {
    let (xs, types) = whole_arrays(lift, level, inner, width, &c)?;
    let Combined { op, neutral, .. } = c;
    let arrays: Vec<Type> = types.iter().map(|t| t.array_of(&[width])).collect();
    let body = lift.nested(|f| {
        let [none, one] = [0, 1].map(SubExp::i64);
        let first = at_each(f, width, &types, |f, i| {
            let at_first = f.b.cmp(CmpOp::SLt(IntType::I64), i, one);
            let x: Vec<SubExp> = xs.iter().zip(&types).map(|(x, t)| row(f, *x, t, i)).collect();
            let yes = f.nested(|f| Some(applied(f, &op, neutral.iter().chain(&x).copied().collect())))?;
            let no = Body { stms: vec![], result: x };
            Some(either(f, at_first, yes, no, &types))
        })?;
        let goes = f.b.cmp(CmpOp::SLt(IntType::I64), one, width);
        let rows = |_| arrays.clone();
        let scanned = level_by_level(f, (goes, one), &first, rows, |f, d, rows| {
            let ys = at_each(f, width, &types, |f, i| {
                let before = f.b.sub64(i, d);
                let both = f.b.cmp(CmpOp::SLe(IntType::I64), none, before);
                combined_or(f, both, &op, rows, [before, i, i])
            })?;
            let twice = f.b.add64(d, d);
            let goes = f.b.cmp(CmpOp::SLt(IntType::I64), twice, width);
            Some(((goes, twice), ys))
        })?;
        Some(scanned.into_iter().map(SubExp::Var).collect())
    })?;
    values_of(lift, level, body, &arrays)
}

/// A loop over levels: whether it goes on and a number, from those of the first level to those of the next,
/// and arrays whose types depend on the number.
fn level_by_level(
    f: &mut Lift<'_>,
    start: (SubExp, SubExp),
    xs: &[Name],
    types: impl Fn(SubExp) -> Vec<Type>,
    next: impl FnOnce(&mut Lift<'_>, SubExp, &[Name]) -> Option<((SubExp, SubExp), Vec<Name>)>,
) -> Option<Vec<Name>> {
    let (going, n) = (f.b.param("goes", Type::BOOL), f.b.param("n", Type::I64));
    let rows: Vec<Param<Soacs>> = types(n.name.into()).into_iter().map(|ty| f.b.param("xs", ty)).collect();
    let names: Vec<Name> = rows.iter().map(|p| p.name).collect();
    let body = f.nested(|f| {
        let ((goes, number), ys) = next(f, n.name.into(), &names)?;
        Some([goes, number].into_iter().chain(ys.into_iter().map(SubExp::Var)).collect())
    })?;
    let form = LoopForm::While(going.name);
    let mut params = vec![(going, start.0), (n, start.1)];
    params.extend(rows.into_iter().zip(xs.iter().map(|x| SubExp::Var(*x))));
    let end = f.b.fresh("n", Type::I64);
    let mut pat = vec![(f.b.fresh("goes", Type::BOOL), Type::BOOL), (end, Type::I64)];
    for ty in types(end.into()) {
        pat.push((f.b.fresh("xs", ty.clone()), ty));
    }
    let last = pat[2..].iter().map(|(name, _)| *name).collect();
    f.b.bind_names(pat, Exp::Loop(Box::new(Loop { params, form, body })));
    Some(last)
}

/// The inputs of an operator as arrays of the points of a level, by names of the nest, and the types of their elements.
fn whole_arrays(
    lift: &mut Lift<'_>,
    level: LevelId,
    inner: LevelId,
    width: SubExp,
    c: &Combined,
) -> Option<(Vec<Name>, Vec<Type>)> {
    let mut names = vec![];
    for (e, ty) in c.inputs.iter().zip(&c.op.ret) {
        let (Value::Each(_, data) | Value::Flat(_, data)) = lift.conform(inner, *e, ty, &[])? else {
            return None;
        };
        let all = ty.array_of(&[width]);
        let value = lift.of_data(level, &all, data, &[])?;
        let name = lift.b.fresh("xs", all);
        lift.values.insert(name, value);
        names.push(name);
    }
    Some((names, c.op.ret.clone()))
}

/// Runs code at the points of a level, and gives its results.
fn values_of(lift: &mut Lift<'_>, level: LevelId, body: Body<Soacs>, types: &[Type]) -> Option<Vec<Value>> {
    let result = lift.code(level, body)?;
    result.iter().zip(types).map(|(e, ty)| lift.conform(level, *e, ty, &[])).collect()
}

/// A map over the numbers below another: code of the nest.
fn at_each(
    lift: &mut Lift<'_>,
    width: SubExp,
    types: &[Type],
    element: impl FnOnce(&mut Lift<'_>, SubExp) -> Option<Vec<SubExp>>,
) -> Option<Vec<Name>> {
    let ty = IntType::I64;
    let iota = Basic::Iota { n: width, start: SubExp::i64(0), step: SubExp::i64(1), ty };
    let numbers = lift.b.bind("numbers", Type::I64.array_of(&[width]), Exp::Basic(iota));
    let i = lift.b.param("i", Type::I64);
    let body = lift.nested(|f| element(f, i.name.into()))?;
    let map = Lambda { params: vec![i], body, ret: types.to_vec() };
    let screma = Screma { width, arrays: vec![numbers], scans: vec![], reds: vec![], map };
    let all = types.iter().map(|t| t.array_of(&[width])).collect();
    Some(lift.b.bind_all("ys", all, Exp::Op(Soac::Screma(screma))))
}

/// Two rows combined, or a third one: code of the nest.
fn combined_or(
    lift: &mut Lift<'_>,
    both: SubExp,
    op: &Lambda<Soacs>,
    xs: &[Name],
    [left, right, kept]: [SubExp; 3],
) -> Option<Vec<SubExp>> {
    let types = op.ret.clone();
    let rows = |f: &mut Lift<'_>, i: SubExp| -> Vec<SubExp> {
        xs.iter().zip(&types).map(|(x, t)| row(f, *x, t, i)).collect()
    };
    let yes = lift.nested(|f| {
        let mut operands = rows(f, left);
        operands.append(&mut rows(f, right));
        Some(applied(f, op, operands))
    })?;
    let no = lift.nested(|f| Some(rows(f, kept)))?;
    Some(either(lift, both, yes, no, &types))
}

/// A row of an array: code of the nest.
fn row(lift: &mut Lift<'_>, array: Name, ty: &Type, i: SubExp) -> SubExp {
    let mut slice = vec![DimIndex::Fix(i)];
    slice.extend(ty.shape().iter().map(|d| whole(*d)));
    lift.b.bind("x", ty.clone(), Exp::Basic(Basic::Index(array, slice))).into()
}

/// A copy of an operator on operands: code of the nest.
fn applied(lift: &mut Lift<'_>, op: &Lambda<Soacs>, operands: Vec<SubExp>) -> Vec<SubExp> {
    let op = rename_lambda(&mut lift.b.names, op);
    lift.b.types.extend(body_types(&op.body));
    let mut subst = Subst::new();
    for (p, e) in op.params.iter().zip(operands) {
        let own = match e {
            SubExp::Var(x) if p.consumed => {
                lift.b.bind("copy", p.ty.clone(), Exp::Basic(Basic::Copy(x))).into()
            }
            SubExp::Var(_) | SubExp::Const(_) => e,
        };
        subst.insert(p.name, own);
    }
    let mut body = op.body;
    subst.body(&mut body);
    body.stms.into_iter().for_each(|s| lift.b.push(s));
    body.result
}
