//! Running expressions that all representations share.

use super::math::approximate;
use super::{sizes, stuck, Accumulator, ArrayValue, Env, Failure, Machine, Run, Value};
use crate::free::free_in_lambda;
use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::syntax::*;
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::Name;
use std::rc::Rc;

impl<'a, R: Rep> Machine<'a, R> {
    /// The result of an operation, of which somebody may want to know that it is a NaN.
    fn watched(&self, stm: &Stm<R>, value: PrimValue, operands: &[PrimValue]) -> PrimValue {
        if let Some(watch) = &self.options.nan {
            if value.is_nan() && !operands.iter().any(|x| x.is_nan()) {
                (watch.0)(&stm.loc, operands);
            }
        }
        value
    }

    pub(super) fn exp(&mut self, env: &mut Env, stm: &'a Stm<R>) -> Run<Vec<Value>> {
        let one = |v: PrimValue| Ok(vec![Value::Prim(v)]);
        match &stm.exp {
            Exp::Basic(Basic::SubExp(e)) => Ok(vec![self.operand(env, *e)?]),
            Exp::Basic(Basic::Opaque(e)) => {
                let value = self.operand(env, *e)?;
                if let Some(trace) = self.options.trace.as_ref().filter(|_| !stm.attrs.is_empty()) {
                    (trace.0)(&stm.loc, &stm.attrs, &value);
                }
                Ok(vec![value])
            }
            Exp::Basic(Basic::UnOp(op, x)) => {
                let x = self.prim(env, *x)?;
                one(self.watched(stm, defined(op, op.eval(x))?, &[x]))
            }
            Exp::Basic(Basic::BinOp(op, x, y)) => {
                let (x, y) = (self.prim(env, *x)?, self.prim(env, *y)?);
                one(self.watched(stm, defined(op, op.eval(x, y))?, &[x, y]))
            }
            Exp::Basic(Basic::CmpOp(op, x, y)) => {
                let result = op.eval(self.prim(env, *x)?, self.prim(env, *y)?);
                one(PrimValue::Bool(defined(op, result)?))
            }
            Exp::Basic(Basic::Conv(op, x)) => one(defined(op, op.eval(self.prim(env, *x)?))?),
            Exp::Basic(Basic::PrimFn(f, xs)) => {
                let args = xs.iter().map(|x| self.prim(env, *x)).collect::<Run<Vec<_>>>()?;
                let value = defined(f, f.eval(&args).or_else(|| approximate(*f, &args)))?;
                one(self.watched(stm, value, &args))
            }
            Exp::Basic(Basic::Assert(cond, parts, purpose)) => {
                if self.operand(env, *cond)?.to_bool()? {
                    self.promise(env, purpose)?;
                    return one(PrimValue::Unit);
                }
                let mut message = String::new();
                for part in parts {
                    match part {
                        ErrorPart::Text(text) => message.push_str(text),
                        ErrorPart::Value(e, t) => {
                            let v = self.prim(env, *e)?;
                            message.push_str(&match v.as_u64().filter(|_| t.is_unsigned()) {
                                Some(v) => v.to_string(),
                                None => v.as_i64().map_or_else(|| v.to_string(), |v| v.to_string()),
                            });
                        }
                    }
                }
                Err(Failure::Assert { message, loc: stm.loc.clone() })
            }
            exp @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => self.array_exp(env, stm, exp),
        }
    }

    /// What others rely on after a check must hold.
    fn promise(&mut self, env: &Env, purpose: &Purpose) -> Run<()> {
        let Purpose::Sizes { sizes, runs } = purpose else { return Ok(()) };
        let number = |e: &SubExp| -> Run<i64> { self.prim(env, *e).map(|v| v.as_i64().unwrap_or_default()) };
        for n in runs {
            if number(n)? <= 0 {
                return Ok(());
            }
        }
        for n in sizes {
            if !(0..1 << 48).contains(&number(n)?) {
                return stuck("a check has passed after which something is a size that is none");
            }
        }
        Ok(())
    }

