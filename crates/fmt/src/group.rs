//! Tuples, arrays and records: items between brackets, separated by commas.
//!
//! ```text
//! (a, b)      ( a
//!             , b
//!             )
//! ```

use crate::printer::{Layout, Printer};

/// The brackets around items.
#[derive(Clone, Copy)]
pub(crate) enum Brackets {
    Round,
    Square,
    Curly,
}

impl Brackets {
    fn open(self) -> &'static str {
        match self {
            Brackets::Round => "(",
            Brackets::Square => "[",
            Brackets::Curly => "{",
        }
    }

    fn close(self) -> &'static str {
        match self {
            Brackets::Round => ")",
            Brackets::Square => "]",
            Brackets::Curly => "}",
        }
    }
}

impl Printer<'_> {
    /// Items in brackets; `print` writes one of them.
    pub(crate) fn group<T>(
        &mut self,
        brackets: Brackets,
        layout: Layout,
        items: &[T],
        mut print: impl FnMut(&mut Self, &T),
    ) {
        self.align(|p| {
            p.put(brackets.open());
            for (i, item) in items.iter().enumerate() {
                match (layout, i) {
                    (Layout::OneLine, 0) => {}
                    (Layout::OneLine, _) => p.put(", "),
                    (Layout::Lines, 0) => p.put(" "),
                    (Layout::Lines, _) => {
                        p.line();
                        p.put(", ");
                    }
                }
                print(p, item);
            }
            if layout == Layout::Lines {
                p.line();
            }
            p.put(brackets.close());
        });
    }
}
