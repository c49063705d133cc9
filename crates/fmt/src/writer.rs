//! Text with indentation: what the printer writes to.
//!
//! Indentation is written only before text, so no line ends in spaces.

/// How far bodies are indented, and the second line of what was meant to be one.
pub(crate) const INDENT: usize = 2;

/// The text so far, and where the next line will be indented.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    column: usize,
    indent: usize,
    /// How far the current line is indented.
    line_indent: usize,
    /// Whether the current line is still empty.
    fresh: bool,
    /// A comment that ends the current line.
    trailing: Option<String>,
}

impl Writer {
    /// Appends text. Line breaks inside (of a string literal) are kept as they are.
    pub(crate) fn put(&mut self, text: &str) {
        let mut text = text;
        let mut indent = self.indent;
        if self.trailing.is_some() {
            if text.trim_start().is_empty() {
                self.column += text.len();
                return;
            }
            // The rest of what was meant to be one line.
            text = text.trim_start();
            if indent <= self.line_indent {
                indent = self.line_indent + INDENT;
            }
            self.line();
        }
        if self.fresh {
            self.text.extend(std::iter::repeat_n(' ', indent));
            self.column = indent;
            self.line_indent = indent;
            self.fresh = false;
        }
        self.text.push_str(text);
        match text.rfind('\n') {
            Some(at) => self.column = text[at + 1..].chars().count(),
            None => self.column += text.chars().count(),
        }
    }

    /// Ends the current line with a comment: what is put next stands on a new one.
    pub(crate) fn trail(&mut self, comment: &str) {
        self.trailing = Some(comment.to_owned());
    }

    /// Ends the line if a comment does.
    pub(crate) fn end_comment(&mut self) {
        if self.trailing.is_some() {
            self.line();
        }
    }

    /// Ends the line.
    pub(crate) fn line(&mut self) {
        if let Some(comment) = self.trailing.take() {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push(' ');
            self.text.push_str(&comment);
        }
        self.text.push('\n');
        self.fresh = true;
    }

    /// The column at which text would come next.
    pub(crate) fn column(&self) -> usize {
        if self.fresh {
            self.indent
        } else {
            self.column
        }
    }

    /// Sets the indentation of the lines to come, and returns the one before.
    pub(crate) fn set_indent(&mut self, indent: usize) -> usize {
        std::mem::replace(&mut self.indent, indent)
    }

    /// The indentation of the lines to come.
    pub(crate) fn indent(&self) -> usize {
        self.indent
    }

    /// Everything.
    pub(crate) fn finish(mut self) -> String {
        self.end_comment();
        self.text
    }
}
