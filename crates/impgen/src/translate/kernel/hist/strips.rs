//! Histograms of segments that lie beside each other in memory, such as columns: a block has a part of 32 of them.
//!
//! ```text
//! seghist (j < m, i < n) { return (a[i, j], 1) } (+)                 histogram_strips(along 0, points 8, warps 16, ..)
//!   ==>
//! blocks of 512 threads, strips of 32 columns; several blocks for each where strips are few:
//!   j = 32*strip + thread%32
//!   for (i = first + thread/32; i < last; i += 16*8) {
//!     for k < 8 { bin[k] = a[i + 16*k, j] }                          neighbouring threads read neighbours
//!     for k < 8 { bins[32*bin[k] + thread%32] += 1 }                 and update words in different banks
//!   }
//!   barrier;  add bins to the results
//! ```
//!
//! A segment of a strip has the place that a copy of the bins has in other histograms ([`Own::place`]).
//! Threads of a warp never meet in a bin.

use super::{
    add_up_all, beside_others, bin_bytes, leave_bin, own_bins, results_of, shared_out, update_own, Hist,
    Measures, Own,
};
use crate::translate::kernel::choice::Quantities;
use crate::translate::kernel::operator::prim;
use crate::translate::kernel::{point, size};
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::schedule::{HistogramStrips, Quantity};
use fehu_ir::seg::{SegKind, SegOp};
use fehu_ir::{Memory, SubExp};

/// How large a histogram in strips is.
pub(super) struct Strips<'a> {
    plan: &'a HistogramStrips,
    /// What other histograms have, too: a group is a strip, and a copy of the bins is a segment of it.
    all: Measures,
    /// Segments beside each other, and strips.
    columns: Expr,
    beside: Expr,
    /// Points of a segment that a block has.
    span: Expr,
    shared: Expr,
}

