//! Who calls what: the declarations that name a declaration, and those that it names.
//!
//! An item is a declaration, of a module or local, by the place of its name; whatever names it calls it. Callers
//! are looked for in all programs of the workspace.

use super::names::offset_of;
use crate::answer::{Answer, Refusal};

use crate::analysis::Analysis;
use crate::document::Text;
use crate::state::{Document, State};
use crate::words::Role;
use fehu_base::{FileId, Span};
use fehu_driver::load::normalise;
use fehu_syntax::ast::{Dec, Exp, ExpKind, Ident};
use fehu_syntax::visit::{each, Node};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The kind of symbol that the protocol fixes.
const FUNCTION: u32 = 12;

/// A declaration: its name, and all of it.
#[derive(Clone, Copy)]
struct Declared {
    name: Ident,
    span: Span,
}

/// A file with what it declares.
struct File {
    path: PathBuf,
    /// The file that people can open.
    shown: PathBuf,
    text: Text,
    declared: Vec<Declared>,
}

/// The declaration that is named at a place.
pub(super) fn prepare(state: &State, document: &Document, params: &Value) -> Answer {
    let Some(analysis) = current(document) else { return Ok(Value::Null) };
    let offset = offset_of(state, document, params);
    let covers = |s: Span| s.file == analysis.main && s.lo as usize <= offset && offset <= s.hi as usize;
    // Of two words that meet here, the second one.
    let refers = analysis.program.uses.refers.iter().filter(|(word, _)| covers(*word));
    let Some((_, to)) = refers.max_by_key(|(word, _)| word.lo) else { return Ok(Value::Null) };
    let file = File::of(state, analysis, *to);
    let declared = file.as_ref().and_then(|f| f.at(*to));
    Ok(file.zip(declared).map_or(Value::Null, |(f, d)| json!([f.item(state, document, d)])))
}

/// The declarations that name one, with the places.
pub(super) fn incoming(state: &State, document: &Document, params: &Value) -> Answer {
    let Some((target, declared)) = asked(state, params) else { return Ok(Value::Null) };
    let mut words = state.words(&BTreeSet::from([target.path.clone(), document.path.clone()]))?;
    let number = words.number(&target.path);
    let Some(word) = words.at(number, declared.name.span.lo as usize) else { return Ok(json!([])) };
    let mut files: BTreeMap<PathBuf, File> = BTreeMap::new();
    let mut callers: BTreeMap<(PathBuf, u32), Vec<Value>> = BTreeMap::new();
    for word in words.with(word).into_iter().filter(|w| w.role == Role::Name) {
        let Some(path) = words.file(word) else { continue };
        if !files.contains_key(path) {
            let Some(file) = File::read(state, path) else { continue };
            files.insert(path.to_owned(), file);
        }
        let Some(file) = files.get(path) else { continue };
        let around = file.around(word.lo).filter(|d| d.name.span.lo as usize != word.lo);
        if let Some(caller) = around {
            let range = file.text.range(word.lo, word.hi, state.encoding);
            callers.entry((path.to_owned(), caller.name.span.lo)).or_default().push(range);
        }
    }
    let shown = |((path, lo), ranges): ((PathBuf, u32), Vec<Value>)| {
        let file = files.get(&path)?;
        let caller = file.declared.iter().find(|d| d.name.span.lo == lo)?;
        Some(json!({"from": file.item(state, document, *caller), "fromRanges": ranges}))
    };
    Ok(callers.into_iter().filter_map(shown).collect())
}

