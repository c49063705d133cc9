//! Maps: a thread computes a few points.
//!
//! ```text
//! segmap (i < n, j < m) { return f(i, j) }
//!   ==>   blocks of 256 threads, 4 points a thread, 256 apart:
//!         for k < 4 { at = block*1024 + k*256 + thread;  if at < n*m { i = at / m; j = at % m; ... } }
//! ```
//!
//! Points that are cheap to compute are limited by memory, and one of them per thread does not keep it
//! busy. Where a space has rows that blocks can be filled with, the points of a thread are one below the other: to find
//! them, a thread divides once and not for each point; and what stencils read for one of them, they read for the next, so that
//! the compiler can keep it in registers.
//!
//! ```text
//!         blocks of `wide` by 256/wide threads:   j = part*wide + thread%wide;  for k < 4 { i = first + k;  if i < n { ... } }
//! ```
//!
//! On an H200, a stencil of 5 points on 8192 x 8192 floats takes 0.24 ms so, and 0.36 ms point by point; one of 7 points on 64 x
//! 512 x 512 takes 0.06 and 0.11 ms.
//!
//! Where the body needs memory of its own per thread (see the memory pass), the grid is fixed and threads
//! go on with further points.

use super::{Mode, Translate};
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::seg::{KernelReturn, SegOp};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Basic, Exp, Memory, PatElem, SubExp};
use rustc_hash::FxHashSet;

/// Points per thread, for cheap bodies.
const FEW: i64 = 4;

/// From so many points on: fewer are better spread over all of the device.
const MANY: i64 = 1 << 19;

/// A block is laid along rows if at most one in so many of its threads has nothing to do.
const FULL: i64 = 8;

/// The widths of blocks laid along rows, as powers of two: the widest that fits is used.
const WIDTHS_LOG2: [i64; 4] = [8, 7, 6, 5];

/// The most statements of a body that counts as cheap.
const CHEAP: usize = 40;

/// The same where points that are neighbours read the same elements.
const CHEAP_STENCIL: usize = 160;

