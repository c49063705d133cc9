//! One data set of a program.

use super::process::{run_limited, Ended};
use super::Options;
use crate::programs::{file_values, input_bytes};
use fehu_data::spec::{Expected, TestRun};
use fehu_data::{compare, read_values, Tolerance, Value};
use std::path::Path;
use std::process::Command;

/// What became of a data set.
pub(super) enum CaseResult {
    Passed,
    Skipped,
    Failed(String),
}

/// How many differences are shown.
const SHOWN: usize = 3;

/// Runs an executable on a data set and compares.
pub(super) fn run_case(
    program: &Path,
    executable: &Path,
    entry: &str,
    case: &TestRun,
    options: &Options,
) -> CaseResult {
    let input = match input_bytes(program, &case.input) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return CaseResult::Skipped,
        Err(message) => return CaseResult::Failed(message),
    };
    let mut command = match &options.runner {
        Some(runner) => {
            let mut c = Command::new(runner);
            c.arg(executable);
            c
        }
        None => Command::new(executable),
    };
    command.args(["-e", entry, "-b"]).args(&options.pass_options);
    let (stdout, stderr) = match run_limited(command, &input, options.time_limit) {
        Ok(Ended::Normally { success: true, stdout, stderr }) => (Ok(stdout), stderr),
        Ok(Ended::Normally { success: false, stderr, .. }) => (Err(()), stderr),
        Ok(Ended::BySignal) => return CaseResult::Failed("the program crashed".into()),
        Ok(Ended::TooLate) => {
            return CaseResult::Failed(format!("stopped after {} s", options.time_limit.as_secs()));
        }
        Err(e) => return CaseResult::Failed(format!("could not run the program: {e}")),
    };
    let expected = match &case.expected {
        Expected::Error(pattern) => {
            return match stdout {
                Ok(_) => CaseResult::Failed("it should fail, but succeeds".into()),
                Err(()) if pattern.matches(&stderr) => CaseResult::Passed,
                Err(()) => CaseResult::Failed(format!(
                    "expected an error matching {}, but got:\n{stderr}",
                    pattern.as_str()
                )),
            };
        }
        // Without another compiler to ask, running without an error is what we can see.
        Expected::Success | Expected::Auto => None,
        Expected::Values(vs) => Some(vs.clone()),
        Expected::File(name) => match file_values(program, name) {
            Ok(vs) => Some(vs),
            Err(message) => return CaseResult::Failed(message),
        },
    };
    match stdout {
        Err(()) => CaseResult::Failed(format!("it failed:\n{stderr}")),
        Ok(bytes) => match expected {
            None => CaseResult::Passed,
            Some(expected) => verdict(&expected, &bytes),
        },
    }
}

fn verdict(expected: &[Value], bytes: &[u8]) -> CaseResult {
    let actual = match read_values(bytes) {
        Ok(vs) => vs,
        Err(e) => return CaseResult::Failed(format!("its result cannot be read: {e}")),
    };
    let differences = compare(expected, &actual, Tolerance::default(), SHOWN);
    if differences.is_empty() {
        return CaseResult::Passed;
    }
    let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
    CaseResult::Failed(lines.join("\n"))
}
