//! `fehu check`.

use crate::report::{report, Format, Warnings};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
    /// Print no warnings.
    #[arg(short = 'w', long = "no-warnings")]
    no_warnings: bool,
    /// Treat warnings as errors.
    #[arg(long = "Werror")]
    werror: bool,
    /// Print problems as JSON, one object a line, for editors.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let front = fehu_driver::front::check_file(&args.file);
    let warnings = match (args.no_warnings, args.werror) {
        (_, true) => Warnings::AreErrors,
        (true, false) => Warnings::Hidden,
        (false, false) => Warnings::Shown,
    };
    let format = if args.json { Format::Json } else { Format::Text };
    report(&front, warnings, format)
}
