//! What tools that run programs share: finding programs, making the arguments
//! of their data sets, compiling them, and talking to them as servers.
//!
//! In: paths and test blocks. Out: program files, bytes of arguments, and
//! running [`ServerProcess`]es.

mod find;
mod inputs;
mod server;

pub(crate) use find::find;
pub(crate) use inputs::{file_values, input_bytes};
pub(crate) use server::{ServerProcess, Trouble};