    fn array_exp(&mut self, env: &mut Env, stm: &'a Stm<R>, exp: &'a Exp<R>) -> Run<Vec<Value>> {
        let one = |a: ArrayValue| Ok(vec![Value::Array(a)]);
        match exp {
            Exp::Basic(
                Basic::SubExp(_)
                | Basic::Opaque(_)
                | Basic::UnOp(..)
                | Basic::BinOp(..)
                | Basic::CmpOp(..)
                | Basic::Conv(..)
                | Basic::PrimFn(..)
                | Basic::Assert(..),
            ) => stuck("no expression on arrays"),
            Exp::Basic(Basic::ArrayLit(es, t)) => {
                let (elem, mut shape) = self.row_layout(env, t)?;
                let mut data = vec![];
                for v in self.operands(env, es)? {
                    data.extend_from_slice(v.elements()?);
                }
                shape.insert(0, es.len());
                one(array(elem, shape, data)?)
            }
            Exp::Basic(Basic::ArrayConst(c)) => one(array(c.elem, vec![c.values.len()], c.values.clone())?),
            Exp::Basic(Basic::Index(a, slice)) => {
                let a = self.array(env, *a)?;
                let (places, shape) = self.places(env, &a.shape, slice)?;
                let data = places.into_iter().map(|p| a.data[p]).collect();
                Ok(vec![shaped(a.elem, shape, data)?])
            }
            Exp::Basic(Basic::Update(a, slice, e)) => {
                let value = self.operand(env, *e)?;
                let mut a = self.take(env, *a)?;
                let (places, _) = self.places(env, &a.shape, slice)?;
                overwrite(&mut a, &places, &value)?;
                one(a)
            }
            Exp::Basic(Basic::FlatIndex(a, offset, dims)) => {
                let a = self.array(env, *a)?;
                let (places, shape) = self.flat_places(env, a.data.len(), *offset, dims)?;
                let data = places.into_iter().map(|p| a.data[p]).collect();
                Ok(vec![shaped(a.elem, shape, data)?])
            }
            Exp::Basic(Basic::FlatUpdate(a, offset, dims, v)) => {
                let value = self.name(env, *v)?;
                let mut a = self.take(env, *a)?;
                let (places, _) = self.flat_places(env, a.data.len(), *offset, dims)?;
                overwrite(&mut a, &places, &value)?;
                one(a)
            }
            Exp::Basic(Basic::Iota { n, start, step, ty }) => self.iota(env, stm, *n, (*start, *step), *ty),
            Exp::Basic(Basic::Replicate(shape, e)) => {
                let outer = self.shape(env, shape)?;
                let v = self.operand(env, *e)?;
                let (elem, inner) = match &v {
                    Value::Prim(p) => (p.prim_type(), vec![]),
                    Value::Array(a) => (a.elem, a.shape.clone()),
                    Value::Acc(_) | Value::Mem(_) => return stuck(format!("copies of {v}")),
                };
                let shape: Vec<usize> = outer.iter().copied().chain(inner).collect();
                self.check_memory(stm, elem, &shape)?;
                let data = v.elements()?.repeat(outer.iter().product());
                Ok(vec![shaped(elem, shape, data)?])
            }
            Exp::Basic(Basic::Scratch(p, shape)) => self.scratch(env, stm, *p, shape),
            Exp::Basic(Basic::Copy(a) | Basic::Manifest(_, a)) => one(self.array(env, *a)?),
            Exp::Basic(Basic::Concat { dim, arrays, size: _ }) => {
                let arrays = arrays.iter().map(|a| self.array(env, *a)).collect::<Run<Vec<_>>>()?;
                one(concat(*dim, &arrays)?)
            }
            Exp::Basic(Basic::Rearrange(perm, a)) => one(rearrange(perm, &self.array(env, *a)?)?),
            Exp::Basic(Basic::Reshape(shape, a)) => {
                let a = self.array(env, *a)?;
                let shape = self.shape(env, shape)?;
                if shape.iter().product::<usize>() != a.data.len() {
                    return stuck(format!("{} elements in the shape {shape:?}", a.data.len()));
                }
                let value = Value::Array(ArrayValue { shape, ..a });
                // A shape without dimensions is that of a primitive.
                Ok(vec![match (&value, value.elements()?) {
                    (Value::Array(a), [v]) if a.shape.is_empty() => Value::Prim(*v),
                    _ => value,
                }])
            }
            Exp::Basic(Basic::UpdateAcc(acc, index, values)) => {
                let index = index.iter().map(|e| self.i64(env, *e)).collect::<Run<Vec<_>>>()?;
                let values = self.operands(env, values)?;
                let acc = self.name(env, *acc)?;
                self.accumulate(&acc, &index, values)?;
                Ok(vec![acc])
            }
            Exp::Call(f, args) => {
                let values = self.operands(env, args)?;
                if let Some(fun) = self.funs.get(f) {
                    let consumed = fun.params.iter().zip(args).filter(|(p, _)| p.consumed);
                    consumed.filter_map(|(_, e)| e.name()).for_each(|n| consume(env, n));
                }
                self.call(*f, values)
            }
            Exp::If(cond, t, f) => {
                let taken = if self.operand(env, *cond)?.to_bool()? { t } else { f };
                self.body(env, taken)
            }
            Exp::Loop(l) => self.loop_(env, l),
            Exp::WithAcc(w) => self.with_acc(env, w),
            Exp::Op(op) => match op.view() {
                OpView::Soac(soac) => self.soac(env, stm, soac),
                OpView::Seg(seg) => self.seg(env, &stm.pat, seg),
                OpView::Size(size) => self.size_op(env, size),
                OpView::Alloc(bytes, _) => {
                    let bytes = self.i64(env, *bytes)?;
                    let block = self.heap.as_mut().map_or(0, |h| h.allocate(bytes));
                    Ok(vec![Value::Mem(block)])
                }
            },
        }
    }

