//! Kernels with tiles and their sizes: the host's part.

use super::super::choice::{schedule, Quantities};
use super::plan::{Part, Read, Tiling};
use crate::translate::kernel::choice;
use crate::translate::kernel::map;
use crate::translate::kernel::size;
use crate::translate::kernel::tile::emit;
use crate::translate::kernel::tile::kept;
use crate::translate::kernel::tile::plan;
use crate::translate::kernel::tile::turned;
use crate::translate::state::HostCode;
use fehu_base::device::{BANK_PADDING_ELEMENTS, MAX_DECLARED_SHARED_BYTES, TILE_SIDE};
use fehu_base::{bug, Symbol};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::schedule::{Along, Plan, Quantity, RowCache, Tiled, Turned};
use fehu_ir::seg::SegOp;
use fehu_ir::{Memory, PatElem};

/// The sizes of the tiles of a kernel, which is compiled for their values.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// The tile's side in threads.
    pub(super) tile: Symbol,
    /// The points of a thread in each direction; for lines of points there is one.
    pub(super) each: Option<Symbol>,
}

/// The measures of a tile, as expressions of the host or of the kernel.
#[derive(Clone)]
pub(super) struct Measures {
    /// Threads in each direction.
    pub(super) threads: [Expr; 2],
    /// Points of a thread, in each direction that the rectangle has.
    pub(super) each: Expr,
    /// Iterations of the loop in one step.
    pub(super) depth: Expr,
    /// Iterations that are unrolled together where steps are unrolled.
    pub(super) unrolled: Expr,
}

impl Measures {
    /// The measures of a map's tiles, from the values of the parameters.
    pub(super) fn new(tiling: &Tiling, tile: Expr, each: Expr) -> Measures {
        let threads = mul(tile.clone(), tile.clone());
        if tiling.down.is_some() {
            // Sizes of arrays are constants in C, which calls of functions are not.
            let depth = select(lt(tile.clone(), i64(TILE_SIDE)), i64(TILE_SIDE), tile.clone());
            return Measures { threads: [tile.clone(), tile], each, unrolled: depth.clone(), depth };
        }
        Measures { threads: [i64(1), threads.clone()], each: i64(1), depth: threads, unrolled: tile }
    }

    /// What the conditions of a plan are about.
    fn quantities(&self, tiling: &Tiling, blocks: &Expr, points: &Expr) -> Quantities {
        let covered = match tiling.down {
            Some(_) => mul(mul(self.side(Along::Down), self.side(Along::Across)), blocks.clone()),
            None => mul(self.side(Along::Across), blocks.clone()),
        };
        vec![
            (Quantity::Points, points.clone()),
            (Quantity::Block, self.block()),
            (Quantity::Blocks, blocks.clone()),
            (Quantity::Covered, covered),
            (Quantity::Depth, self.depth.clone()),
            (Quantity::Shared, self.bytes(tiling)),
        ]
    }

    /// Threads of a block.
    pub(super) fn block(&self) -> Expr {
        mul(self.threads[0].clone(), self.threads[1].clone())
    }

    /// Points down a rectangle, or across it.
    pub(super) fn side(&self, along: Along) -> Expr {
        match along {
            Along::Down => mul(self.threads[0].clone(), self.each.clone()),
            Along::Across => mul(self.threads[1].clone(), self.each.clone()),
            Along::Nothing => i64(1),
        }
    }

    /// The elements from one iteration of the loop to the next, in a tile. Where neighbouring threads write them one below
    /// the other, that is no multiple of the number of banks.
    pub(super) fn row(&self, read: &Read) -> Expr {
        match (read.along, read.by_loop) {
            (Along::Nothing, _) => i64(1),
            (Along::Down | Along::Across, true) => add(self.side(read.along), i64(BANK_PADDING_ELEMENTS)),
            (Along::Down | Along::Across, false) => self.side(read.along),
        }
    }

    /// The elements of a tile, of which there are two.
    pub(super) fn elements(&self, read: &Read) -> Expr {
        mul(self.depth.clone(), self.row(read))
    }

    /// Where the tile of a step begins: steps use the two in turns.
    pub(super) fn tile_of_step(&self, read: &Read, step: &Expr) -> Expr {
        mul(bits(step.clone(), i64(1)), self.elements(read))
    }

    /// Whether a kernel may declare so many bytes of shared memory by itself. Its text must compile for any sizes.
    pub(super) fn declared(&self, tiling: &Tiling) -> Expr {
        le(self.bytes(tiling), i64(MAX_DECLARED_SHARED_BYTES))
    }

    /// The bytes of all tiles, each pair a multiple of 16.
    fn bytes(&self, tiling: &Tiling) -> Expr {
        let mut bytes = i64(0);
        tiling.for_each_tiled(|_, reads| {
            for read in reads {
                let own = mul(self.elements(read), i64(2 * read.at.elem.bytes() as i64));
                bytes = add(bytes.clone(), add(own, i64(15)));
            }
        });
        bytes
    }
}

impl Tiling<'_> {
    /// Calls a function on the tiled loops.
    pub(super) fn for_each_tiled(&self, mut f: impl FnMut(&super::plan::InStep, &[Read])) {
        self.parts.iter().for_each(|part| Part::for_each_tiled(part, &mut |l, reads| f(l, reads)));
    }
}

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
        emit::tiled_kernel(t, pat, seg, &tiling, sizes, blocks, &counts, on_host.block());
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
