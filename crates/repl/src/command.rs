//! Commands: lines that begin with a colon.

use crate::session::{wrong, Answer, Problem, Session};
use fehu_base::FileId;
use fehu_check::show::Abbreviations;
use std::path::{Path, PathBuf};

/// Name, what stands behind it, and what it does.
const COMMANDS: [(&str, &str, &str); 14] = [
    (
        "load",
        "FILE",
        "forget everything that was declared, and use this file; without FILE, the last one again",
    ),
    ("type", "EXP", "show the type of an expression"),
    ("expand", "EXP", "show the type of an expression, with what its abbreviations stand for"),
    ("doc", "NAME", "show the type of a value, and what it is for"),
    ("mtype", "MODULE", "show what is in a module"),
    ("format", "TEXT", "show a text in which {EXP} stands for the value of an expression"),
    ("string", "EXP", "show an array of bytes as text"),
    ("unbreak", "", "go on, and do not stop here again"),
    ("nanbreak", "", "stop also where an operation makes a NaN, or no longer"),
    (
        "frame",
        "N",
        "go to the variables of the N-th caller of the function that stopped; 0 is the function itself",
    ),
    ("pwd", "", "show the current folder"),
    ("cd", "FOLDER", "go to another folder"),
    ("help", "", "show this"),
    ("quit", "", "leave"),
];

/// The names of all commands.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, ..)| *name)
}

impl Session {
    /// Answers a command, given without its colon. It may be shortened as long as it is clear which one is meant.
    pub(crate) fn command(&mut self, text: &str) -> Answer {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let meant: Vec<&str> = names().filter(|n| *n == name).collect();
        let meant = if meant.is_empty() { names().filter(|n| n.starts_with(name)).collect() } else { meant };
        match meant[..] {
            ["load"] => self.load_again(rest),
            ["type"] => self.type_of(rest, Abbreviations::Given),
            ["expand"] => self.type_of(rest, Abbreviations::Expanded),
            ["doc"] => self.documentation(rest),
            ["mtype"] => self.module_type(rest),
            ["format"] => self.format(rest),
            ["string"] => self.string(rest),
            ["unbreak"] => self.unbreak(),
            ["nanbreak"] => self.nanbreak(),
            ["frame"] => self.frame(rest),
            ["pwd"] => match std::env::current_dir() {
                Ok(folder) => Answer::Text(folder.display().to_string()),
                Err(e) => Problem::message(format!("there is no current folder: {e}")),
            },
            ["cd"] => match std::env::set_current_dir(rest) {
                Ok(()) => Answer::Done,
                Err(e) => Problem::message(format!("could not go to {rest}: {e}")),
            },
            ["help"] => Answer::Text(help()),
            ["quit"] => Answer::Quit,
            [] => Problem::message(format!("there is no command :{name}; :help lists all of them")),
            _ => {
                let all: Vec<String> = meant.iter().map(|n| format!(":{n}")).collect();
                Problem::message(format!(":{name} could be {}", all.join(" or ")))
            }
        }
    }

    fn load_again(&mut self, file: &str) -> Answer {
        let path = match (file, self.loaded()) {
            ("", None) => return Problem::message("which file? Write :load FILE"),
            ("", Some(path)) => path.to_owned(),
            (file, _) => PathBuf::from(file),
        };
        let path = match path.extension() {
            None if !path.exists() => path.with_extension("fut"),
            _ => path,
        };
        self.load(Path::new(&path))
    }

    /// The text that an array of bytes is.
    fn string(&mut self, exp: &str) -> Answer {
        let piece = self.piece(exp);
        let (_, errors) = fehu_syntax::parse_exp(FileId(0), exp);
        if !errors.is_empty() {
            return wrong(&piece, errors);
        }
        let value = match self.checked_value(piece) {
            Ok(checked) => self.run(&checked),
            Err(problem) => return problem,
        };
        match value.map(|v| v.bytes()) {
            Ok(Some(bytes)) => Answer::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(None) => Problem::message("only an array of type []u8 is a text"),
            Err(problem) => problem.answer(),
        }
    }

    /// A text in which expressions stand in braces.
    fn format(&mut self, text: &str) -> Answer {
        let mut out = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            rest = &rest[open + 1..];
            let Some(close) = closing(rest) else {
                return Problem::message("a { is never closed");
            };
            let piece = self.piece(&rest[..close]);
            let (_, errors) = fehu_syntax::parse_exp(FileId(0), &piece.text);
            if !errors.is_empty() {
                return wrong(&piece, errors);
            }
            let value = match self.checked_value(piece) {
                Ok(checked) => self.run(&checked),
                Err(problem) => return problem,
            };
            match value {
                Ok(value) => out.push_str(&value.to_string()),
                Err(problem) => return problem.answer(),
            }
            rest = &rest[close + 1..];
        }
        out.push_str(rest);
        Answer::Text(out)
    }
}

/// Where the brace is closed before this text: records have some too.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return Some(i),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// The command that a user means who omits its colon.
pub(crate) fn plain(line: &str) -> Option<&'static str> {
    match line {
        "exit" | "exit()" | "quit" | "quit()" | "bye" => Some("quit"),
        "help" | "help()" | "?" => Some("help"),
        _ => None,
    }
}

fn help() -> String {
    let width = COMMANDS.iter().map(|(name, what, _)| name.len() + what.len()).max().unwrap_or(0) + 4;
    let line =
        |(name, what, does): &(&str, &str, &str)| format!("{:width$}{does}", format!(":{name} {what}"));
    let commands: Vec<String> = COMMANDS.iter().map(line).collect();
    format!(
        "An expression is evaluated, a declaration is remembered:\n  map (* 2) [1, 2, 3]\n  def square (x: i32) = x * x\n\n\
         Commands, which may be shortened; `exit` and Ctrl-D leave, too:\n{}",
        commands.join("\n")
    )
}
