//! Names that could stand at a place.
//!
//! In: the text up to a place, and what is known of the program, which may be of an older text. Out: what
//! could be written there: names; in `special`, words that are no names.

mod special;

use self::special::Context;
use crate::analysis::{module, Analysis};
use crate::answer::Answer;
use crate::state::{Document, State};
use fehu_base::{FileId, Symbol};
use fehu_check::scope::{Env, ModEntry, Module, TermEntry, ValEntry};
use fehu_check::show::show_scheme;
use fehu_check::tast::Program;
use fehu_check::types::Type;
use fehu_syntax::ast::{Dec, Pat};
use fehu_syntax::visit::{each, Node};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

const KEYWORDS: [&str; 23] = [
    "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in", "include", "let",
    "local", "loop", "match", "module", "open", "then", "true", "type", "while", "with",
];

/// How many letters must be written before modules are searched for names that begin with them.
const SEARCHED: usize = 2;

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
    let mut items = Items { uri: &params["textDocument"]["uri"], found: BTreeMap::new() };
    match special::context(before) {
        Context::Import(begun) => special::paths(document, begun, &mut items),
        Context::Attribute => special::attributes(&mut items),
        Context::Constructor => special::constructors(document, &mut items),
        Context::Field(path, at) => special::fields(document, &path, at, &mut items),
        Context::Name(start) => names(state, document, before.get(start..).unwrap_or(""), start, &mut items),
    }
    Ok(json!({"isIncomplete": false, "items": items.found.into_values().collect::<Vec<_>>()}))
}

/// The documentation of an item.
pub(super) fn resolve(state: &State, document: &Document, params: &Value) -> Answer {
    let path: Vec<&str> = params["data"]["path"].as_str().unwrap_or("").split('.').collect();
    let own = |analysis: &Analysis| {
        let envs = std::iter::once(&analysis.program.env).chain(analysis.imported(document));
        let doc = |env: &Arc<Env>| analysis.doc(value(env, &path)?.name);
        envs.into_iter().find_map(doc)
    };
    let prelude = || state.prelude_doc(value(&state.prelude()?.prelude_env, &path)?.name);
    let doc = document.views().find_map(|v| own(v.analysis)).or_else(prelude);
    let mut resolved = params.clone();
    if let Some(doc) = doc {
        resolved["documentation"] = json!({"kind": "markdown", "value": doc});
    }
    Ok(resolved)
}

/// The value at a path.
fn value<'a>(env: &'a Env, path: &[&str]) -> Option<&'a ValEntry> {
    let (last, modules) = path.split_last()?;
    match module(env, modules)?.terms.get(&Symbol::new(last))? {
        TermEntry::Val(v) => Some(v),
        TermEntry::Mod(_) => None,
    }
}

/// What is offered, by label.
struct Items<'a> {
    /// The document, for those who ask for more about an item.
    uri: &'a Value,
    found: BTreeMap<String, Value>,
}

impl Items<'_> {
    fn add(&mut self, label: &str, kind: u32, detail: Option<String>) {
        self.found.entry(label.to_owned()).or_insert_with(|| {
            let mut item = json!({"label": label, "kind": kind});
            if let Some(detail) = detail {
                item["detail"] = json!(detail);
            }
            item
        });
    }

    /// A value that a module declares: it may have a documentation.
    fn add_value(&mut self, path: &str, program: &Program, v: &ValEntry) {
        let kind = if matches!(v.scheme.ty, Type::Arrow(_)) { FUNCTION } else { VARIABLE };
        let label = path.to_owned();
        self.add(&label, kind, Some(show_scheme(&program.names, &v.scheme)));
        if let Some(item) = self.found.get_mut(path) {
            item["data"] = json!({"uri": self.uri, "path": path});
        }
    }
}

