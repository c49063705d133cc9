//! Code lenses, and what they evaluate.

use super::client::{about, URI};
use serde_json::{json, Value};

const TEXT: &str = "\
-- ==
-- input { 1 } output { 2 }
entry main (x: i32) = x + 1

-- >>> main 4
entry table = map main (iota 3 |> map i32.i64)
";

#[test]
fn comments_tests_and_entry_points_have_lenses() {
    let lenses = about("codeLens", TEXT, json!({}));
    let shown: Vec<String> = lenses
        .as_array()
        .into_iter()
        .flatten()
        .map(|l| {
            format!("{} {} {}", l["range"]["start"]["line"], l["command"]["title"], l["command"]["arguments"])
        })
        .collect();
    assert_eq!(
        shown,
        [
            format!("0 \"Test\" [\"{URI}\",null]"),
            format!("4 \"Evaluate\" [\"{URI}\",4]"),
            format!("5 \"Run\" [\"{URI}\",\"table\"]"),
        ]
    );
}

/// The value of an expression in a file that is nowhere.
fn value(text: &str, expression: &str) -> (String, bool) {
    let files = json!({"/nowhere/a.fut": text, "/nowhere/b.fut": "def b = 10i32"});
    let request = json!({"path": "/nowhere/a.fut", "files": files, "expression": expression});
    fehu_lsp::evaluate(&request.to_string())
}

#[test]
fn expressions_are_evaluated_in_texts_that_are_not_saved() {
    assert_eq!(value(TEXT, "main 4"), ("5".into(), true));
    assert_eq!(value("import \"b\"\ndef c = b + 1", "c"), ("11".into(), true));
    let (text, fine) = value(TEXT, "nothing 4");
    assert!(!fine && text.contains("Unknown name"), "{text}");
    let (text, fine) = value("def x = y", "x");
    assert!(!fine && text.contains("/nowhere/a.fut:1:9-10"), "{text}");
    assert!(!value(TEXT, "[1][7]").1);
    assert!(!fehu_lsp::evaluate("nonsense").1);
}

#[test]
fn only_the_last_traces_are_kept() {
    let (text, fine) = value("def f (n: i64) = loop acc = 0 for i < n do #[trace] (acc + i)", "f 1000");
    assert!(fine);
    assert_eq!(text.lines().count(), 101, "{text}");
    assert!(text.ends_with("499500"), "{text}");
}

#[test]
fn commands_that_do_not_exist_are_refused() {
    let request = |command: &str, arguments: Value| {
        let params = json!({"command": command, "arguments": arguments});
        let message =
            json!({"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": params});
        super::client::answer(&super::client::talk(&[super::client::open(URI, TEXT), message]))
    };
    assert_eq!(request("no.such", json!([URI])), "there is no command no.such");
    assert_eq!(request("fehu.evaluate", json!([URI, 2])), "there is no `-- >>>` at this line");
    assert_eq!(request("fehu.evaluate", json!([])), "the first argument is a file");
    assert_eq!(request("fehu.evaluate", json!([URI, 4])), "the compiler's executable is not known");
}
