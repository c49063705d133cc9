//! The search for thresholds, after chapter 7 of Philip Munksgaard's thesis
//! *Static and Dynamic Analyses for Efficient GPU Execution*.
//!
//! For each data set, the search begins where nothing reaches any threshold,
//! and goes up the trees from the leaves: when a threshold's turn comes, the
//! best is known of everything below it, so that there are only two versions
//! to choose between. It is run with the threshold reached; if that is faster,
//! it stays so. With `n` thresholds that are each compared with one amount of
//! parallelism, that makes `n + 1` runs. Where amounts vary within a run, the
//! best border between them is searched for ([`super::curve`]). What is
//! best for each data set is then put together ([`super::combine`]).
//!
//! The baseline that the thesis compares this with, a random search, is in [`stochastic`].
//!
//! Everything is asked of an [`Oracle`], so nothing here runs a process.

mod stochastic;

pub(super) use stochastic::Budget;

use super::combine::{combine_or_split, Decision, Range};
use super::curve::{most_runs, search, Curve, INFINITY};
use super::forest::Forest;
use std::collections::{BTreeMap, BTreeSet};

/// What knows how long programs take. Settings are values of all thresholds, by number.
pub(super) trait Oracle {
    /// Runs a data set to see which thresholds are compared with which amounts of parallelism.
    fn probe(&mut self, dataset: usize, settings: &[i64]) -> Probe;

    /// How long a data set takes, in microseconds, or why it fails. It may give up (and say so as a
    /// failure) once it is clear that it takes much longer than `best`.
    fn time(&mut self, dataset: usize, settings: &[i64], best: Option<f64>) -> Result<f64, String>;
}

/// What a data set compares.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Probe {
    /// Thresholds and amounts of parallelism, in any order.
    pub(super) compared: Vec<(usize, i64)>,
    /// Thresholds that can be split, and the other sizes that were seen there.
    pub(super) others: Vec<(usize, i64)>,
    /// Whether it ran to its end, so that there is nothing else.
    pub(super) complete: bool,
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tuning {
    /// What to do with each threshold; `None` if no data set says anything about it.
    pub(super) decisions: Vec<Option<Decision>>,
    /// The best time of each data set on its own; `None` if it always fails.
    pub(super) best: Vec<Option<f64>>,
    /// What deserves to be known.
    pub(super) findings: Vec<Finding>,
    /// How often the oracle was asked for a time.
    pub(super) runs: usize,
}

/// Something that deserves to be known.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Finding {
    /// A version fails on a data set.
    Fails {
        /// The data set.
        dataset: usize,
        /// The thresholds, with their values, that were not out of reach.
        settings: Vec<(usize, i64)>,
        /// Why.
        message: String,
    },
    /// Within a data set, raising a threshold makes it slower and then faster: thresholds and times.
    Hill {
        /// The data set.
        dataset: usize,
        /// The threshold.
        threshold: usize,
        /// Values that were tried, and microseconds.
        times: [(i64, f64); 3],
    },
}

/// A search whose first runs are made: it is known how much work it is.
pub(super) struct Search<'a, O> {
    forest: &'a Forest,
    oracle: &'a mut O,
    datasets: Vec<DataSet>,
    findings: Vec<Finding>,
    runs: usize,
}

/// What is known of a data set.
struct DataSet {
    settings: Vec<i64>,
    /// Amounts of parallelism, by threshold.
    seen: Vec<BTreeSet<i64>>,
    /// The sizes that thresholds can be split by.
    others: Vec<BTreeSet<i64>>,
    complete: bool,
    /// Times by paths ([`DataSet::path`]).
    known: BTreeMap<Vec<i64>, f64>,
    curves: Vec<Option<Curve>>,
}

