//! Memory that is watched: whether every array really is where its binding says.
//!
//! Values stay what programs compute with. Beside them there is a heap: what makes or changes an array also
//! writes it there, to its block and by its index function, and before elements of an array are read, those
//! there are compared with its value. Elements that nobody reads any more may have been overwritten: views,
//! loops and branches hand arrays on without reading them. A program over `Memory` that passes gives the same
//! when run with memory alone.
//!
//! Each element remembers which thread wrote it, as the path of parallel operations and the thread in each: a
//! thread that reads or writes what another thread of the same operation has written is caught.

use super::{stuck, ArrayValue, Env, Machine, Run, Value};
use crate::mem::{poly, sym_name, Lmad, MemInfo};
use crate::op::{Dec, OpView, RepOp};
use crate::rep::Rep;
use crate::seg::{KernelReturn, SegKind, SegOp};
use crate::syntax::*;
use crate::visit::{for_each_operand, look, Visitor};
use fehu_algebra::Poly;
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_lmad::{Dim, SliceDim};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Operations that are running, outermost first, with the current thread of each.
type Path = Rc<Vec<(u64, i64)>>;

#[derive(Default)]
pub(super) struct Heap {
    blocks: Vec<Block>,
    /// Where each array of the program lives.
    places: FxHashMap<Name, (Name, Lmad)>,
    path: Path,
    operations: u64,
}

struct Block {
    /// How many there are.
    bytes: i64,
    /// By the number of their first byte.
    cells: FxHashMap<i64, (PrimValue, Path)>,
    /// The bytes of an element, as long as all are of one size.
    width: Option<i64>,
    mixed: bool,
}

impl Block {
    fn of(bytes: i64) -> Block {
        Block { bytes, cells: FxHashMap::default(), width: None, mixed: false }
    }

    /// Writes an element. What was in its bytes is no more; returns who wrote that.
    fn write(&mut self, at: i64, value: PrimValue, path: Path) -> Vec<Path> {
        let bytes = value.prim_type().bytes() as i64;
        let first = at * bytes;
        let mut old = vec![];
        self.mixed |= self.width.replace(bytes).is_some_and(|w| w != bytes);
        if self.mixed {
            for byte in first - LARGEST_ELEMENT + 1..first + bytes {
                let end = |v: &PrimValue| byte + v.prim_type().bytes() as i64;
                if self.cells.get(&byte).is_some_and(|(v, _)| end(v) > first) {
                    old.extend(self.cells.remove(&byte).map(|(_, writer)| writer));
                }
            }
        }
        old.extend(self.cells.insert(first, (value, path)).map(|(_, writer)| writer));
        old
    }
}

/// The most bytes that an element has.
const LARGEST_ELEMENT: i64 = 8;

impl Heap {
    pub(super) fn of<R: Rep>(prog: &Prog<R>) -> Heap {
        let mut read = Places(FxHashMap::default());
        read.body(&prog.consts);
        for f in &prog.funs {
            look::fun::<R>(&mut read, f);
        }
        Heap { places: read.0, ..Heap::default() }
    }

    pub(super) fn allocate(&mut self, bytes: i64) -> usize {
        self.blocks.push(Block::of(bytes));
        self.blocks.len() - 1
    }

    /// A block with an array from its start on.
    pub(super) fn filled(&mut self, array: &ArrayValue) -> usize {
        let block = self.allocate(array.data.len() as i64 * array.elem.bytes() as i64);
        for (i, v) in array.data.iter().enumerate() {
            self.blocks[block].write(i as i64, *v, Path::default());
        }
        block
    }

    /// Begins a parallel operation.
    pub(super) fn operation(&mut self) -> u64 {
        self.operations += 1;
        self.operations
    }

    /// Begins what a thread of an operation does.
    pub(super) fn enter(&mut self, operation: u64, thread: i64) {
        Rc::make_mut(&mut self.path).push((operation, thread));
    }

    /// Ends it.
    pub(super) fn leave(&mut self) {
        Rc::make_mut(&mut self.path).pop();
    }

