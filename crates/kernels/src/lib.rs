//! Passes over flattened programs for GPUs: what kernels are before their arrays have places, and how they
//! run after that.
//!
//! In: a program over `Kernels`, as `flatten::gpu` leaves it. Out: one that the memory passes can give places
//! to, and whose kernels do no work that can be avoided before places are known.
//!
//! - [`opt`] holds what makes kernels faster and can be left out: elements of `iota` computed instead of read
//!   ([`opt::progressions`]), one loop of a thread instead of several ([`opt::fuse_thread_loops`]), scalars
//!   computed on the device ([`opt::single_point`]), arrays laid out as kernels read them ([`opt::layout`]),
//!   maps of scanned values in the scan's own kernel ([`opt::scan_epilogue`]), results that cost less than to
//!   store them computed where they are read ([`opt::recompute`]).
//! - [`schedule`] decides how each kernel runs; it is the last pass over `Memory`, when places are known.
//! - [`jam`] lets threads compute several points that read the same elements.
//! - [`in_order`] makes sums of floats the same in all runs, for programs that ask for it.
//! - [`inside`] gives stencils a body without tests for the edges of the space.
//! - [`settled`] removes reductions of checks that kernels have made.
//! - [`legalise`] expresses what kernels cannot do in terms of what they can; the memory passes rely on it.
//!
//! Each pass is a constant named `PASS` in the file of its name; the order is in `driver/pipelines.rs`.

#![forbid(unsafe_code)]

mod counters;
pub mod in_order;
pub mod inside;
pub mod jam;
pub mod legalise;
pub mod opt;
pub mod schedule;
pub mod settled;
mod strips;
mod sums;
mod turned;
