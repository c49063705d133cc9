//! A random search for thresholds: the baseline of the thesis' table 7.2 and figure 7.6.
//!
//! It knows nothing of how thresholds depend on each other. Settings for all data sets together are guessed:
//! at random, by changing a threshold of what was good before, or by mixing two of the best. Two things make
//! it as good as such a search can be. What it wants to measure is looked up first in a memo of the paths
//! that were measured: many settings choose the same versions. And a guess is no larger than what a threshold
//! is ever compared with.
//!
//! ```text
//! a=700 b=90     300us     random
//! a=700 b=5      300us     a is reached, so b is not asked: known, no run
//! a=9000 b=5     120us     a changed
//! ```
//!
//! It ends when its budget of measurements is used up, or when nothing that it guesses is new.

use super::{Oracle, Search, Tuning};
use crate::autotune::combine::Decision;
use crate::autotune::curve::INFINITY;
use fehu_data::generate::Rng;

/// How long to search, and from where.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Budget {
    /// How many measurements may be made.
    pub(in super::super) measurements: usize,
    /// Where random numbers begin.
    pub(in super::super) seed: u64,
}

/// How many of the best settings are kept to make new ones of.
const ELITE: usize = 4;
/// After so many guesses without anything new there is nothing left to find.
const IDLE: usize = 500;
/// Guesses are at most so many times what was ever compared.
const BEYOND: i64 = 2;
/// What is guessed up to where nothing is known.
const UNKNOWN: i64 = 1 << 20;

/// Settings that were measured: all data sets together, as the sum of the logarithms of times.
struct Guess {
    settings: Vec<i64>,
    cost: f64,
}

impl<O: Oracle> Search<'_, O> {
    /// Finds thresholds by guesses.
    pub(in super::super) fn run_stochastic(mut self, budget: Budget) -> Tuning {
        let mut rng = Rng::new(budget.seed);
        let mut elite: Vec<Guess> = vec![];
        let mut idle = 0;
        let mut probed = vec![vec![false; self.forest.len()]; self.datasets.len()];
        while self.runs < budget.measurements && idle < IDLE {
            let settings = self.guess(&mut rng, &elite);
            let before = self.runs;
            let Some(cost) = self.cost(&settings, &mut probed, budget.measurements) else { break };
            idle = if self.runs == before { idle + 1 } else { 0 };
            if cost.is_finite() && elite.iter().all(|g| g.settings != settings) {
                elite.push(Guess { settings, cost });
                elite.sort_by(|a, b| a.cost.total_cmp(&b.cost));
                elite.truncate(ELITE);
            }
        }
        let found = elite.first();
        let decision = |threshold: usize| {
            let value = found?.settings[threshold];
            let is_known = self.datasets.iter().any(|d| !d.seen[threshold].is_empty());
            is_known.then(|| Decision { value, interval: (value, value), conflicts: vec![], split: None })
        };
        let decisions = (0..self.forest.len()).map(decision).collect();
        let best = self.datasets.iter().map(|d| d.best()).collect();
        Tuning { decisions, best, findings: self.findings, runs: self.runs }
    }

    /// What settings cost; `None` if that cannot be said within the budget.
    fn cost(&mut self, settings: &[i64], probed: &mut [Vec<bool>], most_runs: usize) -> Option<f64> {
        let mut cost = 0.0;
        for (dataset, probed) in probed.iter_mut().enumerate() {
            self.datasets[dataset].settings = settings.to_vec();
            self.see_path(dataset, probed);
            let d = &self.datasets[dataset];
            if self.runs >= most_runs && !d.known.contains_key(&d.path(self.forest)) {
                return None;
            }
            cost += self.time(dataset).max(1e-3).ln();
        }
        Some(cost)
    }

    /// Sees to it that the path of a data set, as it is set, is known: thresholds that are asked for the
    /// first time are looked at.
    fn see_path(&mut self, dataset: usize, probed: &mut [bool]) {
        loop {
            let d = &self.datasets[dataset];
            let asked = |t: usize| d.asks(self.forest, t, |before| Some(d.settings[before]));
            let is_new = |t: &usize| !probed[*t] && d.seen[*t].is_empty() && asked(*t);
            let Some(new) = (0..self.forest.len()).find(is_new) else { return };
            probed[new] = true;
            self.probe(dataset);
        }
    }

    /// Settings to try next.
    fn guess(&self, rng: &mut Rng, elite: &[Guess]) -> Vec<i64> {
        let anything = |rng: &mut Rng| (0..self.forest.len()).map(|t| self.value(rng, t)).collect();
        if elite.is_empty() {
            return anything(rng);
        }
        let one = |rng: &mut Rng| elite[rng.up_to(elite.len() as u64 - 1) as usize].settings.clone();
        match rng.up_to(3) {
            0 => anything(rng),
            1 => {
                let (mut mixed, other) = (one(rng), one(rng));
                for (value, theirs) in mixed.iter_mut().zip(other) {
                    if rng.up_to(1) == 0 {
                        *value = theirs;
                    }
                }
                mixed
            }
            _ => {
                let mut changed = one(rng);
                let threshold = rng.up_to(self.forest.len() as u64 - 1) as usize;
                changed[threshold] = self.value(rng, threshold);
                changed
            }
        }
    }

    /// A value for a threshold: orders of magnitude are equally likely, and now and then it is out of reach.
    fn value(&self, rng: &mut Rng, threshold: usize) -> i64 {
        let seen = self.datasets.iter().filter_map(|d| d.seen[threshold].last().copied());
        let most = seen.max().map_or(UNKNOWN, |most| most.saturating_mul(BEYOND).clamp(2, INFINITY));
        match rng.up_to(7) {
            0 => INFINITY,
            _ => ((most as f64).ln() * rng.unit()).exp() as i64,
        }
    }
}
