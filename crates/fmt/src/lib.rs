//! Source text to the same program in the usual style.
//!
//! In: the text of a file. Out: the text as `fehu fmt` writes it, or the syntax errors that keep it from
//! being formatted. The style is that of Futhark's own formatter: what stands on one line stays there, and
//! what is spread over lines is laid out anew, one part a line.
//!
//! ```text
//! let f x = g x          def f x =
//!    (y,          ->       g x
//!    z)                      ( y
//!                            , z
//!                            )
//! ```
//!
//! [`Source`] is the lossless view of a file: its tree, whose nodes have the exact span of their text, its
//! tokens, and its comments, which together are all of the text but white space. The printer walks the tree
//! (`dec`, `module`, `exp`, `pat`, `types`) and asks at every node for the comments before it, so they come
//! out in order and none is lost; `writer` knows columns and indentation. In the end [`same_program`]
//! compares tokens and comments of both texts: a mistake here can never damage a file.

#![forbid(unsafe_code)]

mod compare;
mod dec;
mod exp;
mod group;
mod module;
mod pat;
mod printer;
mod source;
mod types;
mod writer;

pub use compare::{same_program, Difference};
pub use source::Source;

use fehu_base::{bug, Diagnostic, FileId};
use printer::Printer;

/// Formats the text of a file.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let source = Source::read(file, text);
    if !source.errors().is_empty() {
        return Err(source.errors().to_vec());
    }
    let formatted = Printer::new(&source).run();
    if let Err(difference) = same_program(file, text, &formatted) {
        bug!("formatting would change the program: {difference}");
    }
    Ok(formatted)
}
