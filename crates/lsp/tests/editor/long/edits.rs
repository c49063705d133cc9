//! Random edits, with every kind of request at random places, some of which are cancelled.
//!
//! After them, what was said about the text must be what is said about it in a new session.

use super::super::startup::Dice;
use super::live::{panics, Editor};
use super::{deadline, dice, folder, position, programs};
use serde_json::{json, Value};
use std::time::{Duration, Instant};

/// How many edits are made in a file.
const EDITS: usize = 12;

/// How large the files are, in bytes: in larger ones, too little would be tried.
const LARGEST: usize = 20_000;

/// Requests about a place.
const PLACES: [&str; 11] = [
    "hover",
    "definition",
    "typeDefinition",
    "references",
    "documentHighlight",
    "prepareRename",
    "rename",
    "completion",
    "signatureHelp",
    "prepareCallHierarchy",
    "selectionRange",
];

/// Requests about a part of the text.
const PARTS: [&str; 4] = ["codeAction", "inlayHint", "rangeFormatting", "semanticTokens/range"];

/// Requests about all of the text.
const WHOLE: [&str; 6] =
    ["documentSymbol", "foldingRange", "formatting", "codeLens", "documentLink", "semanticTokens/full"];

struct Session {
    editor: Editor,
    dice: Dice,
    uri: String,
    text: String,
    version: usize,
    /// What the last answer about colours was called, and the colours.
    colours: Option<(Value, Vec<Value>)>,
}

#[test]
fn answers_and_diagnostics_stay_right() {
    let (deadline, before) = (deadline(), panics());
    let mut files = programs(&folder());
    files.retain(|(_, text)| text.len() <= LARGEST);
    let mut dice = dice();
    let (mut tried, mut requests) = (0, 0);
    let mut editor = Editor::start(None);
    while Instant::now() < deadline {
        let (path, text) = files[dice.below(files.len())].clone();
        // Beside the file, so that its imports are found.
        let uri = format!("file://{}/edited-{tried}.fut", path.parent().expect("a folder").display());
        editor.open(&uri, &text);
        let seed = Dice(dice.below(1 << 30) as u64);
        let mut session =
            Session { editor, dice: seed, uri: uri.clone(), text: text.clone(), version: 1, colours: None };
        let mut older = vec![];
        for _ in 0..EDITS {
            match older.pop().filter(|_| session.dice.below(2) == 0) {
                Some(text) => session.replace(text),
                None => {
                    older.push(session.text.clone());
                    session.edit(&text);
                }
            }
            for _ in 0..session.dice.below(4) {
                session.request();
                requests += 1;
            }
            if session.dice.below(3) == 0 {
                requests += session.cancelled(&text);
            }
            assert_eq!(panics(), before, "{}:\n{}", path.display(), session.text);
        }
        session.settle();
        let said = session.editor.published.get(&uri).cloned().unwrap_or_default();
        let Session { editor: mut again, text, .. } = session;
        again.close(&uri);
        again.open(&uri, &text);
        again.ask("textDocument/codeLens", json!({"textDocument": {"uri": uri}})).expect("an answer");
        assert_eq!(Some(&said), again.published.get(&uri), "{}:\n{text}", path.display());
        assert_eq!(panics(), before, "{}:\n{text}", path.display());
        again.close(&uri);
        editor = again;
        tried += 1;
    }
    eprintln!("{tried} files, {} edits, {requests} requests", tried * EDITS);
    assert!(tried > 0 && editor.end());
}

