//! Tasks: segmented operations on the cores of a CPU.
//!
//! In: a `SegOp` at level `Task`, in host code or in the body of another. Out:
//! [`CpuOp::ParFor`] and [`CpuOp::ParChunks`] around plain loops over ranges of points, the bodies of
//! which are as sequential code is.
//!
//! How points are divided was decided before, by the operation's schedule.
//!
//! | file | what it makes |
//! | --- | --- |
//! | `range` | loops over a range of points, nested as the space is; blocks that all points of a range share |
//! | `red` | chunks are reduced, then the results of the chunks in order |
//! | `scan` | chunks are reduced, then scanned; or scanned, then corrected |
//!
//! A map is `range` and nothing else. Reductions and scans have one dimension and operators on scalars, and
//! histograms are made of these: `flatten` sees to that.

mod range;
mod red;
mod scan;

use crate::translate::kernel::choice::only_plan;
use crate::translate::kernel::point;
use crate::translate::machine::{CpuMachine, Machine};
use crate::translate::state::{Context, TaskCode, Translate};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, CpuOp, Expr, OnCpu};
use fehu_ir::schedule::Plan;
use fehu_ir::seg::{SegKind, SegOp};
use fehu_ir::{Memory, PatElem, Space, Type};

/// An operation over tasks.
pub(crate) fn task_op<X: CpuMachine>(
    t: &mut Translate<OnCpu<X>>,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
) {
    match (&seg.kind, only_plan(seg)) {
        (SegKind::Map, Plan::Ranges) => task_map(t, pat, seg),
        (SegKind::Red(ops), Plan::Chunks { per_worker }) => red::task_red(t, pat, seg, ops, *per_worker),
        (SegKind::Scan(ops, _), plan) => scan::task_scan(t, pat, seg, ops, plan),
        (_, plan) => bug!("an operation over tasks cannot be run by {plan:?}"),
    }
}

fn task_map<X: CpuMachine>(t: &mut Translate<OnCpu<X>>, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let sizes: Vec<_> = seg.space.dims.iter().map(|d| d.1).collect();
    let bound = point::points(t, &sizes);
    let (start, end) = (index_name(t, "start"), index_name(t, "end"));
    let body = t.on(|t: &mut TaskCode| {
        range::range(t, seg, var(start), var(end), |t, seg| {
            point::point(t, pat, seg);
        })
    });
    t.on_cpu(CpuOp::ParFor { start, end, bound, least: 1, body: Box::new(body) });
}

/// A name for an `i64` that an operation declares.
pub(crate) fn index_name(t: &mut Context, base: &str) -> Name {
    let x = t.names.fresh_str(base);
    t.types.insert(x, Type::I64);
    x
}

/// Reads an element of each array into variables.
pub(crate) fn load<M: Machine>(
    t: &mut Translate<M>,
    arrays: &[Name],
    types: &[PrimType],
    at: &Expr,
) -> Vec<Name> {
    let mut read = vec![];
    for (mem, ty) in arrays.iter().zip(types) {
        let element =
            Expr::Index { mem: *mem, offset: Box::new(at.clone()), elem: *ty, space: Space::Default };
        read.push(t.let_as("part", *ty, element));
    }
    read
}

/// Writes variables to an element of each array.
pub(crate) fn store_at<M: Machine>(
    t: &mut Translate<M>,
    arrays: &[Name],
    types: &[PrimType],
    at: &Expr,
    values: &[Name],
) {
    for ((mem, ty), value) in arrays.iter().zip(types).zip(values) {
        let (offset, value) = (at.clone(), var(*value));
        t.emit(Code::Write { mem: *mem, offset, elem: *ty, space: Space::Default, value });
    }
}
