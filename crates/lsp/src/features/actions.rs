//! Edits that the editor offers: fixes of diagnostics, and types that could be written.
//!
//! In: a range. Out: the edits that make sense there. Nothing is offered that does not work: the program is
//! checked with the edits before. However many there are, that takes few checks, since most edits do not
//! disturb each other:
//!
//! ```text
//! let ys = map f xz      Change to `xs`            both are made in one text, and what is said about each
//! let n = length ys      Write the type of `n`     declaration of it tells which of its edits work
//! ```
//!
//! Where several edits of a declaration do not work together, they are tried one after another, in
//! [`MAX_CHECKS`] checks at most.

use super::hints::{self, Form, Hint};
use crate::answer::{Answer, Refusal};

use crate::diagnostics::FixAt;
use crate::state::{main_of, Document, Errors, State};
use crate::trial::Edits;
use fehu_base::FileId;
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// How many checks an answer may take.
const MAX_CHECKS: usize = 4;

/// Something to offer.
struct Action {
    title: String,
    kind: &'static str,
    /// The diagnostic that it is about, and how many errors that is.
    problem: Option<(Value, usize)>,
    edits: Edits,
    /// Size and type parameters that come with the edits, and where they are written.
    params: Option<(usize, Vec<String>)>,
    /// Where it belongs in the document.
    at: usize,
}

impl Action {
    /// All of its edits.
    fn all_edits(&self, document: &Document) -> Edits {
        let mut edits = self.edits.clone();
        if let Some((at, params)) = &self.params {
            edits.entry(document.path.clone()).or_default().insert(0, introduced(*at, params));
        }
        edits
    }

    /// As the protocol has it, without the edits.
    fn shown(&self) -> Value {
        let mut shown = json!({"title": self.title, "kind": self.kind});
        if let Some((problem, _)) = &self.problem {
            shown["diagnostics"] = json!([problem]);
            shown["isPreferred"] = json!(true);
        }
        shown
    }
}

pub(super) fn actions(state: &State, document: &Document, params: &Value) -> Answer {
    let found = candidates(state, document, params);
    let works = working(state, document, &found)?;
    let mut shown = vec![];
    for action in found.iter().zip(works).filter(|(_, works)| *works).map(|(action, _)| action) {
        let mut one = action.shown();
        if state.resolves {
            one["data"] = json!({
                "uri": params["textDocument"]["uri"], "version": document.version, "at": action.at,
                "range": params["range"],
            });
        } else {
            one["edit"] = state.workspace_edit(&action.all_edits(document))?;
        }
        shown.push(one);
    }
    Ok(Value::Array(shown))
}

/// The edit of an action that the user has chosen.
pub(super) fn resolve(state: &State, document: &Document, params: &Value) -> Answer {
    let data = &params["data"];
    if data["version"] != document.version {
        return Err(Refusal::GivenUp);
    }
    let same = |a: &&Action| params["title"] == *a.title && data["at"] == a.at;
    let found = candidates(state, document, data);
    let action = found.iter().find(same).ok_or("there is no such action")?;
    let mut resolved = params.clone();
    resolved["edit"] = state.workspace_edit(&action.all_edits(document))?;
    Ok(resolved)
}

/// What makes sense in a range, whether it works or not.
fn candidates(state: &State, document: &Document, params: &Value) -> Vec<Action> {
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
                found.push(Action {
                    title: fix.title.clone(),
                    kind: "quickfix",
                    problem: Some((problem.shown.clone(), problem.is_error())),
                    edits: fix_edits(fix),
                    params: None,
                    at: problem.lo,
                });
            }
        }
    }
    if wanted("refactor.rewrite") {
        let here = |h: &Hint| touches(h.name.lo as usize, h.name.hi as usize);
        found.extend(hints::all(document).into_iter().filter(here).map(|hint| rewrite(document, &hint)));
    }
    found
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

/// Writes a type.
fn rewrite(document: &Document, hint: &Hint) -> Action {
    let lo = hint.name.lo as usize;
    let name = document.text.text.get(lo..hint.name.hi as usize).unwrap_or("");
    let what = if hint.form == Form::Result { "result type" } else { "type" };
    let edits = match hint.form {
        Form::Plain => vec![(hint.at, hint.at, format!(": {}", hint.text))],
        Form::Result => vec![(hint.at, hint.at, format!(" : {}", hint.text))],
        Form::Parenthesised => {
            vec![(lo, lo, "(".into()), (hint.at, hint.at, format!(": {})", hint.text))]
        }
    };
    // Sizes and types that the function is polymorphic in, and that are not written.
    let params = match (hint.intro, &document.analysis) {
        (Some(at), Some(analysis)) => Some((at, analysis.inferred(hint.binder, &hint.ty))),
        (Some(_), None) | (None, _) => None,
    };
    Action {
        title: format!("Write the {what} of `{name}`"),
        kind: "refactor.rewrite",
        problem: None,
        edits: Edits::from([(document.path.clone(), edits)]),
        params: params.filter(|(_, params)| !params.is_empty()),
        at: lo,
    }
}

