//! Random programs mean the same after lowering, the optimiser and the memory of every back end: the
//! interpreter runs 300 of them, and 300 whose derivatives must agree.
//!
//! `cargo xtask random` runs them after every single step, and as many others as there is time for, on all
//! back ends, and makes those that fail smaller.

use fehu_base::prim::ScalarType;
use fehu_data::{Data, Value};
use fehu_randprog::choices::Choices;
use fehu_randprog::focus::Focus;
use fehu_randprog::outcome::Outcome;
use fehu_randprog::program::{generate, Program};
use fehu_randprog::stages::{compare, BackEnd, Depth};

const PROGRAMS: u64 = 300;
const PER_FILE: u64 = 10;

#[test]
fn programs_mean_the_same_at_the_ends_of_all_pipelines() {
    changed_by_none(Focus::All, Depth::Ends);
}

/// Forward mode, reverse mode, their mixtures and differences agree, before and after the optimiser.
#[test]
fn derivatives_agree() {
    changed_by_none(Focus::Derivatives, Depth::Optimised);
}

fn changed_by_none(focus: Focus, depth: Depth) {
    // Programs are nested deeply, and so are the passes.
    let worker = std::thread::Builder::new().stack_size(1 << 30).spawn(move || {
        let mut wrong = vec![];
        for first in (1..=PROGRAMS).step_by(PER_FILE as usize) {
            let programs: Vec<Program> =
                (first..first + PER_FILE).map(|seed| numbered(focus, seed)).collect();
            for fault in compare(&programs, &[], depth).faults {
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
    let (a, b) = (numbered(Focus::All, 7), numbered(Focus::All, 7));
    assert_eq!((a.text, a.inputs, &a.choices), (b.text.clone(), b.inputs.clone(), &b.choices));
    let again = generate(Focus::All, Choices::replay(&a.choices), "p7_");
    assert_eq!((again.text, again.inputs), (b.text, b.inputs));
}

#[test]
fn no_decisions_give_a_small_program() {
    for (_, focus) in Focus::NAMES {
        let smallest = generate(focus, Choices::replay(&[]), "");
        assert!(smallest.text.len() < 300, "{}", smallest.text);
    }
}

/// A check that nothing depends on goes. Where the run takes too long without it, back ends may give what they give.
#[test]
fn a_check_that_went_is_not_expected_of_back_ends() {
    let text = "entry main (n: i64) : i64 =
  let unused = (iota 3)[n]
  let _ = unused + 1
  in loop x = 1 for i < n do x * 3 + i
";
    let inputs = [1, 5, 1_000_000].map(|n| vec![Value::scalar::<i64>(n)]).to_vec();
    let results = vec![ScalarType::I64];
    let program =
        Program { text: text.into(), entry: "main".into(), results, inputs, choices: vec![], claims: false };
    let mut report = compare(&[program], &[], Depth::Optimised);
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let [small, fails, long] = report.outcomes[0].as_slice() else { panic!("not three outcomes") };
    assert!(matches!((small, fails), (Outcome::Values(_), Outcome::Values(_))), "{small}, {fails}");
    assert!(matches!(long, Outcome::Late), "{long}");
    let small = small.clone();
    report.flattened.insert((0, BackEnd::Gpu, 0), report.outcomes[0].clone());
    assert!(report.may_give(0, BackEnd::Gpu, 2, &small), "whatever took too long");
    assert!(!report.may_give(0, BackEnd::Gpu, 1, &small), "the answer of another input");
}

/// The optimiser of one back end may leave out a failing check that another one keeps: each is compared with itself.
#[test]
fn back_ends_may_keep_other_checks() {
    let text = "entry main [n] [m] (ys: [m]i64) (xss: [n][m]i32) : [m][n]u8 =
  let (z: *[m][n]u8) = replicate m (replicate n 0u8)
  let v = map (\\i : u8 -> let k = i64.i32 xss[i % (n + 1), i] % 6
                          in reduce (+) 0u8 (map (\\i -> u8.i64 (i * i)) (iota k))) ys
  in if n == 0 then z else z with [:, n - 1] = v
";
    let inputs = vec![vec![
        Value::new(vec![3], Data::I64(vec![0, 1, 2])).expect("a shape of three"),
        Value::new(vec![0, 3], Data::I32(vec![])).expect("a shape of none"),
    ]];
    let results = vec![ScalarType::U8];
    let program =
        Program { text: text.into(), entry: "main".into(), results, inputs, choices: vec![], claims: false };
    let report = compare(&[program], &[], Depth::All);
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    assert!(matches!(report.outcomes[0][0], Outcome::Values(_)), "{}", report.outcomes[0][0]);
    let on_gpu = &report.flattened[&(0, BackEnd::Gpu, 0)][0];
    assert!(matches!(on_gpu, Outcome::Failed(_)), "{on_gpu}");
}

fn numbered(focus: Focus, seed: u64) -> Program {
    generate(focus, Choices::random(seed), &format!("p{seed}_"))
}

/// What is printed and kept has no prefix before its names: none of them may be a keyword, or defined twice.
#[test]
fn single_programs_are_accepted() {
    for (seed, (name, focus)) in (0..90).zip(Focus::NAMES.into_iter().cycle()) {
        let text = generate(focus, Choices::random(seed), "").file();
        let front = fehu_driver::front::check_text(std::path::Path::new("random.fut"), text);
        assert!(
            !front.failed(),
            "seed {seed}, about {name}: {:?}",
            front.diagnostics.iter().find(|d| d.severity == fehu_base::Severity::Error).map(|d| &d.message)
        );
    }
}
