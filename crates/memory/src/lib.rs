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
//! [`optimise`] then makes do with fewer blocks, allocations and copies. [`horner`] turns index functions into code.

mod builder;
mod check;
mod dead;
mod erase;
mod expand;
mod foresee;
mod hoist;
pub mod horner;
mod introduce;
mod plan;
mod results;
mod shortcircuit;
mod slice;
mod tables;

pub use check::check_kernels;
pub use erase::erase;
pub use introduce::introduce;

use fehu_base::Diagnostic;
use fehu_ir::{Loc, Memory, Prog};

/// A kernel that cannot be: it would have to allocate while it runs.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Where the kernel (or what updates accumulators) comes from, as flattening left it.
    pub kernel: Loc,
    /// What to tell the user, if there is no other way.
    pub problem: Diagnostic,
}

/// The passes that a program can do without.
pub const PASSES: [&str; 3] = ["dead-memory", "short-circuit", "hoist-allocations"];

/// Makes do with fewer blocks, allocations and copies: first values are made where they will be put
/// (which does away with their blocks), then what is left of the allocations leaves loops.
pub fn optimise(prog: Prog<Memory>) -> Result<Prog<Memory>, Vec<Refusal>> {
    optimise_without(prog, &[])
}

/// As [`optimise`], without some of [`PASSES`].
pub fn optimise_without(mut prog: Prog<Memory>, skip: &[String]) -> Result<Prog<Memory>, Vec<Refusal>> {
    let [dead, shortcircuit, hoist] = PASSES.map(|pass| !skip.iter().any(|s| s == pass));
    if dead {
        dead::remove(&mut prog);
    }
    if shortcircuit {
        shortcircuit::shortcircuit(&mut prog);
    }
    let errors = expand::expand(&mut prog);
    if !errors.is_empty() {
        return Err(errors);
    }
    if dead {
        dead::remove(&mut prog);
    }
    if hoist {
        hoist::hoist(&mut prog);
    }
    Ok(prog)
}
