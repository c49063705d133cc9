//! G8: a map of branches becomes a branch of maps.
//!
//! In the paper: `Σ ⊢ if c then e1 else e2 ⇒ if c then e1' else e2'` if `c` is the
//! same at all points of `Σ`. Each branch is tried in all versions of its own (the paper
//! takes the innermost map out of the context for it).

use super::g6_distribute::Lifted;
use super::nest::{Nest, Owner};
use super::parallel::exploitable;
use super::steer::Steer;
use super::Flat;
use fehu_base::Name;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Body, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

impl Flat<'_> {
    pub(super) fn map_branch(
        &mut self,
        nest: &mut Nest,
        stm: &Stm<Soacs>,
        cond: SubExp,
        yes: &Body<Soacs>,
        no: &Body<Soacs>,
        later: &FxHashSet<Name>,
    ) -> Option<Lifted> {
        let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
        let own: FxHashSet<Name> = stm.pat.iter().map(|p| p.name).collect();
        let fits = |t: &Type| {
            !matches!(t, Type::Acc(..))
                && *t != Type::UNIT
                && t.shape().iter().all(|e| e.name().is_none_or(|n| !own.contains(&n)))
        };
        let parallel = exploitable(yes) || exploitable(no);
        if !nest.invariant(cond) || !types.iter().all(fits) || !parallel {
            return None;
        }
        let needed = Flat::needed(nest, stm);
        self.materialise(nest, &needed);
        // A branch may consume any of the nest's arrays.
        let consumed: Vec<Name> = needed.into_iter().filter(|n| !later.contains(n)).collect();
        self.protect(nest, &consumed, later);
        let steer = Steer::of(&stm.attrs);
        let [yes, no] = [yes, no].map(|branch| {
            let (inner, branch) = (nest.clone(), branch.clone());
            self.nested(|f| f.versions(inner, branch, &types, steer))
        });
        let results = types.iter().map(|t| array_of_rows(t, &nest.widths)).collect();
        let results = self.choose(cond, yes, no, results);
        Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
    }
}
