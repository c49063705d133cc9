//! Scans, in a single pass over memory.
//!
//! The points of all segments together are cut into tiles, one per block. A block computes the points of its tile,
//! scans them, and publishes their sum (the *aggregate*). It then looks back: it adds the aggregates of
//! tiles before its own until it finds one that has published the sum of everything up to itself (its *prefix*),
//! and publishes its own prefix. So no block waits for more than what is being computed at the same time.
//!
//! ```text
//! tile       0        1          2              3
//! status     prefix   prefix     aggregate      (none yet)
//! tile 3 publishes its aggregate, adds that of 2, adds the prefix of 1, and publishes its own prefix
//! ```
//!
//! Blocks take their tiles from a counter, since the hardware may start blocks in any order: whoever waits,
//! waits for a block that is already running. With warps, 32 threads look at 32 tiles at a time, since each
//! look costs the latency of memory and the chain of tiles is long.
//!
//! A tile in which a segment starts needs nothing from before to publish its prefix. Where segments are
//! short, the host makes tiles of whole segments, and leaves some threads idle at their ends: then no tile
//! publishes anything or looks back.
//!
//! Where sums must be the same in all runs, no tile publishes an aggregate: a tile adds the prefix of the previous tile
//! to its own sum.
//!
//! Within a tile, points are computed with neighbouring threads at neighbouring points, and exchanged through
//! shared memory so that each thread has a row of them to scan; with warps, only among the threads of each.
//! What comes after the scan is computed as the points were, once the values are exchanged back.
//!
//! Where segments lie beside each other in memory, tiles are parts of strips of segments: [`strips`].

mod compact;
mod flags;
mod look_back;
mod narrow;
mod strips;
mod tile;
mod words;

use self::look_back::{first_warp_looks_back, look_back};
use self::strips::Measures;
use self::tile::Tile;
use self::words::Words;
use super::choice::{self, schedule};
use super::operator::vars;
use crate::translate::kernel::map;
use crate::translate::kernel::point;
use crate::translate::kernel::size;
use crate::translate::state::{HostCode, KernelCode, Mode};
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::ConvOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Direction, Expr};
use fehu_ir::schedule::{Choice, Exchange, Plan, Quantity, SinglePass, TileValues};
use fehu_ir::seg::{SegBinOp, SegOp};
use fehu_ir::{Memory, PatElem, Space, SubExp};

pub(crate) fn seg_scan(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
) {
    scan_choice(t, pat, seg, ops, &schedule(seg).choices);
}

/// The first plan whose conditions hold.
fn scan_choice(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    choices: &[Choice],
) {
    match choices {
        [Choice { plan: Plan::SinglePass(plan), .. }] => single_pass(t, pat, seg, ops, plan),
        [Choice { plan: Plan::Strips(strips), when }, others @ ..] => {
            let strips = Measures::new(t, seg, ops, strips);
            let fits = choice::all_hold(t, when, &strips.quantities());
            let copy = t.renamed(seg);
            t.if_else(
                fits,
                |t| strips::strips(t, pat, &copy, &strips),
                |t| scan_choice(t, pat, seg, ops, others),
            );
        }
        other => bug!("a scan cannot be run by {other:?}"),
    }
}

