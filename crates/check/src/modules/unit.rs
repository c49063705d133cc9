//! What the check is given: parsed files.
//!
//! They come in dependency order, so each says at which earlier position of the list its imports are:
//!
//! ```text
//! main.fut:  import "lib/a"      imports: [("lib/a", 7)]
//! ```

use fehu_base::{FileId, Span, Symbol};
use fehu_syntax::ast;

/// A parsed file and how its imports resolve.
#[derive(Debug)]
pub struct SourceUnit {
    /// The file.
    pub file: FileId,
    /// Its tree.
    pub prog: ast::Prog,
    /// For each import path as written, the position in the list of units that it
    /// refers to; always an earlier one.
    pub imports: Vec<(Symbol, usize)>,
    /// Values with syntax errors, or the places of these: such a value is not checked, but defined.
    pub broken: Vec<Span>,
}

impl SourceUnit {
    /// Whether this part of the file has syntax errors.
    pub(super) fn is_broken(&self, part: Span) -> bool {
        self.broken.iter().any(|s| part.lo <= s.lo && s.hi <= part.hi)
    }
}
