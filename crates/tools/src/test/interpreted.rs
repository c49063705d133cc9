//! `fehu test -i`: data sets on the interpreter. Those that are for compiled programs alone are left out, and so are
//! those whose arguments a script computes, for which a program must run as a server.

use super::built::Built;
use super::case::{judge, reference_results, CaseResult, Finished};
use super::Options;
use crate::programs::{input_bytes, rendered};
use fehu_data::binary::write_binary;
use fehu_data::read_values;
use fehu_data::spec::{Expected, Input, TestRun};
use fehu_driver::compile::Settings;
use fehu_driver::front::check_file;
use fehu_driver::interpret::{interpreted, Interpreted, Stopped};
use std::path::{Path, PathBuf};

/// Gets a program ready.
pub(super) fn prepare(
    file: &Path,
    entry_points: &[String],
    options: &Options,
) -> Result<Interpreted, String> {
    let front = check_file(file);
    let settings = Settings {
        entry_points: entry_points.to_vec(),
        ..Settings::executable(options.target, PathBuf::new())
    };
    interpreted(&front, &settings).map_err(|errors| rendered(&errors, &front.sources))
}

/// Whether a data set can be interpreted.
pub(super) fn can_interpret(case: &TestRun) -> bool {
    !case.has_tag("compiled") && !matches!(case.input, Input::Script(_) | Input::ScriptFile(_))
}

/// Interprets a program on a data set and compares.
pub(super) fn interpret_case(
    program: &Path,
    interpreted: &Interpreted,
    built: &mut Built,
    entry: &str,
    case: &TestRun,
) -> Result<CaseResult, String> {
    let input = input_bytes(program, &case.input)?;
    let args = read_values(&input).map_err(|e| format!("its arguments cannot be read: {e}"))?;
    let finished = match interpreted.run(entry, &args) {
        Ok(results) => {
            let mut bytes = vec![];
            results.iter().for_each(|v| write_binary(v, &mut bytes));
            Finished::Results(bytes)
        }
        Err(Stopped::Error(message)) => Finished::Error(message),
        Err(Stopped::Beyond(_)) if matches!(case.expected, Expected::Success) => {
            return Ok(CaseResult::Passed)
        }
        Err(Stopped::Beyond(message)) => return Err(format!("it cannot be interpreted: {message}")),
    };
    let auto = reference_results(built, entry, case, &input)?;
    Ok(judge(program, case, &finished, auto.as_deref()))
}