impl<'a, O: Oracle> Search<'a, O> {
    /// Looks at what the data sets compare.
    pub(super) fn begin(forest: &'a Forest, datasets: usize, oracle: &'a mut O) -> Search<'a, O> {
        let datasets = (0..datasets).map(|number| {
            let mut d = DataSet {
                settings: vec![INFINITY; forest.len()],
                seen: vec![BTreeSet::new(); forest.len()],
                others: vec![BTreeSet::new(); forest.len()],
                complete: false,
                known: BTreeMap::new(),
                curves: vec![None; forest.len()],
            };
            d.note(oracle.probe(number, &d.settings));
            d
        });
        let datasets = datasets.collect();
        Search { forest, oracle, datasets, findings: vec![], runs: 0 }
    }

    /// How many times will be asked for at most, if what was seen so far is all.
    pub(super) fn most_runs(&self) -> usize {
        let of = |d: &DataSet| 1 + d.seen.iter().map(|par| most_runs(par.len())).sum::<usize>();
        self.datasets.iter().map(of).sum()
    }

    /// Finds the thresholds.
    pub(super) fn run(mut self) -> Tuning {
        for dataset in 0..self.datasets.len() {
            self.time(dataset);
            for root in self.forest.roots() {
                self.tune(dataset, root);
            }
            // If something failed in the beginning, there is now more to see.
            while !self.datasets[dataset].complete && self.look_again(dataset) {}
        }
        let best = self.datasets.iter().map(|d| d.best()).collect();
        Tuning { decisions: self.decide(), best, findings: self.findings, runs: self.runs }
    }

    /// What is best for all data sets. Thresholds that are asked first come first: then it is known which
    /// data sets ask the others.
    fn decide(&self) -> Vec<Option<Decision>> {
        let mut decisions: Vec<Option<Decision>> = vec![None; self.forest.len()];
        let mut order: Vec<usize> = (0..self.forest.len()).collect();
        order.sort_by_key(|t| self.forest.path(*t).len());
        for threshold in order {
            let curves = (self.datasets.iter().enumerate())
                .filter_map(|(i, d)| Some((i, d.curves[threshold].as_ref()?)))
                .filter(|(_, c)| c.best_time().is_finite());
            let asks = |dataset: &DataSet| {
                let value = |before: usize| {
                    decisions[before].as_ref().map(|d: &Decision| d.value_where(dataset.other(before)))
                };
                dataset.asks(self.forest, threshold, value)
            };
            let (asking, idle): (Vec<_>, Vec<_>) = curves.partition(|(i, _)| asks(&self.datasets[*i]));
            if !asking.is_empty() || !idle.is_empty() {
                let other = |dataset: usize| self.datasets[dataset].other(threshold);
                decisions[threshold] = Some(combine_or_split(&asking, &idle, other));
            }
        }
        decisions
    }

    /// Tunes a threshold, and first all those that depend on it. Before, nothing reaches it; after, its
    /// setting is the best for the data set.
    fn tune(&mut self, dataset: usize, threshold: usize) {
        for child in self.forest.children(threshold, false) {
            self.tune(dataset, child);
        }
        let Some(least) = self.datasets[dataset].seen[threshold].first().copied() else { return };
        let within = self.forest.children(threshold, true);
        if !within.is_empty() {
            self.datasets[dataset].settings[threshold] = least;
            self.probe(dataset);
            for child in within {
                self.tune(dataset, child);
            }
        }
        let par = self.datasets[dataset].seen[threshold].iter().copied().collect();
        let curve = search(par, |value| {
            self.datasets[dataset].settings[threshold] = value;
            self.time(dataset)
        });
        if let Some(hill) = curve.hill() {
            let times =
                hill.map(|choice| (curve.threshold(choice), curve.measured(choice).unwrap_or(f64::INFINITY)));
            self.findings.push(Finding::Hill { dataset, threshold, times });
        }
        let d = &mut self.datasets[dataset];
        d.settings[threshold] = curve.threshold(curve.best());
        d.curves[threshold] = Some(curve);
    }

    /// Probes a data set that failed, with what is best for it now; whether there was something new.
    fn look_again(&mut self, dataset: usize) -> bool {
        self.probe(dataset);
        let d = &self.datasets[dataset];
        let new = |t: &usize| d.curves[*t].is_none() && !d.seen[*t].is_empty();
        // The children of a threshold come with it.
        let new: Vec<usize> = (0..self.forest.len())
            .filter(new)
            .filter(|t| {
                self.forest.path(*t).iter().all(|(p, _)| d.curves[*p].is_some() || d.seen[*p].is_empty())
            })
            .collect();
        for threshold in &new {
            self.tune(dataset, *threshold);
        }
        !new.is_empty()
    }

    fn probe(&mut self, dataset: usize) {
        let d = &mut self.datasets[dataset];
        let probe = self.oracle.probe(dataset, &d.settings);
        d.note(probe);
    }

    /// The time of a data set as it is set; infinity if it fails.
    fn time(&mut self, dataset: usize) -> f64 {
        let d = &mut self.datasets[dataset];
        let key = d.path(self.forest);
        if let Some(time) = d.known.get(&key) {
            return *time;
        }
        self.runs += 1;
        let time = match self.oracle.time(dataset, &d.settings, d.best()) {
            Ok(time) => time,
            Err(message) => {
                let settings =
                    d.settings.iter().copied().enumerate().filter(|(_, v)| *v < INFINITY).collect();
                self.findings.push(Finding::Fails { dataset, settings, message });
                f64::INFINITY
            }
        };
        d.known.insert(key, time);
        time
    }
}

impl DataSet {
    fn note(&mut self, probe: Probe) {
        for (threshold, amount) in probe.compared {
            if let Some(seen) = self.seen.get_mut(threshold) {
                seen.insert(amount);
            }
        }
        for (threshold, size) in probe.others {
            if let Some(others) = self.others.get_mut(threshold) {
                others.insert(size);
            }
        }
        self.complete |= probe.complete;
    }

    /// The sizes that a threshold can be split by, if there are any.
    fn other(&self, threshold: usize) -> Option<Range> {
        let others = &self.others[threshold];
        Some((*others.first()?, *others.last()?))
    }

    fn best(&self) -> Option<f64> {
        self.known.values().copied().filter(|t| t.is_finite()).min_by(f64::total_cmp)
    }

    /// Whether a threshold is asked, given the values of those before it, as far as they are known.
    fn asks(&self, forest: &Forest, threshold: usize, value: impl Fn(usize) -> Option<i64>) -> bool {
        forest.path(threshold).iter().all(|&(before, reached)| {
            let (Some(value), seen) = (value(before), &self.seen[before]) else { return true };
            if reached {
                seen.last().is_some_and(|most| value <= *most)
            } else {
                seen.first().is_none_or(|least| value > *least)
            }
        })
    }

    /// The path that a run takes: for each threshold that is asked, the least amount of parallelism that
    /// reaches it. Settings with the same path do the same.
    fn path(&self, forest: &Forest) -> Vec<i64> {
        let asked = |threshold: usize| self.asks(forest, threshold, |before| Some(self.settings[before]));
        let least = |t: usize| self.seen[t].range(self.settings[t]..).next().copied().unwrap_or(INFINITY);
        (0..self.settings.len()).map(|t| if asked(t) { least(t) } else { INFINITY }).collect()
    }
}

#[cfg(test)]
mod tests;
