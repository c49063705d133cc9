//! Histograms.
//!
//! A histogram that fits shared memory is made there, one per block, and then added to the result; this turns most
//! updates of global memory into updates of shared memory. Otherwise, or where there are many segments, every point
//! updates the result itself. Which of the two runs is decided when sizes are known.

use super::operator::{prim, vars};
use super::update::{way, Way};
use super::{Mode, Translate};
use crate::translate::place::At;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::mem::{poly, Lmad};
use fehu_ir::seg::{SegHistOp, SegOp, SizeClass};
use fehu_ir::{Memory, PatElem, SubExp};

/// The most shared memory a block's histograms take: several blocks should fit beside each other.
const ROOM: i64 = 32 * 1024;

/// Points per thread.
const FEW: i64 = 4;

/// Points per thread at least before another block is worth a histogram of its own.
const WORTH: i64 = 16;

impl Translate {
    pub(super) fn seg_hist(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        ops: &[SegHistOp<Memory>],
    ) {
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let points = self.points(&sizes);
        let hist = Hist { pat, seg, ops, points };
        let shareable = seg.grid.is_none() && seg.space.dims.len() == 1;
        if !shareable || !ops.iter().all(fits_instructions) {
            return self.hist_global(&hist);
        }
        let mut bytes = i64(0);
        let mut bins = i64(0);
        for op in ops {
            let here = self.points(&op.shape);
            let width: u64 = op.op.ret.iter().map(|t| prim(t).bytes()).sum();
            bytes = add(bytes, mul(here.clone(), i64(width as i64)));
            bins = add(bins, here);
        }
        let most = self.device_max(&SizeClass::SharedMemory);
        let fits = le(bytes, min(most, i64(ROOM)));
        let fits = and(fits, le(mul(bins, i64(4)), hist.points.clone()));
        let copy = self.renamed(seg);
        let copy_ops = match &copy.kind {
            fehu_ir::seg::SegKind::Hist(ops) => ops.clone(),
            other => fehu_base::bug!("a renamed histogram is {other:?}"),
        };
        let copied = Hist { pat, seg: &copy, ops: &copy_ops, points: hist.points.clone() };
        self.if_else(fits, |t| t.hist_shared(&hist), |t| t.hist_global(&copied));
    }

    /// Every point updates the result.
    fn hist_global(&mut self, hist: &Hist) {
        if let Some(grid) = &hist.seg.grid {
            let (blocks, size) = (self.operand(grid.blocks), self.operand(grid.block_size));
            let threads = self.operand(grid.threads);
            return self.kernel("seghist_global", blocks, size, Mode::Thread, |t| {
                t.set_thread(hist.seg);
                let thread = var(grid.thread);
                let rounds = quot_up(sub(hist.points.clone(), thread.clone()), threads.clone());
                t.for_up_to("round", rounds, |t, round| {
                    t.update_global(hist, add(thread, mul(round, threads)));
                });
            });
        }
        let size = self.block_param("seghist");
        let grid = quot_up(hist.points.clone(), mul(size.clone(), i64(FEW)));
        self.kernel("seghist_global", grid, size, Mode::Thread, |t| {
            let start = t.let_i64("start", add(mul(block(), mul(block_size(), i64(FEW))), local()));
            t.for_up_to("k", i64(FEW), |t, k| {
                let at = t.let_i64("at", add(start, mul(k, block_size())));
                t.if_then(lt(at.clone(), hist.points.clone()), |t| t.update_global(hist, at));
            });
        });
    }

    fn update_global(&mut self, hist: &Hist, at: Expr) {
        self.set_point(&hist.seg.space, at);
        let segment: Vec<SubExp> = hist.segment_dims().iter().map(|d| d.0.into()).collect();
        let sizes: Vec<SubExp> = hist.segment_dims().iter().map(|d| d.1).collect();
        self.each_update(hist, |t, op, dests, index, values| {
            let index: Vec<SubExp> = segment.iter().chain(index).copied().collect();
            let shape: Vec<SubExp> = sizes.iter().chain(&op.shape).copied().collect();
            let indices: Vec<_> = index.iter().map(|i| poly(t.resolve(*i))).collect();
            let places: Vec<At> = dests.iter().map(|p| t.place_of(p.name).fixed(&indices)).collect();
            let number = t.flat_index(&index, &shape);
            t.update(&op.op, &places, values, number);
        });
    }

    /// The body at the point whose indices are set, then `update` for each operation whose index is within bounds, with
    /// its results, its index and its values.
    pub(super) fn each_update(
        &mut self,
        hist: &Hist,
        mut update: impl FnMut(&mut Self, &SegHistOp<Memory>, &[PatElem<Memory>], &[SubExp], Vec<Expr>),
    ) {
        self.body(&hist.seg.body.body, &[]);
        let result = &hist.seg.body.body.result;
        let mut next_index = 0;
        let mut next_value: usize = hist.ops.iter().map(|op| op.shape.len()).sum();
        let mut next_dest = 0;
        for op in hist.ops {
            let n = op.dests.len();
            let index = &result[next_index..next_index + op.shape.len()];
            let values: Vec<Expr> =
                result[next_value..next_value + n].iter().map(|e| self.operand(*e)).collect();
            let dests = &hist.pat[next_dest..next_dest + n];
            let inside = self.within(index, &op.shape);
            self.if_then(inside, |t| update(t, op, dests, index, values));
            next_index += op.shape.len();
            next_value += n;
            next_dest += n;
        }
    }

