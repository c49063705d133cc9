//! Programs that are not written yet: texts after edits, checked before the edits are offered.

use crate::answer::Refusal;
use crate::document::Text;
use crate::state::State;
use crate::words::Words;
use fehu_driver::front::{check_edited, Depth, Front};
use fehu_driver::load::Overlay;
use serde_json::{json, Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};

/// Edits of files: bytes and the texts for them.
pub(crate) type Edits = BTreeMap<PathBuf, Vec<(usize, usize, String)>>;

impl State {
    /// The texts of all open documents.
    pub(crate) fn overlay(&self) -> Overlay {
        self.documents.iter().map(|(p, d)| (p.clone(), d.text.text.clone())).collect()
    }

    /// Checks the program with this main file after some edits.
    pub(crate) fn tried(&self, path: &Path, edits: &Edits) -> Result<Front, Refusal> {
        let mut overlay = self.overlay();
        for (file, edits) in edits {
            let text = self.text_of(file)?;
            overlay.insert(file.clone(), edited(text.text, edits));
        }
        let mut memory = self.trials.take();
        let interest = self.interest.clone();
        let check = AssertUnwindSafe(move || {
            let front = check_edited(&mut memory, path, overlay, Depth::All, &|| interest.is_lost());
            (front, memory)
        });
        let (front, memory) = catch_unwind(check).map_err(|_| "this is a bug in fehu")?;
        self.trials.replace(memory);
        Ok(front.ok_or(Refusal::GivenUp)?.0)
    }

    /// The words of all programs that contain any of some files, as far as they are right.
    pub(crate) fn words(&self, files: &BTreeSet<PathBuf>) -> Result<Words, Refusal> {
        let mut words = Words::default();
        for root in self.imports().roots(files) {
            let front = self.tried(&root, &Edits::new())?;
            if let Some(program) = front.program.as_ref().or(front.partial.as_ref()) {
                words.add(program, &front.sources);
            }
        }
        Ok(words)
    }

    /// The text of a file, as the editor has it if it is open.
    pub(crate) fn text_of(&self, file: &Path) -> Result<Text, String> {
        match self.documents.get(file) {
            Some(document) => Ok(document.text.clone()),
            None => match std::fs::read_to_string(file) {
                Ok(text) => Ok(Text::new(text)),
                Err(e) => Err(format!("{}: {e}", file.display())),
            },
        }
    }

    /// Edits as the protocol has them.
    pub(crate) fn workspace_edit(&self, edits: &Edits) -> Result<Value, String> {
        let mut changes = Map::new();
        for (file, edits) in edits {
            let text = self.text_of(file)?;
            let one = |(lo, hi, new): &(usize, usize, String)| json!({"range": text.range(*lo, *hi, self.encoding), "newText": new});
            changes.insert(self.uri(file), Value::Array(edits.iter().map(one).collect()));
        }
        Ok(json!({"changes": changes}))
    }
}

/// A text after edits, which do not overlap.
pub(crate) fn edited(mut text: String, edits: &[(usize, usize, String)]) -> String {
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|(lo, hi, _)| (*lo, *hi));
    for (lo, hi, new) in edits.into_iter().rev() {
        if text.is_char_boundary(*lo) && text.is_char_boundary(*hi) && lo <= hi {
            text.replace_range(*lo..*hi, new);
        }
    }
    text
}
