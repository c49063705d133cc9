//! Scans of flags: numbers that are 0 or 1, as those of filters.
//!
//! The threads of a warp compute neighbouring points, and a ballot says to all of them for which points the
//! flag is set. How many are set up to a point is then the number of bits up to the thread's own: nothing is
//! exchanged through shared memory, but for one number of each warp.
//!
//! ```text
//! flags of a warp's points     1 0 1 1   0 0 1 0      ballots 1101, 0100 (the first lane is the last bit)
//! counted up to each           1 1 2 3   3 3 4 4      of its own ballot the bits up to the lane, of those before all bits
//! ```
//!
//! Where flags alone decide which points write, and where to, as those of filters do, a thread adds its
//! number of 32 bits to the place of the tile's first, and asks nothing but for the flag: there is room for
//! all points, or a number of 32 bits says how much. To compare numbers of 64 bits with the size instead
//! takes longer. The ballots have the flags, if there are several; to compare an element again with what a
//! single filter compares it with takes less. Times: `notebook/2026-11-19-gpu-mechanisms.md`.

use super::compact::write_counts;
use super::look_back::first_warp_looks_back;
use super::tile::{less, Point, Tile};
use super::{before_tile, cut, whole, widened, Scan, Shared};
use crate::translate::kernel::point;
use crate::translate::state::KernelCode;
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, MathFn, PrimFn};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::free::by_need_of_numbers;
use fehu_ir::mem::poly;
use fehu_ir::schedule::Placing;
use fehu_ir::seg::{KernelReturn, SegAfter, SegOp};
use fehu_ir::{Body, Exp, Memory, SubExp, Type};

/// How many flags of the tile are set before the thread's warp, given how many are in each warp. Meanwhile
/// the tile looks back.
pub(super) fn before_warp(
    t: &mut KernelCode,
    scan: &Scan,
    shared: &Shared,
    tile: &Tile,
    lane: Expr,
    sums: &[Name],
) -> Vec<Name> {
    let warp = t.let_i64("warp", quot(local(), i64(WARP_THREADS)));
    t.if_then(eq(lane, i64(0)), |t| t.store_all(&shared.sums, &scan.tile_types, &warp, sums));
    t.scan_of_warps(&scan.tile_ops, &scan.tile_types, &shared.sums, None, |t| {
        first_warp_looks_back(t, scan, shared, tile);
    });
    let neutral = t.neutrals(&scan.tile_ops);
    let counts = t.lanes("count", &scan.tile_types, neutral);
    t.if_then(lt(i64(0), warp.clone()), |t| {
        let inside = t.load_all(&shared.sums, &scan.tile_types, &sub(warp, i64(1)));
        for (count, inside) in counts.iter().zip(inside) {
            t.set_to(*count, var(inside));
        }
    });
    counts
}

/// Scans a tile of flags. `placings` says where results go, if that is known.
pub(super) fn scan_tile(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Tile, placings: &[Placing]) {
    let ballots: Vec<Name> =
        scan.tile_types.iter().map(|ty| t.private_array("ballot", *ty, scan.row)).collect();
    let sums = collect(t, scan, tile, &ballots);
    let lane = t.let_i64("lane", rem(local(), i64(WARP_THREADS)));
    let counts = before_warp(t, scan, shared, tile, lane.clone(), &sums);
    // The bits of the lanes up to this one.
    let below = binary(BinOp::Shl(IntType::I32), i32(2), cut(lane.clone()));
    let upto = t.let_as("upto", PrimType::I32, binary(BinOp::Sub(IntType::I32), below, i32(1)));
    let own = t.let_as("own", PrimType::I32, binary(BinOp::Shl(IntType::I32), i32(1), cut(lane)));
    let before = before_tile(t, scan, shared);
    let known: Vec<Name> = before.iter().copied().flatten().collect();
    let rooms = rooms(t, scan, placings, &known);
    let firsts: Vec<Expr> = match placings.is_empty() {
        true => vec![],
        false => known.iter().map(|before| t.let_i64("first", sub(var(*before), i64(1)))).collect(),
    };
    let is_set = |ballot: &Name| {
        let bit = binary(BinOp::And(IntType::I32), var(*ballot), var(own));
        not(equal(PrimType::I32, bit, i32(0)))
    };
    tile.at_points(t, scan, |t, seg, point| {
        let all = t.load_all(&ballots, &scan.tile_types, &point.k);
        point.if_there(t, |t| {
            let mut numbers = vec![];
            for (ballot, count) in all.iter().zip(&counts) {
                let own = binary(BinOp::And(IntType::I32), var(*ballot), var(upto));
                numbers.push(plus(var(*count), bits_set(own)));
            }
            if placings.is_empty() {
                let scanned = numbers.into_iter().zip(&before).map(|(n, before)| whole(n, *before)).collect();
                use_values(t, scan, seg, point, scanned);
            } else {
                let set = |ballot| (all.len() > 1).then(|| is_set(ballot));
                let flags = all.iter().map(set).zip(numbers).zip(&firsts);
                let flags = flags.map(|((set, number), first)| Flag { set, number, first });
                place_values(t, seg, point, (placings, &rooms), &flags.collect::<Vec<_>>());
            }
        });
        for (ballot, count) in all.iter().zip(&counts) {
            t.set_to(*count, plus(var(*count), bits_set(var(*ballot))));
        }
    });
    if !placings.is_empty() {
        let last = sub(quot(block_size(), i64(WARP_THREADS)), i64(1));
        let totals = t.load_all(&shared.sums, &scan.tile_types, &last);
        write_counts(t, scan, tile, placings, (&known, &totals));
    }
}

