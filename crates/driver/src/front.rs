//! The front end as one step: load, parse, check.

use crate::load::{load, load_text, Loaded};
use fehu_base::{Diagnostic, Severity, SourceMap};
use fehu_check::tast::Program;
use std::path::Path;

/// A program after the front end.
#[derive(Debug)]
pub struct Front {
    /// The program, if there was no error.
    pub program: Option<Program>,
    /// All texts, for rendering places.
    pub sources: SourceMap,
    /// Errors and warnings; warnings of the prelude's own text are left out.
    pub diagnostics: Vec<Diagnostic>,
}

impl Front {
    /// Whether there was an error.
    pub fn failed(&self) -> bool {
        self.program.is_none()
    }
}

/// Checks the program with this main file.
pub fn check_file(main: &Path) -> Front {
    check_loaded(load(main))
}

/// Checks a program given as text.
pub fn check_text(path: &Path, text: String) -> Front {
    check_loaded(load_text(path, text))
}

fn check_loaded(loaded: Loaded) -> Front {
    if !loaded.errors.is_empty() {
        return Front { program: None, sources: loaded.sources, diagnostics: loaded.errors };
    }
    let prelude_files: Vec<_> = loaded.units[..loaded.prelude].iter().map(|u| u.file).collect();
    let checked = fehu_check::modules::check_program(&loaded.units, loaded.prelude);
    let diagnostics = checked
        .diagnostics
        .into_iter()
        .filter(|d| d.severity == Severity::Error || !prelude_files.contains(&d.span.file))
        .collect();
    Front { program: checked.program, sources: loaded.sources, diagnostics }
}
