//! Places in a text that has changed elsewhere.
//!
//! Declarations that were not edited may stand at another place. What was kept of them has places in it:
//! those of diagnostics and of bindings. [`Moves`] says where each of these declarations was and where it is;
//! places in other declarations or files stay.

use super::record::Record;
use crate::context::Context;
use crate::scope::{Binding, Env, FunctorSig, ModEntry, ModTypeEntry, Module, ModuleType, TermEntry};
use fehu_base::Span;
use std::sync::Arc;

/// Where declarations were, in order, and by how many bytes each has moved.
pub(super) struct Moves {
    moves: Vec<(Span, i64)>,
}

impl Moves {
    /// From where each declaration was and where it is.
    pub(super) fn new(places: impl Iterator<Item = (Span, Span)>) -> Moves {
        let moves: Vec<_> = places.map(|(old, new)| (old, i64::from(new.lo) - i64::from(old.lo))).collect();
        match moves.iter().all(|(_, by)| *by == 0) {
            true => Moves { moves: vec![] },
            false => Moves { moves },
        }
    }

    fn span(&self, span: Span) -> Span {
        let next = self.moves.partition_point(|(old, _)| old.lo <= span.lo);
        match next.checked_sub(1).and_then(|i| self.moves.get(i)) {
            Some((old, by)) if old.file == span.file && span.hi <= old.hi => {
                let moved = |p: u32| u32::try_from(i64::from(p) + by).unwrap_or(p);
                Span { lo: moved(span.lo), hi: moved(span.hi), ..span }
            }
            _ => span,
        }
    }

    pub(super) fn context(&self, ctx: &mut Context) {
        if !self.moves.is_empty() {
            ctx.def_spans.values_mut().for_each(|s| *s = self.span(*s));
        }
    }

    /// A declaration that stands here now.
    pub(super) fn record(&self, record: &Arc<Record>, span: Span) -> Arc<Record> {
        if self.moves.is_empty() {
            return record.clone();
        }
        let diagnostics = record.diagnostics.iter().map(|d| d.clone().moved(|s| self.span(s))).collect();
        let bound = record.bound.iter().map(|b| self.binding(b)).collect();
        Arc::new(Record { span, broken: record.broken, bound, diagnostics, stale: record.stale })
    }

    pub(super) fn binding(&self, binding: &Binding) -> Binding {
        if self.moves.is_empty() {
            return binding.clone();
        }
        match binding {
            Binding::Term(sym, entry) => Binding::Term(*sym, self.term(entry)),
            Binding::Type(sym, entry) => {
                let span = self.span(entry.span);
                Binding::Type(*sym, crate::scope::TypeEntry { span, ..entry.clone() })
            }
            Binding::ModType(sym, entry) => Binding::ModType(*sym, self.mod_type(entry)),
        }
    }

    fn term(&self, entry: &TermEntry) -> TermEntry {
        match entry {
            TermEntry::Val(v) => {
                TermEntry::Val(crate::scope::ValEntry { span: self.span(v.span), ..v.clone() })
            }
            TermEntry::Mod(m) => {
                TermEntry::Mod(ModEntry { module: self.module(&m.module), span: self.span(m.span) })
            }
        }
    }

    fn mod_type(&self, entry: &ModTypeEntry) -> ModTypeEntry {
        let ModuleType { abs, module } = &*entry.sig;
        let sig = ModuleType { abs: abs.clone(), module: self.module(module) };
        ModTypeEntry { sig: Arc::new(sig), span: self.span(entry.span) }
    }

    fn module(&self, module: &Module) -> Module {
        match module {
            Module::Struct(env) => Module::Struct(Arc::new(self.env(env))),
            Module::Functor(f) => Module::Functor(Arc::new(FunctorSig {
                param_span: self.span(f.param_span),
                param: self.module(&f.param),
                result: self.module(&f.result),
                ..(**f).clone()
            })),
        }
    }

    fn env(&self, env: &Env) -> Env {
        let mut env = env.clone();
        env.terms.values_mut().for_each(|e| *e = self.term(e));
        env.types.values_mut().for_each(|e| e.span = self.span(e.span));
        env.mod_types.values_mut().for_each(|e| *e = self.mod_type(e));
        env
    }
}
