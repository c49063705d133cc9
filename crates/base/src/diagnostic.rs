//! What the user did wrong, where, and how to fix it. Stages make
//! [`Diagnostic`]s; only [`Diagnostic::render`] knows the crate that draws them.

use crate::{SourceMap, Span};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program is accepted.
    Warning,
}

/// A place and what it has to do with the problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words drawn beside it; may be empty.
    pub text: String,
}

/// A problem in the user's program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in the user's words; the first line is the headline.
    pub message: String,
    /// The main place.
    pub span: Span,
    /// A few words drawn at the main place; may be empty.
    pub label: String,
    /// Other places involved.
    pub related: Vec<Label>,
    /// Further facts.
    pub notes: Vec<String>,
    /// A likely fix, in words.
    pub help: Option<String>,
    /// Edits that would probably remove the problem, for tools to offer.
    pub fixes: Vec<Fix>,
}

/// An edit of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What it does, for a menu.
    pub title: String,
    /// Changes of places that do not overlap.
    changes: Vec<Change>,
}

/// One change of a [`Fix`].
#[derive(Clone, PartialEq, Eq, Debug)]
enum Change {
    /// Writes a text instead of that under a span.
    Replace(Span, String),
    /// Applies a function to the expression under a span. Whether the expression needs parentheses is seen in the text.
    Apply(Span, String),
}

impl Fix {
    /// The texts to write instead of those under the spans, which do not overlap; in the order of the text.
    pub fn edits(&self, sources: &SourceMap) -> Vec<(Span, String)> {
        let mut edits = vec![];
        for change in &self.changes {
            match change {
                Change::Replace(span, text) => edits.push((*span, text.clone())),
                Change::Apply(span, function) => {
                    let (open, close) =
                        if is_operand(sources.snippet(*span)) { ("", ")") } else { ("(", "))") };
                    edits.push((span.start(), format!("({function} {open}")));
                    edits.push((span.end(), close.to_owned()));
                }
            }
        }
        edits.sort_by_key(|(span, _)| *span);
        edits
    }
}

/// Whether an expression can be an argument as it stands: a name, a number, or something in brackets.
fn is_operand(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    let Some(first) = text.chars().next() else { return false };
    if !matches!(first, '(' | '[') {
        return text.chars().all(word);
    }
    let mut depth = 0usize;
    let closes = |(i, c): (usize, char)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(i)
    };
    text.char_indices().find_map(closes) == Some(text.len() - 1)
}