/// A scan whose tiles are parts of the points of all segments together.
fn single_pass(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    ops: &[SegBinOp<Memory>],
    plan: &SinglePass,
) {
    let types = t.operand_types(ops);
    let segmented = seg.space.dims.len() > 1;
    let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
    let points = point::points(t, &sizes);
    let n = t.operand(sizes[sizes.len() - 1]);
    let narrow = plan.values != TileValues::Same;
    let tile_ops = match narrow {
        true => ops.iter().map(|op| narrow::narrow_sum(t, op)).collect(),
        false => ops.to_vec(),
    };
    let tile_types = t.operand_types(&tile_ops);
    let row = plan.points;
    let exchanged = exchanged_bytes(seg, plan, &tile_types);
    let size = match (&seg.grid, plan.block) {
        (Some(grid), _) => t.operand(grid.block_size),
        (None, Some(block)) => {
            size::limit_block(t, block, thread_bytes(&types, &tile_types, row, exchanged));
            size::param(t, block)
        }
        (None, None) => bug!("a scan has neither a grid nor a block size"),
    };
    let tile = t.let_i64("tile", mul(size.clone(), i64(row)));
    let known = vec![(Quantity::Segment, n.clone()), (Quantity::Block, size.clone())];
    let whole = match plan.whole_when.is_empty() {
        true => None,
        false => {
            let whole = choice::all_hold(t, &plan.whole_when, &known);
            Some(t.let_i64("whole", select(whole, i64(1), i64(0))))
        }
    };
    // How many points of the tile there are.
    let span = match &whole {
        None => tile.clone(),
        Some(whole) => {
            let width = max(i64(1), n.clone());
            let fitting = mul(quot(tile.clone(), width.clone()), width);
            t.let_i64("span", select(eq(whole.clone(), i64(1)), fitting, tile.clone()))
        }
    };
    let tiles = t.let_i64("tiles", quot_up(points.clone(), span.clone()));
    // Memory inside may be for a grid of fixed size: then blocks go on to further tiles.
    let grid = match &seg.grid {
        Some(grid) => min(tiles.clone(), t.operand(grid.blocks)),
        None => tiles.clone(),
    };
    let publishing = match &whole {
        None => tiles.clone(),
        Some(whole) => t.let_i64("publishing", select(eq(whole.clone(), i64(1)), i64(0), tiles.clone())),
    };
    let words = words(t, seg, plan, &publishing, &types);
    let scan = Scan {
        pat,
        seg,
        ops,
        types: types.clone(),
        tile_ops,
        tile_types,
        narrow,
        exchange: plan.exchange,
        in_order: plan.in_order,
        points,
        n,
        row,
        segmented,
        whole,
        // Without segments, a kernel that knows its block size knows this too.
        span: if segmented { span } else { mul(block_size(), i64(row)) },
        words,
        tiles: tiles.clone(),
    };
    t.kernel("segscan", grid, size.clone(), Mode::Thread, |t| {
        t.in_kernel.resident = plan.resident;
        let exchange = t.names.fresh_str("exchange");
        t.types.insert(exchange, fehu_ir::Type::Mem(Space::Shared));
        t.in_kernel.shared.push((exchange, mul(tile, i64(exchanged))));
        let sums = t.exchange(&scan.tile_types, &size);
        let flags = t.shared_array("flags", PrimType::Bool, size);
        let shared = Shared {
            exchange,
            sums,
            flags,
            prefix: scan.types.iter().map(|ty| t.shared_array("before", *ty, i64(1))).collect(),
            tile: t.shared_array("tile", PrimType::I32, i64(1)),
        };
        map::set_thread(t, seg);
        let going = t.let_as("going", PrimType::Bool, bool(true));
        t.while_(var(going), |t| {
            let tile = take_tile(t, &scan.words, shared.tile);
            t.if_else(
                lt(tile.clone(), scan.tiles.clone()),
                |t| {
                    let tile = Tile::new(t, &scan, tile);
                    match plan.values {
                        TileValues::Same | TileValues::Narrow => scan_tile(t, &scan, &shared, &tile),
                        TileValues::Flags if !plan.gathered => {
                            flags::scan_tile(t, &scan, &shared, &tile, &plan.placings);
                        }
                        TileValues::Flags => {
                            compact::scan_tile(t, &scan, &shared, &tile, &plan.placings);
                        }
                    }
                },
                |t| t.set_to(going, bool(false)),
            );
            match &seg.grid {
                Some(_) => t.barrier(),
                None => t.set_to(going, bool(false)),
            }
        });
        scan.words.done(t, &scan.tiles, shared.tile);
    });
    scan.words.free(t);
}

/// The words of so many tiles. Blocks that go on to further tiles do not know which of them is the last.
/// Without warps, a kernel clears the words: where the last block did, PoCL let threads into what follows the
/// loop over tiles that do not belong there, before loops ended as they do now (`LOOP_END` of the kernels).
fn words(
    t: &mut HostCode,
    seg: &SegOp<Memory>,
    plan: &SinglePass,
    publishing: &Expr,
    types: &[PrimType],
) -> Words {
    match (&seg.grid, plan.exchange) {
        (None, Exchange::Shuffles) => Words::kept(t, publishing, types, plan.values),
        (Some(_), _) | (None, Exchange::SharedMemory) => Words::new(t, publishing, types, plan.values),
    }
}

