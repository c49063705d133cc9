//! The host's choice between the plans of a schedule.
//!
//! A schedule says which plans there are and when each of them is used (see [`fehu_ir::schedule`]); this file
//! makes host code of its conditions. What a condition is about is known to whoever emits the plan, who gives
//! it as a list of quantities; limits of the device and parameters are asked for here.

use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::state::HostCode;
use fehu_base::bug;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::schedule::{Amount, Choice, Comparison, Condition, Plan, Quantity, Schedule};
use fehu_ir::seg::{SegOp, SizeClass};
use fehu_ir::Memory;

/// What quantities are, for one plan of one operation.
pub(super) type Quantities = Vec<(Quantity, Expr)>;

/// The schedule of an operation.
pub(in crate::translate) fn schedule(seg: &SegOp<Memory>) -> &Schedule {
    match &seg.schedule {
        Some(schedule) => schedule,
        None => bug!("an operation at level {:?} has no schedule", seg.level),
    }
}

/// The plan of an operation whose schedule has no choice.
pub(in crate::translate) fn only_plan(seg: &SegOp<Memory>) -> &Plan {
    match schedule(seg).choices.as_slice() {
        [Choice { plan, .. }] => plan,
        other => bug!("an operation at level {:?} cannot be run by {other:?}", seg.level),
    }
}

/// Whether all conditions hold.
pub(crate) fn all_hold(t: &mut HostCode, conditions: &[Condition], known: &Quantities) -> Expr {
    let mut all: Option<Expr> = None;
    for Condition { left, is, right, .. } in conditions {
        let (left, right) = (amount(t, left, known), amount(t, right, known));
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

fn amount(t: &mut HostCode, amount: &Amount, known: &Quantities) -> Expr {
    let mut product: Option<Expr> = None;
    for quantity in &amount.of {
        let value = value_of(t, *quantity, known);
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

fn value_of(t: &mut HostCode, quantity: Quantity, known: &Quantities) -> Expr {
    if let Some((_, value)) = known.iter().find(|(q, _)| *q == quantity) {
        return value.clone();
    }
    match quantity {
        Quantity::MaxBlock => size::device_max(t, &SizeClass::ThreadBlockSize),
        Quantity::MaxShared => size::device_max(t, &SizeClass::SharedMemory),
        Quantity::Param(name) => size::param(t, name),
        Quantity::Size(e, ty) => point::counted(t, e, ty),
        Quantity::Points
        | Quantity::Segments
        | Quantity::Segment
        | Quantity::Rows
        | Quantity::WidthLog2
        | Quantity::Lanes
        | Quantity::Bins
        | Quantity::BinBytes
        | Quantity::Passes
        | Quantity::Parts
        | Quantity::Repeats
        | Quantity::Block
        | Quantity::Blocks
        | Quantity::Covered
        | Quantity::Depth
        | Quantity::Shared => bug!("a condition of a plan asks for {quantity:?}"),
    }
}
