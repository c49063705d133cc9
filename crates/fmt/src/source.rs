//! The lossless view of a file: tree, tokens and comments, with the lines on which they stand.

use fehu_base::{Diagnostic, FileId, Span};
use fehu_syntax::{ast, Comment, Parsed, Token};

/// A parsed file together with its text.
///
/// Every byte of the text belongs to a token, to a comment, or is white space between them; the spans in the tree begin
/// and end where tokens do.
pub struct Source<'a> {
    text: &'a str,
    parsed: Parsed,
    /// Where lines start.
    lines: Vec<u32>,
}

/// A line of the text, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Line(pub(crate) usize);

impl<'a> Source<'a> {
    /// Reads a text.
    pub fn read(file: FileId, text: &'a str) -> Source<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        Source { text, parsed: fehu_syntax::parse(file, text), lines }
    }

    /// What is wrong with the syntax.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.parsed.errors
    }

    /// The tree.
    pub fn prog(&self) -> &ast::Prog {
        &self.parsed.prog
    }

    /// All tokens in order, without comments; the last one is the end.
    pub fn tokens(&self) -> &[Token] {
        &self.parsed.tokens
    }

    /// All comment lines in order.
    pub fn comments(&self) -> &[Comment] {
        &self.parsed.comments
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &'a str {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    /// The tokens inside of a span.
    pub fn tokens_in(&self, span: Span) -> &[Token] {
        let tokens = self.tokens();
        let lo = tokens.partition_point(|t| t.span.lo < span.lo);
        let hi = tokens.partition_point(|t| t.span.lo < span.hi);
        tokens.get(lo..hi).unwrap_or(&[])
    }

    /// The line of a place.
    pub(crate) fn line(&self, at: u32) -> Line {
        Line(self.lines.partition_point(|&start| start <= at).saturating_sub(1))
    }

    /// The line on which a span ends.
    pub(crate) fn last_line(&self, span: Span) -> Line {
        self.line(span.hi.saturating_sub(1).max(span.lo))
    }

    /// Whether a span stands on more than one line.
    pub(crate) fn is_multiline(&self, span: Span) -> bool {
        self.line(span.lo) != self.last_line(span)
    }
}
