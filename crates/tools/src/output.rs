//! Writing to standard output and standard error without ever failing in the middle of something.
//!
//! `println!` panics when a disk is full or a reader has gone. Here the first failure is remembered, later text is
//! dropped, and the command ends with [`finish`], which says what happened. Long commands ask [`failed`] whether it is
//! worth going on.
//!
//! ```text
//! outln!("{} passed", passed);       // standard output
//! errln!("fehu: {message}");         // standard error: problems and progress
//! finish()                           // in the end: Err(1) and a message if the disk is full
//! ```

use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

/// The exit code when results could not be written.
const CANNOT_WRITE: u8 = 1;

/// The exit code when the reader has gone: what a shell reports for programs that a closed pipe ends.
const CLOSED_PIPE: u8 = 141;

static FAILURE: OnceLock<io::Error> = OnceLock::new();

/// Prints a line to standard output.
#[macro_export]
macro_rules! outln {
    ($($arg:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($arg)*))) };
}

/// Prints to standard output.
#[macro_export]
macro_rules! out {
    ($($arg:tt)*) => { $crate::output::write(format_args!($($arg)*)) };
}

/// Prints a line to standard error.
#[macro_export]
macro_rules! errln {
    ($($arg:tt)*) => { $crate::output::complain(format_args!("{}\n", format_args!($($arg)*))) };
}

/// Writes text to standard output; what [`outln!`] does.
pub fn write(text: Arguments<'_>) {
    attempt(|| io::stdout().lock().write_fmt(text));
}

/// Writes bytes to standard output.
pub fn write_bytes(bytes: &[u8]) {
    attempt(|| io::stdout().lock().write_all(bytes));
}

/// Writes text to standard error; what [`errln!`] does. If that fails, the failure cannot be reported.
/// Names of files and what programs say cannot move the cursor of a terminal.
pub fn complain(text: Arguments<'_>) {
    let text = text.to_string();
    let plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    let shown = match text.chars().all(plain) {
        true => text,
        false => text
            .chars()
            .map(|c| if plain(c) { c.to_string() } else { c.escape_default().to_string() })
            .collect(),
    };
    let _ = io::stderr().lock().write_all(shown.as_bytes());
}

/// Whether standard output takes no more.
pub fn failed() -> bool {
    FAILURE.get().is_some()
}

/// Writes what is still in a buffer. If something could not be written, says so and gives an exit code; a reader that
/// had enough (`fehu tokens prog.fut | head`) needs no message.
pub fn finish() -> Result<(), u8> {
    attempt(|| io::stdout().lock().flush());
    match FAILURE.get() {
        None => Ok(()),
        Some(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(CLOSED_PIPE),
        Some(e) => {
            errln!("fehu: could not write to standard output: {e}");
            Err(CANNOT_WRITE)
        }
    }
}

/// Whether to use colours on something that is a terminal or not, by the variables that people set for all programs:
/// `NO_COLOR` means never, `CLICOLOR_FORCE` always, and a dumb terminal has none.
pub fn colours(terminal: bool) -> bool {
    colours_by(|name| std::env::var_os(name).unwrap_or_default().into_string().unwrap_or_default(), terminal)
}

/// Whether progress bars can be drawn.
pub fn progress_bars() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
}

fn colours_by(variable: impl Fn(&str) -> String, terminal: bool) -> bool {
    if !variable("NO_COLOR").is_empty() {
        return false;
    }
    match variable("CLICOLOR_FORCE").as_str() {
        "" | "0" => terminal && variable("TERM") != "dumb",
        _ => true,
    }
}

fn attempt(work: impl FnOnce() -> io::Result<()>) {
    if failed() {
        return;
    }
    if let Err(e) = work() {
        // Another thread may have failed first; one failure is enough.
        let _ = FAILURE.set(e);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_as_people_ask_for() {
        let with = |set: &[(&str, &str)], terminal| {
            let value = |name: &str| set.iter().find(|(n, _)| *n == name).map_or("", |(_, v)| v).to_owned();
            colours_by(value, terminal)
        };
        assert!(with(&[], true));
        assert!(!with(&[], false));
        assert!(!with(&[("NO_COLOR", "1")], true));
        assert!(!with(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], true));
        assert!(with(&[("CLICOLOR_FORCE", "1")], false));
        assert!(with(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], false));
        assert!(!with(&[("CLICOLOR_FORCE", "0")], false));
        assert!(!with(&[("TERM", "dumb")], true));
        assert!(with(&[("NO_COLOR", ""), ("TERM", "xterm")], true));
    }
}
