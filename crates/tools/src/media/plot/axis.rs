//! An axis of a plot: which numbers it shows, where they are, and which of them have a text.

/// From numbers to pixels.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) start: f64,
    pub(super) end: f64,
    /// Whether equal ratios have equal distances.
    pub(super) logarithmic: bool,
}

impl Axis {
    /// An axis that shows some numbers.
    pub(super) fn over(
        values: impl Iterator<Item = f64>,
        (start, end): (f64, f64),
        logarithmic: bool,
    ) -> Axis {
        let mut axis = Axis { low: f64::INFINITY, high: f64::NEG_INFINITY, start, end, logarithmic };
        for x in values {
            if axis.shows(x) {
                (axis.low, axis.high) = (axis.low.min(x), axis.high.max(x));
            }
        }
        if axis.low > axis.high {
            (axis.low, axis.high) = if logarithmic { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if axis.low == axis.high {
            let margin = if axis.low == 0.0 { 1.0 } else { axis.low.abs() * 0.1 };
            (axis.low, axis.high) = (axis.low - margin, axis.high + margin);
        }
        axis
    }

    /// Whether a number has a place on it.
    pub(super) fn shows(&self, x: f64) -> bool {
        x.is_finite() && (x > 0.0 || !self.logarithmic)
    }

    pub(super) fn at(&self, x: f64) -> f64 {
        if self.logarithmic {
            let part = (x.ln() - self.low.ln()) / (self.high.ln() - self.low.ln());
            return self.start + part * (self.end - self.start);
        }
        // Halves, as the difference of two finite numbers need not be one.
        let part = (x / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        self.start + part * (self.end - self.start)
    }

    /// Round numbers on the axis, with their text.
    pub(super) fn ticks(&self, pixels_per_tick: f64) -> Vec<(f64, String)> {
        if self.logarithmic {
            return self.powers(pixels_per_tick);
        }
        let count = ((self.end - self.start).abs() / pixels_per_tick).max(1.0);
        let rough = (self.high / 2.0 - self.low / 2.0) / count * 2.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * power).find(|s| *s >= rough);
        let Some(step) = step.filter(|s| s.is_finite() && *s > 0.0) else { return vec![] };
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let largest = self.low.abs().max(self.high.abs());
        let first = (self.low / step).ceil();
        (0..=count.ceil() as usize + 1)
            .map(|i| (first + i as f64) * step)
            .filter(|x| *x <= self.high + step * 1e-9)
            .map(|x| {
                let text = if !(1e-4..1e6).contains(&largest) {
                    format!("{:e}", (x / step).round() * step)
                } else {
                    format!("{:.decimals$}", x + 0.0)
                };
                (x, if text.len() > 9 { format!("{x:.3e}") } else { text })
            })
            .collect()
    }

    /// Powers of ten on the axis, not too many; a short axis has numbers between them.
    fn powers(&self, pixels_per_tick: f64) -> Vec<(f64, String)> {
        let count = ((self.end - self.start).abs() / pixels_per_tick).max(1.0);
        let (low, high) = (self.low.log10(), self.high.log10());
        let step = ((high - low) / count).ceil().max(1.0) as usize;
        let between: &[f64] = if high - low < count / 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = (low.floor() as i32..=high.ceil() as i32).step_by(step);
        let numbers = powers.flat_map(|p| between.iter().map(move |n| n * 10f64.powi(p)));
        let shown = |x: f64| match (1e-3..1e5).contains(&x) {
            true => format!("{x}"),
            false => format!("{x:e}"),
        };
        numbers.filter(|x| (self.low..=self.high).contains(x)).map(|x| (x, shown(x))).collect()
    }
}
