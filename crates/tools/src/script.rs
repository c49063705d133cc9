//! `fehu script`: evaluates FutharkScript with the functions of a program, and prints the result.
//!
//! In: a program, or a server that was compiled before, and expressions. Out: the value of the last, as text or in the
//! binary format. Functions need not be entry points: those that the expressions name become some.

use crate::programs::script::{evaluate, Format, Places, ScriptError, Store};
use crate::programs::{Compiler, ServerProcess};
use fehu_data::script::{parse_script, Exp};
use fehu_driver::files::TempFolder;
use std::path::{Path, PathBuf};

/// What to evaluate with, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the back end.
    pub backend: String,
    /// Another compiler to use instead of this one.
    pub compiler: Option<PathBuf>,
    /// Options for the compiler.
    pub compiler_options: Vec<String>,
    /// Take a server that was compiled before, named like the program without `.fut`.
    pub skip_compilation: bool,
    /// Options for the program.
    pub pass_options: Vec<String>,
    /// Whether to print what the program writes to its standard error.
    pub show_log: bool,
    /// Whether the result is printed in the binary format.
    pub binary: bool,
}

/// Evaluates expressions in order; the last one's value, as it is to be printed.
pub fn script(program: &Path, expressions: &[String], options: &Options) -> Result<Vec<u8>, String> {
    let scripts: Vec<Exp> = expressions
        .iter()
        .map(|text| parse_script(text).map_err(|e| format!("the script cannot be read: {e}")))
        .collect::<Result<_, _>>()?;
    let dir = TempFolder::new()?;
    let server = if program.extension().is_none_or(|e| e != "fut") {
        program.to_owned()
    } else if options.skip_compilation {
        program.with_extension("")
    } else {
        let output = dir.path().join("server");
        let compiler =
            Compiler::new(&options.backend, options.compiler.as_deref(), &options.compiler_options)?;
        let mut names = vec![];
        scripts.iter().for_each(|s| s.functions(&mut names));
        compiler.server(program, &names, &output)?;
        output
    };
    let mut process = ServerProcess::start(&server, None, &options.pass_options)?;
    let places = Places { program, scratch: dir.path(), store: Store::Anywhere };
    let format = if options.binary { Format::Binary } else { Format::Text };
    let mut log = vec![];
    let result = process.talk(None, |server| match evaluate(server, &places, &scripts, format, &mut log) {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(ScriptError::Script(message)) => Ok(Err(message)),
        Err(ScriptError::Server(e)) => Err(e),
    });
    if options.show_log {
        log.iter().for_each(|line| crate::errln!("{line}"));
        crate::output::complain(format_args!("{}", process.take_stderr()));
    }
    result.map_err(|trouble| trouble.to_string())?
}
