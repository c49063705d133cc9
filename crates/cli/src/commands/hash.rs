//! `fehu hash`.

use crate::report::show_all;
use fehu_tools::outln;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu hash`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
}

/// Hashes the tokens of all files, so that spaces and comments do not matter.
pub(crate) fn run(args: &Args) -> ExitCode {
    let loaded = fehu_driver::load::load(&args.file);
    if !loaded.errors.is_empty() {
        show_all(&loaded.errors, &loaded.sources);
        return ExitCode::from(1);
    }
    outln!("{}", fehu_driver::hash::program_hash(&loaded));
    ExitCode::SUCCESS
}
