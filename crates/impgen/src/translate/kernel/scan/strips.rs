//! Scans of segments that lie beside each other in memory, such as columns: a tile is a part of 32 of them.
//!
//! ```text
//! segscan (j < m, i < n) { return (a[i, j]) } (+)                    strips(along 0, points 32, warps 8, turned)
//!   ==>
//! blocks of 256 threads, tiles of 256 rows of 32 columns:
//!   j = 32*strip + thread%32;  first = 256*down + 32*(thread/32)
//!   for k < 32 { row[k] = a[first + k, j] }                          neighbouring threads read neighbours
//!   scan row;  sums[thread] = its last;  barrier
//!   the first warp, of which each lane has a column: adds up its 8 sums, publishes them, looks back, publishes what is up to here
//!   barrier;  add to row what is before it: of earlier tiles, and of the threads above
//!   box[thread%32][32*(thread/32) + k] = row[k];  barrier            where results are in order along segments
//!   for k < 32 { p = 256*k + thread;  c[32*strip + p/256, 256*down + p%256] = box[p/256][p%256] }
//! ```
//!
//! Each lane looks back for itself, at the tile above its own, and the words of a tile are neighbours. Blocks
//! take tiles of all strips at one height before those below: when one looks back, those that it looks at
//! started long ago. Points beyond the edges are neutral.

use super::super::choice::Quantities;
use super::super::operator::vars;
use super::words::{Words, AGGREGATE, PREFIX};
use super::{assign, take_tile};
use crate::translate::kernel::point;
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::mem::poly;
use fehu_ir::schedule::{Quantity, Strips, TileValues};
use fehu_ir::seg::{SegBinOp, SegKind, SegOp};
use fehu_ir::{Memory, PatElem, Space, SubExp};

/// What happens at a point of a thread: the operation whose body is meant, the number of the point, and
/// whether it exists if that is not certain.
type AtPoint<'a> = dyn Fn(&mut KernelCode, &SegOp<Memory>, Expr, Option<Expr>) + 'a;

/// How large a scan in strips is, and what its tiles are.
pub(super) struct Measures {
    plan: Strips,
    types: Vec<PrimType>,
    /// Points of a segment, and segments beside each other.
    n: Expr,
    columns: Expr,
    /// Strips beside each other, and all.
    beside: Expr,
    strips: Expr,
    tiles: Expr,
}

impl Measures {
    pub(super) fn new(
        t: &mut HostCode,
        seg: &SegOp<Memory>,
        ops: &[SegBinOp<Memory>],
        plan: &Strips,
    ) -> Measures {
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let innermost = sizes.len() - 1;
        let (n, columns) = (t.operand(sizes[innermost]), t.operand(sizes[plan.along]));
        let beside = t.let_i64("beside", quot_up(columns.clone(), i64(WARP_THREADS)));
        let planes = others(plan, innermost).fold(beside.clone(), |all, d| mul(all, t.operand(sizes[d])));
        let strips = t.let_i64("strips", planes);
        let down = quot_up(n.clone(), i64(plan.points * plan.warps));
        let tiles = t.let_i64("tiles", mul(strips.clone(), down));
        let types = t.operand_types(ops);
        Measures { plan: *plan, types, n, columns, beside, strips, tiles }
    }

    /// Points of a segment in a tile: a power of two.
    fn rows(&self) -> i64 {
        self.plan.points * self.plan.warps
    }

    /// Threads of a block.
    fn size(&self) -> i64 {
        self.plan.warps * WARP_THREADS
    }

    /// What the conditions of the plan are about.
    pub(super) fn quantities(&self) -> Quantities {
        let bytes: i64 = self.types.iter().map(|ty| ty.bytes() as i64).sum();
        let values = (self.size() + WARP_THREADS) * bytes;
        // Each of the arrays starts at a multiple of 16 bytes.
        let aligned = 16 * (2 * self.types.len() as i64 + 2);
        vec![
            (Quantity::Segment, self.n.clone()),
            (Quantity::Block, i64(self.size())),
            (Quantity::Shared, i64(values + self.box_bytes() + aligned)),
        ]
    }

    /// From a segment to the next in the box in which results are turned: odd, so that lanes that write there
    /// use different banks.
    fn row_of_box(&self) -> i64 {
        self.rows() + 1
    }

    fn box_bytes(&self) -> i64 {
        let widest = self.types.iter().map(|ty| ty.bytes() as i64).max().unwrap_or(1);
        match self.plan.turned {
            true => self.row_of_box() * WARP_THREADS * widest,
            false => 0,
        }
    }
}

