//! `fehu profile`.

use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
For each FILE.json, makes a folder FILE.prof with, for each data set, a .summary of
time by operation and by source line, a .timeline of all events, the .log of the
program, and pages for browsers, beginning with DATASET-index.html.

  fehu bench --profile --json=result.json prog.fut
  fehu profile result.json

A file may also be a single report, as the C function futhark_context_report() gives it.";

/// Options of `fehu profile`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// What `fehu bench --profile --json` wrote.
    #[arg(required = true, value_name = "JSONFILES")]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let mut failed = false;
    for file in &args.files {
        let mut notes = vec![];
        let result = fehu_tools::profile::profile(file, &mut notes);
        for note in notes {
            errln!("fehu: {note}");
        }
        match result {
            Ok(folder) => outln!("Wrote {}", folder.display()),
            Err(message) => {
                errln!("fehu: {message}");
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
