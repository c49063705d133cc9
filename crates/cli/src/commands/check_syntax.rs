//! `fehu check-syntax`.

use crate::report::show_all;
use fehu_tools::errln;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu check-syntax`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file; its imports are not looked at.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let parsed = match fehu_driver::load::parse_one(&args.file) {
        Ok(parsed) => parsed,
        Err(message) => {
            errln!("fehu: {message}");
            return ExitCode::from(1);
        }
    };
    show_all(&parsed.errors, &parsed.sources);
    ExitCode::from(u8::from(!parsed.errors.is_empty()))
}
