//! Parallel combinators.

use crate::code::{Code, Emit, Mark, Res};
use crate::lowerer::Lowerer;
use crate::sizes::Origin;
use crate::value::{names, Data, Dim, Ty, Value};
use fehu_base::ops::UnOp;
use fehu_base::Name;
use fehu_ir::soac::{Commutativity, Filter, Hist, HistOp, Reduce, Scan, Scatter, ScatterDest, Screma, Soac};
use fehu_ir::{AccInput, Basic, Body, Exp, Lambda, Soacs, SubExp, Type, WithAcc};

type L = Lambda<Soacs>;

/// A core lambda from a function value, its arguments' types, and what is known of the type of its
/// result outside of it.
pub(crate) fn lambda<'a>(
    cx: &mut Lowerer<'a>,
    f: &Value<'a>,
    args: &[Ty],
    hint: Option<&Ty>,
) -> Res<(L, Ty)> {
    let mark = cx.code.mark();
    let mut params = vec![];
    let mut values = vec![];
    for ty in args {
        let (ps, d) = cx.code.params_of(ty);
        params.extend(ps);
        values.push(Value::Data(d));
    }
    let attrs = std::mem::take(&mut cx.code.b.attrs);
    let body = cx.body(|l| l.apply(f.clone(), values));
    cx.code.b.attrs = attrs;
    let (body, v) = body?;
    let d = cx.code.data(v)?;
    let ty = invariant_type(&mut cx.code, mark, &d.ty, hint, &body)?;
    let lambda = Lambda { params, body: Body { result: d.leaves, ..body }, ret: ty.leaves() };
    Ok((lambda, ty))
}

/// The type of a lambda's result, in terms of what is known outside of it. Where the checker did
/// not name a size, the code that computes it must not depend on the parameters, and is copied out.
fn invariant_type(code: &mut Code, mark: Mark, ty: &Ty, hint: Option<&Ty>, body: &Body<Soacs>) -> Res<Ty> {
    let hints = hint.map(Ty::dims).unwrap_or_default();
    let mut problem = false;
    let mut i = 0;
    let mut copied = rustc_hash::FxHashMap::default();
    let result = ty.map_dims(&mut |d| {
        let h = hints.get(i).copied().unwrap_or(Dim::Unknown);
        i += 1;
        if let Dim::Known(_) = h {
            return h;
        }
        match d {
            Dim::Known(e) if mark.outside(e) => d,
            Dim::Known(e) => match copy_out(code, mark, e, body, &mut copied) {
                Some(e) => Dim::Known(e),
                None => {
                    problem = true;
                    d
                }
            },
            Dim::Unknown => Dim::Known(SubExp::i64(0)),
        }
    });
    if problem {
        return Err(code.unsupported("an array whose rows may have different sizes"));
    }
    Ok(result)
}

