//! The front end as one step: load, parse, check.

use crate::load::{load, load_over, load_text, load_whole, Loaded, Overlay};
use crate::times::Times;
use fehu_base::{Diagnostic, FileId, Severity, SourceMap};
pub use fehu_check::modules::Memory;
use fehu_check::modules::{check_again, check_one, check_program, Checked};
use fehu_check::tast::{Dec, Program};
use std::path::Path;

/// A program after the front end.
#[derive(Debug)]
pub struct Front {
    /// The program, if there was no error.
    pub program: Option<Program>,
    /// What is right of a program with errors.
    pub partial: Option<Program>,
    /// All texts, for rendering places.
    pub sources: SourceMap,
    /// Errors and warnings; warnings of the prelude's own text are left out.
    pub diagnostics: Vec<Diagnostic>,
    /// Warnings of the stages that follow, once they have run.
    pub remarks: Vec<Diagnostic>,
    /// The files of the prelude.
    pub prelude: Vec<FileId>,
}

impl Front {
    /// No program at all, for those who only want to know what would happen to one.
    pub fn empty() -> Front {
        Front {
            program: None,
            partial: None,
            sources: SourceMap::default(),
            diagnostics: vec![],
            remarks: vec![],
            prelude: vec![],
        }
    }

    /// Whether there was an error.
    pub fn failed(&self) -> bool {
        self.program.is_none()
    }

    /// Whether a declaration is of the program's own files, not of the prelude.
    pub fn is_own(&self, dec: &Dec) -> bool {
        let Some(program) = &self.program else { return false };
        let name = match dec {
            Dec::Val(b) => b.name,
            Dec::TypeDef(n, _) => *n,
            Dec::Alias(a) => a.name,
            Dec::Functor(f) => f.name,
            Dec::Apply(a) => return !self.prelude.contains(&a.span.file),
        };
        program.def_spans.get(&name).is_some_and(|s| !self.prelude.contains(&s.file))
    }
}

/// Checks the program with this main file.
pub fn check_file(main: &Path) -> Front {
    check_timed(main, &mut Times::default())
}

/// Checks the program with this main file, and says how long that took.
pub fn check_timed(main: &Path, times: &mut Times) -> Front {
    let loaded = times.time("parse", || load(main));
    times.time("check", || check_loaded(loaded))
}

/// Checks a program given as text.
pub fn check_text(path: &Path, text: String) -> Front {
    check_loaded(load_text(path, text))
}

/// Checks the program with this main file; the overlay's texts stand for files.
pub fn check_over(main: &Path, overlay: Overlay) -> Front {
    check_loaded(load_over(main, overlay))
}

/// How much of a program is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Only the definition that has changed, where that is enough to know what to say about the program.
    One,
    /// All that may have changed.
    All,
}

/// Checks the program with this main file again and again, each time from where it differs from the last time. What is not broken is checked
/// even if there are syntax errors. Says whether all was checked; if not, there is no program, but the diagnostics are complete.
pub fn check_edited(memory: &mut Memory, main: &Path, overlay: Overlay, depth: Depth) -> (Front, Depth) {
    let mut loaded = load_whole(main, overlay, memory.take_prelude());
    let prelude: Vec<_> = loaded.units[..loaded.prelude].iter().map(|u| u.file).collect();
    if loaded.incomplete {
        loaded.units.truncate(loaded.prelude);
        memory.return_prelude(loaded.units);
        return (refused(loaded.errors, loaded.sources, prelude), Depth::All);
    }
    let text = loaded.units.last().and_then(|u| loaded.sources.get(u.file)).map_or("", |f| &*f.text);
    if depth == Depth::One && loaded.errors.is_empty() {
        if let Some(found) = check_one(memory, &loaded.units, loaded.prelude, text) {
            loaded.units.truncate(loaded.prelude);
            memory.return_prelude(loaded.units);
            return (refused(of_program(found, &prelude), loaded.sources, prelude), Depth::One);
        }
    }
    let checked = check_again(memory, loaded.units, loaded.prelude);
    memory.set_text(text);
    let mut front = front(checked, loaded.sources, prelude);
    front.diagnostics.splice(..0, loaded.errors);
    (front, Depth::All)
}

/// Nothing but the prelude, all of it: what every program can use.
pub fn check_prelude() -> Front {
    check_loaded(load_text(Path::new(""), String::new()).with_whole_prelude())
}

fn check_loaded(loaded: Loaded) -> Front {
    let prelude: Vec<_> = loaded.units[..loaded.prelude].iter().map(|u| u.file).collect();
    if !loaded.errors.is_empty() {
        return refused(loaded.errors, loaded.sources, prelude);
    }
    let mut loaded = loaded;
    let mut checked = check_program(&loaded.units, loaded.prelude, loaded.needed.clone());
    if checked.program.is_none() {
        // What is said about a mistake may depend on all that is in scope.
        loaded = loaded.with_whole_prelude();
        checked = check_program(&loaded.units, loaded.prelude, loaded.needed.clone());
    }
    front(checked, loaded.sources, prelude)
}

fn front(checked: Checked, sources: SourceMap, prelude: Vec<FileId>) -> Front {
    let Checked { program, partial, diagnostics, .. } = checked;
    let diagnostics = of_program(diagnostics, &prelude);
    Front { program, partial, sources, diagnostics, remarks: vec![], prelude }
}

/// Without the warnings about the prelude.
fn of_program(mut diagnostics: Vec<Diagnostic>, prelude: &[FileId]) -> Vec<Diagnostic> {
    diagnostics.retain(|d| d.severity == Severity::Error || !prelude.contains(&d.span.file));
    diagnostics
}

/// No program, only what is said about it.
fn refused(diagnostics: Vec<Diagnostic>, sources: SourceMap, prelude: Vec<FileId>) -> Front {
    Front { program: None, partial: None, sources, diagnostics, remarks: vec![], prelude }
}