/// The next tile.
fn take_tile(t: &mut KernelCode, words: &Words, shared: Name) -> Expr {
    t.if_then(eq(local(), i64(0)), |t| {
        let number = words.take_tile(t);
        t.store(shared, PrimType::I32, i64(0), var(number));
    });
    t.barrier();
    let number = t.element(shared, PrimType::I32, i64(0));
    let number = t.to_i64(number);
    t.let_i64("tile", number)
}

fn scan_tile(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Tile) {
    let rows: Vec<Name> = scan.tile_types.iter().map(|ty| t.private_array("row", *ty, scan.row)).collect();
    compute_points(t, scan, &rows, tile);
    for (k, (row, ty)) in rows.iter().zip(&scan.tile_types).enumerate() {
        if k > 0 {
            exchanged(t, scan);
        }
        to_rows(t, scan, shared, tile, *row, *ty);
    }
    // Each thread scans its row. `clear` is how many values from the start belong to an earlier segment.
    let first = t.let_i64("first", add(tile.base.clone(), mul(local(), i64(scan.row))));
    let clear = t.let_as("clear", PrimType::I64, i64(scan.row));
    let sums = scan_row(t, scan, &rows, &first, clear);
    let starts = t.let_as("starts", PrimType::Bool, lt(var(clear), i64(scan.row)));
    let flags = scan.segmented.then_some((starts, shared.flags));
    let inside = if scan.exchange == Exchange::Shuffles {
        t.warps_scan(&scan.tile_ops, &scan.tile_types, &sums, &shared.sums, flags, |t| {
            first_warp_looks_back(t, scan, shared, tile);
        });
        from_neighbours(t, scan, shared, &sums, starts)
    } else {
        t.block_scan(&scan.tile_ops, &scan.tile_types, &sums, &shared.sums, flags, scan.exchange);
        t.barrier();
        t.store_all(&shared.sums, &scan.tile_types, &local(), &sums);
        t.store(shared.flags, PrimType::Bool, local(), var(starts));
        t.barrier();
        let last = sub(block_size(), i64(1));
        t.if_then(if_looking_back(scan, eq(local(), i64(0))), |t| {
            look_back(t, scan, shared, &tile.number, last)
        });
        let inside = from_shared(t, scan, shared);
        t.barrier();
        inside
    };
    add_before(t, scan, shared, &rows, &tile.number, clear, &inside);
    match scan.seg.after() {
        Some(_) => go_on(t, scan, shared, &rows, tile),
        None => write_rows(t, scan, shared, &rows, tile),
    }
}

/// Threads have written what others of them read: those of a warp, or of the block.
fn exchanged(t: &mut KernelCode, scan: &Scan) {
    match scan.exchange {
        Exchange::Shuffles => t.warp_barrier(),
        Exchange::SharedMemory => t.barrier(),
    }
}

/// Whether tiles need what is before them, and a condition holds.
fn if_looking_back(scan: &Scan, condition: Expr) -> Expr {
    match &scan.whole {
        Some(whole) => and(eq(whole.clone(), i64(0)), condition),
        None => condition,
    }
}

/// What comes after the scan, neighbours by neighbours.
fn go_on(t: &mut KernelCode, scan: &Scan, shared: &Shared, rows: &[Name], tile: &Tile) {
    for (k, (row, ty)) in rows.iter().zip(&scan.tile_types).enumerate() {
        if k > 0 {
            exchanged(t, scan);
        }
        from_rows(t, scan, shared, tile, *row, *ty);
    }
    let before = before_tile(t, scan, shared);
    tile.at_points(t, scan, |t, seg, point| {
        point.if_there(t, |t| {
            t.guarded(|t| {
                point.set(t, &seg.space);
                let scanned = t.load_all(rows, &scan.tile_types, &point.k);
                let scanned = scanned.iter().zip(&before).map(|(x, b)| whole(var(*x), *b)).collect();
                point::point_after(t, scan.pat, seg, scanned);
            });
        });
    });
}

/// What is before a thread's row in its tile: its left neighbour's sum, which shared memory holds for every thread.
fn from_shared(t: &mut KernelCode, scan: &Scan, shared: &Shared) -> Inside {
    let neutral = t.neutrals(&scan.tile_ops);
    let sums = t.lanes("inside", &scan.tile_types, neutral);
    let starts = t.let_as("started", PrimType::Bool, bool(false));
    t.if_then(lt(i64(0), local()), |t| load_inside(t, scan, shared, &sums, starts, sub(local(), i64(1))));
    Inside { sums, starts }
}

