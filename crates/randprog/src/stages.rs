//! Runs programs in the interpreter after every stage that leaves something it can run, and compares.
//!
//! No C compiler is needed, so this is by far the fastest way to find a stage that changes what a program means, and it
//! names the step. Most steps leave most programs as they were; those are not run again.

use crate::outcome::Outcome;
use crate::program::{file, Program};
use fehu_base::diagnostic::Colour;
use fehu_base::{Diagnostic, Severity, Symbol};
use fehu_data::Value;
use fehu_driver::compile::Settings;
use fehu_driver::front::{check_text, Front};
use fehu_driver::generate::watch;
use fehu_driver::target::Target;
use fehu_ir::interp::{self, run_entry, Options};
use fehu_ir::print::{print_consts, print_fun};
use fehu_ir::soac::Soac;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Kernels, Memory, Prog, Rep, Soacs};
use fehu_pass::{Flow, Form, Language};
use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;

/// What is wrong with a program.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Which of the programs.
    pub program: usize,
    /// Where: a stage, or a back end with its settings.
    pub place: String,
    /// What.
    pub message: String,
}

/// What a comparison found.
#[derive(Debug, Default)]
pub struct Report {
    /// For each program, how it ends on each of its inputs, once it is optimised.
    pub outcomes: Vec<Vec<Outcome>>,
    /// How programs end on each machine once they are flattened, by their number and the machine's: checks
    /// that nothing depends on may go then, too.
    pub flattened: HashMap<(usize, BackEnd, usize), Vec<Outcome>>,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

impl Report {
    /// Whether a back end may end so on a program although it ends otherwise once it is optimised for the
    /// first back end: its own optimiser left out a check that fails, or did not.
    pub fn may_give(&self, program: usize, back_end: BackEnd, input: usize, got: &Outcome) -> bool {
        let of_program = self.flattened.iter().filter(|((p, b, _), _)| *p == program && *b == back_end);
        let mut of_input = of_program.filter_map(|(_, outcomes)| outcomes.get(input));
        // What takes too long without the check that went may give anything.
        of_input.any(|o| o.agrees(got) || matches!(o, Outcome::Late))
    }
}

/// Back ends, as far as flattening tells them from each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BackEnd {
    Sequential,
    Multicore,
    Gpu,
}

impl BackEnd {
    /// What a target is, as far as flattening is concerned.
    pub fn of(target: Target) -> BackEnd {
        match target {
            Target::C => BackEnd::Sequential,
            Target::Multicore => BackEnd::Multicore,
            Target::OpenCl | Target::Cuda => BackEnd::Gpu,
        }
    }
}

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// To the end of the optimiser: from then on, no check may go.
    Optimised,
    /// To the end of every pipeline, but running only what comes at ends: after lowering, the optimiser, and
    /// memory. Several times faster than `All`, and finds the same faults, but not the stage that is to
    /// blame.
    Ends,
    /// To the end of every pipeline.
    All,
}

/// The most statements a run may take; a stage after the first may take more, as it may do more.
const STEPS: u64 = 10_000;

/// Runs programs, all in one file, after every stage.
pub fn compare(programs: &[Program], skip_passes: &[String], depth: Depth) -> Report {
    let mut report = Report::default();
    let whole = AssertUnwindSafe(|| compare_unguarded(programs, skip_passes, depth, &mut report));
    match catch_unwind(whole) {
        Ok(None) => {}
        Ok(Some(message)) => report.faults.push(Fault { program: 0, place: "compiler".into(), message }),
        Err(panic) => {
            report.faults.push(Fault { program: 0, place: "panic".into(), message: panic_text(&*panic) });
        }
    }
    report
}

/// The text of a panic.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
        .unwrap_or_else(|| "no message".into())
}

