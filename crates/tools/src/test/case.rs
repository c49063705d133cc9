//! One data set of a program.

use super::built::Built;
use super::process::{run_limited, Ended};
use super::scripted::run_scripted;
use super::Options;
use crate::programs::{beside, file_values, input_bytes, tuning};
use fehu_data::spec::{Expected, Input, TestRun};
use fehu_data::{compare, read_values, Tolerance, Value};
use std::path::Path;
use std::process::Command;

/// What became of a data set.
pub(super) enum CaseResult {
    Passed,
    Failed(String),
}

/// How a run ended.
pub(super) enum Finished {
    /// With results, as bytes of a data file.
    Results(Vec<u8>),
    /// With an error message.
    Error(String),
}

/// How many differences are shown.
const SHOWN: usize = 3;

/// Runs a program on a data set and compares.
pub(super) fn run_case(
    program: &Path,
    built: &Built,
    entry: &str,
    case: &TestRun,
    options: &Options,
) -> CaseResult {
    let result = match &case.input {
        Input::Script(script) => run_scripted(program, built, entry, script, case, options),
        Input::ScriptFile(name) => {
            let path = beside(program, name);
            fehu_driver::files::read_source(&path)
                .map_err(|e| format!("could not read {}: {e}", path.display()))
                .and_then(|script| run_scripted(program, built, entry, &script, case, options))
        }
        Input::Values(_) | Input::File(_) | Input::Random(_) => {
            run_on_values(program, built, entry, case, options)
        }
    };
    result.unwrap_or_else(CaseResult::Failed)
}

fn run_on_values(
    program: &Path,
    built: &Built,
    entry: &str,
    case: &TestRun,
    options: &Options,
) -> Result<CaseResult, String> {
    let input = input_bytes(program, &case.input)?;
    // Results that nobody looks at need not be such as can be printed.
    let mut quiet = options.clone();
    if matches!(case.expected, Expected::Success) {
        quiet.pass_options.push("-n".into());
    }
    let finished = execute(&built.executable(), entry, &input, &quiet)?;
    let auto = reference_results(program, built, entry, case, &input, options)?;
    Ok(judge(program, case, &finished, auto.as_deref()))
}

/// The results by the C back end, if a block asks for them and they are not what is tested.
pub(super) fn reference_results(
    program: &Path,
    built: &Built,
    entry: &str,
    case: &TestRun,
    input: &[u8],
    options: &Options,
) -> Result<Option<Vec<u8>>, String> {
    let reference = match &case.expected {
        Expected::Auto => built.reference()?,
        Expected::Success | Expected::Values(_) | Expected::File(_) | Expected::Error(_) => None,
    };
    let Some(reference) = reference else { return Ok(None) };
    let pass_options = tuning::of(program, options.tuning.as_deref(), reference, None).options;
    let options = Options { runner: None, pass_options, ..options.clone() };
    match execute(reference, entry, input, &options)? {
        Finished::Results(bytes) => Ok(Some(bytes)),
        Finished::Error(message) => Err(format!("the executable by the C back end fails:\n{message}")),
    }
}

fn execute(executable: &Path, entry: &str, input: &[u8], options: &Options) -> Result<Finished, String> {
    let mut command = match &options.runner {
        Some(runner) => {
            let mut c = Command::new(runner);
            c.arg(executable);
            c
        }
        None => Command::new(executable),
    };
    command.args(["-e", entry, "-b"]).args(&options.pass_options);
    match run_limited(command, input, options.time_limit) {
        Ok(Ended::Normally { success: true, stdout, .. }) => Ok(Finished::Results(stdout)),
        Ok(Ended::Normally { success: false, stderr, .. }) => Ok(Finished::Error(stderr)),
        Ok(Ended::BySignal) => Err("the program crashed".into()),
        Ok(Ended::TooLate) => Err(format!("stopped after {} s", options.time_limit.as_secs())),
        Err(e) => Err(format!("could not run the program: {e}")),
    }
}

/// Whether a run ended as it should; `auto` are the results for `auto output`, if they are known.
pub(super) fn judge(program: &Path, case: &TestRun, finished: &Finished, auto: Option<&[u8]>) -> CaseResult {
    let expected = match (&case.expected, finished) {
        (Expected::Error(_), Finished::Results(_)) => {
            return CaseResult::Failed("it should fail, but succeeds".into());
        }
        (Expected::Error(pattern), Finished::Error(message)) if pattern.matches(message) => {
            return CaseResult::Passed;
        }
        (Expected::Error(pattern), Finished::Error(message)) => {
            let text = format!("expected an error matching {}, but got:\n{message}", pattern.as_str());
            return CaseResult::Failed(text);
        }
        (_, Finished::Error(message)) => return CaseResult::Failed(format!("it failed:\n{message}")),
        (Expected::Success, _) => Ok(None),
        (Expected::Auto, _) => auto.map(read_values).transpose().map_err(|e| e.to_string()),
        (Expected::Values(vs), _) => Ok(Some(vs.clone())),
        (Expected::File(name), _) => file_values(program, name).map(Some),
    };
    match (expected, finished) {
        (Ok(Some(expected)), Finished::Results(bytes)) => verdict(&expected, bytes),
        (Ok(_), _) => CaseResult::Passed,
        (Err(message), _) => CaseResult::Failed(message),
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
