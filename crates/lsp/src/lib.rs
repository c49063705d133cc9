//! The language server: what `fehu lsp` says to editors.
//!
//! In: messages of the Language Server Protocol. Out: answers, and diagnostics while the user types.
//!
//! - `protocol`: messages as bytes. Garbage is answered with an error, and the next message is read.
//! - [`serve`] in `server`: one loop. Texts change at once; files are checked when no message waits, so fast
//!   typing costs nothing, and requests see the newest text. An edit is answered by a check of what it
//!   concerns (`check/modules/kept.rs`); all of the file is checked when the user rests, or for requests that
//!   need it, and given up if an edit comes meanwhile.
//! - `state`: what is known of the editor. `files`: what is open, and what is said about it. `diagnostics`:
//!   what is wrong, and the fixes.
//! - `document`: texts, edits, and places as editors count them.
//! - `analysis`: a checked file, with an index of all places at which a value is named. Of a file with errors, the last
//!   analysis without any is kept; `view` finds its places in the new text, so most requests still have answers.
//! - `trial`: programs after edits that are not made yet: nothing is offered that was not checked.
//!   `interest` knows which answers are no longer wanted.
//! - `words`: words that mean the same thing, in all programs of the `workspace`.
//! - `features`: one function for each request. `told`: what the editor knows, so that it is told what has changed.
//! - `commands`, `jobs`, `evaluate`: what takes longer runs in processes of its own.

#![forbid(unsafe_code)]

mod analysis;
mod answer;
mod commands;
mod diagnostics;
mod document;
mod evaluate;
mod features;
mod files;
mod interest;
mod jobs;
mod protocol;
mod server;
mod state;
mod told;
mod trial;
mod view;
mod words;
mod workspace;

pub use evaluate::evaluate;
pub use server::serve;
