//! What the words of a program refer to: for tools that find and change names.
//!
//! The checker notes it on its way, in the program's own files and on request. Places are those of
//! single words:
//!
//! ```text
//! module type S = {val v: i32}
//! module m = {def v = 1i32} : S      both v refer to themselves, and must have the same name
//! def f (r: {x: i32}) = r.x + m.v    r, m and v refer to what is bound above; x is a label of {x}, at both places
//! ```

use crate::scope::{Env, Module, TermEntry};
use crate::types::Type;
use fehu_base::{Span, Symbol};
use fehu_syntax::ast::Ident;

/// What the words refer to.
#[derive(Clone, Default, Debug)]
pub struct Uses {
    /// A word, and where what it refers to is bound; words that bind refer to themselves.
    pub refers: Vec<(Span, Span)>,
    /// Places at which something is bound that must have the same name, since a module has it for a module type.
    pub same: Vec<(Span, Span)>,
    /// The labels of records and sums.
    pub labels: Vec<Label>,
    /// Whether anything is noted.
    pub(crate) noted: bool,
}

/// A word that is a field or a constructor.
#[derive(Clone, Debug)]
pub struct Label {
    /// The word.
    pub name: Symbol,
    /// Where.
    pub span: Span,
    /// What has it.
    pub of: Labels,
    /// Whether a type is written here that has it.
    pub declared: bool,
}

/// All fields of a record, or all constructors of a sum, in alphabetical order. Types with the same labels
/// may be one type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Labels {
    Fields(Vec<&'static str>),
    Constructors(Vec<&'static str>),
}

impl Labels {
    /// The labels of a type, if it has any.
    pub fn of(t: &Type) -> Option<Labels> {
        let sorted = |names: Vec<Symbol>| {
            let mut names: Vec<&'static str> = names.into_iter().map(|n| n.as_str()).collect();
            names.sort_unstable();
            names
        };
        match t {
            Type::Record(fs) => Some(Labels::Fields(sorted(fs.iter().map(|(f, _)| *f).collect()))),
            Type::Sum(cs) => Some(Labels::Constructors(sorted(cs.iter().map(|(c, _)| *c).collect()))),
            Type::Scalar(..)
            | Type::Array(..)
            | Type::Arrow(_)
            | Type::Var(..)
            | Type::Meta(_)
            | Type::Error => None,
        }
    }
}

/// How much has been noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize, usize, usize);

impl Uses {
    /// A word refers to what is bound there.
    pub(crate) fn refer(&mut self, word: Ident, to: Span) {
        if self.noted {
            self.refers.push((word.span, to));
        }
    }

    /// A word binds something.
    pub(crate) fn bind(&mut self, word: Ident) {
        self.refer(word, word.span);
    }

    /// A word is a label in a type that is written.
    pub(crate) fn declared_label(&mut self, word: Ident, of: &Type) {
        self.label(word, of);
        if let Some(label) = self.labels.last_mut().filter(|l| l.span == word.span) {
            label.declared = true;
        }
    }

    /// A word is a label of a type. Tuples have none that can be named.
    pub(crate) fn label(&mut self, word: Ident, of: &Type) {
        let named = !word.name.as_str().starts_with(|c: char| c.is_ascii_digit());
        if let Some(of) = Labels::of(of).filter(|_| self.noted && named) {
            self.labels.push(Label { name: word.name, span: word.span, of, declared: false });
        }
    }

    /// A module is used where a module type is asked for: what that has, is what the module calls so.
    pub(crate) fn matched(&mut self, module: &Module, sig: &Module) {
        if let (Module::Struct(module), Module::Struct(sig)) = (module, sig) {
            self.alike(module, sig);
        }
    }

    /// What both have, is called the same.
    pub(crate) fn alike(&mut self, module: &Env, sig: &Env) {
        if !self.noted {
            return;
        }
        for (name, want) in &sig.types {
            self.same.extend(module.types.get(name).map(|have| (want.span, have.span)));
        }
        for (name, want) in &sig.terms {
            match (want, module.terms.get(name)) {
                (TermEntry::Val(want), Some(TermEntry::Val(have))) => self.same.push((want.span, have.span)),
                (TermEntry::Mod(want), Some(TermEntry::Mod(have))) => {
                    self.same.push((want.span, have.span));
                    self.matched(&have.module, &want.module);
                }
                (TermEntry::Val(_) | TermEntry::Mod(_), _) => {}
            }
        }
    }

    /// Remembers what has been noted so far.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.refers.len(), self.same.len(), self.labels.len())
    }

    /// Forgets what has been noted since.
    pub(crate) fn forget(&mut self, since: Mark) {
        self.refers.truncate(since.0);
        self.same.truncate(since.1);
        self.labels.truncate(since.2);
    }
}
