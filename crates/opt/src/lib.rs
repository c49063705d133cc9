//! The optimiser: passes over the core IR, and the runner of pipelines.
//!
//! In: a program over `Soacs`, as lowering leaves it. Out: an equivalent one in
//! which calls are gone where they cost, every expression is simple, the same
//! thing is computed once, and producers are fused into their consumers.
//!
//! A pass is one file, whose head says what must hold before and what holds
//! after. [`pipeline`] is the order they run in; [`pass`] is what a pass is and
//! who watches it run. Read `simplify.rs` first, then `fusion.rs`.
//!
//! The simplifier, CSE and dead-code removal work on any representation whose
//! bindings carry nothing but types, so flattening can use them too.

mod alias;
pub mod copies;
pub mod cse;
pub mod dce;
pub mod filter;
pub mod fusion;
pub mod inline;
pub mod loop_params;
pub mod pass;
pub mod pipeline;
mod shallow;
pub mod simplify;
pub mod sink;

pub use pass::{Decision, Observer, Options, Pass, PassId, Silent};
pub use pipeline::{kernels_pipeline, run, standard_pipeline, Pipeline, Step};
