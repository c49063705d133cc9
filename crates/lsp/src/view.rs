//! What is known of a text that has errors.
//!
//! Two analyses are asked, one after the other: that of the declarations of this text that are right, and the
//! newest one of a text without errors. The second is of an older text; its places are found in this one by
//! what both texts begin and end with:
//!
//! ```text
//! def f x = x + 1       def g y = f y          the older text
//! def f x = x + 1 * (   def g y = f y          this one: the same up to `1`, and from ` def` on
//! ```
//!
//! So names in a definition that is being written still have their meanings, but for the words just typed.

use crate::analysis::Analysis;
use crate::state::{Document, State};
use fehu_base::Span;
use serde_json::{json, Value};

/// An analysis, and where its text is in the document's.
pub(crate) struct View<'a> {
    pub(crate) analysis: &'a Analysis,
    moved: Moved,
}

/// What two texts begin and end with.
struct Moved {
    /// How many bytes both begin with.
    same: usize,
    /// Where the common end starts, in the older and in the newer text.
    old_end: usize,
    new_end: usize,
}

impl Moved {
    fn between(old: &str, new: &str) -> Moved {
        let (a, b) = (old.as_bytes(), new.as_bytes());
        let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let longest = a.len().min(b.len()) - same;
        let end = a.iter().rev().zip(b.iter().rev()).take(longest).take_while(|(x, y)| x == y).count();
        Moved { same, old_end: a.len() - end, new_end: b.len() - end }
    }

    /// A place of the newer text in the older one.
    fn back(&self, offset: usize) -> Option<usize> {
        match offset {
            _ if offset <= self.same => Some(offset),
            _ if offset >= self.new_end => Some(offset - self.new_end + self.old_end),
            _ => None,
        }
    }

    /// A range of the older text in the newer one.
    fn forth(&self, lo: usize, hi: usize) -> Option<(usize, usize)> {
        let moved = |offset: usize| offset - self.old_end + self.new_end;
        match (lo, hi) {
            _ if hi <= self.same => Some((lo, hi)),
            _ if lo >= self.old_end => Some((moved(lo), moved(hi))),
            _ => None,
        }
    }
}

impl Document {
    /// The analyses to ask, the best one first.
    pub(crate) fn views(&self) -> impl Iterator<Item = View<'_>> {
        [&self.partial, &self.analysis].into_iter().flatten().map(|analysis| {
            let old = analysis.sources.get(analysis.main).map_or("", |f| &*f.text);
            View { analysis, moved: Moved::between(old, &self.text.text) }
        })
    }
}

impl View<'_> {
    /// The place of the analysis for one of the document.
    pub(crate) fn offset(&self, offset: usize) -> Option<usize> {
        self.moved.back(offset)
    }

    /// The bytes of the document at a place of the analysis, if it is in the document.
    pub(crate) fn bytes(&self, span: Span) -> Option<(usize, usize)> {
        let own = span.file == self.analysis.main;
        own.then(|| self.moved.forth(span.lo as usize, span.hi as usize)).flatten()
    }

    /// A place for the editor. The prelude's files are inside of the compiler, so others with the same text are shown.
    pub(crate) fn location(&self, state: &State, document: &Document, span: Span) -> Option<Value> {
        if self.analysis.prelude.contains(&span.file) {
            let (path, range) = state.place(span, &self.analysis.sources)?;
            return Some(json!({"uri": state.uri(&fehu_driver::prelude::file(&path)?), "range": range}));
        }
        if span.file == self.analysis.main {
            let (lo, hi) = self.bytes(span)?;
            let range = document.text.range(lo, hi, state.encoding);
            return Some(json!({"uri": state.uri(&document.path), "range": range}));
        }
        let (file, range) = state.place(span, &self.analysis.sources)?;
        Some(json!({"uri": state.uri(&file), "range": range}))
    }
}
