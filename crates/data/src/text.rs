//! The textual form: literals with type suffixes, nested brackets, strings
//! for arrays of characters, and `empty([0][3]i32)` for arrays without
//! elements.

mod parse;
mod print;

pub(crate) use parse::{is_possible, read_test_value, read_value, read_wanted, Wanted};
pub(crate) use print::write_element;
pub use print::{write_text, Layout};
