//! Messages: JSON with a header that says how long it is.

use serde_json::{json, Value};
use std::io::{self, BufRead, Write};

/// The largest message.
const MAX_BYTES: usize = 64 << 20;

/// Codes of errors that the protocol fixes.
pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
pub(crate) const NOT_INITIALIZED: i64 = -32002;
pub(crate) const REQUEST_CANCELLED: i64 = -32800;
pub(crate) const CONTENT_MODIFIED: i64 = -32801;
pub(crate) const REQUEST_FAILED: i64 = -32803;

/// What was read.
#[derive(Debug)]
pub(crate) enum Incoming {
    Message(Value),
    /// Something that is no message.
    Garbage(String),
}

/// Reads messages. Something that is none is reported, once, and the next header is looked for, which may stand
/// anywhere in a line:
///
/// ```text
/// helloContent-Length: 2
///
/// {}
/// ```
pub(crate) struct Reader<R> {
    input: R,
    /// The length that a header gave before something else was reported.
    length: Option<usize>,
    /// Whether what was read last is no message, and that has been reported.
    lost: bool,
}

/// What says how long a message is.
const LENGTH: &str = "content-length:";

impl<R: BufRead> Reader<R> {
    pub(crate) fn new(input: R) -> Reader<R> {
        Reader { input, length: None, lost: false }
    }

    /// Reads the next message; `None` at the end.
    pub(crate) fn read(&mut self) -> io::Result<Option<Incoming>> {
        let mut length = self.length.take();
        loop {
            let mut line = vec![];
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if line.is_empty() {
                match length {
                    Some(length) => return self.body(length).map(Some),
                    // Empty lines between messages, or after headers that mean nothing.
                    None => continue,
                }
            }
            let at = line.to_ascii_lowercase().rfind(LENGTH);
            if let Some(at) = at {
                length = line[at + LENGTH.len()..].trim().parse().ok();
            }
            let wrong = at.map_or(!is_header(line), |at| at > 0 || length.is_none());
            if wrong && !self.lost {
                (self.lost, self.length) = (true, length);
                return Ok(Some(Incoming::Garbage("a message begins with its length".into())));
            }
        }
    }

    fn body(&mut self, length: usize) -> io::Result<Incoming> {
        if length > MAX_BYTES {
            // Its bytes, if there are any, are read as if they were headers, which they are not.
            self.lost = true;
            return Ok(Incoming::Garbage(format!("a message of {length} bytes")));
        }
        let mut bytes = vec![0; length];
        self.input.read_exact(&mut bytes)?;
        self.lost = false;
        Ok(match serde_json::from_slice(&bytes) {
            Ok(value) => Incoming::Message(value),
            Err(e) => Incoming::Garbage(e.to_string()),
        })
    }
}

/// Whether a line is a header, one that says something else than the length.
fn is_header(line: &str) -> bool {
    let name = line.split_once(':').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// Writes a message.
pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to a request that failed.
pub(crate) fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// A question to the editor.
pub(crate) fn request(id: &str, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A message that wants no answer.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}
