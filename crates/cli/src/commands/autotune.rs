//! `fehu autotune`.

use crate::names::backends;
use fehu_tools::autotune::{autotune, Options, SearchBy};
use fehu_tools::output::progress_bars;
use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Options of `fehu autotune`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program.
    program: PathBuf,
    /// The back end to compile with.
    #[arg(long, value_name = "NAME", default_value = "opencl", value_parser = backends())]
    backend: String,
    /// Compile with this program, which takes the same command line as fehu.
    #[arg(long, visible_alias = "fehu", value_name = "PROGRAM")]
    futhark: Option<PathBuf>,
    /// An option for the program.
    #[arg(long, value_name = "OPT", allow_hyphen_values = true)]
    pass_option: Vec<String>,
    /// How often to run for one measurement [default: ten times and more if runs are short, or three if that
    /// takes a second].
    #[arg(short = 'r', long, value_name = "COUNT")]
    runs: Option<usize>,
    /// How to search for thresholds.
    #[arg(long, value_enum, default_value_t = Strategy::Tree, value_name = "STRATEGY")]
    search: Strategy,
    /// How many measurements a stochastic search may make [default: 20 for each threshold and data set].
    #[arg(long, value_name = "COUNT")]
    budget: Option<usize>,
    /// Where the random numbers of a stochastic search begin: another number, another search.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Also try sizes of thread blocks and tiles, for each kernel: this takes much longer.
    #[arg(long)]
    sizes: bool,
    /// Say what is measured; twice for more.
    #[arg(short = 'v', long, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Take a server that was compiled before: for prog.fut, the executable prog.
    #[arg(long)]
    skip_compilation: bool,
    /// Take the test blocks from this file, where they are no comments.
    #[arg(long, value_name = "FILE")]
    spec_file: Option<PathBuf>,
    /// The extension of the tuning file.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    tuning: String,
    /// The longest that the first measurement of a data set may take (later ones are judged by it); a
    /// negative number for no limit.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true)]
    timeout: i64,
}

/// How to search for thresholds.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Strategy {
    /// From the innermost decision to the outermost, one measurement for each version.
    Tree,
    /// By guesses for all of them together.
    Stochastic,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let options = Options {
        backend: args.backend.clone(),
        compiler: args.futhark.clone(),
        skip_compilation: args.skip_compilation,
        pass_options: args.pass_option.clone(),
        runs: args.runs,
        spec_file: args.spec_file.clone(),
        tuning: args.tuning.trim_start_matches('.').to_owned(),
        timeout: u64::try_from(args.timeout).ok().map(Duration::from_secs),
        search: match args.search {
            Strategy::Tree => SearchBy::Tree,
            Strategy::Stochastic => SearchBy::Stochastic { budget: args.budget, seed: args.seed },
        },
        sizes: args.sizes,
        terminal: progress_bars(),
        verbose: args.verbose,
    };
    match autotune(&args.program, &options) {
        Ok(Some(file)) => {
            outln!("Wrote {}", file.display());
            ExitCode::SUCCESS
        }
        Ok(None) => ExitCode::SUCCESS,
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}
