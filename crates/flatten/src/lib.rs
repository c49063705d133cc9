//! From combinators to code that a back end can run.
//!
//! In: a program over `Soacs`. Out: one over `Kernels`. How much of its
//! parallelism is kept depends on the back end:
//!
//! - [`sequential`] keeps none: every combinator becomes a loop.
//! - [`multicore`] keeps the outermost of it, and what is inside where that is too little.
//! - [`gpu`] keeps all of it, in several versions: incremental flattening. [`few_points`], [`joined_rows`],
//!   [`branch_elements`] and [`irregular`] come before it, for maps whose few points do different things, for
//!   rotations of matrices, for branches that return rows and for nests whose inner sizes differ;
//!   [`serialise_on_host`] is for what no kernel can run. [`tuning_forest`] lists the thresholds that choose
//!   among them.
//!
//! Read `sequential` first, then `multicore`, then `gpu`, whose rules each have a file.

#![forbid(unsafe_code)]

pub mod branch_elements;
pub mod few_points;
mod gpu;
pub mod irregular;
pub mod joined_rows;
mod multicore;
mod scan_and_reduce;
mod sequential;

pub use gpu::{gpu, serialise_on_host, tuning_forest, GpuOptions};
pub use multicore::{multicore, MulticoreOptions};
pub use sequential::sequential;
