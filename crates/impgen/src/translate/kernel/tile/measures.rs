//! The sizes of tiles.

use super::super::choice::Quantities;
use super::plan::{InStep, Part, Read, Tiling};
use fehu_base::device::{BANK_PADDING_ELEMENTS, MAX_DECLARED_SHARED_BYTES, TILE_SIDE};
use fehu_base::Symbol;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;
use fehu_ir::schedule::{Along, Quantity};

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
    /// Whether there is room for the tiles of either layout.
    pub(super) product: bool,
    pub(super) layout: Layout,
}

/// How points are dealt out, and tiles are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// To threads: all rows of a tile are along the rectangle.
    Threads,
    /// To warps, which multiply matrices: rows are as in memory, and one that begins four elements further
    /// than a multiple of eight is in other banks than the row before, for the four rows of a half warp.
    Warps,
}

impl Measures {
    /// The measures of a map's tiles, from the values of the parameters.
    pub(super) fn new(tiling: &Tiling, tile: Expr, each: Expr) -> Measures {
        let threads = mul(tile.clone(), tile.clone());
        if tiling.down.is_some() {
            // Sizes of arrays are constants in C, which calls of functions are not.
            let depth = select(lt(tile.clone(), i64(TILE_SIDE)), i64(TILE_SIDE), tile.clone());
            let (product, unrolled) = (tiling.product, depth.clone());
            let threads = [tile.clone(), tile];
            return Measures { threads, each, unrolled, depth, product, layout: Layout::Threads };
        }
        Measures {
            threads: [i64(1), threads.clone()],
            each: i64(1),
            depth: threads,
            unrolled: tile,
            product: false,
            layout: Layout::Threads,
        }
    }

    /// What the conditions of a plan are about.
    pub(super) fn quantities(&self, tiling: &Tiling, blocks: &Expr, points: &Expr) -> Quantities {
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

    /// Whether rows of a tile go along the loop.
    pub(super) fn in_rows(&self, read: &Read) -> bool {
        match (self.layout, read.along) {
            (_, Along::Nothing) | (Layout::Threads, _) => false,
            (Layout::Warps, Along::Down | Along::Across) => read.by_loop,
        }
    }

    /// The elements from one row of a tile to the next. Where neighbouring threads touch them one below the
    /// other, that is no multiple of the number of banks.
    fn row(&self, read: &Read) -> Expr {
        let side = match (read.along, self.in_rows(read)) {
            (Along::Nothing, _) => return i64(1),
            (Along::Down | Along::Across, true) => self.depth.clone(),
            (Along::Down | Along::Across, false) => self.side(read.along),
        };
        match read.by_loop || self.layout == Layout::Warps {
            true => add(side, i64(BANK_PADDING_ELEMENTS)),
            false => side,
        }
    }

    /// Where an element is in a tile: that of an iteration of the step, at a place along the rectangle.
    pub(super) fn at(&self, read: &Read, k: Expr, place: Expr) -> Expr {
        let (row, column) = if self.in_rows(read) { (place, k) } else { (k, place) };
        add(mul(row, self.row(read)), column)
    }

    /// The elements of a tile, of which there are two.
    pub(super) fn elements(&self, read: &Read) -> Expr {
        let (depth, side) = (self.depth.clone(), self.side(read.along));
        if read.along == Along::Nothing {
            return depth;
        }
        if self.product {
            let rows = select(lt(side.clone(), depth.clone()), depth.clone(), side.clone());
            return add(mul(depth, side), mul(rows, i64(BANK_PADDING_ELEMENTS)));
        }
        mul(if self.in_rows(read) { side } else { depth }, self.row(read))
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
    pub(super) fn for_each_tiled(&self, mut f: impl FnMut(&InStep, &[Read])) {
        self.parts.iter().for_each(|part| Part::for_each_tiled(part, &mut |l, reads| f(l, reads)));
    }
}