impl Session {
    /// Says what the text is now, by the part that differs.
    fn replace(&mut self, text: String) {
        let (old, new) = (self.text.as_bytes(), text.as_bytes());
        let mut lo = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        while !self.text.is_char_boundary(lo) || !text.is_char_boundary(lo) {
            lo -= 1;
        }
        let longest = old.len().min(new.len()) - lo;
        let mut end =
            old.iter().rev().zip(new.iter().rev()).take(longest).take_while(|(a, b)| a == b).count();
        while !self.text.is_char_boundary(old.len() - end) || !text.is_char_boundary(new.len() - end) {
            end -= 1;
        }
        let range = json!({"start": position(&self.text, lo), "end": position(&self.text, old.len() - end)});
        let change = json!({"range": range, "text": &text[lo..new.len() - end]});
        self.text = text;
        self.version += 1;
        let document = json!({"uri": self.uri, "version": self.version});
        self.editor
            .tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [change]}));
    }

    /// The bytes of a word, or of the white space before one.
    fn word(&mut self, text: &str) -> (usize, usize) {
        let mut ends = vec![0];
        for (i, pair) in
            text.char_indices().zip(text.chars().skip(1)).map(|((i, a), b)| (i + a.len_utf8(), (a, b)))
        {
            let kind = |c: char| (c.is_alphanumeric() || c == '_', c.is_whitespace());
            if kind(pair.0) != kind(pair.1) {
                ends.push(i);
            }
        }
        ends.push(text.len());
        let at = self.dice.below(ends.len() - 1);
        (ends[at], ends[at + 1])
    }

    /// Damages the text, or takes something from the text as it was first.
    fn edit(&mut self, first: &str) {
        let mut text = self.text.clone();
        let (lo, hi) = self.word(&text);
        let line =
            text[..lo].rfind('\n').map_or(0, |i| i + 1)..text[lo..].find('\n').map_or(text.len(), |i| lo + i);
        let (from, to) = self.word(first);
        match self.dice.below(10) {
            0 => text.replace_range(lo..hi, ""),
            1 | 2 => text.replace_range(lo..hi, &first[from..to]),
            3 => text.insert_str(lo, &first[from..to]),
            4 => text.replace_range(line, ""),
            5 => {
                text.insert_str(lo, &first[from..first[from..].find('\n').map_or(first.len(), |i| from + i)])
            }
            6 => text.truncate(lo),
            7 => {
                let pieces = [
                    " + 1",
                    " in ",
                    "(",
                    ")",
                    "]",
                    "#",
                    ".",
                    "\"",
                    "let é = ",
                    "def q 't (x: t) = x\n",
                    "😀",
                    "--",
                ];
                text.insert_str(lo, pieces[self.dice.below(pieces.len())]);
            }
            8 => text.insert_str(text[..lo].rfind("\ndef").map_or(0, |i| i + 1), "def added (x: i32) = x\n"),
            _ => text = first.to_owned(),
        }
        self.replace(text);
    }

    /// Sends a request, which must be answered, but may be refused.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.editor.ask(method, params.clone());
        let bug = answer.as_ref().err().is_some_and(|why| why == "this is a bug in fehu");
        assert!(!bug, "{method} {params}:\n{}", self.text);
        answer.unwrap_or_default()
    }

    fn about(&mut self, method: &str, mut params: Value) -> Value {
        params["textDocument"] = json!({"uri": self.uri});
        self.ask(&format!("textDocument/{method}"), params)
    }

    fn request(&mut self) {
        let text = self.text.clone();
        let (lo, hi) = if text.is_empty() { (0, 0) } else { self.word(&text) };
        let at = position(&text, lo);
        let kind = self.dice.below(PLACES.len() + PARTS.len() + WHOLE.len() + 2);
        if let Some(method) = PLACES.get(kind) {
            let names = ["renamed", "x", "i32", "xs"];
            let params = json!({
                "position": at, "positions": [at], "newName": names[self.dice.below(names.len())],
                "context": {"includeDeclaration": true},
            });
            let answer = self.about(method, params);
            match *method {
                "completion" => self.resolve(&answer["items"], "completionItem/resolve"),
                "prepareCallHierarchy" => {
                    for item in answer.as_array().into_iter().flatten() {
                        self.ask("callHierarchy/incomingCalls", json!({"item": item}));
                        self.ask("callHierarchy/outgoingCalls", json!({"item": item}));
                    }
                }
                _ => {}
            }
        } else if let Some(method) = PARTS.get(kind - PLACES.len()) {
            let end = if self.dice.below(2) == 0 { hi } else { text.len() };
            let range = json!({"start": at, "end": position(&text, end)});
            let answer = self.about(method, json!({"range": range, "context": {"diagnostics": []}}));
            if *method == "codeAction" {
                self.resolve(&answer, "codeAction/resolve");
            }
        } else if let Some(method) = WHOLE.get(kind - PLACES.len() - PARTS.len()) {
            let answer = self.about(method, json!({}));
            if *method == "semanticTokens/full" {
                let data = answer["data"].as_array().cloned().unwrap_or_default();
                self.colours = Some((answer["resultId"].clone(), data));
            }
        } else if kind % 2 == 0 {
            self.ask("workspace/symbol", json!({"query": &text[lo..hi]}));
        } else {
            self.differences();
        }
    }

    /// Sends some requests at once, perhaps an edit, and cancels some of them, some after their answers: each is
    /// answered once, and those that were not cancelled are not refused as if they were. How many there were.
    fn cancelled(&mut self, first: &str) -> usize {
        let mut ids = vec![];
        for _ in 0..=self.dice.below(4) {
            let text = self.text.clone();
            let (lo, _) = if text.is_empty() { (0, 0) } else { self.word(&text) };
            let (start, end) = (position(&text, lo), position(&text, text.len()));
            let methods: Vec<&str> = [&PLACES[..], &PARTS, &WHOLE].concat();
            let method = methods[self.dice.below(methods.len())];
            let params = json!({
                "textDocument": {"uri": self.uri}, "position": start, "positions": [start],
                "range": {"start": start, "end": end}, "newName": "renamed",
                "context": {"includeDeclaration": true, "diagnostics": []},
            });
            ids.push(self.editor.begin(&format!("textDocument/{method}"), params));
        }
        if self.dice.below(4) == 0 {
            self.edit(first);
        }
        std::thread::sleep(Duration::from_micros(self.dice.below(3000) as u64));
        let cancelled: Vec<u64> = ids.iter().copied().filter(|_| self.dice.below(2) == 0).collect();
        for id in cancelled.iter().rev() {
            self.editor.tell("$/cancelRequest", json!({"id": id}));
        }
        for (id, answer) in self.editor.answers(ids.clone()) {
            let why = answer.err().unwrap_or_default();
            let right = why != "this is a bug in fehu" && (why != "cancelled" || cancelled.contains(&id));
            assert!(right, "{why}:\n{}", self.text);
        }
        let after = self.editor.ask(
            "textDocument/hover",
            json!({
                "textDocument": {"uri": self.uri}, "position": {"line": 0, "character": 0},
            }),
        );
        assert!(after.is_ok(), "{after:?}:\n{}", self.text);
        ids.len()
    }

    /// Asks more about one of several things.
    fn resolve(&mut self, items: &Value, method: &str) {
        let Some(items) = items.as_array().filter(|i| !i.is_empty()) else { return };
        let item = items[self.dice.below(items.len())].clone();
        if item.get("data").is_some() {
            self.ask(method, item);
        }
    }

    /// The colours that have changed make the ones before what they are now.
    fn differences(&mut self) {
        let Some((id, mut data)) = self.colours.take() else { return };
        let answer = self.about("semanticTokens/full/delta", json!({"previousResultId": id}));
        for edit in answer["edits"].as_array().into_iter().flatten() {
            let at = |name: &str| edit[name].as_u64().unwrap_or(0) as usize;
            let with = edit["data"].as_array().cloned().unwrap_or_default();
            data.splice(at("start")..at("start") + at("deleteCount"), with);
        }
        if let Some(all) = answer["data"].as_array() {
            data.clone_from(all);
        }
        let whole = self.about("semanticTokens/full", json!({}));
        assert_eq!(whole["data"].as_array(), Some(&data), "{}", self.text);
        self.colours = Some((whole["resultId"].clone(), data));
    }

    /// Waits until all of the text has been checked.
    fn settle(&mut self) {
        self.about("codeLens", json!({}));
    }
}
