//! Histograms whose points update the result in device memory.
//!
//! Where the result is much larger than the device's cache, and points go anywhere, nearly every update would
//! wait for memory, which moves a whole sector for it, twice. So only a *slice* of the bins is updated in
//! each of some passes over all points: those are read in order, which costs far less.
//!
//! ```text
//! hist (+) 0 50000000 is xs      for pass < 8 { every point: bin = is[i]; if bin is in slice `pass` { out[bin] += xs[i] } }
//! ```
//!
//! Points in order, and those that mostly want the same bins, need no slices. What the points are is not
//! known, so that a small kernel looks at some of them first ([`misses`]).

use super::{bin_bytes, each_update, shared_out, Hist};
use crate::translate::kernel::{choice, map, point, size};
use crate::translate::state::{At, HostCode, KernelCode, Lock, Mode};
use fehu_base::device::BLOCK_THREADS;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{AtomicOp, Code, Expr, KernelOp};
use fehu_ir::mem::poly;
use fehu_ir::schedule::{GlobalUpdates, Quantity, Slices, Update};
use fehu_ir::seg::SegKind;
use fehu_ir::SubExp;

/// Points that are looked at by one block: a few for each thread, which waits for one after the other.
const SAMPLES: i64 = 4 * BLOCK_THREADS;

/// Bytes between the bins of neighbouring points that are near each other. A device runs some thousand blocks
/// at a time, each with such neighbours: together they want no more than the cache.
const NEAR_BYTES: i64 = 16 * 1024;

/// Every point updates the result, slice by slice.
pub(super) fn hist_global(t: &mut HostCode, hist: &Hist, plan: &GlobalUpdates) {
    if let Some(grid) = &hist.seg.grid {
        let (blocks, size) = (t.operand(grid.blocks), t.operand(grid.block_size));
        let threads = t.operand(grid.threads);
        return t.kernel("seghist_global", blocks, size, Mode::Thread, |t| {
            map::set_thread(t, hist.seg);
            let thread = var(grid.thread);
            let rounds = quot_up(sub(hist.points.clone(), thread.clone()), threads.clone());
            t.for_up_to("round", rounds, |t, round| {
                update_global(t, hist, add(thread, mul(round, threads)), None);
            });
        });
    }
    let Some(size) = plan.block else { bug!("a histogram has neither a grid nor a block size") };
    let size = size::param(t, size);
    let each = i64(plan.points);
    let grid = quot_up(hist.points.clone(), mul(size.clone(), each.clone()));
    let update = |t: &mut HostCode, slice: Option<(&Expr, &[Expr])>| {
        t.kernel("seghist_global", grid.clone(), size.clone(), Mode::Thread, |t| {
            let start = t.let_i64("start", add(mul(block(), mul(block_size(), each.clone())), local()));
            t.for_up_to("k", each, |t, k| {
                let at = t.let_i64("at", add(start, mul(k, block_size())));
                t.if_then(lt(at.clone(), hist.points.clone()), |t| update_global(t, hist, at, slice));
            });
        });
    };
    let Some(slices) = &plan.slices else { return update(t, None) };
    let (passes, widths) = slices_of(t, hist, slices);
    t.for_up_to("pass", passes, |t, pass| update(t, Some((&pass, &widths))));
}

/// How many slices the result has, and how many bins of each operation are in one.
fn slices_of(t: &mut HostCode, hist: &Hist, slices: &Slices) -> (Expr, Vec<Expr>) {
    let bins: Vec<Expr> = hist.ops.iter().map(|op| point::points(t, &op.shape)).collect();
    let mut bytes = i64(0);
    for (op, bins) in hist.ops.iter().zip(&bins) {
        bytes = add(bytes, mul(bins.clone(), i64(bin_bytes(op, Update::Atomic))));
    }
    let bytes = t.let_i64("bytes", bytes);
    let cached = size::param(t, slices.bytes);
    let caches = t.let_i64("caches", max(i64(1), quot_up(bytes.clone(), max(i64(1), cached))));
    let last = hist.seg.space.dims.last().map_or(SubExp::i64(1), |d| d.1);
    let known = vec![
        (Quantity::Segment, t.operand(last)),
        (Quantity::BinBytes, bytes),
        (Quantity::Passes, caches.clone()),
    ];
    let several = choice::all_hold(t, &slices.when, &known);
    let passes = select(several, min(caches, i64(slices.most)), i64(1));
    let passes = t.let_as("passes", PrimType::I64, passes);
    t.if_then(lt(i64(1), var(passes)), |t| {
        let miss = misses(t, hist, slices, quot_up(bins[0].clone(), var(passes)));
        let few = le(mul(miss, i64(slices.miss)), mul(sub(var(passes), i64(1)), i64(SAMPLES)));
        t.if_then(few, |t| t.set_to(passes, i64(1)));
    });
    let widths = bins.iter().map(|bins| t.let_i64("slice", quot_up(bins.clone(), var(passes)))).collect();
    (var(passes), widths)
}

