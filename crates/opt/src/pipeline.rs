//! The order of passes: the table of contents of the optimiser.

use crate::pass::{Decision, Observer, Pass, PassId};
use crate::{copies, cse, filter, fusion, inline, loop_params, simplify, sink};
use fehu_ir::validate::validate;
use fehu_ir::{Kernels, Prog, Rep, Soacs};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// A pass at a place, and why it is there.
#[derive(Clone, Copy, Debug)]
pub struct Step<R: Rep> {
    /// The pass.
    pub pass: Pass<R>,
    /// Why here.
    pub reason: &'static str,
}

/// A list of passes.
#[derive(Clone, Debug)]
pub struct Pipeline<R: Rep> {
    /// In the order they run.
    pub steps: Vec<Step<R>>,
}

/// The passes over `Soacs` that every back end starts with.
pub fn standard_pipeline() -> Pipeline<Soacs> {
    let steps = vec![
        step(simplify::PASS, "lowering leaves constants and copies; small functions are cheaper to inline"),
        step(inline::PASS, "everything after sees through calls"),
        step(simplify::PASS, "arguments meet the code that uses them"),
        step(cse::PASS, "the same checks and sizes were computed at many call sites"),
        step(simplify::PASS, "what became equal folds; fusion wants to see only live uses"),
        step(
            copies::PASS,
            "views of arrays that change later look like copies, and would keep fusion from them",
        ),
        step(fusion::PASS, "what is only read element by element is not made"),
        step(simplify::PASS, "fused lambdas hold intermediate values that are now scalars"),
        step(cse::PASS, "fused lambdas compute the same things"),
        step(filter::PASS, "all that is done with what is left is in one place now"),
        step(simplify::PASS, "numbers of elements that are kept are not needed"),
        step(fusion::PASS, "what is inside of fused lambdas meets, and views have become simple"),
        step(simplify::PASS, "clean up for those who follow"),
        step(sink::PASS, "what only one branch needs is computed there, after nothing looks across branches"),
        step(loop_params::PASS, "later stages trust the marks too, on lambdas that fusion made"),
    ];
    Pipeline { steps }
}

/// The passes over `Kernels` that follow flattening.
pub fn kernels_pipeline() -> Pipeline<Kernels> {
    let simplify = Pass { name: "simplify", run: simplify::simplify };
    let cse = Pass { name: "cse", run: cse::cse };
    let steps = vec![
        step(simplify, "elements of ranges and replicates are known now that combinators are loops"),
        step(cse, "inlined operators compute what is around them"),
        step(simplify, "clean up for those who follow"),
    ];
    Pipeline { steps }
}

fn step<R: Rep>(pass: Pass<R>, reason: &'static str) -> Step<R> {
    Step { pass, reason }
}

/// Runs a pipeline. In debug builds a program that was valid is validated after each pass: a pass that breaks
/// one is named.
pub fn run<R: Rep>(mut prog: Prog<R>, pipeline: &Pipeline<R>, observer: &mut dyn Observer<R>) -> Prog<R> {
    let watched = cfg!(debug_assertions) && validate(&prog).is_ok();
    let mut runs: FxHashMap<&'static str, usize> = FxHashMap::default();
    for step in &pipeline.steps {
        let nth = runs.entry(step.pass.name).or_default();
        *nth += 1;
        let id = PassId { name: step.pass.name, nth: *nth };
        match observer.before(&id) {
            Decision::Run => {}
            Decision::Skip => continue,
            Decision::Stop => break,
        }
        let start = Instant::now();
        (step.pass.run)(&mut prog);
        let time = start.elapsed();
        observer.after(&id, &prog, time);
        if watched {
            if let Err(errors) = validate(&prog) {
                fehu_base::bug!("{id} made an invalid program:\n{}", errors.join("\n"));
            }
        }
    }
    prog
}
