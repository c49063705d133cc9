//! The declarations of the prelude, found by their layout, without parsing.
//!
//! The prelude is written so that each declaration starts at the left margin,
//! or two spaces from it inside of a module, and that all its other lines are
//! further in, blank, comments, or a closing brace:
//!
//! ```text
//! -- | A module.
//! module m = {
//!   type t = i32
//!   def f (x: t) : t =
//!     x + 1
//! }
//! ```
//!
//! is an item `m`, whose members are the items `t` and `f`. A test compares
//! what is found with what the parser finds.

use std::ops::Range;

/// A declaration, or a specification in a module type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// What it declares; of imports, nothing.
    pub(crate) name: &'static str,
    /// Its text, with attributes and without comments around it.
    pub(crate) part: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `import "file"` or `open import "file"`.
    Import,
    Value,
    Type,
    /// `module m = { ... }`.
    Module,
    /// `local module m = n`.
    Alias,
    ModuleType,
}

/// The declarations of a file.
pub(crate) fn of_file(text: &'static str) -> Vec<Item> {
    find(text, 0..text.len(), 0)
}

/// A module's text up to its members, the members, and the text after them.
pub(crate) fn members(text: &'static str, module: &Item) -> (Range<usize>, Vec<Item>, Range<usize>) {
    let Range { start, end } = module.part;
    let head = line_end(text, start, end);
    let tail = end - 1;
    (start..head, find(text, head..tail, 2), tail..end)
}

fn find(text: &'static str, part: Range<usize>, indent: usize) -> Vec<Item> {
    let bytes = text.as_bytes();
    let mut items: Vec<Item> = vec![];
    // Where attributes start that belong to the next declaration.
    let mut attributes = None;
    let mut at = part.start;
    while at < part.end {
        let end = line_end(text, at, part.end);
        let line = &bytes[at..end];
        let inner = line.iter().take_while(|b| **b == b' ').count();
        let rest = &line[inner..];
        if rest.is_empty() || rest.starts_with(b"--") {
            // Between declarations.
        } else if inner == indent && rest.starts_with(b"#[") {
            attributes.get_or_insert(at + inner);
        } else if inner == indent && rest[0].is_ascii_lowercase() {
            let (kind, name) = head(&text[at + inner..end]);
            let start = attributes.take().unwrap_or(at + inner);
            items.push(Item { kind, name, part: start..end });
        } else if let Some(item) = items.last_mut() {
            item.part.end = end;
        }
        at = end + 1;
    }
    items
}

fn line_end(text: &str, at: usize, end: usize) -> usize {
    text.get(at..end).and_then(|t| t.find('\n')).map_or(end, |n| at + n)
}

/// What a declaration's first line says.
fn head(line: &'static str) -> (Kind, &'static str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "def" | "val" => (Kind::Value, first_name(rest)),
        "type" | "type~" | "type^" => (Kind::Type, first_name(rest)),
        "local" => (Kind::Alias, first_name(rest.strip_prefix("module ").unwrap_or(rest))),
        "module" => match rest.strip_prefix("type ") {
            Some(rest) => (Kind::ModuleType, first_name(rest)),
            None => (Kind::Module, first_name(rest)),
        },
        _ => (Kind::Import, ""),
    }
}

/// `f` of `f (x: t)`, and `+` of `(+) (x: t)`.
fn first_name(text: &'static str) -> &'static str {
    let word = text.split(' ').next().unwrap_or(text);
    word.strip_prefix('(').and_then(|w| w.strip_suffix(')')).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::needed::promised;
    use fehu_base::FileId;
    use fehu_syntax::ast;

    #[test]
    fn layout_shows_what_the_parser_sees() {
        for (path, text) in crate::prelude_sources() {
            let parsed = fehu_syntax::parse(FileId(0), text);
            let items = of_file(text);
            assert_eq!(items.len(), parsed.prog.decs.len(), "{path}");
            for (item, dec) in items.iter().zip(&parsed.prog.decs) {
                same(path, text, item, dec);
            }
        }
    }

    fn same(path: &str, text: &'static str, item: &Item, dec: &ast::Dec) {
        let (kind, name) = match dec {
            ast::Dec::Val(b) => (Kind::Value, Some(b.name.name)),
            ast::Dec::Type(b) => (Kind::Type, Some(b.name.name)),
            ast::Dec::ModType(b) => {
                // Specifications of intrinsics are needed one by one.
                if let (ast::ModTypeExp::Specs(specs, _), "intrinsics") = (&b.def, item.name) {
                    let (_, items, _) = members(text, item);
                    let spec = |s: &ast::Spec| match s {
                        ast::Spec::Val { name, .. } => (Kind::Value, name.name.as_str()),
                        ast::Spec::Type { name, .. } => (Kind::Type, name.name.as_str()),
                        _ => panic!("{path}: {s:?}"),
                    };
                    let found: Vec<_> = items.iter().map(|i| (i.kind, i.name)).collect();
                    assert_eq!(found, specs.iter().map(spec).collect::<Vec<_>>());
                }
                (Kind::ModuleType, Some(b.name.name))
            }
            ast::Dec::Mod(b) => {
                let ast::ModExp::Decs(decs, _) = &b.body else {
                    panic!("{path}: {} is no structure", b.name.name)
                };
                let (_, items, _) = members(text, item);
                assert_eq!(items.len(), decs.len(), "{path}: {}", b.name.name);
                for (item, dec) in items.iter().zip(decs) {
                    same(path, text, item, dec);
                    let whole = !matches!(dec, ast::Dec::Val(b) if promised(b).is_none());
                    assert!(whole, "{path}: the type of {} is not written", item.name);
                }
                (Kind::Module, Some(b.name.name))
            }
            ast::Dec::Import(..) => (Kind::Import, None),
            ast::Dec::Open(m, _) if matches!(**m, ast::ModExp::Import(..)) => (Kind::Import, None),
            ast::Dec::Local(d, _) => match &**d {
                ast::Dec::Mod(b) => (Kind::Alias, Some(b.name.name)),
                _ => panic!("{path}: {d:?} is local"),
            },
            ast::Dec::Open(..) => panic!("{path}: {dec:?} opens a module"),
        };
        assert_eq!((item.kind, item.name), (kind, name.map_or("", |s| s.as_str())), "{path}");
        let words = fehu_syntax::words(FileId(0), text, item.part.clone());
        let parsed = fehu_syntax::parse_words(FileId(0), text, words);
        assert!(parsed.errors.is_empty(), "{path}: {}: {:?}", item.name, parsed.errors);
        assert_eq!(parsed.prog.decs.len(), 1, "{path}: {}", item.name);
    }
}
