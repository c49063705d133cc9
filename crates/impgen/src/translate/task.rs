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

use super::Translate;
use crate::draft::{Code, Op};
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::seg::{SegKind, SegOp};
use fehu_ir::{Memory, PatElem, Space, Type};

impl Translate {
    /// An operation over tasks.
    pub(super) fn task_op(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        match &seg.kind {
            SegKind::Map => self.task_map(pat, seg),
            SegKind::Red(ops) => self.task_red(pat, seg, ops),
            SegKind::Scan(ops, _) => self.task_scan(pat, seg, ops),
            SegKind::Hist(_) => bug!("a histogram at level task"),
        }
    }

    fn task_map(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        let sizes: Vec<_> = seg.space.dims.iter().map(|d| d.1).collect();
        let bound = self.points(&sizes);
        let (start, end) = (self.index_name("start"), self.index_name("end"));
        let body = self.block(|t| {
            t.range(seg, var(start), var(end), |t, seg| {
                t.point(pat, seg);
            })
        });
        self.emit(Code::Op(Op::ParFor { start, end, bound, body: Box::new(body) }));
    }

    /// A name for an `i64` that an operation declares.
    fn index_name(&mut self, base: &str) -> Name {
        let x = self.names.fresh_str(base);
        self.types.insert(x, Type::I64);
        x
    }

    /// An array of so many elements.
    fn task_array(&mut self, base: &str, elem: PrimType, count: Expr) -> Name {
        let mem = self.names.fresh_str(base);
        self.types.insert(mem, Type::Mem(Space::Default));
        self.emit(Code::DeclareMem(mem, Space::Default));
        let bytes = mul(count, i64(elem.bytes() as i64));
        self.emit(Code::Op(Op::Allocate { mem, bytes, space: Space::Default, loc: self.loc.clone() }));
        mem
    }

    /// Reads an element of each array into variables.
    fn load(&mut self, arrays: &[Name], types: &[PrimType], at: &Expr) -> Vec<Name> {
        let mut read = vec![];
        for (mem, ty) in arrays.iter().zip(types) {
            let element =
                Expr::Index { mem: *mem, offset: Box::new(at.clone()), elem: *ty, space: Space::Default };
            read.push(self.let_as("part", *ty, element));
        }
        read
    }

    /// Writes variables to an element of each array.
    fn store_at(&mut self, arrays: &[Name], types: &[PrimType], at: &Expr, values: &[Name]) {
        for ((mem, ty), value) in arrays.iter().zip(types).zip(values) {
            let (offset, value) = (at.clone(), var(*value));
            self.emit(Code::Write { mem: *mem, offset, elem: *ty, space: Space::Default, value });
        }
    }
}
