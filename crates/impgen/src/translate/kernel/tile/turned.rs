//! Elements that points would read in leaps are turned in shared memory.
//!
//! A block computes a box of points. Its threads copy the elements of each such read for the whole box, as
//! neighbours in memory lie, wait for each other, and then compute the points with neighbours along the
//! innermost dimension:
//!
//! ```text
//! segmap (i < n, j < m) { return (a[i, j] + b[j, i]) }           turned(sides [1 by 32, 0 by 32], x along 0)
//!   ==>
//! blocks of 128 threads, boxes of 32 x 32 points:
//!   for k < 8 { p = k*128 + thread;  box[p%32][p/32] = b[j0 + p/32, i0 + p%32] }
//!   barrier
//!   for k < 8 { p = k*128 + thread;  i = i0 + p/32;  j = j0 + p%32;  if i < n && j < m { ... a[i, j] + box[p/32][p%32] } }
//! ```
//!
//! Beyond the edges of the space, the element at the edge is copied and no point computed, so that no thread
//! waits for a condition before it reads. Rows of the box in shared memory are as far apart as it takes for
//! neither order to have bank conflicts. Boxes without edges have code without comparisons.
//!
//! Blocks that differ in a dimension that the box has one point along are far apart in the order of blocks,
//! and those along the other sides are close: so a plane that is read in two orders is read from memory once,
//! and then from the cache. Of two sides, neighbouring blocks are beside each other along the one with fewer
//! boxes, so that short rows are read, or written, as a whole; if both have as many, along the innermost one,
//! in which results are in order. Times: `notebook/2026-11-19-gpu-mechanisms.md`.

use super::super::choice::Quantities;
use crate::translate::kernel::point;
use crate::translate::state::{At, Context, HostCode, KernelCode, Mode};
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::{MAX_THREADS_OF_BOX, POINTS_PER_THREAD_OF_BOX};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::schedule::{Quantity, Turned};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Exp, Memory, PatElem, Type};

/// Points that a thread reads or computes before it waits.
const AT_ONCE: usize = 8;

/// The threads of a block.
fn threads(plan: &Turned) -> i64 {
    (plan.points() / POINTS_PER_THREAD_OF_BOX).min(MAX_THREADS_OF_BOX)
}

/// The numbers of boxes in each dimension.
pub(crate) fn box_counts(t: &mut HostCode, seg: &SegOp<Memory>, plan: &Turned) -> Vec<Expr> {
    let mut counts = vec![];
    for (d, (_, n)) in seg.space.dims.iter().enumerate() {
        let n = t.operand(*n);
        let count = if plan.side(d) == 1 { n } else { quot_up(n, i64(plan.side(d))) };
        counts.push(t.let_i64("boxes", count));
    }
    counts
}

/// What the conditions of a plan are about.
pub(crate) fn turned_quantities(
    t: &Context,
    seg: &SegOp<Memory>,
    plan: &Turned,
    blocks: &Expr,
    points: &Expr,
) -> Quantities {
    let bytes = reads(t, seg, plan).iter().map(|read| room(plan, read)).fold(0, |all, room| all + room + 15);
    vec![
        (Quantity::Points, points.clone()),
        (Quantity::Block, i64(threads(plan))),
        (Quantity::Blocks, blocks.clone()),
        (Quantity::Covered, mul(blocks.clone(), i64(plan.points()))),
        (Quantity::Depth, i64(1)),
        (Quantity::Shared, i64(bytes)),
    ]
}

/// A read that is turned.
struct Read {
    name: Name,
    at: At,
    /// The dimension of the space along which it is in order.
    along: usize,
}

/// What of a map a plan says to turn.
fn reads(t: &Context, seg: &SegOp<Memory>, plan: &Turned) -> Vec<Read> {
    let mut found = vec![];
    for_each_stm(&seg.body.body, &mut |stm| {
        let (Exp::Basic(Basic::Index(array, slice)), [p]) = (&stm.exp, stm.pat.as_slice()) else { return };
        if let Some((name, along)) = plan.reads.iter().find(|r| r.0 == p.name) {
            let at = t.place_of(*array).sliced(slice);
            found.push(Read { name: *name, at, along: *along });
        }
    });
    found
}

/// The bytes of the box of a read.
fn room(plan: &Turned, read: &Read) -> i64 {
    let (rows, row) = rows(plan, read);
    rows * row * read.at.elem.bytes() as i64
}

/// The rows of a read's box in shared memory, and the elements from one to the next. The threads of a warp
/// that fill one column have consecutive rows, of as many points as the box is long; if that is less than a
/// warp, also neighbouring columns, and rows are so much further apart.
fn rows(plan: &Turned, read: &Read) -> (i64, i64) {
    let innermost = plan.sides.first().map_or(1, |(_, side)| *side);
    let along = plan.side(read.along);
    (plan.points() / innermost, innermost + (WARP_THREADS / along).max(1))
}