/// The dimensions along which a strip has one point.
fn others(plan: &Strips, innermost: usize) -> impl DoubleEndedIterator<Item = usize> {
    let along = plan.along;
    (0..innermost).filter(move |d| *d != along)
}

/// The kernel and its launch.
pub(super) fn strips(t: &mut HostCode, pat: &[PatElem<Memory>], seg: &SegOp<Memory>, of: &Measures) {
    let SegKind::Scan(ops, _) = &seg.kind else { bug!("strips of what is no scan") };
    let words = Words::new(t, &mul(of.tiles.clone(), i64(WARP_THREADS)), &of.types, TileValues::Same);
    t.kernel("segscan_strips", of.tiles.clone(), i64(of.size()), Mode::Thread, |t| {
        let turned = of.plan.turned.then(|| {
            let turned = t.names.fresh_str("turned");
            t.types.insert(turned, fehu_ir::Type::Mem(Space::Shared));
            t.in_kernel.shared.push((turned, i64(of.box_bytes())));
            turned
        });
        let sums = t.exchange(&of.types, &i64(of.size()));
        let before = t.exchange(&of.types, &i64(WARP_THREADS));
        let number = t.shared_array("tile", PrimType::I32, i64(1));
        let number = take_tile(t, &words, number);
        let tile = Tile::new(t, seg, of, number);
        let rows: Vec<Name> = of.types.iter().map(|ty| t.private_array("row", *ty, of.plan.points)).collect();
        compute_points(t, pat, seg, of, &tile, &rows);
        let own = scan_row(t, ops, of, &rows);
        t.store_all(&sums, &of.types, &local(), &own);
        t.barrier();
        t.if_then(lt(local(), i64(WARP_THREADS)), |t| look_back(t, ops, of, &tile, &words, &sums, &before));
        t.barrier();
        add_before(t, ops, of, &tile, &rows, &sums, &before);
        if let Some(turned) = turned {
            turn(t, of, &rows, turned);
        }
        leave(t, pat, seg, of, &tile, &rows, turned);
    });
    words.free(t);
}

/// The tile of a block.
struct Tile {
    /// Its strip, and how many tiles are above it in that.
    strip: Expr,
    down: Expr,
    /// The first of its segments, and their first point in the tile.
    column: Expr,
    row: Expr,
    /// The indices along dimensions in which a strip has one point.
    others: Vec<(usize, Expr)>,
    /// Of a thread: which of the segments is its own, and how many threads have points before it there.
    lane: Expr,
    group: Expr,
    /// Whether all of the tile's points exist.
    full: Expr,
}

impl Tile {
    fn new(t: &mut KernelCode, seg: &SegOp<Memory>, of: &Measures, number: Expr) -> Tile {
        let (down, strip) = divided(t, number, of.strips.clone());
        let innermost = seg.space.dims.len() - 1;
        let others: Vec<usize> = others(&of.plan, innermost).rev().collect();
        let (mut rest, part) = match others.is_empty() {
            true => (i64(0), strip.clone()),
            false => divided(t, strip.clone(), of.beside.clone()),
        };
        let mut indices = vec![];
        for d in others {
            let size = t.operand(seg.space.dims[d].1);
            let (above, plane) = divided(t, rest, size);
            indices.push((d, plane));
            rest = above;
        }
        let column = t.let_i64("column", mul(part, i64(WARP_THREADS)));
        let row = t.let_i64("row", mul(down.clone(), i64(of.rows())));
        let across = le(add(column.clone(), i64(WARP_THREADS)), of.columns.clone());
        let full = and(across, le(add(row.clone(), i64(of.rows())), of.n.clone()));
        let full = var(t.let_as("full", PrimType::Bool, full));
        let lane = t.let_i64("lane", rem(local(), i64(WARP_THREADS)));
        let group = t.let_i64("group", quot(local(), i64(WARP_THREADS)));
        Tile { strip, down, column, row, others: indices, lane, group, full }
    }

    /// Emits what happens at the points of a thread, given the operation whose body is meant, the number of
    /// the point, and whether it exists if that is not certain. The indices are set. `place` says which
    /// segment and point of the tile it is.
    fn at_points(
        &self,
        t: &mut KernelCode,
        seg: &SegOp<Memory>,
        of: &Measures,
        place: &dyn Fn(&Expr) -> (Expr, Expr),
        each: &AtPoint,
    ) {
        let innermost = seg.space.dims.len() - 1;
        let each_of = |t: &mut KernelCode, seg: &SegOp<Memory>, certain: Certain| {
            t.for_up_to("k", i64(of.plan.points), |t, k| {
                let (column, row) = place(&k);
                let dims = &seg.space.dims;
                for (d, index) in &self.others {
                    point::fresh_index(t, dims[*d].0, index.clone());
                }
                let column = point::fresh_index(t, dims[of.plan.along].0, add(self.column.clone(), column));
                let row = point::fresh_index(t, dims[innermost].0, add(self.row.clone(), row));
                point::number_point(t, seg);
                let there = match certain {
                    Certain::Yes => None,
                    Certain::No => Some(and(lt(column, of.columns.clone()), lt(row, of.n.clone()))),
                };
                each(t, seg, k, there);
            });
        };
        if !point::is_short(seg) {
            return each_of(t, seg, Certain::No);
        }
        let copy = t.renamed(seg);
        t.if_else(self.full.clone(), |t| each_of(t, &copy, Certain::Yes), |t| each_of(t, seg, Certain::No));
    }

