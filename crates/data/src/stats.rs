//! What measurements say, and how surely: means, medians and 95 % confidence intervals.
//!
//! Runs on one machine are not independent: a slow run tends to follow a slow run. The interval around the mean of
//! runs therefore counts `n` runs with correlation `r` between neighbours as only `n (1 - r) / (1 + r)`.
//!
//! Ratios are paired by round and averaged as logarithms, so that a slow moment of the machine that hits both
//! contestants of a round cancels, and so that A to B is the inverse of B to A.

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub mid: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// An interval is tight if it reaches no further than this part of the mean,
const TIGHT: f64 = 0.01;
/// or no further than this: clocks tick once a microsecond.
const TIGHT_MICROSECONDS: f64 = 0.5;

impl Interval {
    /// The mean of runs, in microseconds.
    pub fn of_runs(runs: &[u64]) -> Interval {
        let runs = numbers(runs);
        let mid = mean(&runs);
        let r = autocorrelation(&runs).clamp(0.0, 0.99);
        let count = (runs.len() as f64 * (1.0 - r) / (1.0 + r)).max(1.0);
        let reach = student(count - 1.0) * standard_deviation(&runs) / count.sqrt();
        Interval { mid, low: (mid - reach).max(0.0), high: mid + reach }
    }

    /// Whether more runs would tell little.
    pub fn is_tight(&self) -> bool {
        self.high - self.mid <= (self.mid * TIGHT).max(TIGHT_MICROSECONDS)
    }
}

/// Whole numbers as those that the functions here take.
pub fn numbers(runs: &[u64]) -> Vec<f64> {
    runs.iter().map(|&x| x as f64).collect()
}

/// The arithmetic mean (0 for no values).
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The median (0 for no values).
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// The standard deviation of which the values are a sample (0 for fewer than two).
pub fn standard_deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// The geometric mean of positive numbers; of no numbers there is none.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: Vec<f64> = values.iter().map(|x| x.ln()).collect();
    (!values.is_empty()).then(|| mean(&logs).exp())
}

/// How many times longer `times` are than `base`, round by round.
pub fn ratio(times: &[f64], base: &[f64]) -> Option<Interval> {
    let rounds = times.iter().zip(base).filter(|(t, b)| **t > 0.0 && **b > 0.0);
    let logs: Vec<f64> = rounds.map(|(t, b)| (t / b).ln()).collect();
    let count = logs.len() as f64;
    let mid = mean(&logs);
    let spread = match logs.len() {
        0 => return None,
        1 => 0.0,
        _ => student(count - 1.0) * standard_deviation(&logs) / count.sqrt(),
    };
    Some(Interval { mid: mid.exp(), low: (mid - spread).exp(), high: (mid + spread).exp() })
}

/// How much a value resembles the one before it, from -1 to 1.
fn autocorrelation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let d: Vec<f64> = values.iter().map(|x| x - mean).collect();
    let variance: f64 = d.iter().map(|x| x * x).sum();
    if variance == 0.0 {
        return 0.0;
    }
    d.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / variance
}

/// Student's t at 97.5 %: by its expansion around the normal distribution, which is too small for few degrees of
/// freedom; between those it is linear in their inverse. There is no distribution below one.
fn student(freedom: f64) -> f64 {
    const FEW: [(f64, f64); 4] = [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (4.0, 2.776)];
    let z: f64 = 1.959_964;
    let v = freedom.max(1.0);
    if let Some(ends) = FEW.windows(2).find(|ends| v < ends[1].0) {
        let ((low, at_low), (high, at_high)) = (ends[0], ends[1]);
        let part = (1.0 / v - 1.0 / low) / (1.0 / high - 1.0 / low);
        return at_low + part * (at_high - at_low);
    }
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
        let table = [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (9.0, 2.262),
            (30.0, 2.042),
            (1e6, 1.960),
        ];
        for (freedom, expected) in table {
            assert!((student(freedom) - expected).abs() < 0.01, "{freedom}");
        }
        let falling = (10..60).map(|v| student(f64::from(v) / 10.0)).collect::<Vec<_>>();
        assert!(falling.windows(2).all(|w| w[0] > w[1]), "{falling:?}");
    }

    #[test]
    fn equal_runs_leave_no_doubt() {
        let s = Interval::of_runs(&[100; 10]);
        assert_eq!((s.mid, s.low, s.high), (100.0, 100.0, 100.0));
        assert!(s.is_tight());
    }

    #[test]
    fn the_interval_is_that_of_the_textbook() {
        // Alternating runs are not positively correlated: n stays n.
        let runs: Vec<u64> = (0..10).map(|i| if i % 2 == 0 { 90 } else { 110 }).collect();
        let s = Interval::of_runs(&runs);
        let expected = 2.262 * 10.541 / 10f64.sqrt();
        assert!((s.high - s.mid - expected).abs() < 0.05, "{s:?}");
        assert!(!s.is_tight());
    }

    #[test]
    fn drift_widens_the_interval() {
        let drifting: Vec<u64> = (0..100).map(|i| 1000 + i).collect();
        let shuffled: Vec<u64> = (0..100).map(|i| 1000 + (i * 37) % 100).collect();
        let (a, b) = (Interval::of_runs(&drifting), Interval::of_runs(&shuffled));
        assert!(a.high - a.mid > 5.0 * (b.high - b.mid), "{a:?} {b:?}");
    }

    #[test]
    fn no_runs() {
        assert_eq!(Interval::of_runs(&[]), Interval { mid: 0.0, low: 0.0, high: 0.0 });
        assert_eq!((median(&[]), geometric_mean(&[]), ratio(&[], &[])), (0.0, None, None));
    }

    #[test]
    fn ratios() {
        let r = ratio(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]);
        assert!(r.is_some_and(|r| (r.mid - 2.0).abs() < 1e-9 && (r.high - r.low).abs() < 1e-9));
        let r = ratio(&[2.0, 3.0], &[1.0, 1.0]);
        assert!(r.is_some_and(|r| r.low < 2.0 && r.high > 3.0 && (r.mid - 6f64.sqrt()).abs() < 1e-9));
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0])), (2.0, 2.5));
        assert!(geometric_mean(&[1.0, 4.0]).is_some_and(|g| (g - 2.0).abs() < 1e-9));
    }
}
