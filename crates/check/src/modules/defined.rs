//! Where declarations stand, and what a list of them has defined so far.
//!
//! ```text
//! def f = 1
//! def f = 2       a mistake: the list defines `f` already
//! ```

use fehu_base::{Span, Symbol};
use fehu_syntax::ast;
use rustc_hash::FxHashMap;

/// Where declarations stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// At the top level of a file.
    TopLevel,
    /// In a module.
    Nested,
}

/// What one list of declarations defines itself: nothing may be defined twice.
#[derive(Clone, Default, Debug)]
pub(super) struct Defined {
    pub(super) terms: FxHashMap<Symbol, Span>,
    pub(super) types: FxHashMap<Symbol, Span>,
    pub(super) mod_types: FxHashMap<Symbol, Span>,
}

impl Defined {
    /// Notes what a declaration defines that is known to be right.
    pub(super) fn note(&mut self, dec: &ast::Dec) {
        match dec {
            ast::Dec::Val(b) => drop(self.terms.insert(b.name.name, b.name.span)),
            ast::Dec::Mod(b) => drop(self.terms.insert(b.name.name, b.name.span)),
            ast::Dec::Type(b) => drop(self.types.insert(b.name.name, b.name.span)),
            ast::Dec::ModType(b) => drop(self.mod_types.insert(b.name.name, b.name.span)),
            ast::Dec::Open(..) | ast::Dec::Import(..) | ast::Dec::Local(..) => {}
        }
    }
}
