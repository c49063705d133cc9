//! Tests of the checker: errors as users see them, and sizes.
//!
//! One program, so that little is linked, and a long test keeps one core busy while others use the rest.

mod errors;
mod sizes;