/// How many of some points, in all parts of the space, would not find their bin in the cache: it is neither
/// near that of the point after them, nor in the slice that most of the others want.
fn misses(t: &mut HostCode, hist: &Hist, slices: &Slices, width: Expr) -> Expr {
    let seg = t.renamed(hist.seg);
    let SegKind::Hist(ops) = &seg.kind else { bug!("a renamed histogram is none") };
    let of = Hist { seg: &seg, ops, points: hist.points.clone(), ..*hist };
    let result = t.fresh_array("misses", PrimType::I32, i64(1));
    let near = i64(NEAR_BYTES / bin_bytes(&ops[0], Update::Atomic).max(1));
    t.kernel("seghist_sample", i64(1), i64(BLOCK_THREADS), Mode::Thread, |t| {
        let counts = t.shared_array("counts", PrimType::I32, i64(slices.most));
        shared_out(t, i64(slices.most), |t, at| t.store(counts, PrimType::I32, at, i32(0)));
        t.barrier();
        t.guarded(|t| {
            t.for_up_to("k", i64(SAMPLES / BLOCK_THREADS), |t, k| {
                let number = add(mul(k, i64(BLOCK_THREADS)), local());
                let first = mul(number, quot(of.points.clone(), i64(SAMPLES)));
                let first = t.let_i64("first", min(first, sub(of.points.clone(), i64(2))));
                let before = t.let_as("before", PrimType::I64, i64(-1));
                t.for_up_to("which", i64(2), |t, which| {
                    point::set_point(t, &of.seg.space, add(first, which.clone()));
                    let mut is_first = true;
                    each_update(t, &of, |t, (op, _), _, index, _| {
                        if !std::mem::replace(&mut is_first, false) {
                            return;
                        }
                        let number = t.flat_index(index, &op.shape);
                        let bin = t.let_i64("bin", number);
                        t.if_else(
                            eq(which.clone(), i64(0)),
                            |t| t.set_to(before, bin.clone()),
                            |t| count_far(t, counts, before, bin.clone(), near.clone(), width.clone()),
                        );
                    });
                });
            });
        });
        t.barrier();
        t.if_then(eq(local(), i64(0)), |t| {
            let most = t.let_as("most", PrimType::I32, i32(0));
            let all = t.let_as("all", PrimType::I32, i32(0));
            t.for_up_to("k", i64(slices.most), |t, k| {
                let count = t.element(counts, PrimType::I32, k);
                let count = t.let_as("count", PrimType::I32, count);
                t.set_to(most, binary(BinOp::SMax(IntType::I32), var(most), var(count)));
                t.set_to(all, binary(BinOp::Add(IntType::I32), var(all), var(count)));
            });
            t.store(result, PrimType::I32, i64(0), binary(BinOp::Sub(IntType::I32), var(all), var(most)));
        });
    });
    let found = t.temp("misses", PrimType::I32);
    let value = t.element(result, PrimType::I32, i64(0));
    t.set_to(found, value);
    t.free_device(result);
    Expr::Conv(ConvOp::SExt(IntType::I32, IntType::I64), Box::new(var(found)))
}

/// Counts the slice of a bin, if the bin before, where there is one, is far from that of the point after it.
fn count_far(t: &mut KernelCode, counts: Name, before: Name, after: Expr, near: Expr, width: Expr) {
    let apart = t.let_i64("apart", sub(var(before), after));
    let far = or(lt(near.clone(), apart.clone()), lt(near, sub(i64(0), apart)));
    t.if_then(and(le(i64(0), var(before)), far), |t| {
        let space = t.mem_space(counts);
        t.emit(Code::Op(KernelOp::Atomic {
            old: None,
            op: AtomicOp::Add,
            mem: counts,
            offset: quot(var(before), width),
            elem: PrimType::I32,
            space,
            value: i32(1),
        }));
    });
}

/// Updates the result, or only one of its slices.
fn update_global(t: &mut KernelCode, hist: &Hist, at: Expr, slice: Option<(&Expr, &[Expr])>) {
    point::set_point(t, &hist.seg.space, at);
    let segment: Vec<SubExp> = hist.segment_dims().iter().map(|d| d.0.into()).collect();
    let sizes: Vec<SubExp> = hist.segment_dims().iter().map(|d| d.1).collect();
    let mut which = 0;
    each_update(t, hist, |t, (op, how), dests, bin, values| {
        let index: Vec<SubExp> = segment.iter().chain(bin).copied().collect();
        let shape: Vec<SubExp> = sizes.iter().chain(&op.shape).copied().collect();
        let update = |t: &mut KernelCode| {
            let indices: Vec<_> = index.iter().map(|i| poly(t.resolve(*i))).collect();
            let places: Vec<At> = dests.iter().map(|p| t.place_of(p.name).fixed(&indices)).collect();
            let number = t.flat_index(&index, &shape);
            t.update(&op.op, how, &places, values, Lock::Global(number));
        };
        match slice {
            None => update(t),
            Some((pass, widths)) => {
                let width = widths[which].clone();
                which += 1;
                let inside = sub(t.flat_index(bin, &op.shape), mul(pass.clone(), width.clone()));
                let inside = t.let_i64("inside", inside);
                t.if_then(and(le(i64(0), inside.clone()), lt(inside, width)), update);
            }
        }
    });
}
