//! Reductions: each chunk is reduced by itself, then the results of the chunks, in their order.

use super::super::kernel::vars;
use super::super::Translate;
use crate::draft::{Code, Op};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::seg::{SegBinOp, SegOp, SizeClass};
use fehu_ir::{Memory, PatElem, Space};

/// So many chunks for each worker, so that workers that are done early can take over from others.
const CHUNKS: i64 = 4;

impl Translate {
    pub(super) fn task_red(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        ops: &[SegBinOp<Memory>],
    ) {
        let types = self.operand_types(ops);
        let sizes: Vec<_> = seg.space.dims.iter().map(|d| d.1).collect();
        let bound = self.points(&sizes);
        let workers = self.device_max(&SizeClass::GridSize);
        let [chunk, start, end, chunks] = ["chunk", "start", "end", "chunks"].map(|x| self.index_name(x));
        let mut parts = vec![];
        let before = self.block(|t| {
            parts = types.iter().map(|ty| t.task_array("parts", *ty, var(chunks))).collect();
        });
        let body = self.block(|t| {
            let neutral = t.neutrals(ops);
            let accs = t.lanes("acc", &types, neutral);
            t.range(seg, var(start), var(end), |t, seg| {
                let values = t.point(pat, seg);
                t.apply_all(ops, &vars(&accs), &values, &accs);
            });
            t.store_at(&parts, &types, &var(chunk), &accs);
        });
        self.emit(Code::Op(Op::ParChunks {
            chunk,
            start,
            end,
            bound,
            most: mul(workers, i64(CHUNKS)),
            chunks,
            before: Box::new(before),
            body: Box::new(body),
        }));
        let results: Vec<Name> = pat.iter().take(types.len()).map(|p| p.name).collect();
        for p in pat.iter().take(types.len()) {
            self.declare(p.name, &p.ty);
        }
        let first = self.load(&parts, &types, &i64(0));
        for (x, value) in results.iter().zip(&first) {
            self.set_to(*x, var(*value));
        }
        self.for_up_to("c", sub(var(chunks), i64(1)), |t, c| {
            let more: Vec<Expr> = vars(&t.load(&parts, &types, &add(c, i64(1))));
            t.apply_all(ops, &vars(&results), &more, &results);
        });
        for mem in parts {
            self.emit(Code::Op(Op::Free(mem, Space::Default)));
        }
    }
}
