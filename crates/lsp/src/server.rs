//! The loop: messages in, answers and diagnostics out.

use crate::analysis::Analysis;
use crate::commands::Then;
use crate::diagnostics::Problem;
use crate::document::{path_of, uri_of, Encoding, Text};
use crate::features;
use crate::jobs::Outcome;
use crate::protocol::{self, Incoming};
use fehu_base::{FileId, Severity, SourceMap, Span};
use fehu_check::tast::Program;
use fehu_driver::front::{check_edited, check_prelude, Depth, Front, Memory};
use fehu_driver::load::Overlay;
use serde_json::{json, Value};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long no message may come before changed files are checked: those that come together are one change.
const PAUSE: Duration = Duration::from_millis(5);

/// How long no message may come before all of a file is checked of which only what an edit concerns has been.
const REST: Duration = Duration::from_millis(300);

/// The message that changes a text.
const CHANGED: &str = "textDocument/didChange";

/// Requests that need all of a program to be checked; others are answered by what is known of the definitions around.
const WHOLE: [&str; 5] = [
    "textDocument/rename",
    "textDocument/prepareRename",
    "textDocument/codeAction",
    "textDocument/inlayHint",
    "textDocument/codeLens",
];

/// A file that is open in the editor.
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    /// As the editor writes it; there are several ways to write the same.
    uri: String,
    pub(crate) text: Text,
    /// The diagnostics about its text, and how many errors the program had.
    pub(crate) problems: Vec<Problem>,
    pub(crate) errors: usize,
    /// The newest analysis without errors, of this text or of an older one.
    pub(crate) analysis: Option<Analysis>,
    /// What is right of this text, if it has errors.
    pub(crate) partial: Option<Analysis>,
    /// The newest check of all of a text, until somebody asks about it: an edit that comes soon should not wait for its analysis.
    checked: Option<(Front, FileId)>,
    fresh: bool,
    /// How much of this text was checked.
    depth: Depth,
    /// What is known of its program from the last check.
    memory: Memory,
    /// The files that were read when it was checked last.
    files: BTreeSet<PathBuf>,
}

impl Document {
    /// Looks at what was checked last, if nobody has.
    fn analyse(&mut self) {
        let Some((front, main)) = self.checked.take() else { return };
        let Front { program, partial, sources, prelude, .. } = front;
        let whole = program.is_some();
        let analysis = program.or(partial).map(|p| Analysis::of(p, sources, prelude, main));
        match whole {
            true => (self.analysis, self.partial) = (analysis, None),
            false => self.partial = analysis,
        }
    }
}

/// What happens next to the server.
enum Event {
    Came(Incoming),
    /// The editor is gone.
    End,
    Done(Then, Outcome),
}

/// What is known of the editor and its files.
pub(crate) struct State {
    pub(crate) documents: BTreeMap<PathBuf, Document>,
    pub(crate) encoding: Encoding,
    /// The files about which there are diagnostics, by the document that has them.
    published: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    phase: Phase,
    /// All of the prelude, once somebody has asked; programs see only what they need of it.
    prelude: OnceCell<Option<Program>>,
    /// The compiler's executable, for what runs in processes of its own.
    pub(crate) program: Option<PathBuf>,
    /// How many questions the editor was asked.
    pub(crate) asked: usize,
    /// Requests whose answers nobody wants any more, as JSON.
    cancelled: Arc<Mutex<BTreeSet<String>>>,
    /// How many edits have come that were not looked at: what is checked meanwhile is about an old text.
    edits: Arc<AtomicUsize>,
    /// Whether the editor reports changed files if asked to.
    watches: bool,
    /// The document that changed last.
    edited: Option<PathBuf>,
    events: Sender<Event>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Begin,
    Running,
    ShutDown,
}

