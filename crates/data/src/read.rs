//! Streams of values, each in text or in binary form.
//!
//! A value whose first character (after white space and comments) is a `b` is
//! binary; no textual value begins with one.

use crate::binary;
use crate::cursor::{Cursor, DataError};
use crate::text::{self, Wanted};
use crate::value::Value;
use fehu_base::prim::ScalarType;

/// All the values of a data file.
pub fn read_values(bytes: &[u8]) -> Result<Vec<Value>, DataError> {
    Reader::new(bytes).collect()
}

/// Reads the values of a data file one after the other: as an iterator, which ends after an error, whatever
/// there is; or values of given types, as compiled programs do.
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

    /// Reads a value of so many dimensions and this type of elements; numbers without a suffix are of that type.
    pub fn value_of(&mut self, elem: ScalarType, rank: usize) -> Result<Value, DataError> {
        self.value(Wanted { elem: Some(elem), rank: Some(rank), ..Wanted::default() })
    }

    /// Whether there are no more values.
    pub fn at_end(&mut self) -> bool {
        self.cursor.skip_space();
        self.cursor.peek().is_none()
    }

    fn value(&mut self, wanted: Wanted) -> Result<Value, DataError> {
        self.cursor.skip_space();
        match self.cursor.peek() {
            Some(b'b') => binary::read_value(&mut self.cursor, wanted),
            _ => text::read_wanted(&mut self.cursor, wanted),
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Value, DataError>;

    fn next(&mut self) -> Option<Result<Value, DataError>> {
        if self.failed || self.at_end() {
            return None;
        }
        let value = self.value(Wanted::default());
        self.failed = value.is_err();
        Some(value)
    }
}

#[cfg(test)]
mod tests;
