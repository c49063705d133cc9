//! Tasks: segmented operations on the cores of a CPU.
//!
//! In: a `SegOp` at level `Task`, in host code or in the body of another. Out:
//! [`Op::ParFor`] and [`Op::ParChunks`] around plain loops over ranges of points, the bodies of
//! which are as sequential code is.
//!
//! | file | what it makes |
//! | --- | --- |
//! | `range` | loops over a range of points, nested as the space is; blocks that all points of a range share |
//! | `red` | chunks are reduced, then the results of the chunks in order |
//! | `scan` | chunks are reduced, then scanned; or scanned, then corrected |
//!
//! A map is `range` and nothing else. Reductions and scans have one dimension and operators on scalars, and histograms are
//! made of these: `flatten` sees to that.

mod range;
mod red;
mod scan;

use crate::draft::{Code, Op};
use crate::translate::kernel::point;
use crate::translate::state::Translate;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::seg::{SegKind, SegOp};
use fehu_ir::{Memory, PatElem, Space, Type};

/// An operation over tasks.
pub(crate) fn task_op(t: &mut Translate, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    match &seg.kind {
        SegKind::Map => task_map(t, pat, seg),
        SegKind::Red(ops) => red::task_red(t, pat, seg, ops),
        SegKind::Scan(ops, _) => scan::task_scan(t, pat, seg, ops),
        SegKind::Hist(_) => bug!("a histogram at level task"),
    }
}

fn task_map(t: &mut Translate, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
    let sizes: Vec<_> = seg.space.dims.iter().map(|d| d.1).collect();
    let bound = point::points(t, &sizes);
    let (start, end) = (index_name(t, "start"), index_name(t, "end"));
    let body = t.block(|t| {
        range::range(t, seg, var(start), var(end), |t, seg| {
            point::point(t, pat, seg);
        })
    });
    t.emit(Code::Op(Op::ParFor { start, end, bound, body: Box::new(body) }));
}

/// A name for an `i64` that an operation declares.
pub(crate) fn index_name(t: &mut Translate, base: &str) -> Name {
    let x = t.names.fresh_str(base);
    t.types.insert(x, Type::I64);
    x
}

/// An array of so many elements.
pub(crate) fn task_array(t: &mut Translate, base: &str, elem: PrimType, count: Expr) -> Name {
    let mem = t.names.fresh_str(base);
    t.types.insert(mem, Type::Mem(Space::Default));
    t.emit(Code::DeclareMem(mem, Space::Default));
    let bytes = mul(count, i64(elem.bytes() as i64));
    t.emit(Code::Op(Op::Allocate { mem, bytes, space: Space::Default, loc: t.loc.clone() }));
    mem
}

/// Reads an element of each array into variables.
pub(crate) fn load(t: &mut Translate, arrays: &[Name], types: &[PrimType], at: &Expr) -> Vec<Name> {
    let mut read = vec![];
    for (mem, ty) in arrays.iter().zip(types) {
        let element =
            Expr::Index { mem: *mem, offset: Box::new(at.clone()), elem: *ty, space: Space::Default };
        read.push(t.let_as("part", *ty, element));
    }
    read
}

/// Writes variables to an element of each array.
pub(crate) fn store_at(t: &mut Translate, arrays: &[Name], types: &[PrimType], at: &Expr, values: &[Name]) {
    for ((mem, ty), value) in arrays.iter().zip(types).zip(values) {
        let (offset, value) = (at.clone(), var(*value));
        t.emit(Code::Write { mem: *mem, offset, elem: *ty, space: Space::Default, value });
    }
}
