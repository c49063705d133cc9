//! One threshold for all data sets.
//!
//! Every data set has an interval of thresholds that are best for it. If more
//! parallelism never makes a version worse, the intervals have something in
//! common, and a threshold from there is best for all. If they do not, the
//! threshold with the least slowdown over all data sets is taken, and the
//! [`Conflict`] says which data sets contradict each other.
//!
//! Such a contradiction means that something else matters than the parallelism which the threshold is
//! compared with. Where the program knows another size there ([`super::forest::Split`]), the threshold is
//! [`Split`] by it: one value holds where that size is small, and another one beyond a border between data
//! sets. This takes no further measurements.
//!
//! ```text
//! rows   columns   best version        rows ≥ t alone is wrong for one of the two;
//! 16     2^14      not by rows         columns < 2^17:  t = never
//! 16     2^20      by rows             otherwise:       t = 8
//! ```
//!
//! A data set that never asks a threshold, since what is asked before takes it elsewhere, does not care for its
//! value. What it would want only decides between values that are equally good for those that do.

use super::curve::{differ, Curve, INFINITY, NOISE};

/// A threshold for all data sets.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Decision {
    /// The value to set.
    pub(super) value: i64,
    /// All values that are as good.
    pub(super) interval: (i64, i64),
    /// Data sets that it is not best for.
    pub(super) conflicts: Vec<Conflict>,
    /// Another value, where one cannot serve all data sets.
    pub(super) split: Option<Split>,
}

/// What holds instead of a threshold where another size is large.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Split {
    /// It holds where the other size is at least this.
    pub(super) border: i64,
    /// The value to set.
    pub(super) value: i64,
    /// The data sets beyond the border.
    pub(super) datasets: Vec<usize>,
    /// How much all data sets lost by a single threshold, as the logarithm of their slowdowns, and how much by both.
    pub(super) losses: (f64, f64),
}

/// What is known of the other size where a data set compares a threshold: the least and the most.
pub(super) type Range = (i64, i64);

impl Decision {
    /// The value that holds for a data set.
    pub(super) fn value_where(&self, other: Option<Range>) -> i64 {
        match (&self.split, other) {
            (Some(split), Some((least, _))) if least >= split.border => split.value,
            _ => self.value,
        }
    }
}

/// Two data sets that want different things of a threshold: evidence against monotonicity.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Conflict {
    /// The data set that does not get what is best for it.
    pub(super) loser: Side,
    /// A data set that wants the opposite.
    pub(super) winner: Side,
}

/// What one data set says of a threshold.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Side {
    /// The data set.
    pub(super) dataset: usize,
    /// The threshold that it wants.
    pub(super) wants: i64,
    /// Microseconds with that,
    pub(super) best: f64,
    /// and with what the other wants.
    pub(super) other: f64,
}

/// What a data set that fails weighs, compared to a slowdown by e.
const FAILURE: f64 = 1e6;

/// Chooses a threshold, from the curves of data sets that ask it, and of those that do not. There is at least one.
pub(super) fn combine(curves: &[(usize, &Curve)], idle: &[(usize, &Curve)]) -> Decision {
    let all = curves.iter().chain(idle);
    let mut amounts: Vec<i64> = all.flat_map(|(_, c)| c.par().iter().copied()).collect();
    amounts.sort_unstable();
    amounts.dedup();
    // Thresholds between neighbouring amounts are all the same; one beyond the last is reached by nothing.
    amounts.push(INFINITY);
    let mut good = vec![true; amounts.len()];
    for curves in [curves, idle] {
        let losses: Vec<f64> = amounts.iter().map(|t| losses(curves, *t)).collect();
        let candidates = losses.iter().zip(&good).filter(|(_, good)| **good);
        let least = candidates.map(|(loss, _)| *loss).fold(f64::INFINITY, f64::min);
        for (good, loss) in good.iter_mut().zip(&losses) {
            *good &= *loss <= least + 1e-9;
        }
    }
    let first = good.iter().position(|good| *good).unwrap_or(0);
    let last = (first..good.len()).take_while(|i| good[*i]).last().unwrap_or(first);
    let interval = (if first == 0 { 1 } else { amounts[first - 1] + 1 }, amounts[last]);
    let value = within(interval);
    Decision { value, interval, conflicts: conflicts(curves, value), split: None }
}