    /// Whether something done on the path may happen at the same time as what is done now.
    fn races(&self, path: &Path) -> bool {
        let apart = path.iter().zip(self.path.iter()).find(|(a, b)| a != b);
        apart.is_some_and(|((op, _), (now, _))| op == now)
    }

    fn write(&mut self, block: usize, at: i64, value: PrimValue) -> Run<()> {
        let path = self.path.clone();
        let Some(b) = self.blocks.get_mut(block) else { return stuck("no such block") };
        let bytes = value.prim_type().bytes() as i64;
        if at < 0 || at.saturating_add(1).saturating_mul(bytes) > b.bytes {
            return stuck(format!("element {at} of a block of {} bytes is written", b.bytes));
        }
        let old = b.write(at, value, path);
        if old.iter().any(|writer| self.races(writer)) {
            return stuck(format!("element {at} has two writers"));
        }
        Ok(())
    }

    fn read(&self, block: usize, at: i64, bytes: i64) -> Run<PrimValue> {
        match self.blocks.get(block).and_then(|b| b.cells.get(&at.wrapping_mul(bytes))) {
            None => stuck(format!("element {at} was never written")),
            Some((_, writer)) if self.races(writer) => stuck(format!("element {at} is being written")),
            Some((v, _)) => Ok(*v),
        }
    }
}

/// How many elements can be compared while a statement is run.
const ELEMENTS_PER_STEP: u64 = 8;

struct Places(FxHashMap<Name, (Name, Lmad)>);

impl Places {
    fn see<D: Dec>(&mut self, name: Name, dec: &D) {
        if let Some(MemInfo::Array { block, lmad }) = dec.memory() {
            self.0.insert(name, (*block, lmad.clone()));
        }
    }
}

impl<R: Rep> Visitor<R> for Places {
    fn param(&mut self, p: &Param<R>) {
        self.see(p.name, &p.dec);
    }
    fn pat_elem(&mut self, p: &PatElem<R>) {
        self.see(p.name, &p.dec);
    }
}

