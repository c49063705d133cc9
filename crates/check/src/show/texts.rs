//! The texts of the names in one message or signature.
//!
//! Different names have different texts. Who comes first keeps the text that the user wrote; what means
//! something outside of the type comes before what the type itself binds:
//!
//! ```text
//! (x: t) -> (y: t) -> (t, t), of two type parameters      (x: t) -> (y: t1) -> (t, t1)
//! ```

use super::hiding::hidden;
use crate::scope::{OrderMap, TypeEntry};
use crate::tast::{Exp, ExpKind};
use crate::types::{Size, TParam, Type, TypeArg};
use crate::visit::children;
use fehu_base::{Name, NameSource};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// What names are called so far.
#[derive(Clone, Default, Debug)]
pub struct Texts(RefCell<Known>);

#[derive(Clone, Default, Debug)]
struct Known {
    texts: FxHashMap<Name, String>,
    taken: FxHashSet<(Space, String)>,
    /// Names that were made for others.
    same: FxHashMap<Name, Name>,
    /// Sizes that abbreviations hide.
    hidden: FxHashSet<Name>,
    /// Sizes of which it is known whether abbreviations hide them.
    learned: FxHashSet<Name>,
}

impl Known {
    /// The name that a name was made for, or the name itself.
    fn first(&self, n: Name) -> Name {
        std::iter::successors(Some(n), |n| self.same.get(n).copied()).last().unwrap_or(n)
    }
}

/// Types and values may be called the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Space {
    Types,
    Values,
}

impl Texts {
    /// Begins another message.
    pub fn forget(&self) {
        let mut known = self.0.borrow_mut();
        if !known.texts.is_empty() || !known.same.is_empty() || !known.learned.is_empty() {
            *known = Known::default();
        }
    }

    /// What the types of a module are called inside of it: by their names alone.
    pub fn inside(types: &OrderMap<TypeEntry>) -> Texts {
        let texts = Texts::default();
        {
            let mut known = texts.0.borrow_mut();
            for (name, entry) in types {
                known.texts.insert(entry.name, name.to_string());
                known.taken.insert((Space::Types, name.to_string()));
            }
        }
        texts
    }

    /// Calls one name as another: both are the same to the user.
    pub fn same(&self, name: Name, other: Name) {
        let mut known = self.0.borrow_mut();
        let other = known.first(other);
        if other != name {
            known.same.insert(name, other);
        }
    }

    /// What a name is called, if it has been.
    pub fn text(&self, n: Name) -> Option<String> {
        self.0.borrow().texts.get(&n).cloned()
    }

    /// The text of a name.
    pub(super) fn of(&self, names: &NameSource, n: Name, space: Space) -> String {
        let mut known = self.0.borrow_mut();
        let n = known.first(n);
        if let Some(text) = known.texts.get(&n) {
            return text.clone();
        }
        let written = names.path(n);
        let numbered = |i: usize| match i {
            0 => written.clone(),
            _ if written.ends_with(|c: char| c.is_ascii_digit()) => format!("{written}_{i}"),
            _ => format!("{written}{i}"),
        };
        let free = |text: &String| super::is_operator(text) || !known.taken.contains(&(space, text.clone()));
        let text = (0..).map(numbered).find(free).unwrap_or_else(|| names.show(n));
        known.taken.insert((space, text.clone()));
        if let Some((module, _)) = text.split_once('.') {
            // No value may hide it.
            known.taken.insert((Space::Values, module.to_owned()));
        }
        known.texts.insert(n, text.clone());
        text
    }

    /// Whether an abbreviation stands for the size, so that it is not printed.
    pub(super) fn hides(&self, n: Name) -> bool {
        self.0.borrow().hidden.contains(&n)
    }

    /// Gives texts to the names in a type that binds these parameters, but for sizes that its abbreviations hide.
    /// Of a size of an earlier type it is known whether it is hidden.
    pub(super) fn learn(&self, names: &NameSource, tparams: &[TParam], t: &Type) {
        let mut mentions = Mentions::default();
        for p in tparams {
            mentions.bound.push(match p {
                TParam::Size(n) => (*n, Space::Values),
                TParam::Type(_, n) => (*n, Space::Types),
            });
        }
        let around: Vec<Name> = tparams.iter().map(|p| p.name()).collect();
        mentions.ty(t);
        let binds = |n: Name| mentions.bound.iter().any(|(b, _)| *b == n);
        {
            let known = &mut *self.0.borrow_mut();
            known.hidden.extend(hidden(&around, t).into_iter().filter(|n| !known.learned.contains(n)));
            known.learned.extend(mentions.used.iter().map(|(n, _)| *n));
        }
        let mut used: Vec<(Name, Space)> =
            mentions.used.iter().filter(|(n, _)| !binds(*n)).copied().collect();
        // What is in a module has no other text.
        used.sort_by_key(|(n, _)| !names.path(*n).contains('.'));
        for (n, space) in used.iter().chain(&mentions.bound).filter(|(n, _)| !self.hides(*n)) {
            self.of(names, *n, *space);
        }
    }
}

/// The names in a type, in order.
#[derive(Default)]
pub(super) struct Mentions {
    pub(super) used: Vec<(Name, Space)>,
    bound: Vec<(Name, Space)>,
}

impl Mentions {
    pub(super) fn ty(&mut self, t: &Type) {
        fehu_base::stack::deep(|| self.ty_inner(t));
    }

    fn ty_inner(&mut self, t: &Type) {
        match t {
            Type::Scalar(..) | Type::Meta(_) | Type::Error => {}
            Type::Array(_, size, elem) => {
                self.size(size);
                self.ty(elem);
            }
            Type::Record(fields) => fields.iter().for_each(|(_, t)| self.ty(t)),
            Type::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| self.ty(t)),
            Type::Arrow(a) => {
                self.ty(&a.lhs);
                self.bound.extend(a.param.iter().chain(&a.ret.dims).map(|n| (*n, Space::Values)));
                self.ty(&a.ret.ty);
            }
            Type::Var(_, n, args) => {
                self.used.push((*n, Space::Types));
                for a in args.iter() {
                    match a {
                        TypeArg::Size(s) => self.size(s),
                        TypeArg::Type(t) => self.ty(t),
                    }
                }
            }
        }
    }

    pub(super) fn size(&mut self, s: &Size) {
        match s {
            Size::Var(n) => self.used.push((*n, Space::Values)),
            Size::Exp(e) => self.exp(e),
            Size::Const(_) | Size::Any => {}
        }
    }

    fn exp(&mut self, e: &Exp) {
        if let ExpKind::Var(n, _) = &*e.kind {
            self.used.push((*n, Space::Values));
        }
        children(e, &mut |c| self.exp(c));
    }
}