/// Whether to draw with colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// For terminals.
    Always,
    /// For files and pipes.
    Never,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            related: vec![],
            notes: vec![],
            help: None,
            fixes: vec![],
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// With words at the main place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.label = text.into();
        self
    }

    /// With another place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// With another fact.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// With a fix in words.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// With an edit that writes another text at a place.
    pub fn fix(self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.fix_all(title, vec![(span, text.into())])
    }

    /// With an edit of several places.
    pub fn fix_all(mut self, title: impl Into<String>, edits: Vec<(Span, String)>) -> Diagnostic {
        let changes = edits.into_iter().map(|(span, text)| Change::Replace(span, text)).collect();
        self.fixes.push(Fix { title: title.into(), changes });
        self
    }

    /// With an edit that applies a function to the expression at a place.
    pub fn fix_apply(
        mut self,
        title: impl Into<String>,
        span: Span,
        function: impl Into<String>,
    ) -> Diagnostic {
        self.fixes.push(Fix { title: title.into(), changes: vec![Change::Apply(span, function.into())] });
        self
    }

    /// With an edit that puts the text under a span between two others.
    pub fn fix_around(self, title: impl Into<String>, span: Span, before: &str, after: &str) -> Diagnostic {
        self.fix_all(title, vec![(span.start(), before.to_owned()), (span.end(), after.to_owned())])
    }

    /// Notes that the problem of another diagnostic, with the same message, is this one at another place,
    /// which edits change, too.
    pub fn also(&mut self, other: Diagnostic) {
        self.related.push(Label { span: other.span, text: "and here".into() });
        for (fix, there) in self.fixes.iter_mut().zip(other.fixes) {
            for change in there.changes {
                if !fix.changes.contains(&change) {
                    fix.changes.push(change);
                }
            }
        }
    }

    /// The same about a text in which places have moved.
    pub fn moved(mut self, to: impl Fn(Span) -> Span) -> Diagnostic {
        self.span = to(self.span);
        self.related.iter_mut().for_each(|l| l.span = to(l.span));
        for change in self.fixes.iter_mut().flat_map(|f| &mut f.changes) {
            match change {
                Change::Replace(span, _) | Change::Apply(span, _) => *span = to(*span),
            }
        }
        self
    }

    /// Draws the diagnostic with its source excerpts.
    pub fn render(&self, sources: &SourceMap, colour: Colour) -> String {
        let renderer = match colour {
            Colour::Always => Renderer::styled(),
            Colour::Never => Renderer::plain(),
        };
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level
            .primary_title(self.message.as_str())
            .elements(Vec::<Snippet<'_, annotate_snippets::Annotation<'_>>>::new());
        // One excerpt per file, the main place's file first.
        let mut files = vec![self.span.file];
        for l in &self.related {
            if !files.contains(&l.span.file) {
                files.push(l.span.file);
            }
        }
        for id in files {
            let Some(file) = sources.get(id) else { continue };
            let clip = |s: Span| {
                let hi = (s.hi as usize).min(file.text.len());
                (s.lo as usize).min(hi)..hi
            };
            // Only the lines in question: there may be many errors in a long file.
            let related = self.related.iter().map(|l| l.span);
            let spans = std::iter::once(self.span).chain(related).filter(|s| s.file == id).map(clip);
            let all = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
            let (window, first_line) = file.lines(all);
            let place = |s: Span| clip(s).start - window.start..clip(s).end - window.start;
            let mut snippet = Snippet::source(&file.text[window.clone()])
                .line_start(first_line)
                .path(SourceMap::show_path(&file.path))
                .fold(true);
            if self.span.file == id {
                let a = AnnotationKind::Primary.span(place(self.span));
                snippet =
                    snippet.annotation(if self.label.is_empty() { a } else { a.label(self.label.as_str()) });
            }
            for l in self.related.iter().filter(|l| l.span.file == id) {
                let a = AnnotationKind::Context.span(place(l.span));
                snippet = snippet.annotation(if l.text.is_empty() { a } else { a.label(l.text.as_str()) });
            }
            group = group.element(snippet);
        }
        for n in &self.notes {
            group = group.element(Level::NOTE.message(n.as_str()));
        }
        if let Some(h) = &self.help {
            group = group.element(Level::HELP.message(h.as_str()));
        }
        let text = renderer.render(&[group]).to_string();
        // The excerpt says where it starts; the place in full is what editors and other tools look for.
        let Some(file) = sources.get(self.span.file) else { return text };
        let (line, col) = file.line_col(self.span.lo);
        text.replacen(
            &format!("{}:{line}:{col}", SourceMap::show_path(&file.path)),
            &sources.show(self.span),
            1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_applied_with_the_parentheses_that_are_needed() {
        for (text, expected) in [
            ("xs", "(copy xs)"),
            ("m.xs", "(copy m.xs)"),
            ("f x", "(copy (f x))"),
            ("-1", "(copy (-1))"),
            ("(x, y)", "(copy (x, y))"),
            ("(x).a (y)", "(copy ((x).a (y)))"),
            ("[1, f (2)]", "(copy [1, f (2)])"),
        ] {
            let mut sources = SourceMap::default();
            let file = sources.add("a.fut", text.to_owned());
            let span = Span::new(file, 0, text.len() as u32);
            let d = Diagnostic::error(span, "").fix_apply("", span, "copy");
            let edits = d.fixes[0].edits(&sources);
            assert_eq!(format!("{}{text}{}", edits[0].1, edits[1].1), expected);
        }
    }

    #[test]
    fn draws_source_and_help() {
        let mut sources = SourceMap::default();
        let file = sources.add("a.fut", "def x = y\n");
        let d = Diagnostic::error(Span::new(file, 8, 9), "Unknown variable \"y\".")
            .label("not in scope")
            .help("define it");
        let text = d.render(&sources, Colour::Never);
        assert!(
            text.contains("Unknown variable \"y\".")
                && text.contains("a.fut:1:9-10")
                && text.contains("help: define it"),
            "{text}"
        );
    }
}
