//! From core programs whose arrays have places to imperative code.
//!
//! In: a program over `Memory`. Out: an [`fehu_imp::syntax::Program`]: host code, tasks of CPUs, and kernels. Read
//! `translate/state.rs` first, then [`translate`](translate()); `translate/kernel` emits the schedules of kernels. `draft` says how code
//! that is said once for all machines becomes code of one.

#![forbid(unsafe_code)]

mod draft;
mod translate;

pub use translate::{kernel_traces, translate};
