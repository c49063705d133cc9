//! Text with indentation: what the printer writes to.
//!
//! Indentation is written only before text, so no line ends in spaces.

/// The text so far, and where the next line will be indented.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    column: usize,
    indent: usize,
    /// Whether the current line is still empty.
    fresh: bool,
}

impl Writer {
    /// Appends text. Line breaks inside (of a string literal) are kept as they are.
    pub(crate) fn put(&mut self, text: &str) {
        if self.fresh {
            self.text.extend(std::iter::repeat_n(' ', self.indent));
            self.column = self.indent;
            self.fresh = false;
        }
        self.text.push_str(text);
        match text.rfind('\n') {
            Some(at) => self.column = text[at + 1..].chars().count(),
            None => self.column += text.chars().count(),
        }
    }

    /// Ends the line.
    pub(crate) fn line(&mut self) {
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
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
