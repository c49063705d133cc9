//! What editors send when they start and stop: each request gets one answer, and the session ends well.

use super::client::{framed, open, raw, URI};
use serde_json::{json, Value};

fn request(id: Value, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// A whole session; the messages that come back. Every request must be answered once.
#[track_caller]
fn session(messages: &[Value]) -> Vec<Value> {
    let bytes = messages.iter().flat_map(framed).collect();
    let (answers, fine) = raw(bytes);
    assert!(fine, "{answers:?}");
    for id in messages.iter().filter_map(|m| m.get("id").filter(|_| m.get("method").is_some())) {
        let found = answers.iter().filter(|a| a.get("id") == Some(id) && a.get("method").is_none()).count();
        assert_eq!(found, 1, "answers to {id}: {answers:?}");
    }
    answers
}

fn with_end(mut messages: Vec<Value>) -> Vec<Value> {
    messages.push(request(json!(1000), "shutdown", Value::Null));
    messages.push(notification("exit", Value::Null));
    messages
}

#[test]
fn vs_code() {
    let capabilities = json!({
        "workspace": {
            "applyEdit": true, "workspaceEdit": {"documentChanges": true}, "configuration": true,
            "didChangeConfiguration": {"dynamicRegistration": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true}, "semanticTokens": {"refreshSupport": true},
            "codeLens": {"refreshSupport": true}, "inlayHint": {"refreshSupport": true}, "workspaceFolders": true,
        },
        "textDocument": {
            "synchronization": {"dynamicRegistration": true, "didSave": true},
            "publishDiagnostics": {"relatedInformation": true, "versionSupport": false},
            "codeAction": {"isPreferredSupport": true}, "semanticTokens": {"formats": ["relative"]},
        },
        "window": {"workDoneProgress": true}, "general": {"positionEncodings": ["utf-16"]},
    });
    let document = json!({"uri": URI});
    let answers = session(&with_end(vec![
        request(
            json!(0),
            "initialize",
            json!({
                "processId": 1, "clientInfo": {"name": "Visual Studio Code"}, "locale": "en", "rootPath": "/nowhere",
                "rootUri": "file:///nowhere", "capabilities": capabilities, "trace": "off",
                "workspaceFolders": [{"uri": "file:///nowhere", "name": "nowhere"}],
            }),
        ),
        notification("initialized", json!({})),
        notification("$/setTrace", json!({"value": "off"})),
        notification("workspace/didChangeConfiguration", json!({"settings": {"fehu": {"command": "fehu"}}})),
        open(URI, "def x = 1i32\n"),
        request(json!(1), "textDocument/documentSymbol", json!({"textDocument": document})),
        request(
            json!(2),
            "textDocument/codeAction",
            json!({
                "textDocument": document, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
                "context": {"diagnostics": [], "triggerKind": 2},
            }),
        ),
        request(json!(3), "textDocument/semanticTokens/full", json!({"textDocument": document})),
        notification("$/cancelRequest", json!({"id": 3})),
        request(json!(4), "textDocument/codeLens", json!({"textDocument": document})),
        request(json!(5), "textDocument/foldingRange", json!({"textDocument": document})),
        request(
            json!(6),
            "textDocument/inlayHint",
            json!({
                "textDocument": document, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
            }),
        ),
        notification("textDocument/didSave", json!({"textDocument": document})),
        notification("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": URI, "type": 2}]})),
        json!({"jsonrpc": "2.0", "id": "fehu-1", "result": null}),
    ]));
    let registered = answers.iter().any(|a| a["method"] == "client/registerCapability");
    assert!(registered, "files that change elsewhere are watched: {answers:?}");
}