impl<'a> Strips<'a> {
    pub(super) fn new(t: &mut HostCode, hist: &Hist, plan: &'a HistogramStrips) -> Strips<'a> {
        let sizes: Vec<SubExp> = hist.seg.space.dims.iter().map(|d| d.1).collect();
        let innermost = sizes.len() - 1;
        let segments = point::points(t, &sizes[..innermost]);
        let (length, columns) = (t.operand(sizes[innermost]), t.operand(sizes[plan.along]));
        let beside = t.let_i64("beside", quot_up(columns.clone(), i64(WARP_THREADS)));
        let groups = others(plan, innermost).fold(beside.clone(), |all, d| mul(all, t.operand(sizes[d])));
        let groups = t.let_i64("strips", groups);
        let bins: Vec<Expr> = hist.ops.iter().map(|op| point::points(t, &op.shape)).collect();
        let (mut bytes, mut all_bins) = (i64(0), i64(0));
        for ((op, how), bins) in hist.ops.iter().zip(hist.updates).zip(&bins) {
            // A word more than there are bins for, and the beginning at a multiple of 16 bytes.
            let room = 16 * (op.op.ret.len() as i64 + 2);
            let own = mul(add(bins.clone(), i64(PrimType::I32.bytes() as i64)), i64(bin_bytes(op, *how)));
            bytes = add(bytes, add(mul(own, i64(WARP_THREADS)), i64(room)));
            all_bins = add(all_bins, bins.clone());
        }
        let shared = t.let_i64("shared", bytes);
        let all_bins = t.let_i64("all_bins", all_bins);
        let wanted = quot_up(size::param(t, plan.grid), max(groups.clone(), i64(1)));
        let useful = quot_up(length.clone(), i64(plan.warps * plan.worth));
        let parts = match plan.parts {
            Some(most) => min(min(wanted, useful), i64(most)),
            None => min(wanted, useful),
        };
        let parts = t.let_i64("parts", max(parts, i64(1)));
        let span = t.let_i64("span", quot_up(length.clone(), parts.clone()));
        let all = Measures {
            size: i64(plan.warps * WARP_THREADS),
            segments,
            length,
            all_bins,
            slices: bins.clone(),
            bins,
            passes: i64(1),
            group: i64(WARP_THREADS),
            groups,
            parts,
            copies: i64(WARP_THREADS),
            many_copies: false,
        };
        Strips { plan, all, columns, beside, span, shared }
    }

    /// What the conditions of the plan are about.
    pub(super) fn quantities(&self, hist: &Hist) -> Quantities {
        let mut known = self.all.quantities(hist);
        known.push((Quantity::Block, self.all.size.clone()));
        known.push((Quantity::Shared, self.shared.clone()));
        known
    }
}

/// The dimensions along which a strip has one point.
fn others(plan: &HistogramStrips, innermost: usize) -> impl DoubleEndedIterator<Item = usize> {
    let along = plan.along;
    (0..innermost).filter(move |d| *d != along)
}

/// The kernel and its launch.
pub(super) fn strips(t: &mut HostCode, hist: &Hist, of: &Strips) {
    let beside = beside_others(t, hist, &of.all);
    let grid = mul(of.all.groups.clone(), of.all.parts.clone());
    t.kernel("seghist_strips", grid, of.all.size.clone(), Mode::Thread, |t| {
        let strip = Strip::new(t, hist.seg, of);
        let own: Vec<Own> = (0..hist.ops.len())
            .map(|which| own_bins(t, hist, &of.all, which, of.all.bins[which].clone(), i64(0)))
            .collect();
        t.barrier();
        t.guarded(|t| update_all(t, hist, of, &strip, &own));
        t.barrier();
        for (which, own) in own.iter().enumerate() {
            flush(t, hist, of, &strip, (which, own), &beside[which]);
        }
    });
    add_up_all(t, hist, &of.all, beside);
}

/// What a block has.
struct Strip {
    /// The first of its segments, and how many.
    column: Expr,
    here: Expr,
    /// The indices along dimensions in which a strip has one point.
    others: Vec<(usize, Expr)>,
    /// Which part of the segments it has, and from which point to which.
    part: Expr,
    first: Expr,
    last: Expr,
    /// Of a thread: which of the segments is its own.
    lane: Expr,
}

impl Strip {
    fn new(t: &mut KernelCode, seg: &SegOp<Memory>, of: &Strips) -> Strip {
        let strip = t.let_i64("strip", quot(block(), of.all.parts.clone()));
        let part = t.let_i64("part", sub(block(), mul(strip.clone(), of.all.parts.clone())));
        let mut rest = t.let_i64("rest", quot(strip.clone(), of.beside.clone()));
        let column = mul(sub(strip, mul(rest.clone(), of.beside.clone())), i64(WARP_THREADS));
        let column = t.let_i64("column", column);
        let mut indices = vec![];
        for d in others(of.plan, seg.space.dims.len() - 1).rev() {
            let size = t.operand(seg.space.dims[d].1);
            let above = t.let_i64("rest", quot(rest.clone(), size.clone()));
            indices.push((d, t.let_i64("plane", sub(rest, mul(above.clone(), size)))));
            rest = above;
        }
        let here = t.let_i64("here", min(i64(WARP_THREADS), sub(of.columns.clone(), column.clone())));
        let first = t.let_i64("first", mul(part.clone(), of.span.clone()));
        let last = t.let_i64("last", min(add(first.clone(), of.span.clone()), of.all.length.clone()));
        let lane = t.let_i64("lane", rem(local(), i64(WARP_THREADS)));
        Strip { column, here, others: indices, part, first, last, lane }
    }

    /// Sets the indices of a point of a thread's segment.
    fn set_point(&self, t: &mut KernelCode, seg: &SegOp<Memory>, of: &Strips, row: Expr) {
        let dims = &seg.space.dims;
        for (d, index) in &self.others {
            point::fresh_index(t, dims[*d].0, index.clone());
        }
        point::fresh_index(t, dims[of.plan.along].0, add(self.column.clone(), self.lane.clone()));
        point::fresh_index(t, dims[dims.len() - 1].0, row);
        point::number_point(t, seg);
    }

