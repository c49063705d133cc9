//! The threads of a block copy what a step reads into its tiles.
//!
//! Copies begin before the step that comes before is computed, and run meanwhile (`copy_ahead`). They are
//! done by elements, or 16 bytes at a time where that is possible:
//!
//! ```text
//! if the rectangle is in the space, the step is whole, and rows begin at multiples of 16 bytes {
//!   for s < rounds { copy_ahead 4 tile[row(s), 4 * column(s)] <- b[first + row(s), start + 4 * column(s)] }
//! } else {
//!   for s < rounds { copy_ahead 1 tile[row(s), column(s)] <- b[min(first + row(s), m - 1), min(start + column(s), p - 1)] }
//! }
//! ```
//!
//! Inside of the space no index has to be limited, which costs as much as the copies themselves do, and where
//! a round of all threads is whole rows of the tile, what a thread copies lies at equal distances:
//! `from + s * stride`, of which only the sum is computed for each copy ([`Evenly`]). A product of offsets of 64 bits
//! takes seven instructions, and a step of `f32` products with 64 x 64 points has twenty copies beside its
//! 1024 multiplications: 212 instructions for all copies so, and 100 with distances.
//!
//! What lies side by side along the rectangle is copied in pieces of 16 bytes, and so is what lies side by
//! side along the loop if rows of the tile go along it
//! ([`Measures::in_rows`](super::measures::Measures::in_rows)); otherwise it goes to different rows of the
//! tile, and is copied by elements. Elements of fewer than 4 bytes cannot be copied ahead one by one: threads
//! read and write them.

use super::emit::Frame;
use super::plan::{InStep, Read};
use crate::translate::kernel::point;
use crate::translate::state::KernelCode;
use fehu_base::device::WIDEST_COPY_BYTES;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{Code, Expr, KernelOp};
use fehu_ir::mem::sym;
use fehu_ir::schedule::Along;

/// How the tiles of a loop are filled.
pub(super) struct Filling<'a> {
    frame: &'a Frame<'a>,
    l: &'a InStep<'a>,
    bound: Expr,
    tiles: Vec<Tile<'a>>,
    /// Whether no index has to be limited along the sides of the rectangle, and pieces are aligned.
    inside: Expr,
}

/// A read, and the shared memory that it goes through.
struct Tile<'a> {
    read: &'a Read,
    mem: Name,
    /// Elements that are copied at a time inside of the space.
    piece: u32,
}

/// Where a thread copies from, one round of the block after the other, if rounds are whole rows of the tile.
struct Evenly {
    /// Whether they are; known when the kernel is compiled.
    even: Expr,
    /// The offset in the first round.
    from: Expr,
    /// From one round to the next.
    leap: Expr,
}

/// How a step is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In pieces, from inside of the space.
    Pieces,
    /// By elements. Those that do not exist are copies of the last.
    Limited,
}

