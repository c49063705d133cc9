//! What a program under test is compiled to, each form when a test first needs it: an executable, a server, and an
//! executable by the C back end.

use super::{Depth, Options};
use crate::programs::{Compiled, Compiler};
use fehu_driver::compile::Product;
use fehu_driver::target::Target;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// A program's compiled forms, in a folder of their own.
pub(super) struct Built<'a> {
    program: &'a Path,
    compiler: &'a Compiler,
    /// Whether the executable by the C back end is what is tested.
    tests_reference: bool,
    entry_points: Vec<String>,
    dir: tempfile::TempDir,
    server: OnceCell<Result<PathBuf, String>>,
    reference: OnceCell<Result<PathBuf, String>>,
}

impl<'a> Built<'a> {
    /// For a program of which these are tested.
    pub(super) fn new(
        program: &'a Path,
        compiler: &'a Compiler,
        options: &Options,
        entry_points: Vec<String>,
    ) -> Result<Built<'a>, String> {
        let dir = tempfile::tempdir().map_err(|e| format!("could not make a temporary folder: {e}"))?;
        let (server, reference) = (OnceCell::new(), OnceCell::new());
        let tests_reference = options.target == Target::C && options.depth != Depth::Interpret;
        Ok(Built { program, compiler, tests_reference, entry_points, dir, server, reference })
    }

    /// Compiles the executable.
    pub(super) fn compile(&self) -> Compiled {
        self.compiler.compile(Product::Executable, self.program, &self.entry_points, &self.executable())
    }

    /// Compiles the server, instead of the executable.
    pub(super) fn compile_server(&self) -> Compiled {
        let output = self.dir.path().join("server");
        let compiled = self.compiler.compile(Product::Server, self.program, &self.entry_points, &output);
        let _ = self.server.set(compiled.result.clone().map(|()| output));
        compiled
    }

    /// Where the executable is.
    pub(super) fn executable(&self) -> PathBuf {
        self.dir.path().join("prog")
    }

    /// A folder for files of the tests.
    pub(super) fn scratch(&self) -> &Path {
        self.dir.path()
    }

    /// The program as a server.
    pub(super) fn server(&self) -> Result<&Path, String> {
        let make = || {
            let output = self.dir.path().join("server");
            self.compiler.server(self.program, &self.entry_points, &output)?;
            Ok(output)
        };
        self.server.get_or_init(make).as_deref().map_err(Clone::clone)
    }

    /// The executable by the C back end, whose results count as right where a block says `auto output`;
    /// `None` if that is what is tested.
    pub(super) fn reference(&self) -> Result<Option<&Path>, String> {
        if self.tests_reference {
            return Ok(None);
        }
        let make = || {
            let output = self.dir.path().join("reference");
            let compiler = self.compiler.for_backend(Target::C);
            let compiled = compiler.compile(Product::Executable, self.program, &self.entry_points, &output);
            compiled.result.map(|()| output)
        };
        let made = self.reference.get_or_init(make).as_deref();
        made.map(Some).map_err(|e| format!("the C back end does not compile the program:\n{e}"))
    }
}
