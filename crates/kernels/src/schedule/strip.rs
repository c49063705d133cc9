//! Scans in strips: see [`crate::strips`].

use super::{when, Scheduler};
use crate::strips::along;
use fehu_base::prim::IntType;
use fehu_base::tuning::schedule::*;
use fehu_ir::mem::sym;
use fehu_ir::schedule::{Choice, Condition, Plan, Quantity, Strips};
use fehu_ir::seg::{SegBinOp, SegOp};
use fehu_ir::{Memory, PatElem};

impl Scheduler {
    /// A scan in strips, if its segments lie beside each other.
    pub(super) fn strips(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        ops: &[SegBinOp<Memory>],
    ) -> Option<Choice> {
        let along = along(seg, &|read, dim| {
            let offset = self.places.at_point(&seg.space, read.array, &read.dims);
            let step = offset.map(|offset| offset.split_on(sym(seg.space.dims[dim].0)).0);
            step.is_some_and(|step| step.is_zero() || step.is_one())
        })?;
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
        let conditions = vec![
            Condition::must(Quantity::Block, Quantity::MaxBlock),
            Condition::must(Quantity::Shared, Quantity::MaxShared),
            Condition::pays(self.threshold(MIN_COLUMNS_OF_STRIPS), columns),
            Condition::pays(self.threshold(MIN_POINTS_OF_STRIPS), Quantity::Segment),
        ];
        Some(when(conditions, Plan::Strips(Strips { along, points, turned })))
    }
}
