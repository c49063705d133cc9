//! One program: what its test blocks say, done in the order check, warnings, data sets, properties.

use super::built::Built;
use super::case::{run_case, CaseResult};
use super::interpreted::{can_interpret, interpret_case, prepare};
use super::property::test_properties;
use super::structure::test_structure;
use super::{Depth, Options, Outcome};
use crate::programs::{Compiled, Compiler};
use fehu_data::spec::{Action, EntrySpec, Pattern, RunSpec, TestRun};
use fehu_data::ProgramSpec;
use std::path::Path;

/// Tests a program; `say` prints what is no failure.
pub(super) fn test_program(
    file: &Path,
    compiler: &Compiler,
    options: &Options,
    say: &dyn Fn(&str),
) -> Outcome {
    let source = match fehu_driver::files::read_source(file) {
        Ok(text) => text,
        Err(e) => return Outcome::failed(format!("could not read it: {e}")),
    };
    let spec = match ProgramSpec::parse(&source) {
        Ok(spec) => spec.unwrap_or_default(),
        Err(e) => return Outcome::failed(format!("the test block cannot be read: {e}")),
    };
    if spec.tags.iter().any(|tag| excluded(tag, options)) {
        return skipped();
    }
    match &spec.action {
        Action::CompileError(_) if options.depth == Depth::Structure => skipped(),
        Action::CompileError(pattern) => refused(&compiler.check(file), pattern),
        Action::Run(run) if options.depth == Depth::Structure => test_structure(file, run, options),
        Action::Run(run) => test_run(file, run, compiler, options, say),
    }
}

fn skipped() -> Outcome {
    Outcome { skipped: true, ..Outcome::default() }
}

/// Whether programs and data sets with this tag are left out.
fn excluded(tag: &String, options: &Options) -> bool {
    tag == "disable"
        || tag == "notest"
        || tag.strip_prefix("no_") == Some(options.target.name())
        || options.exclude.contains(tag)
}

/// A program that must not compile.
fn refused(checked: &Compiled, pattern: &Pattern) -> Outcome {
    match &checked.result {
        Ok(()) => Outcome::failed("it should be refused, but is accepted"),
        Err(text) if pattern.matches(text) => Outcome::default(),
        Err(text) => Outcome::failed(format!("expected an error matching {pattern}, but got:\n{text}")),
    }
}

fn test_run(
    file: &Path,
    run: &RunSpec,
    compiler: &Compiler,
    options: &Options,
    say: &dyn Fn(&str),
) -> Outcome {
    let wanted = |name: &String| options.entry_point.as_ref().is_none_or(|e| e == name);
    let entries: Vec<&EntrySpec> = run.entries.iter().filter(|e| wanted(&e.entry)).collect();
    let properties: Vec<&String> = run.properties.iter().filter(|p| wanted(p)).collect();
    let entry_points: Vec<String> = run.entries.iter().map(|e| e.entry.clone()).collect();
    let mut built = match Built::new(file, compiler, options, entry_points.clone()) {
        Ok(built) => built,
        Err(message) => return Outcome::failed(message),
    };
    let runs = entries.iter().any(|e| !e.runs.is_empty());
    let compiled = match (options.depth, runs, properties.is_empty()) {
        (Depth::Interpret, ..) => return interpret(file, &entries, &entry_points, &mut built, options),
        (Depth::Check | Depth::Structure, ..) | (Depth::Compile | Depth::Run, false, true) => {
            compiler.check(file)
        }
        (Depth::Lower, ..) => compiler.lower(file, &entry_points),
        (Depth::Compile | Depth::Run, ..) => built.compile(),
    };
    for remark in &compiled.remarks {
        say(&format!("{remark}\n"));
    }
    let mut outcome = Outcome::default();
    for pattern in run.warnings.iter().filter(|p| !p.matches(&compiled.warnings)) {
        let got = &compiled.warnings;
        outcome.failures.push(format!("expected a warning matching {pattern}, but got:\n{got}"));
    }
    if let Err(message) = compiled.result {
        outcome.failures.push(message);
        return outcome;
    }
    if options.depth == Depth::Run {
        run_cases(file, &entries, &mut built, options, &mut outcome);
        run_properties(&properties, &mut built, options.seed, &mut outcome);
    }
    outcome
}

impl Outcome {
    /// Counts a data set.
    fn count(&mut self, entry: &str, case: &TestRun, result: CaseResult) {
        match result {
            CaseResult::Passed => self.runs_passed += 1,
            CaseResult::Failed(message) => {
                self.runs_failed += 1;
                let name = case.dataset_name();
                self.failures.push(format!("Entry point: {entry}; dataset: {name}:\n{message}"));
            }
        }
    }
}

fn run_cases(
    file: &Path,
    entries: &[&EntrySpec],
    built: &mut Built,
    options: &Options,
    outcome: &mut Outcome,
) {
    for entry in entries {
        for case in &entry.runs {
            if case.tags.iter().any(|tag| excluded(tag, options)) {
                continue;
            }
            outcome.count(&entry.entry, case, run_case(file, built, &entry.entry, case));
        }
    }
}

/// On the interpreter.
fn interpret(
    file: &Path,
    entries: &[&EntrySpec],
    entry_points: &[String],
    built: &mut Built,
    options: &Options,
) -> Outcome {
    let program = match prepare(file, entry_points, options) {
        Ok(program) => program,
        Err(message) => return Outcome::failed(message),
    };
    let mut outcome = Outcome::default();
    let cases = entries.iter().flat_map(|e| e.runs.iter().map(move |case| (&e.entry, case)));
    let cases =
        cases.filter(|(_, case)| can_interpret(case) && !case.tags.iter().any(|t| excluded(t, options)));
    for (entry, case) in cases {
        let result = interpret_case(file, &program, built, entry, case);
        outcome.count(entry, case, result.unwrap_or_else(CaseResult::Failed));
    }
    outcome
}

fn run_properties(properties: &[&String], built: &mut Built, seed: u64, outcome: &mut Outcome) {
    if properties.is_empty() {
        return;
    }
    for result in test_properties(properties, built, seed) {
        match result {
            Ok(()) => outcome.runs_passed += 1,
            Err(message) => {
                outcome.runs_failed += 1;
                outcome.failures.push(message);
            }
        }
    }
}
