//! From core programs whose arrays have places to imperative code.
//!
//! In: a program over `Memory`. Out: an [`fehu_imp::syntax::Program`]: host code, tasks of CPUs, and kernels. Read
//! [`translate`](translate()) first; `translate/kernel` emits the schedules of kernels.

#![forbid(unsafe_code)]

mod draft;
mod translate;

pub use translate::{kernel_traces, translate};
