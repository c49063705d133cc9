//! Code actions: what is offered at a place, and the text after it is taken.

use super::client::{about, answer, edited, framed, open, raw, URI};
use serde_json::{json, Value};

/// The titles of the actions at `¦`, each with the text that it leaves.
fn offered(marked: &str, only: Option<&str>) -> Vec<(String, String)> {
    let at = marked.find('¦').expect("a place");
    let text = marked.replacen('¦', "", 1);
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |i| i + 1);
    let position = json!({"line": line, "character": column});
    let mut context = json!({"diagnostics": []});
    if let Some(only) = only {
        context["only"] = json!([only]);
    }
    let params = json!({"range": {"start": position, "end": position}, "context": context});
    let actions = about("codeAction", &text, params);
    let title = |a: &Value| a["title"].as_str().unwrap_or("").to_owned();
    let actions = actions.as_array().cloned().unwrap_or_default();
    actions.iter().map(|a| (title(a), edited(&text, &a["edit"]["changes"][URI]))).collect()
}

#[track_caller]
fn check(marked: &str, title: &str, expected: &str) {
    let offered = offered(marked, None);
    assert!(offered.contains(&(title.to_owned(), expected.to_owned())), "{offered:?}");
}

#[test]
fn names_are_corrected() {
    check("def vector = 1i32\ndef x = vectr¦\n", "Change to `vector`", "def vector = 1i32\ndef x = vector\n");
    check("type vec = i32\ndef x : vek¦ = 1\n", "Change to `vec`", "type vec = i32\ndef x : vec = 1\n");
    check("def f (x: f32) = f32.sqr¦tt x\n", "Change to `f32.sqrt`", "def f (x: f32) = f32.sqrt x\n");
}

#[test]
fn numbers_are_converted() {
    check(
        "def f (n: i64) (x: f64) = x * n¦\n",
        "Convert with `f64.i64`",
        "def f (n: i64) (x: f64) = x * (f64.i64 n)\n",
    );
    check(
        "def g (xs: []i32) : i32 = i32.sum (map i32.i64 x¦s)\n",
        "Convert with `map i64.i32`",
        "def g (xs: []i32) : i32 = i32.sum (map i32.i64 (map i64.i32 xs))\n",
    );
}

#[test]
fn copies_are_consumed() {
    check(
        "def f (xs: []i32) = xs¦ with [0] = 1\n",
        "Consume a copy",
        "def f (xs: []i32) = (copy xs) with [0] = 1\n",
    );
    // Where a copy cannot be written, nothing is offered.
    let offered = offered("def f (xs: []i32) = let xs¦[0] = 1 in xs\n", Some("quickfix"));
    assert_eq!(offered, []);
}

#[test]
fn other_fixes() {
    check("def x : i8 = 30¦0\n", "Let the value wrap around", "def x : i8 = 300i8\n");
    check("def x = 1\n-- | Not¦hing.\n", "Make this an ordinary comment", "def x = 1\n--  Nothing.\n");
    check("def f x = if x =¦ 1 then 2 else 3\n", "Change to `==`", "def f x = if x == 1 then 2 else 3\n");
    check("def f (x¦: i32) = 1\n", "Rename to `_x`", "def f (_x: i32) = 1\n");
}

#[test]
fn fields_bound_by_their_names_are_not_renamed() {
    assert_eq!(offered("def f {x¦: i32} = 1\n", Some("quickfix")), []);
    assert_eq!(offered("def f (r: {x: i32}) = let {x¦} = r in 1\n", Some("quickfix")), []);
}

#[test]
fn missing_cases_are_added() {
    check(
        "def f (x: #a | #b i32) : i32 =\n  match x\n  case #a¦ -> 1\n",
        "Add the missing cases",
        "def f (x: #a | #b i32) : i32 =\n  match x\n  case #a -> 1\ncase #b _ -> ???\n",
    );
}

