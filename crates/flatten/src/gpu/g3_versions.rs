//! G2 and G3: a map becomes one kernel, or several versions of it.
//!
//! G2 in the paper: if `e` has no combinators inside, `Σ ⊢ map (λx → e) xs ⇒
//! segmap Σ' e` with `Σ' = Σ, ⟨x ∈ xs⟩`.
//!
//! G3: if it has, then
//!
//! ```text
//! if Par(Σ') ≥ t_outer then segmap Σ' e                  -- e sequential
//! else if Par(middle) ≥ t_intra then middle              -- segmap Σ' (e in a thread block)
//! else e under Σ'                                        -- flattened further
//! ```
//!
//! A body that only moves elements is flattened further: threads have nothing to do but to move one each
//! (G5). A body that is nothing but a map needs no versions of its own: the map inside has them. Neither does
//! one that is a plain segmented reduction or scan. A version that is no different from another is left out,
//! and an intra-block version is chosen only if it fits the device: its widest reduction or scan in a block's
//! threads, and its arrays in shared memory; and by default only if its threads do not wait for single ones
//! (`block_steps`), and blocks do not read again and again what they could share (`shared_rows`). Of maps
//! over rows, by default the version is chosen that moves the fewest bytes (`traffic`); of others, the
//! sequential one unless it is known to move more (`repeated_rows`, `shared_rows`) or to leave the device
//! idle (`all_pairs`). A sequential version of so few points that it is never chosen by default is left out
//! (`never_enough`). Where attributes ask for it alone (`only_intra`), there is no other, and a check of
//! the host fails if it does not fit.

use super::all_pairs::AllPairs;
use super::block::{self, widest, Weighed};
use super::g1_manifest::Point;
use super::guard::{never_enough, Version};
use super::invariant;
use super::join;
use super::lift;
use super::nest::{Lifted, Nest, Owner};
use super::parallel::{
    exploitable, flatten_moderately, operations, perfect, rearranging, segmented, widths_inside,
};
use super::ran::Ran;
use super::repeated_rows;
use super::shared_rows::SharedRows;
use super::state::{Flat, Machine};
use super::steer::Steer;
use super::traffic::Traffic;
use fehu_base::tuning::flattening;
use fehu_base::Symbol;
use fehu_ir::soac::Screma;
use fehu_ir::types::array_of_rows;
use fehu_ir::{Body, Kernels, Soacs, Stm, SubExp, Type};

/// The versions that use the parallelism inside of a body.
struct Inner {
    /// The choice between them.
    choice: Body<Kernels>,
    /// The checks that each of them makes.
    checked: Ran,
    /// Whether one of them is flattened further.
    is_flattened_further: bool,
}

impl Flat {
    /// A map under a nest.
    pub(super) fn map(&mut self, nest: &mut Nest, stm: &Stm<Soacs>, s: &Screma<Soacs>) -> Option<Lifted> {
        if s.map.ret.iter().any(|t| !nest.regular(t)) {
            return None;
        }
        let needed = nest.needed(stm);
        lift::materialise(self, nest, &needed);
        let mut inner = nest.clone();
        join::level(self, &mut inner, s.width, &s.map.params, &s.arrays);
        let results = self.versions(inner, s.map.body.clone(), &s.map.ret, Steer::of(&stm.attrs));
        Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
    }

    /// The arrays of the results of a body under a nest, computed by the best of several versions.
    pub(super) fn versions(
        &mut self,
        nest: Nest,
        body: Body<Soacs>,
        types: &[Type],
        steer: Steer,
    ) -> Vec<SubExp> {
        let body = invariant::without_invariants(self, &nest, body);
        if self.machine == Machine::Grid && !steer.no_inner && rearranging(&nest, &body, types) {
            return self.distribute(nest, body, types);
        }
        if !exploitable(&body) || (steer.no_inner && steer.no_intra) {
            return self.outer_version(&nest, body, types);
        }
        if !self.may_version() {
            return if flatten_moderately(&body) || (steer.no_outer && !steer.no_inner) {
                self.distribute(nest, body, types)
            } else {
                self.outer_version(&nest, body, types)
            };
        }
        if (perfect(&body) || segmented(&nest, &body)) && steer == Steer::default() {
            return self.distribute(nest, body, types);
        }
        let first = self.guards.count();
        let outer = !steer.no_outer && !never_enough(&nest.widths);
        let outer = outer.then(|| self.guards.name(Version::Outer));
        let inner = self.unless(outer, |f| f.inner_versions(&nest, &body, types, steer));
        let Some(Inner { choice, checked, is_flattened_further }) = inner else {
            self.guards.back_to(first);
            return self.outer_version(&nest, body, types);
        };
        match outer {
            None => {
                self.ran.extend(checked);
                self.inline_kernels(choice)
            }
            Some(name) => {
                let par = self.outer_par(&nest, &body, is_flattened_further);
                let inside = self.seq.b.product(&widths_inside(&nest, &body));
                let cond = self.enough(name, Version::Outer, par, Some(inside));
                let (yes, outside) = self.nested_checking(|f| f.outer_version(&nest, body, types));
                self.ran.extend(Ran::in_both(&outside, &checked));
                self.choose(cond, yes, choice, results_of(&nest, types))
            }
        }
    }

