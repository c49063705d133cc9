//! `fehu dataget`: the arguments of one data set of a program, in the binary format.

use crate::programs::input_bytes;
use fehu_data::spec::Action;
use fehu_data::{read_values, ProgramSpec};
use fehu_driver::files::read_source;
use std::path::Path;

/// The arguments of the first data set whose name contains a text, such as `#1`.
pub fn dataget(program: &Path, dataset: &str) -> Result<Vec<u8>, String> {
    let shown = program.display();
    let text = read_source(program).map_err(|e| format!("could not read {shown}: {e}"))?;
    let spec =
        ProgramSpec::parse(&text).map_err(|e| format!("the test block of {shown} cannot be read: {e}"))?;
    let Action::Run(run) = spec.unwrap_or_default().action else {
        return Err(format!("{shown} must be refused, and has no data sets"));
    };
    let cases: Vec<_> = run.entries.iter().flat_map(|e| &e.runs).collect();
    let Some(case) = cases.iter().find(|c| c.dataset_name().contains(dataset)) else {
        if cases.is_empty() {
            return Err(format!("{shown} has no data sets"));
        }
        let names: Vec<String> = cases.iter().map(|c| c.dataset_name()).collect();
        return Err(format!("{shown} has no data set {dataset}, but these:\n{}", names.join("\n")));
    };
    // Data files may be text.
    let bytes = input_bytes(program, &case.input)?;
    let values = read_values(&bytes).map_err(|e| format!("{}: {e}", case.dataset_name()))?;
    let mut out = vec![];
    values.iter().for_each(|v| fehu_data::binary::write_binary(v, &mut out));
    Ok(out)
}
