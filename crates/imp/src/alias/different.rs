//! Which variables refer to different blocks, though assignments connect them.
//!
//! A loop that computes an array anew from the old one has blocks that take turns. They are of one class, but
//! at the start of each iteration no two of them that matter are the same:
//!
//! ```text
//! p = mem xs          a = mem allocated_1     b = mem allocated_2
//! for i < n {
//!   ..                                          p and a differ, and a and b: at the start, and if so, at the end again
//!   t = mem a   p = mem a   a = mem b   b = mem t
//! }
//! ```
//!
//! What is known is a set of pairs of one class that surely differ at the current point. An allocation
//! differs from all others of its class, a copy from whatever the original differs from. At the start of a
//! loop those pairs remain that its body leaves different if they all were. Pairs of large classes are not
//! looked at, and the time for loops in loops is bounded by the size of the code.

use crate::ops::Operation;
use crate::syntax::{Code, Space};
use crate::visit::{look_at_code, Visitor};
use fehu_base::Name;
use fehu_ir::visit::deep;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most variables of a class whose pairs are looked at.
const MAX_MEMBERS: usize = 32;

/// How often each statement may be looked at, on average, to find out what loops change.
const LOOKS_PER_STATEMENT: usize = 20;

/// How often the body of a loop is gone through. Most need two: one in which pairs are lost, and one in which none is.
const MAX_ROUNDS: usize = 8;

/// Pairs of variables that refer to different blocks at the current point.
#[derive(Clone, Default)]
pub(super) struct Different {
    /// The other members of a variable's class, for classes that are not too large.
    members: FxHashMap<Name, Vec<Name>>,
    pairs: FxHashSet<(Name, Name)>,
    /// Every change of the set: the pair, and whether it was in it before.
    journal: Vec<((Name, Name), bool)>,
    /// Whether several pieces of code that do not follow each other are gone through as if they did: then,
    /// nothing may be learnt.
    only_forgets: bool,
    /// How many statements may still be looked at.
    looks: usize,
}

/// A point to go back to.
#[derive(Debug)]
pub(super) struct Mark {
    changes: usize,
    only_forgets: bool,
}

impl Different {
    /// Nothing is known yet of the variables of these classes.
    pub(super) fn new<O: Operation>(classes: impl Iterator<Item = Vec<Name>>, code: &Code<O>) -> Different {
        let mut members = FxHashMap::default();
        for class in classes.filter(|c| (3..=MAX_MEMBERS).contains(&c.len())) {
            for m in &class {
                members.insert(*m, class.iter().filter(|other| *other != m).copied().collect());
            }
        }
        let looks = LOOKS_PER_STATEMENT * changed(code).statements;
        Different { members, looks, ..Different::default() }
    }

    pub(super) fn contains(&self, a: Name, b: Name) -> bool {
        self.pairs.contains(&pair(a, b))
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { changes: self.journal.len(), only_forgets: self.only_forgets }
    }

    pub(super) fn go_back(&mut self, mark: &Mark) {
        for (pair, was) in self.journal.drain(mark.changes..).rev() {
            match was {
                true => self.pairs.insert(pair),
                false => self.pairs.remove(&pair),
            };
        }
        self.only_forgets = mark.only_forgets;
    }

    /// From here to the next mark that is gone back to, statements follow each other.
    pub(super) fn in_order(&mut self) {
        self.only_forgets = false;
    }

    /// Goes past a statement that is no loop or branch.
    pub(super) fn after<O: Operation>(&mut self, code: &Code<O>) {
        if let Code::SetMem(to, from, _) = code {
            if to != from {
                for other in self.others(*to) {
                    self.set(*to, other, other != *from && self.contains(*from, other));
                }
            }
        } else if let Code::Call { outs, .. } = code {
            outs.iter().for_each(|out| self.forget(*out));
        } else if let Code::Op(op) = code {
            if let Some((mem, Space::Default)) = op.allocates() {
                for other in self.others(mem) {
                    self.set(mem, other, true);
                }
            }
        }
    }

    /// Enters a loop, or code whose parts are not in order: branches are alternatives, and tasks run at the same time.
    pub(super) fn enter<O: Operation>(&mut self, code: &Code<O>) {
        self.around(code);
        self.only_forgets |= body_of_loop(code).is_none();
    }

