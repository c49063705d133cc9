//! `fehu profile`.

use fehu_tools::profile::{profile, Profiled, Traces};
use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu profile`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `fehu bench --profile --json` wrote.
    #[arg(required = true, value_name = "JSONFILES")]
    files: Vec<PathBuf>,
    /// Also write the events of each data set as a trace, which Perfetto and speedscope open.
    #[arg(long)]
    trace: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let traces = if args.trace { Traces::Written } else { Traces::None };
    let mut failed = false;
    for file in &args.files {
        match profile(file, traces) {
            Ok(Profiled { folder, summaries, notes }) => {
                notes.iter().for_each(|note| errln!("fehu: {note}"));
                summaries.iter().for_each(|summary| outln!("{summary}"));
                outln!("Wrote {}", folder.join("index.html").display());
            }
            Err(message) => {
                errln!("fehu: {message}");
                failed = true;
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
