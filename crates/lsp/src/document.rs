//! Texts that are open in the editor, and places in them.
//!
//! The protocol counts lines from 0, and in a line the 16-bit units of UTF-16, or bytes if editor and server agree on
//! that.

use serde_json::{json, Value};
use std::path::PathBuf;

/// What columns count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    /// How long a text is.
    pub(crate) fn units(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        }
    }
}

/// A text with its lines.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Text {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Text { text, starts }
    }

    fn line(&self, line: usize) -> &str {
        let start = self.starts.get(line).copied().unwrap_or(self.text.len());
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// The byte at a position; positions that are not there are moved to the nearest that is.
    pub(crate) fn offset(&self, position: &Value, encoding: Encoding) -> usize {
        let number = |name: &str| position[name].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let (line, column) = (number("line"), number("character"));
        let Some(start) = self.starts.get(line) else { return self.text.len() };
        let mut units = 0;
        for (i, c) in self.line(line).char_indices() {
            if units >= column {
                return start + i;
            }
            units += match encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
        }
        start + self.line(line).len()
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> Value {
        let (line, character) = self.line_column(offset, encoding);
        json!({"line": line, "character": character})
    }

    /// The line and column of a byte.
    pub(crate) fn line_column(&self, offset: usize, encoding: Encoding) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|s| *s <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        (line, encoding.units(before))
    }

    /// A range of bytes.
    pub(crate) fn range(&self, lo: usize, hi: usize, encoding: Encoding) -> Value {
        json!({"start": self.position(lo, encoding), "end": self.position(hi, encoding)})
    }

    /// The text after the changes of a notification.
    pub(crate) fn changed(&self, changes: &Value, encoding: Encoding) -> Text {
        let mut text = self.clone();
        for change in changes.as_array().into_iter().flatten() {
            let new = change["text"].as_str().unwrap_or("");
            // Some editors say `null` for the whole text.
            text = match change.get("range").filter(|r| !r.is_null()) {
                Some(range) => {
                    let lo = text.offset(&range["start"], encoding);
                    let hi = text.offset(&range["end"], encoding).max(lo);
                    let mut whole = text.text.clone();
                    whole.replace_range(lo..hi, new);
                    Text::new(whole)
                }
                None => Text::new(new.to_owned()),
            };
        }
        text
    }
}

/// The file of a URI; only files are known.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.find('/').map(|at| &rest[at..])?;
    let mut bytes = vec![];
    let mut left = path.bytes();
    while let Some(b) = left.next() {
        bytes.push(match b {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            b => b,
        });
    }
    Some(fehu_driver::load::normalise(&PathBuf::from(String::from_utf8(bytes).ok()?)))
}

/// The URI of a file.
pub(crate) fn uri_of(path: &std::path::Path) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-._~".contains(&b);
    let text = path.to_string_lossy();
    let encoded: String = text
        .bytes()
        .map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect();
    format!("file://{encoded}")
}

#[cfg(test)]
mod tests {
    use super::{path_of, uri_of, Encoding, Text};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn places_and_back() {
        let text = Text::new("aé😀b\nzwei\n".to_owned());
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            for (offset, _) in text.text.char_indices() {
                assert_eq!(text.offset(&text.position(offset, encoding), encoding), offset);
            }
        }
        assert_eq!(text.position(7, Encoding::Utf16), json!({"line": 0, "character": 4}));
        assert_eq!(text.offset(&json!({"line": 99, "character": 99}), Encoding::Utf16), text.text.len());
        assert_eq!(text.offset(&json!({"line": 0, "character": 99}), Encoding::Utf16), 8);
        assert_eq!(text.offset(&json!("nonsense"), Encoding::Utf16), 0);
    }

    #[test]
    fn changes() {
        let text = Text::new("one\ntwo\n".to_owned());
        let at = |line: u32, character: u32| json!({"line": line, "character": character});
        let changes = json!([
            {"range": {"start": at(0, 1), "end": at(1, 1)}, "text": "XX"},
            {"range": {"start": at(0, 0), "end": at(0, 0)}, "text": "> "},
        ]);
        assert_eq!(text.changed(&changes, Encoding::Utf16).text, "> oXXwo\n");
        assert_eq!(text.changed(&json!([{"text": "all"}]), Encoding::Utf16).text, "all");
        let wrong = json!([{"range": {"start": at(5, 5), "end": at(0, 0)}, "text": "!"}]);
        assert_eq!(text.changed(&wrong, Encoding::Utf16).text, "one\ntwo\n!");
    }

    #[test]
    fn uris() {
        assert_eq!(path_of("file:///a%20b/%C3%A9.fut").as_deref(), Some(Path::new("/a b/é.fut")));
        assert_eq!(uri_of(Path::new("/a b/é.fut")), "file:///a%20b/%C3%A9.fut");
        for wrong in ["", "http://x/y", "file:", "file:///a%", "file:///%zz", "untitled:1"] {
            assert_eq!(path_of(wrong), None, "{wrong}");
        }
    }
}
