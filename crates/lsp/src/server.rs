//! The loop: messages in, answers and diagnostics out.

use crate::answer::{Answer, Refusal};
use crate::document::{path_of, Encoding};
use crate::features;
use crate::interest::Interest;
use crate::protocol::{self, Incoming};
use crate::state::{Document, Event, Phase, State};
use fehu_base::Name;
use fehu_check::tast::Program;
use fehu_driver::front::{check_prelude, Depth, Front};
use serde_json::{json, Value};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::time::Duration;

/// How long no message may come before changed files are checked: those that come together are one change.
const PAUSE: Duration = Duration::from_millis(5);

/// How long no message may come before all of a file is checked of which only what an edit concerns has been.
const REST: Duration = Duration::from_millis(300);

/// Requests that need all of a program to be checked; others are answered by what is known of the definitions around.
const WHOLE: [&str; 9] = [
    "textDocument/rename",
    "textDocument/prepareRename",
    "textDocument/codeAction",
    "codeAction/resolve",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
];

/// Talks to an editor until it says good-bye, or its messages end; whether it ended as it should. `program` is the
/// compiler's executable; without it nothing can be evaluated.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: &mut impl Write,
    program: Option<PathBuf>,
) -> bool {
    let (sender, receiver) = channel();
    let events = sender.clone();
    let interest = Interest::default();
    let noted = interest.clone();
    // Reading waits; checking must not.
    let reader = std::thread::Builder::new().name("reader".into()).spawn(move || {
        let mut messages = protocol::Reader::new(input);
        while let Ok(Some(incoming)) = messages.read() {
            noted.note(&incoming);
            if sender.send(Event::Came(incoming)).is_err() {
                return;
            }
        }
        // If this fails, the server has ended.
        drop(sender.send(Event::End));
    });
    if reader.is_err() {
        return false;
    }
    let mut state = State {
        documents: BTreeMap::new(),
        encoding: Encoding::Utf16,
        published: BTreeMap::new(),
        phase: Phase::Begin,
        prelude: OnceCell::new(),
        program,
        asked: 0,
        folders: vec![],
        interest,
        trials: RefCell::default(),
        resolves: false,
        watches: false,
        edited: None,
        events,
    };
    state.run(&receiver, output).unwrap_or(false)
}

impl State {
    fn run(&mut self, events: &Receiver<Event>, output: &mut impl Write) -> std::io::Result<bool> {
        loop {
            let stale = self.documents.values().any(|d| !d.fresh);
            let unsettled = self.documents.values().any(|d| d.depth != Depth::All);
            let incoming = match (stale, unsettled) {
                (true, _) => events.recv_timeout(PAUSE),
                (false, true) => events.recv_timeout(REST),
                (false, false) => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let message = match incoming {
                Ok(Event::Came(Incoming::Message(message))) => message,
                Ok(Event::Done(then, outcome)) => {
                    let message = self.finished(then, &outcome);
                    protocol::write(output, &message)?;
                    continue;
                }
                Ok(Event::Came(Incoming::Garbage(why))) => {
                    protocol::write(output, &protocol::failure(&Value::Null, protocol::PARSE_ERROR, &why))?;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.interest.rest();
                    // One at a time: messages may have come meanwhile.
                    let unsettled = || self.documents.iter().find(|(_, d)| d.depth != Depth::All);
                    if let Some(path) = self.stale() {
                        self.check(&path, Depth::Changed, output)?;
                    } else if let Some(path) = unsettled().map(|(p, _)| p.clone()) {
                        self.check(&path, Depth::All, output)?;
                    }
                    continue;
                }
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Ok(self.phase == Phase::ShutDown)
                }
            };
            self.interest.reached(&message);
            match (message["method"].as_str(), message.get("id")) {
                (Some("exit"), None) => return Ok(self.phase == Phase::ShutDown),
                (Some(method), Some(id)) => {
                    let answer = self.request(method, id, &message["params"], output)?;
                    protocol::write(output, &answer)?;
                }
                (Some(method), None) => self.notified(method, &message["params"], output)?,
                // An answer to a question; there are none.
                (None, _) if message.get("result").is_some() || message.get("error").is_some() => {}
                (None, id) => {
                    let id = id.cloned().unwrap_or(Value::Null);
                    let text = "a message has a method";
                    protocol::write(output, &protocol::failure(&id, protocol::INVALID_REQUEST, text))?;
                }
            }
        }
    }

    /// All that the prelude declares.
    pub(crate) fn prelude(&self) -> Option<&Program> {
        self.whole_prelude().program.as_ref()
    }

    fn whole_prelude(&self) -> &Front {
        self.prelude.get_or_init(check_prelude)
    }

    /// The documentation of a value of the prelude.
    pub(crate) fn prelude_doc(&self, name: Name) -> Option<String> {
        let front = self.whole_prelude();
        front.program.as_ref()?.documentation(&front.sources, name)
    }

