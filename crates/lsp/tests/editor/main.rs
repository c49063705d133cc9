//! An editor talks to the server: messages in, messages out.

mod actions;
mod broken;
mod client;
mod complete;
mod hints;
mod lens;
mod long;
mod navigation;
mod rename;
mod semantic;
mod signature;
mod startup;

use client::{answer, ask, asked, change, diagnostics, framed, open, raw, talk, URI};
use serde_json::{json, Value};
use std::io::Write;
use std::path::Path;

#[test]
fn a_session_begins_and_ends() {
    let messages = talk(&[]);
    assert_eq!(messages.len(), 2);
    let capabilities = &messages[0]["result"]["capabilities"];
    assert_eq!(capabilities["hoverProvider"], true);
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    let (messages, fine) = raw(framed(&json!({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"})));
    assert_eq!(messages[0]["error"]["code"], -32002, "the first request is initialize");
    assert!(!fine, "there was no good-bye");
}

#[test]
fn errors_come_and_go() {
    let request = ask("documentSymbol", URI, 0, 0);
    let messages = talk(&[open(URI, "def x = y\n"), request.clone()]);
    let found = diagnostics(&messages, URI);
    assert!(found.len() == 1 && found[0].contains("Unknown name \"y\""), "{found:?}");
    assert!(found[0].starts_with("{\"line\":0,\"character\":8}"), "{found:?}");
    let edit = json!([{"range": {"start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 9}}, "text": "1i32"}]);
    let messages = talk(&[open(URI, "def x = y\n"), request.clone(), change(URI, edit), request]);
    assert_eq!(diagnostics(&messages, URI), Vec::<String>::new());
}

#[test]
fn columns_count_utf_16() {
    let text = "def x = (\"😀\", y)\n";
    let messages = talk(&[open(URI, text), ask("documentSymbol", URI, 0, 0)]);
    let found = diagnostics(&messages, URI);
    assert!(found[0].starts_with("{\"line\":0,\"character\":15}"), "{found:?}");
}

#[test]
fn hovering_shows_types_and_documentation() {
    let shown = |line, character| {
        asked("hover", line, character)["contents"]["value"].as_str().unwrap_or("").to_owned()
    };
    let said = shown(7, 11);
    assert!(said.contains("twice : (x: i32) -> i32") && said.contains("Twice as much."), "{said}");
    assert!(shown(7, 16).contains("y : i32"));
    assert!(shown(6, 20).contains("type t = {a: i32}"), "{}", shown(6, 20));
    assert!(shown(4, 8).contains("module m"));
    assert_eq!(asked("hover", 2, 0), Value::Null);
}

#[test]
fn hovering_shows_abbreviations_and_what_they_stand_for() {
    let text = "type~ row = []i32\ndef big (xs: row): row = filter (> 9) xs\n\
                def g (xs: row) = let ys = big xs in f32.sum (map f32.i32 ys)\n";
    let shown = |line, character| {
        let messages = talk(&[open(URI, text), ask("hover", URI, line, character)]);
        answer(&messages)["contents"]["value"].as_str().unwrap_or("").to_owned()
    };
    let said = shown(1, 5);
    assert!(said.contains("big : (xs: row) -> row\ntype~ row = []i32"), "{said}");
    let said = shown(2, 23);
    assert!(said.contains("ys : row\ntype~ row = []i32"), "{said}");
    let said = shown(2, 44);
    assert!(said.contains("The sum of all elements."), "{said}");
}

#[test]
fn definitions_are_found() {
    let start = |line, character| asked("definition", line, character)["range"]["start"].clone();
    assert_eq!(start(7, 11), json!({"line": 1, "character": 4}));
    assert_eq!(start(7, 16), json!({"line": 6, "character": 10}));
    assert_eq!(start(6, 20)["line"], 3);
    assert_eq!(asked("definition", 1, 23), Value::Null, "an operator of the prelude");
}

#[test]
fn references_are_found_from_uses_and_from_the_definition() {
    for (line, character) in [(7, 11), (1, 5), (8, 20)] {
        let lines: Vec<Value> = asked("references", line, character)
            .as_array()
            .into_iter()
            .flatten()
            .map(|l| l["range"]["start"]["line"].clone())
            .collect();
        assert_eq!(lines, [1, 7, 8], "{line}:{character}");
    }
    assert_eq!(asked("documentHighlight", 1, 5).as_array().map(Vec::len), Some(3));
}

#[test]
fn values_are_renamed_everywhere() {
    let edits = |line, character| {
        let changes = asked("rename", line, character)["changes"][URI].clone();
        let text = |e: &Value| e["newText"].as_str().unwrap_or("").to_owned();
        changes.as_array().map(|es| es.iter().map(text).collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(edits(1, 5), ["renamed", "renamed", "renamed"]);
    assert_eq!(edits(7, 6), ["renamed", "a = renamed", "renamed"], "a field keeps its name");
    assert_eq!(asked("rename", 1, 23), "only names can be changed, and no operators");
    assert_eq!(asked("prepareRename", 1, 5)["start"], json!({"line": 1, "character": 4}));
}

#[test]
fn outlines_and_folds() {
    let symbols = asked("documentSymbol", 0, 0);
    let names: Vec<&str> =
        symbols.as_array().into_iter().flatten().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["twice", "t", "m", "main"]);
    assert_eq!(symbols[2]["children"][0]["name"], "inner");
    assert_eq!(asked("foldingRange", 0, 0), json!([{"startLine": 6, "endLine": 8}]));
}

#[test]
fn formatting() {
    let format = |text: &str| answer(&talk(&[open(URI, text), ask("formatting", URI, 0, 0)]));
    assert_eq!(format("let x=1")[0]["newText"], "def x = 1\n");
    assert_eq!(format("def x = 1\n"), json!([]));
    assert_eq!(format("def x ="), "a file with syntax errors cannot be formatted");
}

#[test]
fn imports_are_taken_from_the_editor() {
    let dir = tempfile::tempdir().expect("a folder");
    let uri = |name: &str| format!("file://{}", Path::new(dir.path()).join(name).display());
    std::fs::write(dir.path().join("b.fut"), "def b = 1i32\n").expect("written");
    let main = "import \"b\"\ndef x = b + 1i32\n";
    let request = ask("documentSymbol", &uri("a.fut"), 0, 0);
    let messages = talk(&[open(&uri("a.fut"), main), request.clone()]);
    assert!(diagnostics(&messages, &uri("a.fut")).is_empty(), "{messages:?}");
    let messages = talk(&[
        open(&uri("a.fut"), main),
        request.clone(),
        open(&uri("b.fut"), "def c = 1i32\n"),
        request.clone(),
    ]);
    assert_eq!(diagnostics(&messages, &uri("a.fut")).len(), 1, "what is not saved counts");
    let close = json!({"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": uri("b.fut")}}});
    let messages = talk(&[
        open(&uri("a.fut"), main),
        request.clone(),
        open(&uri("b.fut"), "def c = 1i32\n"),
        request.clone(),
        close,
        request,
    ]);
    assert!(diagnostics(&messages, &uri("a.fut")).is_empty());
}

#[test]
fn garbage_is_survived() {
    let mut bytes = vec![];
    bytes.extend(b"nonsense\r\n\r\nContent-Length: x\r\n\r\nContent-Length: 3\r\n\r\n{]}");
    bytes.extend(framed(&json!([1, 2])));
    bytes.extend(framed(&json!({"id": 7})));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": 3})));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": "x"})));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "id": 3, "method": "no/such", "params": null})));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": 3}}})));
    bytes.extend(framed(&open("untitled:1", "def x = 1")));
    bytes.extend(framed(&change(URI, json!([{"range": 3, "text": []}]))));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "id": 4, "method": "shutdown"})));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "method": "exit"})));
    let (messages, fine) = raw(bytes);
    assert!(fine, "{messages:?}");
    let code = |id: Value| messages.iter().find(|m| m["id"] == id).map(|m| m["error"]["code"].clone());
    assert_eq!(code(json!(7)), Some(json!(-32600)));
    assert_eq!(code(json!(3)), Some(json!(-32601)));
    assert_eq!(code(json!(2)), Some(Value::Null));
    assert_eq!(messages[0]["error"]["code"], -32700);
}