/// Returns why programs were refused, if they were.
fn compare_unguarded(
    programs: &[Program],
    skip_passes: &[String],
    depth: Depth,
    report: &mut Report,
) -> Option<String> {
    let front = check_text(Path::new("random.fut"), file(programs));
    if front.failed() {
        return Some(rendered(&front, &front.diagnostics));
    }
    let mut first = Vec::new();
    for target in [Target::C, Target::Multicore, Target::OpenCl] {
        let mut settings = Settings::executable(target, "random".into());
        settings.skip_passes = skip_passes.to_vec();
        let mut comparison = Comparison {
            programs,
            depth,
            target,
            last: None,
            texts: Texts::default(),
            way: Way::new(target, &mut first),
            report: &mut *report,
        };
        let result = watch(&front, &settings, &mut |id, form| comparison.see(&id.to_string(), form));
        if let Err(diagnostics) = result {
            return Some(rendered(&front, &diagnostics));
        }
        if depth == Depth::Optimised || report.faults.len() == programs.len() {
            break;
        }
    }
    None
}

struct Comparison<'a> {
    programs: &'a [Program],
    depth: Depth,
    target: Target,
    /// The program after the last step, which is at an end if the next is in another language.
    last: Option<(String, Box<dyn Form>)>,
    /// What ran last.
    texts: Texts,
    /// Which way of combinators the back end goes.
    way: Way<'a>,
    report: &'a mut Report,
}

