//! What a program under test is compiled to, each form when a test first needs it: a server by the back end that is
//! tested, and one by the C back end.

use super::running::Running;
use super::{Depth, Options};
use crate::programs::{tuning, Compiled, Compiler};
use fehu_driver::compile::Product;
use fehu_driver::files::TempFolder;
use fehu_driver::target::Target;
use std::path::{Path, PathBuf};

/// A program's compiled forms, in a folder of their own, and the processes that they run in.
pub(super) struct Built<'a> {
    program: &'a Path,
    compiler: &'a Compiler,
    options: &'a Options,
    entry_points: Vec<String>,
    dir: TempFolder,
    tested: Option<Running>,
    reference: Option<Result<Running, String>>,
}

impl<'a> Built<'a> {
    /// For a program of which these are tested.
    pub(super) fn new(
        program: &'a Path,
        compiler: &'a Compiler,
        options: &'a Options,
        entry_points: Vec<String>,
    ) -> Result<Built<'a>, String> {
        let dir = TempFolder::new()?;
        Ok(Built { program, compiler, options, entry_points, dir, tested: None, reference: None })
    }

    /// Compiles the server that is tested.
    pub(super) fn compile(&self) -> Compiled {
        self.compiler.compile(Product::Server, self.program, &self.entry_points, &self.server())
    }

    fn server(&self) -> PathBuf {
        self.dir.path().join("server")
    }

    /// A folder for files of the tests.
    pub(super) fn scratch(&self) -> &Path {
        self.dir.path()
    }

    /// The program by the back end that is tested, which has been compiled.
    pub(super) fn tested(&mut self) -> &mut Running {
        let server = self.server();
        let (file, options) = (self.program, self.options);
        self.tested.get_or_insert_with(|| {
            let tuned = tuning::of(file, options.tuning.as_deref(), &server, options.runner.as_deref());
            let cache = options.cache.as_ref().map(|e| tuning::beside(file, e).display().to_string());
            let cache = cache.map_or(vec![], |file| vec!["--cache-file".to_owned(), file]);
            let pass_options = [tuned.options, cache, options.pass_options.clone()].concat();
            Running::new(server, options.runner.clone(), pass_options, options.time_limit)
        })
    }

    /// The program by the C back end, whose results count as right where a block says `auto output`;
    /// `None` if that is what is tested.
    pub(super) fn reference(&mut self) -> Result<Option<&mut Running>, String> {
        if self.options.target == Target::C && self.options.depth != Depth::Interpret {
            return Ok(None);
        }
        let made = match &mut self.reference {
            Some(made) => made,
            none => none.insert(compile_reference(
                self.program,
                self.compiler,
                self.options,
                &self.entry_points,
                self.dir.path().join("reference"),
            )),
        };
        made.as_mut().map(Some).map_err(|e| format!("the C back end does not compile the program:\n{e}"))
    }
}

fn compile_reference(
    program: &Path,
    compiler: &Compiler,
    options: &Options,
    entry_points: &[String],
    output: PathBuf,
) -> Result<Running, String> {
    let compiler = compiler.for_backend(Target::C);
    compiler.compile(Product::Server, program, entry_points, &output).result?;
    let tuned = tuning::of(program, options.tuning.as_deref(), &output, None).options;
    Ok(Running::new(output, None, tuned, options.time_limit))
}