/// The same where shared memory holds it for every warp.
fn from_neighbours(
    t: &mut KernelCode,
    scan: &Scan,
    shared: &Shared,
    values: &[Name],
    starts: Name,
) -> Inside {
    let sums = t.shuffle(&scan.tile_types, values, Direction::Up, 1);
    if scan.segmented {
        let flag = t.let_as("flag", PrimType::I32, select(var(starts), i32(1), i32(0)));
        let flag = t.shuffle(&[PrimType::I32], &[flag], Direction::Up, 1)[0];
        t.set_to(starts, equal(PrimType::I32, var(flag), i32(1)));
    }
    let warp = quot(local(), i64(WARP_THREADS));
    let first = and(eq(rem(local(), i64(WARP_THREADS)), i64(0)), lt(i64(0), warp.clone()));
    t.if_then(first, |t| load_inside(t, scan, shared, &sums, starts, sub(warp, i64(1))));
    Inside { sums, starts }
}

fn load_inside(t: &mut KernelCode, scan: &Scan, shared: &Shared, sums: &[Name], starts: Name, at: Expr) {
    for ((x, mem), ty) in sums.iter().zip(&shared.sums).zip(&scan.tile_types) {
        let e = t.element(*mem, *ty, at.clone());
        t.set_to(*x, e);
    }
    if scan.segmented {
        let e = t.element(shared.flags, PrimType::Bool, at);
        t.set_to(starts, e);
    }
}

/// Computes the points of a tile, neighbours by neighbours.
fn compute_points(t: &mut KernelCode, scan: &Scan, rows: &[Name], tile: &Tile) {
    tile.at_points(t, scan, |t, seg, point| {
        let neutral = t.neutrals(&scan.tile_ops);
        let values = t.lanes("value", &scan.tile_types, neutral);
        point.if_there(t, |t| {
            t.guarded(|t| {
                point.set(t, &seg.space);
                let new = point::point(t, scan.pat, seg);
                for (x, e) in values.iter().zip(new) {
                    t.set_to(*x, scan.in_tile(e));
                }
            });
        });
        t.store_all(rows, &scan.tile_types, &point.k, &values);
    });
}

/// From values side by side with those of other threads to values in a row.
fn to_rows(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Tile, row: Name, ty: PrimType) {
    t.for_up_to("k", i64(scan.row), |t, k| {
        let value = t.element(row, ty, k.clone());
        t.store(shared.exchange, ty, scan.exchanged_at(ty, tile.side_by_side(&k)), value);
    });
    exchanged(t, scan);
    t.for_up_to("k", i64(scan.row), |t, k| {
        let value = t.element(shared.exchange, ty, scan.in_a_row(ty, &k));
        t.store(row, ty, k, value);
    });
}

/// From values in a row to values side by side with those of other threads.
fn from_rows(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Tile, row: Name, ty: PrimType) {
    t.for_up_to("k", i64(scan.row), |t, k| {
        let value = t.element(row, ty, k.clone());
        t.store(shared.exchange, ty, scan.in_a_row(ty, &k), value);
    });
    exchanged(t, scan);
    t.for_up_to("k", i64(scan.row), |t, k| {
        let value = t.element(shared.exchange, ty, scan.exchanged_at(ty, tile.side_by_side(&k)));
        t.store(row, ty, k, value);
    });
}

/// Scans a thread's row in place; returns its sum.
fn scan_row(t: &mut KernelCode, scan: &Scan, rows: &[Name], first: &Expr, clear: Name) -> Vec<Name> {
    let neutral = t.neutrals(&scan.tile_ops);
    let sums = t.lanes("sum", &scan.tile_types, neutral);
    let within = scan.segmented.then(|| {
        // A point's index in its segment; points beyond the last are nobody's.
        let width = max(i64(1), scan.n.clone());
        t.let_as("within", PrimType::I64, rem(first.clone(), width))
    });
    t.for_up_to("k", i64(scan.row), |t, k| {
        let new = t.load_all(rows, &scan.tile_types, &k);
        match within {
            None => {
                t.if_else(
                    eq(k.clone(), i64(0)),
                    |t| assign(t, &sums, &new),
                    |t| t.apply_all(&scan.tile_ops, &vars(&sums), &vars(&new), &sums),
                );
            }
            Some(within) => {
                let starts = t.let_as("start", PrimType::Bool, eq(var(within), i64(0)));
                t.if_else(
                    or(var(starts), eq(k.clone(), i64(0))),
                    |t| assign(t, &sums, &new),
                    |t| t.apply_all(&scan.tile_ops, &vars(&sums), &vars(&new), &sums),
                );
                t.if_then(var(starts), |t| t.set_to(clear, min(var(clear), k.clone())));
                t.set_to(within, add(var(within), i64(1)));
                t.if_then(eq(var(within), scan.n.clone()), |t| t.set_to(within, i64(0)));
            }
        }
        t.store_all(rows, &scan.tile_types, &k, &sums);
    });
    sums
}

