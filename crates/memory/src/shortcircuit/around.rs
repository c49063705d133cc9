//! What is known of the statements of a body while it is worked on.

use crate::tables::mentions;
use fehu_base::Name;
use fehu_ir::visit::{for_each_body, for_each_stm};
use fehu_ir::{Body, Memory, Stm};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// See the module's text.
pub(crate) struct Around {
    pub(crate) mentions: Vec<FxHashSet<Name>>,
    /// How many statements a statement is, with those in its bodies: what it costs to look at it.
    sizes: Vec<usize>,
    /// The last statement that mentions a name.
    last: FxHashMap<Name, usize>,
    /// Which statement binds a name, for names that a statement of this body binds.
    pub(crate) bound_at: FxHashMap<Name, usize>,
}

impl Around {
    pub(crate) fn of(body: &Body<Memory>) -> Around {
        let mentions = body.stms.iter().map(mentions).collect();
        let sizes = body.stms.iter().map(size).collect();
        let mut around =
            Around { mentions, sizes, last: FxHashMap::default(), bound_at: FxHashMap::default() };
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
        self.sizes[i] = size(&body.stms[i]);
        self.enter(body, i..i + 1);
    }

    /// How many statements there are in a range, with those in their bodies.
    pub(crate) fn size(&self, range: Range<usize>) -> usize {
        self.sizes.get(range).map_or(0, |sizes| sizes.iter().sum())
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
            self.sizes[before + k..=*i].rotate_right(1);
        }
        self.enter(body, before..which.last().map_or(before, |i| i + 1));
    }
}

/// How many statements a statement is, with those in its bodies.
pub(crate) fn size(stm: &Stm<Memory>) -> usize {
    let mut all = 1;
    for_each_body(&stm.exp, &mut |body| for_each_stm(body, &mut |_| all += 1));
    all
}
