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
mod interleave;
mod introduce;
mod plan;
mod recursion;
mod results;
mod shortcircuit;
mod slice;
mod tables;

pub use check::check_kernels;
pub use erase::erase;
pub use introduce::introduce;
pub use recursion::recursive_kernels;

use fehu_base::Diagnostic;
use fehu_ir::{Loc, Memory, Prog};
use std::time::{Duration, Instant};

/// A kernel that cannot be: it would have to allocate while it runs.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Where the kernel (or what updates accumulators) comes from, as flattening left it.
    pub kernel: Loc,
    /// What to tell the user, if there is no other way.
    pub problem: Diagnostic,
}

/// The passes that a program can do without.
pub const PASSES: [&str; 4] = ["dead-memory", "short-circuit", "interleave", "hoist-allocations"];

/// Makes do with fewer blocks, allocations and copies: first values are made where they will be put
/// (which does away with their blocks), rows of threads are interleaved, then what is left of the allocations leaves loops.
pub fn optimise(prog: Prog<Memory>) -> Result<Prog<Memory>, Vec<Refusal>> {
    optimise_without(prog, &[], &mut |_, _| {})
}

/// As [`optimise`], without some of [`PASSES`]; each pass that ran is told, with the time it took.
pub fn optimise_without(
    mut prog: Prog<Memory>,
    skip: &[String],
    told: &mut dyn FnMut(&'static str, Duration),
) -> Result<Prog<Memory>, Vec<Refusal>> {
    let mut run = |name, pass: &mut dyn FnMut(&mut Prog<Memory>)| {
        if !skip.iter().any(|s| s == name) {
            let start = Instant::now();
            pass(&mut prog);
            told(name, start.elapsed());
        }
    };
    let [dead, shortcircuit, interleave, hoist] = PASSES;
    let mut errors = vec![];
    run(dead, &mut dead::remove);
    run(shortcircuit, &mut shortcircuit::shortcircuit);
    // Not in the list of passes: kernels need it.
    run("expand", &mut |prog| errors = expand::expand(prog));
    if !errors.is_empty() {
        return Err(errors);
    }
    run(dead, &mut dead::remove);
    run(interleave, &mut interleave::interleave);
    run(hoist, &mut hoist::hoist);
    Ok(prog)
}
