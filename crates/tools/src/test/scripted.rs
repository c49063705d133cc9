//! Data sets whose arguments a script computes: the server may hold arguments that no file can.

use super::built::Built;
use super::case::{call, judge, CaseResult, Wanted};
use crate::programs::script::{arguments, Places, ScriptError, Store};
use crate::programs::Call;
use fehu_data::script::parse_script;
use fehu_data::spec::{Expected, TestRun};
use std::path::Path;

/// Runs an entry point on what a script gives, and compares.
pub(super) fn run_scripted(
    program: &Path,
    built: &mut Built,
    entry: &str,
    script: &str,
    case: &TestRun,
) -> Result<CaseResult, String> {
    let script = parse_script(script).map_err(|e| format!("the script cannot be read: {e}"))?;
    let scratch = built.scratch().to_owned();
    let running = built.tested();
    let places = Places { program, scratch: &scratch, store: Store::Below };
    let loaded = running.talk(|server| match arguments(server, &places, entry, &script) {
        Ok(variables) => Call::with_arguments(server, entry, variables).map(Ok),
        Err(ScriptError::Script(message)) => Ok(Err(message)),
        Err(ScriptError::Server(e)) => Err(e),
    });
    let loaded = match loaded {
        Ok(Ok(call)) => call,
        Ok(Err(message)) => {
            running.end();
            return Err(format!("the script is wrong: {message}"));
        }
        Err(trouble) => {
            running.end();
            return Err(format!("the script failed: {trouble}"));
        }
    };
    let wanted = match case.expected {
        Expected::Values(_) | Expected::File(_) => Wanted::Results,
        Expected::Success | Expected::Auto | Expected::Error(_) => Wanted::Success,
    };
    let finished = call(running, &scratch, loaded, wanted);
    // A script leaves variables of which only it knows the names.
    running.end();
    Ok(judge(program, case, &finished?, None))
}
