//! Running segmented operations, point by point.

use super::soac::{split, Rows};
use super::{stuck, ArrayValue, Env, Machine, Run, Value};
use crate::rep::Rep;
use crate::seg::*;
use crate::syntax::*;
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use rustc_hash::FxHashMap;

/// What was put where, for each result that is written.
type Writes = Vec<(Name, Vec<i64>, Value)>;

/// An operation that is running.
struct Points<'a, R: Rep> {
    seg: &'a SegOp<R>,
    pat: &'a [PatElem<R>],
    /// Its number, where memory is watched.
    operation: u64,
}

impl<'a, R: Rep> Machine<'a, R> {
    pub(super) fn seg(&mut self, env: &mut Env, pat: &'a [PatElem<R>], seg: &'a SegOp<R>) -> Run<Vec<Value>> {
        let bounds: Vec<SubExp> = seg.space.dims.iter().map(|(_, bound)| *bound).collect();
        let dims = self.shape(env, &bounds)?;
        if let Some(grid) = &seg.grid {
            env.insert(grid.thread, Value::i64(0));
        }
        let run = Points { seg, pat, operation: self.heap.as_mut().map_or(0, |h| h.operation()) };
        let run = &run;
        let mut kept = Kept::default();
        for (t, ret) in seg.kept() {
            kept.open(self, env, t, ret)?;
        }
        let combined = match &seg.kind {
            SegKind::Map => {
                for index in points(&dims) {
                    let results = self.point(env, run, &dims, &index)?;
                    kept.add(self, env, seg, results)?;
                }
                vec![]
            }
            SegKind::Red(ops) => self.red(env, run, ops, &dims, &mut kept)?,
            SegKind::Scan(ops, _) => self.scan(env, run, ops, &dims, &mut kept)?,
            SegKind::Hist(ops) => self.seg_hist(env, run, ops, &dims)?,
        };
        Ok(combined.into_iter().chain(kept.finish(self, env, &dims)?).collect())
    }

    /// The results of the body at one point.
    fn point(
        &mut self,
        env: &mut Env,
        run: &Points<'a, R>,
        dims: &[usize],
        index: &[i64],
    ) -> Run<Vec<Value>> {
        let seg = run.seg;
        let flat = flat_number(index, dims);
        env.insert(seg.space.flat, Value::i64(flat));
        for ((name, _), i) in seg.space.dims.iter().zip(index) {
            env.insert(*name, Value::i64(*i));
        }
        let thread = self.thread(env, seg, flat)?;
        self.heap.iter_mut().for_each(|h| h.enter(run.operation, thread));
        let results = self.body_and_results(env, &seg.body.body)?;
        if results.len() != seg.types.len() || results.len() != seg.body.returns.len() {
            return stuck(format!("{} results for {} types", results.len(), seg.types.len()));
        }
        if seg.after().is_none() {
            self.settle_point(env, run.pat, seg, index, &results[seg.combined()..])?;
        }
        self.heap.iter_mut().for_each(|h| h.leave());
        Ok(results)
    }

    /// The number of the thread, or at level `Block` of the block, that a point is for.
    fn thread(&mut self, env: &mut Env, seg: &'a SegOp<R>, flat: i64) -> Run<i64> {
        match (seg.level, &seg.grid, &self.block) {
            (SegLevel::InBlock, _, Some((grid, block))) => {
                let size = self.i64(env, grid.block_size)?.max(1);
                env.insert(grid.thread, Value::i64(block * size + flat % size));
                Ok(flat % size)
            }
            (SegLevel::Block, Some(grid), _) => {
                let block = flat % self.i64(env, grid.blocks)?.max(1);
                let first = block * self.i64(env, grid.block_size)?;
                env.insert(grid.thread, Value::i64(first));
                self.block = Some((grid, block));
                Ok(block)
            }
            (_, Some(grid), _) => {
                let thread = flat % self.i64(env, grid.threads)?.max(1);
                env.insert(grid.thread, Value::i64(thread));
                Ok(thread)
            }
            (_, None, _) => {
                self.block = None;
                Ok(flat)
            }
        }
    }

    fn red(
        &mut self,
        env: &mut Env,
        run: &Points<'a, R>,
        ops: &'a [SegBinOp<R>],
        dims: &[usize],
        kept: &mut Kept,
    ) -> Run<Vec<Value>> {
        let seg = run.seg;
        let Some((width, segments)) = dims.split_last() else { return stuck("no dimension to reduce") };
        let count: usize = ops.iter().map(|op| op.neutral.len()).sum();
        let mut rows = seg.types.iter().take(count).map(|t| self.rows(env, t)).collect::<Run<Vec<_>>>()?;
        for segment in points(segments) {
            let mut states = self.neutral(env, ops)?;
            for i in 0..*width {
                let index: Vec<i64> = segment.iter().copied().chain([i as i64]).collect();
                let mut results = self.point(env, run, dims, &index)?;
                let rest = results.split_off(count);
                self.combine(env, ops, &mut states, results)?;
                kept.add(self, env, seg, rest)?;
            }
            for (r, v) in rows.iter_mut().zip(states.into_iter().flatten()) {
                r.push(v)?;
            }
        }
        rows.into_iter().map(|r| r.finish(segments)).collect()
    }