fn assign(t: &mut KernelCode, to: &[Name], from: &[Name]) {
    for (x, y) in to.iter().zip(from) {
        t.set_to(*x, var(*y));
    }
}

pub(crate) fn read_all_volatile(
    t: &mut KernelCode,
    into: &[Name],
    mems: &[Name],
    types: &[PrimType],
    at: &Expr,
) {
    for ((x, mem), ty) in into.iter().zip(mems).zip(types) {
        t.read_volatile(*x, *mem, *ty, at.clone());
    }
}

/// What is before the tile, as far as values lack it: narrow ones do.
fn before_tile(t: &mut KernelCode, scan: &Scan, shared: &Shared) -> Vec<Option<Name>> {
    match scan.narrow {
        true => t.load_all(&shared.prefix, &scan.types, &i64(0)).into_iter().map(Some).collect(),
        false => vec![None; scan.types.len()],
    }
}

/// Adds to each value what is before its thread's row: of the tile, and before the tile.
fn add_before(
    t: &mut KernelCode,
    scan: &Scan,
    shared: &Shared,
    rows: &[Name],
    tile: &Expr,
    clear: Name,
    inside: &Inside,
) {
    if scan.narrow {
        // What is before the tile is added when values leave it.
        return t.if_then(lt(i64(0), local()), |t| {
            t.for_up_to("k", i64(scan.row), |t, k| {
                let values = t.load_all(rows, &scan.tile_types, &k);
                t.apply_all(&scan.tile_ops, &vars(&inside.sums), &vars(&values), &values);
                t.store_all(rows, &scan.tile_types, &k, &values);
            });
        });
    }
    let before = t.load_all(&shared.prefix, &scan.types, &i64(0));
    let any = t.let_as("any", PrimType::Bool, if_looking_back(scan, lt(i64(0), tile.clone())));
    t.if_then(lt(i64(0), local()), |t| {
        let reaches = match scan.segmented {
            true => and(var(any), not(var(inside.starts))),
            false => var(any),
        };
        t.if_else(
            reaches,
            |t| t.apply_all(scan.ops, &vars(&before), &vars(&inside.sums), &before),
            |t| assign(t, &before, &inside.sums),
        );
        t.set_to(any, bool(true));
    });
    t.if_then(var(any), |t| {
        t.for_up_to("k", i64(scan.row), |t, k| {
            let add_to = |t: &mut KernelCode| {
                let values = t.load_all(rows, &scan.types, &k);
                t.apply_all(scan.ops, &vars(&before), &vars(&values), &values);
                t.store_all(rows, &scan.types, &k, &values);
            };
            match scan.segmented {
                true => t.if_then(lt(k.clone(), var(clear)), add_to),
                false => add_to(t),
            }
        });
    });
}

/// Writes a tile's values, neighbours by neighbours.
fn write_rows(t: &mut KernelCode, scan: &Scan, shared: &Shared, rows: &[Name], tile: &Tile) {
    let before = before_tile(t, scan, shared);
    let operands = rows.iter().zip(&scan.tile_types).zip(before).zip(scan.pat);
    for (k, (((row, ty), before), p)) in operands.enumerate() {
        if k > 0 {
            exchanged(t, scan);
        }
        t.for_up_to("k", i64(scan.row), |t, k| {
            let value = t.element(*row, *ty, k.clone());
            t.store(shared.exchange, *ty, scan.in_a_row(*ty, &k), value);
        });
        exchanged(t, scan);
        let place = t.place_of(p.name);
        tile.at_points(t, scan, |t, seg, point| {
            let here = scan.exchanged_at(*ty, tile.side_by_side(&point.k));
            point.if_there(t, |t| {
                let indices = point.indices(t, &seg.space);
                let value = whole(t.element(shared.exchange, *ty, here), before);
                t.write(&place.fixed(&indices), value);
            });
        });
    }
}