    /// The flat number of one of the segments.
    fn segment(&self, t: &mut KernelCode, seg: &SegOp<Memory>, lane: Expr) -> Expr {
        let mut number = i64(0);
        for (d, (_, size)) in seg.space.dims[..seg.space.dims.len() - 1].iter().enumerate() {
            let index = match self.others.iter().find(|o| o.0 == d) {
                Some((_, index)) => index.clone(),
                None => add(self.column.clone(), lane.clone()),
            };
            number = match d {
                0 => index,
                _ => add(mul(number, t.operand(*size)), index),
            };
        }
        t.let_i64("segment", number)
    }
}

/// All points of a block: some at once for each thread, as long as there are so many, then one by one.
fn update_all(t: &mut KernelCode, hist: &Hist, of: &Strips, strip: &Strip, own: &[Own]) {
    let (warps, points) = (of.plan.warps, of.plan.points);
    let copy = t.renamed(hist.seg);
    let SegKind::Hist(copied) = &copy.kind else { bug!("a renamed histogram is none") };
    let copied = Hist { seg: &copy, ops: copied, points: hist.points.clone(), ..*hist };
    t.if_then(lt(strip.lane.clone(), strip.here.clone()), |t| {
        let start = add(strip.first.clone(), quot(local(), i64(WARP_THREADS)));
        let next = t.let_as("next", PrimType::I64, start);
        t.while_(lt(add(var(next), i64((points - 1) * warps)), strip.last.clone()), |t| {
            update_some(t, hist, of, strip, own, &var(next), points);
            t.set_to(next, add(var(next), i64(points * warps)));
        });
        t.while_(lt(var(next), strip.last.clone()), |t| {
            update_some(t, &copied, of, strip, own, &var(next), 1);
            t.set_to(next, add(var(next), i64(warps)));
        });
    });
}

/// So many points of a thread, all of which are there: computed, then added to their bins.
fn update_some(
    t: &mut KernelCode,
    hist: &Hist,
    of: &Strips,
    strip: &Strip,
    own: &[Own],
    next: &Expr,
    count: i64,
) {
    let mut kept: Vec<(Name, Vec<(Name, PrimType)>)> = vec![];
    for op in hist.ops {
        let bins = t.private_array("bin", PrimType::I64, count);
        let types = op.op.ret.iter().map(prim);
        kept.push((bins, types.map(|ty| (t.private_array("value", ty, count), ty)).collect()));
    }
    t.for_up_to("k", i64(count), |t, k| {
        strip.set_point(t, hist.seg, of, add(next.clone(), mul(k.clone(), i64(of.plan.warps))));
        t.body(&hist.seg.body.body, &[]);
        for (which, (op, (bins, values))) in hist.ops.iter().zip(&kept).enumerate() {
            let (index, results) = results_of(hist, which);
            let inside = point::within(t, index, &op.shape);
            let number = t.flat_index(index, &op.shape);
            t.store(*bins, PrimType::I64, k.clone(), select(inside, number, i64(-1)));
            for ((mem, ty), result) in values.iter().zip(results) {
                let value = t.operand(*result);
                t.store(*mem, *ty, k.clone(), value);
            }
        }
    });
    t.for_up_to("k", i64(count), |t, k| {
        for (which, (bins, values)) in kept.iter().enumerate() {
            let bin = t.element(*bins, PrimType::I64, k.clone());
            let bin = t.let_i64("bin", bin);
            let values = values.iter().map(|(mem, ty)| t.element(*mem, *ty, k.clone())).collect();
            t.if_then(le(i64(0), bin.clone()), |t| {
                let place = own[which].place(&of.all, bin, strip.lane.clone());
                update_own(t, (&hist.ops[which], hist.updates[which]), &own[which], place, values);
            });
        }
    });
}

/// Adds a strip's histograms of one operation to the results, or puts them beside those of others.
fn flush(
    t: &mut KernelCode,
    hist: &Hist,
    of: &Strips,
    strip: &Strip,
    (which, own): (usize, &Own),
    beside: &[Name],
) {
    let types: Vec<PrimType> = own.mems.iter().map(|(_, ty)| *ty).collect();
    let mems: Vec<Name> = own.mems.iter().map(|(mem, _)| *mem).collect();
    let bins = of.all.bins[which].clone();
    shared_out(t, mul(strip.here.clone(), bins.clone()), |t, at| {
        let lane = t.let_i64("lane", quot(at.clone(), bins.clone()));
        let bin = t.let_i64("bin", sub(at, mul(lane.clone(), bins)));
        let place = t.let_i64("place", own.place(&of.all, bin.clone(), lane.clone()));
        let values = t.load_all(&mems, &types, &place);
        let segment = strip.segment(t, hist.seg, lane);
        leave_bin(t, hist, &of.all, which, (&segment, &bin, &strip.part), &values, beside);
    });
}
