//! Maps that turn what they read: see [`crate::turned`].

use super::{when, Scheduler};
use crate::turned::{direct_reads, sides, DirectRead};
use fehu_base::tuning::schedule::{MAX_PERCENT_COVERED, MIN_POINTS_FOR_SEVERAL};
use fehu_base::Name;
use fehu_ir::mem::sym;
use fehu_ir::schedule::{Choice, Condition, Plan, Quantity, Turned};
use fehu_ir::seg::SegOp;
use fehu_ir::Memory;

impl Scheduler {
    /// A map that turns reads, if it has such.
    pub(super) fn turned(&mut self, seg: &SegOp<Memory>) -> Option<Choice> {
        let direct = direct_reads(seg);
        let found: Vec<(&DirectRead, usize)> =
            direct.iter().filter_map(|read| Some((read, self.in_order_along(seg, read)?))).collect();
        let measures: Vec<(usize, i64)> = found.iter().map(|(read, dim)| (*dim, read.bytes)).collect();
        let sides = sides(seg.space.dims.len(), &measures)?;
        let reads: Vec<(Name, usize)> = found.iter().map(|(read, dim)| (read.name, *dim)).collect();
        let conditions = vec![
            Condition::must(Quantity::Block, Quantity::MaxBlock),
            Condition::must(Quantity::Shared, Quantity::MaxShared),
            Condition::pays(self.threshold(MIN_POINTS_FOR_SEVERAL), Quantity::Points),
            self.covers(MAX_PERCENT_COVERED),
        ];
        Some(when(conditions, Plan::Turned(Turned { sides, reads })))
    }

    /// The dimension of the space along which a read is in order, if it leaps along the innermost.
    fn in_order_along(&self, seg: &SegOp<Memory>, read: &DirectRead) -> Option<usize> {
        let last = seg.space.dims.len() - 1;
        let offset = self.places.at_point(&seg.space, read.array, &read.dims)?;
        let step = |dim: usize| offset.split_on(sym(seg.space.dims[dim].0)).0;
        let leaps = !step(last).is_zero() && !step(last).is_one();
        (0..last).filter(|_| leaps).find(|dim| step(*dim).is_one())
    }
}