#[test]
fn eglot() {
    let answers = session(&with_end(vec![
        request(
            json!(1),
            "initialize",
            json!({
                "processId": 1, "clientInfo": {"name": "Eglot", "version": "1.17"}, "rootPath": "/nowhere/",
                "rootUri": "file:///nowhere", "initializationOptions": {}, "workspaceFolders": [],
                "capabilities": {
                    "workspace": {"applyEdit": true, "executeCommand": {"dynamicRegistration": false},
                        "workspaceEdit": {"documentChanges": true}, "configuration": true},
                    "textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}},
                    "general": {"positionEncodings": ["utf-32", "utf-8", "utf-16"]}, "experimental": {},
                },
            }),
        ),
        notification("initialized", json!({})),
        notification("workspace/didChangeConfiguration", json!({"settings": {}})),
        open(URI, "def x = (\"é\", y)\n"),
        request(
            json!(2),
            "textDocument/signatureHelp",
            json!({
            "textDocument": {"uri": URI}, "position": {"line": 0, "character": 9}}),
        ),
        request(
            json!(3),
            "textDocument/hover",
            json!({
            "textDocument": {"uri": URI}, "position": {"line": 0, "character": 5}}),
        ),
    ]));
    assert_eq!(answers[0]["result"]["capabilities"]["positionEncoding"], "utf-8");
    let published = answers.iter().find(|a| a["method"] == "textDocument/publishDiagnostics");
    let start = published.map(|p| p["params"]["diagnostics"][0]["range"]["start"]["character"].clone());
    assert_eq!(start, Some(json!(15)), "bytes are counted");
}

#[test]
fn helix() {
    session(&with_end(vec![
        request(
            json!(0),
            "initialize",
            json!({
                "capabilities": {"general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]}, "workspace": {
                    "workspaceFolders": true, "didChangeWatchedFiles": {"dynamicRegistration": true}}},
                "clientInfo": {"name": "helix", "version": "25.01"}, "processId": 1, "rootPath": "/nowhere",
                "rootUri": "file:///nowhere", "initializationOptions": null,
                "workspaceFolders": [{"name": "nowhere", "uri": "file:///nowhere"}],
            }),
        ),
        notification("initialized", json!({})),
        open(URI, "def x = 1\n"),
        json!({"jsonrpc": "2.0", "id": "fehu-1", "error": {"code": -32601, "message": "no"}}),
        request(
            json!(1),
            "textDocument/documentHighlight",
            json!({
            "textDocument": {"uri": URI}, "position": {"line": 0, "character": 4}}),
        ),
        request(json!("a string"), "workspace/symbol", json!({"query": ""})),
    ]));
}

#[test]
fn neovim_sends_whole_texts_or_parts() {
    let change = |version: u32, changes: Value| {
        notification(
            "textDocument/didChange",
            json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": changes}),
        )
    };
    let at = |line: u32, character: u32| json!({"line": line, "character": character});
    let answers = session(&with_end(vec![
        request(
            json!(1),
            "initialize",
            json!({"processId": 1, "rootUri": null, "rootPath": null,
            "workspaceFolders": null, "capabilities": {"textDocument": {}}, "trace": "off"}),
        ),
        notification("initialized", json!({})),
        open(URI, "def x = y\n"),
        change(2, json!([{"text": "def x = z\n"}])),
        change(3, json!([{"range": null, "text": "def x = w\n"}])),
        change(4, json!([{"range": {"start": at(0, 8), "end": at(0, 9)}, "rangeLength": 1, "text": "1i32"}])),
        request(json!(2), "textDocument/hover", json!({"textDocument": {"uri": URI}, "position": at(0, 4)})),
    ]));
    let last = answers.iter().rfind(|a| a["method"] == "textDocument/publishDiagnostics");
    assert_eq!(last.map(|m| m["params"]["diagnostics"].clone()), Some(json!([])));
}

#[test]
fn sessions_in_the_wrong_order() {
    let initialize = |id: u32| request(json!(id), "initialize", json!({"capabilities": {}}));
    let answers = session(&with_end(vec![initialize(1), initialize(2)]));
    assert_eq!(answers[1]["error"]["code"], -32600);
    let after = [
        initialize(1),
        request(json!(2), "shutdown", Value::Null),
        request(json!(3), "textDocument/hover", json!({})),
        notification("exit", Value::Null),
    ];
    assert_eq!(session(&after)[2]["error"]["code"], -32600);
    let (_, fine) = raw([initialize(1), notification("exit", Value::Null)].iter().flat_map(framed).collect());
    assert!(!fine, "exit before shutdown");
    let (_, fine) = raw(framed(&initialize(1)));
    assert!(!fine, "the editor is gone");
}

