//! Edits that the editor offers: fixes of diagnostics, and types that could be written.
//!
//! In: a range. Out: the edits that make sense there. Nothing is offered that does not work: the program with each edit is checked
//! before.
//!
//! ```text
//! let ys = map f xz      Change to `xs`
//!     ^                  Write the type of `ys`
//! ```

use super::hints::{self, Form, Hint};
use crate::diagnostics::FixAt;
use crate::document::Text;
use crate::server::{Document, State};
use fehu_base::Severity;
use fehu_driver::front::check_over;
use fehu_driver::load::Overlay;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Edits of files: bytes and the texts for them.
type Edits = BTreeMap<PathBuf, Vec<(usize, usize, String)>>;

pub(super) fn actions(state: &State, document: &Document, params: &Value) -> Result<Value, String> {
    let at = |end: &str| document.text.offset(&params["range"][end], state.encoding);
    let (lo, hi) = (at("start"), at("end"));
    let touches = |a: usize, b: usize| a <= hi && lo <= b;
    let wanted = |kind: &str| {
        let only = params["context"]["only"].as_array();
        only.is_none_or(|only| only.iter().filter_map(Value::as_str).any(|o| is_kind(kind, o)))
    };
    let mut found = vec![];
    if wanted("quickfix") {
        for problem in document.problems.iter().filter(|p| touches(p.lo, p.hi)) {
            for fix in &problem.fixes {
                let edits = fix_edits(fix);
                if state.works(&document.path, &edits, document.errors.saturating_sub(problem.is_error())) {
                    found.push(json!({
                        "title": fix.title, "kind": "quickfix", "diagnostics": [problem.shown],
                        "isPreferred": true, "edit": state.workspace_edit(&edits),
                    }));
                }
            }
        }
    }
    if wanted("refactor.rewrite") {
        let here = |h: &Hint| touches(h.name.lo as usize, h.name.hi as usize);
        for hint in hints::all(document).into_iter().filter(here) {
            let edits = Edits::from([(document.path.clone(), hint_edits(document, &hint))]);
            if state.works(&document.path, &edits, 0) {
                let name = document.text.text.get(hint.name.lo as usize..hint.name.hi as usize).unwrap_or("");
                let what = if hint.form == Form::Result { "result type" } else { "type" };
                found.push(json!({
                    "title": format!("Write the {what} of `{name}`"), "kind": "refactor.rewrite",
                    "edit": state.workspace_edit(&edits),
                }));
            }
        }
    }
    Ok(Value::Array(found))
}

/// Whether a kind is one of those that another names: `refactor` names `refactor.rewrite`.
fn is_kind(kind: &str, wanted: &str) -> bool {
    wanted.is_empty()
        || kind.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn fix_edits(fix: &FixAt) -> Edits {
    let mut edits = Edits::new();
    for (path, lo, hi, text) in &fix.edits {
        edits.entry(path.clone()).or_default().push((*lo, *hi, text.clone()));
    }
    edits
}

fn hint_edits(document: &Document, hint: &Hint) -> Vec<(usize, usize, String)> {
    let mut edits = vec![];
    // Sizes and types that the function is polymorphic in, and that nobody wrote.
    if let (Some(at), Some(analysis)) = (hint.intro, &document.analysis) {
        let new: String = analysis.inferred(hint.binder, &hint.ty).iter().map(|p| format!(" {p}")).collect();
        if !new.is_empty() {
            edits.push((at, at, new));
        }
    }
    match hint.form {
        Form::Plain => edits.push((hint.at, hint.at, format!(": {}", hint.text))),
        Form::Result => edits.push((hint.at, hint.at, format!(" : {}", hint.text))),
        Form::Parenthesised => {
            let lo = hint.name.lo as usize;
            edits.push((lo, lo, "(".into()));
            edits.push((hint.at, hint.at, format!(": {})", hint.text)));
        }
    }
    edits
}

impl State {
    /// Whether a program has no more errors than so many after some edits.
    fn works(&self, path: &Path, edits: &Edits, errors: usize) -> bool {
        let mut overlay: Overlay =
            self.documents.iter().map(|(p, d)| (p.clone(), d.text.text.clone())).collect();
        for (file, edits) in edits {
            let text = match overlay.get(file) {
                Some(text) => text.clone(),
                None => match std::fs::read_to_string(file) {
                    Ok(text) => text,
                    Err(_) => return false,
                },
            };
            overlay.insert(file.clone(), edited(text, edits));
        }
        let check = std::panic::AssertUnwindSafe(|| check_over(path, overlay));
        let Ok(front) = std::panic::catch_unwind(check) else { return false };
        front.diagnostics.iter().filter(|d| d.severity == Severity::Error).count() <= errors
    }

    fn workspace_edit(&self, edits: &Edits) -> Value {
        let mut changes = Map::new();
        for (file, edits) in edits {
            let text = match self.documents.get(file) {
                Some(document) => document.text.clone(),
                None => Text::new(std::fs::read_to_string(file).unwrap_or_default()),
            };
            let one = |(lo, hi, new): &(usize, usize, String)| json!({"range": text.range(*lo, *hi, self.encoding), "newText": new});
            changes.insert(self.uri(file), Value::Array(edits.iter().map(one).collect()));
        }
        json!({"changes": changes})
    }
}

/// A text after edits, which do not overlap.
fn edited(mut text: String, edits: &[(usize, usize, String)]) -> String {
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|(lo, hi, _)| (*lo, *hi));
    for (lo, hi, new) in edits.into_iter().rev() {
        if text.is_char_boundary(*lo) && text.is_char_boundary(*hi) && lo <= hi {
            text.replace_range(*lo..*hi, new);
        }
    }
    text
}