#[test]
fn types_are_written() {
    check(
        "def f (n: i64) : i64 = let x¦s = iota n in length xs\n",
        "Write the type of `xs`",
        "def f (n: i64) : i64 = let xs: [n]i64 = iota n in length xs\n",
    );
    check(
        "def f (xs: []i32) = map (\\x¦ -> x + 1) xs\n",
        "Write the type of `x`",
        "def f (xs: []i32) = map (\\(x: i32) -> x + 1) xs\n",
    );
    check("def f¦ (x: i32) = x\n", "Write the result type of `f`", "def f (x: i32) : i32 = x\n");
    // What is inferred gets parameters.
    check("def f x¦s = length xs\n", "Write the type of `xs`", "def f 't [n] (xs: [n]t) = length xs\n");
    check("def p f¦ x = (f x, x)\n", "Write the type of `f`", "def p '^t '^t1 (f: t -> t1) x = (f x, x)\n");
}

#[test]
fn only_what_is_wanted_is_offered() {
    let text = "def f x¦ = 1\n";
    assert_eq!(offered(text, Some("quickfix")).len(), 1);
    assert_eq!(offered(text, Some("source.organizeImports")), []);
    let titles: Vec<String> = offered(text, Some("refactor")).into_iter().map(|(t, _)| t).collect();
    assert_eq!(titles, ["Write the type of `x`"]);
}

/// A session with an editor that asks for edits when an action is chosen.
fn resolving(messages: &[Value]) -> Vec<Value> {
    let properties = json!({"properties": ["edit"]});
    let capabilities = json!({"textDocument": {"codeAction": {"resolveSupport": properties}}});
    let begin =
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": capabilities}});
    let shutdown = json!({"jsonrpc": "2.0", "id": 99, "method": "shutdown"});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    let all = [&begin].into_iter().chain(messages).chain([&shutdown, &exit]);
    raw(all.flat_map(framed).collect()).0
}

fn whole(id: u32, lines: usize) -> Value {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}});
    json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/codeAction", "params": {
        "textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []},
    }})
}

#[test]
fn edits_are_made_when_an_action_is_chosen() {
    let text = "def f x = x + 1i32\ndef g x = f x\n";
    let messages = resolving(&[open(URI, text), whole(1, 2)]);
    let actions = answer(&messages);
    let all = actions.as_array().expect("actions");
    assert_eq!(all.len(), 4, "{actions}");
    assert!(all.iter().all(|a| a.get("edit").is_none()), "{actions}");
    let chosen = json!({"jsonrpc": "2.0", "id": 1, "method": "codeAction/resolve", "params": all[2]});
    let resolved = answer(&resolving(&[open(URI, text), chosen.clone()]));
    assert_eq!(edited(text, &resolved["edit"]["changes"][URI]), "def f x = x + 1i32\ndef g (x: i32) = f x\n");
    // The text is another one since.
    let mut old = chosen;
    old["params"]["data"]["version"] = json!(7);
    assert_eq!(answer(&resolving(&[open(URI, text), old])), "the text has changed");
}

#[test]
fn many_types_are_offered_with_few_checks() {
    // Types that bring parameters of their own do not disturb each other, nor those of other functions.
    let text: String = (0..30).map(|i| format!("def f{i} xs y = map (\\x -> (x, y)) xs\n")).collect();
    let actions = answer(&resolving(&[open(URI, &text), whole(1, 30)]));
    assert_eq!(actions.as_array().map(Vec::len), Some(120), "{actions}");
}

#[test]
fn requests_are_cancelled_while_they_run() {
    let text: String = (0..200).map(|i| format!("def f{i} x = x + {i}i32\n")).collect();
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}});
    // Nothing has been checked yet when the request comes: it is cancelled while that is done.
    let messages = resolving(&[open(URI, &text), whole(1, 200), cancel]);
    let found = messages.iter().find(|m| m["id"] == 1).expect("an answer");
    assert_eq!(found["error"]["code"], -32800, "{found}");
}
