//! The host's choice: large tiles, small ones, or none.
//!
//! ```text
//! if large tiles fit, and there are enough of them for the whole device: launch the kernel with large tiles
//! else if small tiles fit:                                               that with small ones
//! else if tiles of one point for each thread fit:                        that with those
//! else                                                                   that without tiles
//! ```
//!
//! Tiles fit if the device has the threads and the shared memory, if the loop is long enough to fill one, if most of
//! the threads have a point, and if there are as many tiles as a device has multiprocessors.

use super::super::Translate;
use super::kept::Kept;
use super::plan::{carried_words, Along, Part, Read, Tiling};
use fehu_base::{bug, Symbol};
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::seg::{SegOp, SizeClass};
use fehu_ir::{Memory, PatElem};

/// Fewer large tiles than this part of the blocks that a device runs at a time leave much of it without work.
const MANY: i64 = 5;

/// The same for small ones.
const FEW: i64 = 20;

/// The least number of steps that are worth large tiles.
const STEPS: i64 = 4;

/// As `FEW`, for tiles with one point for each thread: there are never more threads, and each of them waits less for memory than
/// without tiles.
const SINGLE: i64 = 25;

/// The most shared memory that a kernel may declare by itself.
const MOST_BYTES: i64 = 48 * 1024;

/// The sizes of the tiles of a kernel, which is compiled for their values.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// The tile's side in threads.
    pub(super) tile: Symbol,
    /// The points of a thread in each direction; for lines of points there is one.
    pub(super) each: Option<Symbol>,
}

/// The sizes of a version, and which part of the blocks that a device runs at a time it must have; none for lines of points.
type Version = (Sizes, Option<i64>);

/// The measures of a tile, as expressions of the host or of the kernel.
#[derive(Clone)]
pub(super) struct Measures {
    /// The tile's side in threads.
    pub(super) tile: Expr,
    /// Threads in each direction.
    pub(super) threads: [Expr; 2],
    /// Points of a thread, in each direction that the rectangle has.
    pub(super) each: Expr,
    /// Iterations of the loop in one step.
    pub(super) depth: Expr,
}

