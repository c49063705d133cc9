//! The kernel of a tiled map.
//!
//! Code of a point stands in two loops over the points of the thread, which compilers unroll:
//!
//! ```text
//! for r < R { for q < R { i = min(y + down(r), n - 1); j = min(x + across(q), p - 1); ... } }
//! ```
//!
//! Scalars that one piece of code computes and a later one uses are kept from one to the other in arrays of
//! the thread's own (*slots*), with an element for each of its points; so are the values that loops carry.
//! Compilers make registers of them, since all their indices are constants once the loops are unrolled.

use super::fill::Filling;
use super::matrix::{self, Lane};
use super::measures::{Layout, Measures, Sizes};
use super::plan::{self, InStep, Part, Read, TiledStep, Tiling};
use crate::translate::kernel::choice::schedule;
use crate::translate::kernel::point;
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::device::LOAD_ELEMENTS;
use fehu_base::ops::ConvOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::schedule::{Along, Plan};
use fehu_ir::seg::SegOp;
use fehu_ir::{Loop, LoopForm, Memory, PatElem, Space, Stm, SubExp, Type};

/// What all code of a kernel needs to know.
pub(super) struct Frame<'a> {
    seg: &'a SegOp<Memory>,
    tiling: &'a Tiling<'a>,
    pub(super) sizes: Measures,
    /// The first point of the block, down and across.
    start: [Expr; 2],
    /// The number of the thread in its block, down and across; with warps, the place of its first point.
    thread: [Expr; 2],
    /// Where the lane is in its warp, if warps multiply matrices.
    pub(super) lane: Option<Lane>,
}

/// A step of a tiled loop.
pub(super) struct Step<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) reads: &'a [Read],
    /// The tiles of the reads.
    pub(super) tiles: Vec<Name>,
    /// Its number.
    pub(super) number: Expr,
    /// The first iteration.
    pub(super) first: Expr,
}

/// A scalar that is kept for each point of the thread.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    name: Name,
    pub(super) mem: Name,
    elem: PrimType,
}

/// A point of the thread.
#[derive(Clone)]
struct Point {
    /// Its number among those of the thread, down and across.
    numbers: [Expr; 2],
    /// Its place in slots.
    slot: Expr,
}

/// Which of the thread's points there are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Points {
    /// All; those beyond the edge are at the edge.
    All,
    /// Only those in the space.
    InSpace,
}

impl Tiling<'_> {
    /// Where a dimension of the space goes.
    pub(super) fn along(&self, dim: usize) -> Along {
        match dim {
            d if d == self.across => Along::Across,
            d if Some(d) == self.down => Along::Down,
            _ => Along::Nothing,
        }
    }
}

impl Frame<'_> {
    /// The number of elements that a thread's points have side by side.
    fn group(&self) -> Expr {
        match constant(&self.sizes.each) {
            Some(1) => i64(1),
            _ => select(
                eq(rem(self.sizes.each.clone(), i64(LOAD_ELEMENTS)), i64(0)),
                i64(LOAD_ELEMENTS),
                i64(1),
            ),
        }
    }

    /// The place of the thread's `r`th point along a side of the rectangle.
    fn place(&self, along: Along, r: &Expr) -> Expr {
        let (thread, threads) = match along {
            Along::Down => (&self.thread[0], &self.sizes.threads[0]),
            Along::Across => (&self.thread[1], &self.sizes.threads[1]),
            Along::Nothing => return i64(0),
        };
        if constant(r) == Some(0) {
            return thread.clone();
        }
        if self.sizes.layout == Layout::Warps {
            return add(thread.clone(), matrix::leap(along, r));
        }
        let group = self.group();
        let leap = mul(quot(r.clone(), group.clone()), mul(threads.clone(), group.clone()));
        add(add(leap, mul(thread.clone(), group.clone())), rem(r.clone(), group))
    }

    /// The dimension of the space that goes along a side.
    pub(super) fn dim(&self, along: Along) -> Option<(Name, SubExp)> {
        let d = match along {
            Along::Down => self.tiling.down?,
            Along::Across => self.tiling.across,
            Along::Nothing => return None,
        };
        self.seg.space.dims.get(d).copied()
    }

    /// The first point of the block along a side.
    pub(super) fn start(&self, along: Along) -> Expr {
        match along {
            Along::Down => self.start[0].clone(),
            Along::Across => self.start[1].clone(),
            Along::Nothing => i64(0),
        }
    }

    /// The points at which a thread computes what is between loops. One that leaves out loops because its
    /// only point is beyond the edge has none of the values that these compute, and nothing may be read or
    /// counted by what they were before.
    fn computed(&self) -> Points {
        match self.tiling.down {
            Some(_) => Points::All,
            None => Points::InSpace,
        }
    }

    /// The number of points of a thread in all.
    fn points(&self) -> Expr {
        match self.tiling.down {
            Some(_) => mul(self.sizes.each.clone(), self.sizes.each.clone()),
            None => self.sizes.each.clone(),
        }
    }
}

