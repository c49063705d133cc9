//! Which kernel makes the checks of a nest, and which arrays share memory.
//!
//! A check that means the same at all points is made on the host, once (`invariant`). Another is part of each kernel that
//! needs what depends on it. But a kernel over deeper levels may have no points where the nest has some, and nobody may need
//! a check's dependents at all. So every check is seen to where the body ends in which it is bound:
//!
//! - a kernel that has run it at all points of the nest, or at all points of deeper levels that have a constant size, is enough;
//! - otherwise the kernel that computes the results of the body runs it, if there is one;
//! - otherwise a kernel that does nothing else; but if another one ran it over deeper levels, only if these are empty.

use super::g1_manifest::Point;
use super::nest::{Nest, Source};
use super::Flat;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::{Basic, Body, Exp, Soacs, Stm, SubExp, Type};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks that kernels run, with the widths of the levels inside of those that the check is in.
pub(super) type Ran = Vec<(Name, Vec<SubExp>)>;

/// The checks bound in a body.
pub(super) struct Checks {
    pub(super) names: Vec<Name>,
    /// How many of all that ran did before the body.
    before: usize,
}

impl Checks {
    /// No checks yet.
    pub(super) fn new(before: usize) -> Checks {
        Checks { names: vec![], before }
    }
}

impl Flat<'_> {
    /// Those of the checks that no kernel runs at all points, whatever the sizes are, with the widths of deeper levels at
    /// all points of which one does.
    fn left(&self, checks: Checks) -> Vec<(Name, Option<Vec<SubExp>>)> {
        let mut ran: FxHashMap<Name, Vec<SubExp>> = FxHashMap::default();
        for (check, deeper) in &self.ran[checks.before..] {
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

    /// A statement that names the checks, so that they are part of a kernel; nothing for no checks.
    pub(super) fn naming(&mut self, checks: Vec<Name>) -> Vec<Stm<Soacs>> {
        if checks.is_empty() {
            return vec![];
        }
        let ok = self.seq.b.fresh("ok", Type::BOOL);
        let stm = plain(ok, Type::BOOL, Exp::Basic(Basic::SubExp(SubExp::bool(true))));
        vec![Stm { certs: checks, ..stm }]
    }

    /// Runs the checks that no kernel has run, or that it has not run for want of points.
    pub(super) fn run_checks(&mut self, nest: &Nest, checks: Checks) {
        let mut never = vec![];
        let mut rarely: IndexMap<Vec<SubExp>, Vec<Name>> = IndexMap::new();
        for (check, deeper) in self.left(checks) {
            match deeper {
                None => never.push(check),
                Some(deeper) => rarely.entry(deeper).or_default().push(check),
            }
        }
        if !never.is_empty() {
            self.check_kernel(nest, never);
        }
        for (deeper, checks) in rarely {
            let Some(empty) = self.any_zero(&deeper) else { continue };
            let yes = self.nested(|f| {
                f.check_kernel(nest, checks);
                vec![SubExp::bool(true)]
            });
            let no = Body { stms: vec![], result: vec![SubExp::bool(true)] };
            self.choose(empty, yes, no, vec![Type::BOOL]);
        }
    }

    /// A kernel that makes checks.
    fn check_kernel(&mut self, nest: &Nest, checks: Vec<Name>) {
        let body = Body { stms: self.naming(checks), result: vec![SubExp::bool(true)] };
        self.seg_map(Point { nest, depth: nest.depth(), body, types: vec![Type::BOOL] });
    }

    /// The array that an array of the host is a view of, or itself.
    pub(super) fn root(&self, mut array: Name) -> Name {
        while let Some(of) = self.views.get(&array) {
            array = *of;
        }
        array
    }

    /// The names of the nest that are in the memory of some of them.
    pub(super) fn same_memory(&self, nest: &Nest, names: &[Name]) -> FxHashSet<Name> {
        let root = |source: &Source| match source {
            Source::Elem { array, .. } => Some(self.root(*array)),
            Source::Acc(_) | Source::Index(_) | Source::Stm(_) => None,
        };
        let roots: FxHashSet<Name> = names.iter().filter_map(|n| root(&nest.find(*n)?.source)).collect();
        let mut same: FxHashSet<Name> = names.iter().copied().collect();
        if roots.is_empty() {
            return same;
        }
        for binding in &nest.bindings {
            if root(&binding.source).is_some_and(|r| roots.contains(&r)) {
                same.extend(binding.names.iter().map(|(n, _)| *n));
            }
        }
        same
    }
}

/// The checks that both of two ways to compute the same make.
pub(super) fn ran_in_both(yes: &Ran, no: &Ran) -> Ran {
    let mut both = vec![];
    for (check, deeper) in yes {
        // The widths of both, for it is not known here which of the two runs.
        if let Some((_, other)) = no.iter().filter(|(c, _)| c == check).min_by_key(|(_, d)| d.len()) {
            let widths = deeper.iter().chain(other.iter().filter(|w| !deeper.contains(w)));
            both.push((*check, widths.copied().collect()));
        }
    }
    both
}

/// Whether a width is known not to be zero.
fn is_some(width: &SubExp) -> bool {
    width.as_i64().is_some_and(|w| w > 0)
}
