//! Tools around the compiler: `fehu test`, `fehu dataset`, `fehu datacmp`.
//!
//! In: file names and options. Out: reports on standard output, and whether
//! all went well. Start with [`test`].

pub mod datacmp;
pub mod dataset;
mod programs;
pub mod test;
