//! Texts that are being written: what is broken takes nothing from the rest.

use super::client::{about, answer, ask, change, diagnostics, open, talk, URI};
use serde_json::{json, Value};

/// The line and column of `¦`, and the text without it.
fn marked(text: &str) -> (u32, u32, String) {
    let at = text.find('¦').expect("a place");
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |i| i + 1);
    (line as u32, column as u32, text.replacen('¦', "", 1))
}

/// The answer about `¦` in a text, which was another one before.
fn after(before: &str, method: &str, text: &str) -> Value {
    let (line, column, text) = marked(text);
    let hover = json!({"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {
        "textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}});
    let change = change(URI, json!([{"text": text}]));
    answer(&talk(&[open(URI, before), hover, change, ask(method, URI, line, column)]))
}

fn hover(before: &str, text: &str) -> String {
    let said = after(before, "hover", text);
    said["contents"]["value"]
        .as_str()
        .unwrap_or("")
        .replace("```", "")
        .replace("futhark\n", "")
        .trim()
        .to_owned()
}

fn labels(before: &str, text: &str) -> Vec<String> {
    let items = after(before, "completion", text)["items"].as_array().cloned().unwrap_or_default();
    items.iter().filter_map(|i| i["label"].as_str().map(str::to_owned)).collect()
}

#[test]
fn the_rest_is_checked() {
    let wrong = |text: &str| diagnostics(&talk(&[open(URI, text), ask("documentSymbol", URI, 0, 0)]), URI);
    for broken in [
        "def f (x: i32) : i32 = x +",
        "def f (x: i32) : i32 =",
        "def f (x: i32",
        "def f",
        "def f x = let y = x * 2",
        "def f x = let y = x * 2 in",
        "def f x = (x, [1, x",
        "def f x = if x then",
        "def f x = \\",
        "def f x = x = 2",
    ] {
        for text in [
            format!("{broken}\ndef g (b: bool) : i32 = b\ndef h = f 2\n"),
            format!("def g (b: bool) : i32 = b\nmodule m = {{\n{broken}\ndef h = f 2\n}}\n"),
        ] {
            let found = wrong(&text);
            let types = found.iter().filter(|d| d.contains("bool")).count();
            assert_eq!((found.len(), types), (2, 1), "{text}\n{found:#?}");
        }
    }
    // It is not known what a broken type or module would have defined.
    let found = wrong("def g (b: bool) : i32 = b\ntype t = {\ndef h (x: t) = x\n");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!(wrong("module m = {def x = \ntype t =}\ndef h = m.y\n").len(), 2);
}

const TEXT: &str = "-- | One more.\ndef f (x: i32) = x + 1\n\ndef g (ys: []i32) : i32 =\n  let zs = map f ys\n  in i32.sum zs\n";

#[test]
fn names_in_a_broken_definition_have_meanings() {
    let broken = TEXT.replace("in i32.sum zs", "in i32.sum (map f zs");
    assert_eq!(hover(TEXT, &broken.replace("map f ys", "map ¦f ys")), "f : (x: i32) -> i32\n\n\nOne more.");
    assert_eq!(hover(TEXT, &broken.replace("(ys:", "(¦ys:")), "ys : [d]i32");
    // What was there before the edit is found after it, too.
    let typed = TEXT.replace("let zs", "let as = filter (\n  let zs");
    assert_eq!(hover(TEXT, &typed.replace("sum zs", "sum z¦s")), "zs : *[d]i32");
    let place = &after(TEXT, "definition", &typed.replace("map f ys", "map ¦f ys"))["range"]["start"];
    assert_eq!(place, &json!({"line": 1, "character": 4}));
    let at_top = format!("def new =\n{TEXT}");
    let place = after(TEXT, "definition", &at_top.replace("map f ys", "map ¦f ys"));
    assert_eq!(place["range"]["start"], json!({"line": 2, "character": 4}));
    assert_eq!(after(TEXT, "rename", &at_top.replace("map f ys", "map ¦f ys")), "the program has errors");
}

#[test]
fn a_text_that_was_never_right_has_meanings() {
    let text = "def f (x: i32) = x + 1\ndef g = f (\ndef h (y: i32) = f y\n";
    assert_eq!(hover("", &text.replace("= f y", "= ¦f y")), "f : (x: i32) -> i32");
    assert!(labels("", &text.replace("= f y", "= ¦f y")).contains(&"f".to_owned()));
}

#[test]
fn completion_knows_what_was_just_written() {
    for text in [
        "def f (first: i32) =\n  let second = first + 1\n  in ¦\ndef g = 1\n",
        "def f (first: i32) =\n  let second = first + 1\n  let third = (¦\n",
        "def f (first: i32) = \\second -> ¦",
    ] {
        let found = labels("def g = 1\n", text);
        let wanted = ["first", "g"].into_iter().chain(text.contains("let").then_some("second"));
        for name in wanted {
            assert!(found.contains(&name.to_owned()), "{text}: {name}: {found:?}");
        }
        assert!(!found.contains(&"third".to_owned()), "not bound yet");
    }
}

#[test]
fn an_error_takes_nothing_from_the_rest() {
    let text = "type p = {x: i32}\ndef f (a: p) : i32 = nowhere a.x\ndef g (y: p) = let z = f y in (z, y)\n";
    assert_eq!(hover("", &text.replace("= f y", "= ¦f y")), "f : (a: p) -> i32\ntype p = {x: i32}");
    assert_eq!(hover("", &text.replace("(z,", "(¦z,")), "z : i32");
    assert_eq!(hover("", &text.replace("nowhere a", "nowhere ¦a")), "a : p\ntype p = {x: i32}");
    assert_eq!(hover("", &text.replace("def g", "def ¦g")), "g : (y: p) -> (i32, p)\ntype p = {x: i32}");
    let place = after("", "definition", &text.replace("= f y", "= ¦f y"));
    assert_eq!(place["range"]["start"], json!({"line": 1, "character": 4}));
    let hints = about("inlayHint", text, json!({}));
    let shown: Vec<&str> =
        hints.as_array().into_iter().flatten().filter_map(|h| h["label"].as_str()).collect();
    assert_eq!(shown, [": (i32, p)", ": i32"]);
    // Of a function whose type is not written either, nothing is known; of what it is applied to, all.
    let text = "def f a = nowhere a\ndef g (y: i32) = let z = f (y + 1) in y\n";
    assert_eq!(hover("", &text.replace("(y +", "(¦y +")), "y : i32");
    assert_eq!(hover("", &text.replace("in y", "in ¦y")), "y : i32");
    let place = after("", "definition", &text.replace("= f (", "= ¦f ("));
    assert_eq!(place["range"]["start"], json!({"line": 0, "character": 4}));
}

#[test]
fn the_prelude_can_be_opened() {
    let answer = after("", "definition", "def f = ¦map (+ 1) [1, 2, 3]\n");
    let path = answer["uri"].as_str().and_then(|u| u.strip_prefix("file://")).expect("a file");
    let text = std::fs::read_to_string(path).expect("it can be read");
    assert!(std::fs::metadata(path).expect("it is there").permissions().readonly());
    let line = answer["range"]["start"]["line"].as_u64().expect("a line") as usize;
    assert!(text.lines().nth(line).is_some_and(|l| l.contains("def map ")), "{answer}");
    // It is no program, so nothing is said about it.
    let uri = format!("file://{path}");
    assert!(diagnostics(&talk(&[open(&uri, &text), ask("hover", &uri, 0, 0)]), &uri).is_empty());
}

/// What the user calls a number is what the editor calls it; what is computed with it is a number.
#[test]
fn numbers_have_the_names_that_the_user_gave_them() {
    let text = "type real = f64\ndef f (x: real) = x * 2\n";
    assert_eq!(hover("", &text.replace("(x", "(¦x")), "x : real\ntype real = f64");
    assert_eq!(hover("", &text.replace("def f", "def ¦f")), "f : (x: real) -> f64\ntype real = f64");
}
