//! Places in source text.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A range of bytes `lo..hi` in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// A span for things that no text stands for.
    pub const NONE: Span = Span { file: FileId(u32::MAX), lo: 0, hi: 0 };

    /// The span `lo..hi` of a file.
    pub fn new(file: FileId, lo: u32, hi: u32) -> Span {
        Span { file, lo, hi }
    }

    /// The place before its first byte, for what is inserted there.
    pub fn start(self) -> Span {
        Span { hi: self.lo, ..self }
    }

    /// The place after its last byte, for what is inserted there.
    pub fn end(self) -> Span {
        Span { lo: self.hi, ..self }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        if self == Span::NONE {
            return other;
        }
        if other == Span::NONE || other.file != self.file {
            return self;
        }
        Span { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// A source text with its line table.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as shown to users.
    pub path: PathBuf,
    /// The whole text.
    pub text: Cow<'static, str>,
    line_starts: OnceLock<Vec<u32>>,
    is_ascii: OnceLock<bool>,
}

impl SourceFile {
    /// Where lines start; found out when first asked for.
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            std::iter::once(0).chain(breaks.map(|(i, _)| i as u32 + 1)).collect()
        })
    }

    /// Line and column, both from 1, the column in characters.
    pub fn line_col(&self, pos: u32) -> (usize, usize) {
        let line = self.line_starts().partition_point(|&s| s <= pos).max(1) - 1;
        let start = self.line_starts()[line] as usize;
        let end = (pos as usize).min(self.text.len());
        // Lines may be long, and places in them many.
        let col = if *self.is_ascii.get_or_init(|| self.text.is_ascii()) {
            end.saturating_sub(start)
        } else {
            self.text.get(start..end).map_or(0, |s| s.chars().count())
        };
        (line + 1, col + 1)
    }

    /// The whole lines that a range of bytes touches, as a range, and the number of the first, from 1.
    pub fn lines(&self, range: Range<usize>) -> (Range<usize>, usize) {
        let starts = self.line_starts();
        let first = starts.partition_point(|&s| s as usize <= range.start).max(1) - 1;
        let after = starts.partition_point(|&s| s as usize <= range.end);
        let end = starts.get(after).map_or(self.text.len(), |&s| s as usize);
        (starts[first] as usize..end, first + 1)
    }

    /// The byte position of a line and column, both from 1.
    pub fn position(&self, line: usize, col: usize) -> Option<u32> {
        let start = *self.line_starts().get(line.checked_sub(1)?)? as usize;
        let rest = &self.text[start..];
        let offset: usize = rest.chars().take(col.saturating_sub(1)).map(char::len_utf8).sum();
        Some((start + offset) as u32)
    }
}

/// All source files of a compilation.
#[derive(Clone, Default, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Cow<'static, str>>) -> FileId {
        self.files.push(SourceFile {
            path: path.into(),
            text: text.into(),
            line_starts: OnceLock::new(),
            is_ascii: OnceLock::new(),
        });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file, if the id is of this map ([`Span::NONE`]'s is not).
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.0 as usize)
    }

    /// All files, in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The path of a file, for messages.
    pub fn path(&self, file: FileId) -> Option<&Path> {
        self.get(file).map(|f| f.path.as_path())
    }

    /// The text under a span.
    pub fn snippet(&self, span: Span) -> &str {
        self.get(span.file).and_then(|f| f.text.get(span.lo as usize..span.hi as usize)).unwrap_or("")
    }

    /// The name of a file as messages print it: nothing in it moves the cursor of a terminal.
    pub fn show_path(path: &Path) -> String {
        let shown = path.display().to_string();
        let escaped = |c: char| match c.is_control() {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        };
        match shown.contains(char::is_control) {
            true => shown.chars().map(escaped).collect(),
            false => shown,
        }
    }

    /// The span as messages print it: `file.fut:3:5-9`, or `file.fut:3:5-4:2` when it crosses lines. As in
    /// the reference compiler's messages, the last column is the one after the text.
    pub fn show(&self, span: Span) -> String {
        let Some(file) = self.get(span.file) else { return "<no location>".into() };
        let (l1, c1) = file.line_col(span.lo);
        let (l2, c2) = file.line_col(span.hi.max(span.lo));
        let path = SourceMap::show_path(&file.path);
        if l1 == l2 {
            format!("{path}:{l1}:{c1}-{c2}")
        } else {
            format!("{path}:{l1}:{c1}-{l2}:{c2}")
        }
    }
}
