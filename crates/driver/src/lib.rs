//! From file names to results: reading programs, running the pipelines, and
//! the C compiler. The only crate of the compiler proper that touches files.
//!
//! Start with [`load`], which finds and parses a program's files, and
//! [`front`], which checks them.

pub mod cache;
pub mod cc;
pub mod compile;
pub mod front;
pub mod load;
pub mod pipeline;
pub mod times;
