//! `fehu test`.

use fehu_driver::target::Target;
use fehu_tools::output::progress_bars;
use fehu_tools::test::{test, Depth, Options};
use fehu_tools::{any_test_block, errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Options of `fehu test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Programs, and folders to search for programs.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The back end to compile with.
    #[arg(long, default_value = "c", value_parser = Target::named)]
    backend: Target,
    /// Compile the programs, but do not run them.
    #[arg(short = 'C', conflicts_with = "check_only")]
    compile_only: bool,
    /// Check the programs, but do not compile or run them.
    #[arg(short = 't')]
    check_only: bool,
    /// Run compiled programs (the default; there is no other way).
    #[arg(short = 'c')]
    compiled: bool,
    /// How many programs to test at a time [default: one per core].
    #[arg(long, value_name = "NUM")]
    concurrency: Option<usize>,
    /// Leave out programs and data sets with this tag.
    #[arg(long, value_name = "TAG")]
    exclude: Vec<String>,
    /// Only run this entry point.
    #[arg(long = "entry-point", value_name = "NAME")]
    entry_point: Option<String>,
    /// An option for the programs that are run.
    #[arg(long = "pass-option", value_name = "OPT", allow_hyphen_values = true)]
    pass_option: Vec<String>,
    /// The extension of tuning files: prog.fut is run with what prog.fut.EXTENSION says.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    tuning: String,
    /// Do not look for tuning files.
    #[arg(long = "no-tuning")]
    no_tuning: bool,
    /// Run programs through this one, which gets the executable as its first argument.
    #[arg(long)]
    runner: Option<String>,
    /// Draw no progress bar.
    #[arg(long = "no-terminal")]
    no_terminal: bool,
    /// The longest that one run may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let depth = match (args.check_only, args.compile_only) {
        (true, _) => Depth::Check,
        (false, true) => Depth::Compile,
        (false, false) => Depth::Run,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        target: args.backend,
        depth,
        concurrency: args.concurrency.unwrap_or(cores),
        exclude: args.exclude.clone(),
        entry_point: args.entry_point.clone(),
        pass_options: args.pass_option.clone(),
        tuning: (!args.no_tuning).then(|| args.tuning.clone()),
        runner: args.runner.clone().filter(|r| !r.is_empty()),
        terminal: !args.no_terminal && progress_bars(),
        time_limit: Duration::from_secs(args.timeout),
    };
    match test(&args.paths, &options) {
        Ok(tally) => {
            if !any_test_block(&args.paths) {
                errln!("fehu: there was nothing to run: no program has a test block");
            }
            outln!("{} passed, {} failed, {} skipped", tally.passed, tally.failed, tally.skipped);
            ExitCode::from(u8::from(tally.failed > 0))
        }
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(2)
        }
    }
}