/// Copies the scalar code that computes an operand out of a body, if it depends on nothing inside.
fn copy_out(
    code: &mut Code,
    mark: Mark,
    e: SubExp,
    body: &Body<Soacs>,
    copied: &mut rustc_hash::FxHashMap<Name, SubExp>,
) -> Option<SubExp> {
    if mark.outside(e) {
        return Some(e);
    }
    let SubExp::Var(n) = e else { return Some(e) };
    if let Some(done) = copied.get(&n) {
        return Some(*done);
    }
    let stm = body.stms.iter().find(|s| s.pat.len() == 1 && s.pat[0].name == n)?;
    let mut go = |l: &mut Code, x: SubExp| copy_out(l, mark, x, body, copied);
    let exp = match &stm.exp {
        Exp::Basic(Basic::SubExp(x)) => Exp::Basic(Basic::SubExp(go(code, *x)?)),
        Exp::Basic(Basic::UnOp(op, x)) => Exp::Basic(Basic::UnOp(*op, go(code, *x)?)),
        Exp::Basic(Basic::BinOp(op, x, y)) => Exp::Basic(Basic::BinOp(*op, go(code, *x)?, go(code, *y)?)),
        Exp::Basic(Basic::CmpOp(op, x, y)) => Exp::Basic(Basic::CmpOp(*op, go(code, *x)?, go(code, *y)?)),
        Exp::Basic(Basic::Conv(op, x)) => Exp::Basic(Basic::Conv(*op, go(code, *x)?)),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    let new: SubExp = code.b.bind("n", stm.pat[0].ty.clone(), exp).into();
    copied.insert(n, new);
    Some(new)
}

/// `map f xs`.
pub(crate) fn map<'a>(cx: &mut Lowerer<'a>, f: &Value<'a>, xs: Data, hint: Option<&Ty>) -> Res<Value<'a>> {
    let Some((n, elem)) = xs.ty.elem() else { fehu_base::bug!("map over {:?}", xs.ty) };
    let elem = elem.clone();
    let (map, ty) = lambda(cx, f, &[elem], hint)?;
    let arrays = names(&xs.leaves);
    let types = map.ret.iter().map(|t| t.array_of(&[n])).collect();
    let soac = Soac::Screma(Screma { width: n, arrays, scans: vec![], reds: vec![], map });
    let leaves = screma(&mut cx.code, types, soac);
    Ok(Value::Data(Data { ty: ty.array(n), leaves }))
}

fn screma(code: &mut Code, types: Vec<Type>, soac: Soac<Soacs>) -> Vec<SubExp> {
    code.b.bind_all("t", types, Exp::Op(soac)).into_iter().map(SubExp::Var).collect()
}

/// The identity on elements of a type.
fn identity(code: &mut Code, ty: &Ty) -> L {
    let (params, d) = code.params_of(ty);
    Lambda { params, body: Body { stms: vec![], result: d.leaves }, ret: ty.leaves() }
}

/// `reduce op ne xs`.
pub(crate) fn reduce<'a>(
    cx: &mut Lowerer<'a>,
    comm: Commutativity,
    op: &Value<'a>,
    ne: Data,
    xs: Data,
) -> Res<Value<'a>> {
    let Some((n, elem)) = xs.ty.elem() else { fehu_base::bug!("reduce over {:?}", xs.ty) };
    let elem = elem.clone();
    let (op, _) = lambda(cx, op, &[elem.clone(), elem.clone()], Some(&elem))?;
    let map = identity(&mut cx.code, &elem);
    let red = Reduce { comm, op, neutral: ne.leaves };
    let soac =
        Soac::Screma(Screma { width: n, arrays: names(&xs.leaves), scans: vec![], reds: vec![red], map });
    let leaves = screma(&mut cx.code, elem.leaves(), soac);
    Ok(Value::Data(Data { ty: elem, leaves }))
}

/// `scan op ne xs`.
pub(crate) fn scan<'a>(cx: &mut Lowerer<'a>, op: &Value<'a>, ne: Data, xs: Data) -> Res<Value<'a>> {
    let Some((n, elem)) = xs.ty.elem() else { fehu_base::bug!("scan over {:?}", xs.ty) };
    let elem = elem.clone();
    let (op, _) = lambda(cx, op, &[elem.clone(), elem.clone()], Some(&elem))?;
    let map = identity(&mut cx.code, &elem);
    let scan = Scan { op, neutral: ne.leaves };
    let soac =
        Soac::Screma(Screma { width: n, arrays: names(&xs.leaves), scans: vec![scan], reds: vec![], map });
    let types = elem.leaves().iter().map(|t| t.array_of(&[n])).collect();
    let leaves = screma(&mut cx.code, types, soac);
    Ok(Value::Data(Data { ty: elem.array(n), leaves }))
}