impl<'a> Filling<'a> {
    pub(super) fn new(
        t: &mut KernelCode,
        frame: &'a Frame<'a>,
        l: &'a InStep<'a>,
        reads: &'a [Read],
        tiles: &[Name],
        bound: &Expr,
    ) -> Filling<'a> {
        let mut inside = bool(true);
        for along in [Along::Down, Along::Across] {
            if let Some((_, size)) = frame.dim(along) {
                let end = add(frame.start(along), frame.sizes.side(along));
                inside = and(inside, le(end, t.operand(size)));
            }
        }
        let mut filled = vec![];
        for (read, mem) in reads.iter().zip(tiles) {
            let piece = match aligned(t, frame, l, read) {
                Some(aligned) => {
                    inside = and(inside, aligned);
                    (WIDEST_COPY_BYTES / read.at.elem.bytes() as i64) as u32
                }
                None => 1,
            };
            filled.push(Tile { read, mem: *mem, piece });
        }
        let inside = var(t.let_as("inside", PrimType::Bool, inside));
        Filling { frame, l, bound: bound.clone(), tiles: filled, inside }
    }

    /// Begins the copies for a step.
    pub(super) fn step(&self, t: &mut KernelCode, step: &Expr) {
        let depth = self.frame.sizes.depth.clone();
        let first = t.let_i64("first", mul(step.clone(), depth.clone()));
        let common = |tile: &&Tile| tile.read.along == Along::Nothing;
        for tile in self.tiles.iter().filter(common) {
            self.copies(t, tile, step, &first, Way::Limited);
        }
        let sides: Vec<&Tile> = self.tiles.iter().filter(|tile| !common(tile)).collect();
        if !sides.is_empty() {
            let whole = and(self.inside.clone(), le(add(first.clone(), depth), self.bound.clone()));
            t.if_else(
                whole,
                |t| sides.iter().for_each(|tile| self.copies(t, tile, step, &first, Way::Pieces)),
                |t| sides.iter().for_each(|tile| self.copies(t, tile, step, &first, Way::Limited)),
            );
        }
    }

    /// The copies to a tile. Neighbouring threads copy what lies side by side in memory.
    fn copies(&self, t: &mut KernelCode, tile: &Tile, step: &Expr, first: &Expr, way: Way) {
        let (sizes, read) = (&self.frame.sizes, tile.read);
        let piece = match way {
            Way::Pieces => i64::from(tile.piece),
            Way::Limited => 1,
        };
        let (depth, side) = (sizes.depth.clone(), sizes.side(read.along));
        let in_loop = read.by_loop || read.along == Along::Nothing;
        let (row, rows) = if in_loop { (depth, side) } else { (side, depth) };
        let row = quot(row, i64(piece));
        let start = sizes.tile_of_step(read, step);
        let evenly = match way {
            Way::Pieces if tile.is_copied_ahead(piece) => self.evenly(t, read, first, (&row, piece, in_loop)),
            Way::Pieces | Way::Limited => None,
        };
        self.each_piece(t, row, rows, |t, s, column, row| {
            let column = mul(column, i64(piece));
            let (k, place) = if in_loop { (column, row) } else { (row, column) };
            let to = add(start, sizes.at(read, k.clone(), place.clone()));
            self.set_indices(t, read, first, (k, place), way);
            copy(t, tile, to, piece, evenly.map(|of| (of, s)));
        });
    }

    /// Sets the indices of what a tile has of an iteration, after the first of the step, at a place along the
    /// rectangle.
    fn set_indices(&self, t: &mut KernelCode, read: &Read, first: &Expr, (k, place): (Expr, Expr), way: Way) {
        let limited = |e: Expr, end: Expr| match way {
            Way::Pieces => e,
            Way::Limited => min(e, sub(end, i64(1))),
        };
        if let Some((index, size)) = self.frame.dim(read.along) {
            let here = add(self.frame.start(read.along), place);
            let size = t.operand(size);
            point::fresh_index(t, index, limited(here, size));
        }
        point::fresh_index(t, self.l.var, limited(add(first.clone(), k), self.bound.clone()));
    }

    /// The offsets of what a thread copies for a step, if they are at equal distances wherever rounds are
    /// whole rows, of `row` pieces each.
    fn evenly(
        &self,
        t: &mut KernelCode,
        read: &Read,
        first: &Expr,
        (row, piece, in_loop): (&Expr, i64, bool),
    ) -> Option<Evenly> {
        let (index, _) = self.frame.dim(read.along)?;
        let below = sym(if in_loop { index } else { self.l.var });
        let (distance, _) = read.at.offset()?.split_on(below);
        if !distance.is_known() || distance.mentions(below) {
            return None;
        }
        let (column, below) = (mul(rem(local(), row.clone()), i64(piece)), quot(local(), row.clone()));
        let (k, place) = if in_loop { (column, below) } else { (below, column) };
        self.set_indices(t, read, first, (k, place), Way::Pieces);
        let threads = self.frame.sizes.block();
        let from = t.offset(&read.at);
        let from = t.let_i64("from", from);
        let distance = t.poly(&distance);
        let leap = t.let_i64("leap", mul(distance, quot(threads.clone(), row.clone())));
        Some(Evenly { even: eq(rem(threads, row.clone()), i64(0)), from, leap })
    }

    /// The pieces of a tile, which has `rows` of `row` of them, dealt out to the threads of the block.
    fn each_piece(
        &self,
        t: &mut KernelCode,
        row: Expr,
        rows: Expr,
        body: impl FnOnce(&mut KernelCode, Expr, Expr, Expr),
    ) {
        let threads = self.frame.sizes.block();
        let pieces = mul(row.clone(), rows);
        t.unrolled_up_to("s", quot_up(pieces.clone(), threads.clone()), |t, s| {
            let number = t.let_i64("number", add(mul(s.clone(), threads.clone()), local()));
            // Where a round is whole rows, a thread stays in its column, and need not divide again.
            let even = eq(rem(threads.clone(), row.clone()), i64(0));
            let column = select(even.clone(), rem(local(), row.clone()), rem(number.clone(), row.clone()));
            let further = mul(s.clone(), quot(threads.clone(), row.clone()));
            let below = select(even, add(quot(local(), row.clone()), further), quot(number.clone(), row));
            let (column, below) = (t.let_i64("column", column), t.let_i64("row", below));
            let exists = or(eq(rem(pieces.clone(), threads), i64(0)), lt(number, pieces));
            t.if_then(exists, |t| body(t, s, column, below));
        });
    }
}

