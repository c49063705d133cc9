//! What tools that run programs share: making the arguments of their data sets, compiling them, and talking to them
//! as servers.
//!
//! In: paths and test blocks. Out: program files, bytes of arguments, and
//! running [`ServerProcess`]es on which [`Call`]s are made.

mod call;
mod compile;
mod inputs;
pub(crate) mod script;
pub(crate) mod select;
mod server;
pub(crate) mod show;
pub(crate) mod tuning;

pub(crate) use call::transparent_type;
pub use call::Call;
pub(crate) use compile::{in_parallel, rendered, Compiled, Compiler};
pub(crate) use inputs::{beside, file_values, input_bytes, ArgumentsFile, Maker};
pub use server::{Connection, ServerProcess, Trouble};
