//! The documents: what the editor does with them, and what is said about them after a check.

use crate::document::{path_of, uri_of, Text};
use crate::interest::CHANGED;
use crate::protocol;
use crate::state::{main_of, Document, Errors, State};
use crate::told::Told;
use fehu_base::{SourceMap, Span};
use fehu_check::prelude_sources;
use fehu_driver::front::{check_edited, Depth, Memory};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};

impl State {
    pub(crate) fn notified(
        &mut self,
        method: &str,
        params: &Value,
        output: &mut impl Write,
    ) -> std::io::Result<()> {
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
                    version: params["textDocument"]["version"].clone(),
                    text,
                    problems: vec![],
                    errors: Errors::default(),
                    analysis: None,
                    partial: None,
                    checked: None,
                    fresh: false,
                    depth: Depth::All,
                    memory: Memory::default(),
                    files: BTreeSet::new(),
                    told: Told::default(),
                };
                self.documents.insert(path.clone(), document);
                self.touched(&path);
            }
            CHANGED => {
                self.edited = Some(path.clone());
                let encoding = self.encoding;
                if let Some(document) = self.documents.get_mut(&path) {
                    document.text = document.text.changed(&params["contentChanges"], encoding);
                    document.version = params["textDocument"]["version"].clone();
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
    pub(crate) fn stale(&self) -> Option<PathBuf> {
        let stale = |p: &&PathBuf| self.documents.get(*p).is_some_and(|d| !d.fresh);
        let first = self.edited.as_ref().filter(stale);
        first.or_else(|| self.documents.keys().find(stale)).cloned()
    }

    /// Checks a document, and says what is wrong with it. No, if that was given up.
    pub(crate) fn check(
        &mut self,
        path: &Path,
        depth: Depth,
        output: &mut impl Write,
    ) -> std::io::Result<bool> {
        let overlay = self.overlay();
        let Some(document) = self.documents.get_mut(path) else { return Ok(true) };
        let before = (document.fresh, document.depth);
        // If the check ends in a bug, it is not tried again until the text changes.
        (document.fresh, document.depth) = (true, Depth::All);
        let mut memory = std::mem::take(&mut document.memory);
        // Without a first check nothing is known by which an edit could be answered sooner.
        let first = document.analysis.is_none() && document.partial.is_none() && document.checked.is_none();
        let interest = self.interest.clone();
        // A bug in the compiler, which has been reported to standard error, must not end the editor's
        // session. What was remembered is gone then.
        let check = AssertUnwindSafe(|| {
            let give_up = || interest.is_cancelled() || !first && interest.is_outdated();
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
        let main = main_of(&front);
        let found = self.diagnostics(&front.diagnostics, &front.sources, main, path);
        let problems = self.problems(&front.diagnostics, &front.sources, main);
        let errors = Errors::of(&front);
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

    /// A file of a program, as a file that people can open, with its text.
    pub(crate) fn opened(&self, path: &Path) -> Option<(PathBuf, Text)> {
        let prelude = prelude_sources().iter().find(|(own, _)| Path::new(own) == path);
        match prelude {
            Some((_, text)) => Some((fehu_driver::prelude::file(path)?, Text::new((*text).to_owned()))),
            // What has gone is not shown.
            None => Some((path.to_owned(), self.text_of(path).ok()?)),
        }
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
        let none = vec![];
        let gone = before.iter().filter(|p| !found.contains_key(*p)).map(|p| (p, &none));
        for (file, diagnostics) in gone.chain(found) {
            let mut params = json!({"uri": self.uri(file), "diagnostics": diagnostics});
            if let Some(document) = self.documents.get(file).filter(|d| d.version.is_number()) {
                params["version"] = document.version.clone();
            }
            protocol::write(output, &protocol::notification("textDocument/publishDiagnostics", params))?;
        }
        if !found.is_empty() {
            self.published.insert(path.to_owned(), found.keys().cloned().collect());
        }
        Ok(())
    }
}
