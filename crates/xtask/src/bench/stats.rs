//! Means and intervals. Ratios are paired by round and averaged as logarithms, so that a slow moment of the machine
//! that hits both contestants of a round cancels, and so that A to B is the inverse of B to A.

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    /// The estimate.
    pub(crate) mid: f64,
    /// The lower end.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
}

/// The median (0 for no values).
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// How many times longer `times` are than `base`, round by round.
pub(crate) fn ratio(times: &[f64], base: &[f64]) -> Option<Interval> {
    let logs: Vec<f64> =
        times.iter().zip(base).filter(|(t, b)| **t > 0.0 && **b > 0.0).map(|(t, b)| (t / b).ln()).collect();
    let n = logs.len() as f64;
    if logs.is_empty() {
        return None;
    }
    let mean = logs.iter().sum::<f64>() / n;
    let spread = if logs.len() > 1 {
        let variance = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        student(logs.len() - 1) * (variance / n).sqrt()
    } else {
        0.0
    };
    Some(Interval { mid: mean.exp(), low: (mean - spread).exp(), high: (mean + spread).exp() })
}

/// The 97.5 % point of Student's distribution.
fn student(degrees: usize) -> f64 {
    const TABLE: [f64; 12] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18];
    match degrees {
        0 => f64::INFINITY,
        d if d <= TABLE.len() => TABLE[d - 1],
        d if d <= 30 => 2.09,
        _ => 1.97,
    }
}

/// The geometric mean of positive numbers.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|x| x.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios() {
        let r = ratio(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]);
        assert!(r.is_some_and(|r| (r.mid - 2.0).abs() < 1e-9 && (r.high - r.low).abs() < 1e-9));
        let r = ratio(&[2.0, 3.0], &[1.0, 1.0]);
        assert!(r.is_some_and(|r| r.low < 2.0 && r.high > 3.0 && (r.mid - 6f64.sqrt()).abs() < 1e-9));
        assert_eq!(ratio(&[], &[]), None);
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0])), (2.0, 2.5));
        assert!(geometric_mean(&[1.0, 4.0]).is_some_and(|g| (g - 2.0).abs() < 1e-9));
    }
}
