//! What a session has declared, and which of it a text needs.
//!
//! Nothing can refer to a declaration without writing its name, so an input is checked together with what its
//! words can mean, and with what the words of that can mean, not with all that was ever declared:
//!
//! ```text
//! [0]> def x = 1          needs nothing
//! [1]> def f y = x + y    needs [0]
//! [2]> def x = 2          needs nothing
//! [3]> f 3                needs [1], hence [0]
//! ```
//!
//! The names that `open` and `import` bring are not known here: such pieces are needed by all that follows. An
//! input in which there is a mistake is checked again with everything, so messages do not depend on any of this.

use crate::pieces::Piece;
use fehu_base::{FileId, Span};
use fehu_syntax::ast::{Dec, Ident};
use fehu_syntax::{Token, TokenKind};
use std::collections::{BTreeMap, BTreeSet};

/// What a name is of; the same word may name one thing of each kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Space {
    /// Values and modules.
    Term,
    Type,
    ModuleType,
}

const SPACES: [Space; 3] = [Space::Term, Space::Type, Space::ModuleType];

/// The pieces that were declared, in order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Declared {
    pieces: Vec<Declaration>,
    /// The last piece that declares a name.
    latest: BTreeMap<(Space, &'static str), usize>,
    /// Pieces that bring names that are not known here.
    unnamed: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Declaration {
    piece: Piece,
    /// The earlier pieces that its words can mean.
    needs: Vec<usize>,
}

impl Declared {
    /// Adds a piece.
    pub(crate) fn push(&mut self, piece: Piece) {
        let parsed = fehu_syntax::parse(FileId(0), &piece.text);
        let at = self.pieces.len();
        let mut names = vec![];
        let known = names_of(&parsed.prog.decs, &mut names) && parsed.errors.is_empty();
        let places: Vec<Span> = names.iter().map(|(_, name)| name.span).collect();
        let needs = self.meant(&piece.text, &places);
        if !known {
            self.unnamed.push(at);
        }
        self.latest.extend(names.into_iter().map(|(space, name)| ((space, name.name.as_str()), at)));
        self.pieces.push(Declaration { piece, needs });
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Goes back to the first `len` of them.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.len() {
            let pieces = std::mem::take(self).pieces;
            pieces.into_iter().take(len).for_each(|d| self.push(d.piece));
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<&Piece> {
        self.pieces.iter().map(|d| &d.piece).collect()
    }

    /// Those that a text needs, in order.
    pub(crate) fn needed(&self, text: &str) -> Vec<&Piece> {
        let mut needed = BTreeSet::new();
        let mut work = self.meant(text, &[]);
        while let Some(i) = work.pop() {
            if needed.insert(i) {
                work.extend(&self.pieces[i].needs);
            }
        }
        needed.into_iter().map(|i| &self.pieces[i].piece).collect()
    }

    /// The pieces that the words of a text can mean, but for those at some places.
    fn meant(&self, text: &str, but_for: &[Span]) -> Vec<usize> {
        let mut meant = self.unnamed.clone();
        let mut words = BTreeSet::new();
        let binds = |t: &Token| but_for.iter().any(|s| s.lo <= t.span.lo && t.span.hi <= s.hi);
        for token in fehu_syntax::tokens(FileId(0), text).iter().filter(|t| !binds(t)) {
            words_of(token, text, &mut words);
        }
        for space in SPACES {
            meant.extend(words.iter().filter_map(|word| self.latest.get(&(space, word))));
        }
        meant
    }
}

/// The words of a token that can be names. A qualified operator is a single token: `m.+` has the words `m` and `+`.
fn words_of<'t>(token: &Token, text: &'t str, words: &mut BTreeSet<&'t str>) {
    let Some(mut word) = text.get(token.span.lo as usize..token.span.hi as usize) else { return };
    if token.kind == TokenKind::QualOp {
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
        while let Some((module, rest)) = word.split_once('.').filter(|(m, _)| m.chars().all(named)) {
            words.insert(module);
            word = rest;
        }
    }
    words.insert(word);
}

/// The names that declarations bind for those that follow. Whether these words suffice to list them.
fn names_of(decs: &[Dec], out: &mut Vec<(Space, Ident)>) -> bool {
    decs.iter().fold(true, |known, dec| {
        let (space, name) = match dec {
            Dec::Val(b) => (Space::Term, b.name),
            Dec::Mod(b) => (Space::Term, b.name),
            Dec::Type(b) => (Space::Type, b.name),
            Dec::ModType(b) => (Space::ModuleType, b.name),
            Dec::Local(..) => return known,
            Dec::Open(..) | Dec::Import(..) => return false,
        };
        out.push((space, name));
        known
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(texts: &[&str]) -> Declared {
        let mut all = Declared::default();
        for (i, text) in texts.iter().enumerate() {
            all.push(Piece { name: i.to_string(), text: (*text).to_owned() });
        }
        all
    }

    fn needed(all: &Declared, text: &str) -> String {
        all.needed(text).iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_text_needs_what_its_words_can_mean() {
        let all = declared(&[
            "def x = 1i32",
            "type x = f64",
            "def f (y: i32) = x + y",
            "def x = 2i32",
            "module m = { def (+^) (a: i32) (b: i32) = a }",
            "def (+^) (a: i32) (b: i32) = b",
            "module type s = { type t }",
            "local def hidden = x",
            "def g (v: i32) = v `f` 1",
        ]);
        assert_eq!(needed(&all, "1 + 2"), "");
        assert_eq!(needed(&all, "f 3"), "0 1 2");
        assert_eq!(needed(&all, "x"), "1 3");
        assert_eq!(needed(&all, "1 m.+^ 2"), "4 5");
        assert_eq!(needed(&all, "1 +^ 2"), "5");
        assert_eq!(needed(&all, "(m : s)"), "4 6");
        assert_eq!(needed(&all, "hidden"), "");
        assert_eq!(needed(&all, "g 1"), "0 1 2 8");
        assert_eq!(needed(&all, "\"x\" -- f"), "");
        let all = declared(&["def x = 1i32", "def x = 2i32", "def x = x + 1", "def x = 4i32"]);
        assert_eq!((all.meant("x", &[]), needed(&all, "x")), (vec![3], "3".into()));
        assert_eq!(all.pieces[2].needs, [1]);
    }

    #[test]
    fn what_is_opened_is_needed_by_all_that_follows() {
        let mut all = declared(&["module m = { def x = 1i32 }", "def x = 0i32", "open m", "def y = x"]);
        assert_eq!(needed(&all, "1"), "0 2");
        assert_eq!(needed(&all, "y"), "0 1 2 3");
        all.truncate(2);
        assert_eq!((needed(&all, "1"), needed(&all, "x")), (String::new(), "1".into()));
    }
}
