//! What the tiles of a scan publish: words that carry their own state.
//!
//! A tile publishes values twice: the sum of its own points, and later the sum of everything up to its last
//! point. Whoever reads must know which of them it is, and must see all of it. With a state beside the values
//! that takes a fence between two writes, and another between two reads, and each waits for memory. So the
//! values are cut into pieces of 32 bits, and each piece shares a word of 64 bits, which memory hands on as a
//! whole, with the state:
//!
//! ```text
//! f32     [bits | state]
//! f64     [lower bits | state]  [upper bits | state]
//! ```
//!
//! Counters never need all of their 64 bits: one word has room for the state, too.
//!
//! Few words are in the block of zeros that all kernels share: the last thread block of the scan clears them,
//! so that no kernel does that before the scan. Many words are cleared faster by a kernel.
//!
//! A reader takes words whose states agree. If they do not, the tile is publishing just now, and it reads
//! again. Words start as zeros: nothing is published. The words for a piece of neighbouring tiles are
//! neighbours, so that lanes that look at 32 tiles read them at once.

use crate::translate::build::ZEROS;
use crate::translate::kernel::bits::{bits_of, narrowed, widened};
use crate::translate::kernel::hist::shared_out;
use crate::translate::kernel::operator::vars;
use crate::translate::state::{HostCode, KernelCode};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{AtomicOp, Code, Expr, KernelOp};
use fehu_ir::schedule::TileValues;
use fehu_ir::seg::SegBinOp;
use fehu_ir::{Memory, Space};

/// Bits of a word that say what it is. The others are a piece of a value.
const STATE_BITS: i64 = 32;

/// The same where the value is a counter.
const STATE_BITS_OF_COUNTER: i64 = 2;

/// Nothing is published.
pub(super) const NONE: i32 = 0;
/// The sum of the tile's points is.
pub(super) const AGGREGATE: i32 = 1;
/// The sum of everything up to the tile's last point is.
pub(super) const PREFIX: i32 = 2;

/// The words of all tiles, and behind them two counters: that from which blocks take tiles, and how many of
/// them are done.
pub(super) struct Words {
    mem: Name,
    /// Whether the last thread block clears them, as a number that is 1 or 0; none if they are always cleared before.
    kept: Option<Expr>,
    tiles: Expr,
    /// What a tile publishes.
    types: Vec<PrimType>,
    /// Whether these are counters.
    counters: bool,
    /// How many words a tile has.
    count: i64,
}

impl Words {
    /// Words in which nothing is published, and which a kernel has cleared.
    pub(super) fn new(t: &mut HostCode, tiles: &Expr, types: &[PrimType], values: TileValues) -> Words {
        let (counters, count) = words_of(types, values);
        let size = add(mul(tiles.clone(), i64(count)), i64(1));
        let mem = t.fresh_array("words", PrimType::I64, size.clone());
        t.fill_zeros(mem, mul(size, i64(2)));
        Words { mem, kept: None, tiles: tiles.clone(), types: types.to_vec(), counters, count }
    }

    /// The same; if they are few, nothing has to be cleared, but [`Words::done`] is to be called in the end.
    pub(super) fn kept(t: &mut HostCode, tiles: &Expr, types: &[PrimType], values: TileValues) -> Words {
        let (counters, count) = words_of(types, values);
        let size = t.let_i64("size", mul(add(mul(tiles.clone(), i64(count)), i64(1)), i64(2)));
        let kept = t.let_i64("kept", select(le(size.clone(), i64(ZEROS)), i64(1), i64(0)));
        let zeros = t.zeros();
        let mem = t.fresh_block("words");
        t.if_else(
            eq(kept.clone(), i64(1)),
            |t| t.emit(Code::SetMem(mem, zeros, Space::Default)),
            |t| {
                t.allocate(mem, PrimType::I32, size.clone());
                t.fill_zeros(mem, size);
            },
        );
        Words { mem, kept: Some(kept), tiles: tiles.clone(), types: types.to_vec(), counters, count }
    }

    /// A thread block has done its tile, which is one of so many: the last one clears what they share, if
    /// that is for it to do. `last` is an `i32` in shared memory.
    pub(super) fn done(&self, t: &mut KernelCode, tiles: &Expr, last: Name) {
        let Some(kept) = &self.kept else { return };
        t.if_then(eq(kept.clone(), i64(1)), |t| {
            t.barrier();
            t.if_then(eq(local(), i64(0)), |t| {
                t.emit(Code::Op(KernelOp::Fence));
                let before = t.temp("before", PrimType::I32);
                self.count_up(t, before, 1);
                let all = eq(t.to_i64(var(before)), sub(tiles.clone(), i64(1)));
                t.store(last, PrimType::I32, i64(0), select(all, i32(1), i32(0)));
            });
            t.barrier();
            let is_last = equal(PrimType::I32, t.element(last, PrimType::I32, i64(0)), i32(1));
            t.if_then(is_last, |t| {
                t.emit(Code::Op(KernelOp::Fence));
                let words = add(mul(self.tiles.clone(), i64(self.count)), i64(1));
                shared_out(t, words, |t, at| t.write_volatile(self.mem, PrimType::I64, at, i64(0)));
            });
        });
    }

    /// Adds one to a counter, and says what it was before.
    fn count_up(&self, t: &mut KernelCode, before: Name, counter: i64) {
        t.emit(Code::Op(KernelOp::Atomic {
            old: Some(before),
            op: AtomicOp::Add,
            mem: self.mem,
            offset: add(mul(self.tiles.clone(), i64(2 * self.count)), i64(counter)),
            elem: PrimType::I32,
            space: Space::Default,
            value: i32(1),
        }));
    }

