//! A program made of pieces, and the way back from places in it to places in the pieces.

use fehu_base::{Diagnostic, FileId, SourceMap, Span};
use std::ops::Range;

/// A text that the user wrote, and what messages call it.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Pieces below each other, with words around some of them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pieces {
    text: String,
    /// Where each piece is in the text.
    pieces: Vec<(Range<usize>, Piece)>,
}

impl Pieces {
    /// Adds a piece between two texts.
    pub(crate) fn push(&mut self, before: &str, piece: Piece, after: &str) {
        self.text.push_str(before);
        let start = self.text.len();
        self.text.push_str(&piece.text);
        self.pieces.push((start..self.text.len(), piece));
        self.text.push_str(after);
    }

    /// The whole program.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Adds the pieces to the sources of the program, whose main file is this one.
    pub(crate) fn places(&self, main: FileId, sources: &mut SourceMap) -> Places {
        let files = self
            .pieces
            .iter()
            .map(|(range, piece)| (range.clone(), sources.add(piece.name.clone(), piece.text.clone())));
        Places { main, files: files.collect() }
    }
}

/// Which part of the main file is which piece.
#[derive(Clone)]
pub(crate) struct Places {
    main: FileId,
    files: Vec<(Range<usize>, FileId)>,
}

impl Places {
    /// A place as the user knows it.
    pub(crate) fn span(&self, span: Span) -> Span {
        if span.file != self.main {
            return span;
        }
        let inside = |range: &Range<usize>| range.start <= span.lo as usize && span.lo as usize <= range.end;
        match self.files.iter().rev().find(|(range, _)| inside(range)) {
            Some((range, file)) => {
                let to = |at: u32| (at as usize).min(range.end).saturating_sub(range.start) as u32;
                Span::new(*file, to(span.lo), to(span.hi))
            }
            None => span,
        }
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