#[test]
fn names_of_files_keep_their_spelling() {
    // Editors escape different characters; what they wrote is what they get.
    for uri in [
        "file:///no%20where/sch%C3%B6n.fut",
        "file:///no where/schön.fut",
        "file:///a/b+c@d.fut",
        "file:///a/%62.fut",
    ] {
        let answers = session(&with_end(vec![
            request(json!(1), "initialize", json!({"capabilities": {}})),
            open(uri, "def x = y\n"),
            request(json!(2), "textDocument/documentSymbol", json!({"textDocument": {"uri": uri}})),
        ]));
        let published = answers.iter().find(|a| a["method"] == "textDocument/publishDiagnostics");
        assert_eq!(published.map(|p| p["params"]["uri"].clone()), Some(json!(uri)));
    }
}

/// Numbers without pattern, the same in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn value(&mut self) -> Value {
        match self.below(8) {
            0 => Value::Null,
            1 => json!(u64::MAX),
            2 => json!(-1),
            3 => json!("nonsense"),
            4 => json!([]),
            5 => json!({}),
            6 => json!([{"range": {"start": {"line": 1e300}}}]),
            _ => json!(true),
        }
    }

    /// Replaces some part of a value.
    fn spoil(&mut self, v: &mut Value) {
        if self.below(4) == 0 {
            *v = self.value();
            return;
        }
        match v {
            Value::Object(o) if !o.is_empty() => {
                let at = self.below(o.len());
                if let Some(part) = o.values_mut().nth(at) {
                    self.spoil(part);
                }
            }
            Value::Array(a) if !a.is_empty() => {
                let at = self.below(a.len());
                self.spoil(&mut a[at]);
            }
            Value::Object(_)
            | Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => {
                *v = self.value();
            }
        }
    }
}

#[test]
fn spoiled_messages_are_survived() {
    let methods = [
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "prepareRename",
        "rename",
        "completion",
        "documentSymbol",
        "foldingRange",
        "formatting",
        "signatureHelp",
        "inlayHint",
        "codeAction",
        "codeLens",
        "semanticTokens/full",
        "semanticTokens/range",
        "semanticTokens/full/delta",
        "typeDefinition",
        "rangeFormatting",
        "selectionRange",
        "documentLink",
        "prepareCallHierarchy",
        "didChange",
        "didOpen",
        "didClose",
        "didSave",
    ];
    let mut dice = Dice(7);
    let mut bytes = framed(&request(json!(0), "initialize", json!({"capabilities": {}})));
    bytes.extend(framed(&open(URI, "def f (x: i32) = x\n")));
    for i in 0..400 {
        let at = json!({"line": 0, "character": 7});
        let params = json!({
            "textDocument": {"uri": URI, "version": 2, "text": "def x = 1"}, "position": at, "newName": "y",
            "range": {"start": at, "end": at}, "context": {"only": ["quickfix"]},
            "contentChanges": [{"range": {"start": at, "end": at}, "text": "z"}],
            "positions": [at], "previousResultId": "1",
        });
        let method = format!("textDocument/{}", methods[dice.below(methods.len())]);
        let mut message = request(json!(i + 1), &method, params);
        dice.spoil(&mut message["params"]);
        if dice.below(10) == 0 {
            dice.spoil(&mut message);
        }
        match dice.below(20) {
            // Bytes that are no message, and lengths that are none.
            0 => bytes.extend(b"\xff\xfe garbage\r\n\r\nContent-Length: -5\r\n\r\n"),
            1 => bytes.extend(b"Content-Length: 4\r\n\r\n\xff\xff{}"),
            _ => bytes.extend(framed(&message)),
        }
    }
    bytes.extend(framed(&request(json!("end"), "shutdown", Value::Null)));
    bytes.extend(framed(&notification("exit", Value::Null)));
    let (answers, fine) = raw(bytes);
    assert!(fine && answers.iter().any(|a| a["id"] == "end"), "the server is still there at the end");
}