/// The ballots of a thread's points, and how many flags the points of its warp have. A ballot waits for what
/// its points read, so that all points are computed before the first.
fn collect(t: &mut KernelCode, scan: &Scan, tile: &Tile, ballots: &[Name]) -> Vec<Name> {
    let flags: Vec<Name> =
        ballots.iter().map(|_| t.private_array("flag", PrimType::Bool, scan.row)).collect();
    tile.at_points(t, scan, |t, seg, point| {
        for flag in &flags {
            t.store(*flag, PrimType::Bool, point.k.clone(), bool(false));
        }
        point.if_there(t, |t| {
            t.guarded(|t| {
                point.set(t, &seg.space);
                let new = point::point(t, scan.pat, seg);
                for (flag, e) in flags.iter().zip(new) {
                    t.store(*flag, PrimType::Bool, point.k.clone(), not(eq(e, i64(0))));
                }
            });
        });
    });
    let neutral = t.neutrals(&scan.tile_ops);
    let sums = t.lanes("sum", &scan.tile_types, neutral);
    t.for_up_to("k", i64(scan.row), |t, k| {
        for ((flag, sum), ballot) in flags.iter().zip(&sums).zip(ballots) {
            let bits = t.temp("bits", PrimType::I32);
            let cond = t.element(*flag, PrimType::Bool, k.clone());
            t.emit(Code::Op(KernelOp::Ballot { var: bits, cond }));
            t.store(*ballot, PrimType::I32, k.clone(), var(bits));
            t.set_to(*sum, plus(var(*sum), bits_set(var(bits))));
        }
    });
    sums
}

/// What becomes of the values at a point.
fn use_values(t: &mut KernelCode, scan: &Scan, seg: &SegOp<Memory>, point: &Point, scanned: Vec<Expr>) {
    if seg.after().is_some() {
        return t.guarded(|t| {
            point.set(t, &seg.space);
            point::point_after(t, scan.pat, seg, scanned);
        });
    }
    let indices = point.indices(t, &seg.space);
    for (p, value) in scan.pat.iter().zip(scanned) {
        let to = t.place_of(p.name).fixed(&indices);
        t.write(&to, value);
    }
}

/// How many points of the tile find a place, for each result that flags decide about, unless there is room
/// for all points: a number of 32 bits, so that one instruction asks for it.
fn rooms(t: &mut KernelCode, scan: &Scan, placings: &[Placing], before: &[Name]) -> Vec<Option<Name>> {
    let returns = scan.seg.after().map_or(&[][..], |after| &after.returns);
    let mut rooms = vec![];
    for (placing, ret) in placings.iter().zip(returns) {
        rooms.push(match (placing, ret) {
            (Placing::Flagged(flag), KernelReturn::Write { shape, .. })
                if shape[0] != scan.seg.space.dims[0].1 =>
            {
                let room = sub(t.operand(shape[0]), var(before[*flag]));
                let room = cut(min(max(room, i64(0)), i64(i64::from(i32::MAX))));
                Some(t.let_as("room", PrimType::I32, room))
            }
            _ => None,
        });
    }
    rooms
}

/// A flag at a point.
struct Flag<'a> {
    /// Whether it is set, if ballots are to say that.
    set: Option<Expr>,
    /// How many points of the tile have it, up to this one.
    number: Expr,
    /// One less than how many points before the tile have it.
    first: &'a Expr,
}

impl Flag<'_> {
    /// How many points before this one have it.
    fn earlier(&self) -> Expr {
        add(self.first.clone(), widened(self.number.clone()))
    }
}

/// Writes what a point writes.
fn place_values(
    t: &mut KernelCode,
    seg: &SegOp<Memory>,
    point: &Point,
    (placings, rooms): (&[Placing], &[Option<Name>]),
    flags: &[Flag<'_>],
) {
    let Some(after) = seg.after() else { bug!("nothing comes after a scan") };
    t.guarded(|t| {
        point.set(t, &seg.space);
        let stms = by_need_of_numbers(after).0.into_iter().cloned().collect();
        t.body(&Body { stms, result: vec![] }, &[]);
        for (k, placing) in placings.iter().enumerate() {
            let KernelReturn::Write { array, shape, index } = &after.returns[k] else { continue };
            match placing {
                Placing::Flagged(flag) => {
                    let flag = &flags[*flag];
                    let place = t.let_as("place", PrimType::I64, flag.earlier());
                    let at = t.place_of(*array).fixed(&[poly(place.into())]);
                    let value = t.operand(after.lambda.body.result[k]);
                    let set = flag.set.clone().unwrap_or_else(|| condition(t, after, index[0]));
                    let writes = match rooms[k] {
                        None => set,
                        Some(room) => and(set, not(less(var(room), flag.number.clone()))),
                    };
                    t.if_then(writes, |t| t.write(&at, value));
                }
                Placing::Number(flag) => {
                    let upto = t.let_as("upto", PrimType::I64, add(flags[*flag].earlier(), i64(1)));
                    point::write_within(t, *array, shape, index, &Type::I64, upto.into());
                }
                Placing::Others | Placing::Count(_) => {}
            }
        }
    });
}

/// The condition under which a place is not -1.
fn condition(t: &mut KernelCode, after: &SegAfter<Memory>, place: SubExp) -> Expr {
    for stm in &after.lambda.body.stms {
        let at = stm.pat.iter().position(|p| Some(p.name) == place.name());
        if let (Exp::If(c, _, other), Some(k)) = (&stm.exp, at) {
            let c = t.operand(*c);
            return if other.result[k].as_i64() == Some(-1) { c } else { not(c) };
        }
    }
    bug!("a place does not depend on a flag")
}

pub(super) fn plus(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add(IntType::I32), a, b)
}

pub(super) fn bits_set(e: Expr) -> Expr {
    Expr::PrimFn(PrimFn { op: MathFn::Popc, at: PrimType::I32 }, vec![e])
}
