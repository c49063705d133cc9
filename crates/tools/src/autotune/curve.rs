//! How long one data set takes, as a function of one threshold.
//!
//! While a data set runs, a threshold is compared with amounts of parallelism
//! `p1 < ... < pm`. All that matters of the threshold is how many of them reach
//! it, so there are `m + 1` *choices*: choice `i` lets `p(i+1)` and all larger
//! ones reach it (the threshold is `p(i+1)`), and the last lets none.
//!
//! If more parallelism never makes a version worse (monotonicity), time falls
//! and then rises from the first choice to the last, and [`search`] finds the
//! valley by binary search.

use std::collections::BTreeMap;

/// No parallelism reaches this.
pub(super) const INFINITY: i64 = 1 << 60;

/// Times that differ by less than this part are taken to be the same.
pub(super) const NOISE: f64 = 0.02;

/// Times by choice.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Curve {
    /// The amounts of parallelism, ascending; never empty.
    par: Vec<i64>,
    /// What was measured: infinity for choices that fail. The first and the last are always there.
    times: BTreeMap<usize, f64>,
}

/// Finds the best choice by binary search, as the thesis' procedure 7.3: measures the last choice (usually
/// known), the first, and then the middle of what is left. If one of the two ends is better, the valley is
/// on its side. If not, a neighbour of the middle shows whether time falls or rises there. Where
/// much is left, neighbours are some steps apart ([`gap`]), for noise would hide the difference that a single
/// amount of parallelism makes. `measure` is asked once per choice.
pub(super) fn search(par: Vec<i64>, mut measure: impl FnMut(i64) -> f64) -> Curve {
    let last = par.len();
    let mut curve = Curve { par, times: BTreeMap::new() };
    let mut time = |choice: usize| {
        let value = curve.threshold(choice);
        *curve.times.entry(choice).or_insert_with(|| measure(value))
    };
    let at_last = time(last);
    let at_first = time(0);
    // What is left: the valley is at one of these, or was measured.
    let mut left = 1..last;
    while !left.is_empty() {
        let mid = left.start + (left.len() - 1) / 2;
        let at_mid = time(mid);
        if at_last < at_mid || at_first < at_mid {
            left = if at_last < at_first { mid + 1..left.end } else { left.start..mid };
            continue;
        }
        let gap = gap(left.len());
        let neighbour = mid + gap;
        left = if neighbour >= left.end || time(neighbour) >= at_mid {
            left.start..if gap == 1 { mid } else { neighbour }
        } else {
            mid + 1..left.end
        };
    }
    curve
}

/// How far apart neighbours are that are compared when so many choices are left.
fn gap(left: usize) -> usize {
    1.max(left / 8)
}

/// How many choices [`search`] measures at most for so many amounts of parallelism, besides the last one.
pub(super) fn most_runs(amounts: usize) -> usize {
    fn within(left: usize) -> usize {
        match left {
            0 => 0,
            1 => 1,
            _ => {
                let (before, gap) = ((left - 1) / 2, gap(left));
                let lower = if gap == 1 { before } else { before + gap };
                2 + within(lower).max(within(left / 2))
            }
        }
    }
    match amounts {
        0 => 0,
        _ => 1 + within(amounts - 1),
    }
}

/// Whether two times differ by more than noise.
pub(super) fn differ(a: f64, b: f64) -> bool {
    a.is_finite() != b.is_finite() || (a - b).abs() > NOISE * a.min(b)
}

impl Curve {
    /// The amounts of parallelism.
    pub(super) fn par(&self) -> &[i64] {
        &self.par
    }

    /// A threshold that makes a choice.
    pub(super) fn threshold(&self, choice: usize) -> i64 {
        self.par.get(choice).copied().unwrap_or(INFINITY)
    }

    /// The choice that a threshold makes.
    pub(super) fn choice(&self, threshold: i64) -> usize {
        self.par.partition_point(|p| *p < threshold)
    }

    /// The best choice; of equals, the one with the highest threshold.
    pub(super) fn best(&self) -> usize {
        let mut best = self.par.len();
        for (choice, time) in self.times.iter().rev() {
            if *time < self.times[&best] {
                best = *choice;
            }
        }
        best
    }

    /// The time of a choice; for those not measured, that of the next one further away from the best,
    /// which is no better.
    pub(super) fn time(&self, choice: usize) -> f64 {
        let measured = if choice >= self.best() {
            self.times.range(choice..).next()
        } else {
            self.times.range(..=choice).next_back()
        };
        measured.map_or(f64::INFINITY, |(_, time)| *time)
    }

    /// The best time.
    pub(super) fn best_time(&self) -> f64 {
        self.time(self.best())
    }