/// `scatter dest is vs`, with indices of `rank` components.
pub(crate) fn scatter(code: &mut Code, rank: usize, dest: Data, is: Data, vs: Data) -> Res<Value<'static>> {
    let Some((n, _)) = vs.ty.elem() else { fehu_base::bug!("scatter of {:?}", vs.ty) };
    let shape = outer_shape(&dest.ty, rank);
    // All indices first, one set per destination leaf, then the values.
    let (index_params, index) = {
        let Some((_, t)) = is.ty.elem() else { fehu_base::bug!("scatter at {:?}", is.ty) };
        let t = t.clone();
        code.params_of(&t)
    };
    let Some((_, elem)) = vs.ty.elem() else { fehu_base::bug!("scatter of {:?}", vs.ty) };
    let elem = elem.clone();
    let (value_params, value) = code.params_of(&elem);
    let mut result = vec![];
    for _ in &value.leaves {
        result.extend(index.leaves.iter().copied());
    }
    result.extend(value.leaves.iter().copied());
    let mut ret = vec![Type::I64; rank * value.leaves.len()];
    ret.extend(elem.leaves());
    let params = index_params.into_iter().chain(value_params).collect();
    let lambda = Lambda { params, body: Body { stms: vec![], result }, ret };
    let arrays = names(&is.leaves).into_iter().chain(names(&vs.leaves)).collect();
    let dests =
        names(&dest.leaves).into_iter().map(|array| ScatterDest { shape: shape.clone(), array }).collect();
    let types = dest.ty.leaves();
    let leaves = screma(code, types, Soac::Scatter(Scatter { width: n, arrays, dests, lambda }));
    Ok(Value::Data(Data { ty: dest.ty, leaves }))
}

/// `reduce_by_index dest op ne is vs`.
pub(crate) fn hist<'a>(
    cx: &mut Lowerer<'a>,
    rank: usize,
    dest: Data,
    op: &Value<'a>,
    ne: Data,
    is: Data,
    vs: Data,
) -> Res<Value<'a>> {
    let Some((n, elem)) = vs.ty.elem() else { fehu_base::bug!("histogram of {:?}", vs.ty) };
    let elem = elem.clone();
    let shape = outer_shape(&dest.ty, rank);
    let (op, _) = lambda(cx, op, &[elem.clone(), elem.clone()], Some(&elem))?;
    let Some((_, index_ty)) = is.ty.elem() else { fehu_base::bug!("histogram at {:?}", is.ty) };
    let index_ty = index_ty.clone();
    let (mut params, index) = cx.code.params_of(&index_ty);
    let (value_params, value) = cx.code.params_of(&elem);
    params.extend(value_params);
    let mut ret = vec![Type::I64; rank];
    ret.extend(elem.leaves());
    let result = index.leaves.into_iter().chain(value.leaves).collect();
    let lambda = Lambda { params, body: Body { stms: vec![], result }, ret };
    let arrays = names(&is.leaves).into_iter().chain(names(&vs.leaves)).collect();
    let ops = vec![HistOp { shape, dests: names(&dest.leaves), neutral: ne.leaves, op }];
    let types = dest.ty.leaves();
    let leaves = screma(&mut cx.code, types, Soac::Hist(Hist { width: n, arrays, ops, lambda }));
    Ok(Value::Data(Data { ty: dest.ty, leaves }))
}

/// `filter p xs`.
pub(crate) fn filter<'a>(cx: &mut Lowerer<'a>, p: &Value<'a>, xs: Data) -> Res<Value<'a>> {
    let (parts, _) = kept(cx, &xs, |l, x| {
        let v = l.apply(p.clone(), vec![Value::Data(x)])?;
        Ok(vec![l.code.scalar(v)?])
    })?;
    Ok(parts.into_iter().map(Value::Data).next().unwrap_or_else(|| fehu_base::bug!("a filter keeps nothing")))
}

