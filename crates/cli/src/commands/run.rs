//! `fehu run`: compile and run in one go.

use crate::report::{show, show_all, Warnings};
use fehu_driver::compile::{Failure, Settings};
use fehu_driver::target::Target;
use fehu_driver::{cache, compile, front};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Options of `fehu run`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
    /// The entry point to call.
    #[arg(short = 'e', long = "entry-point", value_name = "NAME", default_value = "main")]
    entry: String,
    /// Print no warnings.
    #[arg(short = 'w', long = "no-warnings")]
    no_warnings: bool,
    /// Print the result in the binary format.
    #[arg(short = 'b', long = "binary-output")]
    binary: bool,
}

/// The executable is kept in a cache folder, so the second run starts at once.
pub(crate) fn run(args: &Args) -> ExitCode {
    let front = front::check_file(&args.file);
    let warnings = if args.no_warnings { Warnings::Hidden } else { Warnings::Shown };
    if !show(&front, warnings) {
        return ExitCode::from(1);
    }
    let entry_points = vec![args.entry.clone()];
    let executable = cache::place(&front, &format!("run {}", args.entry));
    if !executable.exists() {
        let settings = Settings { entry_points, ..Settings::executable(Target::C, executable.clone()) };
        match compile::into_cache(&front, &settings) {
            Ok(()) => {}
            Err(Failure::Program(errors)) => {
                show_all(&errors, &front.sources);
                return ExitCode::from(1);
            }
            Err(Failure::Outside(message)) => {
                eprintln!("fehu: {message}");
                return ExitCode::from(1);
            }
        }
    }
    let mut command = Command::new(&executable);
    command.args(["-e", &args.entry]);
    if args.binary {
        command.arg("-b");
    }
    match command.status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(e) => {
            eprintln!("fehu: could not run {}: {e}", executable.display());
            ExitCode::from(1)
        }
    }
}