    /// The time of a choice, if it was measured.
    pub(super) fn measured(&self, choice: usize) -> Option<f64> {
        self.times.get(&choice).copied()
    }

    /// A choice that was measured, with better ones on both of its sides: more parallelism made a version
    /// worse.
    pub(super) fn hill(&self) -> Option<[usize; 3]> {
        let measured: Vec<(usize, f64)> = self.times.iter().map(|(c, t)| (*c, *t)).collect();
        let least = |part: &[(usize, f64)]| part.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
        for (i, (choice, time)) in measured.iter().enumerate() {
            let (Some(before), Some(after)) = (least(&measured[..i]), least(&measured[i + 1..])) else {
                continue;
            };
            let worse = |other: f64| differ(*time, other) && other < *time;
            if worse(before.1) && worse(after.1) {
                return Some([before.0, *choice, after.0]);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve of a version that costs `with(p)` for parallelism p, where the others cost `without(p)`;
    /// and how many choices were measured.
    fn curve(par: &[i64], with: impl Fn(i64) -> f64, without: impl Fn(i64) -> f64) -> (Curve, usize) {
        let mut runs = 0;
        let curve = search(par.to_vec(), |threshold| {
            runs += 1;
            par.iter().map(|p| if threshold <= *p { with(*p) } else { without(*p) }).sum()
        });
        (curve, runs)
    }

    #[test]
    fn one_amount_needs_one_run_each() {
        let (c, runs) = curve(&[50], |_| 3.0, |_| 5.0);
        assert_eq!((c.best(), c.threshold(c.best()), runs), (0, 50, 2));
        let (c, runs) = curve(&[50], |_| 5.0, |_| 3.0);
        assert_eq!((c.best(), c.threshold(c.best()), runs), (1, INFINITY, 2));
    }

    #[test]
    fn valleys_are_found_with_few_runs() {
        let par: Vec<i64> = (1..=1000).collect();
        for border in [1, 2, 17, 500, 501, 999, 1000, 1001] {
            let (c, runs) = curve(&par, |p| if p >= border { 1.0 } else { 900.0 }, |_| 100.0);
            assert_eq!(c.threshold(c.best()).min(1001), border);
            assert!(runs <= 1 + most_runs(1000), "{runs} runs");
            assert_eq!(c.hill(), None);
        }
        assert_eq!(most_runs(1000), 26);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(most_runs), [0, 1, 2, 4, 4, 6, 6]);
    }

    #[test]
    fn plateaus_lead_to_the_better_end() {
        // Only the largest instance matters.
        let par: Vec<i64> = (1..=64).collect();
        let (c, _) =
            curve(&par, |p| if p == 64 { 1.0 } else { 0.001 }, |p| if p == 64 { 2.0 } else { 0.001 });
        assert!(!differ(c.best_time(), 1.063));
    }

    #[test]
    fn noise_does_not_mislead() {
        let cost = |t: i64| (1..=200).map(|p| if t <= p { 60.0 } else { f64::from(p as i32) }).sum::<f64>();
        for seed in 0..50 {
            let mut state = seed;
            let c = search((1..=200).collect(), |t| {
                state = (state * 1_103_515_245 + 12_345) % 2_147_483_648_i64;
                cost(t) * (1.0 + 0.02 * (state as f64 / 2_147_483_648.0))
            });
            assert!(cost(c.threshold(c.best())) < 1.03 * cost(60), "{}", c.threshold(c.best()));
        }
    }

    #[test]
    fn failures_are_avoided() {
        let (c, _) = curve(&[10, 20], |p| if p == 10 { f64::INFINITY } else { 1.0 }, |_| 2.0);
        assert_eq!(c.threshold(c.best()), 20);
        assert_eq!((c.time(0), c.time(1), c.time(2)), (f64::INFINITY, 3.0, 4.0));
    }

    #[test]
    fn hills_are_seen() {
        // The version is good for little and bad for much parallelism.
        let (c, _) = curve(&[1, 2, 3, 4, 5], |p| if p < 3 { 1.0 } else { 9.0 }, |_| 5.0);
        assert_eq!(c.hill(), Some([0, 2, 5]));
        let (c, _) = curve(&[1, 2, 3, 4], |p| if p < 3 { 9.0 } else { 1.0 }, |_| 5.0);
        assert!(c.hill().is_none());
    }

    #[test]
    fn thresholds_and_choices() {
        let (c, _) = curve(&[10, 20], |_| 1.0, |_| 2.0);
        assert_eq!([1, 10, 11, 20, 21, INFINITY].map(|t| c.choice(t)), [0, 0, 1, 1, 2, 2]);
        assert_eq!([0, 1, 2].map(|choice| c.choice(c.threshold(choice))), [0, 1, 2]);
    }
}