/// A kernel with tiles, and its launch. `counts` are the numbers of tiles in each dimension of the space.
#[allow(clippy::too_many_arguments)]
pub(crate) fn tiled_kernel(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    (seg, number): (&SegOp<Memory>, usize),
    tiling: &Tiling,
    sizes: Sizes,
    blocks: Expr,
    counts: &[Expr],
    threads: Expr,
) {
    let each = sizes.each.map_or(i64(1), Expr::Param);
    let sizes = Measures::new(tiling, Expr::Param(sizes.tile), each);
    let block_size = sizes.block();
    t.kernel("segmap_tiled", blocks, threads, Mode::Thread, |t| {
        let tiles = declare_tiles(t, tiling, &sizes);
        let by_threads = |t: &mut KernelCode, sizes| block_code(t, pat, seg, tiling, sizes, &tiles, counts);
        if !tiling.product {
            return by_threads(t, sizes);
        }
        let copy = t.renamed(seg);
        let Plan::Tiled(plan) = &schedule(&copy).choices[number].plan else {
            bug!("a copy of a map is not tiled")
        };
        let of_copy = plan::tiling(t, &copy, plan);
        let by_warps = Measures { layout: Layout::Warps, ..sizes.clone() };
        t.if_else(
            matrix::can_run(&sizes),
            |t| block_code(t, pat, &copy, &of_copy, by_warps, &tiles, counts),
            |t| by_threads(t, sizes),
        );
    });
    if let Some(kernel) = t.kernels.last_mut() {
        kernel.block_size = Some(block_size);
    }
}

/// Shared memory for two tiles of every read, if there is as much as they need.
fn declare_tiles(t: &mut KernelCode, tiling: &Tiling, sizes: &Measures) -> Vec<Name> {
    let declared = sizes.declared(tiling);
    let mut tiles = vec![];
    tiling.for_each_tiled(|_, reads| {
        for read in reads {
            let both = mul(i64(2), sizes.elements(read));
            let count = select(declared.clone(), both, i64(1));
            tiles.push(sized_array(t, "tile", Space::Shared, read.at.elem, count));
        }
    });
    tiles
}

/// What a block does, with points dealt out in one way.
fn block_code(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    tiling: &Tiling,
    sizes: Measures,
    tiles: &[Name],
    counts: &[Expr],
) {
    let mut reads = vec![];
    tiling.for_each_tiled(|_, of_loop| reads.extend(of_loop.iter().map(|read| read.name)));
    let tiles: Vec<(Name, Name)> = reads.into_iter().zip(tiles.iter().copied()).collect();
    let no_place = [i64(0), i64(0)];
    let mut frame = Frame { seg, tiling, sizes, start: no_place.clone(), thread: no_place, lane: None };
    find_place(t, &mut frame, counts);
    emit_parts(t, &frame, &tiles, &tiling.parts, &mut vec![], Some(pat));
}