/// Talks to an editor until it says good-bye, or its messages end; whether it ended as it should. `program` is the
/// compiler's executable; without it nothing can be evaluated.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: &mut impl Write,
    program: Option<PathBuf>,
) -> bool {
    let (sender, receiver) = channel();
    let events = sender.clone();
    let cancelled: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let noted = cancelled.clone();
    let edits: Arc<AtomicUsize> = Arc::default();
    let waiting = edits.clone();
    // Reading waits; checking must not.
    let reader = std::thread::Builder::new().name("reader".into()).spawn(move || {
        while let Ok(Some(incoming)) = protocol::read(&mut input) {
            // A request that is cancelled may still wait for its turn.
            if let (Some(id), Ok(mut noted)) = (cancelled_by(&incoming), noted.lock()) {
                noted.insert(id);
            }
            if matches!(&incoming, Incoming::Message(m) if is_edit(m)) {
                waiting.fetch_add(1, Ordering::Relaxed);
            }
            if sender.send(Event::Came(incoming)).is_err() {
                return;
            }
        }
        // Nobody is left to hear about it if this fails.
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
        cancelled,
        edits,
        watches: false,
        edited: None,
        events,
    };
    state.run(&receiver, output).unwrap_or(false)
}

/// The request that a message cancels.
fn cancelled_by(incoming: &Incoming) -> Option<String> {
    match incoming {
        Incoming::Message(m) if m["method"] == "$/cancelRequest" => Some(m["params"]["id"].to_string()),
        Incoming::Message(_) | Incoming::Garbage(_) => None,
    }
}

/// Whether a message changes a text.
fn is_edit(message: &Value) -> bool {
    message["method"] == CHANGED
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
                Ok(Event::Came(Incoming::Message(message))) => {
                    if is_edit(&message) {
                        self.edits.fetch_sub(1, Ordering::Relaxed);
                    }
                    message
                }
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
        self.prelude.get_or_init(|| check_prelude().program).as_ref()
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
        if self.cancelled.lock().is_ok_and(|mut c| c.remove(&id.to_string())) {
            return Ok(protocol::failure(id, protocol::REQUEST_CANCELLED, "cancelled"));
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
        let path = params["textDocument"]["uri"].as_str().and_then(path_of);
        // Answers are about the text as it is now; other documents can wait.
        let depth = if WHOLE.contains(&method) { Depth::All } else { Depth::Changed };
        let lacks = |d: &Document| !d.fresh || depth == Depth::All && d.depth != Depth::All;
        if let Some(path) = path.as_ref().filter(|p| self.documents.get(*p).is_some_and(lacks)) {
            let given_up = !self.check(path, depth, output)?;
            if given_up && depth == Depth::All {
                return Ok(protocol::failure(id, protocol::CONTENT_MODIFIED, "the text has changed"));
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
        Ok(match answer {
            Ok(Ok(result)) => protocol::answer(id, result),
            Ok(Err(why)) => protocol::failure(id, protocol::REQUEST_FAILED, &why),
            Err(_) => protocol::failure(id, protocol::INTERNAL_ERROR, "this is a bug in fehu"),
        })
    }

    /// What a feature answers, unless there is a bug in it.
    fn ask(
        &mut self,
        feature: features::Feature,
        path: &Path,
        params: &Value,
    ) -> std::thread::Result<Result<Value, String>> {
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

    fn notified(&mut self, method: &str, params: &Value, output: &mut impl Write) -> std::io::Result<()> {
        match method {
            "initialized" if self.watches => {
                self.asked += 1;
                let watchers = json!([{"globPattern": "**/*.fut"}]);
                let registration = json!({
                    "id": "files", "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": {"watchers": watchers},
                });
                let params = json!({"registrations": [registration]});
                let id = format!("fehu-{}", self.asked);
                return protocol::write(output, &protocol::request(&id, "client/registerCapability", params));
            }
            "workspace/didChangeWatchedFiles" => {
                let changes = params["changes"].as_array().into_iter().flatten();
                for path in changes.filter_map(|c| c["uri"].as_str().and_then(path_of)) {
                    self.touched(&path);
                }
                return Ok(());
            }
            _ => {}
        }
        let Some(path) = params["textDocument"]["uri"].as_str().and_then(path_of) else { return Ok(()) };
        match method {
            // A file that only shows the prelude is no program.
            "textDocument/didOpen" if fehu_driver::prelude::is_file(&path) => {}
            "textDocument/didOpen" => {
                let text = Text::new(params["textDocument"]["text"].as_str().unwrap_or("").to_owned());
                let document = Document {
                    path: path.clone(),
                    uri: params["textDocument"]["uri"].as_str().unwrap_or("").to_owned(),
                    text,
                    problems: vec![],
                    errors: 0,
                    analysis: None,
                    partial: None,
                    checked: None,
                    fresh: false,
                    depth: Depth::All,
                    memory: Memory::default(),
                    files: BTreeSet::new(),
                };
                self.documents.insert(path.clone(), document);
                self.touched(&path);
            }
            CHANGED => {
                self.edited = Some(path.clone());
                let encoding = self.encoding;
                if let Some(document) = self.documents.get_mut(&path) {
                    document.text = document.text.changed(&params["contentChanges"], encoding);
                }
                self.touched(&path);
            }
            "textDocument/didSave" => self.touched(&path),
            "textDocument/didClose" => {
                self.publish(&path, &BTreeMap::new(), output)?;
                self.documents.remove(&path);
                self.touched(&path);
            }
            _ => {}
        }
        Ok(())
    }

    /// Marks what must be checked again since a file changed.
    fn touched(&mut self, path: &Path) {
        for (own, document) in &mut self.documents {
            if own == path || document.files.contains(path) {
                document.fresh = false;
            }
        }
    }

    /// A document that must be checked, first the one that the user types in.
    fn stale(&self) -> Option<PathBuf> {
        let stale = |p: &&PathBuf| self.documents.get(*p).is_some_and(|d| !d.fresh);
        let first = self.edited.as_ref().filter(stale);
        first.or_else(|| self.documents.keys().find(stale)).cloned()
    }

    /// Checks a document, and says what is wrong with it. No, if that was given up since an edit has come.
    fn check(&mut self, path: &Path, depth: Depth, output: &mut impl Write) -> std::io::Result<bool> {
        let overlay: Overlay = self.documents.iter().map(|(p, d)| (p.clone(), d.text.text.clone())).collect();
        let Some(document) = self.documents.get_mut(path) else { return Ok(true) };
        let before = (document.fresh, document.depth);
        // If the check ends in a bug, it is not tried again until the text changes.
        (document.fresh, document.depth) = (true, Depth::All);
        let mut memory = std::mem::take(&mut document.memory);
        // Without a first check nothing is known by which an edit could be answered sooner.
        let first = document.analysis.is_none() && document.partial.is_none() && document.checked.is_none();
        let edits = self.edits.clone();
        // A bug in the compiler, which has been reported to standard error, must not end the editor's session. What was remembered is
        // gone then.
        let check = AssertUnwindSafe(|| {
            let give_up = || !first && edits.load(Ordering::Relaxed) > 0;
            let edited = check_edited(&mut memory, path, overlay, depth, &give_up);
            (edited, memory)
        });
        let Ok((edited, memory)) = catch_unwind(check) else { return Ok(true) };
        document.memory = memory;
        let Some((front, depth)) = edited else {
            (document.fresh, document.depth) = before;
            return Ok(false);
        };
        document.fresh = depth != Depth::Part;
        document.depth = depth;
        let main = front.sources.files().map(|(id, _)| id).nth(front.prelude.len()).unwrap_or(FileId(0));
        let found = self.diagnostics(&front.diagnostics, &front.sources, main, path);
        let problems = self.problems(&front.diagnostics, &front.sources, main);
        let errors = front.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
        self.publish(path, &found, output)?;
        let files = front.sources.files().map(|(_, f)| fehu_driver::load::normalise(&f.path));
        let files: BTreeSet<PathBuf> = files.collect();
        let Some(document) = self.documents.get_mut(path) else { return Ok(true) };
        document.files = files;
        document.problems = problems;
        document.errors = errors;
        if depth != Depth::All {
            // What is known of the last text is found in this one: see `view`.
            return Ok(true);
        }
        document.checked = Some((front, main));
        Ok(true)
    }

    /// The URI of a file, as the editor writes it if it is open.
    pub(crate) fn uri(&self, path: &Path) -> String {
        self.documents.get(path).map_or_else(|| uri_of(path), |d| d.uri.clone())
    }

    /// A file and a range in it.
    pub(crate) fn place(&self, span: Span, sources: &SourceMap) -> Option<(PathBuf, Value)> {
        let file = sources.get(span.file)?;
        let at = |pos: u32| {
            let pos = (pos as usize).min(file.text.len());
            let (line, number) = file.lines(pos..pos);
            let before = file.text.get(line.start..pos).unwrap_or("");
            json!({"line": number - 1, "character": self.encoding.units(before)})
        };
        let range = json!({"start": at(span.lo), "end": at(span.hi)});
        Some((fehu_driver::load::normalise(&file.path), range))
    }

    /// Sends the diagnostics of a document, and takes back those that are gone.
    fn publish(
        &mut self,
        path: &Path,
        found: &BTreeMap<PathBuf, Vec<Value>>,
        output: &mut impl Write,
    ) -> std::io::Result<()> {
        let before = self.published.remove(path).unwrap_or_default();
        for gone in before.iter().filter(|p| !found.contains_key(*p)) {
            let params = json!({"uri": self.uri(gone), "diagnostics": []});
            protocol::write(output, &protocol::notification("textDocument/publishDiagnostics", params))?;
        }
        for (file, diagnostics) in found {
            let params = json!({"uri": self.uri(file), "diagnostics": diagnostics});
            protocol::write(output, &protocol::notification("textDocument/publishDiagnostics", params))?;
        }
        if !found.is_empty() {
            self.published.insert(path.to_owned(), found.keys().cloned().collect());
        }
        Ok(())
    }
}