    /// What is known before a loop or a branch becomes what is known in all of it, and after it.
    pub(super) fn around<O: Operation>(&mut self, code: &Code<O>) {
        if self.pairs.is_empty() {
            return;
        }
        let changed = self.changed_in(code);
        match body_of_loop(code) {
            Some(body) if !changed.is_empty() => self.keep_what_lasts(&changed, body),
            Some(_) | None => changed.into_iter().for_each(|m| self.forget(m)),
        }
    }

    /// Leaves those pairs that hold after the body of a loop if they all hold before it.
    fn keep_what_lasts<O: Operation>(&mut self, changed: &[Name], body: &Code<O>) {
        let all = |different: &Different| -> FxHashSet<(Name, Name)> {
            let pairs = changed.iter().flat_map(|m| different.others(*m).into_iter().map(|o| pair(*m, o)));
            pairs.filter(|p| different.pairs.contains(p)).collect()
        };
        let mut before = all(self);
        for _ in 0..MAX_ROUNDS {
            let start = self.mark();
            self.in_order();
            self.through(body);
            let after = all(self);
            self.go_back(&start);
            let lost: Vec<(Name, Name)> = before.difference(&after).copied().collect();
            if lost.is_empty() {
                return;
            }
            for (a, b) in lost {
                before.remove(&(a, b));
                self.set(a, b, false);
            }
        }
        changed.iter().for_each(|m| self.forget(*m));
    }

    /// Goes past code of any kind.
    fn through<O: Operation>(&mut self, code: &Code<O>) {
        if let Code::Seq(codes) = code {
            return deep(|| codes.iter().for_each(|c| self.through(c)));
        }
        if code.is_nested() {
            self.changed_in(code).into_iter().for_each(|m| self.forget(m));
        } else {
            self.look(1);
            self.after(code);
        }
    }

    /// The variables that code gives other blocks.
    fn changed_in<O: Operation>(&mut self, code: &Code<O>) -> Vec<Name> {
        let changed = changed(code);
        self.look(changed.statements);
        changed.found
    }

    fn look(&mut self, statements: usize) {
        self.looks = self.looks.saturating_sub(statements);
        if self.looks == 0 {
            self.give_up();
        }
    }

    /// Nothing is known from here on, also after going back.
    fn give_up(&mut self) {
        self.members.clear();
        self.pairs.clear();
        self.journal.iter_mut().for_each(|(_, was)| *was = false);
    }

    fn others(&self, m: Name) -> Vec<Name> {
        self.members.get(&m).cloned().unwrap_or_default()
    }

    fn forget(&mut self, m: Name) {
        for other in self.others(m) {
            self.set(m, other, false);
        }
    }

    fn set(&mut self, a: Name, b: Name, differ: bool) {
        let (pair, differ) = (pair(a, b), differ && !self.only_forgets);
        let was = match differ {
            true => !self.pairs.insert(pair),
            false => self.pairs.remove(&pair),
        };
        if was != differ {
            self.journal.push((pair, was));
        }
    }
}

fn body_of_loop<O>(code: &Code<O>) -> Option<&Code<O>> {
    if let Code::For { body, .. } | Code::While(_, body) = code {
        Some(body)
    } else {
        None
    }
}

fn pair(a: Name, b: Name) -> (Name, Name) {
    (a.min(b), a.max(b))
}

fn changed<O: Operation>(code: &Code<O>) -> Changed {
    let mut changed = Changed { found: vec![], statements: 0 };
    changed.code(code);
    changed
}

/// The variables that code gives other blocks, and how many statements there are in it.
struct Changed {
    found: Vec<Name>,
    statements: usize,
}

impl Visitor<'_> for Changed {
    fn code<O: Operation>(&mut self, code: &Code<O>) {
        self.statements += 1;
        if let Code::SetMem(to, ..) = code {
            self.found.push(*to);
        } else if let Code::Call { outs, .. } = code {
            self.found.extend(outs);
        } else if let Code::Op(op) = code {
            self.found.extend(op.allocates().map(|(mem, _)| mem));
        }
        look_at_code(self, code);
    }

    fn expr(&mut self, _: &crate::syntax::Expr) {}
}
