//! `fehu lsp` as editors start it.

use super::fehu;
use serde_json::{json, Value};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

#[test]
fn an_editor_gets_answers_while_the_server_runs() {
    let mut child = fehu()
        .args(["lsp", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("fehu runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut send =
        |text: &str| write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("written");
    let mut receive = || {
        let mut head = String::new();
        output.read_line(&mut head).expect("a header");
        let length =
            head.trim().strip_prefix("Content-Length: ").and_then(|n| n.parse().ok()).expect("a length");
        output.read_line(&mut String::new()).expect("an empty line");
        let mut body = vec![0; length];
        output.read_exact(&mut body).expect("a message");
        serde_json::from_slice::<serde_json::Value>(&body).expect("JSON")
    };
    send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#);
    assert_eq!(receive()["result"]["serverInfo"]["name"], "fehu");
    send(
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///nowhere/a.fut","text":"def x = y"}}}"#,
    );
    // Without a request, diagnostics come by themselves.
    let published = receive();
    assert_eq!(published["method"], "textDocument/publishDiagnostics");
    assert_eq!(published["params"]["diagnostics"][0]["severity"], 1);
    send(r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#);
    assert_eq!(receive()["id"], 2);
    send(r#"{"jsonrpc":"2.0","method":"exit"}"#);
    assert!(child.wait().expect("fehu ends").success());
}

/// A server that runs, and the editor's ends of its pipes.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Editor {
    fn start() -> Editor {
        let mut child =
            fehu().arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("fehu runs");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut editor = Editor { child, input, output };
        editor.send(
            &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}),
        );
        editor.until(|m| m["id"] == 0);
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("written");
        self.input.flush().expect("written");
    }

    /// The next message for which this holds.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut head = String::new();
            self.output.read_line(&mut head).expect("a header");
            let length = head.trim().strip_prefix("Content-Length: ").and_then(|n| n.parse().ok());
            let mut body = vec![0; length.expect("a length")];
            self.output.read_line(&mut String::new()).expect("an empty line");
            self.output.read_exact(&mut body).expect("a message");
            let message = serde_json::from_slice(&body).expect("JSON");
            if wanted(&message) {
                return message;
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "futhark", "version": 1, "text": text});
        self.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}));
    }

    fn end(mut self) {
        self.send(&json!({"jsonrpc": "2.0", "id": "end", "method": "shutdown"}));
        self.until(|m| m["id"] == "end");
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        assert!(self.child.wait().expect("fehu ends").success());
    }
}

const URI: &str = "file:///nowhere/a.fut";

#[test]
fn comments_are_evaluated() {
    let mut editor = Editor::start();
    editor.open(URI, "def f x = x * 2\n  -- >>> f 4\n  -- 7\ndef y = 1\n-- >>> f y + \n-- >>> f 1");
    let mut evaluate = |line: u32| {
        let params = json!({"command": "fehu.evaluate", "arguments": [URI, line]});
        editor.send(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": params}),
        );
        let asked = editor.until(|m| m["method"] == "workspace/applyEdit");
        editor.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"applied": true}}));
        asked["params"]["edit"]["changes"][URI][0].clone()
    };
    let at = |line: u32, character: u32| json!({"line": line, "character": character});
    let edit = json!({"range": {"start": at(1, 12), "end": at(2, 6)}, "newText": "\n  -- 8"});
    assert_eq!(evaluate(1), edit, "the old value is replaced");
    assert_eq!(evaluate(5)["newText"], "\n-- 2");
    assert!(evaluate(4)["newText"].as_str().is_some_and(|t| t.starts_with("\n-- Error at ")));
    editor.end();
}

#[test]
fn entry_points_are_run() {
    let mut editor = Editor::start();
    editor.open(URI, "entry table = [1i32, 2]\n");
    let params = json!({"command": "fehu.run", "arguments": [URI, "table"]});
    editor.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "workspace/executeCommand", "params": params}));
    let shown = editor.until(|m| m["method"] == "window/showMessage");
    assert_eq!(shown["params"]["message"], "table: [1, 2]");
    editor.end();
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_edits() {
    let mut editor = Editor::start();
    let text: String = (0..40).map(|i| format!("def f{i} (x: i32) = x + {i}\n")).collect();
    editor.open(URI, &text);
    let pages = |editor: &Editor| -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", editor.child.id())).expect("there");
        text.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a number")
    };
    let mut half = 0;
    for i in 0..1000u32 {
        // A character is typed, and deleted again; the text has an error in between.
        let (line, typed) = (i / 2 % 40, i % 2 == 0);
        let end = if typed { 3 } else { 4 };
        let range = json!({"start": {"line": line, "character": 3}, "end": {"line": line, "character": end}});
        let changes = json!([{"range": range, "text": if typed { "(" } else { "" }}]);
        let document = json!({"uri": URI, "version": i + 2});
        editor.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didChange",
            "params": {"textDocument": document, "contentChanges": changes}}));
        editor.send(&json!({"jsonrpc": "2.0", "id": i + 1, "method": "textDocument/hover",
            "params": {"textDocument": {"uri": URI}, "position": {"line": line, "character": 21}}}));
        editor.until(|m| m["id"] == i + 1);
        if i == 500 {
            half = pages(&editor);
        }
    }
    let end = pages(&editor);
    assert!(end < half + half / 10, "{half} pages after 500 edits, {end} after 1000");
    editor.end();
}

/// Whether a program is there to be tried with.
fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

#[test]
fn neovim_works_with_the_server() {
    if !installed("nvim") {
        eprintln!("skipped: nvim is not installed");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/neovim/session.lua");
    let done = Command::new("nvim")
        .args(["--headless", "--clean", "-c", &format!("luafile {}", script.display())])
        .env("FEHU", env!("CARGO_BIN_EXE_fehu"))
        .output()
        .expect("nvim runs");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("ok: the end"), "{text}");
}

#[test]
fn neovim_colours_programs_by_their_trees() {
    if !installed("nvim") || !installed("cc") {
        eprintln!("skipped: nvim or cc is not installed");
        return;
    }
    let editors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors");
    let home = tempfile::tempdir().expect("a folder");
    let done = Command::new("sh")
        .arg(editors.join("tree-sitter/install"))
        .arg("neovim")
        .env("HOME", home.path())
        .env("XDG_DATA_HOME", home.path())
        .env("CFLAGS", "-O0")
        .output()
        .expect("sh runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let script = editors.join("neovim/colours.lua");
    let done = Command::new("nvim")
        .args(["--headless", "--clean", "-c", &format!("luafile {}", script.display())])
        .env("SITE", home.path().join("nvim/site"))
        .env("FEHU", env!("CARGO_BIN_EXE_fehu"))
        .output()
        .expect("nvim runs");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("ok: the end"), "{text}");
}
