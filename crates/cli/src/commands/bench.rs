//! `fehu bench`.

use crate::names::{backends, program_files};
use crate::project;
use fehu_tools::bench::{all_measured, bench, Options, Plan};
use fehu_tools::errln;
use fehu_tools::output::progress_bars;
use regex::Regex;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Options of `fehu bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Programs, and folders to search for programs [default: the project].
    #[arg(add = program_files())]
    paths: Vec<PathBuf>,
    /// The back end to compile with.
    #[arg(long, value_name = "NAME", default_value = "c", value_parser = backends())]
    backend: String,
    /// Pass --cache-file PROGRAM.EXTENSION to programs.
    #[arg(long, value_name = "EXTENSION")]
    cache_extension: Option<String>,
    /// How many programs to compile at a time [default: one per core].
    #[arg(long, value_name = "NUM")]
    concurrency: Option<usize>,
    /// How long to look for a better mean at most.
    #[arg(long, value_name = "NUM", default_value_t = 10)]
    convergence_max_seconds: u64,
    /// Only run this entry point.
    #[arg(short = 'e', long, value_name = "NAME")]
    entry_point: Option<String>,
    /// Leave out data sets with this tag.
    #[arg(long = "exclude-case", visible_alias = "exclude", value_name = "TAG")]
    exclude_case: Vec<String>,
    /// Compile with this program, which takes the same command line as fehu.
    #[arg(long, visible_alias = "fehu", value_name = "PROGRAM")]
    futhark: Option<PathBuf>,
    /// Leave out programs whose path matches this regular expression.
    #[arg(long, value_name = "REGEX")]
    ignore_files: Vec<Regex>,
    /// Write all measurements to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Do not run longer when the mean is uncertain.
    #[arg(long)]
    no_convergence_phase: bool,
    /// Do not look for tuning files.
    #[arg(long)]
    no_tuning: bool,
    /// An option for the programs that are run.
    #[arg(short = 'p', long, value_name = "OPT", allow_hyphen_values = true)]
    pass_option: Vec<String>,
    /// An option for the compiler.
    #[arg(long, value_name = "OPT", allow_hyphen_values = true)]
    pass_compiler_option: Vec<String>,
    /// Run once more with profiling, and write what was found to the JSON file, for `fehu profile`.
    #[arg(short = 'P', long, requires = "json")]
    profile: bool,
    /// Run programs through this one, which gets the executable as its first argument.
    #[arg(long, value_name = "PROGRAM")]
    runner: Option<String>,
    /// How often to run at least.
    #[arg(short = 'r', long, value_name = "COUNT", default_value_t = 10)]
    runs: usize,
    /// Take servers that were compiled before: for prog.fut, the executable prog.
    #[arg(long)]
    skip_compilation: bool,
    /// Take the test blocks from this file, where they are no comments.
    #[arg(long, value_name = "FILE")]
    spec_file: Option<PathBuf>,
    /// The longest that all runs of a data set may take; a negative number for no limit.
    #[arg(long, value_name = "SECONDS", default_value_t = -1, allow_negative_numbers = true)]
    timeout: i64,
    /// The extension of tuning files: prog.fut is run with what prog.fut.EXTENSION says.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    tuning: String,
    /// Say more about what happens; twice for even more.
    #[arg(short = 'v', long, action = clap::ArgAction::Count)]
    verbose: u8,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let longest = Duration::from_secs(args.convergence_max_seconds);
    let options = Options {
        backend: args.backend.clone(),
        compiler: args.futhark.clone(),
        compiler_options: args.pass_compiler_option.clone(),
        skip_compilation: args.skip_compilation,
        concurrency: args.concurrency.unwrap_or(cores),
        plan: Plan {
            runs: args.runs,
            converge: (!args.no_convergence_phase).then_some(longest),
            ..Plan::default()
        },
        timeout: u64::try_from(args.timeout).ok().map(Duration::from_secs),
        exclude: args.exclude_case.clone(),
        entry_point: args.entry_point.clone(),
        ignore_files: args.ignore_files.clone(),
        spec_file: args.spec_file.clone(),
        pass_options: args.pass_option.clone(),
        runner: args.runner.clone().filter(|r| !r.is_empty()),
        tuning: (!args.no_tuning).then(|| args.tuning.clone()),
        cache_extension: args.cache_extension.clone(),
        profile: args.profile,
        json: args.json.clone(),
        terminal: progress_bars(),
        verbose: args.verbose,
    };
    let programs = match project::programs(&args.paths, "bench") {
        Ok(programs) => programs,
        Err(code) => return code,
    };
    match bench(&programs, &options) {
        Ok(results) => ExitCode::from(u8::from(!all_measured(&results))),
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}
