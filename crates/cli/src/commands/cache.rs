//! `fehu cache`.

use fehu_driver::cache::{Cache, NoCache, Size, MAX_AGE, MAX_BYTES};
use fehu_tools::{errln, outln};
use std::process::ExitCode;

/// Options of `fehu cache`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Remove all executables from the cache.
    Clean,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let cache = match Cache::open() {
        Ok(cache) => cache,
        Err(none @ NoCache::NoPlace) => {
            outln!("There is nothing: {none}.");
            return ExitCode::SUCCESS;
        }
        Err(refused @ NoCache::Refused(..)) => {
            errln!("fehu: {refused}");
            return ExitCode::from(1);
        }
    };
    let done = match args.action {
        None => cache.size().map(|size| {
            let days = MAX_AGE.as_secs() / (24 * 60 * 60);
            outln!("{}", cache.folder().display());
            outln!("{}", shown(size));
            outln!("At most {} are kept, none longer than {days} days without use.", mebibytes(MAX_BYTES));
        }),
        Some(Action::Clean) => cache.clean().map(|size| outln!("Removed {}", shown(size))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            errln!("fehu: {}: {e}", cache.folder().display());
            ExitCode::from(1)
        }
    }
}

fn shown(size: Size) -> String {
    let plural = if size.entries == 1 { "" } else { "s" };
    format!("{} executable{plural}, {}", size.entries, mebibytes(size.bytes))
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64)
}
