//! Passes over the imperative IR, and what printers must know of it.
//!
//! In: an [`fehu_imp::syntax::Program`] as `impgen` made it. Out: the same program, improved and annotated, and its
//! [`Analysis`]. `driver/pipelines.rs` says which passes run where, and why there.
//!
//! | pass | for | what it does |
//! | --- | --- | --- |
//! | [`loops`] | CPUs | loops in an order and a shape that C compilers make vector code of |
//! | [`range_checks`] | CPUs | whether an index is within bounds takes one comparison |
//! | [`offsets`] | CPUs | offsets of elements say how they depend on the counters of loops |
//! | [`outline`] | CPUs | loops that write memory of their own become functions that say so |
//! | [`leave`] | GPUs | threads of a block ask whether one has failed only where one may have |
//! | [`own_elements`] | GPUs | arrays of blocks of which each thread only touches its own element are variables |
//! | [`late_awaits`] | CUDA | threads wait for what they copy to shared memory where they need it |
//! | [`barriers`] | GPUs | two barriers with nothing between them become one |
//! | [`device_loops`] | GPUs | loops over single elements are kernels of one thread |
//! | [`device_scalars`] | GPUs | scalars that only kernels need are not read by the host |
//! | [`late_reads`] | CUDA | the host waits for what it reads of the device when it needs it |
//! | [`host_results`] | CUDA | kernels write the few bytes that only the host reads to its memory |
//! | [`divisors`] | GPUs | kernels multiply by inverses of floats that all threads divide by |
//! | [`quotients`] | GPUs | such divisions, one after the other, ask once whether one of them is to be a division |
//! | [`restrict`] | GPUs | kernels say which of their blocks are different memory |
//! | [`bits`] | GPUs | loops over the bits of a word shift the word |
//! | [`walks`] | GPUs | threads that walk along rows of their own, or along the same row, read several elements at a time; on CUDA, warps read and write rows together |
//! | [`read_ahead`] | GPUs | loops with checks read several elements before they wait for one |
//! | [`prefetch`] | GPUs | loops of thread blocks read some iterations before they need it what does not depend on the loop |
//! | [`while_pieces`] | CUDA | `while` loops of few operations do several iterations before they ask whether one was the last |
//! | [`unroll`] | GPUs | short loops of kernels are marked for their compiler to unroll |
//! | [`checks`] | GPUs | checks of kernels get numbers, and the host their messages |
//! | [`equal_kernels`] | GPUs | kernels that do the same have the same tuning parameters, and so the same text |
//! | [`parts`] | GPUs | long functions of the host become several |

#![forbid(unsafe_code)]

pub mod allocation_sizes;
pub mod analysis;
pub mod barriers;
pub mod bits;
mod borrowed;
pub mod checks;
mod data_dependent;
pub mod device_loops;
pub mod device_scalars;
pub mod divisors;
pub mod equal_kernels;
pub mod host_results;
mod instead;
pub mod kernel_facts;
pub mod late_awaits;
pub mod late_reads;
pub mod leave;
pub mod loops;
pub mod offsets;
pub mod outline;
pub mod own_elements;
pub mod parts;
pub mod prefetch;
pub mod quotients;
pub mod range_checks;
pub mod read_ahead;
mod recursion;
pub mod restrict;
pub mod unroll;
pub mod usage;
pub mod walks;
pub mod while_pieces;

pub use analysis::{Analysis, Memory};
