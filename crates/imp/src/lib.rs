//! The imperative IR: what is left when arrays have become memory.
//!
//! A [`syntax::Program`] has functions over scalars and memory blocks, close enough to C that `codegen` is a printer, and
//! kernels that its functions launch. `impgen` makes it from core programs over `Memory`; `impopt` holds the passes over it.
//! Read [`syntax`] first. [`build`] makes expressions, [`parts`] and [`free`] look at them, [`alias`] says which blocks may
//! be the same; [`eval`] runs programs, as the oracle for tests.

#![forbid(unsafe_code)]

pub mod alias;
pub mod build;
pub mod eval;
pub mod free;
pub mod parts;
pub mod syntax;
pub mod visit;

use syntax::Program;

impl fehu_pass::Language for Program {
    const NAME: &'static str = "imp";

    fn print(&self) -> String {
        format!("{self:#?}\n")
    }

    fn read(_: &str) -> Result<Self, String> {
        Err("the imperative IR cannot be read".into())
    }

    fn validate(&self) -> Result<(), Vec<String>> {
        Ok(())
    }
}
