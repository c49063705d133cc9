//! The optimiser: passes over the core IR before memory.
//!
//! In: a program over `Soacs`, as lowering leaves it. Out: an equivalent one in
//! which calls are gone where they cost, every expression is simple, the same
//! thing is computed once, and producers are fused into their consumers.
//!
//! A pass is one file, whose head says what must hold before and what holds
//! after; `driver/pipelines.rs` is the order they run in. Read `simplify.rs` first, then `fusion.rs`.
//!
//! The simplifier, CSE and dead-code removal work on any representation whose
//! bindings carry nothing but types, so flattening can use them too.

#![forbid(unsafe_code)]

pub mod accumulators;
pub mod copies;
pub mod cse;
pub mod dce;
pub mod filter;
pub mod fusion;
pub mod inline;
pub mod invariant;
pub mod mark_consumed;
pub mod operators;
pub mod promises;
pub mod runs;
mod shallow;
pub mod simplify;
pub mod sink;
