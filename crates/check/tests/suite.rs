//! Tests of the checker: errors as users see them, sizes, and when sizes are equal.
//!
//! One program, so that little is linked, and a long test keeps one core busy while others use the rest.

mod equal;
mod errors;
mod sizes;
