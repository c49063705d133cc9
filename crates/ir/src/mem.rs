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
use fehu_algebra::{Poly, Sym};
use fehu_base::Name;

pub use fehu_lmad::Lmad;

/// The variable of index functions that stands for a name.
pub fn sym(name: Name) -> Sym {
    Sym(name.0)
}

/// The name that a variable of index functions stands for.
pub fn sym_name(sym: Sym) -> Name {
    Name(sym.0)
}

/// An operand as a symbolic integer; unknown for constants that are no integers.
pub fn poly(e: SubExp) -> Poly {
    match e {
        SubExp::Var(n) => Poly::var(sym(n)),
        SubExp::Const(v) => v.as_i64().map_or_else(Poly::unknown, Poly::constant),
    }
}

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
