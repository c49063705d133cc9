//! Our own programs give their expected answers, compiled for one core and for several (tests/gpu has its own tests).

use fehu_driver::target::Target;
use fehu_tools::programs::{ServerProcess, Trouble};
use fehu_tools::test::{test, Options};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The programs of a folder of tests.
fn programs(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name);
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut programs: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "fut")).collect();
    programs.sort();
    programs
}

fn options() -> Options {
    Options { concurrency: 2, time_limit: Duration::from_secs(60), ..Options::default() }
}

#[test]
fn programs_give_their_expected_answers() {
    let tally =
        test(&[programs("run"), programs("front")].concat(), &options()).expect("the programs can be read");
    assert_eq!(tally.failed, 0, "{tally:?}");
    assert!(tally.passed > 10, "{tally:?}");
}

#[test]
fn programs_give_the_same_answers_on_several_cores() {
    let options = Options { target: Target::Multicore, ..options() };
    let tally = test(&programs("run"), &options).expect("the programs can be read");
    assert_eq!(tally.failed, 0, "{tally:?}");
    assert!(tally.passed > 10, "{tally:?}");
}

#[test]
fn a_wrong_expectation_fails() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("wrong.fut");
    std::fs::write(&file, "-- ==\n-- input { 1 } output { 3 }\nentry main (x: i32) = x + 1\n")
        .expect("written");
    let tally = test(&[file], &options()).expect("the program can be read");
    assert_eq!((tally.passed, tally.failed), (0, 1));
}

#[test]
fn tuning_files_are_used() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("tuned.fut");
    std::fs::write(&file, "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x + 1\n")
        .expect("written");
    std::fs::write(dir.path().join("tuned.fut.tuning"), "nonsense\n").expect("written");
    let tally = test(std::slice::from_ref(&file), &options()).expect("the program can be read");
    assert_eq!((tally.passed, tally.failed), (0, 1));
    let tally = test(&[file], &Options { tuning: None, ..options() }).expect("the program can be read");
    assert_eq!((tally.passed, tally.failed), (1, 0));
}

/// What becomes of a command to a server that is the rest of a shell script, once it is ready.
fn trouble_of(script: &str) -> Trouble {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("server.sh");
    std::fs::write(&file, format!("echo '%%% OK'\nread command\n{script}\n")).expect("written");
    let mut server = ServerProcess::start(&file, Some("sh"), &[]).expect("a server");
    server.talk(None, |server| server.call("main", &["o"], &["x"])).expect_err("no answer")
}

#[test]
fn a_server_that_is_killed_explains_itself() {
    let trouble = trouble_of("echo 'a trace'; echo 'an assertion failed' >&2; kill -ABRT $$");
    let Trouble::Dead(message) = trouble else { panic!("{trouble:?}") };
    let (said, ended) = message.split_once("\nIt ended with ").expect("how it ended");
    assert_eq!(said, "the server ended during `call main o x`, after saying:\na trace");
    assert!(ended.starts_with("signal: 6 (SIGABRT)"), "{message}");
    assert!(ended.ends_with(".\nOn its standard error it said:\nan assertion failed"), "{message}");
}

#[test]
fn a_server_that_exits_explains_itself() {
    let trouble = trouble_of("seq 100 >&2; exit 3");
    let Trouble::Exited(message) = trouble else { panic!("{trouble:?}") };
    let last: Vec<String> = (61..=100).map(|n| n.to_string()).collect();
    let expected = "the server ended during `call main o x`\nIt ended with exit status: 3.\nOn its standard error it said last:\n";
    assert_eq!(message, expected.to_owned() + &last.join("\n"));
}
