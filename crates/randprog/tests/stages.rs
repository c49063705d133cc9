//! Random programs mean the same after lowering, the optimiser and the memory of every back end: the interpreter runs 300 of them.
//!
//! `cargo xtask random` runs them after every single step, and as many others as there is time for, on all back ends, and makes those that fail smaller.

use fehu_randprog::choices::Choices;
use fehu_randprog::program::{generate, Program};
use fehu_randprog::stages::{compare, Depth};

const PROGRAMS: u64 = 300;
const PER_FILE: u64 = 10;

#[test]
fn programs_mean_the_same_at_the_ends_of_all_pipelines() {
    // Programs are nested deeply, and so are the passes.
    let worker = std::thread::Builder::new().stack_size(1 << 30).spawn(|| {
        let mut wrong = vec![];
        for first in (1..=PROGRAMS).step_by(PER_FILE as usize) {
            let programs: Vec<Program> = (first..first + PER_FILE).map(numbered).collect();
            for fault in compare(&programs, &[], Depth::Ends).faults {
                let seed = first + fault.program as u64;
                wrong.push(format!("seed {seed} (or after it), {}: {}", fault.place, fault.message));
            }
        }
        wrong
    });
    let wrong = worker.expect("a thread can be started").join().expect("a comparison ends");
    assert!(wrong.is_empty(), "{} programs are changed:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_same_seed_gives_the_same_program() {
    let (a, b) = (numbered(7), numbered(7));
    assert_eq!((a.text, a.inputs, &a.choices), (b.text.clone(), b.inputs.clone(), &b.choices));
    let again = generate(Choices::replay(&a.choices), "p7_");
    assert_eq!((again.text, again.inputs), (b.text, b.inputs));
}

#[test]
fn no_decisions_give_a_small_program() {
    let smallest = generate(Choices::replay(&[]), "");
    assert!(smallest.text.len() < 200, "{}", smallest.text);
}

fn numbered(seed: u64) -> Program {
    generate(Choices::random(seed), &format!("p{seed}_"))
}

/// What is printed and kept has no prefix before its names: none of them may be a keyword, or defined twice.
#[test]
fn single_programs_are_accepted() {
    for seed in 0..40 {
        let text = generate(Choices::random(seed), "").file();
        let front = fehu_driver::front::check_text(std::path::Path::new("random.fut"), text);
        assert!(!front.failed(), "seed {seed}");
    }
}
