//! For people who work on the compiler: what the pipelines do to a program, step by step.
//!
//! `fehu dev` is the command line of this. [`list`] prints a back end's steps; [`after`] and [`diff`] show what a step
//! leaves or changes; [`from_text`] runs steps on a program given as IR text; [`round_trip`] makes sure that printing
//! loses nothing; [`bisect`] finds the optional pass that breaks a program.

use crate::compile::Settings;
use crate::front::Front;
use crate::generate::{runner, watch, watch_until, PASS_LIMIT};
use crate::pipelines;
use crate::target::Target;
use fehu_ad::explain::Way;
use fehu_base::{Diagnostic, Span};
use fehu_imp::syntax::Program;
use fehu_ir::{Kernels, Loc, Memory, Prog, Soacs, Space};
use fehu_kernels::opt::layout;
use fehu_memory::remaining::Kind as Left;
use fehu_memory::shortcircuit::Reason;
use fehu_opt::accumulators::{self, Became};
use fehu_pass::{Flow, Form, Language, Need, Runner, Step, StepId};
use fehu_syntax::TokenKind;
use rustc_hash::FxHashSet;
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

/// What the kernels of a program read, and whether in the order of memory: a line for each access.
pub fn explain_locality(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let mut rows = None;
    let mut before = None;
    let warps = match settings.target {
        Target::Cuda => layout::Warps::Exchange,
        Target::OpenCl | Target::C | Target::Multicore => layout::Warps::Unknown,
    };
    watch(front, settings, &mut |id, form| {
        if id.matches(layout::PASS.name) {
            rows = before.take();
        }
        before = form.as_any().downcast_ref().map(|prog| layout::explain::explain(prog, warps));
        Flow::Continue
    })?;
    let Some(rows) = rows else { return Err(vec![no_step(settings, "layout")]) };
    let mut text = String::new();
    for row in rows {
        let place = front.sources.show(outermost(&row.loc));
        let columns = (row.kernel, row.array, row.index, row.order);
        let _ = writeln!(
            text,
            "{place:24} {:8} {:28} {:20} {:17} {}",
            columns.0, columns.1, columns.2, columns.3, row.remedy
        );
    }
    Ok(text)
}

/// The copies and blocks that are left in a program, with their places and why they are: a line for each.
pub fn explain_memory(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let mut reasons = rustc_hash::FxHashMap::default();
    let mut before: Option<Prog<Memory>> = None;
    watch(front, settings, &mut |id, form| {
        if id.matches(fehu_memory::shortcircuit::PASS.name) {
            reasons = before.take().map(|prog| fehu_memory::shortcircuit::reasons(&prog)).unwrap_or_default();
        }
        if let Some(prog) = form.as_any().downcast_ref::<Prog<Memory>>() {
            before = Some(prog.clone());
        }
        Flow::Continue
    })?;
    let Some(prog) = before else { return Err(vec![no_step(settings, "memory")]) };
    let mut text = String::new();
    let names = OwnNames::of(front);
    for left in fehu_memory::remaining::remaining(&prog) {
        let place = front.sources.show(outermost(&left.loc));
        let (block, copy) = match names.knows(&left.bytes) {
            true => (format!("a block of {} bytes", left.bytes), format!("copies {} bytes", left.bytes)),
            false => {
                ("a block of a size that the program knows when it runs".into(), "copies an array".into())
            }
        };
        let mut line = match &left.kind {
            Left::Copy(what, value) => {
                let why = reasons.get(value).map_or_else(
                    || String::from("the program asks for it, or another layout is needed"),
                    |reason| why(front, &prog, reason),
                );
                format!("the {what} {copy}: {why}")
            }
            Left::Block(Space::Default) => block,
            Left::Block(Space::Shared) => format!("{block} in shared memory"),
            Left::Block(Space::Scalar(..)) => format!("{block} for each thread"),
        };
        if left.in_kernel {
            line.push_str("; in parallel code");
        }
        if left.in_loop {
            line.push_str("; in each iteration of a loop");
        }
        let _ = writeln!(text, "{place:24} {line}");
    }
    Ok(text)
}

