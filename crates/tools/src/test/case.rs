//! One data set of a program.

use super::built::Built;
use super::running::Running;
use super::scripted::run_scripted;
use crate::programs::{beside, file_values, input_bytes, Call, Trouble};
use fehu_data::spec::{Expected, Input, TestRun};
use fehu_data::{compare, read_values, Tolerance, Value};
use fehu_driver::files::write;
use std::path::Path;
use std::time::Duration;

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
pub(super) fn run_case(program: &Path, built: &mut Built, entry: &str, case: &TestRun) -> CaseResult {
    let result = match &case.input {
        Input::Script(script) => run_scripted(program, built, entry, script, case),
        Input::ScriptFile(name) => {
            let path = beside(program, name);
            fehu_driver::files::read_source(&path)
                .map_err(|e| format!("could not read {}: {e}", path.display()))
                .and_then(|script| run_scripted(program, built, entry, &script, case))
        }
        Input::Values(_) | Input::File(_) | Input::Random(_) => run_on_values(program, built, entry, case),
    };
    result.unwrap_or_else(CaseResult::Failed)
}

fn run_on_values(
    program: &Path,
    built: &mut Built,
    entry: &str,
    case: &TestRun,
) -> Result<CaseResult, String> {
    let input = input_bytes(program, &case.input)?;
    let scratch = built.scratch().to_owned();
    let finished = execute(built.tested(), &scratch, entry, &input, Wanted::of(case))?;
    let auto = reference_results(built, entry, case, &input)?;
    Ok(judge(program, case, &finished, auto.as_deref()))
}

/// The results by the C back end, if a block asks for them and they are not what is tested.
pub(super) fn reference_results(
    built: &mut Built,
    entry: &str,
    case: &TestRun,
    input: &[u8],
) -> Result<Option<Vec<u8>>, String> {
    let scratch = built.scratch().to_owned();
    let reference = match &case.expected {
        Expected::Auto => built.reference()?,
        Expected::Success | Expected::Values(_) | Expected::File(_) | Expected::Error(_) => None,
    };
    let Some(reference) = reference else { return Ok(None) };
    match execute(reference, &scratch, entry, input, Wanted::Results)? {
        Finished::Results(bytes) => Ok(Some(bytes)),
        Finished::Error(message) => Err(format!("the program by the C back end fails:\n{message}")),
    }
}

/// What of a run is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Its results.
    Results,
    /// Whether it succeeds: results may be such as no file can hold.
    Success,
}

impl Wanted {
    fn of(case: &TestRun) -> Wanted {
        match case.expected {
            Expected::Auto | Expected::Values(_) | Expected::File(_) => Wanted::Results,
            Expected::Success | Expected::Error(_) => Wanted::Success,
        }
    }
}

/// Calls an entry point on arguments that are the bytes of a data file.
fn execute(
    running: &mut Running,
    scratch: &Path,
    entry: &str,
    input: &[u8],
    wanted: Wanted,
) -> Result<Finished, String> {
    let arguments = scratch.join("arguments");
    write(&arguments, input)?;
    let file = arguments.display().to_string();
    let loaded = running.talk(|server| Call::load(server, entry, &file));
    // The whole folder goes in the end; inputs may be large.
    let _ = std::fs::remove_file(&arguments);
    match loaded {
        Ok(loaded) => call(running, scratch, loaded, wanted),
        Err(trouble) => {
            // Some arguments may have been read before one that cannot be.
            running.end();
            failure(trouble, running.limit)
        }
    }
}

/// Runs a call once, and frees everything.
pub(super) fn call(
    running: &mut Running,
    scratch: &Path,
    mut call: Call,
    wanted: Wanted,
) -> Result<Finished, String> {
    let results = scratch.join("results");
    let stored = running.talk(|server| {
        let stored = call.run(server).and_then(|_| match wanted {
            Wanted::Results => call.store(server, &results.display().to_string()),
            Wanted::Success => Ok(true),
        });
        // A server that is gone has nothing to free; why it is gone counts.
        let freed = call.unload(server);
        stored.and_then(|stored| freed.map(|()| stored))
    });
    match stored {
        Ok(true) if wanted == Wanted::Results => {
            let bytes = std::fs::read(&results).map_err(|e| format!("its results cannot be read: {e}"))?;
            let _ = std::fs::remove_file(&results);
            Ok(Finished::Results(bytes))
        }
        Ok(true) => Ok(Finished::Results(vec![])),
        Ok(false) => Err("its result cannot be written to a file".into()),
        Err(trouble) => failure(trouble, running.limit),
    }
}

/// What a program without results says; `Err` if not even its failure can be expected.
fn failure(trouble: Trouble, limit: Duration) -> Result<Finished, String> {
    match trouble {
        Trouble::Failed(message) | Trouble::Exited(message) => Ok(Finished::Error(message)),
        Trouble::Dead(message) => Err(format!("the program crashed: {message}")),
        Trouble::TooLate => Err(format!("stopped after {} s", limit.as_secs())),
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
