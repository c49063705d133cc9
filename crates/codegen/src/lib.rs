//! From the imperative IR to text: sequential C ([`c`]), and C with kernels for GPUs ([`gpu`]).
//!
//! In: an [`fehu_imp::syntax::Program`]. Out: an [`Output`]: the C text, the
//! header of the library and its manifest. Nothing here does IO or runs a
//! compiler, and the same program gives the same text, byte for byte.
//!
//! The text has two halves. What every program needs (memory, values, data
//! formats, the command line, the server) is the runtime in `rts/c`, real C files
//! that [`c`] pastes together. What is special to the program is printed here:
//!
//! - [`c::expr`], [`c::stm`] and [`c::fun`] print code: scalars become locals, a
//!   block becomes a counted reference and a typed pointer, errors become return
//!   codes with one clean-up at the end of each function.
//! - [`c::types`] lists the types of the entry points as tables, [`c::api`] and
//!   [`c::entry`] print the public functions, which only wrap what the runtime
//!   does with those tables; [`c::header`] and [`c::manifest`] describe them.
//!
//! Read [`c::generate`] first.

#![forbid(unsafe_code)]

pub mod c;
pub mod gpu;
pub mod multicore;

use fehu_imp::syntax::Loc;

/// What is to be made of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A library with a header and a manifest.
    Library,
    /// A program that runs one entry point on standard input.
    Executable,
    /// A program that obeys the commands of the server protocol.
    Server,
}

/// How to generate code.
pub struct Options<'a> {
    /// What to make.
    pub mode: Mode,
    /// The places of a location, innermost first, as messages show them (`file.fut:3:5-9`).
    pub backtrace: &'a dyn Fn(&Loc) -> Vec<String>,
    /// What the manifest says the compiler is.
    pub version: &'a str,
}

/// The generated texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The implementation, complete in itself.
    pub c_text: String,
    /// The header of a library.
    pub header: String,
    /// The manifest of a library, a JSON object.
    pub manifest_json: String,
}

impl fehu_pass::Language for Output {
    const NAME: &'static str = "text";

    fn print(&self) -> String {
        self.c_text.clone()
    }

    fn read(_: &str) -> Result<Self, String> {
        Err("generated text is not read back".into())
    }

    fn validate(&self) -> Result<(), Vec<String>> {
        Ok(())
    }
}

/// The places of a location, innermost first.
pub fn backtrace(sources: &fehu_base::SourceMap, loc: &Loc) -> Vec<String> {
    std::iter::successors(Some(loc), |l| l.caller.as_deref()).map(|l| sources.show(l.span)).collect()
}
