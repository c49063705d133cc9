//! What measurements say, and how surely.
//!
//! Runs on one machine are not independent: a slow run tends to follow a slow
//! run. The interval around the mean therefore counts `n` runs with
//! correlation `r` between neighbours as only `n (1 - r) / (1 + r)`.

/// A mean and the interval in which the true one lies, in 19 of 20 cases.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Summary {
    /// The arithmetic mean.
    pub(crate) mean: f64,
    /// The lower end of the interval.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
}

/// An interval is tight if it reaches no further than this part of the mean,
const TIGHT: f64 = 0.01;
/// or no further than this: clocks tick once a microsecond.
const TIGHT_MICROSECONDS: f64 = 0.5;

impl Summary {
    /// Sums up runs.
    pub(crate) fn of(runs: &[u64]) -> Summary {
        let mean = mean(runs);
        let r = autocorrelation(runs).clamp(0.0, 0.99);
        let count = (runs.len() as f64 * (1.0 - r) / (1.0 + r)).max(1.0);
        let reach = quantile(count - 1.0) * standard_deviation(runs) / count.sqrt();
        Summary { mean, low: (mean - reach).max(0.0), high: mean + reach }
    }

    /// Whether more runs would tell little.
    pub(crate) fn is_tight(&self) -> bool {
        let reach = self.high - self.mean;
        reach <= (self.mean * TIGHT).max(TIGHT_MICROSECONDS)
    }
}

/// The arithmetic mean.
pub(crate) fn mean(runs: &[u64]) -> f64 {
    runs.iter().map(|&x| x as f64).sum::<f64>() / runs.len().max(1) as f64
}

/// The standard deviation of which the runs are a sample.
pub(crate) fn standard_deviation(runs: &[u64]) -> f64 {
    if runs.len() < 2 {
        return 0.0;
    }
    let mean = mean(runs);
    let squares: f64 = runs.iter().map(|&x| (x as f64 - mean).powi(2)).sum();
    (squares / (runs.len() - 1) as f64).sqrt()
}

/// How much a run resembles the one before it, from -1 to 1.
fn autocorrelation(runs: &[u64]) -> f64 {
    let mean = mean(runs);
    let d: Vec<f64> = runs.iter().map(|&x| x as f64 - mean).collect();
    let variance: f64 = d.iter().map(|x| x * x).sum();
    if variance == 0.0 {
        return 0.0;
    }
    d.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / variance
}

/// Student's t at 97.5 %, by its expansion around the normal distribution.
fn quantile(freedom: f64) -> f64 {
    let z: f64 = 1.959_964;
    let v = freedom.max(1.0);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / v + second / v.powi(2) + third / v.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t() {
        for (freedom, expected) in [(4.0, 2.776), (9.0, 2.262), (30.0, 2.042), (1e6, 1.960)] {
            assert!((quantile(freedom) - expected).abs() < 0.01, "{freedom}");
        }
    }

    #[test]
    fn equal_runs_leave_no_doubt() {
        let s = Summary::of(&[100; 10]);
        assert_eq!((s.mean, s.low, s.high), (100.0, 100.0, 100.0));
        assert!(s.is_tight());
    }

    #[test]
    fn the_interval_is_that_of_the_textbook() {
        // Alternating runs are not positively correlated: n stays n.
        let runs: Vec<u64> = (0..10).map(|i| if i % 2 == 0 { 90 } else { 110 }).collect();
        let s = Summary::of(&runs);
        let expected = 2.262 * 10.541 / 10f64.sqrt();
        assert!((s.high - s.mean - expected).abs() < 0.05, "{s:?}");
        assert!(!s.is_tight());
    }

    #[test]
    fn drift_widens_the_interval() {
        let drifting: Vec<u64> = (0..100).map(|i| 1000 + i).collect();
        let shuffled: Vec<u64> = (0..100).map(|i| 1000 + (i * 37) % 100).collect();
        let (a, b) = (Summary::of(&drifting), Summary::of(&shuffled));
        assert!(a.high - a.mean > 5.0 * (b.high - b.mean), "{a:?} {b:?}");
    }

    #[test]
    fn no_runs() {
        assert_eq!(Summary::of(&[]), Summary { mean: 0.0, low: 0.0, high: 0.0 });
    }
}
