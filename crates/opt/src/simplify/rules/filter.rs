//! Filters that keep nothing, or of which it is known what they keep.
//!
//! ```text
//! let (m) = filter n [xs] kept 0 map \x -> (p x)      =>    let (m) = screma n [xs] reduce (+) 0 map \x -> i64.bool (p x)
//! let (m, ys) = filter n [xs] kept 1 map \x -> (true, f x)   =>   let (m) = n, let (ys) = screma n [xs] map \x -> f x
//! ```

use super::Rewrite;
use crate::simplify::engine::Engine;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimValue};
use fehu_ir::op::RepOp;
use fehu_ir::soac::{Commutativity, Filter, Reduce, Screma, Soac};
use fehu_ir::{Basic, Body, Exp, Lambda, Param, Rep, Stm, SubExp, Type};

fn filter<R: Rep>(stm: &Stm<R>) -> Option<&Filter<R>> {
    let Exp::Op(op) = &stm.exp else { return None };
    match op.as_soac()? {
        Soac::Filter(f) => Some(f),
        Soac::Screma(_) | Soac::Hist(_) | Soac::Scatter(_) | Soac::Ad(_) => None,
    }
}

/// Where only numbers are wanted, they are sums.
pub(super) fn counted<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let f = filter(stm)?;
    if f.kept.iter().any(|n| *n > 0) || f.kept.is_empty() {
        return None;
    }
    let mut map = f.lambda.clone();
    for (e, ty) in map.body.result.iter_mut().zip(&mut map.ret) {
        let number = Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), *e));
        let (name, stm) = engine.fresh_stm("one", Type::I64, &stm.loc, number);
        map.body.stms.push(stm);
        (*e, *ty) = (name.into(), Type::I64);
    }
    let mut sum = || {
        let mut param =
            || Param { name: engine.names.fresh_str("x"), ty: Type::I64, dec: (), consumed: false };
        let params = vec![param(), param()];
        let add = Basic::BinOp(BinOp::Add(IntType::I64), params[0].name.into(), params[1].name.into());
        let (name, add) = engine.fresh_stm("sum", Type::I64, &stm.loc, Exp::Basic(add));
        let body = Body { stms: vec![add], result: vec![name.into()] };
        let op = Lambda { params, body, ret: vec![Type::I64] };
        Reduce { comm: Commutativity::Commutative, op, neutral: vec![SubExp::i64(0)] }
    };
    let reds = f.kept.iter().map(|_| sum()).collect();
    let sums = Screma { width: f.width, arrays: f.arrays.clone(), scans: vec![], reds, map };
    Some(Rewrite::Exp(Exp::Op(R::Op::from_soac(Soac::Screma(sums))?)))
}

/// Where all conditions hold everywhere or nowhere, filters are maps, or nothing.
pub(super) fn known<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let f = filter(stm)?;
    let (conditions, values) = f.lambda.body.result.split_at(f.kept.len());
    let holds = conditions.iter().map(|e| match e {
        SubExp::Const(PrimValue::Bool(b)) => Some(*b),
        SubExp::Const(_) | SubExp::Var(_) => None,
    });
    let holds: Vec<bool> = holds.collect::<Option<_>>()?;
    let (counts, arrays) = stm.pat.split_at(f.kept.len());
    let mut stms = vec![];
    for (p, holds) in counts.iter().zip(&holds) {
        let count = if *holds { f.width } else { SubExp::i64(0) };
        stms.push(Stm { pat: vec![p.clone()], exp: Exp::Basic(Basic::SubExp(count)), ..stm.clone() });
    }
    let (mut pat, mut result, mut ret) = (vec![], vec![], vec![]);
    let types = &f.lambda.ret[f.kept.len()..];
    for (((p, k), e), ty) in arrays.iter().zip(f.conditions()).zip(values).zip(types) {
        if holds[k] {
            pat.push(p.clone());
            result.push(*e);
            ret.push(ty.clone());
        } else {
            let nothing = Exp::Basic(Basic::Scratch(p.ty.elem()?, p.ty.shape().to_vec()));
            stms.push(Stm { pat: vec![p.clone()], exp: nothing, ..stm.clone() });
        }
    }
    if !pat.is_empty() {
        let Lambda { params, body, .. } = f.lambda.clone();
        let map = Lambda { params, body: Body { result, ..body }, ret };
        let map = Screma { width: f.width, arrays: f.arrays.clone(), scans: vec![], reds: vec![], map };
        let exp = Exp::Op(R::Op::from_soac(Soac::Screma(map))?);
        stms.push(Stm { pat, exp, ..stm.clone() });
    }
    Some(Rewrite::Stms(stms))
}
