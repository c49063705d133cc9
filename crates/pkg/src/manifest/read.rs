//! Text to [`Manifest`].

use super::{Entry, Manifest, Require};
use crate::path::PkgPath;
use crate::version::{is_hash, Version};
use fehu_base::{Diagnostic, FileId, Span};
use std::ops::Range;

/// What a manifest is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    Open,
    Close,
    /// `--` to the end of the line.
    Comment,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) place: Range<usize>,
}

/// Splits a text into words, braces and comments.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, len) = match c {
            _ if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '{' => (Kind::Open, 1),
            '}' => (Kind::Close, 1),
            _ if rest.starts_with("--") => (Kind::Comment, rest.find(['\n', '\r']).unwrap_or(rest.len())),
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}');
                (Kind::Word, rest.find(ends).unwrap_or(rest.len()))
            }
        };
        found.push(Piece { kind, place: at..at + len });
        at += len;
    }
    found
}

/// Reads a manifest.
pub(super) fn read(file: FileId, text: String) -> Result<Manifest, Box<Diagnostic>> {
    let pieces: Vec<Piece> = pieces(&text).into_iter().filter(|p| p.kind != Kind::Comment).collect();
    let mut reader = Reader { file, text: &text, pieces: &pieces, at: 0 };
    let package = if reader.eat_word("package") { Some(reader.path()?) } else { None };
    let mut requires = vec![];
    let mut braces = None;
    if reader.eat_word("require") {
        let open = reader.expect(Kind::Open, "'{'")?.start;
        while !reader.is_at(Kind::Close) {
            requires.push(reader.entry()?);
        }
        let close = reader.expect(Kind::Close, "'}'")?.end;
        braces = Some(open..close);
    }
    if reader.at < pieces.len() {
        let expected = match (&package, &braces) {
            (_, Some(_)) => "the end of the file",
            (Some(_), None) => "'require'",
            (None, None) => "'package' or 'require'",
        };
        return Err(reader.unexpected(expected));
    }
    drop(pieces);
    Ok(Manifest { text, package, requires, braces })
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    pieces: &'a [Piece],
    at: usize,
}

impl Reader<'_> {
    fn is_at(&self, kind: Kind) -> bool {
        self.pieces.get(self.at).is_some_and(|p| p.kind == kind)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.pieces.get(self.at).is_some_and(|p| self.text[p.place.clone()] == *word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Result<Range<usize>, Box<Diagnostic>> {
        match self.pieces.get(self.at) {
            Some(piece) if piece.kind == kind => {
                self.at += 1;
                Ok(piece.place.clone())
            }
            Some(_) | None => Err(self.unexpected(what)),
        }
    }

    fn path(&mut self) -> Result<PkgPath, Box<Diagnostic>> {
        let place = self.expect(Kind::Word, "a package path, such as github.com/user/repository")?;
        PkgPath::parse(&self.text[place.clone()])
            .map_err(|why| self.error(place, "This is no package path.", &why))
    }

    fn entry(&mut self) -> Result<Entry, Box<Diagnostic>> {
        let start = self.pieces.get(self.at).map_or(self.text.len(), |p| p.place.start);
        let path = self.path()?;
        let place = self.expect(Kind::Word, "a version, such as 1.0.0")?;
        let mut end = place.end;
        let version = Version::parse(&self.text[place.clone()]).ok_or_else(|| {
            self.error(place, "This is no version.", "a version is three numbers with dots between them")
        })?;
        let mut hash = None;
        if let Some(piece) = self.pieces.get(self.at) {
            if let Some(text) = self.text[piece.place.clone()].strip_prefix('#') {
                if !is_hash(text) {
                    let why = "behind # stands the name of a commit, in hexadecimal digits";
                    return Err(self.error(piece.place.clone(), "This is no commit.", why));
                }
                hash = Some(text.to_owned());
                end = piece.place.end;
                self.at += 1;
            }
        }
        Ok(Entry { require: Require { path, version, hash }, place: start..end })
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let (place, message) = match self.pieces.get(self.at) {
            Some(p) => (p.place.clone(), format!("Unexpected '{}'.", &self.text[p.place.clone()])),
            None => (self.text.len()..self.text.len(), "Unexpected end of the file.".to_owned()),
        };
        Box::new(Diagnostic::error(self.span(place), message).label(format!("expected {expected}")))
    }

    fn error(&self, place: Range<usize>, message: &str, why: &str) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(self.span(place), message).note(why))
    }

    fn span(&self, place: Range<usize>) -> Span {
        Span::new(self.file, place.start as u32, place.end as u32)
    }
}