/// The same, but where data sets contradict each other, the threshold is split by the other size, if that
/// makes them faster.
pub(super) fn combine_or_split(
    curves: &[(usize, &Curve)],
    idle: &[(usize, &Curve)],
    other: impl Fn(usize) -> Option<Range>,
) -> Decision {
    let whole = combine(curves, idle);
    if whole.conflicts.is_empty() {
        return whole;
    }
    let Some(sizes) = curves.iter().map(|(d, _)| other(*d)).collect::<Option<Vec<Range>>>() else {
        return whole;
    };
    let loss_before = losses(curves, whole.value);
    let mut best = whole;
    let mut least_loss = loss_before - differ_by();
    let mut borders: Vec<i64> = sizes.iter().map(|(least, _)| *least).collect();
    borders.sort_unstable();
    borders.dedup();
    for border in borders.into_iter().skip(1) {
        // A border has every data set on one of its sides.
        let below = sizes.iter().map(|(_, most)| *most).filter(|most| *most < border).max();
        let between = sizes.iter().any(|(least, most)| *least < border && border <= *most);
        let (Some(below), false) = (below, between) else { continue };
        let is_beyond = |d: usize| other(d).is_some_and(|(least, _)| least >= border);
        let (far, near): (Vec<_>, Vec<_>) = curves.iter().copied().partition(|(d, _)| is_beyond(*d));
        let (idle_far, idle_near): (Vec<_>, Vec<_>) = idle.iter().copied().partition(|(d, _)| is_beyond(*d));
        let (mut first, second) = (combine(&near, &idle_near), combine(&far, &idle_far));
        let loss = losses(&near, first.value) + losses(&far, second.value);
        if loss < least_loss {
            least_loss = loss;
            first.conflicts.extend(second.conflicts);
            let datasets = far.iter().map(|(d, _)| *d).collect();
            let (border, value) = (within((below + 1, border)), second.value);
            first.split = Some(Split { border, value, datasets, losses: (loss_before, loss) });
            best = first;
        }
    }
    best
}

/// What a split must save: as much as measurements differ by chance.
fn differ_by() -> f64 {
    (1.0 + NOISE).ln()
}

/// How much all data sets lose by a threshold.
fn losses(curves: &[(usize, &Curve)], threshold: i64) -> f64 {
    curves.iter().map(|(_, c)| loss(c, threshold)).sum()
}

/// A value in an interval: the further from its ends, the better for data sets that were not seen.
fn within((low, high): (i64, i64)) -> i64 {
    if high >= INFINITY {
        INFINITY
    } else if low <= 1 {
        (high / 2).max(1)
    } else {
        // Sizes grow by factors.
        (((low as f64) * (high as f64)).sqrt() as i64).clamp(low, high)
    }
}

/// How much a data set loses by a threshold: the logarithm of its slowdown.
fn loss(curve: &Curve, threshold: i64) -> f64 {
    let (time, best) = (curve.time(curve.choice(threshold)), curve.best_time());
    match (time.is_finite(), best.is_finite()) {
        (_, false) => 0.0,
        (false, true) => FAILURE,
        (true, true) => (time.max(1e-3) / best.max(1e-3)).ln().max(0.0),
    }
}