/// Which actions leave no errors but those that they are not about.
fn working(state: &State, document: &Document, actions: &[Action]) -> Result<Vec<bool>, Refusal> {
    let declarations = Declarations::of(&document.text.text);
    let before = declarations.count(&document.errors.own);
    let mut works = vec![false; actions.len()];
    let mut open: Vec<usize> = (0..actions.len()).collect();
    for round in 0..MAX_CHECKS {
        let mut trial = Trial { alone: round > 0, ..Trial::default() };
        open.retain(|i| !trial.take(*i, &actions[*i], declarations.at(actions[*i].at)));
        if trial.taken.is_empty() {
            break;
        }
        let front = state.tried(&document.path, &trial.edits(document))?;
        let errors = Errors::of(&front);
        let text = front.sources.get(main_of(&front)).map_or("", |f| &*f.text);
        let mut after = Declarations::of(text).count(&errors.own);
        let alike = after.len() == before.len() && errors.elsewhere <= document.errors.elsewhere;
        after.resize(before.len(), 0);
        // How many errors there are more than there should be.
        let more = |d: usize| after[d] + trial.solved.get(&d).unwrap_or(&0) > before[d];
        let others_fine = alike && (0..before.len()).all(|d| trial.solved.contains_key(&d) || !more(d));
        for (i, d) in &trial.taken {
            match others_fine && !more(*d) {
                true => works[*i] = true,
                false if trial.alone => {}
                // What does not work together is tried alone.
                false => open.push(*i),
            }
        }
        open.sort_unstable();
    }
    Ok(works)
}

/// Actions that are tried in one text.
#[derive(Default)]
struct Trial {
    /// Whether there is one for each declaration at most.
    alone: bool,
    /// Which, each with its declaration.
    taken: Vec<(usize, usize)>,
    edits: Edits,
    params: BTreeMap<usize, Vec<String>>,
    /// How many errors they say they solve in each declaration.
    solved: BTreeMap<usize, usize>,
}

impl Trial {
    /// Takes an action of a declaration, unless it is in the way of those taken before.
    fn take(&mut self, number: usize, action: &Action, declaration: usize) -> bool {
        if self.alone && self.solved.contains_key(&declaration) {
            return false;
        }
        let fix = action.problem.is_some();
        let clash = |(a, b, _): &(usize, usize, String), (lo, hi, _): &(usize, usize, String)| {
            a < hi && lo < b || fix && a == lo
        };
        let clashes = action.edits.iter().any(|(file, new)| {
            let old = self.edits.get(file).into_iter().flatten();
            old.into_iter().any(|old| new.iter().any(|new| clash(old, new)))
        });
        if clashes {
            return false;
        }
        for (file, edits) in &action.edits {
            self.edits.entry(file.clone()).or_default().extend(edits.iter().cloned());
        }
        if let Some((at, params)) = &action.params {
            let all = self.params.entry(*at).or_default();
            let new: Vec<String> = params.iter().filter(|p| !all.contains(p)).cloned().collect();
            all.extend(new);
        }
        *self.solved.entry(declaration).or_default() +=
            action.problem.as_ref().map_or(0, |(_, errors)| *errors);
        self.taken.push((number, declaration));
        true
    }

    fn edits(&self, document: &Document) -> Edits {
        let mut edits = self.edits.clone();
        let own = edits.entry(document.path.clone()).or_default();
        // What is written at the same place stands behind the parameters.
        own.splice(..0, self.params.iter().map(|(at, params)| introduced(*at, params)));
        edits
    }
}

/// Parameters, as they are written at a place.
fn introduced(at: usize, params: &[String]) -> (usize, usize, String) {
    (at, at, params.iter().map(|p| format!(" {p}")).collect())
}

/// Where the declarations of a text begin.
struct Declarations(Vec<usize>);

impl Declarations {
    fn of(text: &str) -> Declarations {
        let parsed = fehu_syntax::parse(FileId(0), text);
        Declarations(parsed.prog.decs.iter().map(|d| d.span().lo as usize).collect())
    }

    /// The number of the declaration at a place; 0 before the first one.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|lo| *lo <= offset)
    }

    /// How many places are in each.
    fn count(&self, places: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; self.0.len() + 1];
        for place in places {
            if let Some(n) = counts.get_mut(self.at(*place)) {
                *n += 1;
            }
        }
        counts
    }
}
