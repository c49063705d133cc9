//! Every array gets a place.
//!
//! In: a program over `Kernels`. Out: one over `Memory`, in which each array
//! says in which block it lives and by which index function (an LMAD: an offset
//! and a stride per dimension). Blocks are values: they are allocated, returned
//! by branches, loops and functions, and freed when nothing refers to them any
//! more. Slices, transpositions and most reshapes are then nothing but other
//! index functions, and updates happen in place.
//!
//! Memory is not semantics: [`erase`] forgets it, and what is left is a valid
//! program over `Kernels` again.
//!
//! Read [`introduce`](introduce()) first; `plan` decides how loops carry their arrays.
//! Then come the optimisations. [`horner`] turns index functions into code.

mod builder;
mod erase;
pub mod horner;
mod introduce;
mod plan;

pub use erase::erase;
pub use introduce::introduce;