/// What reverse mode saves of loops, and what became of updates of accumulators: a line for each.
pub fn explain_ad(front: &Front, settings: &Settings) -> Result<String, Vec<Diagnostic>> {
    let (machine, bins) = pipelines::of_derivatives(settings.target);
    let (mut saved, mut updates) = (vec![], vec![]);
    let mut before: Option<Prog<Soacs>> = None;
    watch(front, settings, &mut |id, form| {
        let Some(prog) = form.as_any().downcast_ref::<Prog<Soacs>>() else { return Flow::Stop };
        if id.matches("derive") {
            saved = before.take().map(|prog| fehu_ad::explain::saved(&prog, machine)).unwrap_or_default();
            updates = accumulators::explained(prog, bins);
            return Flow::Stop;
        }
        before = Some(prog.clone());
        Flow::Continue
    })?;
    let names = OwnNames::of(front);
    let mut lines = vec![];
    for s in saved {
        let bytes = match names.knows(&s.bytes) {
            true => format!("{} bytes for each iteration", s.bytes),
            false => "as many bytes for each iteration as the program knows when it runs".into(),
        };
        let what = match s.way {
            Way::Values => format!("a value of a loop is saved: {bytes}"),
            Way::ValuesOfChangingSize => {
                format!("a value of a loop is saved, which changes its size: {bytes}")
            }
            Way::Overwritten => format!("what a loop overwrites of an array is saved: {bytes}"),
            Way::AtTheEnd => {
                "nothing of an array is saved: no element is overwritten after it was read".into()
            }
        };
        lines.push((innermost(front, &s.loc), what));
    }
    for (loc, became) in updates {
        let what = match became {
            Became::Elements => "an accumulation is computed element by element, with reductions",
            Became::Bins => "an accumulation is a histogram",
            Became::Update => "an accumulation is updates in memory, which are atomic on GPUs",
        };
        lines.push((innermost(front, &loc), what.into()));
    }
    lines.sort_by_key(|(span, what): &(Span, String)| (span.file, span.lo, what.clone()));
    let mut text = String::new();
    for (span, what) in lines {
        let _ = writeln!(text, "{:24} {what}", front.sources.show(span));
    }
    Ok(text)
}

/// The place in the program's own files that is closest to a place, which may be in the prelude.
fn innermost(front: &Front, mut loc: &Loc) -> Span {
    while let (true, Some(caller)) = (front.prelude.contains(&loc.span.file), &loc.caller) {
        loc = caller;
    }
    loc.span
}

/// The names that stand in the program's own files; others are those of the prelude or of the compiler.
struct OwnNames(FxHashSet<String>);

impl OwnNames {
    fn of(front: &Front) -> OwnNames {
        let own = front.sources.files().filter(|(id, _)| !front.prelude.contains(id));
        let tokens = own.flat_map(|(id, file)| fehu_syntax::tokens(id, &file.text));
        let code = tokens.filter(|t| !matches!(t.kind, TokenKind::Comment | TokenKind::DocComment));
        OwnNames(code.flat_map(|t| words(front.sources.snippet(t.span))).map(str::to_owned).collect())
    }

    /// Whether all names of a size are the user's.
    fn knows(&self, size: &str) -> bool {
        words(size).all(|word| self.0.contains(word))
    }
}

/// The words of a text that begin with a letter.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Why a value is copied.
fn why(front: &Front, prog: &Prog<Memory>, reason: &Reason) -> String {
    let fixed = match reason {
        Reason::NotItsOwn => "its memory is an argument's or a loop's, or is returned or passed on",
        Reason::UsedTwice => "it is also used or returned otherwise",
        Reason::ChangedLater => "it is used later, when its place may have changed",
        Reason::Layout => "it is a part of what is computed, or has parts that cannot be laid out that way",
        Reason::PlaceIsKnownTooLate => "where it goes is known only when it has been computed",
        Reason::ReadByThreads => "threads read it while they compute it, and their own memory is faster",
        Reason::TooFarAway => "there is too much code between its computation and its use",
        Reason::MayOverlap(loc, unknown) => {
            let place = front.sources.show(outermost(loc));
            let names: Vec<String> = unknown.iter().map(|n| prog.names.base(*n).to_string()).collect();
            let since = match names.is_empty() {
                true => String::new(),
                false => format!(", for all that is known of {}", names.join(", ")),
            };
            return format!("may overlap what {place} uses{since}");
        }
    };
    fixed.into()
}

/// The place of the program's own that inlined calls came from.
fn outermost(mut loc: &Loc) -> Span {
    while let Some(caller) = &loc.caller {
        loc = caller;
    }
    loc.span
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

fn no_step(settings: &Settings, step: &str) -> Diagnostic {
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
