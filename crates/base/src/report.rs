//! What the compiler is doing, so that the report of a mistake of its own says where that is.
//!
//! In: the step that runs (from the runner of passes), and the statement that is looked at (from the walks
//! over programs). Out: a few words that [`bug!`](crate::bug) adds to its message. Walks note only what they
//! come by, so it is the statement that was looked at last.
//!
//! ```text
//! internal compiler error in fusion#2, at the statement of _23: no type for x_17
//! ```
//!
//! The name is shown by its number, with which it ends in what `fehu dev --after` prints; no two names of a
//! program have the same, so that it tells the function, too.

use crate::Name;
use std::cell::Cell;

thread_local! {
    static STEP: Cell<Option<(&'static str, usize)>> = const { Cell::new(None) };
    static STATEMENT: Cell<Option<Name>> = const { Cell::new(None) };
}

/// A step begins, for the n-th time.
pub fn step(name: &'static str, nth: usize) {
    STEP.set(Some((name, nth)));
    STATEMENT.set(None);
}

/// A statement that binds this is looked at.
pub fn statement(name: Name) {
    STATEMENT.set(Some(name));
}

/// Where we are, as part of a message; nothing before the first step.
pub fn place() -> String {
    let Some((name, nth)) = STEP.get() else { return String::new() };
    let mut text = format!(" in {name}#{nth}");
    if let Some(Name(n)) = STATEMENT.get() {
        text.push_str(&format!(", at the statement of _{n}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_says_where_it_is() {
        let message = || {
            let caught = std::panic::catch_unwind(|| crate::bug!("no type")).expect_err("it panics");
            caught.downcast_ref::<String>().cloned().unwrap_or_default()
        };
        assert!(message().starts_with("internal compiler error: no type\n"));
        step("fusion", 2);
        assert!(message().starts_with("internal compiler error in fusion#2: no type\n"));
        statement(Name(23));
        let text = message();
        assert!(text.starts_with("internal compiler error in fusion#2, at the statement of _23: no type\n"));
        step("simplify", 1);
        assert!(message().starts_with("internal compiler error in simplify#1: no type\n"));
    }
}
