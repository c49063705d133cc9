//! Tools around the compiler: `fehu test`, `fehu bench`, `fehu dataset` and friends.
//!
//! In: file names and options. Out: reports on standard output, and whether
//! all went well. Start with [`test`].

#![forbid(unsafe_code)]

pub mod autotune;
pub mod bench;
pub mod benchcmp;
pub mod datacmp;
pub mod dataget;
pub mod dataset;
pub mod literate;
pub(crate) mod media;
pub mod output;
pub mod profile;
pub mod programs;
pub mod script;
pub mod test;
pub mod threads;
