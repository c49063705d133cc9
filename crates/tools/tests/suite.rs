//! Tests of the tools: what they make of programs, data and results.
//!
//! One program, so that little is linked, and a long test keeps one core busy while others use the rest.

mod autotune;
mod bench;
mod multicore;
mod programs;