fn conflicts(curves: &[(usize, &Curve)], value: i64) -> Vec<Conflict> {
    let mut out = vec![];
    for (dataset, curve) in curves {
        if !differ(curve.time(curve.choice(value)), curve.best_time()) {
            continue;
        }
        let wants = curve.threshold(curve.best());
        // The data set that would lose most by that.
        let opposed = curves.iter().filter(|(other, _)| other != dataset);
        let Some((other, theirs)) =
            opposed.max_by(|(_, a), (_, b)| loss(a, wants).total_cmp(&loss(b, wants)))
        else {
            continue;
        };
        out.push(Conflict {
            loser: Side {
                dataset: *dataset,
                wants,
                best: curve.best_time(),
                other: curve.time(curve.choice(value)),
            },
            winner: Side {
                dataset: *other,
                wants: value,
                best: theirs.time(theirs.choice(value)),
                other: theirs.time(theirs.choice(wants)),
            },
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::curve::search;
    use super::*;

    /// A data set with one amount of parallelism, and its times with the version and without.
    fn one(par: i64, with: f64, without: f64) -> Curve {
        search(vec![par], |t| if t <= par { with } else { without })
    }

    fn decide(curves: &[Curve]) -> Decision {
        combine(&curves.iter().enumerate().collect::<Vec<_>>(), &[])
    }

    #[test]
    fn intervals_are_intersected() {
        // As in the thesis: (10, inf) and [0, 100] leave (10, 100].
        let d = decide(&[one(10, 9.0, 5.0), one(100, 50.0, 80.0)]);
        assert_eq!((d.interval, d.value), ((11, 100), 33));
        assert!(d.conflicts.is_empty());
        let d = decide(&[one(50, 5.0, 9.0), one(1000, 5.0, 9.0)]);
        assert_eq!((d.interval, d.value), ((1, 50), 25));
        let d = decide(&[one(50, 9.0, 5.0)]);
        assert_eq!((d.interval, d.value), ((51, INFINITY), INFINITY));
        let d = decide(&[one(1, 5.0, 9.0)]);
        assert_eq!((d.interval, d.value), ((1, 1), 1));
    }

    #[test]
    fn a_tie_narrows_nothing() {
        let d = decide(&[one(10, 5.0, 5.0), one(100, 5.0, 9.0)]);
        assert_eq!(d.interval, (1, 100));
    }

    #[test]
    fn contradictions_are_shown() {
        // Little parallelism is better with the version, much is worse.
        let d = decide(&[one(10, 5.0, 9.0), one(100, 80.0, 20.0)]);
        assert_eq!(d.value, INFINITY);
        assert_eq!(d.conflicts.len(), 1);
        let c = &d.conflicts[0];
        assert_eq!((c.loser.dataset, c.loser.wants, c.loser.best, c.loser.other), (0, 10, 5.0, 9.0));
        assert_eq!((c.winner.dataset, c.winner.best, c.winner.other), (1, 20.0, 80.0));
        // Differences that are noise are not.
        let d = decide(&[one(10, 5.0, 5.01), one(100, 80.0, 20.0)]);
        assert!(d.value == INFINITY && d.conflicts.is_empty());
    }

    #[test]
    fn contradictions_are_split_by_another_size() {
        // As many rows, but the version is better for long ones alone.
        let curves = [one(16, 80.0, 20.0), one(16, 50.0, 8000.0), one(16, 90.0, 20.0)];
        let curves: Vec<_> = curves.iter().enumerate().collect();
        let columns = [(100, 1000), (5000, 5000), (10, 20)];
        let d = combine_or_split(&curves, &[], |d| Some(columns[d]));
        assert_eq!((d.value, d.conflicts.len()), (INFINITY, 0), "{d:?}");
        let split = d.split.clone().expect("a split");
        assert_eq!((split.border, split.value, split.datasets), (2237, 8, vec![1]));
        assert_eq!([0, 1, 2].map(|i| d.value_where(Some(columns[i]))), [INFINITY, 8, INFINITY]);
        assert!(split.losses.0 > 1.0 && split.losses.1.abs() < 1e-9, "{:?}", split.losses);
        // Data sets with sizes on both sides, or of which it is not known, leave the contradiction.
        for columns in
            [[Some((100, 6000)), Some((5000, 5000)), Some((200, 300))], [Some((1, 1)), None, Some((1, 1))]]
        {
            let d = combine_or_split(&curves, &[], |d| columns[d]);
            assert!(d.split.is_none() && !d.conflicts.is_empty(), "{d:?}");
        }
        // What no border parts stays as it is, and what agrees is not split.
        let d = combine_or_split(&curves, &[], |_| Some((7, 7)));
        assert!(d.split.is_none() && !d.conflicts.is_empty(), "{d:?}");
        let d = combine_or_split(&curves[..1], &curves[2..], |d| Some(columns[d]));
        assert!(d.split.is_none() && d.conflicts.is_empty(), "{d:?}");
    }

    #[test]
    fn who_does_not_ask_does_not_count() {
        let (asks, idle) = (one(100, 5.0, 9.0), one(1000, 80.0, 20.0));
        let d = combine(&[(0, &asks)], &[(1, &idle)]);
        assert_eq!((d.interval, d.conflicts.len()), ((1, 100), 0));
        // But where it makes no difference to the others, it does.
        let d = combine(&[(0, &one(100, 5.0, 5.0))], &[(1, &idle)]);
        assert_eq!((d.value, d.conflicts.len()), (INFINITY, 0));
        let d = combine(&[], &[(1, &idle)]);
        assert_eq!((d.value, d.conflicts.len()), (INFINITY, 0));
    }

    #[test]
    fn no_speed_outweighs_a_failure() {
        let d = decide(&[one(10, 1.0, 9e5), one(100, f64::INFINITY, 20.0)]);
        assert_eq!(d.value, INFINITY);
    }
}