/// A map whose threads compute points one below the other.
struct Columns {
    /// Whether the host chose it.
    used: Expr,
    /// Points in a row, and rows.
    width: Expr,
    rows: Expr,
    /// The width of a block, and its logarithm.
    wide: Expr,
    log2: Expr,
    /// Rows of threads in a block.
    down: Expr,
    /// Blocks along a row, and along a column.
    parts: Expr,
    groups: Expr,
    /// All blocks.
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
        let cost = cost(seg);
        let columns = match cost {
            Cost::Much => None,
            Cost::Little | Cost::Stencil => self.columns(seg, &points, &size),
        };
        let each = match cost {
            Cost::Little => self.let_i64("each", select(le(i64(MANY), points.clone()), i64(FEW), i64(1))),
            Cost::Stencil | Cost::Much => i64(1),
        };
        let flat_grid = quot_up(points.clone(), mul(size.clone(), each.clone()));
        let grid = match &columns {
            Some(columns) => select(columns.used.clone(), columns.blocks.clone(), flat_grid),
            None => flat_grid,
        };
        self.kernel("segmap", grid, size, Mode::Thread, |t| {
            let flat = |t: &mut Self| t.flat_points(pat, seg, points, each);
            match columns {
                Some(columns) => t.if_else(columns.used.clone(), |t| t.column(pat, seg, columns), flat),
                None => flat(t),
            }
        });
    }

    /// A few points of a thread, by their flat numbers.
    fn flat_points(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, points: Expr, each: Expr) {
        let tile = mul(block_size(), each.clone());
        let start = self.let_i64("start", add(mul(block(), tile), local()));
        if constant(&each) == Some(1) {
            return self.if_then(lt(start.clone(), points), |t| t.map_point(pat, seg, start));
        }
        self.for_up_to("k", i64(FEW), |t, k| {
            let at = t.let_i64("at", add(start, mul(k.clone(), block_size())));
            t.if_then(and(lt(k, each), lt(at.clone(), points)), |t| t.map_point(pat, seg, at));
        });
    }

    /// How blocks would be laid along rows, decided by the host; none if there are no rows.
    fn columns(&mut self, seg: &SegOp<Memory>, points: &Expr, size: &Expr) -> Option<Columns> {
        let [outer @ .., (_, rows), (_, width)] = seg.space.dims.as_slice() else { return None };
        let (rows, width) = (self.operand(*rows), self.operand(*width));
        let outer: Vec<SubExp> = outer.iter().map(|d| d.1).collect();
        let mut log2 = i64(0);
        for log in WIDTHS_LOG2.into_iter().rev() {
            let wide = i64(1 << log);
            let covered = mul(quot_up(width.clone(), wide.clone()), wide.clone());
            let full = le(mul(covered, i64(FULL - 1)), mul(width.clone(), i64(FULL)));
            log2 = select(and(eq(rem(size.clone(), wide), i64(0)), full), i64(log), log2);
        }
        let log2 = self.let_i64("log2", log2);
        let wide = self.let_i64("wide", binary(BinOp::Shl(IntType::I64), i64(1), log2.clone()));
        let down = self.let_i64("down", quot(size.clone(), wide.clone()));
        let parts = self.let_i64("parts", quot_up(width.clone(), wide.clone()));
        let groups = self.let_i64("groups", quot_up(rows.clone(), mul(down.clone(), i64(FEW))));
        let blocks = mul(self.points(&outer), mul(groups.clone(), parts.clone()));
        let worth =
            and(and(lt(i64(0), log2.clone()), le(i64(FEW), rows.clone())), le(i64(MANY), points.clone()));
        let used = self.let_i64("by_columns", select(worth, i64(1), i64(0)));
        Some(Columns { used: eq(used, i64(1)), width, rows, wide, log2, down, parts, groups, blocks })
    }

    /// The points of a thread in one column.
    fn column(&mut self, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, of: Columns) {
        let [outer @ .., (i, _), (j, _)] = seg.space.dims.as_slice() else { return };
        let rest = self.let_i64("rest", quot(block(), of.parts.clone()));
        let part = self.let_i64("part", sub(block(), mul(rest.clone(), of.parts)));
        let plane = match outer.is_empty() {
            true => i64(0),
            false => self.let_i64("plane", quot(rest.clone(), of.groups.clone())),
        };
        let group = sub(rest, mul(plane.clone(), of.groups));
        let known = self.flats.len();
        self.unflatten(outer, plane.clone());
        let across = bits(local(), sub(of.wide.clone(), i64(1)));
        let below = binary(BinOp::LShr(IntType::I64), local(), of.log2);
        let column = self.let_i64("column", add(mul(part, of.wide), across));
        let first = self.let_i64("first", mul(add(mul(group, of.down), below), i64(FEW)));
        self.if_then(lt(column.clone(), of.width.clone()), |t| {
            t.for_up_to("k", i64(FEW), |t, k| {
                let row = t.let_i64("row", add(first, k));
                t.if_then(lt(row.clone(), of.rows.clone()), |t| {
                    let above = add(mul(plane, of.rows), row.clone());
                    for (index, value) in
                        [(*i, row), (*j, column.clone()), (seg.space.flat, add(mul(above, of.width), column))]
                    {
                        t.emit(Code::DeclareScalar(index, PrimType::I64));
                        t.set_to(index, value);
                    }
                    t.point(pat, seg);
                });
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

/// How much a point costs besides memory traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cost {
    Little,
    /// A little more, but neighbours have some of the traffic in common.
    Stencil,
    Much,
}

/// What the points of a map cost.
fn cost(seg: &SegOp<Memory>) -> Cost {
    let (mut plain, mut length) = (true, 0);
    let mut read = FxHashSet::default();
    let mut again = false;
    for_each_stm(&seg.body.body, &mut |stm| {
        length += 1;
        plain &= match &stm.exp {
            Exp::Loop(_) | Exp::Call(..) | Exp::Op(_) | Exp::WithAcc(_) => false,
            Exp::Basic(
                Basic::Copy(_)
                | Basic::Manifest(..)
                | Basic::Concat { .. }
                | Basic::Replicate(..)
                | Basic::Iota { .. },
            ) => false,
            Exp::Basic(Basic::Index(a, _)) => {
                again |= !read.insert(*a);
                true
            }
            _ => true,
        };
    });
    let scalar = seg.types.iter().all(|t| t.rank() == 0);
    let in_order = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    match scalar && in_order && plain {
        true if length <= CHEAP => Cost::Little,
        true if again && length <= CHEAP_STENCIL => Cost::Stencil,
        true | false => Cost::Much,
    }
}
