//! Rounds of work that threads take from a queue, because some take longer than others.
//!
//! A grid of many small thread blocks has a queue, too: the device starts a block where another has ended.
//! But a block ends when its slowest warp does, and until then the places of all others are empty. Here the
//! grid is as large as the device runs at a time, and each *taker* (a warp, or a thread block where threads
//! exchange values through shared memory) takes the next rounds when it has done some.
//!
//! All takes go through one counter, which takes tens of thousands of additions in the time of a kernel, not
//! millions. So the first takes have many rounds, and those that come later have fewer, as *factoring* does
//! it (Hummel, Schonberg and Flynn, 1992): as many takes as there are takers have equal parts of half of all
//! rounds; as many then have half of that each, and so on, down to one round. Which rounds a take has follows
//! from its number:
//!
//! ```text
//! 3 takers, 20 rounds     take    0     1     2      3       4       5       6       7
//!                         rounds  0..4  4..8  8..12  12..14  14..16  16..18  18..19  19..20
//! ```
//!
//! No round belongs to a taker before it asks: if registers are short, some thread blocks start when others
//! have ended, and find the queue empty.
//!
//! The counter is a zero of the block of zeros. The block of threads that ends last makes it zero again.

use crate::translate::state::{HostCode, KernelCode};
use fehu_base::device::WARP_THREADS;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::{AtomicOp, Code, Direction, Expr, KernelOp};
use fehu_ir::schedule::Exchange;
use fehu_ir::Space;

/// Which of the zeros counts takes.
const TAKES: i64 = 0;

/// Which of them counts thread blocks that have ended.
const ENDED: i64 = 1;

/// A queue, as the host knows it.
pub(super) struct Queue {
    rounds: Expr,
    /// Thread blocks of the grid.
    pub(super) blocks: Expr,
    takers: Expr,
    /// Rounds of a first take.
    first: Expr,
    zeros: Name,
    exchange: Exchange,
}

/// Threads of a taker.
pub(super) fn taker_threads(exchange: Exchange, block: &Expr) -> Expr {
    match exchange {
        Exchange::Shuffles => i64(WARP_THREADS),
        Exchange::SharedMemory => block.clone(),
    }
}

impl Queue {
    /// A queue of so many rounds, for at most so many thread blocks of a given size.
    pub(super) fn new(t: &mut HostCode, rounds: Expr, most: Expr, size: &Expr, exchange: Exchange) -> Queue {
        let rounds = t.let_i64("rounds", rounds);
        let in_block = quot(size.clone(), taker_threads(exchange, size));
        let useful = quot_up(rounds.clone(), in_block.clone());
        let blocks = t.let_i64("blocks", min(most, useful));
        let takers = t.let_i64("takers", mul(blocks.clone(), in_block));
        let first = quot_up(rounds.clone(), max(i64(1), mul(takers.clone(), i64(2))));
        let first = t.let_i64("first", first);
        Queue { rounds, blocks, takers, first, zeros: t.zeros(), exchange }
    }

    /// Runs code for each round that the thread's taker takes. All threads of a taker run it together.
    pub(super) fn each(&self, t: &mut KernelCode, body: impl FnOnce(&mut KernelCode, Expr)) {
        let taken = match self.exchange {
            Exchange::Shuffles => None,
            Exchange::SharedMemory => Some(t.shared_array("taken", PrimType::I32, i64(1))),
        };
        // Takes before `before` have all rounds up to `done`. Those from there on, as many as there are
        // takers, have `size` rounds each.
        let before = t.let_as("before", PrimType::I64, i64(0));
        let done = t.let_as("done", PrimType::I64, i64(0));
        let size = t.let_as("size", PrimType::I64, self.first.clone());
        let start = t.let_as("start", PrimType::I64, i64(0));
        let next = self.next(t);
        self.take(t, next, taken, start, (before, done, size));
        t.while_(lt(var(start), self.rounds.clone()), |t| {
            // Nothing of the next take is needed until the rounds of this one are done.
            let next = self.next(t);
            let rounds = min(var(size), sub(self.rounds.clone(), var(start)));
            let rounds = t.let_i64("rounds", rounds);
            t.for_up_to("round", rounds, |t, round| {
                let round = t.let_i64("round", add(var(start), round));
                let known = t.in_kernel.flats.len();
                body(t, round);
                t.in_kernel.flats.truncate(known);
            });
            self.take(t, next, taken, start, (before, done, size));
        });
        t.barrier();
        t.if_then(eq(local(), i64(0)), |t| {
            t.emit(Code::Op(KernelOp::Fence));
            let ended = t.temp("ended", PrimType::I32);
            self.count(t, ENDED, ended);
            let ended = t.to_i64(var(ended));
            t.if_then(eq(ended, sub(grid_size(), i64(1))), |t| {
                t.store(self.zeros, PrimType::I32, i64(TAKES), i32(0));
                t.store(self.zeros, PrimType::I32, i64(ENDED), i32(0));
            });
        });
    }

    /// The number of the next take, which the first thread of the taker gets.
    fn next(&self, t: &mut KernelCode) -> Name {
        let next = t.let_as("next", PrimType::I32, i32(0));
        t.if_then(self.leads(), |t| self.count(t, TAKES, next));
        next
    }

    /// Whether a thread is the first of its taker.
    fn leads(&self) -> Expr {
        match self.exchange {
            Exchange::Shuffles => eq(bits(local(), i64(WARP_THREADS - 1)), i64(0)),
            Exchange::SharedMemory => eq(local(), i64(0)),
        }
    }

    /// Sets the first round of a take, of which the first thread of the taker knows the number.
    fn take(
        &self,
        t: &mut KernelCode,
        next: Name,
        taken: Option<Name>,
        start: Name,
        (before, done, size): (Name, Name, Name),
    ) {
        let next = match taken {
            None => t.shuffle(&[PrimType::I32], &[next], Direction::First, 0)[0],
            Some(taken) => {
                t.if_then(self.leads(), |t| t.store(taken, PrimType::I32, i64(0), var(next)));
                t.barrier();
                let next = t.element(taken, PrimType::I32, i64(0));
                let next = t.let_as("next", PrimType::I32, next);
                t.barrier();
                next
            }
        };
        let next = t.to_i64(var(next));
        let next = t.let_i64("take", next);
        t.while_(le(add(var(before), self.takers.clone()), next.clone()), |t| {
            t.set_to(before, add(var(before), self.takers.clone()));
            t.set_to(done, add(var(done), mul(self.takers.clone(), var(size))));
            t.set_to(size, max(i64(1), quot(var(size), i64(2))));
        });
        t.set_to(start, add(var(done), mul(sub(next, var(before)), var(size))));
    }

    /// Adds one to a counter, and sets a variable to what it was.
    fn count(&self, t: &mut KernelCode, counter: i64, old: Name) {
        t.emit(Code::Op(KernelOp::Atomic {
            old: Some(old),
            op: AtomicOp::Add,
            mem: self.zeros,
            offset: i64(counter),
            elem: PrimType::I32,
            space: Space::Default,
            value: i32(1),
        }));
    }
}
