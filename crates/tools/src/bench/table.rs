//! Results as lines of text.

use super::results::{Measurement, Outcome};
use fehu_data::spec::TestRun;
use fehu_data::stats::{mean, numbers, Interval};

/// A line for a data set.
pub(super) struct Row {
    /// What the data set is called.
    pub(super) name: String,
    /// How wide names are.
    pub(super) width: usize,
    /// How much to tell.
    pub(super) verbose: u8,
}

/// How wide a column must be for the names of data sets.
pub(super) fn name_width(runs: &[TestRun]) -> usize {
    runs.iter().map(|r| r.dataset_name().chars().count()).max().unwrap_or(0)
}

impl Row {
    /// What is shown in the end.
    pub(super) fn finished(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Failed(message) => format!("{}:\n{}", self.name, message.trim_end()),
            Outcome::Measured(m) => self.measured(m),
        }
    }

    /// What is shown meanwhile.
    pub(super) fn running(&self, runs: &[u64]) -> String {
        let mean = mean(&numbers(runs));
        format!("{}{mean:>11.0}μs after {} runs", self.label(), runs.len())
    }

    fn measured(&self, m: &Measurement) -> String {
        let Interval { mid, low, high } = Interval::of_runs(&m.runtimes);
        let mut line = format!("{}{mid:>11.0}μs (95% CI: [{low:>10.1}, {high:>10.1}])", self.label());
        for (space, bytes) in &m.bytes {
            let space = match space.strip_prefix("space '").and_then(|s| s.strip_suffix('\'')) {
                _ if space == "default space" => String::new(),
                inner => format!("{} ", inner.unwrap_or(space)),
            };
            line.push_str(&format!(", {space}{}", size(*bytes)));
        }
        if self.verbose > 0 {
            line.push_str(&format!(", {} runs", m.runtimes.len()));
        }
        line
    }

    fn label(&self) -> String {
        let gap = self.width.saturating_sub(self.name.chars().count());
        format!("{}:{}", self.name, " ".repeat(gap))
    }
}

/// Bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_aligned() {
        let measured = Outcome::Measured(Measurement {
            runtimes: vec![90, 110, 90, 110, 90, 110, 90, 110, 90, 110],
            bytes: vec![("default space".into(), 12), ("space 'device'".into(), 400_000)],
            ..Measurement::default()
        });
        let row = |name: &str, verbose| Row { name: name.into(), width: 5, verbose };
        assert_eq!(
            row("ten", 1).finished(&measured),
            "ten:          100μs (95% CI: [      92.5,      107.5]), 12 B, device 400.0 kB, 10 runs"
        );
        assert_eq!(
            row("großs", 0).finished(&measured),
            "großs:        100μs (95% CI: [      92.5,      107.5]), 12 B, device 400.0 kB"
        );
        assert_eq!(row("bad", 0).finished(&Outcome::Failed("Error: x\n\n".into())), "bad:\nError: x");
    }

    #[test]
    fn sizes() {
        assert_eq!(
            [0, 999, 1000, 999_999, 2_500_000_000, 7_000_000_000_000_000].map(size),
            ["0 B", "999 B", "1.0 kB", "1.0 MB", "2.5 GB", "7000.0 TB"]
        );
    }
}
