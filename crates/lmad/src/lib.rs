//! Linear memory access descriptors: where the elements of an array lie in a flat memory block.
//!
//! An [`Lmad`] is written `offset + {(size : stride), ...}`. Its parts are symbolic integers of `fehu-algebra`,
//! counted in elements. It is read in two ways, and each operation here belongs to one of them:
//!
//! * as an **index function** (`lmad`, `slice`, `layout`, `reshape`): element `[i, j, ...]` lies at
//!   `offset + i*stride0 + j*stride1 + ...`. Slicing, permuting, fixing an index and (often) reshaping an array
//!   only change its descriptor; no element moves.
//! * as a **set of points** (`points`, `overlap`, `summary`): all the places that indices within the sizes reach.
//!   The order of dimensions no longer matters, and two sets can be compared: [`disjoint`] proves that accesses
//!   never meet, [`injective`] that no place is reached twice, [`covers`] that one set contains another.
//!
//! A [`Summary`] is a union of descriptors: all that a piece of code reads or writes in one block.
//!
//! Operations that need knowledge take [`Facts`](fehu_algebra::Facts) first. They answer `None` or `false` when
//! something cannot be shown, so callers fall back to a copy or a conservative choice.
//!
//! Start with `lmad`; `overlap` is where the thinking is.

#![forbid(unsafe_code)]

mod layout;
mod lmad;
mod overlap;
mod points;
mod reshape;
mod slice;
mod summary;

pub use lmad::{Dim, Lmad};
pub use overlap::{disjoint, injective};
pub use points::covers;
pub use slice::SliceDim;
pub use summary::Summary;

#[cfg(test)]
mod tests;
