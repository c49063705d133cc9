//! Tests of the parser: what it makes of texts, and that it makes something of every text.
//!
//! One program, so that little is linked, and a long test keeps one core busy while others use the rest.

mod dump;
mod files;
mod golden;
mod robust;
mod spans;
