//! Programs of `tests/gpu` as CUDA programs without a GPU: their kernels run on the host, by the driver of
//! `tests/cuda`, and give the answers of the C back end.
//!
//! This is the only test of what CUDA's kernels do differently: warps exchange values, copies to shared
//! memory go on beside the thread. Threads that do not come to a barrier together end the program; in which
//! order they have their turns must not matter.

use crate::gpu::{fehu, text, Half, Part};
use std::path::Path;
use std::process::Command;

/// Turns and options of a run of all programs.
struct Way {
    order: &'static str,
    options: &'static [&'static str],
}

/// What the sizes choose; the outermost versions, with turns in the other order.
const WAYS: [Way; 2] = [
    Way { order: "forward", options: &[] },
    Way { order: "backward", options: &["--pass-option=--default-threshold=1"] },
];

fn test(program: &Path, driver: &Path, way: &Way) {
    let mut command: Command = fehu();
    command.args(["test", "--no-terminal", "--backend", "cuda"]).args(way.options).arg(program);
    command.env("LD_LIBRARY_PATH", driver).env("CUDA_HOME", driver);
    command.env("FAKE_RUN", "1").env("FAKE_ORDER", way.order);
    if let Some(compiler) = crate::quick_cc::quick_compiler() {
        command.env("FAKE_CC", compiler);
    }
    let done = command.output().expect("fehu runs");
    assert!(done.status.success(), "{} {}:\n{}", program.display(), way.order, text(&done));
}

fn programs_give_the_answers_of_c(part: Part) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let driver = dir.path().join("driver");
    crate::fake::cuda_driver(&driver);
    for program in part.copied(dir.path()) {
        for way in &WAYS {
            test(&program, &driver, way);
        }
    }
}

#[test]
fn every_second_plan_gives_the_answers_of_c() {
    programs_give_the_answers_of_c(Part::EachPlan(Half::First));
}

#[test]
fn all_other_plans_give_the_answers_of_c() {
    programs_give_the_answers_of_c(Part::EachPlan(Half::Second));
}

mod long {
    use super::{programs_give_the_answers_of_c, Half, Part};

    #[test]
    fn every_second_program_gives_the_answers_of_c() {
        programs_give_the_answers_of_c(Part::Others(Half::First));
    }

    #[test]
    fn all_other_programs_give_the_answers_of_c() {
        programs_give_the_answers_of_c(Part::Others(Half::Second));
    }
}
