//! What names mean: hover, definition, references.

use super::rename::is_shown;
use crate::analysis::{Analysis, Meaning};
use crate::answer::Answer;
use crate::state::{Document, State};
use crate::view::View;
use crate::words::{Role, Word, Words};
use crate::workspace::import_words;
use fehu_base::{FileId, Span};
use fehu_check::tast::Occurrence;
use fehu_check::uses::Label;
use fehu_driver::load::{import_path, normalise};
use fehu_syntax::{Token, TokenKind};
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The name around a place, with the modules before it.
fn words_at(text: &str, offset: usize) -> Option<(Vec<&str>, usize, usize)> {
    let tokens: Vec<Token> = fehu_syntax::tokens(FileId(0), text);
    let at = tokens.iter().position(|t| {
        t.kind == TokenKind::Ident && t.span.lo as usize <= offset && offset <= t.span.hi as usize
    })?;
    let mut first = at;
    while first >= 2 && tokens[first - 1].kind == TokenKind::Dot && tokens[first - 2].kind == TokenKind::Ident
    {
        first -= 2;
    }
    let word = |t: &Token| text.get(t.span.lo as usize..t.span.hi as usize);
    let words = tokens[first..=at].iter().filter(|t| t.kind == TokenKind::Ident).filter_map(word).collect();
    Some((words, tokens[at].span.lo as usize, tokens[at].span.hi as usize))
}

/// The place that a request is about.
pub(super) fn offset_of(state: &State, document: &Document, params: &Value) -> usize {
    document.text.offset(&params["position"], state.encoding)
}

/// The value that is named at a place, and the analysis that knows it.
fn occurrence(document: &Document, offset: usize) -> Option<(View<'_>, Occurrence)> {
    document.views().find_map(|view| {
        let found = view.analysis.at(view.offset(offset)?)?.clone();
        Some((view, found))
    })
}

/// What the words at a place mean if they name no value.
fn meaning<'a>(document: &'a Document, words: &[&str]) -> Option<(View<'a>, Meaning)> {
    document.views().find_map(|view| {
        let found = view.analysis.meaning(words)?;
        Some((view, found))
    })
}

pub(super) fn hover(state: &State, document: &Document, params: &Value) -> Answer {
    let offset = offset_of(state, document, params);
    let shown = |code: String, doc: Option<&str>, (lo, hi): (usize, usize)| {
        let doc = doc.map_or(String::new(), |d| format!("\n\n{d}"));
        json!({
            "contents": {"kind": "markdown", "value": format!("```futhark\n{code}\n```{doc}")},
            "range": document.text.range(lo, hi, state.encoding),
        })
    };
    if let Some((view, o)) = occurrence(document, offset) {
        let code = view.analysis.show_value(&o);
        let place = view.bytes(o.span).unwrap_or((offset, offset));
        return Ok(shown(code, view.analysis.doc(o.name).as_deref(), place));
    }
    let Some((words, lo, hi)) = words_at(&document.text.text, offset) else { return Ok(Value::Null) };
    Ok(match meaning(document, &words) {
        Some((_, meaning)) => shown(meaning.text, None, (lo, hi)),
        None => Value::Null,
    })
}

pub(super) fn definition(state: &State, document: &Document, params: &Value) -> Answer {
    let offset = offset_of(state, document, params);
    if let Some(file) = imported(document, offset) {
        let start = json!({"line": 0, "character": 0});
        return Ok(json!({"uri": state.uri(&file), "range": {"start": start, "end": start}}));
    }
    let found = match occurrence(document, offset) {
        Some((view, o)) => view.analysis.definition(o.name).map(|span| (view, span)),
        None => bound(document, offset).or_else(|| {
            let (words, ..) = words_at(&document.text.text, offset)?;
            let (view, m) = meaning(document, &words)?;
            Some((view, m.span))
        }),
    };
    let place = found.and_then(|(view, span)| view.location(state, document, span));
    Ok(place.unwrap_or(Value::Null))
}

/// Where the types are declared that the type of the value at a place names.
pub(super) fn type_definition(state: &State, document: &Document, params: &Value) -> Answer {
    let offset = offset_of(state, document, params);
    let Some((view, o)) = occurrence(document, offset) else { return Ok(Value::Null) };
    let places = view.analysis.type_definitions(&o.ty);
    Ok(places.into_iter().filter_map(|span| view.location(state, document, span)).collect())
}

/// The files that the text imports, as links.
pub(super) fn links(state: &State, document: &Document, _: &Value) -> Answer {
    let link = |(name, lo, hi): (String, usize, usize)| {
        let file = import_file(&document.path, &name)?;
        let range = document.text.range(lo, hi, state.encoding);
        Some(json!({"range": range, "target": state.uri(&file)}))
    };
    Ok(import_words(&document.text.text).filter_map(link).collect())
}

/// The file that an import at a place names.
fn imported(document: &Document, offset: usize) -> Option<PathBuf> {
    let (name, ..) = import_words(&document.text.text).find(|(_, lo, hi)| *lo <= offset && offset <= *hi)?;
    import_file(&document.path, &name)
}

