//! How a tile of a scan finds out what is before it: it publishes what it sums up to, and adds up what those
//! before it have published.

use super::tile::Tile;
use super::words::{AGGREGATE, PREFIX};
use super::{widened, Scan, Shared};
use crate::translate::kernel::operator::vars;
use crate::translate::state::KernelCode;
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Direction, Expr};

/// What the tile sums up to, as others want it.
fn tile_sums(t: &mut KernelCode, scan: &Scan, shared: &Shared, last: &Expr) -> Vec<Name> {
    let sums = t.load_all(&shared.sums, &scan.tile_types, last);
    if !scan.narrow {
        return sums;
    }
    sums.iter().map(|x| t.let_as("sum", PrimType::I64, widened(var(*x)))).collect()
}

/// Publishes what a tile sums up to by itself. Those who add up in order wait for its prefix.
fn publish_own(t: &mut KernelCode, scan: &Scan, tile: &Expr, whole: Name, sums: &[Name]) {
    t.if_then(var(whole), |t| scan.words.publish(t, tile, sums, PREFIX));
    if !scan.in_order {
        t.if_then(not(var(whole)), |t| scan.words.publish(t, tile, sums, AGGREGATE));
    }
}

/// One thread publishes what the tile sums up to, and finds what is before it.
pub(super) fn look_back(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Expr, last: Expr) {
    let sums = tile_sums(t, scan, shared, &last);
    let mut whole = eq(tile.clone(), i64(0));
    if scan.segmented {
        whole = or(whole, t.element(shared.flags, PrimType::Bool, last));
    }
    let whole = t.let_as("whole", PrimType::Bool, whole);
    publish_own(t, scan, tile, whole, &sums);
    let before = scan.words.sum_back(t, scan.ops, sub(tile.clone(), i64(1)), |_, tile| tile);
    t.store_all(&shared.prefix, &scan.types, &i64(0), &before);
    t.if_then(not(var(whole)), |t| {
        t.apply_all(scan.ops, &vars(&before), &vars(&sums), &sums);
        scan.words.publish(t, tile, &sums, PREFIX);
    });
}

/// The same by the first warp, which has just written what the warps sum up to.
pub(super) fn first_warp_looks_back(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Tile) {
    t.warp_barrier();
    let last = sub(quot(block_size(), i64(WARP_THREADS)), i64(1));
    match &scan.whole {
        Some(whole) => t.if_then(eq(whole.clone(), i64(0)), |t| {
            look_back_together(t, scan, shared, &tile.number, last);
        }),
        None => look_back_together(t, scan, shared, &tile.number, last),
    }
}

/// Lane `k` looks at the tile `k` before the last one not seen yet; what lanes see is combined,
/// the highest lane leftmost, up to the first that is a prefix.
fn look_back_together(t: &mut KernelCode, scan: &Scan, shared: &Shared, tile: &Expr, last: Expr) {
    let sums = tile_sums(t, scan, shared, &last);
    let mut whole = eq(tile.clone(), i64(0));
    if scan.segmented {
        whole = or(whole, t.element(shared.flags, PrimType::Bool, last));
    }
    let whole = t.let_as("whole", PrimType::Bool, whole);
    t.if_then(eq(local(), i64(0)), |t| publish_own(t, scan, tile, whole, &sums));
    let neutral = t.neutrals(scan.ops);
    let before = t.lanes("before", &scan.types, neutral);
    let back = t.let_as("back", PrimType::I64, sub(tile.clone(), i64(1)));
    t.while_(le(i64(0), var(back)), |t| {
        let mine = t.let_i64("mine", sub(var(back), local()));
        let neutral = t.neutrals(scan.ops);
        let found = t.lanes("found", &scan.types, neutral);
        // Before the first tile there is nothing, and that is all there is.
        let stop = t.let_as("stop", PrimType::I32, i32(1));
        t.if_then(le(i64(0), mine.clone()), |t| {
            let state = t.temp("state", PrimType::I32);
            scan.words.read(t, &mine, &found, state);
            t.if_then(equal(PrimType::I32, var(state), i32(AGGREGATE)), |t| t.set_to(stop, i32(0)));
        });
        for delta in [1u32, 2, 4, 8, 16] {
            let other = t.shuffle(&scan.types, &found, Direction::Down, delta);
            let other_stop = t.shuffle(&[PrimType::I32], &[stop], Direction::Down, delta)[0];
            let there = lt(add(local(), i64(i64::from(delta))), i64(WARP_THREADS));
            t.if_then(equal(PrimType::I32, var(stop), i32(0)), |t| {
                t.where_needed(scan.ops, there, |t| {
                    t.apply_all(scan.ops, &vars(&other), &vars(&found), &found);
                });
                t.set_to(stop, var(other_stop));
            });
        }
        t.where_needed(scan.ops, eq(local(), i64(0)), |t| {
            t.apply_all(scan.ops, &vars(&found), &vars(&before), &before);
        });
        let done = t.shuffle(&[PrimType::I32], &[stop], Direction::First, 0)[0];
        t.if_else(
            equal(PrimType::I32, var(done), i32(1)),
            |t| t.set_to(back, i64(-1)),
            |t| t.set_to(back, sub(var(back), i64(WARP_THREADS))),
        );
    });
    t.if_then(eq(local(), i64(0)), |t| {
        t.store_all(&shared.prefix, &scan.types, &i64(0), &before);
        t.if_then(not(var(whole)), |t| {
            t.apply_all(scan.ops, &vars(&before), &vars(&sums), &sums);
            scan.words.publish(t, tile, &sums, PREFIX);
        });
    });
}
