//! `fehu test`: runs the test blocks in the comments of programs.
//!
//! Each program is compiled once, to a server that all of its data sets run on, one after another. Programs are
//! tested in parallel. `program` says what is done with a program, `case` what with a data set, `property` what with
//! a property, `running` what happens when one of them ends the server.

mod built;
mod case;
mod interpreted;
mod program;
mod progress;
mod property;
mod running;
mod scripted;
mod structure;

use crate::programs::Compiler;
use crate::threads;
use fehu_data::ProgramSpec;
use fehu_driver::files::read_source;
use fehu_driver::target::Target;
use program::test_program;
use progress::Progress;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What to do with each program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Only check it.
    Check,
    /// Check it and turn it into the core IR.
    Lower,
    /// Count operations in the compiled program, for its `structure` blocks, and do nothing else.
    Structure,
    /// Compile it, but run nothing.
    Compile,
    /// Run its data sets on the interpreter.
    Interpret,
    /// Run its data sets and properties.
    Run,
}

/// What to test, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The back end.
    pub target: Target,
    /// Another compiler to use than this one.
    pub compiler: Option<PathBuf>,
    /// Options for the compiler.
    pub compiler_options: Vec<String>,
    /// How far to go.
    pub depth: Depth,
    /// Programs tested at a time.
    pub concurrency: usize,
    /// Tags whose programs and data sets are left out.
    pub exclude: Vec<String>,
    /// Only this entry point.
    pub entry_point: Option<String>,
    /// Options for the executables.
    pub pass_options: Vec<String>,
    /// The extension of tuning files, if they are to be used.
    pub tuning: Option<String>,
    /// The extension of cache files, if they are to be used.
    pub cache: Option<String>,
    /// A program that runs the executables.
    pub runner: Option<String>,
    /// Whether standard output is a terminal on which a table may be drawn.
    pub terminal: bool,
    /// The longest that one run may take.
    pub time_limit: Duration,
    /// Where the random numbers of property tests start.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            target: Target::C,
            compiler: None,
            compiler_options: vec![],
            depth: Depth::Run,
            concurrency: std::thread::available_parallelism().map_or(1, usize::from),
            exclude: vec![],
            entry_point: None,
            pass_options: vec![],
            tuning: Some("tuning".into()),
            cache: None,
            runner: None,
            terminal: false,
            time_limit: Duration::from_secs(300),
            seed: 0,
        }
    }
}

/// How many of each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Programs that behaved.
    pub passed: usize,
    /// Programs that did not.
    pub failed: usize,
    /// Programs left out.
    pub skipped: usize,
    /// Data sets and properties of all programs that are as expected.
    pub runs_passed: usize,
    /// Data sets and properties that are not.
    pub runs_failed: usize,
    /// Expectations of `structure` blocks that name an operation which we do not have.
    pub untestable: usize,
}

/// What became of a program.
#[derive(Default)]
struct Outcome {
    skipped: bool,
    /// Why it failed; nothing if it did not.
    failures: Vec<String>,
    runs_passed: usize,
    runs_failed: usize,
    untestable: usize,
}

impl Outcome {
    fn failed(message: impl Into<String>) -> Outcome {
        Outcome { failures: vec![message.into()], ..Outcome::default() }
    }
}

/// Whether a program of these has a test block, also one that cannot be read.
pub fn any_test_block(programs: &[PathBuf]) -> bool {
    let tested = |path: &PathBuf| {
        read_source(path).map_or(true, |text| !matches!(ProgramSpec::parse(&text), Ok(None)))
    };
    programs.iter().any(tested)
}

/// Tests programs. Failures are printed as they occur, and so are, to standard error, warnings that a back end has
/// about a program, such as what will not run in parallel.
pub fn test(files: &[PathBuf], options: &Options) -> Result<Tally, String> {
    let compiler =
        Compiler::new(options.target.name(), options.compiler.as_deref(), &options.compiler_options)?;
    let progress = Progress::new(files.len(), options.terminal);
    let next = AtomicUsize::new(0);
    threads::workers(options.concurrency.clamp(1, files.len().max(1)), || loop {
        let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        if crate::output::failed() {
            return;
        }
        let outcome = test_program(file, &compiler, options, &|text| progress.warn(text));
        progress.finished(file, outcome);
    });
    Ok(progress.end())
}
