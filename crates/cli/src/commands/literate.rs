//! `fehu literate`.

use crate::names::backends;
use fehu_tools::errln;
use fehu_tools::literate::{literate, Options};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
For prog.fut, writes prog.md: comments at the left margin become text, the program is
shown as code, and directives, which are comments that begin with `-- >`, are replaced
with what they give. Files are written to prog-img/; what has not changed is not
computed again.

  -- > sum (iota32 10i64)        the value of an expression (FutharkScript)
  -- > :img mandelbrot 400i64    a picture; :video, :plot2d, :gnuplot and :audio likewise
  -- > :brief D, :covert D       the directive D without its parameters, or not shown at all

Programs that are not yours can read any file with such directives, and run anything with
:gnuplot: read them first.";

/// Options of `fehu literate`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The program.
    program: PathBuf,
    /// The back end to compile with.
    #[arg(long, value_name = "NAME", default_value = "c", value_parser = backends())]
    backend: String,
    /// Compile with this program, which takes the same command line as fehu.
    #[arg(long, visible_alias = "fehu", value_name = "PROGRAM")]
    futhark: Option<PathBuf>,
    /// Where to write the document; files go to the folder of the same name with -img instead of the extension.
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// An option for the program.
    #[arg(short = 'p', long, value_name = "OPT", allow_hyphen_values = true)]
    pass_option: Vec<String>,
    /// An option for the compiler.
    #[arg(long, value_name = "OPT", allow_hyphen_values = true)]
    pass_compiler_option: Vec<String>,
    /// Take a server that was compiled before: for prog.fut, the executable prog.
    #[arg(long)]
    skip_compilation: bool,
    /// Stop at the first directive that fails, and write no document.
    #[arg(long)]
    stop_on_error: bool,
    /// Say what is done, and print what the program says, such as traces.
    #[arg(short = 'v', long)]
    verbose: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let options = Options {
        backend: args.backend.clone(),
        compiler: args.futhark.clone(),
        compiler_options: args.pass_compiler_option.clone(),
        pass_options: args.pass_option.clone(),
        output: args.output.clone(),
        skip_compilation: args.skip_compilation,
        stop_on_error: args.stop_on_error,
        verbose: args.verbose,
    };
    match literate(&args.program, &options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}
