//! `fehu test`: runs the test blocks in the comments of programs.
//!
//! Each program is compiled once and run once for each data set. Programs are
//! tested in parallel; a program's own data sets run one after another.

mod built;
mod case;
mod process;
mod scripted;

use crate::programs::{find, tuning};
use crate::{errln, outln, output};
use built::Built;
use case::{run_case, CaseResult};
use fehu_base::diagnostic::Colour;
use fehu_base::Severity;
use fehu_data::spec::{Action, RunSpec};
use fehu_data::ProgramSpec;
use fehu_driver::compile::Failure;
use fehu_driver::front::{check_file, Front};
use fehu_driver::target::Target;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Duration;

/// What to do with each program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Only check it.
    Check,
    /// Compile it, but run nothing.
    Compile,
    /// Run its data sets.
    Run,
}

/// What to test, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The back end.
    pub target: Target,
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
    /// A program that runs the executables.
    pub runner: Option<String>,
    /// Whether a progress bar may be drawn.
    pub terminal: bool,
    /// The longest that one run may take.
    pub time_limit: Duration,
}

/// How many of each.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Programs that behaved.
    pub passed: usize,
    /// Programs that did not.
    pub failed: usize,
    /// Programs left out.
    pub skipped: usize,
}

/// What became of a program.
enum Outcome {
    Passed,
    Skipped,
    Failed(Vec<String>),
}

/// Tests all programs; folders are searched for `.fut` files. Failures are printed as they occur, and so are, to standard
/// error, warnings that a back end has about a program, such as what will not run in parallel.
pub fn test(paths: &[PathBuf], options: &Options) -> Result<Tally, String> {
    let files = find(paths)?;
    let bar = if options.terminal { ProgressBar::new(files.len() as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} programs, {msg}") {
        bar.set_style(style);
    }
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        for _ in 0..options.concurrency.max(1).min(files.len().max(1)) {
            let worker = || loop {
                let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                if output::failed() {
                    return;
                }
                let outcome = test_program(file, options, &|text| bar.suspend(|| errln!("{text}")));
                let mut tally = tally.lock().unwrap_or_else(|e| e.into_inner());
                match outcome {
                    Outcome::Passed => tally.passed += 1,
                    Outcome::Skipped => tally.skipped += 1,
                    Outcome::Failed(messages) => {
                        tally.failed += 1;
                        let text = format!("{}:\n{}\n", file.display(), indent(&messages));
                        bar.suspend(|| outln!("{text}"));
                    }
                }
                bar.set_message(format!("{} failed", tally.failed));
                bar.inc(1);
            };
            // The compiler recurses over programs.
            let _ = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, worker);
        }
    });
    bar.finish_and_clear();
    Ok(tally.into_inner().unwrap_or_else(|e| e.into_inner()))
}

fn indent(messages: &[String]) -> String {
    messages.join("\n").lines().map(|l| format!("  {l}")).collect::<Vec<_>>().join("\n")
}

fn test_program(file: &Path, options: &Options, say: &dyn Fn(&str)) -> Outcome {
    let source = match fehu_driver::files::read_source(file) {
        Ok(text) => text,
        Err(e) => return Outcome::Failed(vec![format!("could not read it: {e}")]),
    };
    let spec = match ProgramSpec::parse(&source) {
        Ok(spec) => spec.unwrap_or_default(),
        Err(e) => return Outcome::Failed(vec![format!("the test block cannot be read: {e}")]),
    };
    let excluded = |tag: &String| {
        tag == "disable"
            || tag == "notest"
            || *tag == format!("no_{}", options.target.name())
            || options.exclude.contains(tag)
    };
    if spec.tags.iter().any(excluded) {
        return Outcome::Skipped;
    }
    match &spec.action {
        Action::CompileError(pattern) => {
            let front = check_file(file);
            let text = messages(&front, Severity::Error);
            if !front.failed() {
                Outcome::Failed(vec!["it should be refused, but is accepted".into()])
            } else if pattern.matches(&text) {
                Outcome::Passed
            } else {
                Outcome::Failed(vec![format!(
                    "expected an error matching {}, but got:\n{text}",
                    pattern.as_str()
                )])
            }
        }
        Action::Run(run) => test_run(file, run, options, say),
    }
}

fn messages(front: &Front, severity: Severity) -> String {
    front
        .diagnostics
        .iter()
        .chain(&front.remarks)
        .filter(|d| d.severity == severity)
        .map(|d| d.render(&front.sources, Colour::Never))
        .collect::<Vec<_>>()
        .join("\n")
}

fn test_run(file: &Path, run: &RunSpec, options: &Options, say: &dyn Fn(&str)) -> Outcome {
    let entry_points = run.entries.iter().map(|e| e.entry.clone()).collect();
    let built = match Built::new(file, options, entry_points) {
        Ok(built) => built,
        Err(message) => return Outcome::Failed(vec![message]),
    };
    let nothing_to_run = run.entries.iter().all(|e| e.runs.is_empty());
    let (front, compiled) = if options.depth == Depth::Check || nothing_to_run {
        (check_file(file), Ok(()))
    } else {
        built.compile()
    };
    if front.failed() {
        return Outcome::Failed(vec![messages(&front, Severity::Error)]);
    }
    for d in &front.remarks {
        say(&format!("{}\n", d.render(&front.sources, Colour::Never)));
    }
    let mut failures = vec![];
    let warnings = messages(&front, Severity::Warning);
    for pattern in &run.warnings {
        if !pattern.matches(&warnings) {
            failures.push(format!("expected a warning matching {}, but got:\n{warnings}", pattern.as_str()));
        }
    }
    match compiled {
        Ok(()) => {}
        Err(Failure::Program(errors)) => {
            failures.extend(errors.iter().map(|d| d.render(&front.sources, Colour::Never)));
            return Outcome::Failed(failures);
        }
        Err(Failure::Outside(message)) => {
            failures.push(message);
            return Outcome::Failed(failures);
        }
    }
    if options.depth == Depth::Run {
        let tuned =
            tuning::of(file, options.tuning.as_deref(), &built.executable(), options.runner.as_deref());
        let pass_options = [tuned.options, options.pass_options.clone()].concat();
        let options = &Options { pass_options, ..options.clone() };
        for entry in &run.entries {
            if options.entry_point.as_ref().is_some_and(|e| *e != entry.entry) {
                continue;
            }
            for case in &entry.runs {
                let skip = |t: &String| {
                    t == "notest"
                        || *t == format!("no_{}", options.target.name())
                        || options.exclude.contains(t)
                };
                if case.tags.iter().any(skip) {
                    continue;
                }
                match run_case(file, &built, &entry.entry, case, options) {
                    CaseResult::Passed => {}
                    CaseResult::Failed(message) => failures.push(format!(
                        "entry {}, data set {}: {message}",
                        entry.entry,
                        case.dataset_name()
                    )),
                }
            }
        }
    }
    if failures.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Failed(failures)
    }
}
