//! What stands behind the options in each help text: `help.md`, whose sections are the commands.
//!
//! Paragraphs become one line each, which clap wraps at words, as wide as the terminal is. Indented lines stay.

use clap::{Command, CommandFactory};

const TEXTS: &str = include_str!("../help.md");

/// The command line, with all of its help.
pub(crate) fn command() -> Command {
    with_texts(crate::Cli::command(), "fehu")
}

/// A command with what `help.md` says of it and of the commands in it.
fn with_texts(command: Command, path: &str) -> Command {
    let own = command.get_after_help().map(ToString::to_string);
    let own = own.map(|text| text.split("\n\n").map(block).collect::<Vec<_>>().join("\n\n"));
    let text: Vec<String> = own.into_iter().chain(section(path)).collect();
    let command = command.after_help(text.join("\n\n"));
    command.mut_subcommands(|inner| {
        let path = match path {
            "fehu" => inner.get_name().to_owned(),
            outer => format!("{outer} {}", inner.get_name()),
        };
        with_texts(inner, &path)
    })
}

/// What is said of a command behind its options.
pub(crate) fn section(path: &str) -> Option<String> {
    let mut sections = TEXTS.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    let (_, text) = sections.find(|(name, _)| *name == path)?;
    let text = text.trim_matches('\n').split("\n\n").map(block).collect::<Vec<_>>().join("\n\n");
    Some(text.replace("Examples:\n\n", "Examples:\n"))
}

/// A paragraph as one line, or indented lines, with the indentation of help texts.
fn block(text: &str) -> String {
    let indented = |line: &str| line.starts_with("  ");
    match text.lines().all(indented) {
        true => text.lines().map(|line| format!("  {}", line.trim_start())).collect::<Vec<_>>().join("\n"),
        false => text.lines().collect::<Vec<_>>().join(" "),
    }
}
