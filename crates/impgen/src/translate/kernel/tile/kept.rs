//! Rows that points read again and again are kept in shared memory.
//!
//! The threads of a block copy
//! the rows of all its points into shared memory first, side by side, and then each point runs its code as it is, with
//! the rows read from there.
//!
//! ```text
//! segmap (i < n) { loop for j < k { loop for c < d { ... points[i,c] ... centres[j,c] ... } } }
//!   ==>
//! blocks of T*T threads:
//!   rows[d][T*T] in shared memory  =  points[first + .., ..]
//!   barrier
//!   if i < n { loop for j < k { loop for c < d { ... rows[c][thread] ... centres[j,c] ... } } }
//! ```
//!
//! This needs shared memory for whole rows; the conditions of the plan see to it that there is enough.

use super::super::choice::Quantities;
use crate::translate::kernel::point;
use crate::translate::state::{At, Context, HostCode, KernelCode, Mode};
use fehu_base::device::BANK_PADDING_ELEMENTS;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name, Symbol};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::schedule::{Quantity, RowCache};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Exp, LoopForm, Memory, PatElem, SubExp};

/// The reads of a map that are kept.
pub(crate) struct Kept {
    reads: Vec<Read>,
}

/// An element of a point's own row.
struct Read {
    /// What is read.
    name: Name,
    /// Where, in terms of the point and of the loop that goes through the row.
    at: At,
    along: Counted,
}

/// A loop with the same bound for all points.
#[derive(Clone, Copy)]
struct Counted {
    var: Name,
    ty: IntType,
    bound: SubExp,
}

/// What of a map a plan says to keep.
pub(crate) fn kept(t: &Context, seg: &SegOp<Memory>, plan: &RowCache) -> Kept {
    let mut loops: Vec<Counted> = vec![];
    let mut places: Vec<(Name, At)> = vec![];
    for_each_stm(&seg.body.body, &mut |stm| match (&stm.exp, stm.pat.as_slice()) {
        (Exp::Loop(l), _) => match l.form {
            LoopForm::For { var, ty, bound } => loops.push(Counted { var, ty, bound }),
            LoopForm::While(_) => {}
        },
        (Exp::Basic(Basic::Index(array, slice)), [p]) if plan.reads.iter().any(|r| r.0 == p.name) => {
            places.push((p.name, t.place_of(*array).sliced(slice)));
        }
        _ => {}
    });
    let read = |(name, var): &(Name, Name)| {
        let (_, at) = places.iter().find(|(n, _)| n == name)?;
        let along = loops.iter().find(|l| l.var == *var)?;
        Some(Read { name: *name, at: at.clone(), along: *along })
    };
    match plan.reads.iter().map(read).collect() {
        Some(reads) => Kept { reads },
        None => bug!("a map does not read what it is to keep"),
    }
}

/// What the conditions of a plan are about.
pub(crate) fn kept_quantities(
    t: &mut HostCode,
    kept: &Kept,
    side: &Expr,
    blocks: &Expr,
    points: &Expr,
) -> Quantities {
    let threads = mul(side.clone(), side.clone());
    let mut bytes = i64(0);
    for read in &kept.reads {
        let bound = point::counted(t, read.along.bound, read.along.ty);
        let row = add(threads.clone(), i64(BANK_PADDING_ELEMENTS));
        let own = mul(mul(bound, row), i64(read.at.elem.bytes() as i64));
        bytes = add(bytes, add(own, i64(15)));
    }
    vec![
        (Quantity::Points, points.clone()),
        (Quantity::Block, threads.clone()),
        (Quantity::Blocks, blocks.clone()),
        (Quantity::Covered, mul(blocks.clone(), threads)),
        (Quantity::Depth, side.clone()),
        (Quantity::Shared, bytes),
    ]
}

/// The kernel with rows that are kept, and its launch. `counts` are the numbers of blocks in each dimension.
pub(crate) fn kept_kernel(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    kept: &Kept,
    tile: (Symbol, &Expr),
    blocks: Expr,
    counts: &[Expr],
) {
    let (side, threads) = (Expr::Param(tile.0), mul(tile.1.clone(), tile.1.clone()));
    let width = mul(side.clone(), side.clone());
    let Some((across, size)) = seg.space.dims.last().copied() else { return };
    t.kernel("segmap_kept", blocks, threads.clone(), Mode::Thread, |t| {
        let first = block_place(t, seg, counts, &width);
        let row = t.let_i64("row", add(width.clone(), i64(BANK_PADDING_ELEMENTS)));
        for read in &kept.reads {
            let bound = point::counted(t, read.along.bound, read.along.ty);
            let count = mul(bound.clone(), add(threads.clone(), i64(BANK_PADDING_ELEMENTS)));
            let rows = t.shared_array("rows", read.at.elem, count);
            let edge = sub(t.operand(size), i64(1));
            t.for_up_to("step", quot_up(bound.clone(), side.clone()), |t, step| {
                t.for_up_to("s", side.clone(), |t, s| {
                    let number = t.let_i64("number", add(mul(s, width.clone()), local()));
                    let column = t.let_i64("column", quot(number.clone(), side.clone()));
                    let k = add(mul(step, side.clone()), rem(number, side.clone()));
                    let k = point::fresh_index(t, read.along.var, k);
                    point::fresh_index(t, across, min(add(first.clone(), column.clone()), edge));
                    t.if_then(lt(k.clone(), bound), |t| {
                        let value = t.read(&read.at);
                        t.store(rows, read.at.elem, add(mul(k, row.clone()), column), value);
                    });
                });
            });
            t.same.remove(&read.along.var);
            let k = point::counted(t, read.along.var.into(), read.along.ty);
            let element = t.element(rows, read.at.elem, add(mul(k, row.clone()), local()));
            t.in_kernel.instead.insert(read.name, element);
        }
        t.barrier();
        let here = point::fresh_index(t, across, add(first, local()));
        point::number_point(t, seg);
        let inside = lt(here, t.operand(size));
        t.if_then(inside, |t| {
            point::point(t, pat, seg);
        });
    });
    if let Some(kernel) = t.kernels.last_mut() {
        kernel.block_size = Some(width);
    }
}

/// Sets the outer indices of a block's points, which lie along the innermost dimension; the first index in that.
fn block_place(t: &mut KernelCode, seg: &SegOp<Memory>, counts: &[Expr], width: &Expr) -> Expr {
    let mut rest = block();
    let mut first = i64(0);
    for (d, (index, _)) in seg.space.dims.iter().enumerate().rev() {
        let number = if d == 0 { rest.clone() } else { rem(rest.clone(), counts[d].clone()) };
        if d + 1 == seg.space.dims.len() {
            first = t.let_i64("first", mul(number, width.clone()));
        } else {
            t.emit(Code::DeclareScalar(*index, PrimType::I64));
            t.set_to(*index, number);
        }
        if d > 0 {
            rest = t.let_i64("rest", quot(rest, counts[d].clone()));
        }
    }
    first
}
