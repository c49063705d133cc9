//! The host's choice between the plans of a schedule.
//!
//! A schedule says which plans there are and when each of them is used (see [`fehu_ir::schedule`]); this file makes host
//! code of its conditions. What a condition is about is known to whoever emits the plan, who gives it as a list of quantities;
//! limits of the device and parameters are asked for here.

use super::Translate;
use fehu_base::bug;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::schedule::{Amount, Comparison, Condition, Quantity, Schedule};
use fehu_ir::seg::{SegOp, SizeClass};
use fehu_ir::Memory;

/// What quantities are, for one plan of one operation.
pub(super) type Quantities = Vec<(Quantity, Expr)>;

/// The schedule of an operation.
pub(super) fn schedule(seg: &SegOp<Memory>) -> &Schedule {
    match &seg.schedule {
        Some(schedule) => schedule,
        None => bug!("an operation at level {:?} has no schedule", seg.level),
    }
}

impl Translate {
    /// Whether all conditions hold.
    pub(super) fn all_hold(&mut self, conditions: &[Condition], known: &Quantities) -> Expr {
        let mut all: Option<Expr> = None;
        for Condition { left, is, right, .. } in conditions {
            let (left, right) = (self.amount(left, known), self.amount(right, known));
            let holds = match is {
                Comparison::AtMost => le(left, right),
                Comparison::Below => lt(left, right),
            };
            all = Some(match all {
                Some(all) => and(all, holds),
                None => holds,
            });
        }
        all.unwrap_or(bool(true))
    }

    fn amount(&mut self, amount: &Amount, known: &Quantities) -> Expr {
        let mut product: Option<Expr> = None;
        for quantity in &amount.of {
            let value = self.quantity(*quantity, known);
            product = Some(match product {
                Some(product) => mul(product, value),
                None => value,
            });
        }
        match (product, amount.times) {
            (Some(product), 1) => product,
            (Some(product), times) => mul(product, i64(times)),
            (None, times) => i64(times),
        }
    }

    fn quantity(&mut self, quantity: Quantity, known: &Quantities) -> Expr {
        if let Some((_, value)) = known.iter().find(|(q, _)| *q == quantity) {
            return value.clone();
        }
        match quantity {
            Quantity::MaxBlock => self.device_max(&SizeClass::ThreadBlockSize),
            Quantity::MaxShared => self.device_max(&SizeClass::SharedMemory),
            Quantity::Param(name) => self.param(name),
            Quantity::Size(e, ty) => self.counted(e, ty),
            Quantity::Points
            | Quantity::Segments
            | Quantity::Segment
            | Quantity::Rows
            | Quantity::WidthLog2
            | Quantity::Lanes
            | Quantity::Bins
            | Quantity::Passes
            | Quantity::Block
            | Quantity::Blocks
            | Quantity::Covered
            | Quantity::Depth
            | Quantity::Shared => bug!("a condition of a plan asks for {quantity:?}"),
        }
    }
}
