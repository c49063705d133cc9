//! Whether what was found is better than the program as it was: both are measured, and what looks slower is measured
//! again, for measurements differ by chance. The better time of each counts.
//!
//! As the search, this asks an oracle and runs no process.

use super::report::BeforeAndAfter;
use fehu_data::stats::geometric_mean;

/// How often both are measured at most.
const ROUNDS: usize = 3;

/// A data set that takes longer than this part is slower; less is within what measurements differ by.
const SLOWER: f64 = 1.05;

/// Which program is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Before,
    After,
}

/// Measures all data sets before and after, until no data set looks slower or it was done often enough.
pub(super) fn compare(
    datasets: usize,
    mut time: impl FnMut(usize, Side) -> Result<f64, String>,
) -> Vec<BeforeAndAfter> {
    let mut times: Vec<BeforeAndAfter> =
        (0..datasets).map(|d| (time(d, Side::Before), time(d, Side::After))).collect();
    for _ in 1..ROUNDS {
        if !times.iter().any(is_slower) && gain(&times) >= 1.0 {
            break;
        }
        for (d, (before, after)) in times.iter_mut().enumerate() {
            *before = better(before, time(d, Side::Before));
            *after = better(after, time(d, Side::After));
        }
    }
    times
}

fn better(old: &Result<f64, String>, new: Result<f64, String>) -> Result<f64, String> {
    match (old, new) {
        (Ok(old), Ok(new)) => Ok(old.min(new)),
        (Ok(old), Err(_)) => Ok(*old),
        (Err(_), new) => new,
    }
}

/// Whether a data set is clearly slower than it was, or fails where it did not.
pub(super) fn is_slower((before, after): &BeforeAndAfter) -> bool {
    match (before, after) {
        (Ok(before), Ok(after)) => *after > before * SLOWER,
        (Ok(_), Err(_)) => true,
        (Err(_), _) => false,
    }
}

/// How many times as fast the data sets are, on average: 0 if one fails that did not. Those that failed before count
/// only if no other is left: then one that succeeds is better by any measure.
pub(super) fn gain(times: &[BeforeAndAfter]) -> f64 {
    if times.iter().any(|(before, after)| before.is_ok() && after.is_err()) {
        return 0.0;
    }
    let ratio = |(before, after): &BeforeAndAfter| match (before, after) {
        // A clock that ticks once a microsecond says 0 for the shortest.
        (Ok(before), Ok(after)) => Some(before.max(1e-3) / after.max(1e-3)),
        _ => None,
    };
    let ratios: Vec<f64> = times.iter().filter_map(ratio).collect();
    let rescued = times.iter().any(|(before, after)| before.is_err() && after.is_ok());
    geometric_mean(&ratios).unwrap_or(if rescued { f64::INFINITY } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares by times that are given in the order of the rounds; how often it measured, and the gain.
    fn compared(before: &[f64], after: &[f64]) -> (usize, f64) {
        let (mut asked, mut at) = (0, [0, 0]);
        let times = compare(1, |_, side| {
            asked += 1;
            let (list, at) = match side {
                Side::Before => (before, &mut at[0]),
                Side::After => (after, &mut at[1]),
            };
            *at += 1;
            Ok(list[*at - 1])
        });
        (asked, gain(&times))
    }

    #[test]
    fn what_is_faster_is_measured_once() {
        assert_eq!(compared(&[20.0], &[10.0]), (2, 2.0));
        assert_eq!(compared(&[20.0], &[20.0]), (2, 1.0));
    }

    #[test]
    fn what_is_slower_is_measured_again() {
        assert_eq!(compared(&[20.0, 20.0, 20.0], &[48.0, 48.0, 48.0]), (6, 20.0 / 48.0));
        assert_eq!(compared(&[20.0, 20.0], &[48.0, 10.0]), (4, 2.0), "chance is found out");
    }

    #[test]
    fn failures_count() {
        let failed = || Err("out of memory".to_owned());
        assert_eq!(gain(&[(Ok(10.0), Ok(1.0)), (Ok(10.0), failed())]), 0.0);
        assert_eq!(gain(&[(failed(), Ok(1.0)), (Ok(10.0), Ok(5.0))]), 2.0);
        assert_eq!(gain(&[(failed(), Ok(1.0))]), f64::INFINITY);
        assert!(is_slower(&(Ok(1.0), failed())) && !is_slower(&(failed(), Ok(9.0))));
        assert!(is_slower(&(Ok(100.0), Ok(106.0))) && !is_slower(&(Ok(100.0), Ok(104.0))));
    }
}