    pub(super) fn free(self, t: &mut HostCode) {
        t.free_device(self.mem);
    }

    /// What tiles sum up to, from one that has published everything up to its last point to the last one, for
    /// one thread: it looks at one tile after the other. `place` says where the words of a tile are.
    pub(super) fn sum_back(
        &self,
        t: &mut KernelCode,
        ops: &[SegBinOp<Memory>],
        last: Expr,
        place: impl FnOnce(&mut KernelCode, Expr) -> Expr,
    ) -> Vec<Name> {
        let neutral = t.neutrals(ops);
        let before = t.lanes("before", &self.types, neutral);
        let back = t.let_as("back", PrimType::I64, last);
        let any = t.let_as("any", PrimType::Bool, bool(false));
        t.while_(le(i64(0), var(back)), |t| {
            let state = t.temp("state", PrimType::I32);
            let found: Vec<Name> = self.types.iter().map(|ty| t.temp("found", *ty)).collect();
            let there = place(t, var(back));
            self.read(t, &there, &found, state);
            t.if_else(
                equal(PrimType::I32, var(state), i32(PREFIX)),
                |t| t.set_to(back, i64(-1)),
                |t| t.set_to(back, sub(var(back), i64(1))),
            );
            t.if_else(
                var(any),
                |t| t.apply_all(ops, &vars(&found), &vars(&before), &before),
                |t| before.iter().zip(&found).for_each(|(x, y)| t.set_to(*x, var(*y))),
            );
            t.set_to(any, bool(true));
        });
        before
    }

    /// The number of the next tile, for one thread of a block.
    pub(super) fn take_tile(&self, t: &mut KernelCode) -> Name {
        let number = t.temp("number", PrimType::I32);
        self.count_up(t, number, 0);
        number
    }

    /// Publishes a tile's values.
    pub(super) fn publish(&self, t: &mut KernelCode, tile: &Expr, values: &[Name], state: i32) {
        let mut row = 0;
        for (ty, value) in self.types.iter().zip(values) {
            let bits = t.let_i64("bits", widened(*ty, bits_of(*ty), IntType::I64, var(*value)));
            for piece in 0..pieces(*ty, self.counters) {
                let upper = match piece {
                    0 => shl(bits.clone(), i64(self.state_bits())),
                    _ => binary(BinOp::And(IntType::I64), bits.clone(), i64(!0 << STATE_BITS)),
                };
                let word = binary(BinOp::Or(IntType::I64), upper, i64(i64::from(state)));
                t.write_volatile(self.mem, PrimType::I64, self.place(row, tile), word);
                row += 1;
            }
        }
    }

    /// Waits until a tile has published something: sets `state` to what it is, and `into` to the values.
    pub(super) fn read(&self, t: &mut KernelCode, tile: &Expr, into: &[Name], state: Name) {
        let words: Vec<Name> = (0..self.count).map(|_| t.let_as("word", PrimType::I64, i64(0))).collect();
        t.set_to(state, i32(NONE));
        t.while_(equal(PrimType::I32, var(state), i32(NONE)), |t| {
            for (row, word) in (0..).zip(&words) {
                t.read_volatile(*word, self.mem, PrimType::I64, self.place(row, tile));
            }
            t.set_to(state, self.state_of(words[0]));
            let agree = words[1..].iter().map(|w| equal(PrimType::I32, self.state_of(*w), var(state)));
            if let Some(agree) = agree.reduce(and) {
                t.if_then(not(agree), |t| t.set_to(state, i32(NONE)));
            }
        });
        let mut row = 0;
        for (ty, x) in self.types.iter().zip(into) {
            // Counters may be negative.
            let shift = if self.counters { BinOp::AShr(IntType::I64) } else { BinOp::LShr(IntType::I64) };
            let mut bits = binary(shift, var(words[row]), i64(self.state_bits()));
            row += 1;
            if pieces(*ty, self.counters) > 1 {
                let upper = binary(BinOp::And(IntType::I64), var(words[row]), i64(!0 << STATE_BITS));
                bits = binary(BinOp::Or(IntType::I64), bits, upper);
                row += 1;
            }
            t.set_to(*x, narrowed(*ty, bits_of(*ty), IntType::I64, bits));
        }
    }

    fn place(&self, row: i64, tile: &Expr) -> Expr {
        add(mul(self.tiles.clone(), i64(row)), tile.clone())
    }

    fn state_bits(&self) -> i64 {
        if self.counters {
            STATE_BITS_OF_COUNTER
        } else {
            STATE_BITS
        }
    }

    fn state_of(&self, word: Name) -> Expr {
        let lower = Expr::Conv(ConvOp::ZExt(IntType::I64, IntType::I32), Box::new(var(word)));
        match self.counters {
            true => binary(BinOp::And(IntType::I32), lower, i32((1 << STATE_BITS_OF_COUNTER) - 1)),
            false => lower,
        }
    }
}

/// Whether values are counters, and how many words a tile has.
fn words_of(types: &[PrimType], values: TileValues) -> (bool, i64) {
    let counters = values != TileValues::Same;
    (counters, types.iter().map(|ty| pieces(*ty, counters)).sum())
}

/// How many words a value takes.
fn pieces(ty: PrimType, counters: bool) -> i64 {
    match counters {
        true => 1,
        false => (8 * ty.bytes() as i64 + STATE_BITS - 1) / STATE_BITS,
    }
}

fn shl(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Shl(IntType::I64), a, b)
}
