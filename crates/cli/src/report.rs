//! Showing diagnostics to people and to editors.

use fehu_base::diagnostic::Colour;
use fehu_base::{Diagnostic, Fix, Severity, SourceMap, Span};
use fehu_driver::front::Front;
use fehu_tools::output::colours;
use serde_json::{json, Value};
use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How many errors are shown: a file that is no program has one in every line. Editors get them all.
const MAX_SHOWN: usize = 50;

/// What to do with warnings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Warnings {
    Shown,
    Hidden,
    AreErrors,
}

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

/// Prints all problems to standard error; the exit code says whether the program is accepted.
pub(crate) fn report(front: &Front, warnings: Warnings, format: Format) -> ExitCode {
    let mut reporter = Reporter::new(warnings, format);
    let accepted = reporter.accepts(front);
    reporter.finish();
    ExitCode::from(u8::from(!accepted))
}

/// Prints what is wrong with programs, each problem once: several may import the same file.
pub(crate) struct Reporter {
    warnings: Warnings,
    format: Format,
    printed: HashSet<(Option<PathBuf>, u32, u32, String)>,
}

impl Reporter {
    pub(crate) fn new(warnings: Warnings, format: Format) -> Reporter {
        Reporter { warnings, format, printed: HashSet::new() }
    }

    /// Prints the problems of a program that were not printed before; whether it is accepted.
    pub(crate) fn accepts(&mut self, front: &Front) -> bool {
        let mut out = std::io::stderr().lock();
        let colour = colour(out.is_terminal());
        let mut warned = false;
        for d in front.diagnostics.iter().chain(&front.remarks) {
            if d.severity == Severity::Warning {
                if self.warnings == Warnings::Hidden {
                    continue;
                }
                warned = true;
            }
            let file = front.sources.path(d.span.file).map(Path::to_owned);
            if !self.printed.insert((file, d.span.lo, d.span.hi, d.message.clone())) {
                continue;
            }
            // A closed pipe is no reason to fail.
            let _ = match self.format {
                Format::Text if self.printed.len() > MAX_SHOWN => Ok(()),
                Format::Text => writeln!(out, "{}\n", d.render(&front.sources, colour)),
                Format::Json => writeln!(out, "{}", to_json(d, &front.sources)),
            };
        }
        !(front.failed() || (warned && self.warnings == Warnings::AreErrors))
    }

    /// Says how many problems were not printed.
    pub(crate) fn finish(&self) {
        if self.format == Format::Text {
            let _ = say_rest(&mut std::io::stderr().lock(), self.printed.len());
        }
    }
}

/// Prints what the front end found, for people; whether the program is accepted.
pub(crate) fn show(front: &Front, warnings: Warnings) -> bool {
    report(front, warnings, Format::Text) == ExitCode::SUCCESS
}

/// Prints diagnostics for people.
pub(crate) fn show_all(diagnostics: &[Diagnostic], sources: &SourceMap) {
    let mut out = std::io::stderr().lock();
    let colour = colour(out.is_terminal());
    for d in diagnostics.iter().take(MAX_SHOWN) {
        // A closed pipe is no reason to fail.
        let _ = writeln!(out, "{}\n", d.render(sources, colour));
    }
    let _ = say_rest(&mut out, diagnostics.len());
}

/// Says how many of these are not shown.
fn say_rest(out: &mut impl Write, count: usize) -> std::io::Result<()> {
    match count.checked_sub(MAX_SHOWN) {
        None | Some(0) => Ok(()),
        Some(rest) => writeln!(out, "fehu: there are {rest} more errors and warnings"),
    }
}

fn colour(terminal: bool) -> Colour {
    if colours(terminal) {
        Colour::Always
    } else {
        Colour::Never
    }
}

fn to_json(d: &Diagnostic, sources: &SourceMap) -> Value {
    json!({
        "severity": match d.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "message": d.message,
        "label": d.label,
        "place": place(d.span, sources),
        "related": d.related.iter()
            .map(|l| json!({"text": l.text, "place": place(l.span, sources)}))
            .collect::<Vec<_>>(),
        "notes": d.notes,
        "help": d.help,
        "fixes": d.fixes.iter().map(|f| fix(f, sources)).collect::<Vec<_>>(),
    })
}

/// An edit that would probably remove the problem: `text` is written at each place instead of what stands there.
fn fix(f: &Fix, sources: &SourceMap) -> Value {
    let edit = |(span, text): &(Span, String)| {
        let mut place = place(*span, sources);
        place["text"] = json!(text);
        place
    };
    json!({"title": f.title, "edits": f.edits(sources).iter().map(edit).collect::<Vec<_>>()})
}

fn place(span: Span, sources: &SourceMap) -> Value {
    let Some(file) = sources.get(span.file) else { return Value::Null };
    let (line, col) = file.line_col(span.lo);
    let (end_line, end_col) = file.line_col(span.hi);
    json!({
        "file": file.path.display().to_string(),
        "line": line, "column": col, "end_line": end_line, "end_column": end_col,
        "start": span.lo, "end": span.hi,
    })
}
