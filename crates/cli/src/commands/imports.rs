//! `fehu imports`.

use crate::report::show_all;
use fehu_tools::outln;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu imports`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let loaded = fehu_driver::load::load(&args.file);
    if !loaded.errors.is_empty() {
        show_all(&loaded.errors, &loaded.sources);
        return ExitCode::from(1);
    }
    for unit in &loaded.units[loaded.prelude..] {
        if let Some(path) = loaded.sources.path(unit.file) {
            outln!("{}", path.display());
        }
    }
    ExitCode::SUCCESS
}
