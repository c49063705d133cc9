//! Every array gets a place.
//!
//! In: a program over `Kernels`. Out: one over `Memory`, in which each array
//! says in which block it lives and by which index function (an LMAD: an offset
//! and a stride per dimension). Blocks are values: they are allocated, returned
//! by branches, loops and functions, and freed when nothing refers to them any
//! more. Slices, transpositions and most reshapes are then nothing but other
//! index functions, and updates happen in place.
//!
//! Memory is not semantics: [`erase`] forgets it, and what is left is a valid
//! program over `Kernels` again.
//!
//! Read [`introduce`](introduce()) first; `plan` decides how loops carry their arrays. The passes then need
//! fewer blocks, allocations and copies: loops compute arrays in the place of old ones ([`loops_in_place`]),
//! values are computed where they will end up, which does away with their blocks ([`shortcircuit`]) or in
//! place of what they replace ([`reuse`]), what threads allocate is allocated for all of them before the
//! kernel starts ([`expand`](expand())), rows of threads are interleaved ([`interleave`]), blocks that are
//! not needed at the same time become one ([`merge`]), loops that compute arrays anew use blocks in turns
//! ([`buffers`]), and allocations leave loops ([`hoist`]). In the end it is known how much shared memory each
//! kernel needs ([`shared`]). Last, when nothing reasons about indices any more, divisions cost less
//! ([`divisions`]). What is left to copy and allocate is listed by [`remaining`].

#![forbid(unsafe_code)]

pub mod banks;
mod budget;
pub mod buffers;
mod builder;
mod check;
mod constants;
pub mod dead;
pub mod divisions;
mod erase;
mod expand;
mod foresee;
pub mod hoist;
pub mod interleave;
mod introduce;
pub mod loops_in_place;
pub mod merge;
mod plan;
mod recursion;
pub mod remaining;
mod results;
pub mod reuse;
pub mod shared;
pub mod shortcircuit;
mod slice;
mod tables;
mod within;

pub use check::{check_kernels, CHECK_KERNELS};
pub use erase::erase;
pub use expand::expand;
pub use introduce::introduce;
pub use recursion::{recursive_kernels, ScalarRecursion};