impl<'a, R: Rep> Machine<'a, R> {
    /// Checks all elements that the expression of a statement reads itself.
    pub(super) fn check_operands(&mut self, env: &Env, stm: &Stm<R>) -> Run<()> {
        if self.heap.is_none() {
            return Ok(());
        }
        let mut names = vec![];
        for_each_operand(&stm.exp, &mut |e| names.extend(e.name()));
        match &stm.exp {
            Exp::Basic(Basic::Index(a, slice)) => {
                if stm.pat.iter().any(|p| p.ty.is_array()) {
                    return Ok(());
                }
                return self.check_element(env, *a, slice);
            }
            Exp::Basic(
                Basic::SubExp(_)
                | Basic::Opaque(_)
                | Basic::FlatIndex(..)
                | Basic::Rearrange(..)
                | Basic::Reshape(..),
            )
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_) => return Ok(()),
            Exp::Op(op) => match op.view() {
                OpView::Seg(_) | OpView::Size(_) | OpView::Alloc(..) => return Ok(()),
                OpView::Soac(_) => {}
            },
            Exp::Basic(Basic::Update(a, ..) | Basic::FlatUpdate(a, ..)) => names.retain(|n| n != a),
            Exp::Basic(_) | Exp::Call(..) => {}
        }
        names.into_iter().try_for_each(|n| self.check(env, n))
    }

    /// Whether an element of an array is in memory what it is.
    fn check_element(&self, env: &Env, name: Name, index: &[DimIndex]) -> Run<()> {
        let (Some(heap), Some(Value::Array(a))) =
            (&self.heap, env.get(&name).or_else(|| self.consts.get(&name)))
        else {
            return Ok(());
        };
        let Some((block, lmad)) = heap.places.get(&name) else { return stuck("an array without a place") };
        if index.len() != a.shape.len() || index.len() != lmad.dims.len() {
            return stuck("no such element");
        }
        let (mut at, mut own) = (self.number(env, &lmad.offset)?, 0i64);
        for ((i, dim), size) in index.iter().zip(&lmad.dims).zip(&a.shape) {
            let DimIndex::Fix(i) = i else { return stuck("no such element") };
            let i = self.i64(env, *i)?;
            at = at.wrapping_add(i.wrapping_mul(self.number(env, &dim.stride)?));
            own = own.wrapping_mul(*size as i64).wrapping_add(i);
        }
        let Value::Mem(block) = self.name(env, *block)? else { return stuck("a place that is no block") };
        // What is out of bounds is found by whoever reads it.
        let Some(v) = usize::try_from(own).ok().and_then(|i| a.data.get(i)) else { return Ok(()) };
        self.compare(name, block, at, v)
    }

    /// The value of a part of an index function.
    fn number(&self, env: &Env, p: &Poly) -> Run<i64> {
        let var = |x| self.name(env, sym_name(x)).ok()?.to_i64().ok();
        p.eval(var).map_or_else(|| stuck("a part of an index function is unknown"), Ok)
    }

    fn compare(&self, name: Name, block: usize, at: i64, v: &PrimValue) -> Run<()> {
        let Some(heap) = &self.heap else { return Ok(()) };
        let found = heap.read(block, at, v.prim_type().bytes() as i64);
        if found.as_ref().is_ok_and(|f| f == v || (f.to_string() == v.to_string())) {
            return Ok(());
        }
        let found = match found {
            Ok(f) => format!("element {at} of its block is {f}, not {v}"),
            Err(e) => e.to_string(),
        };
        let message = format!("{} is not where it should be: {found}", self.prog.names.show(name));
        Err(super::Failure::Overwritten(message))
    }

    /// Whether an array is in memory what it is.
    pub(super) fn check(&mut self, env: &Env, name: Name) -> Run<()> {
        if self.heap.is_none() {
            return Ok(());
        }
        let Some(Value::Array(a)) = env.get(&name).or_else(|| self.consts.get(&name)) else { return Ok(()) };
        // Looking at large arrays again and again takes time, too.
        self.steps += a.data.len() as u64 / ELEMENTS_PER_STEP;
        let (block, places) = self.places_of(env, name)?;
        places.into_iter().zip(a.data.iter()).try_for_each(|(at, v)| self.compare(name, block, at, v))
    }

    /// Gives an array of unspecified content what is in its memory.
    pub(super) fn unspecified(&mut self, env: &mut Env, name: Name) -> Run<()> {
        if self.heap.is_none() {
            return Ok(());
        }
        let (block, places) = self.places_of(env, name)?;
        let Some(Value::Array(a)) = env.get(&name) else { return Ok(()) };
        let mut a = a.clone();
        let data = std::mem::take(&mut a.data);
        let mut found = data.to_vec();
        let mut fresh = (vec![], vec![]);
        for (at, v) in places.into_iter().zip(&mut found) {
            let first = at.wrapping_mul(v.prim_type().bytes() as i64);
            let block = self.heap.as_ref().and_then(|h| h.blocks.get(block));
            match block.and_then(|b| b.cells.get(&first)) {
                Some((there, _)) if there.prim_type() == v.prim_type() => *v = *there,
                Some(_) | None => {
                    fresh.0.push(at);
                    fresh.1.push(*v);
                }
            }
        }
        a.data = found.into();
        env.insert(name, Value::Array(a));
        self.store_at(name, block, fresh.0, &fresh.1)
    }

    /// Puts the value of a name into memory.
    fn store(&mut self, env: &Env, name: Name) -> Run<()> {
        let Some(Value::Array(a)) = env.get(&name) else { return Ok(()) };
        let data = a.data.clone();
        let (block, places) = self.places_of(env, name)?;
        self.store_at(name, block, places, &data)
    }

    fn store_at(&mut self, name: Name, block: usize, places: Vec<i64>, data: &[PrimValue]) -> Run<()> {
        let show = |e: super::Failure| super::Failure::Stuck(format!("{}: {e}", self.prog.names.show(name)));
        let Some(heap) = &mut self.heap else { return Ok(()) };
        for (at, v) in places.into_iter().zip(data) {
            heap.write(block, at, *v).map_err(show)?;
        }
        Ok(())
    }

    /// After a statement: what it made is put into memory; what was made by its parts must be there.
    pub(super) fn settle(&mut self, env: &mut Env, stm: &Stm<R>) -> Run<()> {
        if self.heap.is_none() {
            return Ok(());
        }
        let stored = match &stm.exp {
            Exp::Basic(
                Basic::ArrayLit(..)
                | Basic::ArrayConst(_)
                | Basic::Iota { .. }
                | Basic::Replicate(..)
                | Basic::Copy(_)
                | Basic::Manifest(..)
                | Basic::Concat { .. },
            ) => stm.pat.len(),
            Exp::Basic(Basic::Scratch(..)) => {
                stm.pat.iter().try_for_each(|p| self.unspecified(env, p.name))?;
                0
            }
            Exp::Basic(Basic::Update(_, slice, value)) => {
                let dims: Vec<SliceDim> = slice.iter().map(slice_dim).collect();
                self.settle_part(env, &stm.pat, *value, |lmad| lmad.slice(&dims))?;
                0
            }
            Exp::Basic(Basic::FlatUpdate(_, offset, dims, value)) => {
                let dims = dims.iter().map(|(n, s)| Dim::new(poly(*n), poly(*s))).collect();
                let slice = Lmad::new(poly(*offset), dims);
                self.settle_part(env, &stm.pat, SubExp::Var(*value), |lmad| lmad.flat_slice(&slice))?;
                0
            }
            Exp::WithAcc(w) => w.inputs.iter().map(|i| i.arrays.len()).sum(),
            Exp::Op(op) => match op.view() {
                OpView::Seg(seg) => self.combined_results(env, stm, seg)?,
                OpView::Soac(_) => stm.pat.len(),
                OpView::Size(_) | OpView::Alloc(..) => 0,
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) => 0,
        };
        for p in &stm.pat[..stored.min(stm.pat.len())] {
            self.store(env, p.name)?;
        }
        self.check_copied(env, stm)
    }

    /// Copies are made element by element, in any order: what is copied must not have been overwritten by the copy.
    fn check_copied(&mut self, env: &Env, stm: &Stm<R>) -> Run<()> {
        let copied = match &stm.exp {
            Exp::Basic(Basic::Copy(a) | Basic::Manifest(_, a) | Basic::FlatUpdate(_, _, _, a)) => vec![*a],
            Exp::Basic(Basic::Replicate(_, e) | Basic::Update(_, _, e)) => e.name().into_iter().collect(),
            Exp::Basic(Basic::Concat { arrays, .. }) => arrays.clone(),
            Exp::Basic(Basic::ArrayLit(es, _)) => es.iter().filter_map(|e| e.name()).collect(),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return Ok(())
            }
        };
        copied.into_iter().try_for_each(|n| self.check(env, n))
    }

    /// Puts a value into a part of the array that a statement binds.
    fn settle_part(
        &mut self,
        env: &Env,
        pat: &[PatElem<R>],
        value: SubExp,
        part: impl Fn(&Lmad) -> Option<Lmad>,
    ) -> Run<()> {
        let value = self.operand(env, value)?;
        let Some((p, MemInfo::Array { block, lmad })) = pat.first().and_then(|p| Some((p, p.dec.memory()?)))
        else {
            return Ok(());
        };
        let Some(part) = part(lmad) else { return stuck("no such slice") };
        let (block, places) = self.places_in(env, *block, &part, &value)?;
        self.store_at(p.name, block, places, value.elements()?)
    }

    /// Puts what is written to into memory; gives how many of the first results operators make.
    fn combined_results(&mut self, env: &Env, stm: &Stm<R>, seg: &SegOp<R>) -> Run<usize> {
        if let SegKind::Hist(_) = seg.kind {
            return Ok(stm.pat.len());
        }
        let combined = seg.leading();
        for (p, ret) in stm.pat.iter().skip(combined).zip(kept_returns(seg)) {
            if !matches!(ret, KernelReturn::Elem) {
                self.store(env, p.name)?;
            }
        }
        Ok(combined)
    }

    /// Puts the elements that a point makes into memory: those that are kept.
    pub(super) fn settle_point(
        &mut self,
        env: &Env,
        pat: &[PatElem<R>],
        seg: &SegOp<R>,
        index: &[i64],
        results: &[Value],
    ) -> Run<()> {
        if self.heap.is_none() {
            return Ok(());
        }
        if let SegKind::Hist(_) = seg.kind {
            return Ok(());
        }
        let mut elems = pat.iter().skip(seg.leading());
        let mut seen = vec![];
        for (value, (_, ret)) in results.iter().zip(seg.kept()) {
            match ret {
                KernelReturn::Elem => {}
                KernelReturn::Write { array, .. } => {
                    if !seen.contains(array) {
                        seen.push(*array);
                        elems.next();
                    }
                    continue;
                }
            }
            let Some(p) = elems.next() else { return stuck("too few names for the results") };
            let Some(MemInfo::Array { block, lmad }) = p.dec.memory() else { continue };
            let index: Vec<Poly> = index.iter().map(|i| Poly::constant(*i)).collect();
            let Some(row) = lmad.fix_outer(&index) else { return stuck("no such row") };
            let (block, places) = self.places_in(env, *block, &row, value)?;
            let data = value.elements()?.to_vec();
            self.store_at(p.name, block, places, &data)?;
        }
        // Results are copied one after the other: none may have overwritten another.
        let kept = seg.body.body.result.iter().skip(seg.combined());
        kept.filter_map(|e| e.name()).try_for_each(|n| self.check(env, n))
    }

    fn places_of(&self, env: &Env, name: Name) -> Run<(usize, Vec<i64>)> {
        let value = self.name(env, name)?;
        let place = self.heap.as_ref().and_then(|h| h.places.get(&name));
        let Some((block, lmad)) = place else { return stuck("an array without a place") };
        self.places_in(env, *block, lmad, &value)
    }

    /// The block, and where in it each element of a value is, in row-major order.
    fn places_in(&self, env: &Env, block: Name, lmad: &Lmad, value: &Value) -> Run<(usize, Vec<i64>)> {
        let Value::Mem(block) = self.name(env, block)? else { return stuck("a place that is no block") };
        let shape = value.array().map_or(&[][..], |a| &a.shape);
        if shape.len() != lmad.rank() {
            return stuck(format!("an index function of rank {} for the shape {shape:?}", lmad.rank()));
        }
        let mut places = vec![self.number(env, &lmad.offset)?];
        for (n, d) in shape.iter().zip(&lmad.dims) {
            let stride = self.number(env, &d.stride)?;
            let next = |p: i64| (0..*n as i64).map(move |i| p.wrapping_add(i.wrapping_mul(stride)));
            places = places.into_iter().flat_map(next).collect();
        }
        Ok((block, places))
    }
}

fn slice_dim(d: &DimIndex) -> SliceDim {
    match d {
        DimIndex::Fix(i) => SliceDim::Fix(poly(*i)),
        DimIndex::Slice { start, len, stride } => {
            SliceDim::Range { start: poly(*start), size: poly(*len), stride: poly(*stride) }
        }
    }
}

/// How each result of the pattern is returned, arrays that are written to once.
fn kept_returns<R: Rep>(seg: &SegOp<R>) -> Vec<&KernelReturn> {
    let mut seen = vec![];
    let mut returns = vec![];
    for (_, ret) in seg.kept() {
        match ret {
            KernelReturn::Write { array, .. } if seen.contains(array) => continue,
            KernelReturn::Write { array, .. } => seen.push(*array),
            KernelReturn::Elem => {}
        }
        returns.push(ret);
    }
    returns
}
