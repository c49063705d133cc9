//! Reductions: each chunk is reduced by itself, then the results of the chunks, in their order.

use super::super::kernel::vars;
use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::machine::CpuMachine;
use crate::translate::state::{TaskCode, Translate};
use crate::translate::task;
use crate::translate::task::range;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{CpuOp, Expr, OnCpu};
use fehu_ir::seg::{SegBinOp, SegOp, SizeClass};
use fehu_ir::{Memory, PatElem, Space};

pub(crate) fn task_red<X: CpuMachine>(
    t: &mut Translate<OnCpu<X>>,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    per_worker: i64,
) {
    let types = t.operand_types(ops);
    let sizes: Vec<_> = seg.space.dims.iter().map(|d| d.1).collect();
    let bound = point::points(t, &sizes);
    let workers = size::device_max(t, &SizeClass::GridSize);
    let [chunk, start, end, chunks] = ["chunk", "start", "end", "chunks"].map(|x| task::index_name(t, x));
    let mut parts = vec![];
    let before = t.block(|t| {
        parts = types.iter().map(|ty| t.fresh_array("parts", *ty, var(chunks))).collect();
    });
    let body = t.on(|t: &mut TaskCode| {
        let neutral = t.neutrals(ops);
        let accs = t.lanes("acc", &types, neutral);
        range::range(t, seg, var(start), var(end), |t, seg| {
            let values = point::point(t, pat, seg);
            t.apply_all(ops, &vars(&accs), &values, &accs);
        });
        task::store_at(t, &parts, &types, &var(chunk), &accs);
    });
    t.on_cpu(CpuOp::ParChunks {
        chunk,
        start,
        end,
        bound,
        most: mul(workers, i64(per_worker)),
        chunks,
        before: Box::new(before),
        body: Box::new(body),
    });
    let results: Vec<Name> = pat.iter().take(types.len()).map(|p| p.name).collect();
    for p in pat.iter().take(types.len()) {
        t.declare(p.name, &p.ty);
    }
    let first = task::load(t, &parts, &types, &i64(0));
    for (x, value) in results.iter().zip(&first) {
        t.set_to(*x, var(*value));
    }
    t.for_up_to("c", sub(var(chunks), i64(1)), |t, c| {
        let more: Vec<Expr> = vars(&task::load(t, &parts, &types, &add(c, i64(1))));
        t.apply_all(ops, &vars(&results), &more, &results);
    });
    for mem in parts {
        t.on_cpu(CpuOp::Free(mem, Space::Default));
    }
}