/// `partition p xs`, `partition2 p q xs`: the elements for which the first predicate holds, those of the
/// others for which the next one does, and so on; then the rest. The rest has the size that remains.
pub(crate) fn partition<'a>(cx: &mut Lowerer<'a>, predicates: &[Value<'a>], xs: Data) -> Res<Value<'a>> {
    let Some((n, _)) = xs.ty.elem() else { fehu_base::bug!("partition of {:?}", xs.ty) };
    let (mut parts, counts) = kept(cx, &xs, |l, x| classes(l, predicates, &x))?;
    let rest = counts[..predicates.len()].iter().fold(n, |rest, count| cx.code.b.sub64(rest, *count));
    if let Some(last) = parts.pop() {
        let Some((_, elem)) = last.ty.elem() else { fehu_base::bug!("a part of {:?}", last.ty) };
        let ty = elem.clone().array(rest);
        let origin = Origin::of(cx.code.is_checked_size(n));
        cx.code.check_shapes(&ty, |size| (rest == size.into()).then_some(origin));
        parts.push(cx.code.reshaped(last, ty));
    }
    Ok(Value::tuple(parts.into_iter().map(Value::Data).collect()))
}

/// Which predicate is the first that holds for an element, and last whether none does: exactly one of the
/// results is true.
fn classes<'a>(cx: &mut Lowerer<'a>, predicates: &[Value<'a>], x: &Data) -> Res<Vec<SubExp>> {
    let Some((first, others)) = predicates.split_first() else { return Ok(vec![SubExp::bool(true)]) };
    let v = cx.apply(first.clone(), vec![Value::Data(x.clone())])?;
    let holds = cx.code.scalar(v)?;
    if others.is_empty() {
        return Ok(vec![holds, cx.code.b.un(UnOp::Not, holds)]);
    }
    let (body, result) = cx.body(|l| classes(l, others, x))?;
    let none = Body { stms: vec![], result: vec![SubExp::bool(false); result.len()] };
    let pat: Vec<_> = result.iter().map(|_| (cx.code.b.fresh("class", Type::BOOL), Type::BOOL)).collect();
    let later = pat.iter().map(|(name, _)| (*name).into());
    let all = std::iter::once(holds).chain(later).collect();
    cx.code.b.bind_names(pat, Exp::If(holds, Box::new(none), Box::new(Body { result, ..body })));
    Ok(all)
}

/// The elements for which each of some conditions holds, and how many these are.
fn kept<'a>(
    cx: &mut Lowerer<'a>,
    xs: &Data,
    conditions: impl FnOnce(&mut Lowerer<'a>, Data) -> Res<Vec<SubExp>>,
) -> Res<(Vec<Data>, Vec<SubExp>)> {
    let Some((n, elem)) = xs.ty.elem() else { fehu_base::bug!("filter of {:?}", xs.ty) };
    let elem = elem.clone();
    let (params, d) = cx.code.params_of(&elem);
    let values = d.leaves.clone();
    let (body, mut result) = cx.body(|l| conditions(l, d))?;
    let parts = result.len();
    result.extend((0..parts).flat_map(|_| values.iter().copied()));
    let leaves = elem.leaves();
    let ret = std::iter::repeat_n(Type::BOOL, parts).chain((0..parts).flat_map(|_| leaves.iter().cloned()));
    let lambda = Lambda { params, ret: ret.collect(), body: Body { result, ..body } };
    let mut pat: Vec<(Name, Type)> =
        (0..parts).map(|_| (cx.code.b.fresh("count", Type::I64), Type::I64)).collect();
    let counts: Vec<SubExp> = pat.iter().map(|(name, _)| (*name).into()).collect();
    let mut all = vec![];
    for count in &counts {
        let ty = elem.clone().array(*count);
        let arrays: Vec<_> =
            ty.leaves().into_iter().map(|t| (cx.code.b.fresh("kept", t.clone()), t)).collect();
        all.push(Data { ty, leaves: arrays.iter().map(|(name, _)| (*name).into()).collect() });
        pat.extend(arrays);
    }
    let filter = Filter { width: n, arrays: names(&xs.leaves), kept: vec![values.len(); parts], lambda };
    cx.code.b.bind_names(pat, Exp::Op(Soac::Filter(filter)));
    cx.code.checked_sizes.extend(counts.iter().filter_map(|n| n.name()));
    Ok((all, counts))
}

/// `scatter_stream`, `hist_stream`: a map over the elements with the destination as an accumulator.
pub(crate) fn acc_stream<'a>(
    cx: &mut Lowerer<'a>,
    dest: Data,
    op: Option<(&Value<'a>, Data)>,
    f: &Value<'a>,
    xs: Data,
) -> Res<Value<'a>> {
    let Some((k, elem)) = dest.ty.elem() else { fehu_base::bug!("accumulator of {:?}", dest.ty) };
    let elem = elem.clone();
    let Some((n, x_ty)) = xs.ty.elem() else { fehu_base::bug!("stream of {:?}", xs.ty) };
    let x_ty = x_ty.clone();
    let op = match op {
        Some((op, ne)) => Some((lambda(cx, op, &[elem.clone(), elem.clone()], Some(&elem))?.0, ne.leaves)),
        None => None,
    };
    let token = cx.code.b.param("token", Type::UNIT);
    let acc_ty = Ty::Acc(token.name, vec![k], std::rc::Rc::new(elem));
    let (acc_params, acc) = cx.code.params_of(&acc_ty);
    // The body maps over the elements; each returns the accumulator.
    let (body, result) = cx.body(|l| {
        let (inner_params, inner_acc) = l.code.params_of(&acc_ty);
        let (x_params, x) = l.code.params_of(&x_ty);
        let (body, v) = l.body(|l| l.apply(f.clone(), vec![Value::Data(inner_acc), Value::Data(x)]))?;
        let d = l.code.data(v)?;
        let map = Lambda {
            params: inner_params.into_iter().chain(x_params).collect(),
            body: Body { result: d.leaves, ..body },
            ret: acc_ty.leaves(),
        };
        let arrays = names(&acc.leaves).into_iter().chain(names(&xs.leaves)).collect();
        let map = Screma { width: n, arrays, scans: vec![], reds: vec![], map };
        let ty = acc_ty.leaves();
        Ok(l.code.b.bind_all("acc", ty, Exp::Op(Soac::Screma(map))).into_iter().map(SubExp::Var).collect())
    })?;
    let lambda = Lambda {
        params: std::iter::once(token).chain(acc_params).collect(),
        body: Body { result, ..body },
        ret: acc_ty.leaves(),
    };
    let input = AccInput { shape: vec![k], arrays: names(&dest.leaves), op };
    let types = dest.ty.leaves();
    let exp = Exp::WithAcc(Box::new(WithAcc { inputs: vec![input], lambda }));
    let leaves = cx.code.b.bind_all("t", types, exp).into_iter().map(SubExp::Var).collect();
    Ok(Value::Data(Data { ty: dest.ty, leaves }))
}

/// `acc_write acc i v`.
pub(crate) fn acc_write(code: &mut Code, acc: Data, i: SubExp, v: Data) -> Res<Value<'static>> {
    let SubExp::Var(name) = acc.leaves[0] else { fehu_base::bug!("constant accumulator") };
    let t = code.b.type_of(acc.leaves[0]);
    let r = code.b.bind("acc", t, Exp::Basic(Basic::UpdateAcc(name, vec![i], v.leaves)));
    Ok(Value::Data(Data { ty: acc.ty, leaves: vec![r.into()] }))
}

fn outer_shape(ty: &Ty, rank: usize) -> Vec<SubExp> {
    let mut shape = vec![];
    let mut ty = ty;
    for _ in 0..rank {
        let Some((n, elem)) = ty.elem() else { fehu_base::bug!("destination of rank below {rank}") };
        shape.push(n);
        ty = elem;
    }
    shape
}
