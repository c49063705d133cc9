//! Columns that are longer than threads can keep.
//!
//! Threads have their points again in each operation, some at a time, and compute again what operations
//! before made for them:
//!
//! ```text
//! segmap block (j < m) {                                  blocks of 32 warps, whose lanes have a column each; 8 points for each thread at a time
//!   let (top) = segred in_block (i < n) max {a[i, j]}     for part < n / 256 { read 8 elements;  top = max(top, ..) }
//!   let (s, es) = segred in_block (k < n) (+) {           for part < n / 256 { read 8 elements;  s += exp(.. - top) }      no es
//!     let (e) = exp(a[k, j] - top)  return (e, e)
//!   }
//!   let (out) = segmap in_block (l < n) {es[l] / s}       for part < n / 256 { read 8 elements;  out[..] = exp(.. - top) / s }
//! ```
//!
//! Every other operation goes through the points backwards, so that it begins with what is still in the
//! cache. Where there are too few columns for all processors, blocks have eight: as many neighbours of four
//! bytes as memory hands out at once. With columns enough, blocks of 32 are faster. Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.

use super::{narrow, own};
use crate::translate::state::{Columns, GroupRows, KernelCode};
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::mem::MemOp;
use fehu_ir::seg::SegOp;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Body, Exp, Memory, SubExp};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The operations that make arrays of a block, and what they return for each.
pub(super) fn makers(
    body: &Body<Memory>,
    made: &FxHashMap<Name, PrimType>,
) -> FxHashMap<Name, (Rc<SegOp<Memory>>, SubExp)> {
    let mut makers = FxHashMap::default();
    for stm in &body.stms {
        let Exp::Op(MemOp::Seg(seg)) = &stm.exp else { continue };
        let seg = Rc::new(seg.clone());
        for (p, value) in stm.pat.iter().zip(&seg.body.body.result) {
            if super::block_of(p).is_some_and(|block| made.contains_key(&block)) {
                makers.insert(p.name, (seg.clone(), *value));
            }
        }
    }
    makers
}

/// How many points of a column a thread's group has from the first one on, and the first group of its warp,
/// which begins some points before.
pub(super) fn rows_of_group(t: &mut KernelCode, columns: &Columns, width: &Expr, first: &Expr) -> GroupRows {
    let rows = |t: &mut KernelCode, first: Expr| {
        let rest = min(sub(width.clone(), first), columns.each.clone());
        t.let_as("rows", PrimType::I32, narrow(rest))
    };
    let of_group = rows(t, first.clone());
    let in_warp = WARP_THREADS / columns.lanes;
    let of_warp = match in_warp {
        1 => of_group,
        _ => {
            let before = mul(rem(columns.group.clone(), i64(in_warp)), columns.each.clone());
            rows(t, sub(first.clone(), before))
        }
    };
    GroupRows { of_group, of_warp }
}

/// All points of a thread: at once, if it keeps them; else some at a time, with the operations that make what
/// this one needs, those first that others need.
pub(super) fn in_parts(
    t: &mut KernelCode,
    seg: &SegOp<Memory>,
    body: impl Fn(&mut KernelCode, &[Rc<SegOp<Memory>>]),
) {
    let again = own(t).again.as_mut().map(|again| {
        again.backwards = !again.backwards;
        (again.width.clone(), !again.backwards)
    });
    let (Some((width, backwards)), Some(columns)) = (again, own(t).columns.clone()) else {
        return body(t, &[]);
    };
    let mut makers = vec![];
    needed(t, seg, &mut makers);
    let together = mul(i64(columns.groups), columns.each.clone());
    let parts = t.let_i64("parts", quot_up(width.clone(), together.clone()));
    t.for_up_to("part", parts.clone(), |t, part| {
        let part = if backwards { sub(sub(parts, i64(1)), part) } else { part };
        let before = add(mul(part, together), mul(columns.group.clone(), columns.each.clone()));
        let first = t.let_i64("first", before);
        let rows = rows_of_group(t, &columns, &width, &first);
        let count = select(columns.there.clone(), var(rows.of_group), i32(0));
        let count = t.let_as("count", PrimType::I32, count);
        let kept = own(t);
        kept.first = first;
        (kept.count, kept.whole) = (count, count);
        kept.columns = Some(Columns { rows: Some(rows), ..columns.clone() });
        kept.read.clear();
        body(t, &makers);
    });
}

/// The operations that make what one needs, and what these need.
fn needed(t: &mut KernelCode, seg: &SegOp<Memory>, makers: &mut Vec<Rc<SegOp<Memory>>>) {
    for (_, maker, _) in made_reads(t, seg) {
        if makers.iter().all(|other| other.space.flat != maker.space.flat) {
            needed(t, &maker, makers);
            makers.push(maker);
        }
    }
}

/// What an operation reads of arrays of the block, with the operations that make these, and what they return for them.
fn made_reads(t: &mut KernelCode, seg: &SegOp<Memory>) -> Vec<(Name, Rc<SegOp<Memory>>, SubExp)> {
    let mut reads = vec![];
    let Some(again) = &own(t).again else { return reads };
    for_each_stm(&seg.body.body, &mut |stm| {
        if let (Exp::Basic(Basic::Index(array, _)), [p]) = (&stm.exp, stm.pat.as_slice()) {
            reads.extend(again.makers.get(array).map(|(maker, value)| (p.name, maker.clone(), *value)));
        }
    });
    reads
}

/// Computes what operations made for a point.
pub(super) fn make(t: &mut KernelCode, makers: &[Rc<SegOp<Memory>>], k: &Expr, at: Name) {
    for maker in makers {
        super::set_own_point(t, maker, k, at);
        t.body(&maker.body.body, &[]);
    }
}

/// Has an operation use what was computed again, where it reads what others have made.
pub(super) fn use_made(t: &mut KernelCode, seg: &SegOp<Memory>) {
    for (name, _, value) in made_reads(t, seg) {
        let value = t.operand(value);
        t.in_kernel.instead.insert(name, value);
    }
}
