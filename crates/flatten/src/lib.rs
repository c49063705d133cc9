//! From combinators to code that a back end can run.
//!
//! In: a program over `Soacs`. Out: one over `Kernels`. How much of its
//! parallelism is kept depends on the back end:
//!
//! - [`sequential`] keeps none: every combinator becomes a loop.
//!
//! Read `sequential` first.

mod sequential;

pub use sequential::sequential;
