//! Runs pipelines: the only place that times, validates, leaves out and stops.

use crate::language::Form;
use crate::step::{Action, Need, Step, StepId, Stop};
use rustc_hash::FxHashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// With the next step.
    Continue,
    /// No: the pipeline ends with [`Stop::Watched`].
    Stop,
}

/// Sees the program after each step that ran.
pub type Watcher<'a> = dyn FnMut(&StepId, &dyn Form) -> Flow + 'a;

/// How pipelines are to run, and what was observed.
#[derive(Default)]
pub struct Runner<'a> {
    /// Optional passes to leave out: `fusion`, `simplify#2`.
    pub skip: Vec<String>,
    /// How many optional passes run, the first ones: to find the pass that breaks a program.
    pub limit: Option<usize>,
    /// Whether to validate the program after each step. A step that leaves an invalid one is named.
    pub validate: bool,
    /// Sees each program.
    pub watcher: Option<&'a mut Watcher<'a>>,
    /// The steps that ran, with the time each took. Steps that are run again are there again.
    pub times: Vec<(StepId, Duration)>,
    /// The optional passes that ran, in order.
    pub optional: Vec<StepId>,
}

impl std::fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("skip", &self.skip).field("limit", &self.limit).finish_non_exhaustive()
    }
}

/// How often each step has run.
type Counts = FxHashMap<&'static str, usize>;

impl Runner<'_> {
    /// Runs one step on a program of its language, whatever stands before it in its pipeline.
    pub fn apply(&mut self, step: &Step<'_>, prog: Box<dyn Form>) -> Result<Box<dyn Form>, Stop> {
        self.step(step, prog, &mut Counts::default())
    }

    /// Runs steps on a program.
    pub(crate) fn run(&mut self, steps: &[Step<'_>], prog: Box<dyn Form>) -> Result<Box<dyn Form>, Stop> {
        self.steps(steps, prog, &mut Counts::default())
    }

    /// Runs the steps up to the last one that is wanted. A step that is tried again after a refusal is only
    /// done with when all steps that are tried with it are, so those run too; when one of them panics, that
    /// is a reason to stop.
    pub(crate) fn run_until(
        &mut self,
        steps: &[Step<'_>],
        prog: Box<dyn Form>,
        wanted: &dyn Fn(&StepId, &Step<'_>) -> bool,
    ) -> Result<(), Stop> {
        let mut counts = Counts::default();
        let holds: Vec<bool> = steps.iter().map(|step| holds(step, wanted, &mut counts)).collect();
        let end = holds.iter().rposition(|holds| *holds).map_or(steps.len(), |last| last + 1);
        // What the steps have changed is not looked at after a panic, but for what the watcher keeps: whole programs.
        match catch_unwind(AssertUnwindSafe(|| self.run(&steps[..end], prog))) {
            Ok(result) => result.map(|_| ()),
            Err(_) => Err(Stop::Panicked),
        }
    }

    fn steps(
        &mut self,
        steps: &[Step<'_>],
        mut prog: Box<dyn Form>,
        counts: &mut Counts,
    ) -> Result<Box<dyn Form>, Stop> {
        for step in steps {
            prog = self.step(step, prog, counts)?;
        }
        Ok(prog)
    }

    fn step(
        &mut self,
        step: &Step<'_>,
        prog: Box<dyn Form>,
        counts: &mut Counts,
    ) -> Result<Box<dyn Form>, Stop> {
        let nth = counts.entry(step.name).or_default();
        *nth += 1;
        let id = StepId { name: step.name, nth: *nth };
        if step.need == Need::Optional && !self.wanted(&id) {
            return Ok(prog);
        }
        match &step.action {
            Action::Run(run) => {
                fehu_base::report::step(id.name, id.nth);
                let start = Instant::now();
                let prog = run(prog)?;
                self.times.push((id.clone(), start.elapsed()));
                self.after(&id, prog)
            }
            Action::Retry { steps, remedy } => self.retry(steps, remedy, prog, counts),
        }
    }

    /// The inner steps see the same numbers at each try: `simplify#6` is the same step in all of them.
    fn retry(
        &mut self,
        steps: &[Step<'_>],
        remedy: &crate::step::Remedy<'_>,
        mut prog: Box<dyn Form>,
        counts: &mut Counts,
    ) -> Result<Box<dyn Form>, Stop> {
        loop {
            let mut these = counts.clone();
            match self.steps(steps, prog.duplicate(), &mut these) {
                Ok(done) => {
                    *counts = these;
                    return Ok(done);
                }
                Err(Stop::Refused(refusals)) => prog = remedy(prog, refusals)?,
                Err(other @ (Stop::Errors(_) | Stop::Watched | Stop::Panicked)) => return Err(other),
            }
        }
    }

    fn wanted(&mut self, id: &StepId) -> bool {
        let within = self.limit.is_none_or(|n| self.optional.len() < n);
        let wanted = within && !self.skip.iter().any(|s| id.matches(s));
        if wanted {
            self.optional.push(id.clone());
        }
        wanted
    }

    /// The watcher comes first: an invalid program is what somebody who looks at this step wants to see.
    fn after(&mut self, id: &StepId, prog: Box<dyn Form>) -> Result<Box<dyn Form>, Stop> {
        let flow = self.watcher.as_mut().map_or(Flow::Continue, |watch| watch(id, &*prog));
        if self.validate {
            if let Err(errors) = prog.validate() {
                fehu_base::bug!("{id} left an invalid program:\n{}", errors.join("\n"));
            }
        }
        match flow {
            Flow::Continue => Ok(prog),
            Flow::Stop => Err(Stop::Watched),
        }
    }
}

/// Whether a run of this step, or of one inside of it, is wanted.
fn holds(step: &Step<'_>, wanted: &dyn Fn(&StepId, &Step<'_>) -> bool, counts: &mut Counts) -> bool {
    let nth = counts.entry(step.name).or_default();
    *nth += 1;
    let id = StepId { name: step.name, nth: *nth };
    // All inner steps count, also those after one that is wanted.
    let inner: Vec<bool> = step.inner().iter().map(|s| holds(s, wanted, counts)).collect();
    inner.contains(&true) || (step.inner().is_empty() && wanted(&id, step))
}
