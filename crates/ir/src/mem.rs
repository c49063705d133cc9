//! Memory: where each array lives.
//!
//! In the `Memory` representation every binding of array type says in which
//! block it is, and by which index function: an [`Lmad`] whose parts are
//! polynomials over names in scope. Memory is *non-semantic*: erasing all of it
//! gives back a valid program over `Kernels` that computes the same.
//!
//! Whatever returns an array in a block not known before also returns the
//! block (and, if its index function is not known, its offset and strides),
//! before the array, in the same pattern.

use crate::rep::Memory;
use crate::seg::{SegOp, SizeOp};
use crate::syntax::{Space, SubExp};
use fehu_base::Name;

/// Stands in until the crate `lmad` has landed.
#[derive(Clone, PartialEq, Debug)]
pub struct Lmad;

/// What a binding carries.
#[derive(Clone, PartialEq, Debug)]
pub enum MemInfo {
    /// A primitive, an accumulator or a block: nothing to say.
    None,
    /// An array: its block and index function (in elements).
    Array {
        /// The block.
        block: Name,
        /// The index function.
        lmad: Lmad,
    },
}

/// The operations of `Memory`.
#[derive(Clone, PartialEq, Debug)]
pub enum MemOp {
    /// A fresh block of so many bytes.
    Alloc(SubExp, Space),
    /// A parallel operation.
    Seg(SegOp<Memory>),
    /// Sizes of the machine and of the tuning.
    Size(SizeOp),
}
