//! The oracle of the search: the program itself, running as a server.
//!
//! Logging costs time, so a server either logs (to see what is compared) or is
//! measured. There is one at a time: two might not fit on a device.

use super::forest::Forest;
use super::search::{Oracle, Probe};
use super::{DataSet, Options};
use crate::errln;
use crate::programs::{Call, Connection, ServerProcess, Trouble};
use fehu_data::server::ServerError;
use fehu_data::stats::median;
use indicatif::ProgressBar;
use std::path::Path;
use std::time::Duration;

/// What a server is started for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Logging,
    Timing,
}

/// Runs data sets.
pub(super) struct Runner<'a> {
    server: &'a Path,
    options: &'a Options,
    forest: &'a Forest,
    datasets: &'a [DataSet],
    bar: ProgressBar,
    process: Option<Running>,
    /// How long a measurement of each data set may take.
    patience: Vec<Option<Duration>>,
    /// Sizes that servers are started with: kernels are compiled for them.
    sizes: Vec<(String, i64)>,
}

/// A server, and the data set that is loaded.
struct Running {
    purpose: Purpose,
    process: ServerProcess,
    loaded: Option<(usize, Call)>,
}

/// A run that takes so much longer than the best is not repeated.
const HOPELESS: f64 = 5.0;
/// But a first run that takes less than this, in microseconds, gets a second chance.
const SHORT: f64 = 2e6;
/// Nor is one that was slower than this part twice.
const SLOWER: f64 = 1.5;
/// A measurement that takes so much longer than the first one is stopped.
const TOO_LONG: f64 = 10.0;
/// However short, a measurement may take this long.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);