pub(super) fn sized_array(t: &mut KernelCode, base: &str, space: Space, elem: PrimType, count: Expr) -> Name {
    let mem = t.names.fresh_str(base);
    t.types.insert(mem, Type::Mem(space.clone()));
    t.emit(Code::Op(KernelOp::DeclareArray { mem, space, elem, count }));
    mem
}

/// Where the block and the thread are.
fn find_place(t: &mut KernelCode, frame: &mut Frame, counts: &[Expr]) {
    let mut rest = block();
    for (d, (index, _)) in frame.seg.space.dims.iter().enumerate().rev() {
        let number = if d == 0 { rest.clone() } else { rem(rest.clone(), counts[d].clone()) };
        let along = frame.tiling.along(d);
        let first = t.let_i64("first", mul(number, frame.sizes.side(along)));
        match along {
            Along::Down => frame.start[0] = first,
            Along::Across => frame.start[1] = first,
            Along::Nothing => {
                t.emit(Code::DeclareScalar(*index, PrimType::I64));
                t.set_to(*index, first);
            }
        }
        if d > 0 {
            rest = t.let_i64("rest", quot(rest, counts[d].clone()));
        }
    }
    if frame.sizes.layout == Layout::Warps {
        let lane = Lane::new(t, &frame.sizes);
        frame.thread = lane.first_point();
        frame.lane = Some(lane);
        return;
    }
    let width = frame.sizes.threads[1].clone();
    frame.thread = match frame.tiling.down {
        Some(_) => {
            [t.let_i64("down", quot(local(), width.clone())), t.let_i64("across", rem(local(), width))]
        }
        None => [i64(0), local()],
    };
}

/// Parts of a body. Where results are given, the last part writes them.
fn emit_parts(
    t: &mut KernelCode,
    frame: &Frame,
    tiles: &[(Name, Name)],
    parts: &[Part],
    slots: &mut Vec<Slot>,
    results: Option<&[PatElem<Memory>]>,
) {
    for (i, part) in parts.iter().enumerate() {
        match part {
            Part::Points(stms) => match results {
                Some(pat) if i + 1 == parts.len() => {
                    each_point(t, frame, Points::InSpace, slots, |t, _| {
                        stms.iter().for_each(|s| t.stm(s));
                        let seg = frame.seg;
                        point::write_results(
                            t,
                            pat,
                            &seg.space,
                            &seg.types,
                            &seg.body.returns,
                            &seg.body.body.result,
                        );
                    });
                }
                Some(_) | None => points_code(t, frame, stms, slots),
            },
            Part::Together(l, inner) => {
                let outside = slots.len();
                let carried = carried(t, frame, l, slots);
                slots.extend(&carried);
                let body = t.block(|t| {
                    let body = slots.len();
                    emit_parts(t, frame, tiles, inner, slots, None);
                    each_point(t, frame, Points::All, slots, |t, point| {
                        next_values(t, l.of, &carried, &point)
                    });
                    slots.truncate(body);
                });
                let bound = t.operand(l.bound);
                t.emit(for_loop((l.var, l.ty), bound, body));
                slots.truncate(outside);
                slots.extend(results_of(l, &carried));
            }
            Part::Tiled(tiled) => {
                let carried = carried(t, frame, &tiled.l, slots);
                tiled_loop(t, frame, tiles, tiled, &carried, slots);
                slots.extend(results_of(&tiled.l, &carried));
            }
        }
    }
}

/// Code of each point whose scalars later code may use.
fn points_code(t: &mut KernelCode, frame: &Frame, stms: &[&Stm<Memory>], slots: &mut Vec<Slot>) {
    let mut new = vec![];
    for p in stms.iter().flat_map(|s| &s.pat) {
        if let Type::Prim(elem) = p.ty {
            new.extend(slot(t, frame, p.name, elem));
        }
    }
    if new.is_empty() {
        return;
    }
    each_point(t, frame, frame.computed(), slots, |t, point| {
        stms.iter().for_each(|s| t.stm(s));
        for slot in &new {
            let value = t.operand(slot.name.into());
            t.store(slot.mem, slot.elem, point.slot.clone(), value);
        }
    });
    slots.extend(new);
}

