//! Elements that points would read in leaps are turned in shared memory.
//!
//! A block computes a box of points. Its threads copy the elements of each such read for the whole box, as neighbours in memory lie,
//! wait for each other, and then compute the points with neighbours along the innermost dimension:
//!
//! ```text
//! segmap (i < n, j < m) { return (a[i, j] + b[j, i]) }           turned(sides [1 by 32, 0 by 32], x along 0)
//!   ==>
//! blocks of 256 threads, boxes of 32 x 32 points:
//!   for k < 4 { p = k*256 + thread;  box[p%32][p/32] = b[j0 + p/32, i0 + p%32] }
//!   barrier
//!   for k < 4 { p = k*256 + thread;  i = i0 + p/32;  j = j0 + p%32;  if i < n && j < m { ... a[i, j] + box[p/32][p%32] } }
//! ```
//!
//! Beyond the edges of the space, the element at the edge is copied and no point computed, so that no thread waits for a condition before it reads.
//! Rows of the box have an odd length: neither order has bank conflicts. Blocks that differ in a dimension that the box has one point
//! along are far apart in the order of blocks, and those along the other sides are close: so a plane that is read in two orders is read
//! from memory once, and then from the cache.

use super::super::choice::Quantities;
use crate::translate::kernel::point;
use crate::translate::state::{At, Context, HostCode, KernelCode, Mode};
use fehu_base::device::BLOCK_THREADS;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::schedule::{Quantity, Turned};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Exp, Memory, PatElem, Type};

/// Points that a thread reads or computes before it waits.
const AT_ONCE: usize = 8;

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
        (Quantity::Block, i64(BLOCK_THREADS)),
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

/// The elements from one row of a box in shared memory to the next, along the innermost dimension.
fn row(plan: &Turned) -> i64 {
    plan.sides.first().map_or(1, |(_, side)| side + 1)
}

/// The bytes of the box of a read.
fn room(plan: &Turned, read: &Read) -> i64 {
    let innermost = plan.sides.first().map_or(1, |(_, side)| *side);
    plan.points() / innermost * row(plan) * read.at.elem.bytes() as i64
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
    t.kernel("segmap_turned", blocks, i64(BLOCK_THREADS), Mode::Thread, |t| {
        let firsts = box_place(t, seg, plan, counts);
        let boxes: Vec<Name> = reads.iter().map(|read| copy_box(t, seg, plan, read, &firsts)).collect();
        t.barrier();
        each_of_box(t, plan, |t, number| {
            let inside = split(&plan.sides, number);
            let mut exists = bool(true);
            for (d, at) in &inside {
                let (index, size) = seg.space.dims[*d];
                let here = point::fresh_index(t, index, add(firsts[*d].clone(), at.clone()));
                let fits = lt(here, t.operand(size));
                exists = if exists == bool(true) { fits } else { and(exists, fits) };
            }
            let at = t.let_i64("inside", place(plan, &inside));
            for (read, mem) in reads.iter().zip(boxes) {
                let element = t.element(mem, read.at.elem, at.clone());
                t.in_kernel.instead.insert(read.name, element);
            }
            t.if_then(exists, |t| {
                point::number_point(t, seg);
                point::point(t, pat, seg);
            });
        });
    });
    if let Some(kernel) = t.kernels.last_mut() {
        kernel.block_size = Some(i64(BLOCK_THREADS));
    }
}

/// Sets the indices of a block's points that all of them have in common; the first index of its box in each dimension.
fn box_place(t: &mut KernelCode, seg: &SegOp<Memory>, plan: &Turned, counts: &[Expr]) -> Vec<Expr> {
    let common = (0..seg.space.dims.len()).filter(|d| plan.side(*d) == 1);
    let order: Vec<usize> = common.chain(plan.sides.iter().map(|(d, _)| *d)).collect();
    let mut firsts = vec![i64(0); seg.space.dims.len()];
    let mut rest = block();
    for (k, d) in order.iter().enumerate().rev() {
        let above = match k {
            0 => None,
            _ => Some(t.let_i64("rest", quot(rest.clone(), counts[*d].clone()))),
        };
        let number = match &above {
            None => rest.clone(),
            Some(above) => sub(rest.clone(), mul(above.clone(), counts[*d].clone())),
        };
        firsts[*d] = match plan.side(*d) {
            1 => point::fresh_index(t, seg.space.dims[*d].0, number),
            side => t.let_i64("first", mul(number, i64(side))),
        };
        rest = above.unwrap_or(i64(0));
    }
    firsts
}

/// Copies what a read reads for a whole box, in the order of memory.
fn copy_box(t: &mut KernelCode, seg: &SegOp<Memory>, plan: &Turned, read: &Read, firsts: &[Expr]) -> Name {
    let elem = read.at.elem;
    let turned = t.shared_array("turned", elem, i64(room(plan, read) / elem.bytes() as i64));
    let (first, others): (Vec<_>, Vec<_>) = plan.sides.iter().copied().partition(|(d, _)| *d == read.along);
    let order: Vec<(usize, i64)> = first.into_iter().chain(others).collect();
    each_of_box(t, plan, |t, number| {
        let inside = split(&order, number);
        for (d, at) in &inside {
            let (index, size) = seg.space.dims[*d];
            let edge = sub(t.operand(size), i64(1));
            point::fresh_index(t, index, min(add(firsts[*d].clone(), at.clone()), edge));
        }
        let value = t.read(&read.at);
        t.store(turned, elem, place(plan, &inside), value);
    });
    turned
}

/// All points of a box, shared out among the threads of a block: code for the point of a number.
fn each_of_box(t: &mut KernelCode, plan: &Turned, body: impl FnOnce(&mut KernelCode, Expr)) {
    let k = t.names.fresh_str("k");
    t.types.insert(k, Type::I64);
    let body = t.block(|t| {
        let number = t.let_i64("number", add(mul(var(k), i64(BLOCK_THREADS)), local()));
        body(t, number);
    });
    let bound = i64(plan.points() / BLOCK_THREADS);
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

/// Where an element of a box is in shared memory.
fn place(plan: &Turned, inside: &[(usize, Expr)]) -> Expr {
    let mut at = i64(0);
    for (k, (dim, side)) in plan.sides.iter().enumerate().rev() {
        let index = inside.iter().find(|(d, _)| d == dim).map_or(i64(0), |(_, index)| index.clone());
        at = match k {
            0 => add(mul(at, i64(row(plan))), index),
            _ => add(mul(at, i64(*side)), index),
        };
    }
    at
}