    /// Every block makes histograms of its own, then adds them to the result.
    fn hist_shared(&mut self, hist: &Hist) {
        let size = self.block_param("seghist");
        let most = self.grid_param("seghist");
        let useful = quot_up(hist.points.clone(), mul(size.clone(), i64(WORTH)));
        let grid = min(most, useful);
        let bins: Vec<Expr> = hist.ops.iter().map(|op| self.points(&op.shape)).collect();
        self.kernel("seghist_shared", grid, size, Mode::Thread, |t| {
            let mut locals: Vec<Vec<(Name, PrimType)>> = vec![];
            for (op, bins) in hist.ops.iter().zip(&bins) {
                let types: Vec<PrimType> = op.op.ret.iter().map(prim).collect();
                locals
                    .push(types.iter().map(|ty| (t.shared_array("bins", *ty, bins.clone()), *ty)).collect());
            }
            for ((op, mems), bins) in hist.ops.iter().zip(&locals).zip(&bins) {
                t.shared_out(bins.clone(), |t, at| {
                    for ((mem, ty), neutral) in mems.iter().zip(&op.neutral) {
                        let neutral = t.operand(*neutral);
                        t.store(*mem, *ty, at.clone(), neutral);
                    }
                });
            }
            t.barrier();
            let threads = t.let_i64("threads", mul(grid_size(), block_size()));
            let thread = t.let_i64("thread", add(mul(block(), block_size()), local()));
            let rounds = quot_up(sub(hist.points.clone(), thread.clone()), threads.clone());
            let rounds = t.let_i64("rounds", rounds);
            t.guarded(|t| {
                t.for_up_to("round", rounds, |t, round| {
                    t.set_point(&hist.seg.space, add(thread, mul(round, threads)));
                    let mut which = 0;
                    t.each_update(hist, |t, op, _, index, values| {
                        let number = t.flat_index(index, &op.shape);
                        let number = poly_of(t, number);
                        let places: Vec<At> = (locals[which].iter())
                            .map(|(mem, ty)| At::new(*mem, Lmad::row_major(poly(number.into()), &[]), *ty))
                            .collect();
                        t.update(&op.op, &places, values, i64(0));
                        which += 1;
                    });
                });
            });
            t.barrier();
            t.flush(hist, &locals, &bins);
        });
    }

    /// Adds a block's histograms to the results.
    fn flush(&mut self, hist: &Hist, locals: &[Vec<(Name, PrimType)>], bins: &[Expr]) {
        let mut next = 0;
        for ((op, mems), bins) in hist.ops.iter().zip(locals).zip(bins) {
            let dests = &hist.pat[next..next + op.dests.len()];
            next += op.dests.len();
            self.shared_out(bins.clone(), |t, at| {
                let mut values = vec![];
                let mut changed = bool(false);
                for ((mem, ty), neutral) in mems.iter().zip(&op.neutral) {
                    let e = t.element(*mem, *ty, at.clone());
                    let x = t.let_as("value", *ty, e);
                    let differs = not(equal(*ty, var(x), t.operand(*neutral)));
                    changed = if changed == bool(false) { differs } else { or(changed, differs) };
                    values.push(x);
                }
                t.if_then(changed, |t| {
                    let dims: Vec<(Name, SubExp)> =
                        op.shape.iter().map(|n| (t.names.fresh_str("bin"), *n)).collect();
                    for (i, _) in &dims {
                        t.types.insert(*i, fehu_ir::Type::I64);
                    }
                    t.unflatten(&dims, at.clone());
                    let indices: Vec<_> = dims.iter().map(|d| poly(d.0.into())).collect();
                    let places: Vec<At> = dests.iter().map(|p| t.place_of(p.name).fixed(&indices)).collect();
                    t.update(&op.op, &places, vars(&values), at);
                });
            });
        }
    }

    /// All numbers below a bound, shared out among the threads of a block.
    pub(super) fn shared_out(&mut self, bound: Expr, body: impl FnOnce(&mut Self, Expr)) {
        let rounds = quot_up(sub(bound, local()), block_size());
        self.for_up_to("round", rounds, |t, round| {
            let at = t.let_i64("at", add(local(), mul(round, block_size())));
            body(t, at);
        });
    }
}

/// The name of a number.
fn poly_of(t: &mut Translate, number: Expr) -> Name {
    t.let_as("bin", PrimType::I64, number)
}

/// A histogram at hand.
pub(super) struct Hist<'a> {
    pub(super) pat: &'a [PatElem<Memory>],
    pub(super) seg: &'a SegOp<Memory>,
    pub(super) ops: &'a [SegHistOp<Memory>],
    pub(super) points: Expr,
}

impl Hist<'_> {
    fn segment_dims(&self) -> &[(Name, SubExp)] {
        let dims = &self.seg.space.dims;
        &dims[..dims.len() - 1]
    }
}

fn fits_instructions(op: &SegHistOp<Memory>) -> bool {
    let types: Vec<PrimType> = op.op.ret.iter().map(prim).collect();
    match way(&op.op, &types) {
        Way::Native(_) | Way::Retry(_) => true,
        Way::Lock => false,
    }
}
