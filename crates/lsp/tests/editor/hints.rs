//! Inlay hints: the text with the hints written into it.

use super::client::about;
use serde_json::json;

#[track_caller]
fn check(text: &str, expected: &str) {
    let hints = about(
        "inlayHint",
        text,
        json!({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}}),
    );
    let mut shown: Vec<String> = text.lines().map(str::to_owned).collect();
    for hint in hints.as_array().into_iter().flatten().rev() {
        let at = |name: &str| hint["position"][name].as_u64().unwrap_or(0) as usize;
        shown[at("line")].insert_str(at("character"), &format!("«{}»", hint["label"].as_str().unwrap_or("")));
    }
    assert_eq!(shown.join("\n") + "\n", expected);
}

#[test]
fn types_that_are_not_written_are_shown() {
    check(
        "def f (n: i64) =\n  let xs = iota n\n  let (a, b) = (1u8, true)\n  in map (\\x -> (x, a, b)) xs\n",
        "def f (n: i64)«: *[n](i64, u8, bool)» =\n  let xs«: [n]i64» = iota n\n  let (a«: u8», b«: bool») = (1u8, true)\n  \
         in map (\\x«: i64» -> (x, a, b)) xs\n",
    );
    check("def k = [1i8]\n", "def k«: [1]i8» = [1i8]\n");
    check("def k: []i8 = [1]\ndef f (x: i32) : i32 = x\n", "def k: []i8 = [1]\ndef f (x: i32) : i32 = x\n");
}

#[test]
fn loops_matches_and_local_functions() {
    check(
        "def f (xs: []i32) : i32 =\n  let g y = y + 1\n  in loop acc = 0 for x in xs do g (acc + x)\n",
        "def f (xs: []i32) : i32 =\n  let g y«: i32»«: i32» = y + 1\n  in loop acc«: i32» = 0 for x«: i32» in xs do g (acc + x)\n",
    );
    check(
        "def f (o: #some i64 | #none) : i64 = match o case #some v -> v case #none -> 0\n",
        "def f (o: #some i64 | #none) : i64 = match o case #some v«: i64» -> v case #none -> 0\n",
    );
}

#[test]
fn sizes_that_have_no_name_are_left_out_and_types_have_different_ones() {
    check(
        "def f (xs: []i32) : i64 =\n  let ys = filter (> 0) xs\n  in length ys\n",
        "def f (xs: []i32) : i64 =\n  let ys«: []i32» = filter (> 0) xs\n  in length ys\n",
    );
    check("def pair f x = (f x, x)\n", "def pair f«: t -> t1» x«: t»«: (t1, t)» = (f x, x)\n");
}

#[test]
fn abbreviations_that_hide_sizes_are_as_written() {
    check(
        "type~ row = []i32\ndef big (xs: row): row = filter (> 9) xs\n\
         def g (xs: row) =\n  let ys = big xs\n  in (ys, 1i8)\n",
        "type~ row = []i32\ndef big (xs: row): row = filter (> 9) xs\n\
         def g (xs: row)«: (row, i8)» =\n  let ys«: row» = big xs\n  in (ys, 1i8)\n",
    );
}

#[test]
fn there_are_no_hints_while_there_are_errors() {
    check("def f x = y\n", "def f x = y\n");
}
