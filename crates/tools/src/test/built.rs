//! What a program under test is compiled to. An executable always; a server and an executable by the C
//! back end when a data set first needs them.

use super::Options;
use crate::programs::Compiler;
use fehu_driver::compile::{compile, Failure, Settings};
use fehu_driver::front::Front;
use fehu_driver::target::Target;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// A program's compiled forms, in a folder of their own.
pub(super) struct Built<'a> {
    program: &'a Path,
    target: Target,
    entry_points: Vec<String>,
    dir: tempfile::TempDir,
    server: OnceCell<Result<PathBuf, String>>,
    reference: OnceCell<Result<PathBuf, String>>,
}

impl<'a> Built<'a> {
    /// For a program of which these are tested.
    pub(super) fn new(
        program: &'a Path,
        options: &Options,
        entry_points: Vec<String>,
    ) -> Result<Built<'a>, String> {
        let dir = tempfile::tempdir().map_err(|e| format!("could not make a temporary folder: {e}"))?;
        let (server, reference) = (OnceCell::new(), OnceCell::new());
        Ok(Built { program, target: options.target, entry_points, dir, server, reference })
    }

    /// Compiles the executable.
    pub(super) fn compile(&self) -> (Front, Result<(), Failure>) {
        compile(self.program, &self.settings(self.target, self.executable()))
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
            Compiler::Own(self.target).server(self.program, &self.entry_points, &output)?;
            Ok(output)
        };
        self.server.get_or_init(make).as_deref().map_err(Clone::clone)
    }

    /// The executable by the C back end, whose results count as right where a block says `auto output`;
    /// `None` if that is what is tested.
    pub(super) fn reference(&self) -> Result<Option<&Path>, String> {
        if self.target == Target::C {
            return Ok(None);
        }
        let make = || {
            let output = self.dir.path().join("reference");
            let (_, result) = compile(self.program, &self.settings(Target::C, output.clone()));
            match result {
                Ok(()) => Ok(output),
                Err(Failure::Program(_)) => Err("the C back end refuses the program".to_owned()),
                Err(Failure::Outside(message)) => Err(message),
            }
        };
        self.reference.get_or_init(make).as_deref().map(Some).map_err(Clone::clone)
    }

    fn settings(&self, target: Target, output: PathBuf) -> Settings {
        Settings { entry_points: self.entry_points.clone(), ..Settings::executable(target, output) }
    }
}
