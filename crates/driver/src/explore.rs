//! For people who work on the compiler: what the pipelines do to a program, step by step.
//!
//! `fehu dev` is the command line of this. [`list`] prints a back end's steps; [`after`] and [`diff`] show what
//! a step leaves or changes; [`crate::explain`] says what kernels read, and what memory is for; [`from_text`]
//! runs steps on a program given as IR text; [`round_trip`] makes sure that printing loses nothing; [`bisect`]
//! finds the optional pass that breaks a program.

use crate::compile::Settings;
use crate::front::Front;
use crate::generate::{runner, watch, watch_until, PASS_LIMIT};
use crate::pipelines;
use fehu_base::{Diagnostic, Span};
use fehu_imp::syntax::Program;
use fehu_ir::{Kernels, Memory, Prog, Soacs};
use fehu_pass::{Flow, Form, Language, Need, Runner, Step, StepId};
use std::cell::RefCell;
use std::fmt::Write;
use std::process::Command;

/// The steps of a back end, one a line: name, languages, whether it can be left out, and the reason.
pub fn list(settings: &Settings) -> String {
    let (front, warnings) = (Front::empty(), RefCell::default());
    let mut text = String::new();
    let mut counts = rustc_hash::FxHashMap::default();
    lines(pipelines::of(&front, settings, &warnings).steps(), 0, &mut counts, &mut text);
    text
}

fn lines(
    steps: &[Step<'_>],
    indent: usize,
    counts: &mut rustc_hash::FxHashMap<&'static str, usize>,
    out: &mut String,
) {
    for step in steps {
        let nth = counts.entry(step.name).or_default();
        *nth += 1;
        let name = match step.inner().is_empty() {
            true => format!("{:indent$}{}#{nth}", "", step.name),
            false => format!("{:indent$}{}:", "", step.name),
        };
        let over =
            if step.from == step.to { step.to.into() } else { format!("{} -> {}", step.from, step.to) };
        let optional = match step.need {
            Need::Optional => "optional",
            Need::Required => "",
        };
        let _ = writeln!(out, "{name:26} {over:18} {optional:9} {}", step.reason);
        lines(step.inner(), indent + 2, counts, out);
    }
}

/// The program after a step: `simplify#3`, `simplify` for its last run, or the name of a language for the
/// last program in it.
pub fn after(front: &Front, settings: &Settings, step: &str) -> Result<String, Vec<Diagnostic>> {
    let mut found = None;
    let wanted = |id: &StepId, s: &Step<'_>| id.matches(step) || s.to == step;
    let result = watch_until(front, settings, &wanted, &mut |id, form| {
        if id.matches(step) || form.language() == step {
            found = Some(form.print());
        }
        Flow::Continue
    });
    // What was asked for may come before what goes wrong.
    match (found, result) {
        (Some(text), _) => Ok(text),
        (None, Err(errors)) => Err(errors),
        (None, Ok(())) => Err(vec![no_step(settings, step)]),
    }
}

/// What a step changes, as a unified diff of the programs before and after it.
pub fn diff(front: &Front, settings: &Settings, step: &str) -> Result<String, Vec<Diagnostic>> {
    let (mut before, mut found) = (String::new(), None);
    let wanted = |id: &StepId, _: &Step<'_>| id.matches(step);
    let result = watch_until(front, settings, &wanted, &mut |id, form| {
        let now = form.print();
        if id.matches(step) {
            found = Some((id.clone(), std::mem::take(&mut before), now.clone()));
        }
        before = now;
        Flow::Continue
    });
    match (found, result) {
        (Some((id, before, after)), _) => {
            let changes = similar::TextDiff::from_lines(&before, &after);
            let header = (format!("before {id}"), format!("after {id}"));
            let text = changes.unified_diff().context_radius(3).header(&header.0, &header.1).to_string();
            Ok(text)
        }
        (None, Err(errors)) => Err(errors),
        (None, Ok(())) => Err(vec![no_step(settings, step)]),
    }
}

pub(crate) fn no_step(settings: &Settings, step: &str) -> Diagnostic {
    let message = format!("There is no step named \"{step}\" on the way to {}.", settings.target.name());
    Diagnostic::error(Span::NONE, message)
        .help("`fehu dev --list` names them, for the back end of `--backend`")
}

/// What steps make of a program given as text.
#[derive(Debug)]
pub struct Made {
    /// The program after the last of them.
    pub text: String,
    /// What the user would be warned of.
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no program after the last step.
#[derive(Debug)]
pub enum NotMade {
    /// The text is no program that these steps take.
    Input(String),
    /// A step cannot compile the program.
    Refused(String, Vec<Diagnostic>),
}

impl std::fmt::Display for NotMade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotMade::Input(problem) => f.write_str(problem),
            NotMade::Refused(step, problems) => {
                write!(f, "{step} refuses the program:")?;
                problems.iter().try_for_each(|d| write!(f, "\n{}", d.message))
            }
        }
    }
}