/// The scan that is emitted.
struct Scan<'a> {
    pat: &'a [PatElem<Memory>],
    seg: &'a SegOp<Memory>,
    ops: &'a [SegBinOp<Memory>],
    types: Vec<PrimType>,
    /// The same within a tile.
    tile_ops: Vec<SegBinOp<Memory>>,
    tile_types: Vec<PrimType>,
    /// Whether these are others.
    narrow: bool,
    exchange: Exchange,
    /// Whether a tile waits for the one before it.
    in_order: bool,
    /// Points of all segments.
    points: Expr,
    /// Points of one.
    n: Expr,
    /// Points of a thread at a time.
    row: i64,
    segmented: bool,
    /// 1 if tiles have whole segments, where that can be.
    whole: Option<Expr>,
    /// Points of a tile.
    span: Expr,
    /// What tiles publish.
    words: Words,
    tiles: Expr,
}

impl Scan<'_> {
    /// A point's value as it is in a tile.
    fn in_tile(&self, value: Expr) -> Expr {
        match self.narrow {
            true => cut(value),
            false => value,
        }
    }

    /// Where a value of the tile is while it is exchanged. A warp does not wait for others, so that it uses
    /// the same bytes for all operands: as many as the widest of them need.
    fn exchanged_at(&self, ty: PrimType, at: Expr) -> Expr {
        let times = (self.widest() / ty.bytes()) as i64;
        if self.exchange == Exchange::SharedMemory || times == 1 {
            return at;
        }
        let warp = quot(local(), i64(WARP_THREADS));
        add(mul(warp, i64(WARP_THREADS * self.row * (times - 1))), at)
    }

    /// The same for the point `k` of a thread's row.
    fn in_a_row(&self, ty: PrimType, k: &Expr) -> Expr {
        self.exchanged_at(ty, add(mul(local(), i64(self.row)), k.clone()))
    }

    /// The bytes of the widest operand within a tile.
    fn widest(&self) -> u64 {
        widest(&self.tile_types)
    }
}

/// The bytes of the widest of some types.
fn widest(types: &[PrimType]) -> u64 {
    types.iter().map(|ty| ty.bytes()).max().unwrap_or(0)
}

/// Bytes of a point while values are exchanged.
fn exchanged_bytes(seg: &SegOp<Memory>, plan: &SinglePass, tile_types: &[PrimType]) -> i64 {
    let bytes = match plan.values {
        TileValues::Same | TileValues::Narrow => widest(tile_types),
        TileValues::Flags if !plan.gathered => 0,
        TileValues::Flags => widest(&compact::gathered_types(seg, &plan.placings)),
    };
    bytes as i64
}

/// Bytes of shared memory for each thread of a block: its points, which take so many bytes each while they
/// are exchanged, what it sums up to, and its flag. What a block has once, and where arrays begin, the
/// threads of a warp share.
fn thread_bytes(types: &[PrimType], tile_types: &[PrimType], row: i64, exchanged: i64) -> i64 {
    let all = |types: &[PrimType]| types.iter().map(|ty| ty.bytes() as i64).sum::<i64>();
    let arrays = (types.len() + tile_types.len() + 4) as i64;
    let once = 16 * arrays + all(types);
    row * exchanged + all(tile_types) + 1 + (once + WARP_THREADS - 1) / WARP_THREADS
}

/// A value as it is in the end, with what is before the tile where that is missing.
fn whole(value: Expr, before: Option<Name>) -> Expr {
    match before {
        Some(before) => add(var(before), widened(value)),
        None => value,
    }
}

fn widened(value: Expr) -> Expr {
    Expr::Conv(ConvOp::SExt(IntType::I32, IntType::I64), Box::new(value))
}

/// The lower 32 bits.
fn cut(value: Expr) -> Expr {
    Expr::Conv(ConvOp::SExt(IntType::I64, IntType::I32), Box::new(value))
}

/// What is before a thread's row in its tile.
struct Inside {
    sums: Vec<Name>,
    /// Whether a segment starts there.
    starts: Name,
}

/// Its shared memory.
struct Shared {
    /// Room for the values of a tile of one operand.
    exchange: Name,
    /// One value per thread.
    sums: Vec<Name>,
    flags: Name,
    /// What is before the tile.
    prefix: Vec<Name>,
    /// The tile's number.
    tile: Name,
}
