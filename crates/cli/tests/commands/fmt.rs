//! `fehu fmt` on files and on standard input.

use super::{fehu, program, run, stderr, stdout};
use std::io::Write;
use std::process::{Output, Stdio};

const UNTIDY: &str = "let f x = -- why\n   x+1";
const TIDY: &str = "def f x = -- why\n  x + 1\n";

fn piped(args: &[&str], input: &str) -> Output {
    let mut child = fehu()
        .arg("fmt")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fehu runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    child.wait_with_output().expect("fehu ends")
}

#[test]
fn standard_input_is_formatted_to_standard_output() {
    assert_eq!(stdout(&piped(&[], UNTIDY)), TIDY);
    assert_eq!(stdout(&piped(&[], TIDY)), TIDY);
}

#[test]
fn files_are_formatted_in_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = program(dir.path(), "a.fut", UNTIDY);
    let done = run(&["fmt".as_ref(), path.as_os_str()]);
    assert!(done.status.success() && stdout(&done).is_empty(), "{}", stderr(&done));
    assert_eq!(std::fs::read_to_string(&path).expect("read"), TIDY);
}

#[test]
fn a_link_stays_a_link() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = program(dir.path(), "a.fut", UNTIDY);
    let link = dir.path().join("link.fut");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert!(run(&["fmt".as_ref(), link.as_os_str()]).status.success());
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(&path).expect("read"), TIDY);
}

#[test]
fn check_changes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let untidy = program(dir.path(), "a.fut", UNTIDY);
    let tidy = program(dir.path(), "b.fut", TIDY);
    let done = run(&["fmt".as_ref(), "--check".as_ref(), untidy.as_os_str(), tidy.as_os_str()]);
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("a.fut: not formatted correctly") && !stderr(&done).contains("b.fut"));
    assert_eq!(std::fs::read_to_string(&untidy).expect("read"), UNTIDY);
    assert!(run(&["fmt".as_ref(), "--check".as_ref(), tidy.as_os_str()]).status.success());
    let done = piped(&["--check"], UNTIDY);
    assert!(!done.status.success() && stdout(&done).is_empty());
}

#[test]
fn a_file_with_errors_stays_and_the_others_are_formatted() {
    let dir = tempfile::tempdir().expect("a folder");
    let wrong = program(dir.path(), "a.fut", "def x = (1 +");
    let right = program(dir.path(), "b.fut", UNTIDY);
    let done = run(&["fmt".as_ref(), wrong.as_os_str(), right.as_os_str(), dir.path().join("c").as_os_str()]);
    assert_eq!(done.status.code(), Some(1));
    assert!(stderr(&done).contains("a.fut") && stderr(&done).contains("could not read"), "{}", stderr(&done));
    assert_eq!(std::fs::read_to_string(&wrong).expect("read"), "def x = (1 +");
    assert_eq!(std::fs::read_to_string(&right).expect("read"), TIDY);
}
