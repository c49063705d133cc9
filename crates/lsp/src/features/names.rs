//! What names mean: hover, definition, references, rename.

use crate::analysis::{Analysis, Meaning};
use crate::server::{Document, State};
use crate::view::View;
use fehu_base::{FileId, Span};
use fehu_check::tast::Occurrence;
use fehu_syntax::ast::{Exp, ExpKind, FieldExp, Pat};
use fehu_syntax::visit::{each, Node};
use fehu_syntax::{Token, TokenKind};
use serde_json::{json, Map, Value};
use std::collections::BTreeSet;

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
fn offset_of(state: &State, document: &Document, params: &Value) -> usize {
    document.text.offset(&params["position"], state.encoding)
}

/// The analysis without errors that is of this text, if its program has none.
fn faultless(document: &Document) -> Option<&Analysis> {
    document.analysis.as_ref().filter(|a| a.is_of(&document.text.text))
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

pub(super) fn hover(state: &State, document: &Document, params: &Value) -> Result<Value, String> {
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
        return Ok(shown(code, view.analysis.doc(o.name), place));
    }
    let Some((words, lo, hi)) = words_at(&document.text.text, offset) else { return Ok(Value::Null) };
    Ok(match meaning(document, &words) {
        Some((_, meaning)) => shown(meaning.text, None, (lo, hi)),
        None => Value::Null,
    })
}

