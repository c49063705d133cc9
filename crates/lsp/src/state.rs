//! What is known of the editor, and of the files that are open in it.

use crate::analysis::Analysis;
use crate::commands::Then;
use crate::diagnostics::Problem;
use crate::document::{Encoding, Text};
use crate::interest::Interest;
use crate::jobs::Outcome;
use crate::protocol::Incoming;
use crate::told::Told;
use fehu_base::{FileId, Severity, Span};
use fehu_driver::front::{Depth, Front, Memory};
use serde_json::Value;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::Sender;

/// What is known of the editor and its files.
pub(crate) struct State {
    pub(crate) documents: BTreeMap<PathBuf, Document>,
    pub(crate) encoding: Encoding,
    /// The files about which there are diagnostics, by the document that has them.
    pub(crate) published: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    pub(crate) phase: Phase,
    /// All of the prelude, once it was asked for; programs see only what they need of it.
    pub(crate) prelude: OnceCell<Front>,
    /// The compiler's executable, for what runs in processes of its own.
    pub(crate) program: Option<PathBuf>,
    /// How many questions the editor was asked.
    pub(crate) asked: usize,
    /// The folders that are open in the editor.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) interest: Interest,
    /// What is known of the last program that was tried.
    pub(crate) trials: RefCell<Memory>,
    /// Whether the editor asks for the edit of an action once it is chosen.
    pub(crate) resolves: bool,
    /// Whether the editor reports changed files if asked to.
    pub(crate) watches: bool,
    /// The document that changed last.
    pub(crate) edited: Option<PathBuf>,
    pub(crate) events: Sender<Event>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Begin,
    Running,
    ShutDown,
}

/// What happens next to the server.
pub(crate) enum Event {
    Came(Incoming),
    /// The editor is gone.
    End,
    Done(Then, Outcome),
}

/// A file that is open in the editor.
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    /// As the editor writes it; there are several ways to write the same.
    pub(crate) uri: String,
    pub(crate) text: Text,
    /// The number that the editor gave to this text.
    pub(crate) version: Value,
    /// The diagnostics about its text that have fixes, and the errors of the program.
    pub(crate) problems: Vec<Problem>,
    pub(crate) errors: Errors,
    /// The newest analysis without errors, of this text or of an older one.
    pub(crate) analysis: Option<Analysis>,
    /// What is right of this text, if it has errors.
    pub(crate) partial: Option<Analysis>,
    /// The newest check of all of a text, until a request asks about it: an edit that comes soon should not
    /// wait for its analysis.
    pub(crate) checked: Option<(Front, FileId)>,
    pub(crate) fresh: bool,
    /// How much of this text was checked.
    pub(crate) depth: Depth,
    /// What is known of its program from the last check.
    pub(crate) memory: Memory,
    /// The files that were read when it was checked last.
    pub(crate) files: BTreeSet<PathBuf>,
    /// The colours that the editor knows.
    pub(crate) told: Told,
}

/// Where the errors of a program are.
#[derive(Clone, Default, Debug)]
pub(crate) struct Errors {
    /// Places in the main file.
    pub(crate) own: Vec<usize>,
    /// How many are in other files.
    pub(crate) elsewhere: usize,
}

impl Errors {
    /// The errors that a check has found.
    pub(crate) fn of(front: &Front) -> Errors {
        let main = main_of(front);
        let errors = front.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.span);
        let (own, elsewhere): (Vec<Span>, Vec<Span>) = errors.partition(|s| s.file == main);
        Errors { own: own.into_iter().map(|s| s.lo as usize).collect(), elsewhere: elsewhere.len() }
    }
}

/// The main file of a program that is loaded with all of the prelude.
pub(crate) fn main_of(front: &Front) -> FileId {
    front.sources.files().map(|(id, _)| id).nth(front.prelude.len()).unwrap_or(FileId(0))
}

impl Document {
    /// Looks at what was checked last, unless that was done.
    pub(crate) fn analyse(&mut self) {
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