/// Runs steps on a program given as text, whose first word names its language.
pub fn from_text(settings: &Settings, text: &str, steps: &[String]) -> Result<Made, NotMade> {
    let (front, warnings) = (Front::empty(), RefCell::default());
    let pipeline = pipelines::of(&front, settings, &warnings);
    let mut prog = read(text).map_err(NotMade::Input)?;
    prog.validate()
        .map_err(|errors| NotMade::Input(format!("the program is not valid:\n{}", errors.join("\n"))))?;
    let mut runner = Runner { validate: true, ..Runner::default() };
    for name in steps {
        let language = prog.language();
        let step = find(pipeline.steps(), name, language)
            .ok_or_else(|| NotMade::Input(format!("there is no step named {name} over {language}")))?;
        prog = runner.apply(step, prog).map_err(|stop| NotMade::Refused(name.clone(), stop.diagnostics()))?;
    }
    Ok(Made { text: prog.print(), warnings: warnings.take() })
}

/// A step by its name and the language it takes.
fn find<'s, 'a>(steps: &'s [Step<'a>], name: &str, language: &str) -> Option<&'s Step<'a>> {
    steps.iter().find_map(|step| {
        let fits = step.name == name && step.from == language && step.inner().is_empty();
        if fits {
            Some(step)
        } else {
            find(step.inner(), name, language)
        }
    })
}

/// A program in the language that its first word names. Comment lines may stand before it.
fn read(text: &str) -> Result<Box<dyn Form>, String> {
    fn as_form<L: Language>(text: &str) -> Result<Box<dyn Form>, String> {
        Ok(Box::new(L::read(text)?))
    }
    let first = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with("--"));
    match first {
        Some("soacs") => as_form::<Prog<Soacs>>(text),
        Some("kernels") => as_form::<Prog<Kernels>>(text),
        Some("memory") => as_form::<Prog<Memory>>(text),
        Some("imp") => as_form::<Program>(text),
        Some(_) | None => {
            Err("the first line of a program must name its language: soacs, kernels, memory or imp".into())
        }
    }
}

/// Whether printing and reading back loses nothing, after every step whose language can be read: the first
/// where it does.
pub fn round_trip(front: &Front, settings: &Settings) -> Result<Option<String>, Vec<Diagnostic>> {
    let mut lost = None;
    // A step that changes nothing need not be read again: many have nothing to do.
    let mut before = String::new();
    watch(front, settings, &mut |id, form| {
        if !["soacs", "kernels", "memory", "imp"].contains(&form.language()) {
            return Flow::Continue;
        }
        let text = form.print();
        if text != before && !form.reads_back(&text) {
            lost = Some(id.to_string());
            return Flow::Stop;
        }
        before = text;
        Flow::Continue
    })?;
    Ok(lost)
}

/// What [`bisect`] found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Culprit {
    /// The command fails without any optional pass.
    NoPass,
    /// The command succeeds with all of them.
    NoFailure,
    /// It fails from this run of a pass on.
    Pass(String),
}

/// Finds the optional pass that makes a shell command fail, by limiting how many passes run in the compilers
/// that it starts. `tried` is called before each run with the number of passes.
pub fn bisect(
    front: &Front,
    settings: &Settings,
    command: &str,
    tried: &mut dyn FnMut(usize),
) -> Result<Culprit, String> {
    let passes = optional(front, settings).map_err(|errors| match errors.first() {
        Some(d) => d.message.clone(),
        None => "the program cannot be compiled".into(),
    })?;
    let mut succeeds = |limit: usize| {
        tried(limit);
        Command::new("sh")
            .args(["-c", command])
            .env(PASS_LIMIT, limit.to_string())
            .status()
            .map(|status| status.success())
            .map_err(|e| format!("the command cannot be run: {e}"))
    };
    if !succeeds(0)? {
        return Ok(Culprit::NoPass);
    }
    if succeeds(passes.len())? {
        return Ok(Culprit::NoFailure);
    }
    // Succeeds with `good` passes, fails with `bad`.
    let (mut good, mut bad) = (0, passes.len());
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if succeeds(middle)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(Culprit::Pass(passes[good].to_string()))
}

/// The optional passes that run on a program, in order.
fn optional(front: &Front, settings: &Settings) -> Result<Vec<StepId>, Vec<Diagnostic>> {
    let warnings = RefCell::default();
    let mut runner = runner(settings);
    let result = pipelines::of(front, settings, &warnings).run((), &mut runner);
    match result {
        Ok(_) => Ok(runner.optional),
        Err(stop) => Err(stop.diagnostics()),
    }
}
