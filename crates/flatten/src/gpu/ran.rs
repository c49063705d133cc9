//! Which checks kernels have run, and at how many points: what `checks` decides by.
//!
//! ```text
//! a check of a nest over n, run by a kernel over n by m points:   (check, [m])   -- never run where m = 0
//! ```

use fehu_base::Name;
use fehu_ir::{Body, Kernels, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks that kernels run, with the widths of the levels inside of those that the check is in.
#[derive(Default)]
pub(super) struct Ran(Vec<(Name, Vec<SubExp>)>);

/// How many checks ran before something.
#[derive(Clone, Copy)]
pub(super) struct Before(usize);

/// The checks bound in a body.
pub(super) struct Checks {
    pub(super) names: Vec<Name>,
    before: Before,
}

impl Checks {
    /// No checks yet, in a body before which these ran.
    pub(super) fn new(ran: &Ran) -> Checks {
        Checks { names: vec![], before: ran.so_far() }
    }
}

impl Ran {
    /// A kernel runs a check at all points of levels of these widths inside of the check's own.
    pub(super) fn add(&mut self, check: Name, deeper: Vec<SubExp>) {
        self.0.push((check, deeper));
    }

    /// All these run as well.
    pub(super) fn extend(&mut self, others: Ran) {
        self.0.extend(others.0);
    }

    /// The place to which [`Ran::take_since`] goes back.
    pub(super) fn so_far(&self) -> Before {
        Before(self.0.len())
    }

    /// Takes out those that were added since.
    pub(super) fn take_since(&mut self, before: Before) -> Ran {
        Ran(self.0.split_off(before.0))
    }

    /// Outside of a body, levels whose widths are computed in it mean nothing.
    pub(super) fn leave(&mut self, body: &Body<Kernels>) {
        let inside: FxHashSet<Name> = body.stms.iter().flat_map(|s| s.pat.iter().map(|p| p.name)).collect();
        self.0.retain(|(_, deeper)| deeper.iter().all(|w| w.name().is_none_or(|n| !inside.contains(&n))));
    }

    /// Whether a kernel runs a check at all points of its own levels.
    pub(super) fn everywhere(&self, check: Name) -> bool {
        self.covers(check, &[])
    }

    /// Whether a check was run, or had no points, wherever levels of these widths inside of its own have points.
    pub(super) fn covers(&self, check: Name, deeper: &[SubExp]) -> bool {
        let empty_too = |w: &SubExp| is_some(w) || deeper.contains(w);
        self.0.iter().rev().any(|(c, widths)| *c == check && widths.iter().all(empty_too))
    }

    /// Those of the checks that no kernel runs at all points, whatever the sizes are, with the widths of
    /// deeper levels at all points of which one does.
    pub(super) fn left(&self, checks: Checks) -> Vec<(Name, Option<Vec<SubExp>>)> {
        let mut ran: FxHashMap<Name, Vec<SubExp>> = FxHashMap::default();
        for (check, deeper) in &self.0[checks.before.0..] {
            let deeper: Vec<SubExp> = deeper.iter().copied().filter(|w| !is_some(w)).collect();
            let best = ran.entry(*check).or_insert_with(|| deeper.clone());
            if deeper.len() < best.len() {
                *best = deeper;
            }
        }
        let everywhere = |c: &Name| ran.get(c).is_some_and(Vec::is_empty);
        let names = checks.names.into_iter().filter(|c| !everywhere(c));
        names.map(|c| (c, ran.get(&c).cloned())).collect()
    }

    /// Those of the checks that no kernel runs at all points.
    pub(super) fn unchecked(&self, checks: Checks) -> Vec<Name> {
        self.left(checks).into_iter().map(|(c, _)| c).collect()
    }

    /// The checks that both of two ways to compute the same make.
    pub(super) fn in_both(yes: &Ran, no: &Ran) -> Ran {
        let mut both = Ran::default();
        for (check, deeper) in &yes.0 {
            // The widths of both, for it is not known here which of the two runs.
            if let Some((_, other)) = no.0.iter().filter(|(c, _)| c == check).min_by_key(|(_, d)| d.len()) {
                let widths = deeper.iter().chain(other.iter().filter(|w| !deeper.contains(w)));
                both.add(*check, widths.copied().collect());
            }
        }
        both
    }
}

/// Whether a width is known not to be zero.
fn is_some(width: &SubExp) -> bool {
    width.as_i64().is_some_and(|w| w > 0)
}
