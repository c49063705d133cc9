//! Source text to syntax tree.
//!
//! In: a file's text. Out: an [`ast::Prog`] and the diagnostics met on the
//! way; the parser recovers, so a tree comes back even from broken text.
//! Start with [`ast`].

pub mod ast;
