//! Scans of flags: numbers that are 0 or 1, as those of filters.
//!
//! The threads of a warp compute neighbouring points, and a ballot says to all of them for which points the flag is set. How many are set up to a point
//! is then the number of bits up to the thread's own: nothing is exchanged through shared memory, but for one number of each warp.
//!
//! ```text
//! flags of a warp's points     1 0 1 1   0 0 1 0      ballots 1101, 0100 (the first lane is the last bit)
//! counted up to each           1 1 2 3   3 3 4 4      of its own ballot the bits up to the lane, of those before all bits
//! ```

use super::look_back::first_warp_looks_back;
use super::tile::{Point, Tile};
use super::{before_tile, cut, whole, Scan, Shared};
use crate::translate::kernel::point;
use crate::translate::state::KernelCode;
use fehu_base::device::WARP_THREADS;
use fehu_base::ops::{BinOp, MathFn, PrimFn};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::seg::SegOp;
use fehu_ir::Memory;

/// How many flags of the tile are set before the thread's warp, given how many are in each warp. Meanwhile the tile looks back.
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

/// Scans a tile of flags.
pub(super) fn scan_tile(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Tile) {
    let ballots: Vec<Name> =
        scan.tile_types.iter().map(|ty| t.private_array("ballot", *ty, scan.row)).collect();
    let sums = collect(t, scan, tile, &ballots);
    let lane = t.let_i64("lane", rem(local(), i64(WARP_THREADS)));
    let counts = before_warp(t, scan, shared, tile, lane.clone(), &sums);
    // The bits of the lanes up to this one.
    let below = binary(BinOp::Shl(IntType::I32), i32(2), cut(lane));
    let upto = t.let_as("upto", PrimType::I32, binary(BinOp::Sub(IntType::I32), below, i32(1)));
    let before = before_tile(t, scan, shared);
    tile.at_points(t, scan, |t, seg, point| {
        let all = t.load_all(&ballots, &scan.tile_types, &point.k);
        point.if_there(t, |t| {
            let mut scanned = vec![];
            for ((ballot, count), before) in all.iter().zip(&counts).zip(&before) {
                let own = binary(BinOp::And(IntType::I32), var(*ballot), var(upto));
                scanned.push(whole(plus(var(*count), bits_set(own)), *before));
            }
            use_values(t, scan, seg, point, scanned);
        });
        for (ballot, count) in all.iter().zip(&counts) {
            t.set_to(*count, plus(var(*count), bits_set(var(*ballot))));
        }
    });
}

/// The ballots of a thread's points, and how many flags the points of its warp have. A ballot waits for what its points read, so that
/// all points are computed before the first.
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

pub(super) fn plus(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add(IntType::I32), a, b)
}

pub(super) fn bits_set(e: Expr) -> Expr {
    Expr::PrimFn(PrimFn { op: MathFn::Popc, at: PrimType::I32 }, vec![e])
}
