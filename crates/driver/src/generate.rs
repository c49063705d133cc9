//! Runs the pipelines: for text, and for people who want to see what happens on the way.

use crate::compile::Settings;
use crate::front::Front;
use crate::pipelines;
use crate::times::Times;
use fehu_base::{Diagnostic, Span};
use fehu_codegen::Output;
use fehu_pass::{Flow, Form, Need, Pipeline, Runner, Step, StepId, Stop};
use std::cell::RefCell;

/// The text of a program, and what its author should know about it.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Generated {
    pub text: Output,
    pub warnings: Vec<Diagnostic>,
}

/// Generates the text of a program.
pub fn generate(front: &Front, settings: &Settings, times: &mut Times) -> Result<Generated, Vec<Diagnostic>> {
    let warnings = RefCell::default();
    let pipeline = pipelines::of(front, settings, &warnings);
    let mut runner = runner(settings);
    check_skipped(&runner.skip, pipeline.steps())?;
    let text = pipeline.run((), &mut runner);
    for (step, time) in &runner.times {
        times.add(&step.to_string(), *time);
    }
    let text = text.map_err(Stop::diagnostics)?;
    drop(pipeline);
    Ok(Generated { text, warnings: warnings.into_inner() })
}

/// How to run pipelines, by the settings and the environment: `FEHU_SKIP_PASS`, `FEHU_PASS_LIMIT` and
/// `FEHU_VALIDATE`, which reach every command.
pub(crate) fn runner<'a>(settings: &Settings) -> Runner<'a> {
    let mut skip = settings.skip_passes.clone();
    if let Ok(more) = std::env::var("FEHU_SKIP_PASS") {
        skip.extend(more.split(',').map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()));
    }
    let limit = std::env::var(PASS_LIMIT).ok().and_then(|n| n.parse().ok());
    let validate = cfg!(debug_assertions) || std::env::var_os("FEHU_VALIDATE").is_some();
    Runner { skip, limit, validate, ..Runner::default() }
}

/// The variable that limits how many optional passes run.
pub const PASS_LIMIT: &str = "FEHU_PASS_LIMIT";

/// That what is to be left out are passes that can be left out.
fn check_skipped(skip: &[String], steps: &[Step<'_>]) -> Result<(), Vec<Diagnostic>> {
    let mut optional: Vec<&str> = vec![];
    let mut passes: Vec<&str> = vec![];
    each_step(steps, &mut |step| {
        passes.push(step.name);
        if step.need == Need::Optional && !optional.contains(&step.name) {
            optional.push(step.name);
        }
    });
    for name in skip {
        let base = name.split('#').next().unwrap_or_default();
        // A pass of another back end: the environment reaches them all.
        let elsewhere = !passes.contains(&base) && optional_passes().contains(&base);
        if !optional.contains(&base) && !elsewhere {
            let message = format!("There is no pass named \"{name}\" that can be left out.");
            let help = format!("the passes are: {}", optional.join(", "));
            return Err(vec![Diagnostic::error(Span::NONE, message).help(help)]);
        }
    }
    Ok(())
}

/// The optional passes of all back ends.
pub fn optional_passes() -> Vec<&'static str> {
    names_of(|step| step.need == Need::Optional)
}

/// The names of all steps of all back ends.
pub fn steps() -> Vec<&'static str> {
    names_of(|_| true)
}

fn names_of(wanted: fn(&Step<'_>) -> bool) -> Vec<&'static str> {
    let (front, warnings) = (Front::empty(), RefCell::default());
    let mut names = std::collections::BTreeSet::new();
    for target in crate::target::Target::ALL {
        let settings = Settings::executable(target, std::path::PathBuf::new());
        each_step(pipelines::of(&front, &settings, &warnings).steps(), &mut |step| {
            if wanted(step) {
                names.insert(step.name);
            }
        });
    }
    names.into_iter().collect()
}

/// All steps, also those inside of others.
pub fn each_step(steps: &[Step<'_>], f: &mut dyn FnMut(&Step<'_>)) {
    for step in steps {
        f(step);
        each_step(step.inner(), f);
    }
}

/// Shows each program on the way to someone, until that one has seen enough.
pub fn watch(
    front: &Front,
    settings: &Settings,
    watcher: &mut dyn FnMut(&StepId, &dyn Form) -> Flow,
) -> Result<(), Vec<Diagnostic>> {
    watched(front, settings, watcher, |pipeline, runner| pipeline.run((), runner).map(|_| ()))
}

/// The same for someone who wants to see some steps: those after the last of them do not run, and when they
/// must and panic, what was seen is kept.
pub(crate) fn watch_until(
    front: &Front,
    settings: &Settings,
    wanted: &dyn Fn(&StepId, &Step<'_>) -> bool,
    watcher: &mut dyn FnMut(&StepId, &dyn Form) -> Flow,
) -> Result<(), Vec<Diagnostic>> {
    watched(front, settings, watcher, |pipeline, runner| pipeline.run_until((), runner, wanted))
}

fn watched(
    front: &Front,
    settings: &Settings,
    watcher: &mut dyn FnMut(&StepId, &dyn Form) -> Flow,
    run: impl FnOnce(&Pipeline<'_, (), Output>, &mut Runner<'_>) -> Result<(), Stop>,
) -> Result<(), Vec<Diagnostic>> {
    let warnings = RefCell::default();
    let pipeline = pipelines::of(front, settings, &warnings);
    let mut forward = |id: &StepId, form: &dyn Form| watcher(id, form);
    let mut runner = runner(settings);
    check_skipped(&runner.skip, pipeline.steps())?;
    runner.watcher = Some(&mut forward);
    match run(&pipeline, &mut runner) {
        Ok(()) | Err(Stop::Watched) => Ok(()),
        Err(stop @ (Stop::Errors(_) | Stop::Refused(_) | Stop::Panicked)) => Err(stop.diagnostics()),
    }
}

/// The thresholds that choose between versions of a program on a GPU.
pub fn tuning_forest(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let prog = pipelines::lower(front, settings).map_err(Stop::diagnostics)?;
    let pipeline = pipelines::soacs_in_versions(settings).then(pipelines::flattened(settings));
    let prog = pipeline.run(prog, &mut runner(settings)).map_err(Stop::diagnostics)?;
    Ok(fehu_flatten::tuning_forest(&prog))
}