    /// The places in an array that a slice selects, in row-major order, and the shape of the slice.
    fn places(&self, env: &Env, shape: &[usize], slice: &[DimIndex]) -> Run<(Vec<usize>, Vec<usize>)> {
        if slice.len() != shape.len() {
            return stuck(format!("{} indices for the shape {shape:?}", slice.len()));
        }
        let lens: Vec<SubExp> = slice
            .iter()
            .filter_map(|d| match d {
                DimIndex::Fix(_) => None,
                DimIndex::Slice { len, .. } => Some(*len),
            })
            .collect();
        let result = self.shape(env, &lens)?;
        if result.contains(&0) {
            // Nothing is selected, wherever the other dimensions point: maps without points may have had no
            // valid index.
            return Ok((vec![], result));
        }
        let mut lens = result.iter();
        let mut along: Vec<Vec<i64>> = vec![];
        for d in slice {
            along.push(match d {
                DimIndex::Fix(e) => vec![self.i64(env, *e)?],
                DimIndex::Slice { start, stride, .. } => {
                    let len = lens.next().copied().unwrap_or(0);
                    progression(self.i64(env, *start)?, self.i64(env, *stride)?, len)
                }
            });
        }
        let mut places = vec![0];
        for (indices, n) in along.iter().zip(shape) {
            let inside = |i: &i64| usize::try_from(*i).is_ok_and(|i| i < *n);
            if let Some(i) = indices.iter().find(|i| !inside(i)) {
                return stuck(format!("index {i} out of bounds for the shape {shape:?}"));
            }
            let next = |p: usize| indices.iter().map(move |i| p * n + *i as usize);
            places = places.into_iter().flat_map(next).collect();
        }
        Ok((places, result))
    }

    fn flat_places(
        &self,
        env: &Env,
        len: usize,
        offset: SubExp,
        dims: &[(SubExp, SubExp)],
    ) -> Run<(Vec<usize>, Vec<usize>)> {
        let mut places = vec![self.i64(env, offset)?];
        let lens: Vec<SubExp> = dims.iter().map(|(n, _)| *n).collect();
        let shape = self.shape(env, &lens)?;
        for ((_, stride), n) in dims.iter().zip(&shape) {
            let steps = progression(0, self.i64(env, *stride)?, *n);
            places = places.iter().flat_map(|p| steps.iter().map(move |s| p.wrapping_add(*s))).collect();
        }
        let checked = |p: i64| match usize::try_from(p) {
            Ok(p) if p < len => Ok(p),
            Ok(_) | Err(_) => stuck(format!("flat index {p} out of bounds for {len} elements")),
        };
        Ok((places.into_iter().map(checked).collect::<Run<_>>()?, shape))
    }

    /// An array that is to be written. It is where compiled programs allocate, perhaps before the check of
    /// its size, and they say what is wrong.
    fn scratch(&self, env: &Env, stm: &Stm<R>, elem: PrimType, shape: &[SubExp]) -> Run<Vec<Value>> {
        let shape = shape.iter().map(|e| self.i64(env, *e)).collect::<Run<Vec<i64>>>()?;
        let Ok(shape) = sizes(shape) else {
            let message = "cannot allocate an array: a size is negative".into();
            return Err(Failure::Assert { message, loc: stm.loc.clone() });
        };
        self.check_memory(stm, elem, &shape)?;
        let data = vec![elem.blank(); shape.iter().product()];
        Ok(vec![shaped(elem, shape, data)?])
    }