/// The way of a program while it is one of combinators. Most steps are the same for all back ends: what they
/// leave runs for the first back end alone. Where another back end has a step of its own, its way is another
/// from there on, with the answers that were known there: an optimiser that goes on differently leaves out
/// other checks.
///
/// ```text
/// c        lower  simplify  fusion             simplify'  sink'
/// opencl   lower  simplify  fusion  irregular  simplify   sink        compared with what `fusion` gave
/// ```
enum Way<'a> {
    /// The first back end: a record of what ran, with the answers that are known after it.
    First(&'a mut Vec<(Texts, Vec<Vec<Outcome>>)>),
    /// So many programs were the same as those of the first back end, whose record this is.
    Same(&'a [(Texts, Vec<Vec<Outcome>>)], usize),
    /// Another way: the answers of each program.
    Own(Vec<Vec<Outcome>>),
}

impl<'a> Way<'a> {
    fn new(target: Target, first: &'a mut Vec<(Texts, Vec<Vec<Outcome>>)>) -> Way<'a> {
        match target {
            Target::C => Way::First(first),
            Target::Multicore | Target::OpenCl | Target::Cuda => Way::Same(first, 0),
        }
    }

    /// Whether the first back end has run this program of combinators already.
    fn has_run(&mut self, texts: &Texts) -> bool {
        let Way::Same(first, same) = self else { return false };
        if first.get(*same).is_some_and(|(known, _)| known == texts) {
            *same += 1;
            return true;
        }
        if let Some((_, outcomes)) = same.checked_sub(1).and_then(|i| first.get(i)) {
            *self = Way::Own(outcomes.clone());
        }
        false
    }
}

impl Comparison<'_> {
    fn see(&mut self, step: &str, form: &dyn Form) -> Flow {
        if self.depth == Depth::All {
            return self.compare(step, form);
        }
        let is_first = self.last.is_none();
        let ended = self.last.take().filter(|(_, last)| last.language() != form.language());
        let mut flow = match &ended {
            Some((step, last)) if last.language() != KERNELS => self.compare(step, &**last),
            Some(_) | None => Flow::Continue,
        };
        let done = match self.depth {
            Depth::Optimised => form.language() != SOACS,
            Depth::Ends | Depth::All => ![SOACS, KERNELS, MEMORY].contains(&form.language()),
        };
        if done {
            flow = Flow::Stop;
        } else if flow == Flow::Continue && is_first {
            flow = self.compare(step, form);
        }
        self.last = Some((step.to_owned(), form.duplicate()));
        flow
    }

    fn compare(&mut self, step: &str, form: &dyn Form) -> Flow {
        let any = form.as_any();
        let derived = any.downcast_ref().and_then(without_derivatives);
        let prog = if let Some(prog) = derived.as_ref().or(any.downcast_ref()) {
            Staged::Soacs(prog)
        } else if let Some(prog) = any.downcast_ref::<Prog<Kernels>>() {
            Staged::Kernels(prog)
        } else if let Some(prog) = any.downcast_ref::<Prog<Memory>>() {
            Staged::Memory(prog)
        } else {
            // Nothing can interpret what comes after memory.
            return Flow::Stop;
        };
        let first = self.report.outcomes.is_empty();
        let texts = match &prog {
            Staged::Soacs(prog) => Texts::of(prog),
            Staged::Kernels(prog) => Texts::of(prog),
            Staged::Memory(prog) => Texts::of(prog),
        };
        let before = std::mem::replace(&mut self.texts, texts);
        if matches!(prog, Staged::Soacs(_)) && self.way.has_run(&self.texts) {
            return Flow::Continue;
        }
        for number in 0..self.programs.len() {
            let faulty = self.report.faults.iter().any(|f| f.program == number);
            if faulty || self.texts.same_entry(&before, &self.programs[number].entry) {
                continue;
            }
            if let Err(message) = self.compare_program(&prog, number, first) {
                let place = match (&prog, &self.way) {
                    (Staged::Soacs(_), Way::First(_) | Way::Same(..)) => step.to_owned(),
                    (Staged::Soacs(_), Way::Own(_)) | (Staged::Kernels(_) | Staged::Memory(_), _) => {
                        format!("{} {step}", self.target.name())
                    }
                };
                self.report.faults.push(Fault { program: number, place, message });
            }
        }
        if let (Way::First(record), Staged::Soacs(_)) = (&mut self.way, &prog) {
            record.push((self.texts.clone(), self.report.outcomes.clone()));
        }
        match self.report.faults.len() == self.programs.len() {
            true => Flow::Stop,
            false => Flow::Continue,
        }
    }

    /// Runs one program after a step; says what is wrong with it.
    fn compare_program(&mut self, prog: &Staged<'_>, number: usize, first: bool) -> Result<(), String> {
        let program = &self.programs[number];
        for (at, machine) in machines(self.target, prog, first).into_iter().enumerate() {
            // The optimiser runs again after flattening, so each back end has answers of its own from then on.
            let key = match prog {
                Staged::Soacs(_) => None,
                Staged::Kernels(_) | Staged::Memory(_) => Some((number, BackEnd::of(self.target), at)),
            };
            let known = key.and_then(|k| self.report.flattened.get(&k));
            let optimised = match &self.way {
                Way::Own(outcomes) => outcomes,
                Way::First(_) | Way::Same(..) => &self.report.outcomes,
            };
            let before = known.or(optimised.get(number));
            // Nothing is known about what takes too long, so that nothing is compared with it.
            let is_late =
                |input: usize| before.and_then(|b| b.get(input)).is_some_and(|b| matches!(b, Outcome::Late));
            let outcome = |(at, input): (usize, &Vec<Value>)| match is_late(at) {
                true => Outcome::Late,
                false => run(prog, program, input, &machine),
            };
            let outcomes: Vec<Outcome> = program.inputs.iter().enumerate().map(outcome).collect();
            if first {
                let broken = outcomes
                    .iter()
                    .find(|o| matches!(o, Outcome::Broken(_) | Outcome::Overwritten(_)))
                    .map(Outcome::to_string);
                let denied = outcomes.iter().find(|o| program.claims && o.denies()).map(Outcome::to_string);
                self.report.outcomes.push(outcomes);
                return broken.or(denied).map_or(Ok(()), Err);
            }
            let before = known.unwrap_or(&optimised[number]);
            // With memory, every check that is still there is needed.
            let may_drop = known.is_none() || !matches!(prog, Staged::Memory(_));
            let differs = |(b, a): &(&Outcome, &Outcome)| {
                let alike = if may_drop { b.may_become(a) } else { b.agrees(a) };
                !matches!(b, Outcome::Late) && !alike && !matches!(a, Outcome::Late)
            };
            let found = before.iter().zip(&outcomes).enumerate().find(|(_, pair)| differs(pair));
            if let Some((input, (b, a))) = found {
                return Err(format!("input {input}, machine {at}:\nbefore {b}\nafter  {a}"));
            }
            let mut now = before.clone();
            keep_what_went(&mut now, outcomes);
            match key {
                Some(key) => drop(self.report.flattened.insert(key, now)),
                None => match &mut self.way {
                    Way::Own(outcomes) => outcomes[number] = now,
                    Way::First(_) | Way::Same(..) => self.report.outcomes[number] = now,
                },
            }
        }
        Ok(())
    }
}

/// The program with code in place of derivatives, if it has any: nothing can interpret these.
fn without_derivatives(prog: &Prog<Soacs>) -> Option<Prog<Soacs>> {
    let mut any = false;
    for fun in &prog.funs {
        for_each_stm(&fun.body, &mut |s| any |= matches!(s.exp, Exp::Op(Soac::Ad(_))));
    }
    let mut prog = any.then(|| prog.clone())?;
    fehu_ad::derive_only(&mut prog);
    Some(prog)
}

/// The text of a program after a step, by parts.
#[derive(Clone, Default, PartialEq, Eq)]
struct Texts {
    /// What every entry point may use: language, constants and functions.
    shared: String,
    /// The entry points, by name.
    entries: HashMap<Symbol, String>,
}

impl Texts {
    fn of<R: Rep>(prog: &Prog<R>) -> Texts
    where
        Prog<R>: Language,
    {
        let mut texts = Texts { shared: <Prog<R> as Language>::NAME.to_owned(), entries: HashMap::new() };
        texts.shared += &print_consts(prog);
        for fun in &prog.funs {
            let text = print_fun(&prog.names, fun);
            match &fun.entry {
                Some(entry) => drop(texts.entries.insert(entry.name, text)),
                None => texts.shared += &text,
            }
        }
        texts
    }

    /// Whether an entry point is what it was, and so is all that it may use.
    fn same_entry(&self, before: &Texts, entry: &str) -> bool {
        let entry = Symbol::new(entry);
        let text = self.entries.get(&entry);
        text.is_some() && text == before.entries.get(&entry) && self.shared == before.shared
    }
}

/// A program that can be interpreted.
enum Staged<'a> {
    Soacs(&'a Prog<Soacs>),
    Kernels(&'a Prog<Kernels>),
    Memory(&'a Prog<Memory>),
}

const SOACS: &str = <Prog<Soacs> as Language>::NAME;
const KERNELS: &str = <Prog<Kernels> as Language>::NAME;
const MEMORY: &str = <Prog<Memory> as Language>::NAME;

/// Remembers what runs give whose failing checks went. A run that was over early, at such a check, may take too long
/// without it: then nothing is known about its answer, least of all that a check fails.
fn keep_what_went(known: &mut [Outcome], now: Vec<Outcome>) {
    for (known, now) in known.iter_mut().zip(now) {
        if matches!((&*known, &now), (Outcome::Failed(_), Outcome::Values(_) | Outcome::Late)) {
            *known = now;
        }
    }
}

fn rendered(front: &Front, diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let all: Vec<String> = errors.map(|d| d.render(&front.sources, Colour::Never)).collect();
    all.join("\n")
}

/// The machines to run a program on: thresholds choose versions, and small grids have more than one thing to do.
fn machines(target: Target, prog: &Staged<'_>, first: bool) -> Vec<Options> {
    if first {
        return vec![Options { steps: STEPS, ..Options::default() }];
    }
    let heap = matches!(prog, Staged::Memory(_));
    let one = Options { steps: 20 * STEPS, heap, ..Options::default() };
    match prog {
        Staged::Kernels(_) | Staged::Memory(_) if target.is_gpu() => vec![
            Options { threshold: 0, ..one.clone() },
            Options { threshold: i64::MAX, ..one.clone() },
            Options { threshold: 4, block_size: 2, grid_size: 1, ..one },
        ],
        Staged::Soacs(_) | Staged::Kernels(_) | Staged::Memory(_) => vec![one],
    }
}

fn run(prog: &Staged<'_>, program: &Program, input: &[Value], machine: &Options) -> Outcome {
    fn on<R: Rep>(prog: &Prog<R>, program: &Program, args: Vec<interp::Value>, machine: &Options) -> Outcome {
        Outcome::interpreted(run_entry(prog, &program.entry, args, machine), program.results.len())
    }
    let args: Vec<interp::Value> = input.iter().filter_map(argument).collect();
    match prog {
        Staged::Soacs(prog) => on(prog, program, args, machine),
        Staged::Kernels(prog) => on(prog, program, args, machine),
        Staged::Memory(prog) => on(prog, program, args, machine),
    }
}

/// A value as the interpreter has it.
fn argument(value: &Value) -> Option<interp::Value> {
    let data = (0..value.data().len()).filter_map(|i| value.data().get(i)).collect();
    interp::Value::of_shape(value.scalar_type().prim(), value.shape().to_vec(), data)
}
