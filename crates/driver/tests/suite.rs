//! Tests of the whole compiler as a library. Those that count allocations (`growth`) and those that are files
//! (`ir`) are programs of their own.
//!
//! One program, so that little is linked, and a long test keeps one core busy while others use the rest.

mod blocks;
mod copies;
mod edited;
mod ffi;
mod hostile;
mod mutations;
mod stages;
mod text;
mod trace;
mod types;
