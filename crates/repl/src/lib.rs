//! An interactive session: what `fehu repl` and `fehu eval` do, without the terminal.
//!
//! In: lines. Out: an [`Answer`] to each.
//!
//! ```text
//! [0]> def twice x = x + x       (declared)
//! [1]> map twice [1, 2]          [2, 4]
//! [2]> :type twice               i32 -> i32
//! ```
//!
//! A session is a program that grows: the file that was loaded, and each declaration in a module of its own,
//! which is opened, so that it may have the names of earlier ones. To evaluate an expression, what it needs of
//! the program (`declared`), with a definition of its value, is checked, lowered and interpreted; so everything
//! that the language has is there, and an input costs what it uses. The pieces (`pieces`) remember which line each part of the program comes
//! from, so messages are about what the user typed.

#![forbid(unsafe_code)]

mod command;
mod complete;
mod declared;
mod doc;
mod module;
mod pieces;
mod session;
mod stops;

pub use session::{Answer, Problem, Session, Stop};
