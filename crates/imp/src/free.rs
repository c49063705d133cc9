//! The names that code uses without declaring them: what a kernel or a task needs from outside.

use crate::ops::Operation;
use crate::syntax::Code;
use crate::visit::Visitor;
use fehu_base::Name;
use indexmap::IndexSet;

/// The names that are free in code, in the order in which they appear.
pub fn free_names<O: Operation>(code: &Code<O>) -> IndexSet<Name> {
    let mut free = Free::default();
    free.code(code);
    free.used.retain(|n| !free.declared.contains(n));
    free.used
}

/// Names are unique, so that what is declared anywhere is not free.
#[derive(Default)]
struct Free {
    used: IndexSet<Name>,
    declared: IndexSet<Name>,
}

impl Visitor<'_> for Free {
    fn declared(&mut self, x: &Name) {
        self.declared.insert(*x);
    }
    fn assigned(&mut self, x: &Name) {
        self.used.insert(*x);
    }
    fn var(&mut self, x: &Name) {
        self.used.insert(*x);
    }
    fn block(&mut self, m: &Name) {
        self.used.insert(*m);
    }
}
