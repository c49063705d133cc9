//! `fehu check --json`: every fix that the message offers is there as an edit.

use super::{program, run, stderr};
use serde_json::Value;

/// What is said about a program, one value for each problem.
fn problems(text: &str) -> Vec<Value> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = program(dir.path(), "a.fut", text);
    let done = run(&["check", "--json", &file.display().to_string()]);
    stderr(&done).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

/// The program after the first fix of the first problem.
fn fixed(text: &str) -> String {
    let found = problems(text);
    let mut fixed = text.to_owned();
    for edit in found[0]["fixes"][0]["edits"].as_array().expect("edits").iter().rev() {
        let at = |end: &str| edit[end].as_u64().expect("a number") as usize;
        fixed.replace_range(at("start")..at("end"), edit["text"].as_str().expect("a text"));
    }
    fixed
}

#[test]
fn places_are_counted_in_lines_and_in_bytes() {
    let found = problems("def s = \"é\" def x = y\n");
    let place = &found[0]["place"];
    assert!(place["file"].as_str().is_some_and(|f| f.ends_with("a.fut")));
    assert_eq!((&place["line"], &place["column"], &place["end_column"]), (&1.into(), &21.into(), &22.into()));
    assert_eq!((&place["start"], &place["end"]), (&21.into(), &22.into()));
    assert_eq!(found[0]["fixes"], serde_json::json!([]));
}

#[test]
fn fixes_are_edits() {
    for (before, after) in [
        ("def f (n: i64) (x: f64) = x * n\n", "def f (n: i64) (x: f64) = x * (f64.i64 n)\n"),
        ("def f xs = lenght xs\n", "def f xs = length xs\n"),
        ("def f (x: i32) = (+ x)\ndef g = f(1, -2)\n", "def f (x: i32) = (+ x)\ndef g = f 1 (-2)\n"),
        ("def f (x: a) = x\n", "def f 'a (x: a) = x\n"),
        ("type f = i32 -> i32\n", "type^ f = i32 -> i32\n"),
        ("def s = \"abc\n", "def s = \"abc\"\n"),
    ] {
        assert_eq!(fixed(before), after);
    }
}