/// The declarations that one names, with the places.
pub(super) fn outgoing(state: &State, document: &Document, params: &Value) -> Answer {
    let asked = asked(state, params).zip(current(document));
    let Some(((caller, declared), analysis)) = asked else { return Ok(Value::Null) };
    let own = |s: Span| {
        let file = analysis.sources.get(s.file).map(|f| normalise(&f.path));
        file.as_ref() == Some(&caller.path) && declared.span.lo <= s.lo && s.hi <= declared.span.hi
    };
    let mut named: BTreeMap<Span, Vec<Value>> = BTreeMap::new();
    for (word, to) in &analysis.program.uses.refers {
        if word != to && own(*word) {
            let range = caller.text.range(word.lo as usize, word.hi as usize, state.encoding);
            named.entry(*to).or_default().push(range);
        }
    }
    let shown = |(to, ranges): (Span, Vec<Value>)| {
        if state.interest.is_lost() {
            return Some(Err(Refusal::GivenUp));
        }
        let file = File::of(state, analysis, to)?;
        let called = file.at(to)?;
        Some(Ok(json!({"to": file.item(state, document, called), "fromRanges": ranges})))
    };
    named.into_iter().filter_map(shown).collect()
}

/// What is known of exactly this text.
fn current(document: &Document) -> Option<&Analysis> {
    document.views().map(|v| v.analysis).find(|a| a.is_of(&document.text.text))
}

/// The declaration that a request is about.
fn asked(state: &State, params: &Value) -> Option<(File, Declared)> {
    let item = &params["item"];
    let file = File::read(state, Path::new(item["data"]["file"].as_str()?))?;
    let lo = file.text.offset(&item["selectionRange"]["start"], state.encoding);
    let declared = file.declared.iter().copied().find(|d| d.name.span.lo as usize == lo)?;
    Some((file, declared))
}

impl File {
    /// A file of a program, or of the prelude.
    fn read(state: &State, path: &Path) -> Option<File> {
        let (shown, text) = state.opened(path)?;
        let declared = declarations(&text.text);
        Some(File { path: path.to_owned(), shown, text, declared })
    }

    /// The file of a place.
    fn of(state: &State, analysis: &Analysis, span: Span) -> Option<File> {
        File::read(state, &normalise(&analysis.sources.get(span.file)?.path))
    }

    /// The declaration whose name is bound at a place.
    fn at(&self, to: Span) -> Option<Declared> {
        self.declared
            .iter()
            .copied()
            .find(|d| d.name.span.lo == to.lo || d.span.lo == to.lo && d.span.hi == to.hi)
    }

    /// The innermost declaration around a place.
    fn around(&self, offset: usize) -> Option<Declared> {
        let covers = |d: &&Declared| d.span.lo as usize <= offset && offset < d.span.hi as usize;
        self.declared.iter().filter(covers).min_by_key(|d| d.span.hi - d.span.lo).copied()
    }

    /// A declaration as the protocol has it, with what is needed to ask more about it.
    fn item(&self, state: &State, document: &Document, declared: Declared) -> Value {
        let range = |s: Span| self.text.range(s.lo as usize, s.hi as usize, state.encoding);
        json!({
            "name": declared.name.name.as_str(), "kind": FUNCTION, "uri": state.uri(&self.shown),
            "range": range(declared.span), "selectionRange": range(declared.name.span),
            "data": {"uri": document.uri, "file": self.path},
        })
    }
}

/// What a text declares.
fn declarations(text: &str) -> Vec<Declared> {
    let parsed = fehu_syntax::parse(FileId(0), text);
    let mut found = vec![];
    each(&parsed.prog.decs, &mut |node| match node {
        Node::Dec(Dec::Val(b)) => found.push(Declared { name: b.name, span: b.span.to(b.name.span) }),
        Node::Exp(Exp { kind, .. }) => {
            if let ExpKind::LetFun(f, _) = &**kind {
                found.push(Declared { name: f.name, span: f.name.span.to(f.body.span) });
            }
        }
        Node::Dec(Dec::Type(_) | Dec::Mod(_) | Dec::ModType(_) | Dec::Open(..))
        | Node::Dec(Dec::Import(..) | Dec::Local(..))
        | Node::Pat(_)
        | Node::Type(_)
        | Node::Mod(_)
        | Node::ModType(_)
        | Node::Spec(_)
        | Node::TypeParam(_)
        | Node::Attr(_) => {}
    });
    found
}
