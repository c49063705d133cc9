//! Scans, in two sweeps over chunks.
//!
//! By the plan `reduce_then_scan`, the first sweep reduces the chunks, and the second computes the elements
//! again and scans them from what came before. The first chunk needs no reduction, and is scanned at once; the last one
//! needs none either, and waits. By the plan `scan_then_correct`, the first sweep scans all
//! chunks, and the second corrects those after the first by what came before.

use super::super::kernel::vars;
use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::machine::CpuMachine;
use crate::translate::state::{TaskCode, Translate};
use crate::translate::task;
use crate::translate::task::range;
use fehu_base::prim::PrimType;
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{CpuOp, Expr, OnCpu};
use fehu_ir::mem::poly;
use fehu_ir::schedule::Plan;
use fehu_ir::seg::{SegBinOp, SegOp, SizeClass};
use fehu_ir::{Memory, PatElem, Space};

/// What the two sweeps do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweeps {
    ReduceThenScan,
    ScanThenCorrect,
}

/// A scan: the names for its results, what it does, its operators and the types of their operands.
struct Scan<'a> {
    pat: &'a [PatElem<Memory>],
    seg: &'a SegOp<Memory>,
    ops: &'a [SegBinOp<Memory>],
    types: Vec<PrimType>,
}

pub(crate) fn task_scan<X: CpuMachine>(
    t: &mut Translate<OnCpu<X>>,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    plan: &Plan,
) {
    let scan = Scan { pat, seg, ops, types: t.operand_types(ops) };
    let sizes: Vec<_> = seg.space.dims.iter().map(|d| d.1).collect();
    let bound = point::points(t, &sizes);
    let workers = size::device_max(t, &SizeClass::GridSize);
    let (sweeps, most) = if let Plan::ReduceThenScan { beyond_workers } = plan {
        (Sweeps::ReduceThenScan, add(workers, i64(*beyond_workers)))
    } else if let Plan::ScanThenCorrect { per_worker } = plan {
        (Sweeps::ScanThenCorrect, mul(workers, i64(*per_worker)))
    } else {
        bug!("a scan over tasks cannot be run by {plan:?}")
    };
    let [chunk, start, end, chunks] = ["chunk", "start", "end", "chunks"].map(|x| task::index_name(t, x));
    let mut carries = vec![];
    let before = t.block(|t| {
        carries = scan.types.iter().map(|ty| t.fresh_array("carry", *ty, var(chunks))).collect();
    });
    let body = t.on(|t: &mut TaskCode| {
        let neutral = t.neutrals(ops);
        let accs = t.lanes("acc", &scan.types, neutral);
        if sweeps == Sweeps::ReduceThenScan {
            t.if_else(
                eq(var(chunk), i64(0)),
                |t| scan_range(t, &scan, &accs, var(start), var(end)),
                |t| {
                    t.if_then(lt(add(var(chunk), i64(1)), var(chunks)), |t| {
                        reduce_range(t, &scan, &accs, var(start), var(end));
                    });
                },
            );
        } else {
            scan_range(t, &scan, &accs, var(start), var(end));
        }
        task::store_at(t, &carries, &scan.types, &var(chunk), &accs);
    });
    t.on_cpu(CpuOp::ParChunks {
        chunk,
        start,
        end,
        bound: bound.clone(),
        most,
        chunks,
        before: Box::new(before),
        body: Box::new(body),
    });
    carry_on(t, &scan, &carries, chunks);
    second_sweep(t, &scan, &carries, chunks, bound, sweeps);
    for mem in carries {
        t.on_cpu(CpuOp::Free(mem, Space::Default));
    }
}

/// Makes the results of chunks what comes before each of them, from the second on.
fn carry_on<X: CpuMachine>(t: &mut Translate<OnCpu<X>>, scan: &Scan<'_>, carries: &[Name], chunks: Name) {
    let sums = task::load(t, carries, &scan.types, &i64(0));
    t.for_up_to("c", sub(var(chunks), i64(1)), |t, c| {
        let at = t.let_i64("at", add(c, i64(1)));
        let own = task::load(t, carries, &scan.types, &at);
        task::store_at(t, carries, &scan.types, &at, &sums);
        t.apply_all(scan.ops, &vars(&sums), &vars(&own), &sums);
    });
}

/// Scans the chunks from the second on, or corrects them.
fn second_sweep<X: CpuMachine>(
    t: &mut Translate<OnCpu<X>>,
    scan: &Scan<'_>,
    carries: &[Name],
    chunks: Name,
    bound: Expr,
    sweeps: Sweeps,
) {
    let (first, last) = (task::index_name(t, "first"), task::index_name(t, "last"));
    let body = t.on(|t: &mut TaskCode| {
        t.for_up_to("k", sub(var(last), var(first)), |t, k| {
            let chunk = t.let_i64("chunk", add(add(var(first), k), i64(1)));
            let from = |c: Expr| quot(mul(c, bound.clone()), var(chunks));
            let start = t.let_i64("start", from(chunk.clone()));
            let end = t.let_i64("end", from(add(chunk.clone(), i64(1))));
            let accs = task::load(t, carries, &scan.types, &chunk);
            if sweeps == Sweeps::ReduceThenScan {
                scan_range(t, scan, &accs, start, end);
            } else {
                correct_range(t, scan, &accs, start, end);
            }
        });
    });
    let bound = sub(var(chunks), i64(1));
    t.on_cpu(CpuOp::ParFor { start: first, end: last, bound, least: 1, body: Box::new(body) });
}

/// Scans elements into the results, beginning with variables.
fn scan_range(t: &mut TaskCode, scan: &Scan<'_>, accs: &[Name], start: Expr, end: Expr) {
    let seg = t.renamed(scan.seg);
    range::range(t, &seg, start, end, |t, seg| {
        let values = point::point(t, scan.pat, seg);
        t.apply_all(scan.ops, &vars(accs), &values, accs);
        let index: Vec<_> = seg.space.dims.iter().map(|d| poly(d.0.into())).collect();
        for (p, acc) in scan.pat.iter().zip(accs) {
            let at = t.place_of(p.name).fixed(&index);
            t.write(&at, var(*acc));
        }
    });
}

/// Reduces elements, beginning with variables.
fn reduce_range(t: &mut TaskCode, scan: &Scan<'_>, accs: &[Name], start: Expr, end: Expr) {
    let seg = t.renamed(scan.seg);
    range::range(t, &seg, start, end, |t, seg| {
        t.body(&seg.body.body, &[]);
        let results = &seg.body.body.result[..accs.len()];
        let values: Vec<Expr> = results.iter().map(|e| t.operand(*e)).collect();
        t.apply_all(scan.ops, &vars(accs), &values, accs);
    });
}

/// Combines results with what came before their chunk.
fn correct_range(t: &mut TaskCode, scan: &Scan<'_>, before: &[Name], start: Expr, end: Expr) {
    t.for_up_to("i", sub(end, start.clone()), |t, k| {
        let i = t.let_as("i", PrimType::I64, add(start, k));
        let places: Vec<_> = (scan.pat.iter().take(before.len()))
            .map(|p| t.place_of(p.name).fixed(&[poly(i.into())]))
            .collect();
        let own: Vec<Expr> = places.iter().map(|at| t.read(at)).collect();
        let own = t.lanes("own", &scan.types, own);
        t.apply_all(scan.ops, &vars(before), &vars(&own), &own);
        for (at, x) in places.iter().zip(&own) {
            t.write(at, var(*x));
        }
    });
}