    /// Ends the program if there is no memory for an array, with what compiled programs say.
    pub(super) fn check_memory(&self, stm: &Stm<R>, elem: PrimType, shape: &[usize]) -> Run<()> {
        let count = shape.iter().fold(1usize, |n, size| n.saturating_mul(*size));
        let room = count.saturating_mul(size_of::<PrimValue>());
        let fits = || {
            let reserved = Vec::<PrimValue>::new().try_reserve_exact(count);
            room <= self.options.memory_bytes && reserved.is_ok()
        };
        if count <= SURE_ELEMENTS || fits() {
            return Ok(());
        }
        let bytes = count.saturating_mul(elem.bytes() as usize);
        let message = format!("out of memory: cannot allocate {bytes} bytes.");
        Err(Failure::Assert { message, loc: stm.loc.clone() })
    }

    fn iota(
        &self,
        env: &Env,
        stm: &Stm<R>,
        n: SubExp,
        (start, step): (SubExp, SubExp),
        ty: IntType,
    ) -> Run<Vec<Value>> {
        let n = self.size(env, n)?;
        self.check_memory(stm, PrimType::Int(ty), &[n])?;
        let (start, step) = (self.i64(env, start)?, self.i64(env, step)?);
        let data = progression(start, step, n).into_iter().map(|v| PrimValue::int(ty, v)).collect();
        Ok(vec![Value::Array(array(PrimType::Int(ty), vec![n], data)?)])
    }

    fn loop_(&mut self, env: &mut Env, l: &'a Loop<R>) -> Run<Vec<Value>> {
        let mut values = l.params.iter().map(|(_, e)| self.operand(env, *e)).collect::<Run<Vec<_>>>()?;
        let consumed = l.params.iter().filter(|(p, _)| p.consumed);
        consumed.filter_map(|(_, e)| e.name()).for_each(|n| consume(env, n));
        let params = l.params.iter().map(|(p, _)| p);
        match &l.form {
            LoopForm::For { var, ty, bound } => {
                let bound = self.i64(env, *bound)?;
                let mut i = 0;
                while i < bound {
                    self.step()?;
                    self.bind_params(env, params.clone(), values)?;
                    env.insert(*var, Value::Prim(PrimValue::int(*ty, i)));
                    values = self.body(env, &l.body)?;
                    i += 1;
                }
            }
            LoopForm::While(cond) => {
                let Some(k) = l.params.iter().position(|(p, _)| p.name == *cond) else {
                    return stuck("the condition is no parameter");
                };
                while values.get(k).map_or_else(|| stuck("no condition"), Value::to_bool)? {
                    self.step()?;
                    self.bind_params(env, params.clone(), values)?;
                    values = self.body(env, &l.body)?;
                }
            }
        }
        Ok(values)
    }

    fn with_acc(&mut self, env: &mut Env, w: &'a WithAcc<R>) -> Run<Vec<Value>> {
        let first = self.accs.len();
        let mut args = vec![Value::Prim(PrimValue::Unit); w.inputs.len()];
        for (i, input) in w.inputs.iter().enumerate() {
            let shape = self.shape(env, &input.shape)?;
            let arrays = input.arrays.iter().map(|a| self.take(env, *a)).collect::<Run<Vec<_>>>()?;
            if arrays.iter().any(|a| !a.shape.starts_with(&shape)) {
                return stuck(format!("an array that is not of shape {shape:?}"));
            }
            let op = match &input.op {
                None => None,
                Some((op, _)) => {
                    let free = free_in_lambda(op);
                    let captured = free.into_iter().map(|n| Ok((n, self.name(env, n)?)));
                    Some((op, captured.collect::<Run<Env>>()?))
                }
            };
            if let Some(token) = w.lambda.params.get(i) {
                self.tokens.insert(token.name, self.accs.len());
            }
            args.push(Value::Acc(self.accs.len()));
            self.accs.push(Accumulator { shape, arrays, op });
        }
        let results = self.lambda(env, &w.lambda, args)?;
        let arrays = self.accs.split_off(first).into_iter().flat_map(|acc| acc.arrays).map(Value::Array);
        Ok(arrays.chain(results.into_iter().skip(w.inputs.len())).collect())
    }