pub(super) fn definition(state: &State, document: &Document, params: &Value) -> Result<Value, String> {
    let offset = offset_of(state, document, params);
    let found = match occurrence(document, offset) {
        Some((view, o)) => view.analysis.definition(o.name).map(|span| (view, span)),
        None => words_at(&document.text.text, offset)
            .and_then(|(words, ..)| meaning(document, &words))
            .map(|(view, m)| (view, m.span)),
    };
    let place = found.and_then(|(view, span)| view.location(state, document, span));
    Ok(place.unwrap_or(Value::Null))
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

pub(super) fn references(state: &State, document: &Document, params: &Value) -> Result<Value, String> {
    let found = places(document, offset_of(state, document, params));
    let Some((view, spans)) = found else { return Ok(json!([])) };
    let with_definition = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    let spans = spans.into_iter().skip(usize::from(!with_definition));
    Ok(Value::Array(spans.filter_map(|s| view.location(state, document, s)).collect()))
}

pub(super) fn highlight(state: &State, document: &Document, params: &Value) -> Result<Value, String> {
    let found = places(document, offset_of(state, document, params));
    let Some((view, spans)) = found else { return Ok(json!([])) };
    let own = spans.into_iter().filter_map(|s| view.bytes(s));
    let range = |(lo, hi)| document.text.range(lo, hi, state.encoding);
    Ok(Value::Array(own.map(|s| json!({"range": range(s)})).collect()))
}

pub(super) fn prepare_rename(state: &State, document: &Document, params: &Value) -> Result<Value, String> {
    let Some(analysis) = faultless(document) else { return Err("the program has errors".into()) };
    let offset = offset_of(state, document, params);
    let Some((_, lo, hi)) = words_at(&document.text.text, offset) else { return Ok(Value::Null) };
    renamed(analysis, offset, "fresh")?;
    Ok(document.text.range(lo, hi, state.encoding))
}

pub(super) fn rename(state: &State, document: &Document, params: &Value) -> Result<Value, String> {
    let new = params["newName"].as_str().unwrap_or("");
    let Some(analysis) = faultless(document) else { return Err("the program has errors".into()) };
    let offset = offset_of(state, document, params);
    let mut changes: Map<String, Value> = Map::new();
    for (span, text) in renamed(analysis, offset, new)? {
        let Some((file, range)) = state.place(span, &analysis.sources) else { continue };
        let edits = changes.entry(state.uri(&file)).or_insert_with(|| json!([]));
        if let Some(edits) = edits.as_array_mut() {
            edits.push(json!({"range": range, "newText": text}));
        }
    }
    Ok(json!({"changes": changes}))
}

/// The edits of a rename: all places, and what is written there.
fn renamed(analysis: &Analysis, offset: usize, new: &str) -> Result<Vec<(Span, String)>, String> {
    let kinds: Vec<TokenKind> = fehu_syntax::tokens(FileId(0), new).iter().map(|t| t.kind).collect();
    if kinds != [TokenKind::Ident] {
        return Err(format!("`{new}` is no name"));
    }
    let main = analysis.sources.get(analysis.main).map_or("", |f| &*f.text);
    let Some(spans) = value_at(analysis, main, offset) else {
        return Err("only values can be renamed".into());
    };
    let mut edits = vec![];
    for span in spans {
        let text = analysis.sources.get(span.file).map_or("", |f| &*f.text);
        if analysis.prelude.contains(&span.file) {
            return Err("this is a name of the prelude".into());
        }
        let words = fehu_syntax::words(span.file, text, span.lo as usize..span.hi as usize);
        // Of a qualified name, the last part.
        let Some(last) = words.last().filter(|t| t.kind == TokenKind::Ident) else {
            return Err("operators cannot be renamed".into());
        };
        edits.push((last.span, new.to_owned()));
    }
    let old = |s: Span| {
        let text = analysis.sources.get(s.file).map_or("", |f| &*f.text);
        text.get(s.lo as usize..s.hi as usize).unwrap_or("").to_owned()
    };
    let names: Vec<String> = edits.iter().map(|(s, _)| old(*s)).collect();
    if names.windows(2).any(|w| w[0] != w[1])
        || analysis.program.decs.iter().any(|d| shown_elsewhere(d, analysis, &edits))
    {
        return Err("a module type shows this value under its name, so it is not renamed".into());
    }
    let files: BTreeSet<FileId> = edits.iter().map(|(s, _)| s.file).collect();
    let puns: BTreeSet<Span> = files.into_iter().flat_map(|f| puns(analysis, f)).collect();
    for (span, text) in &mut edits {
        if puns.contains(span) {
            *text = format!("{} = {new}", old(*span));
        }
    }
    Ok(edits)
}

/// Whether a value is what a module type calls by the same name: that is written elsewhere too.
fn shown_elsewhere(dec: &fehu_check::tast::Dec, analysis: &Analysis, edits: &[(Span, String)]) -> bool {
    use fehu_check::tast::Dec;
    match dec {
        Dec::Alias(a) => analysis.definition(a.target).is_some_and(|d| edits.iter().any(|(s, _)| *s == d)),
        Dec::Val(_) | Dec::TypeDef(..) | Dec::Functor(_) | Dec::Apply(_) => false,
    }
}

/// The places `{x}`, short for `{x = x}`, of a file: the field keeps its name.
fn puns(analysis: &Analysis, file: FileId) -> BTreeSet<Span> {
    let Some(text) = analysis.sources.get(file).map(|f| &*f.text) else { return BTreeSet::new() };
    let parsed = fehu_syntax::parse(file, text);
    let mut found = BTreeSet::new();
    each(&parsed.prog.decs, &mut |node| match node {
        Node::Pat(Pat::Record(fields, _)) => {
            found.extend(fields.iter().filter(|(_, p)| p.is_none()).map(|(name, _)| name.span));
        }
        Node::Exp(Exp { kind, .. }) => {
            if let ExpKind::Record(fields) = &**kind {
                found.extend(fields.iter().filter_map(|f| match f {
                    FieldExp::Implicit(name) => Some(name.span),
                    FieldExp::Explicit(..) => None,
                }));
            }
        }
        Node::Pat(_)
        | Node::Dec(_)
        | Node::Type(_)
        | Node::Mod(_)
        | Node::ModType(_)
        | Node::Spec(_)
        | Node::TypeParam(_)
        | Node::Attr(_) => {}
    });
    found
}
