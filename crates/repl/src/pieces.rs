//! A program made of pieces, and the way back from places in it to places in the pieces.

use fehu_base::{Diagnostic, FileId, SourceMap, Span};
use fehu_syntax::ast::Dec;
use std::ops::Range;

/// A text that the user wrote, and what messages call it.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Pieces below each other, with words around and inside of some of them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pieces {
    text: String,
    pieces: Vec<Piece>,
    parts: Vec<Part>,
}

/// A part of the text that is a part of a piece.
#[derive(Clone, Debug)]
struct Part {
    range: Range<usize>,
    /// The number of the piece, and where the part begins in it.
    piece: usize,
    from: usize,
}

impl Pieces {
    /// Adds a piece between two texts.
    pub(crate) fn push(&mut self, before: &str, piece: Piece, after: &str) {
        self.text.push_str(before);
        self.part(&piece.text, 0);
        self.pieces.push(piece);
        self.text.push_str(after);
    }

    /// Adds declarations, which may hide earlier ones. What they import can be used by all that follows.
    pub(crate) fn push_declarations(&mut self, piece: Piece) {
        self.text.push_str("open {\n");
        let mut from = 0;
        for import in imports(&piece.text) {
            self.part(&piece.text[from..import], from);
            self.text.push_str("open ");
            from = import;
        }
        self.part(&piece.text[from..], from);
        self.pieces.push(piece);
        self.text.push_str("\n}\n");
    }

    /// Adds a part of the next piece.
    fn part(&mut self, text: &str, from: usize) {
        let start = self.text.len();
        self.text.push_str(text);
        self.parts.push(Part { range: start..self.text.len(), piece: self.pieces.len(), from });
    }

    /// The whole program.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Adds the pieces to the sources of the program, whose main file is this one.
    pub(crate) fn places(&self, main: FileId, sources: &mut SourceMap) -> Places {
        let files = self.pieces.iter().map(|piece| sources.add(piece.name.clone(), piece.text.clone()));
        Places { main, files: files.collect(), parts: self.parts.clone() }
    }
}

/// Where declarations import something, but for local ones.
fn imports(text: &str) -> Vec<usize> {
    if !text.contains("import") {
        return vec![];
    }
    let parsed = fehu_syntax::parse(FileId(0), text);
    let import = |d: &Dec| matches!(d, Dec::Import(..)).then_some(d.span().lo as usize);
    parsed.prog.decs.iter().filter_map(import).collect()
}

/// Which part of the main file is which piece.
#[derive(Clone)]
pub(crate) struct Places {
    main: FileId,
    /// The pieces.
    files: Vec<FileId>,
    parts: Vec<Part>,
}

impl Places {
    /// A place as the user knows it.
    pub(crate) fn span(&self, span: Span) -> Span {
        if span.file != self.main {
            return span;
        }
        let part_at = |at: u32| {
            let inside = |p: &&Part| p.range.start <= at as usize && at as usize <= p.range.end;
            self.parts.iter().rev().find(inside)
        };
        let Some(first) = part_at(span.lo) else { return span };
        let Some(file) = self.files.get(first.piece) else { return span };
        let last = part_at(span.hi).filter(|p| p.piece == first.piece).unwrap_or(first);
        let to = |at: u32, part: &Part| {
            let inside = (at as usize).min(part.range.end).saturating_sub(part.range.start);
            (inside + part.from) as u32
        };
        Span::new(*file, to(span.lo, first), to(span.hi, last))
    }

    /// A diagnostic about such places.
    pub(crate) fn diagnostic(&self, mut d: Diagnostic) -> Diagnostic {
        d.span = self.span(d.span);
        for label in &mut d.related {
            label.span = self.span(label.span);
        }
        d
    }
}