    /// Where the words of the tile of this strip at a height are, for a lane.
    fn word(&self, of: &Measures, down: Expr) -> Expr {
        let tile = add(mul(down, of.strips.clone()), self.strip.clone());
        add(mul(tile, i64(WARP_THREADS)), self.lane.clone())
    }
}

/// The quotient and the remainder of numbers of tiles, which have 32 bits: those of 64 bits take several
/// times as long to divide.
fn divided(t: &mut KernelCode, number: Expr, by: Expr) -> (Expr, Expr) {
    let narrow = |e: Expr| Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), Box::new(e));
    let quotient = binary(BinOp::SQuot(IntType::I32), narrow(number.clone()), narrow(by.clone()));
    let quotient = t.to_i64(quotient);
    let quotient = t.let_i64("quotient", quotient);
    let rest = t.let_i64("rest", sub(number, mul(quotient.clone(), by)));
    (quotient, rest)
}

/// Whether it is certain that a point exists.
#[derive(Clone, Copy)]
enum Certain {
    Yes,
    No,
}

fn if_there(t: &mut KernelCode, there: Option<Expr>, then: impl FnOnce(&mut KernelCode)) {
    match there {
        Some(there) => t.if_then(there, then),
        None => then(t),
    }
}

/// Computes the points of a thread.
fn compute_points(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    of: &Measures,
    tile: &Tile,
    rows: &[Name],
) {
    let first = t.let_i64("first", mul(tile.group.clone(), i64(of.plan.points)));
    let place = |k: &Expr| (tile.lane.clone(), add(first.clone(), k.clone()));
    tile.at_points(t, seg, of, &place, &|t, seg, k, there| {
        let SegKind::Scan(ops, _) = &seg.kind else { bug!("strips of what is no scan") };
        let neutral = t.neutrals(ops);
        let values = t.lanes("value", &of.types, neutral);
        if_there(t, there, |t| {
            t.guarded(|t| {
                let new = point::point(t, pat, seg);
                for (x, e) in values.iter().zip(new) {
                    t.set_to(*x, e);
                }
            });
        });
        t.store_all(rows, &of.types, &k, &values);
    });
}

/// Scans a thread's points in place; returns their sum.
fn scan_row(t: &mut KernelCode, ops: &[SegBinOp<Memory>], of: &Measures, rows: &[Name]) -> Vec<Name> {
    let sums = t.load_all(rows, &of.types, &i64(0));
    t.for_up_to("k", i64(of.plan.points - 1), |t, k| {
        let k = add(k, i64(1));
        let new = t.load_all(rows, &of.types, &k);
        t.apply_all(ops, &vars(&sums), &vars(&new), &sums);
        t.store_all(rows, &of.types, &k, &sums);
    });
    sums
}

/// By the first warp: publishes what each segment sums up to in the tile, and finds what is before.
fn look_back(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    of: &Measures,
    tile: &Tile,
    words: &Words,
    sums: &[Name],
    before: &[Name],
) {
    let total = t.load_all(sums, &of.types, &tile.lane);
    t.for_up_to("group", i64(of.plan.warps - 1), |t, group| {
        let at = add(mul(add(group, i64(1)), i64(WARP_THREADS)), tile.lane.clone());
        let next = t.load_all(sums, &of.types, &at);
        t.apply_all(ops, &vars(&total), &vars(&next), &total);
    });
    let own = t.let_i64("own", tile.word(of, tile.down.clone()));
    t.if_else(
        eq(tile.down.clone(), i64(0)),
        |t| words.publish(t, &own, &total, PREFIX),
        |t| {
            words.publish(t, &own, &total, AGGREGATE);
            let found = words.sum_back(t, ops, sub(tile.down.clone(), i64(1)), |t, down| {
                let word = tile.word(of, down);
                t.let_i64("there", word)
            });
            t.store_all(before, &of.types, &tile.lane, &found);
            t.apply_all(ops, &vars(&found), &vars(&total), &total);
            words.publish(t, &own, &total, PREFIX);
        },
    );
}

