//! An editor that waits for answers: a server in another thread, and a pair of sockets between them.

use super::super::client::framed;
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Once;
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an answer may take, in a build without optimisation on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// How many panics there were: the server survives its own mistakes, and must not make any.
static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts panics of all threads from now on; how many there were.
pub(crate) fn panics() -> usize {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            usual(info);
        }));
    });
    PANICS.load(Ordering::Relaxed)
}

pub(crate) struct Editor {
    to: UnixStream,
    from: BufReader<UnixStream>,
    server: Option<JoinHandle<bool>>,
    asked: u64,
    /// The last request.
    last: Value,
    /// The last diagnostics of each file.
    pub(crate) published: BTreeMap<String, Value>,
}

impl Editor {
    /// A session, in a folder if there is one.
    pub(crate) fn start(folder: Option<&str>) -> Editor {
        let (to, own) = UnixStream::pair().expect("sockets");
        let (mut output, from) = UnixStream::pair().expect("sockets");
        from.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let serve = move || fehu_lsp::serve(BufReader::new(own), &mut output, None);
        let server = std::thread::Builder::new().name("server".into()).spawn(serve).expect("a thread");
        let from = BufReader::new(from);
        let mut editor = Editor {
            to,
            from,
            server: Some(server),
            asked: 0,
            last: Value::Null,
            published: BTreeMap::new(),
        };
        let folders: Vec<Value> =
            folder.map(|f| json!({"uri": format!("file://{f}"), "name": "all"})).into_iter().collect();
        let resolve = json!({"codeAction": {"resolveSupport": {"properties": ["edit"]}}});
        let params = json!({"capabilities": {"textDocument": resolve}, "workspaceFolders": folders});
        editor.ask("initialize", params).expect("capabilities");
        editor.tell("initialized", json!({}));
        editor
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The answer to a request, or why there is none.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let id = self.begin(method, params);
        let (_, answer) = self.answers(vec![id]).pop().expect("an answer");
        answer
    }

    /// Sends a request, and does not wait for the answer.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.send(&request);
        self.last = request;
        self.asked
    }

    /// The answers to requests, or why there are none, in the order in which they come: each comes once.
    pub(crate) fn answers(&mut self, mut waiting: Vec<u64>) -> Vec<(u64, Result<Value, String>)> {
        let mut answers = vec![];
        while !waiting.is_empty() {
            let message = self.read(&waiting);
            if message["method"] == "textDocument/publishDiagnostics" {
                let uri = message["params"]["uri"].as_str().unwrap_or("").to_owned();
                self.published.insert(uri, message["params"]["diagnostics"].clone());
            }
            if message.get("method").is_some() {
                continue;
            }
            let of = waiting.iter().position(|id| message["id"] == *id);
            let id = waiting.remove(of.unwrap_or_else(|| panic!("an answer to no request: {message}")));
            answers.push(match message.get("error") {
                None => (id, Ok(message["result"].clone())),
                Some(e) => (id, Err(e["message"].as_str().unwrap_or("").to_owned())),
            });
        }
        answers
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "futhark", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub(crate) fn close(&mut self, uri: &str) {
        self.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }

    /// Ends the session; whether the server ended as it should.
    pub(crate) fn end(mut self) -> bool {
        self.ask("shutdown", Value::Null).expect("an answer");
        self.tell("exit", Value::Null);
        self.server.take().is_some_and(|s| s.join().unwrap_or(false))
    }

    fn send(&mut self, message: &Value) {
        self.to.write_all(&framed(message)).expect("the server reads");
    }

    fn read(&mut self, about: &[u64]) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line);
            assert!(
                matches!(read, Ok(n) if n > 0),
                "no answer to {about:?}, the last is {}: {read:?}",
                self.last
            );
            match line.trim().strip_prefix("Content-Length: ") {
                Some(n) => length = n.parse().expect("a length"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a message");
        serde_json::from_slice(&body).expect("JSON")
    }
}
