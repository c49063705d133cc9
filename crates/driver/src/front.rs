//! The front end as one step: load, parse, check.

use crate::load::{load, load_over, load_text, load_whole, Loaded, Overlay};
use crate::times::Times;
use fehu_base::{Diagnostic, FileId, Severity, SourceMap};
pub use fehu_check::modules::Memory;
use fehu_check::modules::{check_again, check_changed, check_program, Checked};
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

/// How much is known of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// What is to be said about the definitions that have changed, and about some of those that use them;
    /// more is found by the next check.
    Part,
    /// What is to be said about all definitions; only those were checked that an edit concerns, so there is no program.
    Changed,
    /// All.
    All,
}

/// Checks the program with this main file again and again, each time what differs from the last time. What is
/// not broken is checked even if there are syntax errors. Says how much is known then: as much as is wanted,
/// or less only if that is [`Depth::Part`]. Nothing, if `give_up` said that the result is no longer wanted.
pub fn check_edited(
    memory: &mut Memory,
    main: &Path,
    overlay: Overlay,
    wanted: Depth,
    give_up: &dyn Fn() -> bool,
) -> Option<(Front, Depth)> {
    let mut loaded = load_whole(main, overlay, memory.take_prelude());
    let prelude: Vec<_> = loaded.units[..loaded.prelude].iter().map(|u| u.file).collect();
    if loaded.incomplete {
        loaded.units.truncate(loaded.prelude);
        memory.return_prelude(loaded.units);
        return Some((refused(loaded.errors, loaded.sources, prelude), Depth::All));
    }
    let text = loaded.units.last().and_then(|u| loaded.sources.get(u.file)).map_or("", |f| &*f.text);
    if wanted != Depth::All {
        if let Some(found) = check_changed(memory, &loaded.units, loaded.prelude, text) {
            loaded.units.truncate(loaded.prelude);
            memory.return_prelude(loaded.units);
            let depth = if found.complete { Depth::Changed } else { Depth::Part };
            let mut front = refused(of_program(found.diagnostics, &prelude), loaded.sources, prelude);
            front.diagnostics.splice(..0, loaded.errors);
            return Some((front, depth));
        }
    }
    let checked = check_again(memory, loaded.units, loaded.prelude, text, give_up)?;
    let mut front = front(checked, loaded.sources, prelude);
    front.diagnostics.splice(..0, loaded.errors);
    Some((front, Depth::All))
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
