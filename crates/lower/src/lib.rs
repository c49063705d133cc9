//! From the typed tree to the core IR.
//!
//! In: a checked program ([`fehu_check::tast::Program`]). Out: a core program
//! over `Soacs` ([`fehu_ir::Prog`]): first order, monomorphic, flat.
//!
//! Lowering is evaluation. The language keeps function values out of branches,
//! loops and arrays, so at compile time every function that is applied is
//! known. The lowerer walks the tree as an interpreter would, with an
//! environment of `Value`s: functions are closures of the compiler,
//! data are flat lists of core operands, and what an interpreter would compute
//! is emitted as statements. Polymorphism, higher-order functions, modules and
//! functors are thereby gone without passes of their own:
//!
//! ```text
//! let twice 'a (f: a -> a) (x: a) = f (f x)        emits nothing
//! twice (\y -> y * y) z                            emits  t1 = z * z;  t2 = t1 * t1
//! ```
//!
//! Top-level functions of data to data that are large or recursive become core
//! functions, once per shape of their arguments; `calls.rs` decides.
//!
//! Reading order: `value.rs`, `lowerer.rs` (the state, and who may change what), then `types.rs` (surface types to
//! run-time types), `exp.rs` (expressions), `apply.rs` (functions), `soacs.rs` (parallelism), `entry.rs` (the
//! outside world). `code.rs` and what is built on it emit statements, and know nothing of the typed tree.

#![forbid(unsafe_code)]

mod apply;
mod arrays;
mod attributes;
mod branch;
mod call_table;
mod calls;
mod checks;
mod code;
mod decs;
mod derivatives;
mod entry;
mod equality;
mod exp;
mod flat;
mod index;
mod intrinsics;
mod loops;
mod lowerer;
mod opaques;
mod patterns;
mod persistent;
mod ranges;
mod scalar;
mod sizes;
mod slices;
mod soacs;
mod stops;
mod sums;
mod types;
mod value;

use fehu_base::{Diagnostic, FileId};
use fehu_check::tast::Program;
use fehu_ir::{Prog, Soacs};

/// Lowers a program. What the compiler cannot translate yet is said in a diagnostic.
pub fn lower(program: &Program, options: &Options) -> Result<Prog<Soacs>, Vec<Diagnostic>> {
    decs::lower_program(program, options)
}

/// What to lower, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Functions to be treated as entry points besides those declared so.
    pub extra_entries: Vec<String>,
    /// The files of the prelude: problems found there are reported where the user's text calls them.
    pub prelude: Vec<FileId>,
    /// Keep all checks, also where the program says `#[unsafe]`.
    pub safe: bool,
    /// Mark the places at which an interpreter stops.
    pub stops: bool,
}
