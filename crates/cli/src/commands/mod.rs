//! The subcommands, one file each.

pub(crate) mod autotune;
pub(crate) mod bench;
pub(crate) mod benchcmp;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod check_syntax;
pub(crate) mod datacmp;
pub(crate) mod dataset;
pub(crate) mod defs;
pub(crate) mod dev;
pub(crate) mod hash;
pub(crate) mod imports;
pub(crate) mod profile;
pub(crate) mod query;
pub(crate) mod run;
pub(crate) mod test;
pub(crate) mod tokens;
