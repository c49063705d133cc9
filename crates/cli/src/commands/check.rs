//! `fehu check`.

use crate::names::program_files;
use crate::project;
use crate::report::{Format, Reporter, Warnings};
use fehu_driver::front::check_file;
use fehu_tools::errln;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Programs, and folders to search for programs [default: the project].
    #[arg(add = program_files())]
    paths: Vec<PathBuf>,
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
    let programs = match project::programs(&args.paths, "check") {
        Ok(programs) => programs,
        Err(code) => return code,
    };
    if programs.is_empty() {
        let folders: Vec<String> = args.paths.iter().map(|path| path.display().to_string()).collect();
        errln!("fehu: there is nothing to check: no .fut file in the folder {}", folders.join(", "));
        return ExitCode::from(1);
    }
    let warnings = match (args.no_warnings, args.werror) {
        (_, true) => Warnings::AreErrors,
        (true, false) => Warnings::Hidden,
        (false, false) => Warnings::Shown,
    };
    let format = if args.json { Format::Json } else { Format::Text };
    let mut reporter = Reporter::new(warnings, format);
    let refused = programs.iter().filter(|program| !reporter.accepts(&check_file(program))).count();
    reporter.finish();
    let given = matches!(&args.paths[..], [path] if !path.is_dir());
    if format == Format::Text && !given {
        let all = match programs.len() {
            1 => "1 program".to_owned(),
            n => format!("{n} programs"),
        };
        match refused {
            0 => errln!("fehu: checked {all}"),
            refused => errln!("fehu: checked {all}, of which {refused} cannot be used"),
        }
    }
    ExitCode::from(u8::from(refused > 0))
}
