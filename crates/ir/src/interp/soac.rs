//! Running combinators.

use super::exp::shaped;
use super::{stuck, ArrayValue, Env, Machine, Run, Value};
use crate::rep::Rep;
use crate::soac::*;
use crate::syntax::*;
use fehu_base::prim::{PrimType, PrimValue};
use fehu_base::Name;

/// An array that grows row by row, or the accumulator handed from row to row.
pub(super) struct Rows {
    elem: PrimType,
    row: Vec<usize>,
    data: Vec<PrimValue>,
    acc: Option<Value>,
}

impl Rows {
    pub(super) fn push(&mut self, value: Value) -> Run<()> {
        if self.acc.is_some() {
            self.acc = Some(value);
            return Ok(());
        }
        match &value {
            Value::Prim(v) if self.row.is_empty() => self.data.push(*v),
            Value::Array(a) if a.shape == self.row => self.data.extend_from_slice(&a.data),
            Value::Prim(_) | Value::Array(_) | Value::Acc(_) | Value::Mem(_) => {
                return stuck(format!("{value} is no row of shape {:?}", self.row));
            }
        }
        Ok(())
    }

    pub(super) fn finish(self, outer: &[usize]) -> Run<Value> {
        match self.acc {
            Some(acc) => Ok(acc),
            None => shaped(self.elem, outer.iter().copied().chain(self.row).collect(), self.data),
        }
    }
}

impl<'a, R: Rep> Machine<'a, R> {
    pub(super) fn soac(&mut self, env: &mut Env, stm: &'a Stm<R>, soac: &'a Soac<R>) -> Run<Vec<Value>> {
        match soac {
            Soac::Screma(s) => self.screma(env, stm, s),
            Soac::Hist(h) => self.hist(env, h),
            Soac::Scatter(s) => self.scatter(env, s),
            Soac::Filter(f) => self.filter(env, f),
            Soac::Ad(_) => stuck("derivatives are taken by a pass"),
        }
    }

    /// Rows of a type, none yet.
    pub(super) fn rows(&self, env: &Env, ty: &Type) -> Run<Rows> {
        let (elem, row, acc) = match ty {
            Type::Acc(token, ..) => (PrimType::Unit, vec![], Some(self.acc_of(*token)?)),
            Type::Prim(_) | Type::Array(..) | Type::Mem(_) => {
                let (elem, row) = self.row_layout(env, ty)?;
                (elem, row, None)
            }
        };
        Ok(Rows { elem, row, data: vec![], acc })
    }

    fn screma(&mut self, env: &mut Env, stm: &'a Stm<R>, s: &'a Screma<R>) -> Run<Vec<Value>> {
        let width = self.size(env, s.width)?;
        let inputs = self.inputs(env, width, &s.arrays)?;
        let mut states: Vec<Vec<Value>> = vec![];
        let operators: Vec<(&'a Lambda<R>, &'a [SubExp])> = s
            .scans
            .iter()
            .map(|scan| (&scan.op, scan.neutral.as_slice()))
            .chain(s.reds.iter().map(|red| (&red.op, red.neutral.as_slice())))
            .collect();
        for (_, neutral) in &operators {
            states.push(self.operands(env, neutral)?);
        }
        let combined: usize = states.iter().map(Vec::len).sum();
        let scanned: usize = s.scans.iter().map(|scan| scan.neutral.len()).sum();
        if s.map.ret.len() < combined {
            return stuck("too few results for the operators");
        }
        let kept = s.map.ret[..scanned].iter().chain(&s.map.ret[combined..]);
        let mut rows = kept.map(|t| self.rows(env, t)).collect::<Run<Vec<Rows>>>()?;
        for r in rows.iter().filter(|r| r.acc.is_none()) {
            self.check_memory(stm, r.elem, &[&[width], r.row.as_slice()].concat())?;
        }
        for i in 0..width {
            let mut results = self.lambda(env, &s.map, row_of(&inputs, i)?)?.into_iter();
            let mut filled = rows.iter_mut();
            for (k, (op, neutral)) in operators.iter().enumerate() {
                let new: Vec<Value> = results.by_ref().take(neutral.len()).collect();
                let old = std::mem::take(&mut states[k]);
                states[k] = self.lambda(env, op, old.into_iter().chain(new).collect())?;
                if k < s.scans.len() {
                    for (r, v) in filled.by_ref().take(neutral.len()).zip(&states[k]) {
                        r.push(v.clone())?;
                    }
                }
            }
            for (r, v) in filled.zip(results) {
                r.push(v)?;
            }
        }
        let mut arrays = rows.into_iter().map(|r| r.finish(&[width])).collect::<Run<Vec<Value>>>()?;
        let mapped = arrays.split_off(scanned);
        let reduced = states.into_iter().skip(s.scans.len()).flatten();
        Ok(arrays.into_iter().chain(reduced).chain(mapped).collect())
    }

