//! The way from a checked program to text, per back end.

use crate::front::Front;
use fehu_base::Diagnostic;
use fehu_ir::print::{print_prog, Locations};

/// The core IR as text after a pass.
pub fn dump_after(front: &Front, pass: &str) -> Result<String, Vec<Diagnostic>> {
    let Some(program) = &front.program else { return Err(front.diagnostics.clone()) };
    let prog = fehu_lower::lower(program, &fehu_lower::Options::default())?;
    if pass == "lower" {
        return Ok(print_prog(&prog, Locations::Hidden));
    }
    Err(vec![Diagnostic::error(fehu_base::Span::NONE, format!("There is no pass named {pass}."))
        .help("the passes are: lower")])
}