/// The names and classes of the tuning parameters of some entry points.
pub(super) fn params(
    server: &Path,
    options: &Options,
    entries: &[String],
) -> Result<Vec<(String, String)>, String> {
    let mut process = ServerProcess::start(server, None, &options.pass_options)?;
    let ask = |server: &mut Connection| {
        let mut params = vec![];
        for entry in entries {
            for line in server.command(&["tuning_params", entry])? {
                // Servers of older compilers tell only the names.
                let (name, class) = match line.split_once(' ') {
                    Some((name, class)) => (name.to_owned(), class.to_owned()),
                    None => (line.clone(), server.tuning_param_class(&line)?),
                };
                params.push((name, class));
            }
        }
        Ok(params)
    };
    process.talk(options.timeout, ask).map_err(|e| e.to_string())
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        server: &'a Path,
        options: &'a Options,
        forest: &'a Forest,
        datasets: &'a [DataSet],
        bar: ProgressBar,
    ) -> Runner<'a> {
        let patience = vec![options.timeout; datasets.len()];
        Runner { server, options, forest, datasets, bar, process: None, patience, sizes: vec![] }
    }

    /// How long a data set takes as it is without tuning.
    pub(super) fn untuned(&mut self, dataset: usize) -> Result<f64, String> {
        self.process = None;
        self.measured(dataset, &[], None, "untuned")
    }

    /// How long a data set takes with what was found.
    pub(super) fn tuned(&mut self, dataset: usize, settings: &[(String, i64)]) -> Result<f64, String> {
        self.process = None;
        self.measured(dataset, settings, None, "tuned")
    }

    /// How long a data set takes with what was found, and sizes of blocks and tiles; nothing if it fails.
    pub(super) fn sized(
        &mut self,
        dataset: usize,
        settings: &[(String, i64)],
        sizes: &[(String, i64)],
    ) -> Option<f64> {
        self.with_sizes(sizes);
        let what = match sizes.last() {
            Some((name, value)) => format!("{name}={value}"),
            None => "usual sizes".into(),
        };
        self.measured(dataset, settings, None, &what).ok()
    }

    /// From now on servers have these sizes.
    pub(super) fn with_sizes(&mut self, sizes: &[(String, i64)]) {
        if self.sizes != sizes {
            self.process = None;
            self.sizes = sizes.to_vec();
        }
    }

    /// `what` is for people.
    fn measured(
        &mut self,
        dataset: usize,
        settings: &[(String, i64)],
        best: Option<f64>,
        what: &str,
    ) -> Result<f64, String> {
        self.bar.set_message(self.datasets[dataset].name.clone());
        let runs = self.options.runs;
        let limit = self.patience[dataset];
        let result = self.talk(Purpose::Timing, dataset, settings, limit, |server, call| {
            measure(server, call, runs, best)
        });
        self.bar.inc(1);
        let result = match result {
            Ok(time) => {
                self.become_impatient(dataset, time);
                Ok(time)
            }
            Err(Trouble::TooLate) => Err("it takes too long".into()),
            Err(trouble @ (Trouble::Failed(_) | Trouble::Exited(_) | Trouble::Dead(_))) => {
                Err(trouble.to_string())
            }
        };
        if self.options.verbose > 0 {
            self.tell(dataset, what, &result);
        }
        result
    }

    /// The first measurement that succeeds sets the limit for all others.
    fn become_impatient(&mut self, dataset: usize, time: f64) {
        if self.patience[dataset] == self.options.timeout && self.options.timeout.is_some() {
            let all = time * 1e-6 * (self.options.runs.unwrap_or(10) + 1) as f64 * TOO_LONG;
            let limit = Duration::try_from_secs_f64(all).unwrap_or(Duration::MAX).max(LEAST_PATIENCE);
            self.patience[dataset] = Some(limit);
        }
    }

    fn tell(&self, dataset: usize, what: &str, result: &Result<f64, String>) {
        let outcome = match result {
            Ok(time) => format!("{time:.0}μs"),
            Err(message) => message.lines().next().unwrap_or("").to_owned(),
        };
        self.bar.suspend(|| errln!("{}: {what}: {outcome}", self.datasets[dataset].name));
    }

    /// Talks to a server that serves a purpose, has a data set loaded, and some thresholds set.
    fn talk<T>(
        &mut self,
        purpose: Purpose,
        dataset: usize,
        settings: &[(String, i64)],
        limit: Option<Duration>,
        what: impl FnOnce(&mut Connection, &mut Call) -> Result<T, ServerError>,
    ) -> Result<T, Trouble> {
        if self.process.as_ref().is_some_and(|p| p.purpose != purpose) {
            self.process = None;
        }
        let mut running = match self.process.take() {
            Some(running) => running,
            None => self.start(purpose).map_err(Trouble::Dead)?,
        };
        let Running { process, loaded, .. } = &mut running;
        let data = &self.datasets[dataset];
        let result = process.talk(limit, |server| {
            for (name, value) in settings {
                server.set_tuning_param(name, *value)?;
            }
            if loaded.as_ref().is_some_and(|(number, _)| *number != dataset) {
                if let Some((_, call)) = loaded.take() {
                    call.unload(server)?;
                }
            }
            let call = match loaded.take() {
                Some((_, call)) => call,
                None => Call::load(server, &data.entry, &data.arguments.name)?,
            };
            what(server, &mut loaded.insert((dataset, call)).1)
        });
        // A server that failed may have been left in any state.
        if result.is_ok() {
            self.process = Some(running);
        }
        result
    }

    /// Settings of all thresholds, by name.
    fn named(&self, settings: &[i64]) -> Vec<(String, i64)> {
        settings.iter().enumerate().map(|(t, value)| (self.forest.name(t).to_owned(), *value)).collect()
    }

    fn start(&self, purpose: Purpose) -> Result<Running, String> {
        let mut options = self.options.pass_options.clone();
        if purpose == Purpose::Logging {
            options.push("-L".into());
        }
        options.extend(self.sizes.iter().map(|(name, value)| format!("--param={name}={value}")));
        let process = ServerProcess::start(self.server, None, &options)?;
        Ok(Running { purpose, process, loaded: None })
    }
}