/// The kernel and its launch. `counts` are the numbers of boxes in each dimension.
pub(crate) fn turned_kernel(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    plan: &Turned,
    blocks: Expr,
    counts: &[Expr],
) {
    let reads = reads(t, seg, plan);
    t.kernel("segmap_turned", blocks, i64(threads(plan)), Mode::Thread, |t| {
        let firsts = box_place(t, seg, plan, counts);
        let mut whole = bool(true);
        for (d, side) in &plan.sides {
            let fits = le(add(firsts[*d].clone(), i64(*side)), t.operand(seg.space.dims[*d].1));
            whole = if whole == bool(true) { fits } else { and(whole, fits) };
        }
        let whole = var(t.let_as("whole", PrimType::Bool, whole));
        let count = |read: &Read| i64(room(plan, read) / read.at.elem.bytes() as i64);
        let boxes: Vec<Name> = reads.iter().map(|r| t.shared_array("turned", r.at.elem, count(r))).collect();
        let frame = Frame { seg, plan, firsts: &firsts };
        let copy = |t: &mut KernelCode, beyond: Beyond| {
            for (read, mem) in reads.iter().zip(&boxes) {
                frame.copy_box(t, read, *mem, beyond);
            }
        };
        t.if_else(whole.clone(), |t| copy(t, Beyond::Nothing), |t| copy(t, Beyond::Edge));
        t.barrier();
        let compute = |t: &mut KernelCode, beyond: Beyond| {
            each_of_box(t, plan, |t, number| {
                let inside = split(&plan.sides, number);
                let exists = frame.set_point(t, &inside);
                for (read, mem) in reads.iter().zip(&boxes) {
                    let at = t.let_i64("inside", place(plan, read, &inside));
                    let element = t.element(*mem, read.at.elem, at);
                    t.in_kernel.instead.insert(read.name, element);
                }
                let point = |t: &mut KernelCode| {
                    point::number_point(t, seg);
                    point::point(t, pat, seg);
                };
                match beyond {
                    Beyond::Nothing => point(t),
                    Beyond::Edge => t.if_then(exists, point),
                }
            });
        };
        t.if_else(whole, |t| compute(t, Beyond::Nothing), |t| compute(t, Beyond::Edge));
    });
    if let Some(kernel) = t.kernels.last_mut() {
        kernel.block_size = Some(i64(threads(plan)));
    }
}

/// What is in a box beyond the points of the space.
#[derive(Clone, Copy)]
enum Beyond {
    Nothing,
    Edge,
}

/// The box of a block.
struct Frame<'f> {
    seg: &'f SegOp<Memory>,
    plan: &'f Turned,
    /// The first index of the box in each dimension.
    firsts: &'f [Expr],
}

impl Frame<'_> {
    /// Sets the indices of a point that is somewhere inside of the box. Whether it exists.
    fn set_point(&self, t: &mut KernelCode, inside: &[(usize, Expr)]) -> Expr {
        let mut exists = bool(true);
        for (d, at) in inside {
            let (index, size) = self.seg.space.dims[*d];
            let here = point::fresh_index(t, index, add(self.firsts[*d].clone(), at.clone()));
            let fits = lt(here, t.operand(size));
            exists = if exists == bool(true) { fits } else { and(exists, fits) };
        }
        exists
    }

    /// Sets the indices of a point, or of the one at the edge if it does not exist.
    fn set_nearest(&self, t: &mut KernelCode, inside: &[(usize, Expr)], beyond: Beyond) {
        for (d, at) in inside {
            let (index, size) = self.seg.space.dims[*d];
            let here = add(self.firsts[*d].clone(), at.clone());
            let here = match beyond {
                Beyond::Nothing => here,
                Beyond::Edge => min(here, sub(t.operand(size), i64(1))),
            };
            point::fresh_index(t, index, here);
        }
    }

    /// Copies what a read reads for a whole box, in the order of memory.
    fn copy_box(&self, t: &mut KernelCode, read: &Read, to: Name, beyond: Beyond) {
        let (first, others): (Vec<_>, Vec<_>) =
            self.plan.sides.iter().copied().partition(|(d, _)| *d == read.along);
        let order: Vec<(usize, i64)> = first.into_iter().chain(others).collect();
        each_of_box(t, self.plan, |t, number| {
            let inside = split(&order, number);
            self.set_nearest(t, &inside, beyond);
            let value = t.read(&read.at);
            t.store(to, read.at.elem, place(self.plan, read, &inside), value);
        });
    }
}

/// Sets the indices of a block's points that all of them have in common; the first index of its box in each dimension.
fn box_place(t: &mut KernelCode, seg: &SegOp<Memory>, plan: &Turned, counts: &[Expr]) -> Vec<Expr> {
    let numbers = in_rows(t, seg, plan, counts);
    let mut firsts = vec![];
    for (d, number) in numbers.into_iter().enumerate() {
        firsts.push(match plan.side(d) {
            1 => point::fresh_index(t, seg.space.dims[d].0, number),
            side => t.let_i64("first", mul(number, i64(side))),
        });
    }
    firsts
}