    /// The inputs of a combinator, each of so many rows.
    fn inputs(&self, env: &Env, width: usize, arrays: &[Name]) -> Run<Vec<Value>> {
        let inputs = arrays.iter().map(|a| self.name(env, *a)).collect::<Run<Vec<Value>>>()?;
        for v in &inputs {
            if v.array().is_some_and(|a| a.shape[0] != width) {
                return stuck(format!("an input that has not {width} rows"));
            }
        }
        Ok(inputs)
    }

    fn hist(&mut self, env: &mut Env, h: &'a Hist<R>) -> Run<Vec<Value>> {
        let width = self.size(env, h.width)?;
        let inputs = self.inputs(env, width, &h.arrays)?;
        let mut dests: Vec<Vec<ArrayValue>> = vec![];
        for op in &h.ops {
            dests.push(op.dests.iter().map(|d| self.take(env, *d)).collect::<Run<_>>()?);
        }
        for i in 0..width {
            let results = self.lambda(env, &h.lambda, row_of(&inputs, i)?)?;
            let (indices, mut values) = split(&h.ops, results, |op| op.shape.len())?;
            for ((op, dest), index) in h.ops.iter().zip(&mut dests).zip(&indices) {
                let new: Vec<Value> = values.by_ref().take(op.dests.len()).collect();
                let old: Option<Vec<Value>> = dest.iter().map(|d| d.at(index)).collect();
                let Some(old) = old else { continue };
                let combined = self.lambda(env, &op.op, old.into_iter().chain(new).collect())?;
                for (d, v) in dest.iter_mut().zip(&combined) {
                    d.put(index, v)?;
                }
            }
        }
        Ok(dests.into_iter().flatten().map(Value::Array).collect())
    }

    fn scatter(&mut self, env: &mut Env, s: &'a Scatter<R>) -> Run<Vec<Value>> {
        let width = self.size(env, s.width)?;
        let inputs = self.inputs(env, width, &s.arrays)?;
        let mut arrays = s.written().iter().map(|a| self.take(env, *a)).collect::<Run<Vec<_>>>()?;
        let which = s.results();
        for i in 0..width {
            let results = self.lambda(env, &s.lambda, row_of(&inputs, i)?)?;
            let (indices, values) = split(&s.dests, results, |d| d.shape.len())?;
            for ((k, index), value) in which.iter().zip(&indices).zip(values) {
                arrays[*k].put(index, &value)?;
            }
        }
        Ok(arrays.into_iter().map(Value::Array).collect())
    }

    fn filter(&mut self, env: &mut Env, f: &'a Filter<R>) -> Run<Vec<Value>> {
        let width = self.size(env, f.width)?;
        let inputs = self.inputs(env, width, &f.arrays)?;
        let types = f.lambda.ret.iter().skip(f.kept.len());
        let mut rows = types.map(|t| self.rows(env, t)).collect::<Run<Vec<Rows>>>()?;
        let mut counts = vec![0; f.kept.len()];
        for i in 0..width {
            let mut conditions = self.lambda(env, &f.lambda, row_of(&inputs, i)?)?;
            let values = conditions.split_off(counts.len().min(conditions.len()));
            let holds: Vec<bool> =
                conditions.iter().map(|v| *v == Value::Prim(PrimValue::Bool(true))).collect();
            for (count, holds) in counts.iter_mut().zip(&holds) {
                *count += usize::from(*holds);
            }
            for ((r, v), k) in rows.iter_mut().zip(values).zip(f.conditions()) {
                if holds[k] {
                    r.push(v)?;
                }
            }
        }
        let arrays = rows.into_iter().zip(f.conditions()).map(|(r, k)| r.finish(&[counts[k]]));
        counts.iter().map(|n| Ok(Value::Prim(PrimValue::I64(*n as i64)))).chain(arrays).collect()
    }
}

/// The row of each input; accumulators are handed on as they are.
fn row_of(inputs: &[Value], i: usize) -> Run<Vec<Value>> {
    let row = |v: &Value| match v {
        Value::Array(a) => a.at(&[i as i64]).map_or_else(|| stuck("no such row"), Ok),
        Value::Acc(_) => Ok(v.clone()),
        Value::Prim(_) | Value::Mem(_) => stuck(format!("{v} has no rows")),
    };
    inputs.iter().map(row).collect()
}

/// Splits results in indices, so many for each operation, and the values after them.
pub(super) fn split<T>(
    ops: &[T],
    results: Vec<Value>,
    rank: impl Fn(&T) -> usize,
) -> Run<(Vec<Vec<i64>>, std::vec::IntoIter<Value>)> {
    let mut results = results.into_iter();
    let mut indices = vec![];
    for op in ops {
        indices.push(results.by_ref().take(rank(op)).map(|v| v.to_i64()).collect::<Run<Vec<_>>>()?);
    }
    Ok((indices, results))
}
