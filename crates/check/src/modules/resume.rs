//! Checking a program again of which only a part has changed.
//!
//! Declarations are checked one after another, so all that is known before one of them depends on those before it only. [`Memory`] keeps what was
//! known at a few places of the last program; the next one, if it begins in the same way, is checked from the last such place:
//!
//! ```text
//! prelude | a.fut | def f  def g  def h        saved before the prelude's end, before a file, and before the
//!         ^       ^        ^ edited here       declaration that was edited last
//! ```
//!
//! So typing in one place costs as much as what follows it. Trees are compared with their places: a declaration that moved has changed.
//!
//! If only one value of the main file has changed, and its type is the same as before (`same`), then all that follows is as it was but for its
//! place. [`Memory::one`] and [`Memory::merged`] are for that: what is said about the value itself is new, and what is said about others is moved.

use super::decs::Defined;
use super::same::same_scheme;
use super::SourceUnit;
use crate::context::Context;
use crate::scope::{Env, Mark, Scope, TermEntry};
use crate::tast;
use fehu_base::{Diagnostic, Span};
use fehu_syntax::ast::Dec;
use std::sync::Arc;

/// How many states are kept: each holds tables of all names so far.
const MAX_SAVED: usize = 4;

/// What is remembered of the last program.
#[derive(Debug, Default)]
pub struct Memory {
    units: Vec<SourceUnit>,
    prelude: usize,
    saved: Vec<Saved>,
    /// The text of its main file, if it was given.
    text: String,
    /// What its main file declares, unless the check was given up.
    env: Option<Env>,
    /// What was said about it.
    diagnostics: Vec<Diagnostic>,
}

/// The only declaration in which a program differs from the last one.
pub(super) struct One {
    pub(super) at: Position,
    /// The state to start from, and what to save on the way.
    pub(super) from: Saved,
    pub(super) wanted: Vec<Position>,
    name: fehu_base::Symbol,
    /// Where it stood, and where it stands.
    old: Span,
    new: Span,
}

/// How far the check has come: before this declaration of this unit.
pub(super) type Position = (usize, usize);

/// How far the check of the units has come, and what it has made.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub(super) at: Position,
    /// What the unit declares so far.
    pub(super) env: Env,
    pub(super) defined: Defined,
    /// Where the unit's scope began.
    pub(super) mark: Option<Mark>,
    pub(super) intrinsics: Env,
    pub(super) out: Vec<tast::Dec>,
}

/// All that the check knew at a place.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    pub(super) progress: Progress,
    pub(super) ctx: Context,
    pub(super) scope: Scope,
    pub(super) envs: Vec<Arc<Env>>,
}

impl Memory {
    /// The units of the prelude of the last program, all of it, to be given to the next one.
    pub fn take_prelude(&mut self) -> Option<Vec<SourceUnit>> {
        let saved = self.saved.iter().any(|s| s.progress.at == (self.prelude, 0));
        let whole = saved && self.prelude > 0 && self.units.len() >= self.prelude;
        whole.then(|| self.units.drain(..self.prelude).collect())
    }

    /// Gives the prelude back if there is no next program after all.
    pub fn return_prelude(&mut self, units: Vec<SourceUnit>) {
        self.units.splice(..0, units);
    }

    /// The state from which these units can be checked, and the places that are worth saving on the way. Where the prelude was taken
    /// from the memory, it is known to be the same.
    pub(super) fn resume(&mut self, units: &[SourceUnit], prelude: usize) -> (Option<Saved>, Vec<Position>) {
        // Which file is the main one decides about entry points, so nothing is kept if there are more or fewer.
        let first = match self.units.len() + prelude == units.len() && self.prelude == prelude {
            true => difference(&self.units, &units[prelude..], prelude),
            false => (prelude, 0),
        };
        self.saved.retain(|s| s.progress.at <= first);
        let last = units.len().saturating_sub(1);
        let mut wanted = vec![(prelude, 0), (last, 0), (first.0, 0), first];
        wanted.retain(|p| self.saved.iter().all(|s| s.progress.at != *p));
        (self.saved.iter().max_by_key(|s| s.progress.at).cloned(), wanted)
    }

