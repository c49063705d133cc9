//! Which names may share memory: the one alias analysis of the core IR.
//!
//! What aliases what is said in the crate's text; here it stands once, as data. Each statement has [`Flows`]:
//! which names may get the memory of which others, and whether both can still be used then ([`How`]). Calls
//! are known by their [`Signatures`]. Everything else is a view of the flows, for a question:
//!
//! | question | view | flows it takes |
//! | --- | --- | --- |
//! | may these two share memory, while both can be used? | [`Aliases`] | those that alias, in the order of the program |
//! | may any name for this memory, at any time, be consumed? | [`Classes`] | all, in no order |
//! | may these blocks of memory be one? | `fehu_analysis::Blocks` | those that alias, between blocks |
//!
//! [`Aliases`] forgets what is consumed, so that the array after an update has no aliases: that is what the
//! validator, the memory pass and kernels ask. [`Classes`] forgets time: a rewrite that reads an array later
//! than the program says, or lets two arrays share memory, is safe where no member of a class is ever
//! consumed.
//!
//! ```text
//! let (ys : [n]i32) = xs[0 :+ n * 2]        flow  ys <- xs  aliases     aliases  ys: {ys, xs}   class {xs, ys, zs}, consumed
//! let (zs : [n]i32) = ys with [0] = 1i32    flow  zs <- ys  inherits    aliases  zs: {zs}
//! ```

mod ancestors;
mod classes;
mod flow;
mod signature;
#[cfg(test)]
mod tests;

pub use ancestors::Aliases;
pub use classes::Classes;
pub use flow::{Flow, Flows, How};
pub use signature::{Signature, Signatures};
