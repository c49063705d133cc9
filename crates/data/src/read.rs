//! Streams of values, each in text or in binary form.
//!
//! A value whose first character (after white space and comments) is a `b` is
//! binary; no textual value begins with one.

use crate::binary;
use crate::cursor::{Cursor, DataError};
use crate::text;
use crate::value::Value;

/// All the values of a data file.
pub fn read_values(bytes: &[u8]) -> Result<Vec<Value>, DataError> {
    Reader::new(bytes).collect()
}

/// An iterator over the values of a data file; it ends after an error.
#[derive(Debug)]
pub struct Reader<'a> {
    cursor: Cursor<'a>,
    failed: bool,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { cursor: Cursor::new(bytes), failed: false }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Value, DataError>;

    fn next(&mut self) -> Option<Result<Value, DataError>> {
        if self.failed {
            return None;
        }
        self.cursor.skip_space();
        let value = match self.cursor.peek()? {
            b'b' => binary::read_value(&mut self.cursor),
            _ => text::read_value(&mut self.cursor),
        };
        self.failed = value.is_err();
        Some(value)
    }
}

#[cfg(test)]
mod tests;