    fn accumulate(&mut self, acc: &Value, index: &[i64], values: Vec<Value>) -> Run<()> {
        let Value::Acc(id) = acc else { return stuck(format!("{acc} is no accumulator")) };
        let Some(acc) = self.accs.get(*id) else { return stuck("an accumulator used outside of its scope") };
        if index.len() != acc.shape.len() || values.len() != acc.arrays.len() {
            return stuck("wrong number of indices or values for an accumulator");
        }
        let old: Option<Vec<Value>> = acc.arrays.iter().map(|a| a.at(index)).collect();
        let Some(old) = old else { return Ok(()) };
        let new = match acc.op.as_ref().map(|(op, env)| (*op, env.clone())) {
            None => values,
            Some((op, mut env)) => self.lambda(&mut env, op, old.into_iter().chain(values).collect())?,
        };
        for (a, v) in self.accs[*id].arrays.iter_mut().zip(&new) {
            a.put(index, v)?;
        }
        Ok(())
    }

    /// The accumulator that stands for a token, where there is no value.
    pub(super) fn acc_of(&self, token: Name) -> Run<Value> {
        self.tokens.get(&token).map_or_else(|| stuck("no such accumulator"), |id| Ok(Value::Acc(*id)))
    }
}

/// `start`, `start + step`, ..., `n` of them, wrapping around.
fn progression(start: i64, step: i64, n: usize) -> Vec<i64> {
    (0..n as i64).map(|i| start.wrapping_add(i.wrapping_mul(step))).collect()
}

fn defined<T>(op: impl std::fmt::Display, result: Option<T>) -> Run<T> {
    result.map_or_else(|| stuck(format!("{op} has no value here")), Ok)
}

/// For so many elements there is memory.
const SURE_ELEMENTS: usize = 1 << 16;

pub(super) fn shaped(elem: PrimType, shape: Vec<usize>, data: Vec<PrimValue>) -> Run<Value> {
    let (count, wanted) = (data.len(), shape.clone());
    let message = || format!("{count} values for an array of shape {wanted:?} and type {elem}");
    Value::of_shape(elem, shape, data).map_or_else(|| stuck(message()), Ok)
}

fn array(elem: PrimType, shape: Vec<usize>, data: Vec<PrimValue>) -> Run<ArrayValue> {
    shaped(elem, shape, data)?.into_array()
}

fn overwrite(a: &mut ArrayValue, places: &[usize], value: &Value) -> Run<()> {
    let elements = value.elements()?;
    if elements.len() != places.len() {
        return stuck(format!("{} values for {} places", elements.len(), places.len()));
    }
    let data = Rc::make_mut(&mut a.data);
    for (p, v) in places.iter().zip(elements) {
        data[*p] = *v;
    }
    Ok(())
}

fn concat(dim: usize, arrays: &[ArrayValue]) -> Run<ArrayValue> {
    let Some(first) = arrays.first() else { return stuck("nothing to join") };
    let mut shape = first.shape.clone();
    if dim >= shape.len() {
        return stuck(format!("no dimension {dim}"));
    }
    for a in arrays {
        let mut same = a.shape.clone();
        if same.len() != shape.len() {
            return stuck("arrays of different rank joined");
        }
        same[dim] = shape[dim];
        if same != shape || a.elem != first.elem {
            return stuck("arrays of different shapes joined");
        }
    }
    let outer: usize = shape[..dim].iter().product();
    let mut data = vec![];
    for i in 0..outer {
        for a in arrays {
            let part: usize = a.shape[dim..].iter().product();
            data.extend_from_slice(&a.data[i * part..(i + 1) * part]);
        }
    }
    shape[dim] = arrays.iter().map(|a| a.shape[dim]).sum();
    array(first.elem, shape, data)
}

/// What is consumed is gone, but for accumulators: all points of an operation write to the same one, whose
/// name is bound outside of them.
fn consume(env: &mut Env, n: Name) {
    if !matches!(env.get(&n), Some(Value::Acc(_))) {
        env.remove(&n);
    }
}

fn rearrange(perm: &[usize], a: &ArrayValue) -> Run<ArrayValue> {
    let mut sorted = perm.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..a.shape.len()) {
        return stuck(format!("{perm:?} is no permutation of {} dimensions", a.shape.len()));
    }
    let stride = |k: usize| a.shape[k + 1..].iter().product::<usize>();
    let shape: Vec<usize> = perm.iter().map(|k| a.shape[*k]).collect();
    let mut places = vec![0];
    for k in perm {
        let (n, stride) = (a.shape[*k], stride(*k));
        places = places.into_iter().flat_map(|p| (0..n).map(move |i| p + i * stride)).collect();
    }
    array(a.elem, shape, places.into_iter().map(|p| a.data[p]).collect())
}
