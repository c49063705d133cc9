//! Checking a program again of which only a part has changed.
//!
//! Declarations are checked one after another, so all that is known before one of them depends on those
//! before it only. [`Memory`] keeps what was known at a few places of the last program; the next one, if it
//! begins in the same way, is checked from the last such place:
//!
//! ```text
//! prelude | a.fut | def f  def g  def h        saved before the prelude's end, before a file, and before the
//!         ^       ^        ^ edited here       declaration that was edited last
//! ```
//!
//! So this costs as much as what follows the edited place. Trees are compared with their places: a
//! declaration that moved has changed. It gives the typed tree, which editors need when the user rests; what
//! to say about an edit at once, `kept` finds out with less work.

use super::defined::Defined;
use super::record::{Kept, Record};
use super::unit::SourceUnit;
use crate::context::Context;
use crate::scope::{Env, Mark, Scope};
use crate::tast;
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
    /// What is known of its declarations, or of those of a text that came later.
    kept: Option<Kept>,
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
    /// What is known of the declarations of the last unit.
    pub(super) records: Vec<Arc<Record>>,
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

    /// The state from which these units can be checked, and the places that are worth saving on the way.
    /// Where the prelude was taken from the memory, it is known to be the same.
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
        kept: Option<Kept>,
    ) {
        (self.units, self.prelude, self.kept) = (units, prelude, kept);
        self.save(new);
    }

    /// What is known of the declarations of the main file, if the other units are as before. The prelude was
    /// taken from here.
    pub(super) fn take_kept(&mut self, units: &[SourceUnit], prelude: usize) -> Option<Kept> {
        let alike = self.units.len() + prelude == units.len() && self.prelude == prelude;
        let (main, old_main) = (units.last()?, self.units.last()?);
        let count = units.len() - prelude - 1;
        let others = alike
            && main.file == old_main.file
            && main.imports == old_main.imports
            && difference(&self.units[..count], &units[prelude..][..count], prelude).0 == prelude + count;
        self.kept.take().filter(|_| others)
    }

    /// Keeps what is known for the next time.
    pub(super) fn keep(&mut self, kept: Kept) {
        self.kept = Some(kept);
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
