//! `fehu datacmp`.

use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu datacmp`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file of values, text or binary.
    a: PathBuf,
    /// Another.
    b: PathBuf,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match fehu_tools::datacmp::datacmp(&args.a, &args.b) {
        Ok(differences) => {
            differences.iter().for_each(|d| outln!("{d}"));
            ExitCode::from(u8::from(!differences.is_empty()))
        }
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(2)
        }
    }
}