/// Adds to a thread's values what is before them: in earlier tiles, and of the threads above.
fn add_before(
    t: &mut KernelCode,
    ops: &[SegBinOp<Memory>],
    of: &Measures,
    tile: &Tile,
    rows: &[Name],
    sums: &[Name],
    before: &[Name],
) {
    let neutral = t.neutrals(ops);
    let all = t.lanes("before", &of.types, neutral);
    let any = t.let_as("any", PrimType::Bool, lt(i64(0), tile.down.clone()));
    t.if_then(var(any), |t| {
        let earlier = t.load_all(before, &of.types, &tile.lane);
        assign(t, &all, &earlier);
    });
    t.for_up_to("above", tile.group.clone(), |t, group| {
        let at = add(mul(group, i64(WARP_THREADS)), tile.lane.clone());
        let next = t.load_all(sums, &of.types, &at);
        t.if_else(
            var(any),
            |t| t.apply_all(ops, &vars(&all), &vars(&next), &all),
            |t| assign(t, &all, &next),
        );
        t.set_to(any, bool(true));
    });
    t.if_then(var(any), |t| {
        t.for_up_to("k", i64(of.plan.points), |t, k| {
            let values = t.load_all(rows, &of.types, &k);
            t.apply_all(ops, &vars(&all), &vars(&values), &values);
            t.store_all(rows, &of.types, &k, &values);
        });
    });
}

/// The segment and the point of the tile that is the point `k` of a thread, where neighbouring threads have
/// neighbours in a segment.
fn turned_place(of: &Measures, k: &Expr) -> (Expr, Expr) {
    let number = add(mul(k.clone(), i64(of.size())), local());
    let column = binary(BinOp::LShr(IntType::I64), number.clone(), i64(of.rows().ilog2().into()));
    (column, bits(number, i64(of.rows() - 1)))
}

/// Where the value of a place is in the box.
fn place_in_box(of: &Measures, (column, row): (Expr, Expr)) -> Expr {
    add(mul(column, i64(of.row_of_box())), row)
}

/// Exchanges values so that neighbouring threads have neighbours in a segment. Those of the last operand are
/// left in the box, from which they are written: registers for all of them, and for all places that they are
/// written to, would halve the number of blocks that run at a time.
fn turn(t: &mut KernelCode, of: &Measures, rows: &[Name], turned: Name) {
    for (number, (row, ty)) in rows.iter().zip(&of.types).enumerate() {
        if number > 0 {
            t.barrier();
        }
        let lane = mul(rem(local(), i64(WARP_THREADS)), i64(of.row_of_box()));
        let first = add(lane, mul(quot(local(), i64(WARP_THREADS)), i64(of.plan.points)));
        let first = t.let_i64("first", first);
        t.for_up_to("k", i64(of.plan.points), |t, k| {
            let value = t.element(*row, *ty, k.clone());
            t.store(turned, *ty, add(first.clone(), k), value);
        });
        t.barrier();
        if number + 1 < rows.len() {
            t.for_up_to("k", i64(of.plan.points), |t, k| {
                let value = t.element(turned, *ty, place_in_box(of, turned_place(of, &k)));
                t.store(*row, *ty, k, value);
            });
        }
    }
}

/// What is done with the scanned values.
fn leave(
    t: &mut KernelCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    of: &Measures,
    tile: &Tile,
    rows: &[Name],
    turned: Option<Name>,
) {
    let first = t.let_i64("first", mul(tile.group.clone(), i64(of.plan.points)));
    let place = |k: &Expr| match of.plan.turned {
        true => turned_place(of, k),
        false => (tile.lane.clone(), add(first.clone(), k.clone())),
    };
    tile.at_points(t, seg, of, &place, &|t, seg, k, there| {
        if_there(t, there, |t| {
            let scanned = match (turned, of.types.split_last()) {
                (Some(turned), Some((ty, others))) => {
                    let mut scanned = t.load_all(&rows[..others.len()], others, &k);
                    let value = t.element(turned, *ty, place_in_box(of, turned_place(of, &k)));
                    scanned.push(t.let_as("loaded", *ty, value));
                    scanned
                }
                _ => t.load_all(rows, &of.types, &k),
            };
            match seg.after() {
                Some(_) => t.guarded(|t| point::point_after(t, pat, seg, vars(&scanned))),
                None => {
                    let indices: Vec<_> = seg.space.dims.iter().map(|d| poly(d.0.into())).collect();
                    for (p, value) in pat.iter().zip(&scanned) {
                        let at = t.place_of(p.name).fixed(&indices);
                        t.write(&at, var(*value));
                    }
                }
            }
        });
    });
}
