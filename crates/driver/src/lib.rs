//! From file names to results: reading programs, running the pipelines, and
//! the C compiler. The only crate of the compiler proper that touches files.
//!
//! Start with [`load`], which finds and parses a program's files, and
//! [`front`], which checks them; then [`pipelines`], what happens to a checked program on each back end, and
//! [`mod@generate`], which runs those lists.

#![forbid(unsafe_code)]

pub mod cache;
pub mod cc;
pub mod compile;
pub mod explain;
pub mod explore;
pub mod files;
pub mod front;
pub mod generate;
pub mod hash;
pub mod interpret;
pub mod limits;
pub mod load;
pub mod pipelines;
pub mod prelude;
pub mod structure;
pub mod target;
pub mod times;
