//! Arrays, and what is combined with them as a whole.

use super::all;
use super::nest::Gives;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::soac::{Hist, HistOp, Screma, Soac};
use fehu_ir::subst::{rename_lambda, Subst};
use fehu_ir::{AccInput, Basic, Builder, DimIndex, Exp, Lambda, Param, Slice, Soacs, SubExp, Type};
use rustc_hash::FxHashMap;

/// The arrays of an input, combined with values.
pub(super) fn combined(
    b: &mut Builder<Soacs>,
    input: &AccInput<Soacs>,
    fills: &FxHashMap<Name, SubExp>,
    arrays: &[Name],
    gives: Gives,
) -> Vec<Name> {
    let Some((op, neutral)) = &input.op else { fehu_base::bug!("nothing is combined without an operator") };
    match gives {
        Gives::Bins { width, arrays: inputs, lambda } => {
            let types: Vec<Type> = arrays.iter().map(|a| b.type_of((*a).into())).collect();
            let op = HistOp {
                shape: input.shape.clone(),
                dests: arrays.to_vec(),
                neutral: neutral.clone(),
                op: rename_lambda(&mut b.names, op),
            };
            let hist = Hist { width, arrays: inputs, ops: vec![op], lambda };
            b.bind_all("bins", types, Exp::Op(Soac::Hist(hist)))
        }
        Gives::Elements { at, values } if at.iter().all(Option::is_none) && !at.is_empty() => {
            let is_neutral = arrays.iter().zip(neutral).all(|(a, e)| fills.get(a) == Some(e));
            let values: Vec<Name> = values.into_iter().filter_map(SubExp::name).collect();
            match is_neutral {
                true => values,
                false => elementwise(
                    b,
                    op,
                    &input.shape,
                    &arrays.iter().copied().chain(values).collect::<Vec<_>>(),
                ),
            }
        }
        Gives::Elements { at, values } => part(b, input, op, arrays, (&at, values)),
    }
}

/// The operator on arrays of a shape.
fn elementwise(b: &mut Builder<Soacs>, op: &Lambda<Soacs>, shape: &[SubExp], arrays: &[Name]) -> Vec<Name> {
    let Some((width, inner)) = shape.split_first() else { fehu_base::bug!("elements of no array") };
    let rows: Vec<Type> = arrays.iter().map(|a| b.type_of((*a).into()).peel(1)).collect();
    let params: Vec<Param<Soacs>> = rows.into_iter().map(|t| b.param("x", t)).collect();
    let names: Vec<Name> = params.iter().map(|p| p.name).collect();
    b.begin();
    let result = match inner.is_empty() {
        true => applied(b, op, &names.iter().map(|n| (*n).into()).collect::<Vec<_>>()),
        false => elementwise(b, op, inner, &names).into_iter().map(SubExp::Var).collect(),
    };
    let body = b.end(result);
    let ret: Vec<Type> = body.result.iter().map(|e| b.type_of(*e)).collect();
    let types = ret.iter().map(|t| t.array_of(&[*width])).collect();
    let map = Lambda { params, body, ret };
    let exp = Screma { width: *width, arrays: arrays.to_vec(), scans: vec![], reds: vec![], map };
    b.bind_all("sum", types, Exp::Op(Soac::Screma(exp)))
}

/// The operator on scalars.
fn applied(b: &mut Builder<Soacs>, op: &Lambda<Soacs>, operands: &[SubExp]) -> Vec<SubExp> {
    let mut op = rename_lambda(&mut b.names, op);
    let mut subst = Subst::new();
    for (p, e) in op.params.iter().zip(operands) {
        subst.insert(p.name, *e);
    }
    subst.body(&mut op.body);
    op.body.stms.into_iter().for_each(|s| b.push(s));
    op.body.result
}

/// Arrays with the operator applied to those elements that have an index in some dimensions, if it is within
/// them.
fn part(
    b: &mut Builder<Soacs>,
    input: &AccInput<Soacs>,
    op: &Lambda<Soacs>,
    arrays: &[Name],
    (at, values): (&[Option<SubExp>], Vec<SubExp>),
) -> Vec<Name> {
    let mut inside = SubExp::bool(true);
    for (i, n) in at.iter().zip(&input.shape) {
        let Some(i) = i else { continue };
        let least = b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(0), *i);
        let below = b.cmp(CmpOp::SLt(IntType::I64), *i, *n);
        let both = b.bin(BinOp::LogAnd, least, below);
        inside = b.bin(BinOp::LogAnd, inside, both);
    }
    let slice: Slice =
        (at.iter().zip(&input.shape)).map(|(i, n)| i.map_or_else(|| all(*n), DimIndex::Fix)).collect();
    let types: Vec<Type> = arrays.iter().map(|a| b.type_of((*a).into())).collect();
    let shape: Vec<SubExp> = slice.iter().filter_map(DimIndex::length).collect();
    b.begin();
    let mut operands = vec![];
    for (a, ty) in arrays.iter().zip(&types) {
        let Some(p) = ty.elem() else { fehu_base::bug!("an accumulator of no values") };
        let ty = Type::Prim(p).array_of(&shape);
        operands.push(b.bind("old", ty, Exp::Basic(Basic::Index(*a, slice.clone()))).into());
    }
    operands.extend(values);
    let new: Vec<SubExp> = match shape.is_empty() {
        true => applied(b, op, &operands),
        false => {
            let operands: Vec<Name> = operands.into_iter().filter_map(SubExp::name).collect();
            elementwise(b, op, &shape, &operands).into_iter().map(SubExp::Var).collect()
        }
    };
    let mut result = vec![];
    for ((a, ty), e) in arrays.iter().zip(&types).zip(new) {
        let exp = Exp::Basic(Basic::Update(*a, slice.clone(), e));
        result.push(b.bind("with", ty.clone(), exp).into());
    }
    let yes = b.end(result);
    b.begin();
    let no = b.end(arrays.iter().map(|a| (*a).into()).collect());
    b.bind_all("with", types, Exp::If(inside, Box::new(yes), Box::new(no)))
}