/// The file of an import, if there is one.
pub(super) fn import_file(importer: &Path, name: &str) -> Option<PathBuf> {
    let path = normalise(&import_path(importer, name));
    fehu_driver::prelude::file(&path).or(Some(path).filter(|p| p.is_file()))
}

/// Where the type, module, module type, field or constructor is bound that is named at a place.
fn bound(document: &Document, offset: usize) -> Option<(View<'_>, Span)> {
    document.views().find_map(|view| {
        let (analysis, at) = (view.analysis, view.offset(offset)?);
        let covers = |s: Span| s.file == analysis.main && s.lo as usize <= at && at <= s.hi as usize;
        let uses = &analysis.program.uses;
        let names = uses.refers.iter().filter(|(word, _)| covers(*word));
        // What is updated is also bound anew by the same word.
        let name = names.max_by_key(|(word, to)| word != to).map(|(_, to)| *to);
        let label = || {
            let label = uses.labels.iter().find(|l| covers(l.span))?;
            let same = |l: &&Label| l.declared && l.name == label.name && l.of == label.of;
            uses.labels.iter().find(same).map(|l| l.span)
        };
        let span = name.or_else(label)?;
        Some((view, span))
    })
}

/// The value at a place: named there, or defined there.
fn value_at(analysis: &Analysis, text: &str, offset: usize) -> Option<Vec<Span>> {
    if let Some(Occurrence { name, .. }) = analysis.at(offset) {
        return Some(analysis.references(*name));
    }
    // The names of local functions are no occurrences: look for one that is defined here.
    let (_, lo, _) = words_at(text, offset)?;
    let here = |s: Span| s.file == analysis.main && s.lo as usize == lo;
    let name = analysis.values().find(|n| analysis.definition(*n).is_some_and(here))?;
    Some(analysis.references(name))
}

/// The places of the value at a place, and the analysis that knows it.
fn places(document: &Document, offset: usize) -> Option<(View<'_>, Vec<Span>)> {
    document.views().find_map(|view| {
        let text = view.analysis.sources.get(view.analysis.main).map_or("", |f| &*f.text);
        let found = value_at(view.analysis, text, view.offset(offset)?)?;
        Some((view, found))
    })
}

/// The words that mean the same as the one at a place, in the document's program; nothing if that has errors.
fn same_words(document: &Document, offset: usize) -> Option<(Words, BTreeSet<Word>)> {
    let analysis = document.analysis.as_ref().filter(|a| a.is_of(&document.text.text))?;
    let mut words = Words::default();
    words.add(&analysis.program, &analysis.sources);
    let file = words.number(&document.path);
    let group = words.with(words.at(file, offset)?);
    Some((words, group))
}

/// All places of what is named at a place, in all programs of the workspace if they can name it.
pub(super) fn references(state: &State, document: &Document, params: &Value) -> Answer {
    let offset = offset_of(state, document, params);
    let with_definition = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    let Some((words, group)) = same_words(document, offset) else {
        let Some((view, spans)) = places(document, offset) else { return Ok(json!([])) };
        let spans = spans.into_iter().skip(usize::from(!with_definition));
        return Ok(spans.filter_map(|s| view.location(state, document, s)).collect());
    };
    let files: BTreeSet<PathBuf> = group.iter().filter_map(|w| words.file(*w)).map(Path::to_owned).collect();
    let named = group.iter().all(|w| w.role == Role::Name);
    let own = named && files.iter().eq([&document.path]) && !is_shown(document, &group);
    let (words, group) = match own {
        true => (words, group),
        false => {
            let mut all = state.words(&files)?;
            let file = all.number(&document.path);
            let group = all.at(file, offset).map(|w| all.with(w)).unwrap_or_default();
            (all, group)
        }
    };
    let shown = |word: &Word| {
        let (path, text) = state.opened(words.file(*word)?)?;
        let range = text.range(word.lo, word.hi, state.encoding);
        Some(json!({"uri": state.uri(&path), "range": range}))
    };
    Ok(group.iter().filter(|w| with_definition || !words.binds(**w)).filter_map(shown).collect())
}

pub(super) fn highlight(state: &State, document: &Document, params: &Value) -> Answer {
    let offset = offset_of(state, document, params);
    if let Some((words, group)) = same_words(document, offset) {
        let own = group.iter().filter(|w| words.file(**w) == Some(&document.path));
        let range = |w: &Word| json!({"range": document.text.range(w.lo, w.hi, state.encoding)});
        return Ok(own.map(range).collect());
    }
    let found = places(document, offset);
    let Some((view, spans)) = found else { return Ok(json!([])) };
    let own = spans.into_iter().filter_map(|s| view.bytes(s));
    let range = |(lo, hi)| document.text.range(lo, hi, state.encoding);
    Ok(Value::Array(own.map(|s| json!({"range": range(s)})).collect()))
}
