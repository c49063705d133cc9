//! `fehu test`.

use crate::names::{own_backend, program_files};
use crate::project;
use fehu_driver::target::Target;
use fehu_tools::output::progress_bars;
use fehu_tools::test::{any_test_block, test, Depth, Options, Tally};
use fehu_tools::{errln, outln};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Options of `fehu test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Programs, and folders to search for programs [default: the project].
    #[arg(add = program_files())]
    paths: Vec<PathBuf>,
    /// The back end to compile with.
    #[arg(long, default_value = "c", value_parser = own_backend())]
    backend: Target,
    /// Run compiled programs (the default).
    #[arg(short = 'c', long = "compiled")]
    compiled: bool,
    /// Compile the programs, but do not run them.
    #[arg(short = 'C', long = "compile", group = "depth")]
    compile_only: bool,
    /// Run programs on the interpreter of the core IR, without compiling them; properties are not tested.
    #[arg(short = 'i', long = "interpreted", group = "depth")]
    interpreted: bool,
    /// Check the programs and turn them into the core IR, but do not compile or run them.
    #[arg(short = 'I', long = "internalise", group = "depth")]
    internalise: bool,
    /// Count operations, as `structure` blocks of the programs ask, and do nothing else.
    #[arg(short = 's', long = "structure", group = "depth")]
    structure: bool,
    /// Check the programs, but do not compile or run them.
    #[arg(short = 't', long = "typecheck", group = "depth")]
    check_only: bool,
    /// For prog.fut, keep what speeds up the next start in prog.fut.EXTENSION.
    #[arg(long = "cache-extension", value_name = "EXTENSION")]
    cache_extension: Option<String>,
    /// How many programs to test at a time [default: one per core].
    #[arg(long, value_name = "NUM")]
    concurrency: Option<usize>,
    /// Only run this entry point.
    #[arg(long = "entry-point", value_name = "NAME")]
    entry_point: Option<String>,
    /// Leave out programs and data sets with this tag.
    #[arg(long, value_name = "TAG")]
    exclude: Vec<String>,
    /// Compile with this program, which takes the same command line as fehu.
    #[arg(long, visible_alias = "fehu", value_name = "PROGRAM")]
    futhark: Option<PathBuf>,
    /// Draw no table; say every minute how far it is.
    #[arg(long = "no-terminal", visible_alias = "notty")]
    no_terminal: bool,
    /// Do not look for tuning files.
    #[arg(long = "no-tuning")]
    no_tuning: bool,
    /// An option for the compiler.
    #[arg(long = "pass-compiler-option", value_name = "OPT", allow_hyphen_values = true)]
    pass_compiler_option: Vec<String>,
    /// An option for the programs that are run.
    #[arg(short = 'p', long = "pass-option", value_name = "OPT", allow_hyphen_values = true)]
    pass_option: Vec<String>,
    /// Run programs through this one, which gets the executable as its first argument.
    #[arg(long, value_name = "PROGRAM")]
    runner: Option<String>,
    /// The seed of the random numbers of property tests [default: another one each time].
    #[arg(long, value_name = "INT", allow_hyphen_values = true, value_parser = seed)]
    seed: Option<u64>,
    /// The longest that one run may take, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
    /// The extension of tuning files: prog.fut is run with what prog.fut.EXTENSION says.
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    tuning: String,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let depth = match args {
        Args { check_only: true, .. } => Depth::Check,
        Args { internalise: true, .. } => Depth::Lower,
        Args { interpreted: true, .. } => Depth::Interpret,
        Args { structure: true, .. } => Depth::Structure,
        Args { compile_only: true, .. } => Depth::Compile,
        _ => Depth::Run,
    };
    let defaults = Options::default();
    let options = Options {
        target: args.backend,
        compiler: args.futhark.clone(),
        compiler_options: args.pass_compiler_option.clone(),
        depth,
        concurrency: args.concurrency.unwrap_or(defaults.concurrency),
        exclude: args.exclude.clone(),
        entry_point: args.entry_point.clone(),
        pass_options: args.pass_option.clone(),
        tuning: (!args.no_tuning).then(|| args.tuning.clone()),
        cache: args.cache_extension.clone(),
        runner: args.runner.clone().filter(|r| !r.is_empty()),
        terminal: !args.no_terminal && progress_bars() && std::io::stdout().is_terminal(),
        time_limit: Duration::from_secs(args.timeout),
        // The hasher of the standard library is seeded by the system.
        seed: args.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
    };
    let programs = match project::programs(&args.paths, "test") {
        Ok(programs) => programs,
        Err(code) => return code,
    };
    match test(&programs, &options) {
        Ok(tally) => {
            match any_test_block(&programs) || tally.failed > 0 {
                true => outln!("{}", summary(&tally, depth)),
                false => errln!("fehu: there was nothing to run: no program has a test block"),
            }
            ExitCode::from(u8::from(tally.failed > 0))
        }
        Err(message) => {
            errln!("fehu: {message}");
            ExitCode::from(2)
        }
    }
}

/// The last line.
fn summary(tally: &Tally, depth: Depth) -> String {
    let mut line = format!("{}/{} passed", tally.passed, tally.passed + tally.failed);
    if tally.skipped > 0 {
        line += &format!(", {} skipped", tally.skipped);
    }
    if depth == Depth::Structure {
        let (good, all) = (tally.runs_passed, tally.runs_passed + tally.runs_failed);
        line += &format!("; {good}/{all} expectations met");
        if tally.untestable > 0 {
            line += &format!(", {} name what this compiler does not have", tally.untestable);
        }
    }
    line + "."
}

/// Seeds are 64 bits; negative ones are as good as others.
fn seed(text: &str) -> Result<u64, String> {
    let signed = text.parse::<i64>().map(|seed| seed as u64);
    signed.or_else(|_| text.parse::<u64>()).map_err(|_| "it must be an integer of 64 bits".to_owned())
}
