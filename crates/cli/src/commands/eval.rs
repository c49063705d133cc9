//! `fehu eval`.

use crate::report::show_all;
use fehu_repl::{Answer, Problem, Session};
use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu eval`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file whose functions the expressions may use.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print no warnings; there are none.
    #[arg(short = 'w', long = "no-warnings")]
    no_warnings: bool,
    /// The expressions, whose values are printed.
    #[arg(required = true)]
    exprs: Vec<String>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(|line| outln!("{line}"));
    if let Some(Answer::Problem(problem)) = args.file.as_ref().map(|file| session.load(file)) {
        show_not_loaded(&problem);
        return ExitCode::from(1);
    }
    for exp in &args.exprs {
        match session.expression(exp) {
            Answer::Text(text) => outln!("{text}"),
            Answer::Problem(problem) => {
                show_problem(&problem);
                return ExitCode::from(1);
            }
            Answer::Done | Answer::Continue | Answer::Quit => {}
        }
    }
    ExitCode::SUCCESS
}

/// Says why a file was not loaded.
pub(crate) fn show_not_loaded(problem: &Problem) {
    match problem {
        Problem::Program(..) => show_problem(problem),
        Problem::Message(text) => errln!("fehu: {text}"),
    }
}

/// Prints what is wrong to standard error.
pub(crate) fn show_problem(problem: &Problem) {
    match problem {
        Problem::Program(errors, sources) => show_all(errors, sources),
        Problem::Message(text) => errln!("{text}"),
    }
}
