//! Bracketed groups and comma-separated lists, and recovery inside them.

use super::{Failed, Parse, Parser};
use crate::token::TokenKind;
use fehu_base::{Label, Span};

impl Parser<'_> {
    /// Parses what stands between brackets; the current word is the opening
    /// one. After an error inside, skips to the matching bracket and returns
    /// `None`, so that the rest can be read; fails if there is no such bracket.
    pub(super) fn group<T>(
        &mut self,
        close: TokenKind,
        parse: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<Option<T>> {
        let open = self.bump().span;
        let (nesting, errors) = (self.nesting, self.errors.len());
        match parse(self) {
            Ok(value) if self.eat(close) => return Ok(Some(value)),
            Ok(_) => {
                self.unexpected(match close {
                    TokenKind::RParen => "')'",
                    TokenKind::RBracket => "']'",
                    _ => "'}'",
                });
            }
            Err(Failed) => {}
        }
        self.nesting = nesting;
        if self.skip_to_close(close) {
            return Ok(None);
        }
        // The bracket that was never closed is what the user looks for.
        let reported = self.errors.len() > errors;
        if let Some(e) = self.errors.last_mut() {
            if reported && e.related.is_empty() && e.span.lo >= open.hi {
                e.related.push(Label { span: open, text: "this is never closed".into() });
            }
        }
        Err(Failed)
    }

    /// Like [`Parser::group`], for callers without a node that stands for an
    /// error: they fail, but further on in the text.
    pub(super) fn strict_group<T>(
        &mut self,
        close: TokenKind,
        parse: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        self.group(close, parse)?.ok_or(Failed)
    }

    /// Items separated by commas up to a closing bracket, which is not
    /// consumed; a trailing comma is fine. Also says whether one was there.
    pub(super) fn commas<T>(
        &mut self,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<(Vec<T>, bool)> {
        let mut items = vec![];
        while !self.at(close) {
            items.push(item(self)?);
            if !self.eat(TokenKind::Comma) {
                return Ok((items, false));
            }
        }
        let trailing = !items.is_empty();
        Ok((items, trailing))
    }

    /// Skips past the bracket that closes the current group. Stops early, and
    /// says so, at a declaration, at the end, and at a bracket of another kind.
    fn skip_to_close(&mut self, close: TokenKind) -> bool {
        use TokenKind::*;
        let mut open: Vec<TokenKind> = vec![];
        loop {
            let kind = self.kind();
            match kind {
                Eof => return false,
                _ if kind.starts_dec() => return false,
                LParen => open.push(RParen),
                LBracket | HashBracket => open.push(RBracket),
                LBrace => open.push(RBrace),
                RParen | RBracket | RBrace => match open.pop() {
                    Some(expected) if expected == kind => {}
                    None if kind == close => {
                        self.bump();
                        return true;
                    }
                    Some(_) | None => return false,
                },
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the next `let` or `in` of the current chain of bindings.
    pub(super) fn skip_to_binding(&mut self) -> bool {
        use TokenKind::*;
        let mut depth = 0u32;
        loop {
            match self.kind() {
                Let | In if depth == 0 => return true,
                Eof => return false,
                kind if kind.starts_dec() => return false,
                LParen | LBracket | HashBracket | LBrace => depth += 1,
                RParen | RBracket | RBrace if depth == 0 => return false,
                RParen | RBracket | RBrace => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips what is left of a group or a declaration.
    pub(super) fn skip_to_end(&mut self) {
        use TokenKind::*;
        let mut depth = 0u32;
        loop {
            match self.kind() {
                Eof => return,
                kind if kind.starts_dec() => return,
                LParen | LBracket | HashBracket | LBrace => depth += 1,
                RParen | RBracket | RBrace if depth == 0 => return,
                RParen | RBracket | RBrace => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to where the next declaration seems to start: always onward from
    /// `start`, where the broken one did. Stops at the brace that closes the
    /// module around it.
    pub(super) fn skip_to_dec(&mut self, start: Span) {
        use TokenKind::*;
        let mut braces = 0u32;
        loop {
            let kind = self.kind();
            let fresh = self.span() != start;
            match kind {
                Eof => break,
                RBrace if braces == 0 => break,
                RBrace => braces -= 1,
                LBrace => braces += 1,
                _ if fresh && kind.starts_dec() => break,
                Let | HashBracket if fresh && self.column(self.span()) <= self.column(start) => break,
                _ => {}
            }
            self.bump();
        }
        self.loose_braces += braces;
    }

    /// How far a place is indented, if it starts its line; else very far.
    pub(super) fn column(&self, span: Span) -> usize {
        let before = self.text.as_bytes().get(..span.lo as usize).unwrap_or(&[]);
        let blank = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        if blank == before.len() || before[before.len() - blank - 1] == b'\n' {
            blank
        } else {
            usize::MAX
        }
    }
}