impl Tile<'_> {
    /// Whether so many of its elements can be on their way while threads compute.
    fn is_copied_ahead(&self, count: i64) -> bool {
        self.read.from_device && matches!(self.read.at.elem.bytes() as i64 * count, 4 | 8 | 16)
    }
}

/// Copies a piece to a tile, ahead if that is possible. The indices of its first element are set; in a round
/// whose number is given, it may also be found by distances.
fn copy(t: &mut KernelCode, tile: &Tile, to: Expr, count: i64, evenly: Option<(Evenly, Expr)>) {
    let (at, mem) = (&tile.read.at, tile.mem);
    if tile.is_copied_ahead(count) {
        let (src, src_offset) = (t.mem(at.block), t.offset(at));
        let src_offset = match evenly {
            Some((Evenly { even, from, leap }, s)) => select(even, add(from, mul(s, leap)), src_offset),
            None => src_offset,
        };
        let (dst, dst_offset, elem, count) = (mem, to, at.elem, count as u32);
        t.emit(Code::Op(KernelOp::CopyAhead { dst, dst_offset, src, src_offset, elem, count }));
    } else {
        let value = t.read(at);
        t.store(mem, at.elem, to, value);
    }
}

/// Whether all pieces of a read are aligned, if it can be copied in pieces, because rows of the tile are as
/// in memory: whether the offset of every row is a multiple of a piece.
fn aligned(t: &mut KernelCode, frame: &Frame, l: &InStep, read: &Read) -> Option<Expr> {
    let (index, _) = frame.dim(read.along)?;
    let (index, var) = (sym(index), sym(l.var));
    let (column, row, in_row) = match frame.sizes.in_rows(read) {
        true => (var, index, frame.sizes.depth.clone()),
        false => (index, var, frame.sizes.side(read.along)),
    };
    let (step, rest) = read.at.offset()?.split_on(column);
    let (row, start) = rest.split_on(row);
    let bytes = read.at.elem.bytes() as i64;
    if !read.from_device
        || !step.is_one()
        || row.mentions(var)
        || row.mentions(index)
        || bytes == 0
        || WIDEST_COPY_BYTES % bytes != 0
    {
        return None;
    }
    let piece = i64(WIDEST_COPY_BYTES / bytes);
    let (row, start) = (t.poly(&row), t.poly(&start));
    let divides = |e: Expr| eq(rem(e, piece.clone()), i64(0));
    Some(and(divides(in_row), and(divides(row), divides(start))))
}
