//! Changes of a manifest that leave the rest of its text alone.

use super::read::{pieces, Kind};
use super::{Entry, Manifest, Require};
use crate::path::PkgPath;
use std::fmt::Write;
use std::ops::Range;

impl Manifest {
    /// The manifest with a requirement, which replaces one of the same package.
    pub fn with(mut self, require: Require) -> Manifest {
        let shown = require.to_string();
        if let Some(at) = self.requires.iter().position(|e| e.require.path == require.path) {
            let place = self.requires[at].place.clone();
            self.splice(place.clone(), &shown);
            self.requires[at] = Entry { require, place: place.start..place.start + shown.len() };
            return self;
        }
        let close = match &self.braces {
            Some(braces) => braces.end - 1,
            None => self.append_braces(),
        };
        // The closing brace moves to a line of its own, if it has none yet.
        let blank = self.text[..close].len() - self.text[..close].trim_end_matches([' ', '\t']).len();
        let start = close - blank;
        let own_line = start == 0 || self.text[..start].ends_with('\n');
        let before = if own_line { "  " } else { "\n  " };
        self.splice(start..close, &format!("{before}{shown}\n"));
        let at = start + before.len();
        self.requires.push(Entry { require, place: at..at + shown.len() });
        self
    }

    /// The manifest without a requirement. A comment behind it stays.
    pub fn without(mut self, path: &PkgPath) -> Manifest {
        while let Some(at) = self.requires.iter().position(|e| e.require.path == *path) {
            let place = self.requires[at].place.clone();
            let line = self.text[..place.start].rfind('\n').map_or(0, |i| i + 1);
            let end = self.text[place.end..].find('\n').map_or(self.text.len(), |i| place.end + i + 1);
            let before = self.text[line..place.start].trim().is_empty();
            let after = self.text[place.end..end].trim().is_empty();
            let blank = self.text[place.end..end].len() - self.text[place.end..end].trim_start().len();
            let gone = match (before, after) {
                (true, true) => line..end,
                (true, false) => place.start..place.end + blank,
                (false, _) => self.text[..place.start].trim_end().len()..place.end,
            };
            self.requires.remove(at);
            self.splice(gone, "");
        }
        self
    }

    /// The text in the usual layout, with all comments.
    pub fn formatted(&self) -> String {
        let mut out = String::new();
        let (mut word, mut inside) = (0, false);
        let mut entries = self.requires.iter().peekable();
        for piece in pieces(&self.text) {
            let text = &self.text[piece.place.clone()];
            if entries
                .peek()
                .is_some_and(|e| piece.place.start > e.place.start && piece.place.end <= e.place.end)
            {
                if piece.kind == Kind::Comment {
                    // Between a path and its version: it follows the requirement.
                    let _ = writeln!(out, "  {}", text.trim_end());
                }
                if entries.peek().is_some_and(|e| piece.place.end == e.place.end) {
                    entries.next();
                }
                continue;
            }
            match piece.kind {
                Kind::Comment => {
                    let indent = if inside { "  " } else { "" };
                    let _ = writeln!(out, "{indent}{}", text.trim_end());
                }
                Kind::Open => inside = true,
                Kind::Close => {
                    inside = false;
                    out.push_str("}\n");
                }
                Kind::Word if inside => {
                    if let Some(entry) = entries.peek() {
                        let _ = writeln!(out, "  {}", entry.require);
                    }
                }
                Kind::Word if text == "require" && (word != 1 || self.package.is_none()) => {
                    out.push_str("require {\n");
                }
                Kind::Word => {
                    if word == 1 {
                        let _ = write!(out, "package {text}\n\n");
                    }
                }
            }
            word += usize::from(piece.kind == Kind::Word);
        }
        if self.braces.is_none() {
            out.push_str("require {\n}\n");
        }
        out
    }

    /// Adds an empty `require` to the end; where its closing brace is.
    fn append_braces(&mut self) -> usize {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let open = self.text.len() + "require ".len();
        self.text.push_str("require {\n}\n");
        let close = self.text.len() - 1;
        self.braces = Some(open..close);
        close - 1
    }

    /// Replaces a part of the text; the places behind it move.
    fn splice(&mut self, part: Range<usize>, new: &str) {
        let moved = |at: usize| if at >= part.end { at - part.len() + new.len() } else { at };
        for entry in &mut self.requires {
            if entry.place.start >= part.end {
                entry.place = moved(entry.place.start)..moved(entry.place.end);
            }
        }
        if let Some(braces) = &mut self.braces {
            *braces = moved(braces.start)..moved(braces.end);
        }
        self.text.replace_range(part, new);
    }
}
