//! What `fehu test` prints while it works: failures as they occur, and how far it is. On a terminal that is a table
//! that is drawn anew for every program; elsewhere a line every minute.

use super::{Outcome, Tally};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How often something is said where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(60);

/// Counts and prints.
pub(super) struct Progress {
    programs: usize,
    /// The table.
    bar: ProgressBar,
    state: Mutex<State>,
    terminal: bool,
}

struct State {
    tally: Tally,
    last_line: Instant,
}

impl Progress {
    /// For so many programs.
    pub(super) fn new(programs: usize, terminal: bool) -> Progress {
        let bar = if terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        let state = Mutex::new(State { tally: Tally::default(), last_line: Instant::now() });
        let progress = Progress { programs, bar, state, terminal };
        progress.bar.set_message(table(&Tally::default(), programs));
        progress
    }

    /// Prints what is no failure.
    pub(super) fn warn(&self, text: &str) {
        self.bar.suspend(|| crate::errln!("{text}"));
    }

    /// Counts a program and prints why it failed.
    pub(super) fn finished(&self, file: &Path, outcome: Outcome) {
        let mut state = self.state();
        let tally = &mut state.tally;
        tally.runs_passed += outcome.runs_passed;
        tally.runs_failed += outcome.runs_failed;
        tally.untestable += outcome.untestable;
        if outcome.skipped {
            tally.skipped += 1;
        } else if outcome.failures.is_empty() {
            tally.passed += 1;
        } else {
            tally.failed += 1;
            let (on, off) = if self.terminal { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
            let failures = outcome.failures.join("\n");
            let text = format!("{on}{}:{off}\n{}", file.display(), failures.trim_end());
            self.bar.suspend(|| crate::outln!("{text}"));
        }
        self.bar.set_message(table(tally, self.programs));
        let (tally, left) = (*tally, self.programs - done(tally));
        if !self.terminal && left > 0 && state.last_line.elapsed() > INTERVAL {
            state.last_line = Instant::now();
            crate::outln!("{} failed, {} passed, {left} to go.", tally.failed, tally.passed);
        }
    }

    /// Leaves the table on the terminal.
    pub(super) fn end(self) -> Tally {
        self.bar.finish();
        let tally = self.state().tally;
        tally
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

fn done(tally: &Tally) -> usize {
    tally.passed + tally.failed + tally.skipped
}

fn table(tally: &Tally, programs: usize) -> String {
    let row = |cells: [&str; 4]| {
        format!("│ {:<8} │ {:<6} │ {:<6} │ {:<9} │\n", cells[0], cells[1], cells[2], cells[3])
    };
    let line = |[left, middle, right]: [char; 3]| {
        let parts: Vec<String> = [10, 8, 8, 11].iter().map(|n| "─".repeat(*n)).collect();
        format!("{left}{}{right}\n", parts.join(&middle.to_string()))
    };
    let text = |n: usize| n.to_string();
    let remaining = format!("{}/{programs}", programs - done(tally));
    let mut out = line(['┌', '┬', '┐']);
    out += &row(["", "passed", "failed", "remaining"]);
    out += &line(['├', '┼', '┤']);
    out += &row(["programs", &text(tally.passed), &text(tally.failed), &remaining]);
    out += &row(["runs", &text(tally.runs_passed), &text(tally.runs_failed), ""]);
    out += &line(['└', '┴', '┘']);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table() {
        let tally =
            Tally { passed: 3, failed: 1, skipped: 1, runs_passed: 12, runs_failed: 2, untestable: 0 };
        let text = table(&tally, 10);
        assert!(text.contains("│ programs │ 3      │ 1      │ 5/10      │"), "{text}");
        assert!(text.contains("│ runs     │ 12     │ 2      │           │"), "{text}");
        let widths: Vec<usize> = text.lines().map(|l| l.chars().count()).collect();
        assert!(widths.iter().all(|w| *w == widths[0]), "{text}");
    }
}
