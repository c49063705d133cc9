//! `fehu tokens`.

use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu tokens`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file.
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
    for t in &parsed.tokens {
        outln!("{} {:?} {}", parsed.sources.show(t.span), t.kind, parsed.sources.snippet(t.span));
    }
    ExitCode::SUCCESS
}