/// The numbers of a block's box in each dimension, in the order of rows.
fn in_rows(t: &mut KernelCode, seg: &SegOp<Memory>, plan: &Turned, counts: &[Expr]) -> Vec<Expr> {
    let common = (0..seg.space.dims.len()).filter(|d| plan.side(*d) == 1);
    let mut numbers = vec![i64(0); seg.space.dims.len()];
    if let [(inner, _), (other, _)] = plan.sides.as_slice() {
        let (rest, first, second) = shorter_first(t, &counts[*inner], &counts[*other]);
        (numbers[*inner], numbers[*other]) = (first, second);
        let common: Vec<usize> = common.collect();
        return in_order(t, &common, counts, rest, numbers);
    }
    let order: Vec<usize> = common.chain(plan.sides.iter().map(|(d, _)| *d)).collect();
    in_order(t, &order, counts, block(), numbers)
}

/// The numbers of a block's box along two sides, of which the one with fewer boxes, or the first, changes
/// from block to block; and how many such planes of boxes are before.
fn shorter_first(t: &mut KernelCode, first: &Expr, second: &Expr) -> (Expr, Expr, Expr) {
    let order = var(t.let_as("order", PrimType::Bool, le(first.clone(), second.clone())));
    let fewer = t.let_i64("fewer", select(order.clone(), first.clone(), second.clone()));
    let more = t.let_i64("more", select(order.clone(), second.clone(), first.clone()));
    let (rest, along) = divided(t, block(), fewer);
    let (rest, across) = divided(t, rest, more);
    let a = t.let_i64("box", select(order.clone(), along.clone(), across.clone()));
    let b = t.let_i64("box", select(order, across, along));
    (rest, a, b)
}

/// The numbers of a block's box along some dimensions, of which the last changes from block to block.
fn in_order(
    t: &mut KernelCode,
    order: &[usize],
    counts: &[Expr],
    mut rest: Expr,
    mut numbers: Vec<Expr>,
) -> Vec<Expr> {
    for (k, d) in order.iter().enumerate().rev() {
        if k == 0 {
            numbers[*d] = rest.clone();
        } else {
            (rest, numbers[*d]) = divided(t, rest, counts[*d].clone());
        }
    }
    numbers
}

/// A quotient and the remainder. Numbers of blocks have 32 bits, and such are divided by fewer instructions,
/// which all threads of a block have to do.
fn divided(t: &mut KernelCode, number: Expr, by: Expr) -> (Expr, Expr) {
    let narrow = |e: Expr| Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), Box::new(e));
    let wide = |e: Expr| Expr::Conv(ConvOp::SExt(IntType::I32, IntType::I64), Box::new(e));
    let above = wide(binary(BinOp::SQuot(IntType::I32), narrow(number.clone()), narrow(by.clone())));
    let above = t.let_i64("rest", above);
    let rest = t.let_i64("box", sub(number, mul(above.clone(), by)));
    (above, rest)
}

/// All points of a box, shared out among the threads of a block: code for the point of a number.
fn each_of_box(t: &mut KernelCode, plan: &Turned, body: impl FnOnce(&mut KernelCode, Expr)) {
    let k = t.names.fresh_str("k");
    t.types.insert(k, Type::I64);
    let body = t.block(|t| {
        let number = t.let_i64("number", add(mul(var(k), i64(threads(plan))), local()));
        body(t, number);
    });
    let bound = i64(plan.points() / threads(plan));
    let (by, body) = (Some(AT_ONCE), Box::new(body));
    t.emit(Code::Op(KernelOp::UnrolledFor { by, var: k, ty: IntType::I64, bound, body }));
}

/// Where the point of a number is in a box, whose first side is the fastest.
fn split(sides: &[(usize, i64)], number: Expr) -> Vec<(usize, Expr)> {
    let mut below = 0;
    let mut indices = vec![];
    for (d, side) in sides {
        let shifted = binary(BinOp::LShr(IntType::I64), number.clone(), i64(below));
        indices.push((*d, bits(shifted, i64(side - 1))));
        below += i64::from(side.trailing_zeros());
    }
    indices
}

/// Where an element of a read's box is in shared memory: rows along the innermost dimension, one after the
/// other along that in which the read is in order.
fn place(plan: &Turned, read: &Read, inside: &[(usize, Expr)]) -> Expr {
    let index = |dim: usize| inside.iter().find(|(d, _)| *d == dim).map_or(i64(0), |(_, i)| i.clone());
    let Some((innermost, outer)) = plan.sides.split_first() else { return i64(0) };
    let (along, others): (Vec<_>, Vec<_>) = outer.iter().copied().partition(|(d, _)| *d == read.along);
    let mut row = i64(0);
    for (dim, side) in others.iter().chain(&along) {
        row = if row == i64(0) { index(*dim) } else { add(mul(row, i64(*side)), index(*dim)) };
    }
    add(mul(row, i64(rows(plan, read).1)), index(innermost.0))
}
