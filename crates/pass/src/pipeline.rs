//! Lists of steps whose ends have known languages.

use crate::language::{known, Form, Language};
use crate::runner::Runner;
use crate::step::{pass_step, Action, Need, Pass, Refusal, Step, StepId, Stop};
use std::fmt;
use std::marker::PhantomData;

/// Steps that take a program over `A` to one over `B`.
pub struct Pipeline<'a, A, B> {
    steps: Vec<Step<'a>>,
    ends: PhantomData<fn(A) -> B>,
}

impl<A, B> fmt::Debug for Pipeline<'_, A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.steps).finish()
    }
}

impl<L: Language> Pipeline<'_, L, L> {
    /// No steps.
    #[allow(clippy::new_without_default, reason = "an empty pipeline is only a beginning")]
    pub fn new() -> Self {
        Pipeline { steps: vec![], ends: PhantomData }
    }
}

impl<'a, A: Language, B: Language> Pipeline<'a, A, B> {
    /// The steps, in order.
    pub fn steps(&self) -> &[Step<'a>] {
        &self.steps
    }

    /// One more pass, and why it stands here.
    pub fn pass(mut self, pass: Pass<B>, reason: &'static str) -> Self {
        self.steps.push(pass_step(pass, reason));
        self
    }

    /// One more pass, which the program needs and which may refuse it.
    pub fn pass_or_refuse(
        self,
        name: &'static str,
        run: impl Fn(&mut B) -> Vec<Refusal> + 'a,
        reason: &'static str,
    ) -> Self {
        let whole = move |mut prog: B| {
            let refusals = run(&mut prog);
            match refusals.is_empty() {
                true => Ok(prog),
                false => Err(Stop::Refused(refusals)),
            }
        };
        self.lowering(name, whole, reason)
    }

    /// From one language to another (or a pass that needs more than the program).
    pub fn lowering<C: Language>(
        mut self,
        name: &'static str,
        run: impl Fn(B) -> Result<C, Stop> + 'a,
        reason: &'static str,
    ) -> Pipeline<'a, A, C> {
        let run = move |form| Ok(Box::new(run(known(form))?) as Box<dyn Form>);
        let action = Action::Run(Box::new(run));
        self.steps.push(Step { name, reason, from: B::NAME, to: C::NAME, need: Need::Required, action });
        Pipeline { steps: self.steps, ends: PhantomData }
    }

    /// The steps of another list.
    pub fn then<C: Language>(mut self, next: Pipeline<'a, B, C>) -> Pipeline<'a, A, C> {
        self.steps.extend(next.steps);
        Pipeline { steps: self.steps, ends: PhantomData }
    }

    /// Steps that may refuse the program. Then the remedy changes the program *as it was before them*, or
    /// gives up, and they run again. The remedy must make progress: each call leaves less that can be
    /// refused.
    pub fn retry_on_refusal<C: Language>(
        mut self,
        name: &'static str,
        inner: Pipeline<'a, B, C>,
        remedy: impl Fn(B, Vec<Refusal>) -> Result<B, Stop> + 'a,
        reason: &'static str,
    ) -> Pipeline<'a, A, C> {
        let remedy = move |form, refusals| Ok(Box::new(remedy(known(form), refusals)?) as Box<dyn Form>);
        let action = Action::Retry { steps: inner.steps, remedy: Box::new(remedy) };
        self.steps.push(Step { name, reason, from: B::NAME, to: C::NAME, need: Need::Required, action });
        Pipeline { steps: self.steps, ends: PhantomData }
    }

    /// Runs all steps.
    pub fn run(&self, prog: A, runner: &mut Runner<'_>) -> Result<B, Stop> {
        runner.run(&self.steps, Box::new(prog)).map(known)
    }

    /// Runs the steps up to the last one that is wanted, for the runner's watcher. When nothing is wanted, all run.
    pub fn run_until(
        &self,
        prog: A,
        runner: &mut Runner<'_>,
        wanted: &dyn Fn(&StepId, &Step<'_>) -> bool,
    ) -> Result<(), Stop> {
        runner.run_until(&self.steps, Box::new(prog), wanted)
    }
}
