//! What the plan for rows of different sizes says.

use super::Exchange;
use fehu_base::{Name, Symbol};

/// See [`Plan::MergePath`](super::Plan::MergePath). The body of the reduction is a branch, whose other side
/// gives neutral elements: the points of segment `i` that count are as many as `ends[i]` is larger than the
/// end before, or than 0. Ends do not decrease, and the last is the size of the innermost dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct MergePath {
    /// Threads in a block.
    pub block: Symbol,
    /// Threads in the one block that combines the parts of segments that several blocks have.
    pub carries: Symbol,
    /// How many points and ends of segments a thread has.
    pub items: i64,
    /// Where the points of each segment end, if those that count stand one after the other.
    pub ends: Name,
    /// The condition of the branch: whether a point counts.
    pub counts: Name,
    /// How a block combines what its threads have.
    pub exchange: Exchange,
}