/// Memory for a scalar of each point.
fn slot(t: &mut KernelCode, frame: &Frame, name: Name, elem: PrimType) -> Option<Slot> {
    if elem == PrimType::Unit {
        return None;
    }
    let base = t.names.base(name).to_string();
    let mem = sized_array(t, &base, Space::Scalar(elem, vec![]), elem, frame.points());
    Some(Slot { name, mem, elem })
}

/// Memory for what a loop carries, with the initial values.
fn carried(t: &mut KernelCode, frame: &Frame, l: &InStep, slots: &[Slot]) -> Vec<Slot> {
    let mut carried = vec![];
    let mut inits = vec![];
    for (p, init) in &l.of.params {
        let Type::Prim(elem) = p.ty else { bug!("a loop in step carries {:?}", p.ty) };
        if let Some(slot) = slot(t, frame, p.name, elem) {
            carried.push(slot);
            inits.push(*init);
        }
    }
    each_point(t, frame, Points::All, slots, |t, point| {
        for (slot, init) in carried.iter().zip(inits) {
            let value = t.operand(init);
            t.store(slot.mem, slot.elem, point.slot.clone(), value);
        }
    });
    carried
}

/// The values of the next iteration, once its body is done at a point.
fn next_values(t: &mut KernelCode, l: &Loop<Memory>, carried: &[Slot], point: &Point) {
    for slot in carried {
        let mut pairs = l.params.iter().zip(&l.body.result);
        if let Some((_, result)) = pairs.find(|((p, _), _)| p.name == slot.name) {
            let value = t.operand(*result);
            t.store(slot.mem, slot.elem, point.slot.clone(), value);
        }
    }
}

/// Code at each point of the thread, with its indices and the slots that there are.
fn each_point(
    t: &mut KernelCode,
    frame: &Frame,
    which: Points,
    slots: &[Slot],
    body: impl FnOnce(&mut KernelCode, Point),
) {
    each_of(t, frame, Along::Down, |t, r| {
        each_of(t, frame, Along::Across, |t, q| {
            let slot = match frame.tiling.down {
                Some(_) => add(mul(r.clone(), frame.sizes.each.clone()), q.clone()),
                None => q.clone(),
            };
            let point = Point { numbers: [r, q], slot };
            let mut inside = bool(true);
            for (along, number) in [Along::Down, Along::Across].into_iter().zip(&point.numbers) {
                let Some((index, size)) = frame.dim(along) else { continue };
                let size = t.operand(size);
                let here = add(frame.start(along), frame.place(along, number));
                let here = match which {
                    Points::All => min(here, sub(size.clone(), i64(1))),
                    Points::InSpace => here,
                };
                let value = point::fresh_index(t, index, here);
                inside = and(inside, lt(value, size));
            }
            point::number_point(t, frame.seg);
            for slot in slots {
                let value = t.element(slot.mem, slot.elem, point.slot.clone());
                let copy = t.let_as("kept", slot.elem, value);
                t.same.insert(slot.name, copy.into());
            }
            match which {
                Points::All => body(t, point),
                Points::InSpace => t.if_then(inside, |t| body(t, point)),
            }
        });
    });
}

/// A loop over the thread's points in one direction.
fn each_of(t: &mut KernelCode, frame: &Frame, along: Along, body: impl FnOnce(&mut KernelCode, Expr)) {
    match (frame.dim(along), constant(&frame.sizes.each)) {
        (None, _) | (_, Some(1)) => body(t, i64(0)),
        (Some(_), _) => t.for_up_to("r", frame.sizes.each.clone(), body),
    }
}

