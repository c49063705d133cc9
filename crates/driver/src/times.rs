//! How long the parts of a compilation take.
//!
//! In: each pass, as it runs. Out: a table, in the order in which they ran.
//!
//! ```text
//! pass                     ms   share
//! parse                   0.9    7.4%
//! check                   2.1   17.2%
//! ...
//! ```

use std::fmt::Write;
use std::time::{Duration, Instant};

/// What ran, in order, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Times {
    passes: Vec<(String, Duration)>,
}

impl Times {
    /// Runs a pass.
    pub fn time<T>(&mut self, pass: &str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.add(pass, start.elapsed());
        result
    }

    /// A pass that ran.
    pub fn add(&mut self, pass: &str, time: Duration) {
        self.passes.push((pass.to_string(), time));
    }

    /// The table.
    pub fn table(&self) -> String {
        let total: Duration = self.passes.iter().map(|(_, t)| *t).sum();
        let width = self.passes.iter().map(|(p, _)| p.len()).max().unwrap_or(0).max("total".len());
        let mut text = format!("{:width$} {:>10} {:>7}\n", "pass", "ms", "share");
        let total = ("total".to_string(), total);
        for (pass, time) in self.passes.iter().chain([&total]) {
            let share = 100.0 * time.as_secs_f64() / total.1.as_secs_f64().max(f64::MIN_POSITIVE);
            let _ = writeln!(text, "{pass:width$} {:>10.2} {share:>6.1}%", time.as_secs_f64() * 1000.0);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_line_for_each_pass_and_the_shares_of_all() {
        let mut times = Times::default();
        assert_eq!(times.time("parse", || 7), 7);
        times.passes[0].1 = Duration::from_millis(1);
        times.add("simplify#1", Duration::from_millis(3));
        let expected = "pass               ms   share\n\
                        parse            1.00   25.0%\n\
                        simplify#1       3.00   75.0%\n\
                        total            4.00  100.0%\n";
        assert_eq!(times.table(), expected);
    }
}
