//! Rule of filters: a filter at each point is one filter of the elements of all points.
//!
//! Elements that are kept stay in their order, so those of each point are together, and are flat data as they are. How many
//! each point keeps is the difference of two sums over all elements: those up to its last, and those before its first.
//!
//! ```text
//! elements   4 1 | | 5 2 6      kept where even: data 4 2 6
//! sums       1 1     1 2 3      counts 1, 0, 2
//! ```

use super::level::Lift;
use super::value::{LevelId, Points, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::soac::{Filter, Soac};
use fehu_ir::{Body, Exp, Lambda, Soacs, Stm, SubExp, Type};

/// A filter at the points of a level.
pub(super) fn filter(lift: &mut Lift<'_>, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
    let Exp::Op(Soac::Filter(f)) = stm.exp else { return None };
    let inner = lift.inner(level, &[f.width], &stm.certs)?;
    let results = lift.lambda(level, inner, (f.lambda, &f.arrays), &stm.certs)?;
    let mut inputs = vec![];
    for (e, ty) in &results {
        let Value::Each(_, array) = lift.conform(inner, *e, ty, &[])? else { return None };
        inputs.push(array);
    }
    let conditions = f.kept.len();
    for (p, holds) in stm.pat.iter().zip(&inputs[..conditions]) {
        let counts = counts(lift, level, inner, f.width, *holds)?;
        lift.values.insert(p.name, Value::Each(level, counts));
    }
    let width = lift.width(inner);
    let (arrays, params) = lift.elements(inputs.iter());
    let ret: Vec<Type> = params.iter().map(|p| p.ty.clone()).collect();
    let result = params.iter().map(|p| SubExp::Var(p.name)).collect();
    let lambda = Lambda { params, body: Body { stms: vec![], result }, ret: ret.clone() };
    let filter = Filter { width, arrays, kept: f.kept, lambda };
    let mut pat: Vec<(Name, Type)> = vec![];
    for _ in 0..conditions {
        pat.push((lift.b.fresh("count", Type::I64), Type::I64));
    }
    for (k, ty) in filter.conditions().zip(&ret[conditions..]) {
        let ty = ty.array_of(&[pat[k].0.into()]);
        pat.push((lift.b.fresh("kept", ty.clone()), ty));
    }
    lift.b.bind_names(pat.clone(), Exp::Op(Soac::Filter(filter)));
    for (p, (data, _)) in stm.pat.iter().zip(&pat).skip(conditions) {
        let value = lift.of_data(level, &p.ty, *data, &stm.certs)?;
        lift.values.insert(p.name, value);
    }
    Some(())
}

/// For how many elements of each point a condition holds.
fn counts(lift: &mut Lift<'_>, level: LevelId, inner: LevelId, width: SubExp, holds: Name) -> Option<Name> {
    let all = lift.width(inner);
    let c = lift.b.param("c", Type::BOOL);
    let steps = lift.nested(|f| Some(vec![f.b.conv(ConvOp::BToI(IntType::I64), c.name.into())]))?;
    let steps = lift.host_map(all, vec![(holds, c)], steps, &[Type::I64])[0];
    let sums = lift.scan(all, steps, BinOp::Add(IntType::I64));
    let size = match &lift.levels[inner.0].points {
        Points::Elements(shape) => {
            let sizes = lift.shapes[shape.0].sizes;
            let size = lift.b.fresh("size", Type::I64);
            lift.values.insert(size, Value::Each(level, sizes));
            size.into()
        }
        Points::Rows(..) | Points::Outermost | Points::Selected(..) => width,
    };
    let body = lift.nested(|f| {
        let start = f.start_of(level, inner);
        let none = f.b.cmp(CmpOp::Eq(PrimType::I64), size, SubExp::i64(0));
        let some = f.nested(|f| {
            let end = f.b.add64(start, size);
            let last = f.b.sub64(end, SubExp::i64(1));
            let upto = f.element_of(sums.into(), &[last])?;
            let first = f.b.cmp(CmpOp::Eq(PrimType::I64), start, SubExp::i64(0));
            let later = f.nested(|f| {
                let place = f.b.sub64(start, SubExp::i64(1));
                Some(vec![f.element_of(sums.into(), &[place])?])
            })?;
            let zero = Body { stms: vec![], result: vec![SubExp::i64(0)] };
            let exp = Exp::If(first, Box::new(zero), Box::new(later));
            let before = f.b.bind("before", Type::I64, exp);
            Some(vec![f.b.sub64(upto, before.into())])
        })?;
        let zero = Body { stms: vec![], result: vec![SubExp::i64(0)] };
        let exp = Exp::If(none, Box::new(zero), Box::new(some));
        Some(vec![f.b.bind("count", Type::I64, exp).into()])
    })?;
    Some(lift.map(level, body, &[Type::I64])?[0])
}