    fn scan(
        &mut self,
        env: &mut Env,
        run: &Points<'a, R>,
        ops: &'a [SegBinOp<R>],
        dims: &[usize],
        kept: &mut Kept,
    ) -> Run<Vec<Value>> {
        let seg = run.seg;
        let Some((width, segments)) = dims.split_last() else { return stuck("no dimension to scan") };
        let count: usize = ops.iter().map(|op| op.neutral.len()).sum();
        let mut rows =
            seg.types.iter().take(seg.leading()).map(|t| self.rows(env, t)).collect::<Run<Vec<_>>>()?;
        for segment in points(segments) {
            let mut states = self.neutral(env, ops)?;
            for i in 0..*width {
                let index: Vec<i64> = segment.iter().copied().chain([i as i64]).collect();
                let mut results = self.point(env, run, dims, &index)?;
                let rest = results.split_off(count);
                self.combine(env, ops, &mut states, results)?;
                for (r, v) in rows.iter_mut().zip(states.iter().flatten()) {
                    r.push(v.clone())?;
                }
                let rest = match seg.after() {
                    None => rest,
                    Some(after) => {
                        let scanned = states.iter().flatten().cloned().collect();
                        self.heap.iter_mut().for_each(|h| h.enter(run.operation, flat_number(&index, dims)));
                        let made = self.lambda(env, &after.lambda, scanned)?;
                        let all: Vec<Value> = made.into_iter().chain(rest).collect();
                        self.settle_point(env, run.pat, seg, &index, &all)?;
                        self.heap.iter_mut().for_each(|h| h.leave());
                        all
                    }
                };
                kept.add(self, env, seg, rest)?;
            }
        }
        rows.into_iter().map(|r| r.finish(dims)).collect()
    }

    /// The neutral elements of operators.
    fn neutral(&mut self, env: &Env, ops: &'a [SegBinOp<R>]) -> Run<Vec<Vec<Value>>> {
        ops.iter().map(|op| self.operands(env, &op.neutral)).collect()
    }

    /// Combines the states of operators with new values.
    fn combine(
        &mut self,
        env: &mut Env,
        ops: &'a [SegBinOp<R>],
        states: &mut [Vec<Value>],
        results: Vec<Value>,
    ) -> Run<()> {
        let mut results = results.into_iter();
        for (op, state) in ops.iter().zip(states) {
            let new: Vec<Value> = results.by_ref().take(op.neutral.len()).collect();
            let args = std::mem::take(state).into_iter().chain(new).collect();
            *state = self.lambda(env, &op.op, args)?;
        }
        Ok(())
    }

    /// Applies an operator at each place of vectors.
    fn vectorised(
        &mut self,
        env: &mut Env,
        op: &'a Lambda<R>,
        vector: &[usize],
        old: Vec<Value>,
        new: Vec<Value>,
    ) -> Run<Vec<Value>> {
        let args: Vec<Value> = old.into_iter().chain(new).collect();
        if vector.is_empty() {
            return self.lambda(env, op, args);
        }
        let mut rows = op.ret.iter().map(|t| self.rows(env, t)).collect::<Run<Vec<Rows>>>()?;
        for index in points(vector) {
            let at = |v: &Value| v.array().and_then(|a| a.at(&index));
            let Some(args) = args.iter().map(at).collect::<Option<Vec<Value>>>() else {
                return stuck(format!("an operand that is no vector of shape {vector:?}"));
            };
            for (r, v) in rows.iter_mut().zip(self.lambda(env, op, args)?) {
                r.push(v)?;
            }
        }
        rows.into_iter().map(|r| r.finish(vector)).collect()
    }

    fn seg_hist(
        &mut self,
        env: &mut Env,
        run: &Points<'a, R>,
        ops: &'a [SegHistOp<R>],
        dims: &[usize],
    ) -> Run<Vec<Value>> {
        let mut dests: Vec<Vec<ArrayValue>> = vec![];
        for op in ops {
            dests.push(op.dests.iter().map(|d| self.take(env, *d)).collect::<Run<_>>()?);
        }
        for index in points(dims) {
            let results = self.point(env, run, dims, &index)?;
            let (bins, mut values) = split(ops, results, |op| op.shape.len())?;
            for ((op, dest), bin) in ops.iter().zip(&mut dests).zip(bins) {
                let new: Vec<Value> = values.by_ref().take(op.dests.len()).collect();
                let segment = &index[..index.len().saturating_sub(1)];
                let place: Vec<i64> = segment.iter().copied().chain(bin).collect();
                let old: Option<Vec<Value>> = dest.iter().map(|d| d.at(&place)).collect();
                let Some(old) = old else { continue };
                let vector = self.shape(env, &op.vector)?;
                let combined = self.vectorised(env, &op.op, &vector, old, new)?;
                for (d, v) in dest.iter_mut().zip(&combined) {
                    d.put(&place, v)?;
                }
            }
        }
        Ok(dests.into_iter().flatten().map(Value::Array).collect())
    }

