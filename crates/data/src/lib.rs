//! Values outside of programs: how they are written, read, compared and
//! generated, how test cases in program comments name them, and how one talks
//! to a compiled program that holds them.
//!
//! *In* come bytes of data files, comments of Futhark programs, and the lines
//! a server executable prints. *Out* go [`Value`]s, [`ProgramSpec`]s and typed
//! answers; and the other way around, text and bytes. Nothing here touches
//! files or processes: callers bring bytes, readers and writers.
//!
//! Start with [`value`], which is what everything else produces or consumes:
//! a rectangular array (or a scalar, of rank 0) of one scalar type, stored
//! flat. Then, in any order:
//!
//! - [`read`]: a stream of values in text ([`text`]) or binary ([`binary`])
//!   form, each value in its own;
//! - [`gzip`]: data files that are compressed;
//! - [`compare`]: whether a result is what was expected, floats with a
//!   tolerance, and where it is not;
//! - [`generate`]: the type notation `[10][20]i32`, and random values of it;
//! - [`spec`]: the `-- ==` blocks in which programs carry their tests;
//! - [`script`]: the language in which arguments of tests can be computed;
//! - [`server`]: the client of the line protocol of server executables;
//! - [`stats`]: what the times of their runs say.
//!
//! Input is never trusted: a header that promises more elements than there
//! are bytes is an error before it is an allocation, nesting is counted and
//! not recursed into, and every error says where ([`DataError`]).

#![forbid(unsafe_code)]

pub mod binary;
pub mod compare;
mod cursor;
pub mod generate;
pub mod gzip;
mod literal;
pub mod read;
pub mod script;
pub mod server;
pub mod spec;
pub mod stats;
pub mod text;
pub mod value;

pub use compare::{compare, Mismatch, Tolerance};
pub use cursor::DataError;
pub use literal::Number;
pub use read::{read_values, Reader};
pub use spec::ProgramSpec;
pub use value::{Data, Value, ValueType};
