//! A small client: frames messages, talks to a server in this process, picks answers.

use serde_json::{json, Value};
use std::io::{BufReader, Cursor};

/// Sends bytes; the messages that come back, and whether the server ended as it should.
pub(crate) fn raw(bytes: Vec<u8>) -> (Vec<Value>, bool) {
    let mut output = vec![];
    let fine = fehu_lsp::serve(BufReader::new(Cursor::new(bytes)), &mut output, None);
    let mut rest = output.as_slice();
    let mut messages = vec![];
    while !rest.is_empty() {
        let text = std::str::from_utf8(rest).expect("text");
        let (head, _) = text.split_once("\r\n\r\n").expect("a header");
        let length: usize =
            head.strip_prefix("Content-Length: ").and_then(|n| n.parse().ok()).expect("a length");
        let body = &rest[head.len() + 4..][..length];
        messages.push(serde_json::from_slice(body).expect("JSON"));
        rest = &rest[head.len() + 4 + length..];
    }
    (messages, fine)
}

pub(crate) fn framed(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// A session between initialize and exit: the messages that come back.
pub(crate) fn talk(messages: &[Value]) -> Vec<Value> {
    let mut bytes =
        framed(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}})));
    for message in messages {
        bytes.extend(framed(message));
    }
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "id": 99, "method": "shutdown"})));
    bytes.extend(framed(&json!({"jsonrpc": "2.0", "method": "exit"})));
    let (answers, fine) = raw(bytes);
    assert!(fine);
    answers
}

pub(crate) fn open(uri: &str, text: &str) -> Value {
    let document = json!({"uri": uri, "languageId": "futhark", "version": 1, "text": text});
    json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
}

pub(crate) fn change(uri: &str, changes: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
        "textDocument": {"uri": uri, "version": 2}, "contentChanges": changes,
    }})
}

/// A request about a place.
pub(crate) fn ask(method: &str, uri: &str, line: u32, character: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": format!("textDocument/{method}"), "params": {
        "textDocument": {"uri": uri}, "position": {"line": line, "character": character},
        "context": {"includeDeclaration": true}, "newName": "renamed",
    }})
}

/// The answer to the request with number 1.
pub(crate) fn answer(messages: &[Value]) -> Value {
    let found = messages.iter().find(|m| m["id"] == 1).cloned().expect("an answer");
    match found.get("error") {
        Some(e) => e["message"].clone(),
        None => found["result"].clone(),
    }
}

/// The last diagnostics of a file.
pub(crate) fn diagnostics(messages: &[Value], uri: &str) -> Vec<String> {
    let mut all = messages.iter().filter(|m| m["method"] == "textDocument/publishDiagnostics");
    let last = all.rfind(|m| m["params"]["uri"] == uri).cloned().unwrap_or_default();
    let list = last["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
    list.iter().map(|d| format!("{}: {}", d["range"]["start"], d["message"].as_str().unwrap_or(""))).collect()
}

pub(crate) const URI: &str = "file:///nowhere/a.fut";

pub(crate) const TEXT: &str = "\
-- | Twice as much.
def twice (x: i32) = x + x

type t = {a: i32}
module m = {def inner = 3i64}

def main (y: i32) : t =
  let a = twice y
  in {a} with a = twice a
";

pub(crate) fn asked(method: &str, line: u32, character: u32) -> Value {
    answer(&talk(&[open(URI, TEXT), ask(method, URI, line, character)]))
}

/// The answer about a text to a request without a place.
pub(crate) fn about(method: &str, text: &str, params: Value) -> Value {
    let mut params = params;
    params["textDocument"] = json!({"uri": URI});
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": format!("textDocument/{method}"), "params": params});
    answer(&talk(&[open(URI, text), request]))
}

/// The text after edits, the last first.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let mut text = text.to_owned();
    let mut edits: Vec<Value> = edits.as_array().cloned().unwrap_or_default();
    let offset = |p: &Value, text: &str| {
        let n = |name: &str| p[name].as_u64().unwrap_or(0) as usize;
        text.split_inclusive('\n').take(n("line")).map(str::len).sum::<usize>() + n("character")
    };
    edits.sort_by_key(|e| offset(&e["range"]["start"], &text));
    for e in edits.iter().rev() {
        let (lo, hi) = (offset(&e["range"]["start"], &text), offset(&e["range"]["end"], &text));
        text.replace_range(lo..hi, e["newText"].as_str().unwrap_or(""));
    }
    text
}

/// A session in a folder that is open in the editor.
pub(crate) fn talk_in(folder: &std::path::Path, messages: &[Value]) -> Vec<Value> {
    let folders = json!([{"uri": format!("file://{}", folder.display()), "name": "workspace"}]);
    let params = json!({"capabilities": {}, "workspaceFolders": folders});
    let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let shutdown = json!({"jsonrpc": "2.0", "id": 99, "method": "shutdown"});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    let all = [&begin].into_iter().chain(messages).chain([&shutdown, &exit]);
    let (answers, fine) = raw(all.flat_map(framed).collect());
    assert!(fine);
    answers
}
