//! Tests of flattening: results are those of the program before.
//!
//! One program, so that little is linked, and a long test keeps one core busy while others use the rest.

mod gpu;
mod multicore;
