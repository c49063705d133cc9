//! Names that could stand at a place.

use super::Answer;
use crate::analysis::{module, Analysis};
use crate::server::{Document, State};
use fehu_base::{FileId, Symbol};
use fehu_check::scope::{Env, TermEntry};
use fehu_check::show::show_scheme;
use fehu_check::tast::Program;
use fehu_check::types::Type;
use fehu_syntax::ast::{Dec, Pat};
use fehu_syntax::visit::{each, Node};
use serde_json::{json, Value};
use std::collections::BTreeMap;

const KEYWORDS: [&str; 23] = [
    "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in", "include", "let",
    "local", "loop", "match", "module", "open", "then", "true", "type", "while", "with",
];

/// Kinds of items that the protocol fixes.
const FUNCTION: u32 = 3;
const VARIABLE: u32 = 6;
const MODULE: u32 = 9;
const INTERFACE: u32 = 8;
const CLASS: u32 = 7;
const KEYWORD: u32 = 14;

pub(super) fn completion(state: &State, document: &Document, params: &Value) -> Answer {
    let offset = document.text.offset(&params["position"], state.encoding);
    let before = document.text.text.get(..offset).unwrap_or("");
    let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    let start = before.char_indices().rev().take_while(|(_, c)| named(*c)).last().map_or(offset, |(i, _)| i);
    let mut path: Vec<&str> = before.get(start..).unwrap_or("").split('.').collect();
    path.pop();
    let mut items: BTreeMap<String, Value> = BTreeMap::new();
    for view in document.views() {
        let analysis = view.analysis;
        if let (true, Some(start)) = (path.is_empty(), view.offset(start)) {
            locals(analysis, start, &mut items);
        }
        if let Some(env) = module(&analysis.program.env, &path) {
            declared(&analysis.program, env, &mut items);
        }
    }
    if path.is_empty() {
        written(&document.text.text, start, &mut items);
    }
    if let Some((prelude, env)) = state.prelude().and_then(|p| Some((p, module(&p.prelude_env, &path)?))) {
        declared(prelude, env, &mut items);
    }
    if path.is_empty() {
        for word in KEYWORDS {
            items.entry(word.to_owned()).or_insert_with(|| json!({"label": word, "kind": KEYWORD}));
        }
    }
    Ok(json!({"isIncomplete": false, "items": items.into_values().collect::<Vec<_>>()}))
}

fn declared(program: &Program, env: &Env, items: &mut BTreeMap<String, Value>) {
    let plain = |name: &Symbol| name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_');
    for (name, entry) in env.terms.iter().filter(|(n, _)| plain(n)) {
        let item = match entry {
            TermEntry::Val(v) => {
                let kind = if matches!(v.scheme.ty, Type::Arrow(_)) { FUNCTION } else { VARIABLE };
                json!({"label": name.as_str(), "kind": kind, "detail": show_scheme(&program.names, &v.scheme)})
            }
            TermEntry::Mod(_) => json!({"label": name.as_str(), "kind": MODULE}),
        };
        items.entry(name.to_string()).or_insert(item);
    }
    for name in env.types.keys().filter(|n| plain(n)) {
        items.entry(name.to_string()).or_insert_with(|| json!({"label": name.as_str(), "kind": CLASS}));
    }
    for name in env.mod_types.keys().filter(|n| plain(n)) {
        items.entry(name.to_string()).or_insert_with(|| json!({"label": name.as_str(), "kind": INTERFACE}));
    }
}

/// What the declaration around a place binds before it.
fn locals(analysis: &Analysis, offset: usize, items: &mut BTreeMap<String, Value>) {
    let Some(around) = analysis.around(offset) else { return };
    let inside = |s: fehu_base::Span| s.file == around.file && around.lo < s.lo && s.hi as usize <= offset;
    for o in analysis.occurrences.iter().filter(|o| inside(o.span)) {
        let defined = analysis.program.def_spans.get(&o.name).is_some_and(|s| inside(*s));
        let name = analysis.program.names.base(o.name).to_string();
        if defined && name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let item = json!({"label": name, "kind": VARIABLE, "detail": analysis.show(&o.ty)});
            items.entry(name).or_insert(item);
        }
    }
}

/// What is declared before a place, and what the declaration around it binds before it, by the text, which may be too new for any analysis.
fn written(text: &str, offset: usize, items: &mut BTreeMap<String, Value>) {
    let parsed = fehu_syntax::parse(FileId(0), text);
    for dec in parsed.prog.decs.iter().take_while(|d| d.span().hi as usize <= offset) {
        let (name, kind) = match dec {
            Dec::Val(b) if b.params.is_empty() => (b.name, VARIABLE),
            Dec::Val(b) => (b.name, FUNCTION),
            Dec::Type(b) => (b.name, CLASS),
            Dec::Mod(b) => (b.name, MODULE),
            Dec::ModType(b) => (b.name, INTERFACE),
            Dec::Open(..) | Dec::Import(..) | Dec::Local(..) => continue,
        };
        let name = name.name.as_str();
        if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            items.entry(name.to_owned()).or_insert_with(|| json!({"label": name, "kind": kind}));
        }
    }
    let mut around = parsed.prog.decs.iter().filter(|d| d.span().lo as usize <= offset);
    let Some(dec) = around.next_back() else { return };
    each(std::slice::from_ref(dec), &mut |node| {
        let bound = match node {
            Node::Pat(Pat::Var(name)) => Some(*name),
            Node::Pat(_)
            | Node::Dec(_)
            | Node::Exp(_)
            | Node::Type(_)
            | Node::Mod(_)
            | Node::ModType(_)
            | Node::Spec(_)
            | Node::TypeParam(_)
            | Node::Attr(_) => None,
        };
        if let Some(name) = bound.filter(|n| n.span.hi as usize <= offset) {
            let item = json!({"label": name.name.as_str(), "kind": VARIABLE});
            items.entry(name.name.to_string()).or_insert(item);
        }
    });
}
