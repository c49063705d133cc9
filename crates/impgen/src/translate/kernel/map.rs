//! Maps: a thread computes a few points.
//!
//! ```text
//! segmap (i < n, j < m) { return f(i, j) }
//!   ==>   blocks of 256 threads, 4 points a thread, 256 apart:
//!         for k < 4 { at = block*1024 + k*256 + thread;  if at < n*m { i = at / m; j = at % m; ... } }
//! ```
//!
//! Points that are cheap to compute are limited by memory, and one of them per thread does not keep it
//! busy. Long rows are cut into parts, one for each block: to find the row, a thread then divides once and not for each point,
//! and what depends on the row alone is computed once:
//!
//! ```text
//!         i = block / parts;  for k < 4 { j = (block % parts)*1024 + k*256 + thread;  if j < m { ... } }
//! ```
//!
//! Where the body needs memory of its own per thread (see the memory pass), the grid is fixed and threads
//! go on with further points.

use super::{Mode, Translate};
use fehu_base::prim::PrimType;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::seg::{KernelReturn, SegOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Memory, PatElem, SubExp};

/// Points per thread, for cheap bodies.
const FEW: i64 = 4;

/// From so many points on: fewer are better spread over all of the device.
const MANY: i64 = 1 << 19;

/// Rows are cut into parts if at most one in so many threads has nothing to do.
const FULL: i64 = 8;

/// The most statements of a body that counts as cheap.
const CHEAP: usize = 40;

/// A map by parts of rows.
struct Rows {
    /// Whether the host chose it.
    used: Expr,
    /// Points in a row.
    width: Expr,
    /// Parts of a row.
    parts: Expr,
    /// Parts of all rows.
    blocks: Expr,
}

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
        let flat_grid = quot_up(points.clone(), mul(size.clone(), each.clone()));
        let rows = self.rows(seg, &points, &size);
        let grid = match &rows {
            Some(rows) => select(rows.used.clone(), rows.blocks.clone(), flat_grid),
            None => flat_grid,
        };
        self.kernel("segmap", grid, size, Mode::Thread, |t| {
            let flat = |t: &mut Self| t.flat_points(pat, seg, points, each);
            match rows {
                Some(rows) => t.if_else(rows.used.clone(), |t| t.row_points(pat, seg, rows), flat),
                None => flat(t),
            }
        });
    }

    /// A few points of a thread, by their flat numbers.
    fn flat_points(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, points: Expr, each: Expr) {
        let tile = mul(block_size(), each.clone());
        let start = self.let_i64("start", add(mul(block(), tile), local()));
        self.for_up_to("k", i64(FEW), |t, k| {
            let at = t.let_i64("at", add(start, mul(k.clone(), block_size())));
            t.if_then(and(lt(k, each), lt(at.clone(), points)), |t| t.map_point(pat, seg, at));
        });
    }

    /// How a block would take part of a row, decided by the host; none if there are no rows.
    fn rows(&mut self, seg: &SegOp<Memory>, points: &Expr, size: &Expr) -> Option<Rows> {
        let (inner, outer) = seg.space.dims.split_last().filter(|(_, outer)| !outer.is_empty())?;
        let width = self.operand(inner.1);
        let part = mul(size.clone(), i64(FEW));
        let parts = self.let_i64("parts", quot_up(width.clone(), part.clone()));
        let outer: Vec<SubExp> = outer.iter().map(|d| d.1).collect();
        let blocks = mul(self.points(&outer), parts.clone());
        let full = le(mul(parts.clone(), mul(part, i64(FULL - 1))), mul(width.clone(), i64(FULL)));
        let used = self.let_i64("by_rows", select(and(le(i64(MANY), points.clone()), full), i64(1), i64(0)));
        Some(Rows { used: eq(used, i64(1)), width, parts, blocks })
    }

    /// A few points of a thread in one row, whose number is found once.
    fn row_points(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, rows: Rows) {
        let Some((inner, outer)) = seg.space.dims.split_last() else { return };
        let row = self.let_i64("row", quot(block(), rows.parts.clone()));
        let part = self.let_i64("part", sub(block(), mul(row.clone(), rows.parts)));
        let known = self.flats.len();
        self.unflatten(outer, row.clone());
        let start = self.let_i64("start", add(mul(part, mul(block_size(), i64(FEW))), local()));
        self.for_up_to("k", i64(FEW), |t, k| {
            let at = t.let_i64("at", add(start, mul(k, block_size())));
            t.if_then(lt(at.clone(), rows.width.clone()), |t| {
                t.emit(Code::DeclareScalar(inner.0, PrimType::I64));
                t.set_to(inner.0, at.clone());
                t.emit(Code::DeclareScalar(seg.space.flat, PrimType::I64));
                t.set_to(seg.space.flat, add(mul(row, rows.width), at));
                t.point(pat, seg);
            });
        });
        self.flats.truncate(known);
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
