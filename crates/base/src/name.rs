//! Unique names. After name resolution every binding in a program has a
//! [`Name`] of its own, from the checker down to the imperative IR; the text
//! the user wrote is kept beside it, for messages and readable output only.

use crate::Symbol;
use rustc_hash::FxHashMap;
use std::fmt;

/// A unique name: dense, starting at 0, made by a [`NameSource`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "_{}", self.0)
    }
}

/// Makes fresh names and remembers the text each came from.
#[derive(Clone, Default, Debug)]
pub struct NameSource {
    bases: Vec<Symbol>,
    /// The modules in which names are found from outside.
    modules: FxHashMap<Name, Symbol>,
}

impl NameSource {
    /// A source that has made no name yet.
    pub fn new() -> NameSource {
        NameSource::default()
    }

    /// A fresh name, based on this text.
    pub fn fresh(&mut self, base: Symbol) -> Name {
        let name = Name(self.bases.len() as u32);
        self.bases.push(base);
        name
    }

    /// A fresh name, based on this text.
    pub fn fresh_str(&mut self, base: &str) -> Name {
        self.fresh(Symbol::new(base))
    }

    /// A fresh name with the text of another.
    pub fn fresh_like(&mut self, name: Name) -> Name {
        let base = self.base(name);
        self.fresh(base)
    }

    /// Gives a name another text, for readable output.
    pub fn rebase(&mut self, name: Name, base: Symbol) {
        self.bases[name.0 as usize] = base;
    }

    /// The text a name was made from.
    pub fn base(&self, name: Name) -> Symbol {
        self.bases[name.0 as usize]
    }

    /// Notes the path of the module that a name is in. Of several modules that show a name, the first counts;
    /// a path that only becomes longer is that of the same module, seen from further away.
    pub fn put_into(&mut self, name: Name, module: Symbol) {
        let known = self.modules.entry(name).or_insert(module);
        if module.as_str().strip_suffix(known.as_str()).is_some_and(|front| front.ends_with('.')) {
            *known = module;
        }
    }

    /// The text of a name with the modules that it is in, as in `m.x`; those of abstract types have them anyway.
    pub fn path(&self, name: Name) -> String {
        let base = self.base(name);
        match self.modules.get(&name) {
            Some(module) if !base.as_str().contains('.') => format!("{module}.{base}"),
            Some(_) | None => base.to_string(),
        }
    }

    /// The name as printed in IR dumps: text, underscore, number.
    pub fn show(&self, name: Name) -> String {
        format!("{}_{}", self.base(name), name.0)
    }

    /// How many names there are; all have smaller numbers.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Whether no name was made yet.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }
}