    fn request(
        &mut self,
        method: &str,
        id: &Value,
        params: &Value,
        output: &mut impl Write,
    ) -> std::io::Result<Value> {
        match (self.phase, method) {
            (Phase::Begin, "initialize") => return Ok(protocol::answer(id, self.initialize(params))),
            (_, "initialize") => {
                return Ok(protocol::failure(id, protocol::INVALID_REQUEST, "initialize comes only once"))
            }
            (Phase::Begin, _) => {
                return Ok(protocol::failure(
                    id,
                    protocol::NOT_INITIALIZED,
                    "the first request is initialize",
                ))
            }
            (_, "shutdown") => {
                self.phase = Phase::ShutDown;
                return Ok(protocol::answer(id, Value::Null));
            }
            (Phase::ShutDown, _) => {
                return Ok(protocol::failure(id, protocol::INVALID_REQUEST, "the server is shut down"))
            }
            (Phase::Running, _) => {}
        }
        if self.interest.is_cancelled() {
            return Ok(self.given_up(id));
        }
        if method == "workspace/executeCommand" {
            return Ok(match self.command(params) {
                Ok((job, then)) => {
                    let events = self.events.clone();
                    // The server may have ended meanwhile.
                    job.start(move |outcome| drop(events.send(Event::Done(then, outcome))));
                    protocol::answer(id, Value::Null)
                }
                Err(why) => protocol::failure(id, protocol::REQUEST_FAILED, &why),
            });
        }
        if let Some(feature) = features::find_of_workspace(method) {
            let answer = catch_unwind(AssertUnwindSafe(|| feature(self, params)));
            return Ok(self.answered(id, answer));
        }
        let path = features::document_of(params).and_then(path_of);
        // Answers are about the text as it is now; other documents can wait.
        let depth = if WHOLE.contains(&method) { Depth::All } else { Depth::Changed };
        let lacks = |d: &Document| !d.fresh || depth == Depth::All && d.depth != Depth::All;
        if let Some(path) = path.as_ref().filter(|p| self.documents.get(*p).is_some_and(lacks)) {
            let given_up = !self.check(path, depth, output)?;
            if given_up && depth == Depth::All || self.interest.is_cancelled() {
                return Ok(self.given_up(id));
            }
        }
        let Some(feature) = features::find(method) else {
            return Ok(protocol::failure(id, protocol::METHOD_NOT_FOUND, &format!("there is no {method}")));
        };
        let Some(path) = path.filter(|p| self.documents.contains_key(p)) else {
            return Ok(protocol::answer(id, Value::Null));
        };
        let mut answer = self.ask(feature, &path, params);
        // What is new in the text is known only when all of it has been checked.
        let unsettled = self.documents.get(&path).is_some_and(|d| d.depth != Depth::All);
        if unsettled && matches!(answer, Ok(Ok(Value::Null))) && self.check(&path, Depth::All, output)? {
            answer = self.ask(feature, &path, params);
        }
        Ok(self.answered(id, answer))
    }

    /// An answer as a message.
    fn answered(&self, id: &Value, answer: std::thread::Result<Answer>) -> Value {
        match answer {
            Ok(Ok(result)) => protocol::answer(id, result),
            Ok(Err(Refusal::Because(why))) => protocol::failure(id, protocol::REQUEST_FAILED, &why),
            Ok(Err(Refusal::GivenUp)) => self.given_up(id),
            Err(_) => protocol::failure(id, protocol::INTERNAL_ERROR, "this is a bug in fehu"),
        }
    }

    /// The answer to a request that was cancelled, or that is about a text of the past.
    fn given_up(&self, id: &Value) -> Value {
        match self.interest.is_cancelled() {
            true => protocol::failure(id, protocol::REQUEST_CANCELLED, "cancelled"),
            false => protocol::failure(id, protocol::CONTENT_MODIFIED, "the text has changed"),
        }
    }

    /// What a feature answers, unless there is a bug in it.
    fn ask(
        &mut self,
        feature: features::Feature,
        path: &Path,
        params: &Value,
    ) -> std::thread::Result<Answer> {
        let Some(document) = self.documents.get_mut(path) else { return Ok(Ok(Value::Null)) };
        catch_unwind(AssertUnwindSafe(|| document.analyse()))?;
        let Some(document) = self.documents.get(path) else { return Ok(Ok(Value::Null)) };
        catch_unwind(AssertUnwindSafe(|| feature(self, document, params)))
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let offered = &params["capabilities"]["general"]["positionEncodings"];
        if offered.as_array().into_iter().flatten().any(|e| e == "utf-8") {
            self.encoding = Encoding::Utf8;
        }
        let resolved = &params["capabilities"]["textDocument"]["codeAction"]["resolveSupport"]["properties"];
        self.resolves = resolved.as_array().into_iter().flatten().any(|p| p == "edit");
        let root = params["rootUri"].as_str();
        let folders = params["workspaceFolders"].as_array().into_iter().flatten();
        let folders: Vec<&str> = folders.filter_map(|f| f["uri"].as_str()).collect();
        // Older editors know one folder only.
        let folders = if folders.is_empty() { root.into_iter().collect() } else { folders };
        self.folders = folders.into_iter().filter_map(path_of).collect();
        let watching = &params["capabilities"]["workspace"]["didChangeWatchedFiles"];
        self.watches = watching["dynamicRegistration"] == true;
        self.phase = Phase::Running;
        let encoding = match self.encoding {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
        };
        json!({
            "capabilities": features::capabilities(encoding),
            "serverInfo": {"name": "fehu", "version": env!("CARGO_PKG_VERSION")},
        })
    }
}
