//! Which layout a use of an array wants, and when a copy in that layout is worth it.
//!
//! What a copy costs is known: each element is moved twice, at the speed of memory, by one more kernel. What
//! it saves depends on who else uses what a transaction of 32 bytes fetches (times:
//! `notebook/2026-11-19-gpu-mechanisms.md`):
//!
//! - Each thread reads an element or a few, and a block of threads lies along one row of the space (columns
//!   summed or scanned, `a + transpose b`): nobody does in time. Copies save time even where each element is
//!   read once.
//! - A block of threads covers several rows of the space, because these are shorter than a block: the other
//!   rows do. A copy costs more than it saves.
//! - Each thread walks through memory in a loop: its own next reads do, from the first-level cache. A copy
//!   costs more than it saves where each element is read once.
//! - The threads of a block are along a column, and neighbouring blocks along neighbouring columns: these do,
//!   from the second-level cache. A copy costs a little more than it saves
//!   where each element is read once.
//!
//! - All rows of the space read the same elements, a table: each warp does so, whatever the length of rows.
//!   The table is in the first-level cache, but that serves one line at a time.
//!
//! - No dimension of the array is in order (a column of a matrix): the copy itself reads in leaps, and saves nothing
//!   where each element is read once.
//!
//! So for `e` elements, a copy is made from `e / 2` reads on in the first case, never in the second, from `4
//! e` on in the third, from `2.5 e` on in the fourth, and from `2 e` on, at least, in the last; and from 2^20
//! reads on, which cost what a launch does.

use super::access::{Access, Step, Use};
use fehu_analysis::Known;
use fehu_base::tuning::layout;
use fehu_ir::{SubExp, Type};
use std::cmp::Ordering;

/// A layout.
pub(super) struct Wish {
    /// The dimension that is to be innermost.
    pub(super) innermost: usize,
    /// All dimensions, outermost first.
    pub(super) order: Vec<usize>,
    /// The product of these is how often an access is done.
    pub(super) reads: Vec<SubExp>,
    /// How many accesses there are.
    pub(super) accesses: i64,
    /// How many eighths of the array's elements count as reads.
    pub(super) eighths: i64,
    /// The product of these is how many elements a read is from the next thread's.
    pub(super) leap: Vec<SubExp>,
    /// Threads along the innermost dimension of the space, if it matters whether these are many.
    pub(super) across: Option<SubExp>,
}

impl Wish {
    /// Takes another use of the same array into account that wants the same. What is read by fewer loops is too
    /// little to matter.
    pub(super) fn join(&mut self, other: Wish) {
        match self.reads.len().cmp(&other.reads.len()) {
            Ordering::Less => {
                (self.reads, self.accesses, self.eighths) = (other.reads, other.accesses, other.eighths);
            }
            Ordering::Equal => {
                self.accesses += other.accesses;
                self.eighths = self.eighths.min(other.eighths);
            }
            Ordering::Greater => {}
        }
        self.across = self.across.or(other.across);
    }

    /// Whether it is certain that too little of an array of this shape is read: a row or a column of a
    /// matrix, or a part of one, or all of it, but not often enough.
    pub(super) fn is_vain(&self, shape: &[SubExp], known: &Known) -> bool {
        let mut unread: Vec<SubExp> = shape.iter().copied().filter(|n| n.name().is_some()).collect();
        let mut parts = vec![];
        for n in self.reads.iter().filter(|n| n.name().is_some()) {
            match unread.iter().position(|u| u == n) {
                Some(at) => {
                    unread.swap_remove(at);
                }
                None => parts.push(*n),
            }
        }
        for n in parts {
            let Some(at) = unread.iter().position(|u| known.at_most(n, *u)) else { return false };
            unread.swap_remove(at);
        }
        let constant = |all: &[SubExp]| all.iter().filter_map(|n| n.as_i64()).fold(1, i64::saturating_mul);
        let read = constant(&self.reads).saturating_mul(self.accesses).saturating_mul(8);
        !unread.is_empty() || read < constant(shape).saturating_mul(self.eighths)
    }
}

