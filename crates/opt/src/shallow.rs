//! Substitution that stops at bodies: a walk that visits bodies one after
//! another applies it to each statement when its turn comes, and the whole walk
//! stays linear.

use fehu_base::Name;
use fehu_ir::visit::{change, Mutator};
use fehu_ir::{Body, Rep, Stm, SubExp};
use rustc_hash::FxHashMap;

/// What stands for names that are gone.
pub(crate) type Replaced = FxHashMap<Name, SubExp>;

/// Applies a substitution to a statement but for its bodies.
pub(crate) fn substitute<R: Rep>(replaced: &Replaced, stm: &mut Stm<R>) {
    if !replaced.is_empty() {
        Apply { replaced, bodies: Bodies::Skip }.stm(stm);
    }
}

/// Applies a substitution to a statement whose bodies will not be visited.
pub(crate) fn substitute_deep<R: Rep>(replaced: &Replaced, stm: &mut Stm<R>) {
    if !replaced.is_empty() {
        Apply { replaced, bodies: Bodies::Visit }.stm(stm);
    }
}

/// Applies a substitution of names to a statement but for its bodies, and gives those that were found.
pub(crate) fn substitute_names<R: Rep>(replaced: &FxHashMap<Name, Name>, stm: &mut Stm<R>) -> Vec<Name> {
    struct Rename<'a> {
        replaced: &'a FxHashMap<Name, Name>,
        found: Vec<Name>,
    }
    impl<R: Rep> Mutator<R> for Rename<'_> {
        fn name(&mut self, n: &mut Name) {
            if let Some(by) = self.replaced.get(n) {
                self.found.push(*n);
                *n = *by;
            }
        }
        fn body(&mut self, _: &mut Body<R>) {}
    }
    let mut rename = Rename { replaced, found: vec![] };
    rename.stm(stm);
    rename.found
}

/// What stands for an operand.
pub(crate) fn operand(replaced: &Replaced, e: SubExp) -> SubExp {
    e.name().and_then(|n| replaced.get(&n)).copied().unwrap_or(e)
}

#[derive(PartialEq, Eq)]
enum Bodies {
    Skip,
    Visit,
}

struct Apply<'a> {
    replaced: &'a Replaced,
    bodies: Bodies,
}

impl<R: Rep> Mutator<R> for Apply<'_> {
    fn operand(&mut self, e: &mut SubExp) {
        *e = operand(self.replaced, *e);
    }

    fn name(&mut self, n: &mut Name) {
        if let Some(SubExp::Var(by)) = self.replaced.get(n) {
            *n = *by;
        }
    }

    fn certs(&mut self, certs: &mut Vec<Name>) {
        certs.retain_mut(|n| match self.replaced.get(n) {
            None => true,
            Some(SubExp::Var(by)) => {
                *n = *by;
                true
            }
            Some(SubExp::Const(_)) => false,
        });
    }

    fn body(&mut self, b: &mut Body<R>) {
        if self.bodies == Bodies::Visit {
            change::body(self, b);
        }
    }
}