/// A loop whose reads go through tiles. While the threads compute a step, the tiles of the next are on their way:
///
/// ```text
/// for step <= steps { if step < steps { fill step }; if step > 0 { compute step - 1 }; await copies; barrier }
/// ```
fn tiled_loop(
    t: &mut KernelCode,
    frame: &Frame,
    tiles: &[(Name, Name)],
    tiled: &TiledStep,
    carried: &[Slot],
    slots: &[Slot],
) {
    let TiledStep { l, reads, unrolled, product } = tiled;
    let bound = point::counted(t, l.bound, l.ty);
    let depth = frame.sizes.depth.clone();
    let shared = |read: &Read| match tiles.iter().find(|(name, _)| *name == read.name) {
        Some((_, mem)) => *mem,
        None => bug!("a read has no tile"),
    };
    let tiles: Vec<Name> = reads.iter().map(shared).collect();
    let product = product.filter(|_| frame.lane.is_some());
    let copy = (*unrolled && product.is_none()).then(|| copied(t, l.of, carried));
    let steps = t.let_i64("steps", quot_up(bound.clone(), depth.clone()));
    let filling = Filling::new(t, frame, l, reads, &tiles, &bound);
    let turns = select(lt(i64(0), steps.clone()), add(steps.clone(), i64(1)), i64(0));
    let in_space = only_point_in_space(t, frame);
    t.for_up_to("turn", turns, |t, turn| {
        t.if_then(lt(turn.clone(), steps), |t| filling.step(t, &turn));
        let filled = lt(i64(0), turn.clone());
        let computes = in_space.into_iter().fold(filled, and);
        t.if_then(computes, |t| {
            let number = t.let_i64("step", sub(turn, i64(1)));
            let first = t.let_i64("first", mul(number.clone(), depth.clone()));
            let here = t.let_i64("here", min(depth.clone(), sub(bound, first.clone())));
            let step = Step { frame, reads, tiles, number, first };
            if let (Some(factors), [sums]) = (product, carried) {
                return matrix::multiply(t, &step, l.of, factors, sums.mem, here);
            }
            let part = |t: &mut KernelCode| {
                t.for_up_to("k", here.clone(), |t, k| iteration(t, &step, l.of, k, carried, slots));
            };
            match copy {
                Some((copy, kept)) => {
                    t.if_else(eq(here.clone(), depth), |t| whole_step(t, &step, &copy, &kept, slots), part)
                }
                None => part(t),
            }
        });
        t.emit(Code::Op(KernelOp::AwaitCopies));
        t.barrier();
    });
    if let (Some(_), [sums]) = (product, carried) {
        let points = frame.sizes.each.clone();
        t.emit(Code::Op(KernelOp::AwaitProducts { sums: sums.mem, points }));
    }
}

/// Whether the thread has a point in the space, where it has only one: a line of threads may be much longer
/// than the row that it covers. The rectangles of threads with several points each fit better, and their
/// loops are bound by how densely instructions stand.
fn only_point_in_space(t: &mut KernelCode, frame: &Frame) -> Option<Expr> {
    let (_, size) = frame.dim(Along::Across).filter(|_| frame.tiling.down.is_none())?;
    let index = add(frame.start(Along::Across), frame.thread[1].clone());
    Some(lt(index, t.operand(size)))
}

/// A copy of a loop, whose text stands in the kernel a second time.
fn copied(t: &mut KernelCode, l: &Loop<Memory>, carried: &[Slot]) -> (Loop<Memory>, Vec<Slot>) {
    let copy = t.renamed_loop(l);
    let of = |slot: &Slot| {
        let mut pairs = l.params.iter().zip(&copy.params);
        let (_, (param, _)) = pairs.find(|((p, _), _)| p.name == slot.name)?;
        Some(Slot { name: param.name, ..*slot })
    };
    let carried = carried.iter().filter_map(of).collect();
    (copy, carried)
}

