//! What is known of a program: facts about its integers, which blocks may be one, and what statements read and write.
//!
//! In: programs of the core IR, as they are. Out: side tables and answers; nothing here changes a program. Passes ask:
//!
//! - [`Known`] collects, once per function, what scalars stand for, which conditions hold where, and the
//!   ranges of indices. It gives [`Facts`](fehu_algebra::Facts) for a place in the program, to be used in
//!   questions about index functions.
//! - [`Magnitudes`](magnitude::Magnitudes) says which integers are not negative, whatever wraps around.
//! - [`Constants`] says which constants of the program a function has to know.
//! - [`Callees`] says which arguments functions only read.
//! - [`Blocks`] says which names of memory blocks may stand for the same memory.
//! - [`accesses`](access::accesses) lists what a statement reads and writes by itself, as index functions
//!   into blocks; and [`Order`](order::Order) adds them up over statements, loops and parallel operations, to
//!   tell whether an array may be moved.
//! - [`Conditions`](conditions::Conditions) are truth tables: which conditions are the same, or never hold together.
//! - [`OwnReads`](own_reads::OwnReads) are elements that threads of a block read again and again.
//! - [`operator`] says what operators of reductions and histograms are made of, [`polynomial`] which scalars
//!   are polynomials of others, and [`recursion`] which functions call themselves.
//!
//! ```text
//! let (c : bool) = slt_i64(i, n)            Known: within this body, i < n
//! let (e : unit) = assert(c, ...)
//! let (m : mem) = if b then {p} else {q}    Blocks: m may be p, or q
//! let (x : i32) = <e> ys[i]                 accesses: reads i + {} of the block of ys
//! ```
//!
//! Everything is sound but incomplete: what is not said may still be so.

#![forbid(unsafe_code)]

pub mod access;
mod blocks;
mod callees;
pub mod conditions;
mod constants;
mod known;
pub mod magnitude;
pub mod operator;
pub mod order;
pub mod own_reads;
pub mod polynomial;
pub mod recursion;

pub use blocks::Blocks;
pub use callees::Callees;
pub use constants::Constants;
pub use known::{remainder_of, Known};
