use crate::{Flow, Need, Pass, Pipeline, Refusal, Runner, Stop};
use fehu_base::{Diagnostic, Span};
use fehu_ir::{Loc, Prog, Soacs};

type P = Prog<Soacs>;

const FUNCTION: &str = "soacs\n\nfun f_0(n_1 : i64) : (i64) = {\n  return (n_1)\n}\n";

fn prog() -> P {
    fehu_ir::read::read_prog(FUNCTION).expect("a program")
}

fn pass(name: &'static str, run: fn(&mut P)) -> Pass<P> {
    Pass { name, need: Need::Optional, run }
}

/// One pass that does nothing and one that removes all functions.
fn two() -> Pipeline<'static, P, P> {
    Pipeline::new()
        .pass(pass("keep", |_| {}), "first")
        .pass(pass("clear", |p| p.funs.clear()), "second")
        .pass(pass("keep", |_| {}), "again")
}

#[test]
fn steps_are_numbered_and_timed() {
    let mut runner = Runner::default();
    two().run(prog(), &mut runner).expect("it runs");
    let names: Vec<String> = runner.times.iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(names, ["keep#1", "clear#1", "keep#2"]);
}

#[test]
fn optional_passes_can_be_left_out_by_name_and_number() {
    let mut runner = Runner { skip: vec!["keep#2".into(), "clear".into()], ..Runner::default() };
    let left = two().run(prog(), &mut runner).expect("it runs");
    assert_eq!((left.funs.len(), runner.times.len()), (1, 1));
}

#[test]
fn a_limit_leaves_out_all_passes_after_the_first_ones() {
    let mut runner = Runner { limit: Some(1), ..Runner::default() };
    let left = two().run(prog(), &mut runner).expect("it runs");
    assert_eq!((left.funs.len(), runner.optional.len()), (1, 1));
}

#[test]
fn a_watcher_sees_every_program_and_can_stop() {
    let mut seen = vec![];
    let mut watcher = |id: &crate::StepId, form: &dyn crate::Form| {
        seen.push((id.to_string(), form.print().contains("fun f_0")));
        if id.matches("clear") {
            Flow::Stop
        } else {
            Flow::Continue
        }
    };
    let mut runner = Runner { watcher: Some(&mut watcher), ..Runner::default() };
    assert!(matches!(two().run(prog(), &mut runner), Err(Stop::Watched)));
    assert_eq!(seen, [("keep#1".to_string(), true), ("clear#1".to_string(), false)]);
}

#[test]
fn a_refused_program_is_changed_and_tried_again() {
    let refuse = |p: &mut P| match p.funs.is_empty() {
        true => vec![],
        false => {
            vec![Refusal { kernel: Loc::none(), problem: Diagnostic::error(Span::NONE, "a function") }]
        }
    };
    let inner = Pipeline::new().pass_or_refuse("no-functions", refuse, "for the test");
    let remedy = |mut p: P, refusals: Vec<Refusal>| {
        assert_eq!(refusals.len(), 1);
        p.funs.pop();
        Ok(p)
    };
    let pipeline = Pipeline::new().retry_on_refusal("empty", inner, remedy, "for the test");
    let mut runner = Runner::default();
    assert!(pipeline.run(prog(), &mut runner).expect("it runs").funs.is_empty());
    // Only the try that succeeds is timed, and it counts as the first.
    let names: Vec<String> = runner.times.iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(names, ["no-functions#1"]);
}

#[test]
#[should_panic(expected = "break#1 left an invalid program")]
fn a_pass_that_breaks_the_program_is_named() {
    let pipeline = Pipeline::new().pass(
        pass("break", |p| p.funs[0].body.result = vec![fehu_ir::SubExp::Var(fehu_base::Name(77))]),
        "for the test",
    );
    let mut runner = Runner { validate: true, ..Runner::default() };
    let _ = pipeline.run(prog(), &mut runner);
}

/// The names of the steps that a watcher has seen, and how the run ended.
fn seen_until(pipeline: &Pipeline<'_, P, P>, wanted: &str) -> (Vec<String>, Result<(), Stop>) {
    let mut seen = vec![];
    let mut watcher = |id: &crate::StepId, _: &dyn crate::Form| {
        seen.push(id.to_string());
        Flow::Continue
    };
    let mut runner = Runner { watcher: Some(&mut watcher), validate: true, ..Runner::default() };
    let ended = pipeline.run_until(prog(), &mut runner, &|id, _| id.matches(wanted));
    (seen, ended)
}

#[test]
fn steps_after_the_last_wanted_one_do_not_run() {
    let pipeline = two().pass(pass("panic", |_| panic!("it ran")), "for the test");
    let (seen, ended) = seen_until(&pipeline, "clear");
    assert!(ended.is_ok());
    assert_eq!(seen, ["keep#1", "clear#1"]);
    let (seen, ended) = seen_until(&pipeline, "keep");
    assert!(ended.is_ok());
    assert_eq!(seen, ["keep#1", "clear#1", "keep#2"]);
}

#[test]
fn what_comes_before_a_panic_is_seen() {
    // The wanted step may be tried again, so that what follows must run.
    let inner = two().pass(pass("panic", |_| panic!("it ran")), "for the test");
    let pipeline = Pipeline::new().retry_on_refusal("tried", inner, |p, _| Ok(p), "for the test");
    let (seen, ended) = seen_until(&pipeline, "keep#1");
    assert!(matches!(ended, Err(Stop::Panicked)));
    assert_eq!(seen, ["keep#1", "clear#1", "keep#2"]);
}

#[test]
fn an_invalid_program_is_seen() {
    let invalid = |p: &mut P| p.funs[0].body.result = vec![fehu_ir::SubExp::Var(fehu_base::Name(77))];
    let pipeline = Pipeline::new().pass(pass("break", invalid), "for the test");
    let (seen, ended) = seen_until(&pipeline, "break");
    assert!(matches!(ended, Err(Stop::Panicked)));
    assert_eq!(seen, ["break#1"]);
}