/// As many iterations as a step has at most, unrolled.
fn whole_step(t: &mut KernelCode, step: &Step, l: &Loop<Memory>, carried: &[Slot], slots: &[Slot]) {
    let depth = step.frame.sizes.depth.clone();
    let once = step.frame.sizes.unrolled.clone();
    if depth == once {
        return t.unrolled_up_to("k", depth, |t, k| iteration(t, step, l, k, carried, slots));
    }
    t.for_up_to("part", quot(depth, once.clone()), |t, part| {
        let before = t.let_i64("before", mul(part, once.clone()));
        t.for_up_to("k", once, |t, k| iteration(t, step, l, add(before, k), carried, slots));
    });
}

/// Sets the variable of a tiled loop to the number of an iteration of a step.
pub(super) fn count(t: &mut KernelCode, step: &Step, l: &Loop<Memory>, k: Expr) {
    let LoopForm::For { var: counter, ty, .. } = l.form else { bug!("a tiled loop does not count") };
    let number = add(step.first.clone(), k);
    let number = match ty {
        IntType::I64 => number,
        narrow @ (IntType::I8 | IntType::I16 | IntType::I32) => {
            Expr::Conv(ConvOp::SExt(IntType::I64, narrow), Box::new(number))
        }
    };
    let number = t.let_as("k", PrimType::Int(ty), number);
    t.same.insert(counter, number.into());
}

/// One iteration of a tiled loop: at each point of the thread, with what it needs of the tiles.
fn iteration(t: &mut KernelCode, step: &Step, l: &Loop<Memory>, k: Expr, carried: &[Slot], slots: &[Slot]) {
    let (frame, reads) = (step.frame, step.reads);
    let k = t.let_i64("k", k);
    let mut own = vec![];
    for (read, tile) in reads.iter().zip(&step.tiles) {
        own.push(taken(t, frame, read, *tile, &step.number, &k));
    }
    count(t, step, l, k);
    let alive: Vec<Slot> = slots.iter().chain(carried).copied().collect();
    each_point(t, frame, Points::All, &alive, |t, point| {
        for (stm_number, stm) in l.body.stms.iter().enumerate() {
            let replaced = reads.iter().zip(&own).find(|(read, _)| read.stm == stm_number);
            let Some((read, own)) = replaced else {
                t.stm(stm);
                continue;
            };
            let at = match read.along {
                Along::Down => point.numbers[0].clone(),
                Along::Across => point.numbers[1].clone(),
                Along::Nothing => i64(0),
            };
            let value = t.element(*own, read.at.elem, at);
            let x = t.let_as("x", read.at.elem, value);
            t.same.extend(stm.pat.iter().map(|p| (p.name, x.into())));
        }
        next_values(t, l, carried, &point);
    });
}

/// What the thread needs of a tile for one iteration: an element for each of its points along the tile.
fn taken(t: &mut KernelCode, frame: &Frame, read: &Read, tile: Name, step: &Expr, k: &Expr) -> Name {
    let elem = read.at.elem;
    let count = match read.along {
        Along::Nothing => i64(1),
        Along::Down | Along::Across => frame.sizes.each.clone(),
    };
    let own = sized_array(t, "own", Space::Scalar(elem, vec![]), elem, count);
    let start = frame.sizes.tile_of_step(read, step);
    each_of(t, frame, read.along, |t, r| {
        let at = frame.sizes.at(read, k.clone(), frame.place(read.along, &r));
        let value = t.element(tile, elem, add(start, at));
        t.store(own, elem, r, value);
    });
    own
}

/// The results of a loop are what it carried last.
fn results_of(l: &InStep, carried: &[Slot]) -> Vec<Slot> {
    let pairs = l.stm.pat.iter().zip(&l.of.params);
    let of = |(p, (param, _)): (&PatElem<Memory>, &(fehu_ir::Param<Memory>, SubExp))| {
        let slot = carried.iter().find(|s| s.name == param.name)?;
        Some(Slot { name: p.name, ..*slot })
    };
    pairs.filter_map(of).collect()
}
