//! How often to run: first a fixed number of times or a fixed time, whichever
//! is longer; if these runs leave too much doubt, they are thrown away, and it
//! runs until there is little doubt or patience is over.

use fehu_data::stats::Interval;
use std::time::Duration;

/// How long to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The least number of runs.
    pub runs: usize,
    /// The least time that they take together.
    pub least: Duration,
    /// How long to go on if they leave too much doubt; `None` to leave it at that.
    pub converge: Option<Duration>,
}

/// As `fehu bench` measures by default.
impl Default for Plan {
    fn default() -> Plan {
        Plan { runs: 10, least: Duration::from_millis(500), converge: Some(Duration::from_secs(300)) }
    }
}

/// What watches and times the runs.
pub(crate) trait Watch {
    /// The time since some moment.
    fn now(&mut self) -> Duration;
    /// Runs so far in this phase.
    fn progress(&mut self, runs: &[u64]);
}

/// Runs as often as the plan wants; a run gives microseconds.
pub(crate) fn measure<E>(
    plan: &Plan,
    watch: &mut impl Watch,
    mut run: impl FnMut() -> Result<u64, E>,
) -> Result<Vec<u64>, E> {
    let mut runs = vec![];
    let start = watch.now();
    while runs.len() < plan.runs.max(1) || watch.now() - start < plan.least {
        runs.push(run()?);
        watch.progress(&runs);
    }
    let Some(longest) = plan.converge else { return Ok(runs) };
    if Interval::of_runs(&runs).is_tight() {
        return Ok(runs);
    }
    runs.clear();
    let start = watch.now();
    // Looking after every run would cost quadratic time; looking rarely would cost runs.
    let mut look = plan.runs.max(1);
    while watch.now() - start < longest {
        runs.push(run()?);
        watch.progress(&runs);
        if runs.len() >= look {
            if Interval::of_runs(&runs).is_tight() {
                break;
            }
            look = runs.len() + runs.len() / 4 + 1;
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that only runs move.
    struct Fake {
        now: std::rc::Rc<std::cell::Cell<u64>>,
        seen: usize,
    }

    impl Watch for Fake {
        fn now(&mut self) -> Duration {
            Duration::from_micros(self.now.get())
        }
        fn progress(&mut self, _: &[u64]) {
            self.seen += 1;
        }
    }

    /// What was measured, and how many runs there were in all.
    fn measured(plan: &Plan, times: impl Fn(usize) -> u64) -> (Vec<u64>, usize) {
        let now = std::rc::Rc::new(std::cell::Cell::new(0));
        let mut watch = Fake { now: std::rc::Rc::clone(&now), seen: 0 };
        let mut count = 0;
        let runs = measure(plan, &mut watch, || {
            let t = times(count);
            count += 1;
            now.set(now.get() + t);
            Ok::<u64, ()>(t)
        });
        assert_eq!(watch.seen, count);
        (runs.expect("nothing fails"), count)
    }

    #[test]
    fn steady_programs_need_one_phase() {
        assert_eq!(measured(&Plan::default(), |_| 100_000).0.len(), 10);
        // Ten runs are too short.
        assert_eq!(measured(&Plan::default(), |_| 1000).0.len(), 500);
    }

    #[test]
    fn shaky_programs_run_until_there_is_little_doubt() {
        let shaky = |i: usize| 100_000 + [0, 40_000, 15_000, 5_000][i % 4];
        let (runs, all) = measured(&Plan::default(), shaky);
        assert!(all == runs.len() + 10 && runs.len() > 20, "{} of {all}", runs.len());
        assert!(Interval::of_runs(&runs).is_tight());
        let once = Plan { converge: None, ..Plan::default() };
        assert_eq!(measured(&once, shaky).0.len(), 10);
    }

    #[test]
    fn patience_ends() {
        let plan = Plan { converge: Some(Duration::from_secs(3)), ..Plan::default() };
        let (runs, _) = measured(&plan, |i| if i % 7 == 0 { 900_000 } else { 10_000 });
        assert!(!Interval::of_runs(&runs).is_tight());
        assert!(runs.iter().sum::<u64>() < 4_000_000);
    }
}
