//! Scans and histograms in strips: see [`crate::strips`].

use super::{when, Scheduler};
use crate::strips::along;
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::IntType;
use fehu_base::tuning::schedule::*;
use fehu_ir::mem::sym;
use fehu_ir::schedule::{Amount, Choice, Condition, HistogramStrips, Plan, Quantity, Strips, Update};
use fehu_ir::seg::{SegBinOp, SegOp, SizeClass};
use fehu_ir::{Memory, PatElem};

impl Scheduler {
    /// A scan in strips, if its segments lie beside each other: of tiles with many points of a segment, or
    /// with fewer where segments are short.
    pub(super) fn strips(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        ops: &[SegBinOp<Memory>],
    ) -> Vec<Choice> {
        let Some(along) = self.strips_along(seg) else { return vec![] };
        let point: Vec<Option<usize>> = (0..seg.space.dims.len()).map(Some).collect();
        let beside = |p: &PatElem<Memory>| {
            let offset = self.places.at_point(&seg.space, p.name, &point);
            offset.is_some_and(|offset| offset.split_on(sym(seg.space.dims[along].0)).0.is_one())
        };
        let turned = !pat.iter().all(beside);
        let bytes: u64 =
            ops.iter().flat_map(|op| &op.op.ret).filter_map(|t| t.elem()).map(|t| t.bytes()).sum();
        let most = (STRIP_BYTES_PER_THREAD / bytes.max(1)).clamp(1, MAX_STRIP_POINTS);
        let points = 1 << most.ilog2();
        let columns = Quantity::Size(seg.space.dims[along].1, IntType::I64);
        let mut choices = vec![];
        for warps in WARPS_OF_STRIPS {
            let mut conditions = vec![
                Condition::must(Quantity::Block, Quantity::MaxBlock),
                Condition::must(Quantity::Shared, Quantity::MaxShared),
                Condition::pays(self.threshold(MIN_COLUMNS_OF_STRIPS), columns),
                Condition::pays(self.threshold(MIN_POINTS_OF_STRIPS), Quantity::Segment),
            ];
            if WARPS_OF_STRIPS.last() != Some(&warps) {
                let height = Amount::from(Quantity::Segment).and(self.threshold(MAX_STRIP_PER_SEGMENT));
                conditions.push(Condition::pays(points * warps, height).strictly());
            }
            choices.push(when(conditions, Plan::Strips(Strips { along, points, warps, turned })));
        }
        choices
    }

    /// A histogram in strips, if its segments lie beside each other.
    pub(super) fn histogram_strips(&mut self, seg: &SegOp<Memory>, updates: &[Update]) -> Option<Choice> {
        let along = self.strips_along(seg)?;
        let instructions = updates.iter().all(|u| *u == Update::Atomic);
        let columns = Quantity::Size(seg.space.dims[along].1, IntType::I64);
        let bins = Amount::from(Quantity::Bins).and(self.threshold(MIN_POINTS_PER_BIN));
        let conditions = vec![
            Condition::must(Quantity::Block, Quantity::MaxBlock),
            Condition::must(Quantity::Shared, Quantity::MaxShared),
            Condition::must(0, Quantity::Points).strictly(),
            Condition::pays(Quantity::Shared, self.threshold(MAX_STRIP_HISTOGRAM_BYTES)),
            Condition::pays(self.threshold(MIN_COLUMNS_OF_STRIPS), columns),
            Condition::pays(bins, Quantity::Segment),
        ];
        let plan = HistogramStrips {
            along,
            points: POINTS_OF_HISTOGRAM_STRIPS,
            warps: HISTOGRAM_BLOCK / WARP_THREADS,
            grid: self.param("seghist", SizeClass::GridSize, None),
            worth: MIN_HISTOGRAM_POINTS_PER_THREAD,
            parts: (!instructions).then_some(MAX_HISTOGRAM_PARTS),
            updates: updates.to_vec(),
        };
        Some(when(conditions, Plan::HistogramStrips(plan)))
    }

    fn strips_along(&self, seg: &SegOp<Memory>) -> Option<usize> {
        along(seg, &|read, dim| {
            let offset = self.places.at_point(&seg.space, read.array, &read.dims);
            let step = offset.map(|offset| offset.split_on(sym(seg.space.dims[dim].0)).0);
            step.is_some_and(|step| step.is_zero() || step.is_one())
        })
    }
}
