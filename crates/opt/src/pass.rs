//! Passes as values, and who watches them run.

use fehu_ir::{Prog, Rep};
use std::fmt;
use std::time::Duration;

/// A pass: a name and what it does.
#[derive(Clone, Copy)]
pub struct Pass<R: Rep> {
    /// The name, as `--after` and `--skip-pass` spell it.
    pub name: &'static str,
    /// What it does to a program.
    pub run: fn(&mut Prog<R>),
}

impl<R: Rep> fmt::Debug for Pass<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pass({})", self.name)
    }
}

/// One run of a pass: the same pass may run several times, and `simplify#3` is its third.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassId {
    /// The pass.
    pub name: &'static str,
    /// Which of its runs, from 1.
    pub nth: usize,
}

impl PassId {
    /// Whether the text names this run: `simplify#3`, or `simplify` for all runs.
    pub fn matches(&self, text: &str) -> bool {
        match text.split_once('#') {
            None => text == self.name,
            Some((name, nth)) => name == self.name && nth.parse() == Ok(self.nth),
        }
    }
}

impl fmt::Display for PassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.name, self.nth)
    }
}

/// What to do about a pass that is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Run,
    /// Leave it out.
    Skip,
    /// Leave out this one and all that follow.
    Stop,
}

/// Watches a pipeline: decides what runs, and sees the program after each pass.
pub trait Observer<R: Rep> {
    /// Asked before each pass.
    fn before(&mut self, _pass: &PassId) -> Decision {
        Decision::Run
    }

    /// Told after each pass that ran, with the time it took.
    fn after(&mut self, _pass: &PassId, _prog: &Prog<R>, _time: Duration) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<R: Rep> Observer<R> for Silent {}

/// An observer that follows the options of the command line. What is dumped goes through a function.
pub struct Options<'a, R: Rep> {
    /// Passes to leave out: `fuse`, `simplify#2`.
    pub skip: Vec<String>,
    /// The last pass to run.
    pub stop_after: Option<String>,
    /// How many passes to run at most: for finding the pass that breaks a program.
    pub limit: Option<usize>,
    /// Called with each pass that ran and the program after it.
    pub dump: Option<&'a mut dyn FnMut(&PassId, &Prog<R>)>,
    /// Passes that ran, with the time each took.
    pub times: Vec<(PassId, Duration)>,
    stopped: bool,
}

impl<R: Rep> Default for Options<'_, R> {
    fn default() -> Self {
        Options { skip: vec![], stop_after: None, limit: None, dump: None, times: vec![], stopped: false }
    }
}

impl<R: Rep> fmt::Debug for Options<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("skip", &self.skip).field("stop_after", &self.stop_after).finish()
    }
}

impl<R: Rep> Observer<R> for Options<'_, R> {
    fn before(&mut self, pass: &PassId) -> Decision {
        if self.stopped || self.limit.is_some_and(|n| self.times.len() >= n) {
            Decision::Stop
        } else if self.skip.iter().any(|s| pass.matches(s)) {
            Decision::Skip
        } else {
            Decision::Run
        }
    }

    fn after(&mut self, pass: &PassId, prog: &Prog<R>, time: Duration) {
        self.times.push((pass.clone(), time));
        self.stopped = self.stop_after.as_ref().is_some_and(|s| pass.matches(s));
        if let Some(dump) = &mut self.dump {
            dump(pass, prog);
        }
    }
}
