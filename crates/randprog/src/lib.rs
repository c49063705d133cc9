//! Random programs, and what they are good for: every stage and every back end must agree on what they mean.
//!
//! *In* comes a seed. *Out* come programs that are right by construction, their arguments, and faults: stages or back
//! ends that give another answer than the interpreter gives right after lowering. A fault is shrunk to a small program.
//!
//! Start with [`program`], which makes programs out of decisions ([`choices`]), of everything or mostly of
//! one thing ([`focus`]). [`stages`] compares stages in the interpreter, [`backends`] compares back ends by
//! compiling many programs at once, [`pack`] writes what another machine needs to compare a GPU, and
//! [`shrink`] makes what fails small. `cargo xtask random` is the command around it. [`fuzz`] is about what
//! is not a program at all: any bytes.

#![forbid(unsafe_code)]

mod arrays;
pub mod backends;
pub mod choices;
mod control;
mod decs;
mod derivatives;
pub mod focus;
pub mod fuzz;
mod inplace;
mod lengths;
mod maker;
mod operators;
pub mod outcome;
pub mod pack;
mod points;
pub mod program;
mod rearrange;
mod scalars;
pub mod shrink;
pub mod stages;
mod types;
mod updates;
