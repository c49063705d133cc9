//! What is known of the statements of a body while it is worked on.

use crate::tables::mentions;
use fehu_base::Name;
use fehu_ir::{Body, Memory};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// See the module's text.
pub(crate) struct Around {
    pub(crate) mentions: Vec<FxHashSet<Name>>,
    /// The last statement that mentions a name.
    last: FxHashMap<Name, usize>,
    /// Which statement binds a name, for names that a statement of this body binds.
    pub(crate) bound_at: FxHashMap<Name, usize>,
}

impl Around {
    pub(crate) fn of(body: &Body<Memory>) -> Around {
        let mentions = body.stms.iter().map(mentions).collect();
        let mut around = Around { mentions, last: FxHashMap::default(), bound_at: FxHashMap::default() };
        around.enter(body, 0..body.stms.len());
        around
    }

    /// Takes note of statements in this range, which were nowhere else before.
    fn enter(&mut self, body: &Body<Memory>, range: Range<usize>) {
        for i in range.clone() {
            self.bound_at.extend(body.stms[i].pat.iter().map(|p| (p.name, i)));
            for n in &self.mentions[i] {
                let last = self.last.entry(*n).or_insert(i);
                if *last < range.end {
                    *last = i;
                }
            }
        }
    }

    /// Takes note of what a statement has become.
    pub(crate) fn changed(&mut self, body: &Body<Memory>, i: usize) {
        self.mentions[i] = mentions(&body.stms[i]);
        self.enter(body, i..i + 1);
    }

    /// The last statement that mentions a name.
    pub(crate) fn last(&self, name: Name) -> Option<usize> {
        self.last.get(&name).copied()
    }

    /// Moves statements, given in order, to before another that is before them.
    pub(crate) fn lift(&mut self, body: &mut Body<Memory>, which: &[usize], before: usize) {
        for (k, i) in which.iter().enumerate() {
            body.stms[before + k..=*i].rotate_right(1);
            self.mentions[before + k..=*i].rotate_right(1);
        }
        self.enter(body, before..which.last().map_or(before, |i| i + 1));
    }
}