    pub(super) fn size_op(&mut self, env: &Env, size: &SizeOp) -> Run<Vec<Value>> {
        let value = match size {
            SizeOp::GetSize(_, class) | SizeOp::GetSizeMax(class) => self.parameter(class),
            // It is not known yet: all versions mean the same.
            SizeOp::SharedNeeded(_) => 0,
            SizeOp::CmpThreshold { class, par, .. } => {
                let reached = self.parameter(class) <= self.i64(env, *par)?;
                return Ok(vec![Value::Prim(PrimValue::Bool(reached))]);
            }
            SizeOp::CalcGrid { points, max: _, block } => {
                let (points, block) = (self.i64(env, *points)?, self.i64(env, *block)?);
                if block <= 0 {
                    return stuck(format!("blocks of {block} threads"));
                }
                let blocks = points.max(0) / block + i64::from(points.max(0) % block != 0);
                blocks.min(self.options.grid_size)
            }
        };
        Ok(vec![Value::i64(value)])
    }

    fn parameter(&self, class: &SizeClass) -> i64 {
        match class {
            SizeClass::Threshold(..) => self.options.threshold,
            SizeClass::ThreadBlockSize => self.options.block_size,
            SizeClass::GridSize => self.options.grid_size,
            SizeClass::TileSize | SizeClass::RegTileSize => self.options.tile_size,
            SizeClass::SharedMemory => self.options.shared_memory,
            SizeClass::ThreadMemory => self.options.thread_memory,
            SizeClass::Bespoke(_, default) => *default,
        }
    }
}

/// The number of a point.
fn flat_number(index: &[i64], dims: &[usize]) -> i64 {
    index.iter().zip(dims).fold(0, |flat, (i, n)| flat * *n as i64 + i)
}

/// The results that no operator takes. What is written is put in place only after all points have run:
/// a point sees nothing of what others write.
#[derive(Default)]
struct Kept {
    results: Vec<Outcome>,
    writes: Writes,
}

/// One result of the operation.
enum Outcome {
    Rows(Rows),
    Array(Name),
    /// A further value for an array that is a result already.
    Shared,
}

impl Kept {
    fn open<R: Rep>(&mut self, m: &Machine<'_, R>, env: &Env, t: &Type, ret: &KernelReturn) -> Run<()> {
        let result = match ret {
            KernelReturn::Elem => Outcome::Rows(m.rows(env, t)?),
            KernelReturn::Write { array, .. } => {
                let known = self.results.iter().any(|r| matches!(r, Outcome::Array(a) if a == array));
                if known {
                    Outcome::Shared
                } else {
                    Outcome::Array(*array)
                }
            }
        };
        self.results.push(result);
        Ok(())
    }

    fn add<R: Rep>(&mut self, m: &Machine<'_, R>, env: &Env, seg: &SegOp<R>, values: Vec<Value>) -> Run<()> {
        for ((result, (_, ret)), value) in self.results.iter_mut().zip(seg.kept()).zip(values) {
            match (result, ret) {
                (Outcome::Rows(rows), _) => rows.push(value)?,
                (Outcome::Array(_) | Outcome::Shared, KernelReturn::Write { array, index, .. }) => {
                    let place = index.iter().map(|e| m.i64(env, *e)).collect::<Run<Vec<_>>>()?;
                    self.writes.push((*array, place, value));
                }
                (Outcome::Array(_) | Outcome::Shared, KernelReturn::Elem) => {
                    return stuck("a result that is not written");
                }
            }
        }
        Ok(())
    }

    fn finish<R: Rep>(self, m: &Machine<'_, R>, env: &mut Env, dims: &[usize]) -> Run<Vec<Value>> {
        let mut written: FxHashMap<Name, ArrayValue> = FxHashMap::default();
        for r in &self.results {
            if let Outcome::Array(a) = r {
                written.insert(*a, m.take(env, *a)?);
            }
        }
        for (array, place, value) in self.writes {
            if let Some(a) = written.get_mut(&array) {
                a.put(&place, &value)?;
            }
        }
        let mut values = vec![];
        for r in self.results {
            match r {
                Outcome::Rows(rows) => values.push(rows.finish(dims)?),
                Outcome::Array(a) => values.extend(written.remove(&a).map(Value::Array)),
                Outcome::Shared => {}
            }
        }
        Ok(values)
    }
}

/// All indices into a shape, in row-major order.
fn points(dims: &[usize]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for n in dims {
        let longer = |p: Vec<i64>| (0..*n as i64).map(move |i| p.iter().copied().chain([i]).collect());
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}
