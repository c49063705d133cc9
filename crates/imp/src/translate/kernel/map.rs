//! Maps: a thread computes a few points.
//!
//! ```text
//! segmap (i < n, j < m) { return f(i, j) }
//!   ==>   blocks of 256 threads, 4 points a thread, 256 apart:
//!         for k < 4 { at = block*1024 + k*256 + thread;  if at < n*m { i = at / m; j = at % m; ... } }
//! ```
//!
//! Points that are cheap to compute are limited by memory, and one of them per thread does not keep it
//! busy. Where the body needs memory of its own per thread (see the memory pass), the grid is fixed and threads
//! go on with further points.

use super::{Mode, Translate};
use crate::build::*;
use crate::syntax::{Code, Expr};
use fehu_base::prim::PrimType;
use fehu_ir::seg::{KernelReturn, SegOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Memory, PatElem, SubExp};

/// Points per thread, for cheap bodies.
const FEW: i64 = 4;

/// From so many points on: fewer are better spread over all of the device.
const MANY: i64 = 1 << 19;

/// The most statements of a body that counts as cheap.
const CHEAP: usize = 40;

impl Translate {
    pub(super) fn seg_map(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>) {
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let points = self.points(&sizes);
        if seg.grid.is_some() {
            return self.over_grid("segmap", pat, seg, points);
        }
        self.tiled_or_not(pat, seg, points);
    }

    /// A map without tiles.
    pub(super) fn plain_map(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, points: Expr) {
        let size = self.block_param("segmap");
        if !is_cheap(seg) {
            let grid = quot_up(points.clone(), size.clone());
            return self.kernel("segmap", grid, size, Mode::Thread, |t| {
                let at = t.let_i64("start", add(mul(block(), block_size()), local()));
                t.if_then(lt(at.clone(), points), |t| t.map_point(pat, seg, at));
            });
        }
        let each = self.let_i64("each", select(le(i64(MANY), points.clone()), i64(FEW), i64(1)));
        let grid = quot_up(points.clone(), mul(size.clone(), each.clone()));
        self.kernel("segmap", grid, size, Mode::Thread, |t| {
            let tile = mul(block_size(), each.clone());
            let start = t.let_i64("start", add(mul(block(), tile), local()));
            t.for_up_to("k", i64(FEW), |t, k| {
                let at = t.let_i64("at", add(start, mul(k.clone(), block_size())));
                t.if_then(and(lt(k, each), lt(at.clone(), points)), |t| t.map_point(pat, seg, at));
            });
        });
    }

    fn map_point(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, at: Expr) {
        self.set_point(&seg.space, at);
        self.point(pat, seg);
    }

    /// All points of a map by a grid of fixed size.
    fn over_grid(&mut self, label: &str, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, points: Expr) {
        let Some(grid) = &seg.grid else { return };
        let (blocks, size) = (self.operand(grid.blocks), self.operand(grid.block_size));
        let threads = self.operand(grid.threads);
        self.kernel(label, blocks, size, Mode::Thread, |t| {
            t.set_thread(seg);
            let thread = Expr::Var(grid.thread);
            let rounds = quot_up(sub(points, thread.clone()), threads.clone());
            t.for_up_to("round", rounds, |t, round| {
                t.map_point(pat, seg, add(thread, mul(round, threads)));
            });
        });
    }

    /// The number of the physical thread, where the operation asks for it.
    pub(super) fn set_thread(&mut self, seg: &SegOp<Memory>) {
        if let Some(grid) = &seg.grid {
            self.emit(Code::DeclareScalar(grid.thread, PrimType::I64));
            self.set_to(grid.thread, add(mul(block(), block_size()), local()));
        }
    }
}

/// Whether memory traffic is most of what a body costs.
fn is_cheap(seg: &SegOp<Memory>) -> bool {
    let body = &seg.body.body;
    let (mut plain, mut length) = (true, 0);
    for_each_stm(body, &mut |stm| {
        length += 1;
        plain &= match &stm.exp {
            Exp::Loop(_) | Exp::Call(..) | Exp::Op(_) | Exp::WithAcc(_) => false,
            Exp::Copy(_) | Exp::Manifest(..) | Exp::Concat { .. } | Exp::Replicate(..) | Exp::Iota { .. } => {
                false
            }
            _ => true,
        };
    });
    let scalar = seg.types.iter().all(|t| t.rank() == 0);
    let in_order = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    scalar && in_order && plain && length <= CHEAP
}