    /// What the guard of the version with a sequential body compares.
    fn outer_par(&mut self, nest: &Nest, body: &Body<Soacs>, is_flattened_further: bool) -> SubExp {
        if let Some(traffic) = Traffic::of(self, nest, body) {
            return traffic.outer_par(&mut self.seq.b);
        }
        if !is_flattened_further {
            return self.seq.b.product(&nest.widths);
        }
        if let Some(pairs) = AllPairs::of(nest, body) {
            return pairs.outer_par(&mut self.seq.b, nest);
        }
        let par = repeated_rows::outer_par(&mut self.seq.b, nest, body);
        match SharedRows::mapped(nest, body) {
            Some(rows) => rows.limit(&mut self.seq.b, nest, par, flattening::ENOUGH_PARALLELISM - 1),
            None => par,
        }
    }

    /// The choice between the versions that use the parallelism inside of a body; `None` if there is no such version.
    fn inner_versions(
        &mut self,
        nest: &Nest,
        body: &Body<Soacs>,
        types: &[Type],
        steer: Steer,
    ) -> Option<Inner> {
        let worth = !steer.no_intra && (operations(body) > 1 || steer.no_inner);
        let before = self.ran.so_far();
        let intra = if worth { block::intra_version(self, nest, body, types) } else { None };
        let in_blocks = self.ran.take_since(before);
        let intra = match intra {
            Some(version) if steer.no_outer && steer.no_inner => {
                let alone = self.nested(|f| {
                    let cert = block::must_fit(f, nest, &version);
                    f.inline_kernels(version.depending_on(cert))
                });
                return Some(Inner { choice: alone, checked: in_blocks, is_flattened_further: false });
            }
            Some(version) => Some((self.guards.name(Version::Intra), version)),
            None => None,
        };
        let between = self.guards.count();
        let mut flat = None;
        if !steer.no_inner {
            let (copy, under) = (body.clone(), nest.clone());
            let threshold = intra.as_ref().map(|(name, _)| *name);
            let outside = std::mem::replace(&mut self.loops_in_blocks, worth && intra.is_none());
            let version = self.unless(threshold, |f| f.nested_checking(|f| f.distribute(under, copy, types)));
            self.loops_in_blocks = outside;
            flat = (widest(&version.0) > nest.depth()).then_some(version);
        }
        if flat.is_none() {
            self.guards.back_to(between);
        }
        let is_flattened_further = flat.is_some();
        let (choice, checked) = match (flat, &intra) {
            (Some(flat), _) => flat,
            (None, Some(_)) => self.nested_checking(|f| f.outer_version(nest, body.clone(), types)),
            (None, None) => return None,
        };
        let Some((name, version)) = intra else {
            return Some(Inner { choice, checked, is_flattened_further });
        };
        let choice = self.nested(|f| {
            let traffic = if is_flattened_further { Traffic::of(f, nest, body) } else { None };
            let rows = if is_flattened_further { SharedRows::in_body(nest, body) } else { None };
            let weighed = Weighed { traffic: traffic.as_ref(), rows: rows.as_ref() };
            let cond = block::fits(f, nest, name, &version, is_flattened_further, weighed);
            f.choose(cond, version.body, choice, results_of(nest, types))
        });
        Some(Inner { choice, checked: Ran::in_both(&in_blocks, &checked), is_flattened_further })
    }

    /// Builds code for where there is too little parallelism for a threshold, if it is behind one.
    pub(super) fn unless<T>(&mut self, threshold: Option<Symbol>, f: impl FnOnce(&mut Self) -> T) -> T {
        match threshold {
            Some(name) => self.decided(name, false, f),
            None => f(self),
        }
    }

    /// The body is sequential.
    fn outer_version(&mut self, nest: &Nest, body: Body<Soacs>, types: &[Type]) -> Vec<SubExp> {
        let point = Point { nest, depth: nest.depth(), body, types: types.to_vec() };
        self.seg_map(point).into_iter().map(SubExp::Var).collect()
    }

    /// Puts the statements of a finished body into the current one.
    pub(super) fn inline_kernels(&mut self, body: Body<Kernels>) -> Vec<SubExp> {
        for stm in body.stms {
            self.seq.b.push(stm);
        }
        body.result
    }
}

/// The types of arrays of results over a nest.
fn results_of(nest: &Nest, types: &[Type]) -> Vec<Type> {
    types.iter().map(|t| array_of_rows(t, &nest.widths)).collect()
}
