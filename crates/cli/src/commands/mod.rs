//! The subcommands, one file each.

pub(crate) mod autotune;
pub(crate) mod bench;
pub(crate) mod benchcmp;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod check_syntax;
pub(crate) mod completions;
pub(crate) mod datacmp;
pub(crate) mod dataget;
pub(crate) mod dataset;
pub(crate) mod defs;
pub(crate) mod dev;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod hash;
pub(crate) mod imports;
pub(crate) mod new;
pub(crate) mod profile;
pub(crate) mod query;
pub(crate) mod run;
pub(crate) mod script;
pub(crate) mod test;
pub(crate) mod thanks;
pub(crate) mod tokens;
pub(crate) mod watch;
