//! `fehu lsp` as editors start it.

use super::fehu;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

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
    // Nobody asks: diagnostics come by themselves.
    let published = receive();
    assert_eq!(published["method"], "textDocument/publishDiagnostics");
    assert_eq!(published["params"]["diagnostics"][0]["severity"], 1);
    send(r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#);
    assert_eq!(receive()["id"], 2);
    send(r#"{"jsonrpc":"2.0","method":"exit"}"#);
    assert!(child.wait().expect("fehu ends").success());
}
