//! From core programs whose arrays have places to imperative code.
//!
//! In: a program over `Memory`. Out: an [`fehu_imp::syntax::Program`]: host code, tasks of CPUs, and kernels. Read
//! `translate/state.rs` first, then [`translate`](translate()); `translate/kernel` emits the schedules of kernels, and
//! `translate/machine.rs` says how machines differ where the same is to be done.

#![forbid(unsafe_code)]

mod translate;

pub use translate::{kernel_traces, translate};
