//! The imperative IR: what is left when arrays have become memory.
//!
//! A [`syntax::Program`] has functions over scalars and memory blocks, close enough to C that `codegen` is a
//! printer, and kernels that its functions launch. `impgen` makes it from core programs over `Memory`;
//! `impopt` holds the passes over it. Read [`syntax`] first, then [`ops`]: what host, tasks and kernels do,
//! each for itself. [`print`](mod@print) writes programs as text, which [`read`] reads back;
//! [`validate`](mod@validate) checks them. [`build`] makes expressions, [`visit`] and [`parts`] walk over
//! code, [`free`] finds free names, [`alias`] says which blocks may be the same; [`eval`] runs programs, as
//! the oracle for tests.

#![forbid(unsafe_code)]

pub mod alias;
pub mod build;
mod declared;
pub mod eval;
pub mod free;
mod infix;
pub mod ops;
pub mod parts;
pub mod print;
pub mod read;
pub mod syntax;
pub mod validate;
pub mod visit;

use syntax::Program;

impl fehu_pass::Language for Program {
    const NAME: &'static str = "imp";

    fn print(&self) -> String {
        print::print_program(self)
    }

    fn read(text: &str) -> Result<Self, String> {
        read::read_program(text).map_err(|e| e.to_string())
    }

    fn validate(&self) -> Result<(), Vec<String>> {
        validate::validate(self)
    }
}
