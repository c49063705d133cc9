//! `fehu bench`: how long programs take on the data sets of their test blocks.
//!
//! Programs are compiled to servers, several at a time, and then run one after
//! another, so that nothing disturbs a measurement. A data set runs once to
//! warm up (its result is compared with what the test block expects), and then
//! as often as [`Plan`] says. Open `bench/measure.rs` for when that is enough.

mod dataset;
mod measure;
pub mod results;
mod table;

pub use measure::Plan;
pub(crate) use table::size;

use crate::programs::select::Selection;
use crate::programs::{in_parallel, tuning, Compiler, Maker, ServerProcess};
use crate::{errln, outln, output};
use dataset::{run_dataset, Job};
use fehu_data::spec::EntrySpec;
use fehu_driver::files::{write, TempFolder};
use indicatif::{ProgressBar, ProgressStyle};
use regex::Regex;
use results::{entry_key, Outcome, Results};
use std::path::{Path, PathBuf};
use std::time::Duration;
use table::Row;

/// What to measure, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the back end.
    pub backend: String,
    /// Another compiler to use instead of this one.
    pub compiler: Option<PathBuf>,
    /// Options for the compiler.
    pub compiler_options: Vec<String>,
    /// Take servers that were compiled before, named like the programs without `.fut`.
    pub skip_compilation: bool,
    /// Programs compiled at a time.
    pub concurrency: usize,
    /// How often to run.
    pub plan: Plan,
    /// The longest that all runs of a data set may take together.
    pub timeout: Option<Duration>,
    /// Tags whose data sets are left out.
    pub exclude: Vec<String>,
    /// Only this entry point.
    pub entry_point: Option<String>,
    /// Programs whose path matches are left out.
    pub ignore_files: Vec<Regex>,
    /// A file with test blocks that hold instead of the programs' own.
    pub spec_file: Option<PathBuf>,
    /// Options for the programs.
    pub pass_options: Vec<String>,
    /// A program that runs the servers.
    pub runner: Option<String>,
    /// The extension of tuning files, if they are to be used.
    pub tuning: Option<String>,
    /// The extension of files in which programs may cache what speeds up their start.
    pub cache_extension: Option<String>,
    /// Run once more in the end with profiling and logging.
    pub profile: bool,
    /// Where results are written, after each data set: if this is stopped, those that are there can be used.
    pub json: Option<PathBuf>,
    /// Whether progress may be drawn.
    pub terminal: bool,
    /// How much to tell.
    pub verbose: u8,
}

/// A program and what to run of it.
struct Program {
    file: PathBuf,
    entries: Vec<EntrySpec>,
    server: PathBuf,
}

/// Measures all programs, and prints what it finds.
pub fn bench(files: &[PathBuf], options: &Options) -> Result<Results, String> {
    let selection = Selection {
        backend: &options.backend,
        exclude: &options.exclude,
        entry_point: options.entry_point.as_deref(),
        spec_file: options.spec_file.as_deref(),
    };
    let dir = TempFolder::new()?;
    let mut programs = vec![];
    for file in files {
        let name = file.display().to_string();
        if options.ignore_files.iter().any(|r| r.is_match(&name)) {
            continue;
        }
        let entries = selection.of(file)?;
        if entries.is_empty() {
            continue;
        }
        let server = if options.skip_compilation {
            file.with_extension("")
        } else {
            dir.path().join(format!("program{}", programs.len()))
        };
        programs.push(Program { file: file.clone(), entries, server });
    }
    if programs.is_empty() {
        errln!("fehu: there was nothing to measure: no program has a data set");
        let none = Results::default();
        store(&none, options)?;
        return Ok(none);
    }
    if !options.skip_compilation {
        compile_all(&programs, options)?;
    }
    announce(&options.plan);
    let mut results = Results::default();
    for program in &programs {
        if output::failed() {
            break;
        }
        run_program(program, dir.path(), options, &mut results)?;
    }
    Ok(results)
}

