//! What names mean at a point of the program.
//!
//! [`Env`] is the content of a module: names to what they stand for. [`Scope`]
//! is everything visible at a point, with inner bindings over outer ones; it is
//! extended and rolled back as the checker walks:
//!
//! ```text
//! let mark = scope.mark();
//! scope.bind_val(x, entry);
//! ... check the body ...
//! scope.rollback(mark);
//! ```
//!
//! Three name spaces: values and modules share one, types and module types
//! have their own.

use crate::types::{Scheme, TParam, TypeDef};
use fehu_base::{Name, Span, Symbol};
use fehu_syntax::ast::Liftedness;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::sync::Arc;

/// A map in the order of insertion, so that what is printed from it is always the same.
pub type OrderMap<V> = IndexMap<Symbol, V, FxBuildHasher>;

/// A value in scope.
#[derive(Clone, Debug)]
pub struct ValEntry {
    /// Its unique name.
    pub name: Name,
    /// Its type.
    pub scheme: Arc<Scheme>,
    /// Where it was bound.
    pub span: Span,
    /// What kind of binding.
    pub kind: ValKind,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValKind {
    /// A declaration at top level or in a module.
    Global,
    /// A parameter, `let`, loop variable or pattern variable.
    Local,
    /// A size parameter, seen as an `i64` value.
    SizeParam,
    /// Built in.
    Intrinsic,
}

/// A type name in scope.
#[derive(Clone, Debug)]
pub struct TypeEntry {
    /// Its unique name (for abstract types and parameters, the one in `Type::Var`).
    pub name: Name,
    /// What it stands for. An abstract type or type parameter stands for itself.
    pub def: Arc<TypeDef>,
    /// Where it was bound.
    pub span: Span,
}

/// A module in scope.
#[derive(Clone, Debug)]
pub enum Module {
    /// A structure.
    Struct(Arc<Env>),
    /// A parametric module.
    Functor(Arc<FunctorSig>),
}

/// The type of a parametric module.
#[derive(Clone, Debug)]
pub struct FunctorSig {
    /// The functor's name in `tast::Functor`.
    pub name: Name,
    /// The abstract types of the parameter.
    pub param_abs: Vec<AbstractType>,
    /// Where the parameter was declared.
    pub param_span: Span,
    /// The parameter.
    pub param: Module,
    /// The abstract types that each application makes anew.
    pub result_abs: Vec<AbstractType>,
    /// The result.
    pub result: Module,
    /// What types of the result mention, the body binds and the result does not show: sizes kept
    /// `local`, and unknown sizes of constants. Each application copies them too.
    pub hidden: Vec<Name>,
    /// Values of the result that are other names for something: for each, what. That is of the parameter, of
    /// the result, hidden or from outside. What is from outside under its own name, too, stands for itself.
    pub synonyms: Vec<(Name, Name)>,
}

/// An abstract type of a module type: where it stands in it, and its name.
#[derive(Clone, Debug)]
pub struct AbstractType {
    /// The path from the module type's top: `["m", "t"]` for `m.t`.
    pub path: Vec<Symbol>,
    /// Its name in this copy of the module type.
    pub name: Name,
    /// Its kind.
    pub lifted: Liftedness,
    /// Its parameters.
    pub tparams: Vec<TParam>,
}

/// A module type, as bound by `module type S = ...`. Each use makes a copy with
/// fresh names for its abstract types and values.
#[derive(Clone, Debug)]
pub struct ModuleType {
    /// The abstract types in it.
    pub abs: Vec<AbstractType>,
    /// The shape.
    pub module: Module,
}

/// A module in scope, with its binding.
#[derive(Clone, Debug)]
pub struct ModEntry {
    /// The module.
    pub module: Module,
    /// Where it was bound.
    pub span: Span,
}

/// A module type in scope.
#[derive(Clone, Debug)]
pub struct ModTypeEntry {
    /// The module type.
    pub sig: Arc<ModuleType>,
    /// Where it was bound.
    pub span: Span,
}

/// A value or a module: they share a name space.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TermEntry {
    Val(ValEntry),
    Mod(ModEntry),
}

/// The content of a module.
#[derive(Clone, Default, Debug)]
#[allow(missing_docs)]
pub struct Env {
    pub terms: OrderMap<TermEntry>,
    pub types: OrderMap<TypeEntry>,
    pub mod_types: OrderMap<ModTypeEntry>,
}

/// A point to roll back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

/// A name and what it stands for.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Term(Symbol, TermEntry),
    Type(Symbol, TypeEntry),
    ModType(Symbol, ModTypeEntry),
}

