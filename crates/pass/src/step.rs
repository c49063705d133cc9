//! What a pipeline consists of.

use crate::language::{Form, Language};
use fehu_base::Diagnostic;
use fehu_ir::Loc;
use std::fmt;

/// Whether programs are correct without a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// It makes programs better; `--skip-pass` may leave it out.
    Optional,
    /// What follows relies on it.
    Required,
}

/// A pass: a name and what it does to a program of one language. A static, not a constant: what it names is
/// then compiled in its own crate, also if it is generic, and not where it is used.
pub struct Pass<L> {
    /// The name, as `--after` and `--skip-pass` spell it.
    pub name: &'static str,
    /// Whether it can be left out.
    pub need: Need,
    /// What it does.
    pub run: fn(&mut L),
}

impl<L> Clone for Pass<L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Pass<L> {}

impl<L> fmt::Debug for Pass<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}

/// A parallel operation that a step cannot compile as it is.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The operation's source location, as flattening left it.
    pub kernel: Loc,
    /// What the user reads if there is no remedy.
    pub problem: Diagnostic,
}

/// Why a pipeline did not reach its end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The program uses what the compiler cannot do.
    Errors(Vec<Diagnostic>),
    /// Some of its parallel operations cannot be compiled as they are.
    Refused(Vec<Refusal>),
    /// The watcher has seen what it wanted.
    Watched,
    /// A step panicked, which standard error says; only from [`Pipeline::run_until`](crate::Pipeline::run_until).
    Panicked,
}

impl Stop {
    /// What the user is shown.
    pub fn diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Stop::Errors(errors) => errors,
            Stop::Refused(refusals) => refusals.into_iter().map(|r| r.problem).collect(),
            Stop::Watched | Stop::Panicked => vec![],
        }
    }
}

/// One run of a step: the same pass may run several times, and `simplify#3` is its third run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepId {
    /// The step.
    pub name: &'static str,
    /// Which of its runs, from 1.
    pub nth: usize,
}

impl StepId {
    /// Whether the text names this run: `simplify#3`, or `simplify` for all runs.
    pub fn matches(&self, text: &str) -> bool {
        match text.split_once('#') {
            None => text == self.name,
            Some((name, nth)) => name == self.name && nth.parse() == Ok(self.nth),
        }
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.name, self.nth)
    }
}

/// A step of a pipeline, and why it stands where it stands.
pub struct Step<'a> {
    /// The name of the pass or lowering.
    pub name: &'static str,
    /// Why here.
    pub reason: &'static str,
    /// The language before it.
    pub from: &'static str,
    /// The language after it.
    pub to: &'static str,
    /// Whether it can be left out.
    pub need: Need,
    pub(crate) action: Action<'a>,
}

impl<'a> Step<'a> {
    /// The steps that are tried again when one of them refuses the program; empty for plain steps.
    pub fn inner(&self) -> &[Step<'a>] {
        match &self.action {
            Action::Run(_) => &[],
            Action::Retry { steps, .. } => steps,
        }
    }
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Step({}: {} -> {})", self.name, self.from, self.to)
    }
}

/// What a step does.
pub(crate) enum Action<'a> {
    /// Changes or lowers the program.
    Run(Box<Transform<'a>>),
    /// Runs steps on a copy of the program; when they refuse it, changes the program and starts again.
    Retry { steps: Vec<Step<'a>>, remedy: Box<Remedy<'a>> },
}

pub(crate) type Transform<'a> = dyn Fn(Box<dyn Form>) -> Result<Box<dyn Form>, Stop> + 'a;
pub(crate) type Remedy<'a> = dyn Fn(Box<dyn Form>, Vec<Refusal>) -> Result<Box<dyn Form>, Stop> + 'a;

/// A step that changes a program of one language.
pub(crate) fn pass_step<'a, L: Language>(pass: Pass<L>, reason: &'static str) -> Step<'a> {
    let run = move |form| {
        let mut prog: L = crate::language::known(form);
        (pass.run)(&mut prog);
        Ok(Box::new(prog) as Box<dyn Form>)
    };
    Step {
        name: pass.name,
        reason,
        from: L::NAME,
        to: L::NAME,
        need: pass.need,
        action: Action::Run(Box::new(run)),
    }
}
