//! Copies of modules and module types under new names.
//!
//! Each use of a module type makes abstract types of its own, and so does each
//! application of a functor. A copy is made in two steps: first all names
//! that the original declares get new ones ([`Copier::declare`]), then the
//! original is rewritten ([`Copier::module`]).

use crate::context::Context;
use crate::scope::{AbstractType, Env, FunctorSig, ModEntry, Module, ModuleType, TermEntry};
use crate::subst::Subst;
use crate::type_exp::params::abstract_def;
use fehu_base::{Name, Span, Symbol};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Whether the inside of functors is renamed too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Depth {
    /// Only what the module shows. The functors in it are those that exist already.
    Surface,
    /// Everything, for a module type that describes modules yet to come.
    Everything,
}

/// The names of a copy so far.
pub(super) struct Copier<'a> {
    ctx: &'a mut Context,
    depth: Depth,
    /// What to put for the original's names in types.
    pub(super) subst: Subst,
    /// New names, by the original ones.
    renames: FxHashMap<Name, Name>,
    /// The same, in the order in which they were made: (new, original).
    pub(super) pairs: Vec<(Name, Name)>,
}

impl<'a> Copier<'a> {
    /// A copy in which these substitutions hold from the start.
    pub(super) fn new(ctx: &'a mut Context, depth: Depth, subst: Subst) -> Copier<'a> {
        Copier { ctx, depth, subst, renames: FxHashMap::default(), pairs: vec![] }
    }

    /// New names for abstract types. `prefix` is the path of the module that the copy will be.
    pub(super) fn abstract_types(&mut self, abs: &[AbstractType], prefix: &[Symbol]) -> Vec<AbstractType> {
        abs.iter()
            .map(|a| {
                let base = qualified(prefix, &a.path);
                let span = self.span(a.name);
                let name = self.ctx.bind(base, span);
                self.ctx.kinds.insert(name, a.lifted);
                self.pair(a.name, name);
                let def = abstract_def(name, a.lifted, a.tparams.clone());
                self.subst.types.insert(a.name, Arc::new(def));
                AbstractType { name, ..a.clone() }
            })
            .collect()
    }

    /// A new name for one value that types mention.
    pub(super) fn value(&mut self, old: Name) {
        if self.renames.contains_key(&old) {
            return;
        }
        let new = self.fresh(old);
        // A functor may show what its parameter has.
        let given = self.subst.value(old);
        if given != old {
            self.ctx.synonyms.note(new, given);
        }
        self.subst.rename_value(old, new);
    }

    /// New names for the values and functors that a module shows.
    pub(super) fn declare(&mut self, m: &Module) {
        match m {
            Module::Struct(env) => {
                for entry in env.terms.values() {
                    match entry {
                        TermEntry::Val(v) => self.value(v.name),
                        TermEntry::Mod(m) => self.declare(&m.module),
                    }
                }
            }
            Module::Functor(f) => {
                if !self.renames.contains_key(&f.name) {
                    self.fresh(f.name);
                }
                if self.depth == Depth::Everything {
                    self.declare(&f.param);
                    self.declare(&f.result);
                }
            }
        }
    }

    /// The module with new names.
    pub(super) fn module(&mut self, m: &Module) -> Module {
        match m {
            Module::Struct(env) => Module::Struct(Arc::new(self.env(env))),
            Module::Functor(f) => Module::Functor(Arc::new(self.functor(f))),
        }
    }

    fn functor(&mut self, f: &FunctorSig) -> FunctorSig {
        let name = self.renamed(f.name);
        if self.depth == Depth::Surface {
            return FunctorSig {
                name,
                param_abs: f.param_abs.clone(),
                param_span: f.param_span,
                param: see_through(self.ctx, &self.subst, &f.param),
                result_abs: f.result_abs.clone(),
                result: see_through(self.ctx, &self.subst, &f.result),
                hidden: f.hidden.clone(),
                synonyms: synonyms_of(&self.subst, f),
            };
        }
        let param_abs = self.abstract_types(&f.param_abs, &[]);
        let param = self.module(&f.param);
        let result_abs = self.abstract_types(&f.result_abs, &[]);
        let result = self.module(&f.result);
        FunctorSig {
            name,
            param_abs,
            param_span: f.param_span,
            param,
            result_abs,
            result,
            hidden: f.hidden.clone(),
            synonyms: vec![],
        }
    }

    fn env(&mut self, env: &Env) -> Env {
        let mut out = rewrite_env(self.ctx, &self.subst, env);
        for entry in out.types.values_mut() {
            entry.name = self.renamed(entry.name);
        }
        for (sym, entry) in &env.terms {
            let new = match entry {
                TermEntry::Val(v) => {
                    let name = self.renamed(v.name);
                    match out.terms.get_mut(sym) {
                        Some(TermEntry::Val(w)) => w.name = name,
                        Some(TermEntry::Mod(_)) | None => {}
                    }
                    continue;
                }
                TermEntry::Mod(m) => ModEntry { module: self.module(&m.module), span: m.span },
            };
            out.terms.insert(*sym, TermEntry::Mod(new));
        }
        out
    }

    fn renamed(&self, n: Name) -> Name {
        self.renames.get(&n).copied().unwrap_or(n)
    }

    fn fresh(&mut self, old: Name) -> Name {
        let span = self.span(old);
        let new = self.ctx.bind(self.ctx.names.base(old), span);
        self.pair(old, new);
        new
    }

    fn pair(&mut self, old: Name, new: Name) {
        self.renames.insert(old, new);
        self.pairs.push((new, old));
    }

    fn span(&self, n: Name) -> Span {
        self.ctx.def_spans.get(&n).copied().unwrap_or(Span::NONE)
    }
}

/// A copy of a module type in which everything has a new name. `prefix` is the
/// path of the module that it will describe.
pub(super) fn refresh(ctx: &mut Context, sig: &ModuleType, prefix: &[Symbol]) -> ModuleType {
    let mut copier = Copier::new(ctx, Depth::Everything, Subst::default());
    let abs = copier.abstract_types(&sig.abs, prefix);
    copier.declare(&sig.module);
    ModuleType { abs, module: copier.module(&sig.module) }
}

/// The module under the same names, with types substituted.
pub(super) fn see_through(ctx: &mut Context, subst: &Subst, m: &Module) -> Module {
    if subst.is_empty() {
        return m.clone();
    }
    match m {
        Module::Struct(env) => {
            let mut out = rewrite_env(ctx, subst, env);
            for entry in out.terms.values_mut() {
                if let TermEntry::Mod(m) = entry {
                    m.module = see_through(ctx, subst, &m.module);
                }
            }
            Module::Struct(Arc::new(out))
        }
        Module::Functor(f) => Module::Functor(Arc::new(FunctorSig {
            name: f.name,
            param_abs: f.param_abs.clone(),
            param_span: f.param_span,
            param: see_through(ctx, subst, &f.param),
            result_abs: f.result_abs.clone(),
            result: see_through(ctx, subst, &f.result),
            hidden: f.hidden.clone(),
            synonyms: synonyms_of(subst, f),
        })),
    }
}

fn synonyms_of(subst: &Subst, f: &FunctorSig) -> Vec<(Name, Name)> {
    f.synonyms.iter().map(|(n, of)| (*n, subst.value(*of))).collect()
}

/// Substitutes in the values and types of an environment; modules in it are left as they are.
fn rewrite_env(ctx: &mut Context, subst: &Subst, env: &Env) -> Env {
    let mut out = env.clone();
    for entry in out.terms.values_mut() {
        if let TermEntry::Val(v) = entry {
            v.scheme = Arc::new(subst.scheme(&mut ctx.names, &v.scheme));
        }
    }
    for entry in out.types.values_mut() {
        entry.def = Arc::new(subst.type_def(&mut ctx.names, &entry.def));
    }
    for entry in out.mod_types.values_mut() {
        let module = see_through(ctx, subst, &entry.sig.module);
        entry.sig = Arc::new(ModuleType { abs: entry.sig.abs.clone(), module });
    }
    out
}

/// The name of an abstract type as messages show it: `m.t`.
pub(super) fn qualified(prefix: &[Symbol], path: &[Symbol]) -> Symbol {
    let parts: Vec<&str> = prefix.iter().chain(path).map(|s| s.as_str()).collect();
    Symbol::new(&parts.join("."))
}