impl Measures {
    /// The measures of a map's tiles, from the values of the parameters.
    pub(super) fn new(tiling: &Tiling, tile: Expr, each: Expr) -> Measures {
        let threads = mul(tile.clone(), tile.clone());
        if tiling.down.is_some() {
            let threads = [tile.clone(), tile.clone()];
            return Measures { tile: tile.clone(), threads, each, depth: tile };
        }
        Measures { tile, threads: [i64(1), threads.clone()], each: i64(1), depth: threads }
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
            (Along::Down | Along::Across, true) => add(self.side(read.along), i64(4)),
            (Along::Down | Along::Across, false) => self.side(read.along),
        }
    }

    /// The elements of a tile.
    pub(super) fn elements(&self, read: &Read) -> Expr {
        mul(self.depth.clone(), self.row(read))
    }

    /// Whether a kernel may declare so many bytes of shared memory by itself.
    pub(super) fn declared(&self, tiling: &Tiling) -> Expr {
        le(self.bytes(tiling), i64(MOST_BYTES))
    }

    /// The bytes of all tiles, each a multiple of 16.
    fn bytes(&self, tiling: &Tiling) -> Expr {
        let mut bytes = i64(0);
        tiling.for_each_tiled(|_, reads| {
            for read in reads {
                let own = mul(self.elements(read), i64(read.at.elem.bytes() as i64));
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

    /// The points of a thread in each direction: as many as there are registers for.
    pub(super) fn usual(&self) -> i64 {
        if self.down.is_none() {
            return 1;
        }
        let mut words = 0;
        self.for_each_tiled(|l, _| words = words.max(carried_words(l.of)));
        match words {
            0..=1 => 8,
            2..=4 => 4,
            5..=8 => 2,
            _ => 1,
        }
    }
}

impl Translate {
    /// A map. If it may be tiled, there are several kernels, and a choice between them.
    pub(in crate::translate::kernel) fn tiled_or_not(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        points: Expr,
    ) {
        let tiling = self.tiling(seg);
        let kept = match tiling.as_ref().and_then(|tiling| tiling.down) {
            None => self.kept(seg),
            Some(_) => None,
        };
        if tiling.is_none() && kept.is_none() {
            return self.plain_map(pat, seg, points);
        }
        let tile = self.tile_param(&SizeClass::TileSize, None);
        if let Some(kept) = kept {
            let otherwise = points.clone();
            return self.kept_or_not(pat, seg, &kept, tile, points, |t| match tiling {
                Some(tiling) => {
                    t.try_versions(pat, seg, &tiling, otherwise, &[(Sizes { tile, each: None }, None)]);
                }
                None => t.plain_map(pat, seg, otherwise),
            });
        }
        let Some(tiling) = tiling else { return };
        let usual = tiling.usual();
        let each = match (tiling.down, usual) {
            (None, _) => vec![None],
            (Some(_), 1) => vec![Some((1, SINGLE))],
            (Some(_), 2) => vec![Some((2, MANY)), Some((1, SINGLE))],
            (Some(_), usual) => vec![Some((usual, MANY)), Some((usual / 2, FEW)), Some((1, SINGLE))],
        };
        let versions: Vec<Version> = (each.into_iter())
            .map(|usual| {
                let each = usual.map(|(usual, _)| self.tile_param(&SizeClass::RegTileSize, Some(usual)));
                (Sizes { tile, each }, usual.map(|(_, part)| part))
            })
            .collect();
        self.try_versions(pat, seg, &tiling, points, &versions);
    }

    /// A map whose rows are kept in shared memory, if they fit.
    fn kept_or_not(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        kept: &Kept,
        tile: Symbol,
        points: Expr,
        otherwise: impl FnOnce(&mut Self),
    ) {
        let side = self.param(tile);
        let last = seg.space.dims.len() - 1;
        let mut counts = vec![];
        for (d, (_, n)) in seg.space.dims.iter().enumerate() {
            let n = self.operand(*n);
            let count = if d == last { quot_up(n, mul(side.clone(), side.clone())) } else { n };
            counts.push(self.let_i64("tiles", count));
        }
        let blocks = counts.iter().cloned().fold(i64(1), mul);
        let blocks = self.let_i64("blocks", blocks);
        let fits = self.rows_fit(kept, &side, &blocks, &points);
        let copy = self.renamed(seg);
        self.if_else(
            fits,
            |t| {
                let Some(kept) = t.kept(&copy) else { bug!("a copy of a map keeps nothing") };
                t.kept_kernel(pat, &copy, &kept, (tile, &side), blocks, &counts);
            },
            otherwise,
        );
    }

    fn try_versions(
        &mut self,
        pat: &[PatElem<Memory>],
        seg: &SegOp<Memory>,
        tiling: &Tiling,
        points: Expr,
        versions: &[Version],
    ) {
        let Some(((sizes, part), others)) = versions.split_first() else {
            return self.plain_map(pat, seg, points);
        };
        let tile = self.param(sizes.tile);
        let each = match sizes.each {
            Some(each) => self.param(each),
            None => i64(1),
        };
        let on_host = Measures::new(tiling, tile, each);
        let counts: Vec<Expr> = (seg.space.dims.iter().enumerate())
            .map(|(d, (_, n))| {
                let n = self.operand(*n);
                let along = tiling.along(d);
                let count = quot_up(n, on_host.side(along));
                self.let_i64("tiles", count)
            })
            .collect();
        let blocks = counts.iter().cloned().fold(i64(1), mul);
        let blocks = self.let_i64("blocks", blocks);
        let fits = self.tiles_fit(tiling, &on_host, &blocks, &points, *part);
        let copy = self.renamed(seg);
        self.if_else(
            fits,
            |t| {
                let Some(tiling) = t.tiling(&copy) else { bug!("a copy of a map is not tiled") };
                t.tiled_kernel(pat, &copy, &tiling, *sizes, blocks, &counts, on_host.block());
            },
            |t| t.try_versions(pat, seg, tiling, points, others),
        );
    }

    /// Whether a version is to run.
    fn tiles_fit(
        &mut self,
        tiling: &Tiling,
        sizes: &Measures,
        blocks: &Expr,
        points: &Expr,
        part: Option<i64>,
    ) -> Expr {
        let large = part == Some(MANY);
        let threads = self.device_max(&SizeClass::ThreadBlockSize);
        let shared = self.device_max(&SizeClass::SharedMemory);
        let mut fits = and(le(sizes.block(), threads), le(sizes.bytes(tiling), shared));
        fits = and(fits, sizes.declared(tiling));
        let mut bounds = vec![];
        tiling.for_each_tiled(|l, _| bounds.push(self.counted(l.bound, l.ty)));
        for bound in bounds {
            fits = and(
                fits,
                match large {
                    true => le(mul(sizes.depth.clone(), i64(STEPS)), bound),
                    false => le(sizes.depth.clone(), mul(bound, i64(2))),
                },
            );
        }
        let covered = mul(mul(sizes.side(Along::Down), sizes.side(Along::Across)), blocks.clone());
        let covered = match tiling.down {
            Some(_) => covered,
            None => mul(sizes.side(Along::Across), blocks.clone()),
        };
        let waste = match large {
            true => le(mul(covered, i64(4)), mul(points.clone(), i64(5))),
            false => le(covered, mul(points.clone(), i64(2))),
        };
        fits = and(fits, waste);
        match part {
            Some(part) => {
                let at_a_time = self.grid_param("segmap_tiled");
                and(fits, le(at_a_time, mul(blocks.clone(), i64(part))))
            }
            None => fits,
        }
    }
}
