//! What the host compares before it launches a kernel.
//!
//! Products of quantities: sizes of the operation, limits of the device, tuning parameters, and what a plan needs.
//!
//! ```text
//! must  shared <= max_shared                 the device can run it
//! pays  param(min_points) < points * 4       it is probably faster
//! ```

use crate::syntax::SubExp;
use fehu_base::prim::IntType;
use fehu_base::Symbol;

/// A comparison that the host makes before it launches a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// What it is for.
    pub reason: Reason,
    /// The smaller amount.
    pub left: Amount,
    /// How it compares to the other.
    pub is: Comparison,
    /// The larger amount.
    pub right: Amount,
}

/// What a condition is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// Without it the plan would be wrong, or the device could not run it.
    Must,
    /// Without it another plan is probably faster.
    Pays,
}

/// How two amounts compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `left <= right`.
    AtMost,
    /// `left < right`.
    Below,
}

/// A product of quantities and a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Amount {
    /// The quantities, multiplied.
    pub of: Vec<Quantity>,
    /// The constant.
    pub times: i64,
}

/// What conditions are about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quantity {
    /// Points of the whole index space.
    Points,
    /// Segments: points of all dimensions but the innermost.
    Segments,
    /// Points of a segment.
    Segment,
    /// The size of the second dimension from inside.
    Rows,
    /// Of [`Column`](super::Column): the logarithm of the width of a block along a row; 0 if no width fills rows well.
    WidthLog2,
    /// Of [`Plan::LanesPerSegment`](super::Plan::LanesPerSegment): threads that share a segment.
    Lanes,
    /// Bins of all histograms of a segment together.
    Bins,
    /// Bytes of these bins in the results.
    BinBytes,
    /// Of [`Plan::SubHistograms`](super::Plan::SubHistograms) and [`Slices`](super::Slices): how often the
    /// points are read.
    Passes,
    /// Of [`Plan::SubHistograms`](super::Plan::SubHistograms): blocks that share a segment.
    Parts,
    /// The same less one.
    Repeats,
    /// Threads in a block of the plan.
    Block,
    /// Blocks that the plan launches.
    Blocks,
    /// Points that all blocks of the plan have room for, whether or not they exist.
    Covered,
    /// Of tiles: iterations of the loop in one step.
    Depth,
    /// Bytes of shared memory that a block of the plan allocates.
    Shared,
    /// The most threads in a block that the device runs.
    MaxBlock,
    /// The most bytes of shared memory that a block can have.
    MaxShared,
    /// The value of one of the schedule's parameters.
    Param(Symbol),
    /// A size that the host knows, of this type.
    Size(SubExp, IntType),
}

impl Amount {
    /// A constant.
    pub fn constant(times: i64) -> Amount {
        Amount { of: vec![], times }
    }

    /// So many times as much.
    pub fn times(self, times: i64) -> Amount {
        Amount { times: self.times * times, ..self }
    }

    /// Multiplied with another quantity.
    pub fn and(mut self, other: Quantity) -> Amount {
        self.of.push(other);
        self
    }
}

impl From<Quantity> for Amount {
    fn from(q: Quantity) -> Amount {
        Amount { of: vec![q], times: 1 }
    }
}

impl From<i64> for Amount {
    fn from(n: i64) -> Amount {
        Amount::constant(n)
    }
}

impl Condition {
    /// `left <= right`, or the plan cannot run.
    pub fn must(left: impl Into<Amount>, right: impl Into<Amount>) -> Condition {
        Condition { reason: Reason::Must, left: left.into(), is: Comparison::AtMost, right: right.into() }
    }

    /// `left <= right`, or the plan is slow.
    pub fn pays(left: impl Into<Amount>, right: impl Into<Amount>) -> Condition {
        Condition { reason: Reason::Pays, ..Condition::must(left, right) }
    }

    /// The same with `<`.
    pub fn strictly(self) -> Condition {
        Condition { is: Comparison::Below, ..self }
    }
}
