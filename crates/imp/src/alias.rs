//! Which blocks may be the same memory.
//!
//! Two variables may refer to one block only if a chain of assignments and
//! calls connects them: such variables are of one class. Beyond that, a block
//! that was just allocated and not yet shared is like no other, and variables of a class may be known to
//! refer to different blocks ([`different`]). Whoever asks goes through the statements in order, and keeps
//! track of both:
//!
//! ```text
//! for a loop or a branch:   saved = enter(code)   ..its bodies..   leave(code, saved)
//! for any other statement:  after(code)
//! ```
//!
//! Different inputs of a function are taken to be different memory wherever
//! one of them is written: the language forbids a consumed argument to overlap
//! with another.

mod different;

use crate::ops::Operation;
use crate::syntax::{Arg, Code, Space};
use crate::visit::{look_at_code, Visitor};
use different::{Different, Mark};
use fehu_base::Name;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of the blocks of a function.
#[derive(Clone, Default)]
pub struct Aliases {
    parent: FxHashMap<Name, Name>,
    /// Blocks that no other variable refers to at this point.
    fresh: FxHashSet<Name>,
    /// Every change of that set: the block, and whether it was in it before.
    journal: Vec<(Name, bool)>,
    /// Those among the fresh ones that some statement shares, and were allocated in the loop or branch
    /// around: those that were allocated before it and are still fresh are shared by none of its statements.
    to_share: Vec<Name>,
    different: Different,
}

/// What was known at some point.
#[derive(Debug)]
pub struct Saved {
    changes: usize,
    to_share: Vec<Name>,
    different: Mark,
}

impl Aliases {
    /// The classes of the blocks in some code.
    pub fn of<O: Operation>(code: &Code<O>) -> Aliases {
        let mut aliases = Aliases::default();
        for_each_sharing(code, &mut |names| {
            for pair in names.windows(2) {
                let (a, b) = (aliases.find(pair[0]), aliases.find(pair[1]));
                aliases.parent.insert(a, b);
                aliases.parent.entry(b).or_insert(b);
            }
        });
        let mut shared: Vec<Name> = aliases.parent.keys().copied().collect();
        shared.sort_unstable();
        let mut classes: IndexMap<Name, Vec<Name>> = IndexMap::new();
        for m in shared {
            classes.entry(aliases.find(m)).or_default().push(m);
        }
        if !classes.is_empty() {
            aliases.different = Different::new(classes.into_values(), code);
        }
        aliases
    }

    /// Whether two variables may refer to the same block.
    pub fn may_alias(&mut self, a: Name, b: Name) -> bool {
        !self.fresh.contains(&a)
            && !self.fresh.contains(&b)
            && self.find(a) == self.find(b)
            && !self.different.contains(a, b)
    }

    /// Goes past a statement that is no loop or branch.
    pub fn after<O: Operation>(&mut self, code: &Code<O>) {
        self.different.after(code);
        let allocated = if let Code::Op(op) = code { op.allocates() } else { None };
        match allocated {
            Some((mem, Space::Default)) => {
                self.set_fresh(mem, true);
                if self.parent.contains_key(&mem) {
                    self.to_share.push(mem);
                }
            }
            Some((_, Space::Shared | Space::Scalar(..))) | None => self.share(code),
        }
    }

    /// Enters a loop or a branch. Its bodies are gone through one after the other; where each is one of
    /// several, it is to be put between [`Aliases::start_body`] and [`Aliases::restore`], or else little is
    /// known in it.
    pub fn enter<O: Operation>(&mut self, code: &Code<O>) -> Saved {
        if !self.to_share.is_empty() {
            self.share(code);
        }
        let to_share = std::mem::take(&mut self.to_share);
        let saved = Saved { to_share, ..self.save() };
        self.different.enter(code);
        saved
    }

    /// Leaves what was entered.
    pub fn leave<O: Operation>(&mut self, code: &Code<O>, saved: Saved) {
        self.restore(saved);
        self.different.around(code);
    }

    /// Starts one of the bodies of what was entered.
    pub fn start_body(&mut self) -> Saved {
        let saved = self.save();
        self.different.in_order();
        saved
    }

    /// Forgets what became known in a body.
    pub fn restore(&mut self, saved: Saved) {
        self.different.go_back(&saved.different);
        for (mem, was) in self.journal.drain(saved.changes..).rev() {
            match was {
                true => self.fresh.insert(mem),
                false => self.fresh.remove(&mem),
            };
        }
        self.to_share = saved.to_share;
    }

    fn save(&self) -> Saved {
        let (changes, to_share) = (self.journal.len(), self.to_share.clone());
        Saved { changes, to_share, different: self.different.mark() }
    }

    /// What code shares anywhere is shared.
    fn share<O: Operation>(&mut self, code: &Code<O>) {
        if self.fresh.is_empty() {
            return;
        }
        let mut found = false;
        for_each_sharing(code, &mut |names| {
            for m in names.iter().filter(|m| self.fresh.contains(m)).copied().collect::<Vec<_>>() {
                self.set_fresh(m, false);
                found = true;
            }
        });
        if found {
            self.to_share.retain(|m| self.fresh.contains(m));
        }
    }

    fn set_fresh(&mut self, mem: Name, fresh: bool) {
        let was = match fresh {
            true => !self.fresh.insert(mem),
            false => self.fresh.remove(&mem),
        };
        self.journal.push((mem, was));
    }

    fn find(&mut self, mut m: Name) -> Name {
        while let Some(p) = self.parent.get(&m).copied() {
            if p == m {
                break;
            }
            if let Some(above) = self.parent.get(&p).copied() {
                self.parent.insert(m, above);
            }
            m = p;
        }
        m
    }
}

/// Calls a function on the variables that may refer to one block after a statement, for each such statement.
fn for_each_sharing<O: Operation>(code: &Code<O>, f: &mut impl FnMut(&[Name])) {
    struct Sharing<'f, F>(&'f mut F);
    impl<F: FnMut(&[Name])> Visitor<'_> for Sharing<'_, F> {
        fn code<O: Operation>(&mut self, code: &Code<O>) {
            if let Code::SetMem(a, b, _) = code {
                (self.0)(&[*a, *b]);
            } else if let Code::Call { outs, args, .. } = code {
                // A result may be an argument, and another result.
                let mems = args.iter().filter_map(|a| match a {
                    Arg::Scalar(_) => None,
                    Arg::Mem(m) => Some(*m),
                });
                (self.0)(&outs.iter().copied().chain(mems).collect::<Vec<_>>());
            }
            look_at_code(self, code);
        }

        fn expr(&mut self, _: &crate::syntax::Expr) {}
    }
    Sharing(f).code(code);
}
