//! Diagnostics of the compiler as the protocol has them, and the fixes that come with them.
//!
//! In: the diagnostics of a program, about any of its files. Out: JSON by file for the editor, and the
//! [`Problem`]s of one document, for code actions.

use crate::state::State;
use fehu_base::{Diagnostic, FileId, Severity, SourceMap, Span};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A diagnostic.
pub(crate) struct Problem {
    pub(crate) lo: usize,
    pub(crate) hi: usize,
    severity: Severity,
    /// As the editor got it.
    pub(crate) shown: Value,
    pub(crate) fixes: Vec<FixAt>,
}

impl Problem {
    /// One for an error, none for a warning.
    pub(crate) fn is_error(&self) -> usize {
        usize::from(self.severity == Severity::Error)
    }
}

/// A fix, with the files, bytes and texts of its edits.
pub(crate) struct FixAt {
    pub(crate) title: String,
    pub(crate) edits: Vec<(PathBuf, usize, usize, String)>,
}

impl State {
    /// Diagnostics by file, as the protocol has them.
    pub(crate) fn diagnostics(
        &self,
        all: &[Diagnostic],
        sources: &SourceMap,
        main: FileId,
        path: &Path,
    ) -> BTreeMap<PathBuf, Vec<Value>> {
        let mut found: BTreeMap<PathBuf, Vec<Value>> = BTreeMap::new();
        for d in all {
            if let Some((file, shown)) = self.shown(d, sources, main) {
                found.entry(file).or_default().push(shown);
            }
        }
        found.entry(path.to_owned()).or_default();
        found
    }

    /// The diagnostics about the main file, with their fixes.
    pub(crate) fn problems(&self, all: &[Diagnostic], sources: &SourceMap, main: FileId) -> Vec<Problem> {
        let own = all.iter().filter(|d| d.span.file == main && !d.fixes.is_empty());
        let one = |d: &Diagnostic| {
            let (_, shown) = self.shown(d, sources, main)?;
            let edit = |(span, text): &(Span, String)| {
                let path = fehu_driver::load::normalise(sources.path(span.file)?);
                Some((path, span.lo as usize, span.hi as usize, text.clone()))
            };
            let fix = |f: &fehu_base::Fix| {
                let edits: Option<Vec<_>> = f.edits(sources).iter().map(edit).collect();
                Some(FixAt { title: f.title.clone(), edits: edits? })
            };
            let fixes = d.fixes.iter().filter_map(fix).collect();
            let (lo, hi) = (d.span.lo as usize, d.span.hi as usize);
            Some(Problem { lo, hi, severity: d.severity, shown, fixes })
        };
        own.filter_map(one).collect()
    }

    /// The file of a diagnostic, and the diagnostic as the protocol has it.
    fn shown(&self, d: &Diagnostic, sources: &SourceMap, main: FileId) -> Option<(PathBuf, Value)> {
        // A problem without a place is shown where the file begins.
        let span = if d.span == Span::NONE { Span::new(main, 0, 0) } else { d.span };
        let (file, range) = self.place(span, sources)?;
        let related: Vec<Value> = d
            .related
            .iter()
            .filter_map(|l| {
                let (file, range) = self.place(l.span, sources)?;
                Some(json!({"location": {"uri": self.uri(&file), "range": range}, "message": l.text}))
            })
            .collect();
        let mut message = d.message.clone();
        for more in
            d.notes.iter().map(|n| format!("note: {n}")).chain(d.help.iter().map(|h| format!("help: {h}")))
        {
            message.push('\n');
            message.push_str(&more);
        }
        let severity = match d.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
        };
        Some((
            file,
            json!({
                "range": range, "severity": severity, "source": "fehu", "message": message,
                "relatedInformation": related,
            }),
        ))
    }
}
