//! Another name for a thing, in all programs of the workspace.
//!
//! In: a place and a name. Out: edits, or why not. Nothing is changed that should not be: each program is
//! checked with the edits before, and must be the same as without them but for the name
//! (`fehu_check::alike`).
//!
//! ```text
//! def f (x: i32) = let y = x in y      x to y: refused, the last y would mean something else
//! let {x} = r in x                     x to z: `let {x = z} = r in z`, the field keeps its name
//! ```

use super::names::offset_of;
use crate::answer::{Answer, Refusal};

use crate::analysis::Analysis;
use crate::state::{Document, State};
use crate::trial::Edits;
use crate::words::{Role, Word, Words};
use fehu_base::{FileId, Severity, Symbol};
use fehu_check::alike::alike;
use fehu_check::prelude_sources;
use fehu_driver::front::Front;
use fehu_syntax::ast::{Dec, Spec};
use fehu_syntax::visit::{each, Node};
use fehu_syntax::{Token, TokenKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where a name can be changed.
pub(super) fn prepare_rename(state: &State, document: &Document, params: &Value) -> Answer {
    let analysis = faultless(document)?;
    let offset = offset_of(state, document, params);
    let mut words = Words::default();
    words.add(&analysis.program, &analysis.sources);
    let word = word_at(&mut words, document, offset)?;
    own(&words, &words.with(word))?;
    let text = &document.text.text;
    let sharp = usize::from(text.get(word.lo..).is_some_and(|t| t.starts_with('#')));
    Ok(document.text.range(word.lo + sharp, word.hi, state.encoding))
}

pub(super) fn rename(state: &State, document: &Document, params: &Value) -> Answer {
    let new = params["newName"].as_str().unwrap_or("");
    let kinds: Vec<TokenKind> = fehu_syntax::tokens(FileId(0), new).iter().map(|t| t.kind).collect();
    if kinds != [TokenKind::Ident] {
        return Err(format!("`{new}` is no name").into());
    }
    let analysis = faultless(document)?;
    let mut words = Words::default();
    words.add(&analysis.program, &analysis.sources);
    let word = word_at(&mut words, document, offset_of(state, document, params))?;
    let old = unmarked(document.text.text.get(word.lo..word.hi).unwrap_or(""));
    own(&words, &words.with(word))?;
    let programs = programs(state, document, &mut words, word)?;
    let group = words.with(word);
    own(&words, &group)?;
    let edits = edits(state, &words, &group, old, new)?;
    for (root, before) in programs {
        let after = state.tried(&root, &edits)?;
        let (Some(was), Some(is)) = (&before.program, &after.program) else {
            return Err(refused(new, &root, &after).into());
        };
        if !alike(was, is, &before.prelude, Symbol::new(old), Symbol::new(new)) {
            return Err(format!("with the name `{new}`, {} would mean something else", root.display()).into());
        }
    }
    Ok(state.workspace_edit(&edits)?)
}

/// The analysis without errors that is of this text, if its program has none.
fn faultless(document: &Document) -> Result<&Analysis, Refusal> {
    let analysis = document.analysis.as_ref().filter(|a| a.is_of(&document.text.text));
    analysis.ok_or("the program has errors".into())
}

fn word_at(words: &mut Words, document: &Document, offset: usize) -> Result<Word, Refusal> {
    let file = words.number(&document.path);
    let tokens: Vec<Token> = fehu_syntax::tokens(FileId(0), &document.text.text);
    let named = tokens.iter().any(|t| {
        matches!(t.kind, TokenKind::Ident | TokenKind::Constructor)
            && t.span.lo as usize <= offset
            && offset <= t.span.hi as usize
    });
    match words.at(file, offset) {
        Some(word) if named => Ok(word),
        None if named => Err("this is no name of the program".into()),
        Some(_) | None => Err("only names can be changed, and no operators".into()),
    }
}

/// A constructor without its mark.
fn unmarked(word: &str) -> &str {
    word.trim_start_matches('#')
}

/// Refuses what the prelude names.
fn own(words: &Words, group: &BTreeSet<Word>) -> Result<(), Refusal> {
    match group.iter().any(|w| words.file(*w).is_none_or(is_prelude)) {
        true => Err("this is a name of the prelude".into()),
        false => Ok(()),
    }
}

fn is_prelude(file: &Path) -> bool {
    prelude_sources().iter().any(|(own, _)| Path::new(own) == file)
}

/// The programs that see what a word means; their words are added.
fn programs(
    state: &State,
    document: &Document,
    words: &mut Words,
    word: Word,
) -> Result<BTreeMap<PathBuf, Front>, Refusal> {
    let group = words.with(word);
    let here = group.iter().all(|w| words.file(*w) == Some(&document.path));
    let local = word.role == Role::Name && here && !is_shown(document, &group);
    let imports = if local { None } else { Some(state.imports()) };
    let mut programs: BTreeMap<PathBuf, Front> = BTreeMap::new();
    loop {
        let files: BTreeSet<PathBuf> =
            words.with(word).into_iter().filter_map(|w| words.file(w)).map(Path::to_owned).collect();
        // A file that others import is a program, too, with entry points of its own.
        let roots = imports.as_ref().map_or(BTreeSet::new(), |i| i.roots(&files));
        let roots = roots.into_iter().chain(files).filter(|f| !is_prelude(f));
        let new: Vec<PathBuf> = roots.filter(|r| !programs.contains_key(r)).collect();
        if new.is_empty() {
            return Ok(programs);
        }
        for root in new {
            let front = state.tried(&root, &Edits::new())?;
            let Some(program) = &front.program else {
                return Err(format!("{} has errors", root.display()).into());
            };
            words.add(program, &front.sources);
            programs.insert(root, front);
        }
    }
}

/// Whether any of some words is declared by a module, so that others may name it.
pub(super) fn is_shown(document: &Document, group: &BTreeSet<Word>) -> bool {
    let parsed = fehu_syntax::parse(FileId(0), &document.text.text);
    let mut shown = false;
    each(&parsed.prog.decs, &mut |node| {
        let name = match node {
            Node::Dec(Dec::Val(b)) => b.name,
            Node::Dec(Dec::Type(b)) => b.name,
            Node::Dec(Dec::Mod(b)) => b.name,
            Node::Dec(Dec::ModType(b)) => b.name,
            Node::Spec(Spec::Val { name, .. } | Spec::Type { name, .. } | Spec::Mod { name, .. }) => *name,
            Node::Spec(Spec::TypeAbbrev(b)) => b.name,
            Node::Dec(Dec::Open(..) | Dec::Import(..) | Dec::Local(..))
            | Node::Spec(Spec::Include(..))
            | Node::Exp(_)
            | Node::Pat(_)
            | Node::Type(_)
            | Node::Mod(_)
            | Node::ModType(_)
            | Node::TypeParam(_)
            | Node::Attr(_) => return,
        };
        shown |= group.iter().any(|w| w.lo == name.span.lo as usize && w.hi == name.span.hi as usize);
    });
    shown
}

/// What is written in the place of each word.
fn edits(
    state: &State,
    words: &Words,
    group: &BTreeSet<Word>,
    old: &str,
    new: &str,
) -> Result<Edits, Refusal> {
    let mut edits = Edits::new();
    for word in group {
        let Some(file) = words.file(*word) else { continue };
        let text = state.text_of(file)?.text;
        let written = text.get(word.lo..word.hi).unwrap_or("");
        if unmarked(written) != old {
            return Err(format!("this is called `{}`, too", unmarked(written)).into());
        }
        let text = match word.role {
            Role::Name if words.is_pun(*word) => format!("{old} = {new}"),
            Role::Label if words.is_pun(*word) => format!("{new} = {old}"),
            Role::Label if written.starts_with('#') => format!("#{new}"),
            Role::Name | Role::Label => new.to_owned(),
        };
        edits.entry(file.to_owned()).or_default().push((word.lo, word.hi, text));
    }
    Ok(edits)
}

/// Why a name does not do.
fn refused(new: &str, root: &Path, front: &Front) -> String {
    let first = front.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let why = first.map_or("", |d| d.message.as_str());
    format!("with the name `{new}`, there is an error in {}: {why}", root.display())
}