/// Whether every data set could be measured.
pub fn all_measured(results: &Results) -> bool {
    let mut outcomes = results.programs.iter().flat_map(|(_, datasets)| datasets);
    outcomes.all(|(_, outcome)| matches!(outcome, Outcome::Measured(_)))
}

fn compile_all(programs: &[Program], options: &Options) -> Result<(), String> {
    let compiler = Compiler::new(&options.backend, options.compiler.as_deref(), &options.compiler_options)?;
    let bar = if options.terminal { ProgressBar::new(programs.len() as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} compiled: {msg}") {
        bar.set_style(style);
    }
    let compiled = in_parallel(programs, options.concurrency, |program| {
        bar.set_message(program.file.display().to_string());
        if options.verbose > 0 {
            bar.suspend(|| errln!("Compiling {}.", program.file.display()));
        }
        let entries: Vec<String> = program.entries.iter().map(|e| e.entry.clone()).collect();
        let result = compiler.server(&program.file, &entries, &program.server);
        bar.inc(1);
        result.map_err(|e| format!("could not compile {}:\n{e}", program.file.display()))
    });
    bar.finish_and_clear();
    compiled.into_iter().collect()
}

fn announce(plan: &Plan) {
    outln!(
        "Mean of at least {} runs of each data set, over at least {:.1} s.",
        plan.runs,
        plan.least.as_secs_f64()
    );
    if let Some(longest) = plan.converge {
        outln!("While that leaves much doubt, runs go on for up to {} s.", longest.as_secs());
    }
}

/// Writes what is known so far to the file that was asked for.
fn store(results: &Results, options: &Options) -> Result<(), String> {
    match &options.json {
        Some(file) => write(file, format!("{}\n", results.to_json())),
        None => Ok(()),
    }
}

fn run_program(
    program: &Program,
    dir: &Path,
    options: &Options,
    results: &mut Results,
) -> Result<(), String> {
    let tuned =
        tuning::of(&program.file, options.tuning.as_deref(), &program.server, options.runner.as_deref());
    let mut command_line = tuned.options;
    if let Some(extension) = &options.cache_extension {
        let file = tuning::beside(&program.file, extension);
        command_line.extend(["--cache-file".to_owned(), file.display().to_string()]);
    }
    if options.profile {
        command_line.extend(["-P".to_owned(), "-L".to_owned()]);
    }
    command_line.extend_from_slice(&options.pass_options);
    let maker = Maker {
        program: &program.file,
        server: &program.server,
        runner: options.runner.as_deref(),
        options: &command_line,
        limit: options.timeout,
    };
    let mut process: Option<ServerProcess> = None;
    for entry in &program.entries {
        let key = entry_key(&program.file, &entry.entry);
        let note = match (&options.tuning, &tuned.file) {
            (None, _) => String::new(),
            (Some(_), None) => " (no tuning file)".into(),
            (Some(_), Some(file)) => format!(" (with {})", file.display()),
        };
        outln!("\n{key}{note}:");
        let width = table::name_width(&entry.runs);
        results.programs.push((key, vec![]));
        for case in &entry.runs {
            let row = Row { name: case.dataset_name(), width, verbose: options.verbose };
            let started = match process {
                Some(_) => Ok(()),
                None => {
                    if options.verbose > 0 {
                        errln!("Starting {} {}", program.server.display(), command_line.join(" "));
                    }
                    let runner = options.runner.as_deref();
                    ServerProcess::start(&program.server, runner, &command_line).map(|p| process = Some(p))
                }
            };
            let outcome = match started {
                Ok(()) => {
                    let job = Job { maker: &maker, entry: &entry.entry, case, dir, options };
                    run_dataset(&mut process, &job, &row)
                }
                Err(message) => Outcome::Failed(message),
            };
            outln!("{}", row.finished(&outcome));
            if let Some((_, outcomes)) = results.programs.last_mut() {
                outcomes.push((row.name, outcome));
            }
            store(results, options)?;
        }
    }
    Ok(())
}