#[test]
fn what_is_no_message_does_not_hide_the_next_one() {
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}});
    let shutdown = json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    for garbage in [
        "{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": \"shutdown\"}",
        "hello",
        "Content-Length: many\r\n\r\n{}",
        "Content-Length: -5\r\n\r\n{}",
        "Content-Length: 70000000\r\n\r\n{}",
        "Content-Length: 1\r\n\r\n{\"a\": 1}",
        "Content-Length: 12\r\n\r\n{\"jsonrpc\": ",
    ] {
        let mut bytes = framed(&begin);
        bytes.extend(garbage.bytes());
        bytes.extend([&shutdown, &exit].into_iter().flat_map(framed));
        let (messages, fine) = raw(bytes);
        assert!(fine && messages.iter().any(|m| m["id"] == 2), "{garbage}: {messages:?}");
        assert!(messages.iter().any(|m| m["error"]["code"] == -32700), "{garbage}: {messages:?}");
    }
}

#[test]
fn diagnostics_say_which_text_they_are_about() {
    let request = ask("documentSymbol", URI, 0, 0);
    let edit = json!([{"text": "def x = z\n"}]);
    let messages = talk(&[open(URI, "def x = y\n"), request.clone(), change(URI, edit), request]);
    let published = messages.iter().filter(|m| m["method"] == "textDocument/publishDiagnostics");
    let versions: Vec<&Value> = published.map(|m| &m["params"]["version"]).collect();
    assert_eq!(versions, [&json!(1), &json!(2)]);
}

#[test]
fn a_message_that_ends_too_early_ends_the_session() {
    let mut bytes = vec![];
    write!(bytes, "Content-Length: 100\r\n\r\n{{").expect("written");
    assert!(!raw(bytes).1);
}