impl Binding {
    /// The name.
    pub(crate) fn symbol(&self) -> Symbol {
        match self {
            Binding::Term(sym, _) | Binding::Type(sym, _) | Binding::ModType(sym, _) => *sym,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Space {
    Terms,
    Types,
    ModTypes,
}

/// Everything visible at a point.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    terms: FxHashMap<Symbol, Vec<TermEntry>>,
    types: FxHashMap<Symbol, Vec<TypeEntry>>,
    mod_types: FxHashMap<Symbol, Vec<ModTypeEntry>>,
    trail: Vec<(Space, Symbol)>,
}

impl Scope {
    /// Remembers this point.
    pub fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Forgets all bindings since the mark.
    pub fn rollback(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            let Some((space, sym)) = self.trail.pop() else { return };
            match space {
                Space::Terms => drop(self.terms.get_mut(&sym).and_then(Vec::pop)),
                Space::Types => drop(self.types.get_mut(&sym).and_then(Vec::pop)),
                Space::ModTypes => drop(self.mod_types.get_mut(&sym).and_then(Vec::pop)),
            }
        }
    }

    /// What has been bound since the mark, in that order, but for what is hidden by a later binding of the same name.
    pub(crate) fn bound_since(&self, mark: Mark) -> Vec<Binding> {
        let mut seen = FxHashSet::default();
        let trail = self.trail.get(mark.0..).unwrap_or_default();
        let visible = trail.iter().rev().filter(|(space, sym)| seen.insert((*space, *sym)));
        let entry = |(space, sym): &(Space, Symbol)| match space {
            Space::Terms => Some(Binding::Term(*sym, self.term(*sym)?.clone())),
            Space::Types => Some(Binding::Type(*sym, self.ty(*sym)?.clone())),
            Space::ModTypes => Some(Binding::ModType(*sym, self.mod_type(*sym)?.clone())),
        };
        let mut bound: Vec<Binding> = visible.filter_map(entry).collect();
        bound.reverse();
        bound
    }

    /// Binds again what was bound once.
    pub(crate) fn bind(&mut self, binding: Binding) {
        match binding {
            Binding::Term(sym, entry) => self.bind_term(sym, entry),
            Binding::Type(sym, entry) => self.bind_type(sym, entry),
            Binding::ModType(sym, entry) => self.bind_mod_type(sym, entry),
        }
    }

    /// Binds a value or module.
    pub fn bind_term(&mut self, sym: Symbol, entry: TermEntry) {
        self.terms.entry(sym).or_default().push(entry);
        self.trail.push((Space::Terms, sym));
    }

    /// Binds a value.
    pub fn bind_val(&mut self, sym: Symbol, entry: ValEntry) {
        self.bind_term(sym, TermEntry::Val(entry));
    }

    /// Binds a type.
    pub fn bind_type(&mut self, sym: Symbol, entry: TypeEntry) {
        self.types.entry(sym).or_default().push(entry);
        self.trail.push((Space::Types, sym));
    }

    /// Binds a module type.
    pub fn bind_mod_type(&mut self, sym: Symbol, entry: ModTypeEntry) {
        self.mod_types.entry(sym).or_default().push(entry);
        self.trail.push((Space::ModTypes, sym));
    }

    /// Binds everything a module contains: `open`.
    pub fn open(&mut self, env: &Env) {
        for (s, e) in &env.terms {
            self.bind_term(*s, e.clone());
        }
        for (s, e) in &env.types {
            self.bind_type(*s, e.clone());
        }
        for (s, e) in &env.mod_types {
            self.bind_mod_type(*s, e.clone());
        }
    }

    /// The value or module of that name.
    pub fn term(&self, sym: Symbol) -> Option<&TermEntry> {
        self.terms.get(&sym).and_then(|v| v.last())
    }

    /// The type of that name.
    pub fn ty(&self, sym: Symbol) -> Option<&TypeEntry> {
        self.types.get(&sym).and_then(|v| v.last())
    }

    /// The module type of that name.
    pub fn mod_type(&self, sym: Symbol) -> Option<&ModTypeEntry> {
        self.mod_types.get(&sym).and_then(|v| v.last())
    }

    /// All values and modules in scope, for suggestions; in no order.
    pub fn term_names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.terms.iter().filter(|(_, v)| !v.is_empty()).map(|(s, _)| *s)
    }

    /// All types in scope, for suggestions; in no order.
    pub fn type_names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.types.iter().filter(|(_, v)| !v.is_empty()).map(|(s, _)| *s)
    }
}
