//! Kernels: segmented operations on a GPU.
//!
//! In: a `SegOp` at level `Thread` or `Block`, in host code. Out: one or more
//! [`fehu_imp::syntax::Kernel`]s and the host code that launches them. What the body of the
//! operation computes at one point is translated as sequential code is. Which thread
//! computes which point was decided before: the operation's schedule (see [`fehu_ir::schedule`])
//! says it, and the files here emit each plan that a schedule may have.
//!
//! | file | what it emits |
//! | --- | --- |
//! | `map` | a thread computes a few points |
//! | `steps`, `line` | several iterations of a loop of stencils, on matrices and vectors |
//! | `tile` | a block computes a rectangle of points, which read the same elements from shared memory |
//! | `red` | blocks reduce parts of a segment, the last one to finish combines them; many small segments share a block |
//! | `queue` | which threads do which rounds of work, where some take longer than others |
//! | `scan` | one pass: blocks look back at what blocks before them have published |
//! | `hist` | atomic updates, in shared memory first where the histogram fits |
//! | `choice` | the host's choice between the plans of a schedule |
//! | `block` | a block computes a point, its threads the operations inside |
//! | `operator` | application of operators, reductions and scans within a block |
//! | `update` | indivisible updates of elements, accumulators |
//! | `bits` | values as the bits of words |
//! | `point` | indices of a point, the results of a body |
//! | `size` | tuning parameters and sizes of the device |
//!
//! A kernel's parameters are the free names of its code. Names are unique in a program, so code that is used
//! in two kernels is renamed for each.

mod bits;
pub(super) mod block;
pub(super) mod choice;
mod hist;
mod iterations;
pub(super) mod line;
mod map;
pub(super) mod operator;
pub(super) mod point;
mod queue;
mod red;
mod scan;
pub(super) mod size;
pub(super) mod steps;
mod tile;
mod turns;
pub(super) mod update;

pub(super) use operator::vars;

use crate::translate::state::HostCode;
use fehu_ir::seg::{SegKind, SegOp};
use fehu_ir::{Memory, PatElem};

/// An operation of the threads of a grid.
pub(super) fn grid_op(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    size::add_params(t, choice::schedule(seg));
    match &seg.kind {
        SegKind::Map => map::seg_map(t, pat, seg),
        SegKind::Red(ops) => red::seg_red(t, pat, seg, ops),
        SegKind::Scan(ops, _) => scan::seg_scan(t, pat, seg, ops),
        SegKind::Hist(ops) => hist::seg_hist(t, pat, seg, ops),
    }
}
