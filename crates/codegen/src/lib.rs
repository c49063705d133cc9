//! From the imperative IR to text: C for one core or several, and C with kernels for GPUs.
//!
//! In: an [`fehu_imp::syntax::Program`] and what is known of it. Out: an [`Output`]: the C text, the
//! header of the library and its manifest. Nothing here does IO or runs a
//! compiler, and the same program gives the same text, byte for byte.
//!
//! The text has two halves. What every program needs (memory, values, data
//! formats, the command line, the server) is the runtime in `crates/codegen/rts/c`, real C files
//! that [`c`] pastes together. What is special to the program is printed here:
//!
//! - `c/expr` and `c/stm` print code as all machines spell it; a `Dialect` says the rest: `c/cpu` for
//!   functions and tasks of CPUs, `gpu/driver` for the host of a GPU, `gpu/threads` for kernels. An `Api`
//!   says what OpenCL and CUDA do each in their own way.
//! - `c/types` lists the types of the entry points as tables, `c/api` and
//!   `c/entry` print the public functions, which only wrap what the runtime
//!   does with those tables; `c/header` and `c/manifest` describe them.
//!
//! Nothing is decided or found out here: what printers must know comes with the program, as [`fehu_impopt::Analysis`].
//! Read [`generate`] first, then `c/stm.rs`.

#![forbid(unsafe_code)]

mod c;
mod gpu;
mod multicore;

use fehu_imp::syntax::{Loc, Program};
use fehu_impopt::{Analysis, Memory};
use gpu::{cuda::Cuda, opencl::OpenCl};

/// What a program is to run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// One core of a CPU.
    C,
    /// Several cores of a CPU.
    Multicore,
    /// OpenCL 1.2 or later.
    OpenCl,
    /// NVIDIA's driver, with its compiler at run time.
    Cuda,
}

impl Backend {
    /// Where blocks are, for the host.
    pub fn memory(self) -> Memory {
        match self {
            Backend::C | Backend::Multicore => Memory::Own,
            Backend::OpenCl | Backend::Cuda => Memory::Device,
        }
    }
}

/// The texts for a program of which this is known.
pub fn generate(backend: Backend, program: &Program, analysis: &Analysis, options: &Options) -> Output {
    match backend {
        Backend::C => c::generate(program, analysis, options),
        Backend::Multicore => multicore::generate(program, analysis, options),
        Backend::OpenCl => gpu::generate::<OpenCl>(program, analysis, options),
        Backend::Cuda => gpu::generate::<Cuda>(program, analysis, options),
    }
}

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
    /// Whether sums of floats are the same for all numbers of threads and in all runs.
    pub deterministic: bool,
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
