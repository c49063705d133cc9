//! `fehu script`.

use crate::names::backends;
use fehu_tools::output::write_bytes;
use fehu_tools::script::{script, Options};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu script`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program.
    program: PathBuf,
    /// The expression.
    #[arg(required_unless_present_any = ["expressions", "files"], conflicts_with_all = ["expressions", "files"])]
    expression: Option<String>,
    /// The back end to compile with.
    #[arg(long, value_name = "NAME", default_value = "c", value_parser = backends())]
    backend: String,
    /// Print the result in the binary format.
    #[arg(short = 'b', long)]
    binary: bool,
    /// Run the program with -D, and print what it says.
    #[arg(short = 'D', long)]
    debug: bool,
    /// Evaluate this expression, too.
    #[arg(short = 'e', long = "expression", id = "expressions", value_name = "EXP")]
    expressions: Vec<String>,
    /// Compile with this program, which takes the same command line as fehu.
    #[arg(long, visible_alias = "fehu", value_name = "PROGRAM")]
    futhark: Option<PathBuf>,
    /// Evaluate the expression in this file, too.
    #[arg(short = 'f', long = "file", id = "files", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Run the program with -L, and print what it says.
    #[arg(short = 'L', long)]
    log: bool,
    /// An option for the program.
    #[arg(short = 'p', long, value_name = "OPT", allow_hyphen_values = true)]
    pass_option: Vec<String>,
    /// An option for the compiler.
    #[arg(long, value_name = "OPT", allow_hyphen_values = true)]
    pass_compiler_option: Vec<String>,
    /// Take a server that was compiled before: for prog.fut, the executable prog.
    #[arg(long)]
    skip_compilation: bool,
    /// Print what the program says, such as traces.
    #[arg(short = 'v', long)]
    verbose: bool,
}

/// `matches` knows in which order -e and -f were given.
pub(crate) fn run(args: &Args, matches: Option<&clap::ArgMatches>) -> ExitCode {
    let expressions = match expressions(args, matches) {
        Ok(expressions) => expressions,
        Err(message) => {
            fehu_tools::errln!("fehu: {message}");
            return ExitCode::from(2);
        }
    };
    let flags = [(args.debug, "-D"), (args.log, "-L")];
    let flags = flags.into_iter().filter(|(on, _)| *on).map(|(_, flag)| flag.to_owned());
    let options = Options {
        backend: args.backend.clone(),
        compiler: args.futhark.clone(),
        compiler_options: args.pass_compiler_option.clone(),
        skip_compilation: args.skip_compilation,
        pass_options: flags.chain(args.pass_option.iter().cloned()).collect(),
        show_log: args.verbose || args.debug || args.log,
        binary: args.binary,
    };
    match script(&args.program, &expressions, &options) {
        Ok(bytes) => {
            write_bytes(&bytes);
            ExitCode::SUCCESS
        }
        Err(message) => {
            fehu_tools::errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}

/// All expressions, in the order of the command line.
fn expressions(args: &Args, matches: Option<&clap::ArgMatches>) -> Result<Vec<String>, String> {
    let at = |id: &str| matches.and_then(|m| m.indices_of(id)).into_iter().flatten().collect::<Vec<usize>>();
    let mut all: Vec<(usize, String)> = at("expressions").into_iter().zip(args.expressions.clone()).collect();
    for (at, file) in at("files").into_iter().zip(&args.files) {
        let text = fehu_driver::files::read_source(file)
            .map_err(|e| format!("could not read {}: {e}", file.display()))?;
        all.push((at, text));
    }
    all.sort_by_key(|(at, _)| *at);
    Ok(args.expression.iter().cloned().chain(all.into_iter().map(|(_, text)| text)).collect())
}
