//! Measuring one data set on a running server.

use super::measure::{measure, Watch};
use super::results::{Measurement, Outcome};
use super::table::Row;
use super::Options;
use crate::programs::{file_values, Call, Connection, Maker, ServerProcess, Trouble};
use fehu_data::server::ServerError;
use fehu_data::spec::{Expected, TestRun};
use fehu_data::{compare, read_values, Tolerance, Value};
use indicatif::ProgressBar;
use serde_json::Value as Json;
use std::path::Path;
use std::time::{Duration, Instant};

/// What to measure.
pub(super) struct Job<'a> {
    pub(super) maker: &'a Maker<'a>,
    pub(super) entry: &'a str,
    pub(super) case: &'a TestRun,
    /// Where files may be made.
    pub(super) dir: &'a Path,
    pub(super) options: &'a Options,
}

/// How many differences from the expected result are shown.
const SHOWN: usize = 3;

/// Measures a data set. A server that is no longer fit for use is ended.
pub(super) fn run_dataset(process: &mut Option<ServerProcess>, job: &Job, row: &Row) -> Outcome {
    let Some(server) = process else { return Outcome::Failed("the program does not run".into()) };
    let file = match job.maker.arguments(job.entry, &job.case.input, job.dir) {
        Ok(file) => file,
        Err(message) => return Outcome::Failed(message),
    };
    let expected = match &job.case.expected {
        Expected::Values(values) => Some(values.clone()),
        Expected::File(name) => match file_values(job.maker.program, name) {
            Ok(values) => Some(values),
            Err(message) => return Outcome::Failed(message),
        },
        // Without another compiler to ask, running without an error is what we can see.
        Expected::Success | Expected::Auto | Expected::Error(_) => None,
    };
    let bar = if job.options.terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    let mut live = Live { start: Instant::now(), shown: Duration::ZERO, bar, row };
    server.take_stderr();
    let result = server.talk(job.options.timeout, |server| {
        conversation(server, job, &file.name, expected.as_deref(), &mut live)
    });
    live.bar.finish_and_clear();
    let outcome = match result {
        Ok(Ok(mut measurement)) => {
            let complaints = server.take_stderr();
            if let Some(log) = &mut measurement.log {
                log.push_str(&complaints);
            }
            return Outcome::Measured(measurement);
        }
        Ok(Err(message)) => Outcome::Failed(message),
        Err(Trouble::TooLate) => {
            let limit = job.options.timeout.unwrap_or_default().as_secs();
            Outcome::Failed(format!("stopped after {limit} s"))
        }
        Err(trouble @ (Trouble::Failed(_) | Trouble::Exited(_) | Trouble::Dead(_))) => {
            Outcome::Failed(trouble.to_string())
        }
    };
    // Variables may be left over, or the server may be gone.
    *process = None;
    outcome
}

/// What the data set looks like while it runs.
struct Live<'a> {
    start: Instant,
    shown: Duration,
    bar: ProgressBar,
    row: &'a Row,
}

impl Watch for Live<'_> {
    fn now(&mut self) -> Duration {
        self.start.elapsed()
    }

    fn progress(&mut self, runs: &[u64]) {
        let now = self.start.elapsed();
        if self.bar.is_hidden() || now - self.shown < Duration::from_millis(100) {
            return;
        }
        self.shown = now;
        self.bar.set_message(self.row.running(runs));
        self.bar.tick();
    }
}

/// Everything that is said about a data set. The inner error is a wrong result.
fn conversation(
    server: &mut Connection,
    job: &Job,
    file: &str,
    expected: Option<&[Value]>,
    live: &mut Live,
) -> Result<Result<Measurement, String>, ServerError> {
    server.clear()?;
    if job.options.profile {
        server.pause_profiling()?;
    }
    let mut call = Call::load(server, job.entry, file)?;
    let warm_up = call.run(server)?;
    if warm_up.runtime_us.is_none() {
        return Ok(Err("the program does not say how long it runs".into()));
    }
    if let Some(expected) = expected {
        if let Err(message) = check(server, &call, expected, job.dir)? {
            return Ok(Err(message));
        }
    }
    let runtimes = measure(&job.options.plan, live, || {
        call.run(server).map(|report| report.runtime_us.unwrap_or_default())
    })?;
    let report = report(server)?;
    let spaces = report.get("memory").and_then(Json::as_object).into_iter().flatten();
    let bytes = spaces.filter_map(|(space, n)| Some((space.clone(), n.as_u64()?))).collect();
    let mut measurement = Measurement { runtimes, bytes, ..Measurement::default() };
    if job.options.profile {
        server.unpause_profiling()?;
        let last = call.run(server)?;
        server.pause_profiling()?;
        measurement.profiling = Some(self::report(server)?);
        measurement.log = Some(last.log.iter().map(|line| format!("{line}\n")).collect());
    }
    call.unload(server)?;
    Ok(Ok(measurement))
}

fn report(server: &mut Connection) -> Result<Json, ServerError> {
    let lines = server.report()?;
    // An old program may report something else; then there is nothing to tell.
    Ok(serde_json::from_str(&lines.concat()).unwrap_or(Json::Null))
}

fn check(
    server: &mut Connection,
    call: &Call,
    expected: &[Value],
    dir: &Path,
) -> Result<Result<(), String>, ServerError> {
    let file = dir.join("result");
    if !call.store(server, &file.display().to_string())? {
        return Ok(Err("the result is opaque, and cannot be compared with the expected one".into()));
    }
    let bytes = std::fs::read(&file)?;
    // It may be large.
    std::fs::remove_file(&file)?;
    let actual = match read_values(&bytes) {
        Ok(values) => values,
        Err(e) => return Ok(Err(format!("the result cannot be read: {e}"))),
    };
    let differences = compare(expected, &actual, Tolerance::default(), SHOWN);
    if differences.is_empty() {
        return Ok(Ok(()));
    }
    let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
    Ok(Err(format!("the result is not the expected one:\n{}", lines.join("\n"))))
}