    /// Remembers the units of a program that has been checked, and the states that were saved.
    pub(super) fn remember(
        &mut self,
        units: Vec<SourceUnit>,
        prelude: usize,
        new: Vec<Saved>,
        env: Option<Env>,
        diagnostics: Vec<Diagnostic>,
    ) {
        (self.units, self.prelude) = (units, prelude);
        (self.env, self.diagnostics) = (env, diagnostics);
        self.text.clear();
        self.save(new);
    }

    /// The text of the main file of the program that was checked last, by which the next one is compared.
    pub fn set_text(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    /// The value of the main file in which alone these units differ from the last ones, of which the prelude was taken.
    pub(super) fn one(&self, units: &[SourceUnit], prelude: usize, text: &str) -> Option<One> {
        self.env.as_ref()?;
        if self.units.len() + prelude != units.len() || self.prelude != prelude {
            return None;
        }
        let at = difference(&self.units, &units[prelude..], prelude);
        let (main, old_main) = (units.last()?, self.units.last()?);
        let whole = main.broken.is_empty() && old_main.broken.is_empty();
        if at.0 + 1 != units.len() || !whole || main.prog.decs.len() != old_main.prog.decs.len() {
            return None;
        }
        let (Dec::Val(a), Dec::Val(b)) = (old_main.prog.decs.get(at.1)?, main.prog.decs.get(at.1)?) else {
            return None;
        };
        let (old, new) = (a.span, b.span);
        let (before, after) = (self.text.as_str(), text);
        let around = old.lo == new.lo
            && before.get(..old.lo as usize)? == after.get(..new.lo as usize)?
            && before.get(old.hi as usize..)? == after.get(new.hi as usize..)?;
        if !around || a.name.name != b.name.name || a.doc != b.doc {
            return None;
        }
        let from = self.saved.iter().filter(|s| s.progress.at <= at).max_by_key(|s| s.progress.at)?.clone();
        let wanted = if from.progress.at == at { vec![] } else { vec![at] };
        Some(One { at, from, wanted, name: b.name.name, old, new })
    }

    /// What is to be said about a program that differs in one value only, if others see the same of it as before. `env` is what the main file
    /// declares up to there, and `found` what was said.
    pub(super) fn merged(&self, one: &One, env: &Env, mut found: Vec<Diagnostic>) -> Option<Vec<Diagnostic>> {
        let before = self.saved.iter().find(|s| s.progress.at == one.at)?;
        let scheme = |env: &Env| match env.terms.get(&one.name)? {
            TermEntry::Val(v) => Some(v.scheme.clone()),
            TermEntry::Mod(_) => None,
        };
        if !same_scheme(&*scheme(self.env.as_ref()?)?, &*scheme(env)?, before.ctx.names.len()) {
            return None;
        }
        let moved = |s: Span| match s.file == one.old.file && s.lo >= one.old.hi {
            true => {
                let by = |p: u32| p - one.old.hi + one.new.hi;
                Span { lo: by(s.lo), hi: by(s.hi), ..s }
            }
            false => s,
        };
        let later = |d: &&Diagnostic| d.span.file == one.old.file && d.span.lo >= one.old.hi;
        found.extend(self.diagnostics.iter().filter(later).map(|d| d.clone().moved(moved)));
        Some(found)
    }

    /// Keeps states, but not too many.
    pub(super) fn save(&mut self, new: Vec<Saved>) {
        self.saved.extend(new);
        self.saved.sort_by_key(|s| s.progress.at);
        // The first is the prelude's; of the others, the last are nearest to where the user types.
        while self.saved.len() > MAX_SAVED {
            self.saved.remove(1);
        }
    }
}

/// The first declaration in which two programs differ; both are without their prelude, of so many units.
fn difference(old: &[SourceUnit], new: &[SourceUnit], prelude: usize) -> Position {
    for (i, (a, b)) in old.iter().zip(new).enumerate() {
        if a.file != b.file || a.imports != b.imports {
            return (prelude + i, 0);
        }
        let decs = a.prog.decs.iter().zip(&b.prog.decs);
        let same = |x: &Dec, y: &Dec| x == y && a.is_broken(x.span()) == b.is_broken(y.span());
        let same = decs.take_while(|(x, y)| same(x, y)).count();
        if same < a.prog.decs.len().max(b.prog.decs.len()) {
            return (prelude + i, same);
        }
    }
    (prelude + old.len().min(new.len()), 0)
}