impl Oracle for Runner<'_> {
    fn probe(&mut self, dataset: usize, settings: &[i64]) -> Probe {
        self.bar.set_message(self.datasets[dataset].name.clone());
        let limit = self.options.timeout;
        let mut log = vec![];
        let settings = self.named(settings);
        let result = self.talk(Purpose::Logging, dataset, &settings, limit, |server, call| {
            match call.run(server) {
                Ok(report) => log = report.log,
                Err(ServerError::Failure { message, log: said }) => {
                    log.clone_from(&said);
                    return Err(ServerError::Failure { message, log: said });
                }
                Err(ServerError::Closed { command, log: said }) => {
                    log.clone_from(&said);
                    return Err(ServerError::Closed { command, log: said });
                }
                Err(e) => return Err(e),
            }
            Ok(())
        });
        if let Some(running) = &mut self.process {
            // Some servers log there.
            log.extend(running.process.take_stderr().lines().map(str::to_owned));
        }
        let (mut compared, mut others) = (vec![], vec![]);
        for (name, amount) in log.iter().filter_map(|line| comparison(line)) {
            if let Some(threshold) = self.forest.number(name) {
                compared.push((threshold, amount));
            } else if let Some(threshold) = self.forest.split_by(name) {
                others.push((threshold, amount));
            }
        }
        Probe { compared, others, complete: result.is_ok() }
    }

    fn time(&mut self, dataset: usize, settings: &[i64], best: Option<f64>) -> Result<f64, String> {
        let set: Vec<String> = (settings.iter().enumerate())
            .filter(|(_, v)| **v < super::INFINITY)
            .map(|(t, v)| format!("{}={v}", self.forest.name(t)))
            .collect();
        let what = if set.is_empty() { "nothing reached".to_owned() } else { set.join(" ") };
        let settings = self.named(settings);
        self.measured(dataset, &settings, best, &what)
    }
}

/// The median of some runs; of fewer if they are much slower than the best.
fn measure(
    server: &mut Connection,
    call: &mut Call,
    runs: Option<usize>,
    best: Option<f64>,
) -> Result<f64, ServerError> {
    let best = best.unwrap_or(f64::INFINITY);
    let mut run =
        |server: &mut Connection| call.run(server).map(|report| report.runtime_us.unwrap_or_default() as f64);
    let mut warm_up = run(server)?;
    if warm_up > HOPELESS * best && warm_up < SHORT {
        // Some devices compile a kernel when it is first launched.
        warm_up = warm_up.min(run(server)?);
    }
    if warm_up > HOPELESS * best {
        return Ok(warm_up);
    }
    let mut times: Vec<f64> = vec![];
    while !enough(runs, &times) {
        times.push(run(server)?);
        if times.len() >= 2 && times.iter().all(|t| *t > SLOWER * best) {
            break;
        }
    }
    Ok(median(&times))
}

/// Whether there were enough runs: as many as asked for; else ten, or three that take a second together. Runs of a few
/// microseconds are repeated more often, for the clock is coarse.
fn enough(runs: Option<usize>, times: &[f64]) -> bool {
    match runs {
        Some(runs) => times.len() >= runs.max(1),
        None => {
            let sum: f64 = times.iter().sum();
            (times.len() >= 10 && (sum > 2e4 || times.len() >= 100)) || (times.len() >= 3 && sum > 1e6)
        }
    }
}

/// What a line of a log says of a comparison: `Compared NAME <= AMOUNT: true.`
fn comparison(line: &str) -> Option<(&str, i64)> {
    let (name, rest) = line.strip_prefix("Compared ")?.split_once(" <= ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((name, rest[..digits].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_are_repeated_more_often() {
        assert!(enough(None, &[4e5; 3]) && !enough(None, &[4e5; 2]));
        assert!(enough(None, &[3e3; 10]) && !enough(None, &[10.0; 10]) && enough(None, &[10.0; 100]));
        assert!(enough(Some(2), &[10.0; 2]));
    }

    #[test]
    fn comparisons_in_logs() {
        assert_eq!(
            comparison("Compared main.suff_outer_par_0 <= 64: true."),
            Some(("main.suff_outer_par_0", 64))
        );
        assert_eq!(comparison("Compared a <= 5."), Some(("a", 5)));
        assert_eq!(comparison("Compared a <= b."), None);
        assert_eq!(comparison("Launched a <= 5."), None);
    }
}
