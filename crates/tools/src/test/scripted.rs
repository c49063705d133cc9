//! Data sets whose arguments a script computes: the program runs as a server, which may hold arguments that
//! no file can.

use super::built::Built;
use super::case::{judge, CaseResult, Finished};
use super::Options;
use crate::programs::script::{arguments, Places, ScriptError};
use crate::programs::{Call, ServerProcess, Trouble};
use fehu_data::script::parse_script;
use fehu_data::spec::{Expected, TestRun};
use std::path::Path;

/// Runs an entry point on what a script gives, and compares.
pub(super) fn run_scripted(
    program: &Path,
    built: &Built,
    entry: &str,
    script: &str,
    case: &TestRun,
    options: &Options,
) -> Result<CaseResult, String> {
    let script = parse_script(script).map_err(|e| format!("the script cannot be read: {e}"))?;
    let mut process =
        ServerProcess::start(built.server()?, options.runner.as_deref(), &options.pass_options)?;
    let places = Places { program, scratch: built.scratch() };
    let limit = Some(options.time_limit);
    let loaded = process.talk(limit, |server| match arguments(server, &places, entry, &script) {
        Ok(variables) => Call::with_arguments(server, entry, variables).map(Ok),
        Err(ScriptError::Script(message)) => Ok(Err(message)),
        Err(ScriptError::Server(e)) => Err(e),
    });
    let mut call = match loaded {
        Ok(Ok(call)) => call,
        Ok(Err(message)) => return Err(format!("the script is wrong: {message}")),
        Err(trouble) => return Err(format!("the script failed: {trouble}")),
    };
    let results = built.scratch().join("results");
    let ran = process.talk(limit, |server| {
        call.run(server)?;
        match case.expected {
            Expected::Values(_) | Expected::File(_) => call.store(server, &results.display().to_string()),
            Expected::Success | Expected::Auto | Expected::Error(_) => Ok(true),
        }
    });
    let finished = match ran {
        Ok(true) => match case.expected {
            Expected::Values(_) | Expected::File(_) => Finished::Results(
                std::fs::read(&results).map_err(|e| format!("its results cannot be read: {e}"))?,
            ),
            Expected::Success | Expected::Auto | Expected::Error(_) => Finished::Results(vec![]),
        },
        Ok(false) => return Err("its result cannot be written to a file".into()),
        Err(Trouble::Failed(message)) => Finished::Error(message),
        Err(Trouble::Dead(message)) => return Err(format!("the program crashed: {message}")),
        Err(Trouble::TooLate) => return Err(format!("stopped after {} s", options.time_limit.as_secs())),
    };
    Ok(judge(program, case, &finished, None))
}
