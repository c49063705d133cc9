//! Where everything is: the address of each declaration of each file.

use crate::Input;
use fehu_base::Span;
use fehu_syntax::ast::{Dec, ModExp, ModTypeExp, Spec};
use std::collections::BTreeMap;

/// The kinds of names: each is a space of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Space {
    /// Values and modules.
    Term,
    Type,
    ModType,
}

impl Space {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Space::Term => "term",
            Space::Type => "type",
            Space::ModType => "mtype",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Space> {
        [Space::Term, Space::Type, Space::ModType].into_iter().find(|s| s.word() == word)
    }
}

/// A declaration of a file: its qualified name, `m.x` for what is in a module or module type `m`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Address {
    pub(crate) file: String,
    pub(crate) space: Space,
    pub(crate) name: String,
}

impl Address {
    /// The page and the place on it, from the root of the site.
    pub(crate) fn url(&self) -> String {
        format!("doc/{}.html#{}", self.file, anchor(self.space, &self.name))
    }
}

/// The place of a declaration on its page.
pub(crate) fn anchor(space: Space, name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '\'');
    let encoded: String =
        name.chars().map(|c| if plain(c) { c.to_string() } else { format!(":{:x}", u32::from(c)) }).collect();
    format!("{}-{encoded}", space.word())
}

/// All declarations that can be seen from outside.
#[derive(Default)]
pub(crate) struct Names {
    /// Each with the place of its text.
    known: BTreeMap<Address, Span>,
}

impl Names {
    pub(crate) fn of(inputs: &[Input]) -> Names {
        let mut names = Names::default();
        for input in inputs {
            names.decs(&input.name, "", &input.prog.decs);
        }
        names
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Address> {
        self.known.keys()
    }

    /// The declaration that a name means in a module of a file: the innermost one.
    pub(crate) fn find(&self, file: &str, module: &str, space: Space, name: &str) -> Option<Address> {
        let mut prefix = module;
        loop {
            let name = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
            let address = Address { file: file.to_owned(), space, name };
            if self.known.contains_key(&address) {
                return Some(address);
            }
            if prefix.is_empty() {
                return None;
            }
            prefix = prefix.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    fn add(&mut self, file: &str, space: Space, name: String, span: Span) {
        self.known.insert(Address { file: file.to_owned(), space, name }, span);
    }

    fn decs(&mut self, file: &str, prefix: &str, decs: &[Dec]) {
        let full = |name: &str| if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        for dec in decs {
            match dec {
                Dec::Val(b) => self.add(file, Space::Term, full(b.name.name.as_str()), b.span),
                Dec::Type(b) => self.add(file, Space::Type, full(b.name.name.as_str()), b.span),
                Dec::Mod(b) => {
                    let name = full(b.name.name.as_str());
                    match (&b.sig, &b.body) {
                        (Some(ModTypeExp::Specs(specs, _)), _) => self.specs(file, &name, specs),
                        (None, ModExp::Decs(decs, _)) => self.decs(file, &name, decs),
                        _ => {}
                    }
                    self.add(file, Space::Term, name, b.span);
                }
                Dec::ModType(b) => {
                    let name = full(b.name.name.as_str());
                    if let ModTypeExp::Specs(specs, _) = &b.def {
                        self.specs(file, &name, specs);
                    }
                    self.add(file, Space::ModType, name, b.span);
                }
                Dec::Open(..) | Dec::Import(..) | Dec::Local(..) => {}
            }
        }
    }

    fn specs(&mut self, file: &str, prefix: &str, specs: &[Spec]) {
        for spec in specs {
            match spec {
                Spec::Val { name, span, .. } => {
                    self.add(file, Space::Term, format!("{prefix}.{}", name.name), *span);
                }
                Spec::TypeAbbrev(b) => {
                    self.add(file, Space::Type, format!("{prefix}.{}", b.name.name), b.span)
                }
                Spec::Type { name, span, .. } => {
                    self.add(file, Space::Type, format!("{prefix}.{}", name.name), *span);
                }
                Spec::Mod { name, sig, span, .. } => {
                    let full = format!("{prefix}.{}", name.name);
                    if let ModTypeExp::Specs(inner, _) = sig {
                        self.specs(file, &full, inner);
                    }
                    self.add(file, Space::Term, full, *span);
                }
                Spec::Include(..) => {}
            }
        }
    }
}
