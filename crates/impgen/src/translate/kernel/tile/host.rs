//! Kernels with tiles: the host's part.

use super::super::choice::{schedule, Quantities};
use super::emit;
use super::kept;
use super::measures::{Measures, Sizes};
use super::plan;
use super::turned;
use crate::translate::kernel::choice;
use crate::translate::kernel::map;
use crate::translate::kernel::size;
use crate::translate::state::HostCode;
use fehu_base::bug;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::schedule::{Plan, RowCache, Tiled, Turned};
use fehu_ir::seg::SegOp;
use fehu_ir::{Memory, PatElem};

/// A map with tiles if the conditions of its plan hold, else the next choice.
pub(crate) fn tiled_or_not(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    plan: &Tiled,
    number: usize,
    points: Expr,
) {
    let tiling = plan::tiling(t, seg, plan);
    let sizes = Sizes { tile: plan.tile, each: plan.each };
    let tile = size::param(t, sizes.tile);
    let each = match sizes.each {
        Some(each) => size::param(t, each),
        None => i64(1),
    };
    let on_host = Measures::new(&tiling, tile, each);
    let counts: Vec<Expr> = (seg.space.dims.iter().enumerate())
        .map(|(d, (_, n))| {
            let n = t.operand(*n);
            let along = tiling.along(d);
            let count = quot_up(n, on_host.side(along));
            t.let_i64("tiles", count)
        })
        .collect();
    let blocks = counts.iter().cloned().fold(i64(1), mul);
    let blocks = t.let_i64("blocks", blocks);
    let known = on_host.quantities(&tiling, &blocks, &points);
    this_or_next(t, pat, seg, number, points, &known, |t, seg, plan| {
        let Plan::Tiled(plan) = plan else { bug!("a copy of a map is not tiled") };
        let tiling = plan::tiling(t, seg, plan);
        emit::tiled_kernel(t, pat, (seg, number), &tiling, sizes, blocks, &counts, on_host.block());
    });
}

/// A map whose rows are kept in shared memory if the conditions of its plan hold, else the next choice.
pub(crate) fn kept_or_not(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    plan: &RowCache,
    number: usize,
    points: Expr,
) {
    let tile = plan.tile;
    let side = size::param(t, tile);
    let last = seg.space.dims.len() - 1;
    let mut counts = vec![];
    for (d, (_, n)) in seg.space.dims.iter().enumerate() {
        let n = t.operand(*n);
        let count = if d == last { quot_up(n, mul(side.clone(), side.clone())) } else { n };
        counts.push(t.let_i64("tiles", count));
    }
    let blocks = counts.iter().cloned().fold(i64(1), mul);
    let blocks = t.let_i64("blocks", blocks);
    let kept = kept::kept(t, seg, plan);
    let known = kept::kept_quantities(t, &kept, &side, &blocks, &points);
    this_or_next(t, pat, seg, number, points, &known, |t, seg, plan| {
        let Plan::RowCache(plan) = plan else { bug!("a copy of a map keeps nothing") };
        let kept = kept::kept(t, seg, plan);
        kept::kept_kernel(t, pat, seg, &kept, (tile, &side), blocks, &counts);
    });
}

/// A map that turns what it reads if the conditions of its plan hold, else the next choice.
pub(crate) fn turned_or_not(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    plan: &Turned,
    number: usize,
    points: Expr,
) {
    let counts = turned::box_counts(t, seg, plan);
    let blocks = counts.iter().cloned().fold(i64(1), mul);
    let blocks = t.let_i64("blocks", blocks);
    let known = turned::turned_quantities(t, seg, plan, &blocks, &points);
    this_or_next(t, pat, seg, number, points, &known, |t, seg, plan| {
        let Plan::Turned(plan) = plan else { bug!("a copy of a map turns nothing") };
        turned::turned_kernel(t, pat, seg, plan, blocks, &counts);
    });
}

/// The choice of this number if its conditions hold, else the next one. The kernel is made of a copy of the map.
fn this_or_next(
    t: &mut HostCode,
    pat: &[PatElem<Memory>],
    seg: &SegOp<Memory>,
    number: usize,
    points: Expr,
    known: &Quantities,
    kernel: impl FnOnce(&mut HostCode, &SegOp<Memory>, &Plan),
) {
    let choice = &schedule(seg).choices[number];
    if choice.when.is_empty() {
        return kernel(t, seg, &choice.plan);
    }
    let fits = choice::all_hold(t, &choice.when, known);
    let copy = t.renamed(seg);
    t.if_else(
        fits,
        |t| kernel(t, &copy, &schedule(&copy).choices[number].plan),
        |t| map::map_choice(t, pat, seg, number + 1, points),
    );
}
