//! A place in the bytes being read, shared by the readers of values, types
//! and test blocks; and the errors that tell such places.

use std::fmt;

/// Malformed input, with the place where it went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What is wrong, in words.
    pub message: String,
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for DataError {}

/// Bytes and a position in them.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) pos: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, pos: 0 }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// Everything from here on.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or(&[])
    }

    /// Steps over a prefix if it comes next.
    pub(crate) fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix.as_bytes());
        if found {
            self.pos += prefix.len();
        }
        found
    }

    /// Steps over the longest run of such bytes.
    pub(crate) fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let len = rest.iter().position(|&b| !accept(b)).unwrap_or(rest.len());
        self.pos += len;
        &rest[..len]
    }

    /// Steps over white space and `--` comments.
    pub(crate) fn skip_space(&mut self) {
        loop {
            self.take_while(|b| b.is_ascii_whitespace() || b == b'\x0b');
            if !self.rest().starts_with(b"--") {
                return;
            }
            self.take_while(|b| b != b'\n');
        }
    }

    /// An error here.
    pub(crate) fn error(&self, message: impl Into<String>) -> DataError {
        self.error_at(self.pos, message)
    }

    /// An error at a position.
    pub(crate) fn error_at(&self, pos: usize, message: impl Into<String>) -> DataError {
        let before = &self.bytes[..pos.min(self.bytes.len())];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&b| b != b'\n').count();
        DataError { line, column, message: message.into() }
    }

    /// What comes next, quoted, for an error message.
    pub(crate) fn describe_next(&self) -> String {
        match self.peek() {
            None => "the end of the input".to_string(),
            Some(_) => {
                let rest = self.rest();
                let word = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
                let text = String::from_utf8_lossy(&rest[..word.clamp(1, 24).min(rest.len())]);
                format!("`{}`", text.escape_debug())
            }
        }
    }
}
