//! `structure` blocks: how often operations occur in the compiled program.

use super::{Options, Outcome};
use crate::programs::rendered;
use fehu_data::spec::{RunSpec, StructureTest};
use fehu_driver::compile::Settings;
use fehu_driver::front::{check_file, Front};
use fehu_driver::structure::{structure, Stage, Structure};
use std::path::{Path, PathBuf};

/// Counts what a program's blocks ask for. A program that asks for nothing that can be counted is left out.
pub(super) fn test_structure(file: &Path, run: &RunSpec, options: &Options) -> Outcome {
    if run.structures.is_empty() {
        return Outcome { skipped: true, ..Outcome::default() };
    }
    let front = check_file(file);
    if front.failed() {
        return Outcome::failed(rendered(&front.diagnostics, &front.sources));
    }
    let entry_points = run.entries.iter().map(|e| e.entry.clone()).collect();
    let settings = Settings { entry_points, ..Settings::executable(options.target, PathBuf::new()) };
    let mut outcome = Outcome::default();
    for test in &run.structures {
        one_block(&front, &settings, test, &mut outcome);
    }
    outcome.skipped = outcome.runs_passed + outcome.runs_failed == 0 && outcome.failures.is_empty();
    outcome
}

fn one_block(front: &Front, settings: &Settings, test: &StructureTest, outcome: &mut Outcome) {
    let name = test.pipeline.as_deref();
    let Some(stage) = Stage::named(name) else {
        outcome.untestable += test.counts.len();
        return;
    };
    let (known, unknown): (Vec<_>, Vec<_>) = test.counts.iter().partition(|(p, _)| Structure::is_known(p));
    outcome.untestable += unknown.len();
    if known.is_empty() {
        return;
    }
    let found = match structure(front, settings, stage) {
        Ok(found) => found,
        Err(errors) => {
            outcome.runs_failed += known.len();
            outcome.failures.push(rendered(&errors, &front.sources));
            return;
        }
    };
    for (path, wanted) in known {
        let count = found.count(path);
        if count == *wanted {
            outcome.runs_passed += 1;
        } else {
            outcome.runs_failed += 1;
            let pipeline = name.map_or(String::new(), |n| format!("Pipeline {n}: "));
            outcome.failures.push(format!(
                "{pipeline}{path} should have occurred {wanted} times, but occurred {count} times."
            ));
        }
    }
}
