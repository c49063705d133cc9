//! Words that are no names: fields, constructors, attributes, paths of imports.
//!
//! ```text
//! import "lib/¦     files of the folder     #[un¦      attributes
//! b.position.¦      fields                  case #¦    constructors
//! b with ¦          fields
//! ```

use super::Items;
use crate::analysis::{module, Analysis};
use crate::state::Document;
use crate::view::View;
use fehu_base::{FileId, Symbol};
use fehu_check::scope::TermEntry;
use fehu_check::types::Type;
use fehu_check::uses::Labels;
use fehu_syntax::{Token, TokenKind};
use std::path::Path;

/// Kinds of items that the protocol fixes.
const FIELD: u32 = 5;
const FILE: u32 = 17;
const FOLDER: u32 = 19;
const CONSTRUCTOR: u32 = 20;
const ATTRIBUTE: u32 = 14;

/// The attributes that mean something, with what they say.
const ATTRIBUTES: [(&str, &str); 19] = [
    ("blank", "any value of the type will do"),
    ("break", "the interpreter stops here"),
    ("flattening(no_intra)", "no version that runs inner parallelism in thread blocks"),
    ("flattening(no_outer)", "no version with outer parallelism only"),
    ("flattening(only_inner)", "one version only, with inner parallelism"),
    ("flattening(only_intra)", "only the version that runs inner parallelism in thread blocks"),
    ("inline", "put in the place of calls"),
    ("noinline", "not put in the place of calls"),
    ("opaque", "optimisations do not look into the value"),
    ("param", "a size that tuning can change"),
    ("schedule", "the plan of a kernel"),
    ("scratch", "an array of any contents will do"),
    ("sequential", "no parallelism"),
    ("sequential_inner", "outer parallelism only"),
    ("sequential_outer", "inner parallelism only"),
    ("trace", "prints the value"),
    ("unroll", "a loop without iterations: its body is written several times"),
    ("unsafe", "no checks"),
    ("warn(safety_checks)", "a warning if checks remain"),
];

/// What could come at the end of a text.
pub(super) enum Context<'a> {
    /// The path of an import, of which this is written.
    Import(&'a str),
    Attribute,
    Constructor,
    /// A field of what is at the end of this path, which begins here.
    Field(Vec<&'a str>, usize),
    /// A name that begins here, with the modules before it.
    Name(usize),
}

/// What could come at the end of a text.
pub(super) fn context(before: &str) -> Context<'_> {
    let line = before.rsplit('\n').next().unwrap_or("");
    if let Some((head, path)) = line.rsplit_once('"') {
        let head = head.trim_end();
        let quotes = head.matches('"').count();
        if quotes % 2 == 0 && head.ends_with("import") {
            return Context::Import(path);
        }
    }
    if line.rsplit_once("#[").is_some_and(|(_, rest)| !rest.contains(']')) {
        return Context::Attribute;
    }
    let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    let start =
        before.char_indices().rev().take_while(|(_, c)| named(*c)).last().map_or(before.len(), |(i, _)| i);
    let (head, word) = before.split_at(start);
    if head.ends_with('#') && !word.contains('.') {
        return Context::Constructor;
    }
    match updated(head) {
        Some((mut path, at)) => {
            path.extend(word.split('.'));
            path.pop();
            Context::Field(path, at)
        }
        None => Context::Name(start),
    }
}

/// The name before `with` at the end of a text, and where it begins.
fn updated(text: &str) -> Option<(Vec<&str>, usize)> {
    let line = text.rsplit('\n').next()?;
    let tokens: Vec<Token> = fehu_syntax::tokens(FileId(0), line);
    let (last, rest) = tokens.split_last()?;
    if last.kind != TokenKind::With {
        return None;
    }
    let (mut path, mut at) = (vec![], text.len());
    let mut wanted = TokenKind::Ident;
    for token in rest.iter().rev() {
        if token.kind != wanted {
            break;
        }
        if wanted == TokenKind::Ident {
            at = text.len() - line.len() + token.span.lo as usize;
            path.insert(0, line.get(token.span.lo as usize..token.span.hi as usize)?);
        }
        wanted = if wanted == TokenKind::Ident { TokenKind::Dot } else { TokenKind::Ident };
    }
    (!path.is_empty()).then_some((path, at))
}

/// Files and folders that an import could name.
pub(super) fn paths(document: &Document, begun: &str, items: &mut Items<'_>) {
    let folder = begun.rsplit_once('/').map_or("", |(folder, _)| folder);
    let Some(here) = document.path.parent() else { return };
    for entry in std::fs::read_dir(here.join(folder)).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(name) = path.file_stem().and_then(|n| n.to_str()).filter(|n| !n.starts_with('.')) else {
            continue;
        };
        if path.is_dir() {
            items.add(&entry.file_name().to_string_lossy(), FOLDER, None);
        } else if path.extension().is_some_and(|e| e == "fut") && path != *document.path {
            items.add(name, FILE, first_line(&path));
        }
    }
}

/// What a file says of itself.
fn first_line(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let doc = fehu_syntax::parse(FileId(0), &text).prog.doc?;
    doc.text.lines().next().map(|l| l.trim().to_owned())
}

pub(super) fn attributes(items: &mut Items<'_>) {
    for (name, text) in ATTRIBUTES {
        items.add(name, ATTRIBUTE, Some(text.to_owned()));
    }
}

/// All constructors of the program.
pub(super) fn constructors(document: &Document, items: &mut Items<'_>) {
    for view in document.views() {
        for label in &view.analysis.program.uses.labels {
            if let Labels::Constructors(all) = &label.of {
                let all: Vec<String> = all.iter().map(|c| format!("#{c}")).collect();
                items.add(label.name.as_str(), CONSTRUCTOR, Some(all.join(" | ")));
            }
        }
    }
}

/// The fields of what is at the end of a path.
pub(super) fn fields(document: &Document, path: &[&str], offset: usize, items: &mut Items<'_>) {
    for view in document.views() {
        fields_of(&view, path, offset, items);
    }
}

/// The fields of what is at the end of a path, as far as an analysis knows.
pub(super) fn fields_of(view: &View<'_>, path: &[&str], offset: usize, items: &mut Items<'_>) {
    let Some(Type::Record(fields)) = type_of(view, path, offset) else { return };
    for (name, ty) in fields.iter().filter(|(n, _)| !n.as_str().starts_with(|c: char| c.is_ascii_digit())) {
        items.add(name.as_str(), FIELD, Some(view.analysis.show(ty)));
    }
}

/// The type of a value and its fields: `b.position`, `m.b.position`.
fn type_of(view: &View<'_>, path: &[&str], offset: usize) -> Option<Type> {
    let analysis = view.analysis;
    let local = || {
        let name = Symbol::new(path.first()?);
        let local = analysis.local(name, view.offset(offset)?)?;
        Some((local.ty.clone(), 1))
    };
    let (mut ty, used) = local().or_else(|| global(analysis, path))?;
    for field in path.get(used..)? {
        let Type::Record(fields) = &ty else { return None };
        ty = fields.iter().find(|(f, _)| f.as_str() == *field)?.1.clone();
    }
    Some(ty)
}

/// The first value on a path through modules, and how many of its parts led to it.
fn global(analysis: &Analysis, path: &[&str]) -> Option<(Type, usize)> {
    let env = &analysis.program.env;
    (0..path.len()).find_map(|i| {
        match module(env, path.get(..i)?)?.terms.get(&Symbol::new(path.get(i)?))? {
            TermEntry::Val(v) => Some((v.scheme.ty.clone(), i + 1)),
            TermEntry::Mod(_) => None,
        }
    })
}