/// The layout that a use of an array wants, if another than the one it has.
pub(super) fn wish(used: &Use, ty: &Type, order: &[usize], dense: bool) -> Option<Wish> {
    let own = order.last().copied().filter(|_| dense);
    let wants: Vec<(usize, &Access)> =
        used.accesses.iter().filter(|a| !a.tiled).filter_map(|a| Some((wanted(a)?, a))).collect();
    let votes = |d: usize| wants.iter().filter(|w| w.0 == d).count();
    let innermost = wants.iter().map(|w| w.0).filter(|d| Some(*d) != own).max_by_key(|d| votes(*d))?;
    let leap = leap(ty, order, innermost);
    let known: Option<i64> = leap.iter().map(|n| n.as_i64()).try_fold(1i64, |all, n| all.checked_mul(n?));
    if own.is_some_and(|own| votes(own) >= votes(innermost)) || known.is_some_and(|n| n < least_leap(ty)) {
        return None;
    }
    if used.turned {
        return None;
    }
    let table = !used.in_block && wants.iter().all(|w| w.1.is_of_table());
    let across = (!table).then_some(used.across);
    if across.and_then(|n| n.as_i64()).is_some_and(|n| n < layout::ROW_THREADS) {
        return None;
    }
    let (_, widest) = wants.iter().filter(|w| w.0 == innermost).max_by_key(|w| w.1.times.len())?;
    let reads = widest.times.clone();
    let last = order.last().copied()?;
    let walks = widest.index.get(last).is_some_and(|i| i.change.walks());
    let order = order.iter().copied().filter(|d| *d != innermost).chain([innermost]).collect();
    let accesses = votes(innermost) as i64;
    let eighths = match (walks, used.in_block) {
        (true, _) => layout::SHARED_EIGHTHS,
        (false, true) => layout::BLOCK_EIGHTHS,
        (false, false) => layout::ALONE_EIGHTHS,
    };
    let eighths = if dense { eighths } else { eighths.max(layout::LEAPING_EIGHTHS) };
    Some(Wish { innermost, order, reads, accesses, eighths, leap, across })
}

/// How many accesses of a use are neither to one element nor to consecutive ones.
pub(super) fn leaps(used: &Use, order: &[usize], dense: bool) -> usize {
    let own = order.last().copied().filter(|_| dense);
    let in_order = |a: &Access| {
        a.index.iter().all(|i| i.step == Step::Same) || wanted(a).is_some_and(|d| Some(d) == own)
    };
    used.accesses.iter().filter(|a| !in_order(a)).count()
}

/// Where an access moves from one thread to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    /// It does not.
    Nothing,
    /// By one, along a dimension of the array.
    Dim(usize),
    /// By more, or along several, or it is not known.
    Several,
}

/// Where an access moves.
pub(super) fn step(access: &Access) -> Along {
    let mut found = Along::Nothing;
    for (d, index) in access.index.iter().enumerate() {
        match index.step {
            Step::Same => {}
            Step::Next if found == Along::Nothing => found = Along::Dim(d),
            Step::Next | Step::Leap => return Along::Several,
        }
    }
    found
}

/// The dimension that would have to be innermost for an access to be one transaction, if that helps.
fn wanted(access: &Access) -> Option<usize> {
    match step(access) {
        Along::Dim(d) => Some(d),
        Along::Nothing | Along::Several => None,
    }
}

/// The sizes of the dimensions inside of one, in memory.
fn leap(ty: &Type, order: &[usize], dim: usize) -> Vec<SubExp> {
    order.iter().rev().take_while(|d| **d != dim).filter_map(|d| ty.shape().get(*d).copied()).collect()
}

/// The fewest elements of a type that are a leap.
pub(super) fn least_leap(ty: &Type) -> i64 {
    ty.elem().map_or(1, |e| layout::LEAP_BYTES / e.bytes().max(1) as i64)
}
