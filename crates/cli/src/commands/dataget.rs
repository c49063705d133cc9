//! `fehu dataget`.

use fehu_tools::errln;
use fehu_tools::output::write_bytes;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu dataget`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program with the test block.
    program: PathBuf,
    /// A part of the data set's name, such as #1; the first one that has it is taken.
    dataset: String,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match fehu_tools::dataget::dataget(&args.program, &args.dataset) {
        Ok(bytes) => {
            write_bytes(&bytes);
            ExitCode::SUCCESS
        }
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}