/// Names of values, types, modules and module types, and words of the language; `begun` is what is written already.
fn names(state: &State, document: &Document, begun: &str, start: usize, items: &mut Items<'_>) {
    let mut path: Vec<&str> = begun.split('.').collect();
    let begun = path.pop().unwrap_or("");
    let prelude = state.prelude();
    for view in document.views() {
        let analysis = view.analysis;
        if !path.is_empty() {
            special::fields_of(&view, &path, start, items);
        } else if let Some(start) = view.offset(start) {
            locals(analysis, start, items);
        }
        for env in std::iter::once(&analysis.program.env).chain(analysis.imported(document)) {
            if let Some(env) = module(env, &path) {
                declared(&analysis.program, env, &path, items);
            }
        }
    }
    if path.is_empty() {
        written(&document.text.text, start, items);
    }
    if let Some((prelude, env)) = prelude.and_then(|p| Some((p, module(&p.prelude_env, &path)?))) {
        declared(prelude, env, &path, items);
    }
    if path.is_empty() {
        for word in KEYWORDS {
            items.add(word, KEYWORD, None);
        }
    }
    if path.is_empty() && begun.len() >= SEARCHED {
        for analysis in document.views().map(|v| v.analysis) {
            for env in std::iter::once(&analysis.program.env).chain(analysis.imported(document)) {
                in_modules(&analysis.program, env, "", begun, items);
            }
        }
        if let Some(prelude) = prelude {
            in_modules(prelude, &prelude.prelude_env, "", begun, items);
        }
    }
}

/// Values of that name in modules: `f32.sum` for `su`.
fn in_modules(program: &Program, env: &Env, path: &str, begun: &str, items: &mut Items<'_>) {
    for (name, entry) in &env.terms {
        let label = format!("{path}{name}");
        match entry {
            TermEntry::Mod(ModEntry { module: Module::Struct(env), .. }) => {
                in_modules(program, env, &format!("{label}."), begun, items);
            }
            TermEntry::Val(v) if !path.is_empty() && name.as_str().starts_with(begun) => {
                items.add_value(&label, program, v);
                if let Some(item) = items.found.get_mut(&label) {
                    // Behind what is in scope by its name alone.
                    (item["filterText"], item["sortText"]) =
                        (json!(name.as_str()), json!(format!("~{label}")));
                }
            }
            TermEntry::Mod(_) | TermEntry::Val(_) => {}
        }
    }
}

/// What a module declares that is found under a path.
fn declared(program: &Program, env: &Env, path: &[&str], items: &mut Items<'_>) {
    let plain = |name: &Symbol| name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_');
    for (name, entry) in env.terms.iter().filter(|(n, _)| plain(n)) {
        match entry {
            TermEntry::Val(v) => {
                items.add_value(name.as_str(), program, v);
                if let Some(item) = items.found.get_mut(name.as_str()).filter(|_| !path.is_empty()) {
                    item["data"]["path"] = json!(format!("{}.{name}", path.join(".")));
                }
            }
            TermEntry::Mod(_) => items.add(name.as_str(), MODULE, None),
        }
    }
    for name in env.types.keys().filter(|n| plain(n)) {
        items.add(name.as_str(), CLASS, None);
    }
    for name in env.mod_types.keys().filter(|n| plain(n)) {
        items.add(name.as_str(), INTERFACE, None);
    }
}

/// What the declaration around a place binds before it.
fn locals(analysis: &Analysis, offset: usize, items: &mut Items<'_>) {
    let Some(around) = analysis.around(offset) else { return };
    let inside = |s: fehu_base::Span| s.file == around.file && around.lo < s.lo && s.hi as usize <= offset;
    for o in analysis.occurrences.iter().filter(|o| inside(o.span)) {
        let defined = analysis.program.def_spans.get(&o.name).is_some_and(|s| inside(*s));
        let name = analysis.program.names.base(o.name).to_string();
        if defined && name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            items.add(&name, VARIABLE, Some(analysis.show(&o.ty)));
        }
    }
}

/// What is declared before a place, and what the declaration around it binds before it, by the text, which
/// may be too new for any analysis.
fn written(text: &str, offset: usize, items: &mut Items<'_>) {
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
            items.add(name, kind, None);
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
            items.add(name.name.as_str(), VARIABLE, None);
        }
    });
}
