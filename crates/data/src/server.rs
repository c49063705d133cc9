//! The client of a server executable: a compiled program that keeps values in
//! named variables and obeys commands, one a line.
//!
//! [`Server`] speaks over any reader and writer, so that starting the process
//! (and reading what it says on its standard error) is the caller's business.
//! Every command has a method that checks what it sends and parses what comes
//! back (`server/commands.rs`); [`Server::command`] sends any other.
//!
//! An answer is some lines and then `%%% OK`. If the command failed, a line
//! `%%% FAILURE` separates what was logged before from the error message. A
//! failure leaves the server ready for the next command; any other
//! [`ServerError`] means that the conversation is over.

mod commands;
#[cfg(test)]
mod tests;

pub use commands::{CallReport, Kind, ServerType, Variant};

use std::fmt;
use std::io::{self, BufRead, Write};

const OK: &str = "%%% OK";
const FAILURE: &str = "%%% FAILURE";

/// A conversation with a server executable.
#[derive(Debug)]
pub struct Server<R, W> {
    reader: R,
    writer: W,
}

/// Why a command has no answer.
#[derive(Debug)]
pub enum ServerError {
    /// The server carried the command out, or began to, and reports an error.
    Failure {
        /// The error message.
        message: String,
        /// What was printed before the failure.
        log: Vec<String>,
    },
    /// The server ended instead of answering.
    Closed {
        /// The command sent; `None` if it was not ready for one yet.
        command: Option<String>,
        /// What it printed last.
        log: Vec<String>,
    },
    /// Reading or writing failed.
    Io(io::Error),
    /// An answer that the protocol does not allow.
    Protocol {
        /// The command sent.
        command: String,
        /// The answer.
        answer: String,
    },
    /// A word that no command can carry, as it has a quote or a line break.
    Word(String),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerError::Failure { message, .. } => f.write_str(message),
            ServerError::Closed { command, log } => {
                match command {
                    Some(command) => write!(f, "the server ended during `{command}`")?,
                    None => f.write_str("the server ended before it was ready")?,
                }
                if log.is_empty() {
                    return Ok(());
                }
                write!(f, ", after saying:\n{}", log.join("\n"))
            }
            ServerError::Io(error) => write!(f, "cannot talk to the server: {error}"),
            ServerError::Protocol { command, answer } => {
                write!(f, "the server's answer to `{command}` makes no sense: {answer}")
            }
            ServerError::Word(word) => {
                write!(f, "a server command cannot contain {word:?}")
            }
        }
    }
}

impl std::error::Error for ServerError {}

impl From<io::Error> for ServerError {
    fn from(error: io::Error) -> ServerError {
        ServerError::Io(error)
    }
}

impl ServerError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn of_io(error: io::Error, command: Option<&str>) -> ServerError {
        match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => {
                ServerError::Closed { command: command.map(str::to_owned), log: Vec::new() }
            }
            _ => ServerError::Io(error),
        }
    }
}

impl<R: BufRead, W: Write> Server<R, W> {
    /// Waits until the server has started.
    pub fn new(reader: R, writer: W) -> Result<Server<R, W>, ServerError> {
        let mut server = Server { reader, writer };
        server.answer(None)?;
        Ok(server)
    }

    /// Sends a command of one or more words and returns the lines of the
    /// answer.
    pub fn command<S: AsRef<str>>(&mut self, words: &[S]) -> Result<Vec<String>, ServerError> {
        let line = command_line(words)?;
        let sent = self.writer.write_all(line.as_bytes()).and_then(|()| self.writer.flush());
        let command = line.trim_end();
        sent.map_err(|error| ServerError::of_io(error, Some(command)))?;
        self.answer(Some(command))
    }

    /// Ends the conversation, which ends the server, and hands back its ends.
    pub fn into_parts(self) -> (R, W) {
        (self.reader, self.writer)
    }

    /// Reads up to and including `%%% OK`.
    fn answer(&mut self, command: Option<&str>) -> Result<Vec<String>, ServerError> {
        let mut log = Vec::new();
        let mut message: Option<Vec<String>> = None;
        loop {
            let mut bytes = Vec::new();
            let read = self.reader.read_until(b'\n', &mut bytes);
            if read.map_err(|error| ServerError::of_io(error, command))? == 0 {
                log.extend(message.into_iter().flatten());
                return Err(ServerError::Closed { command: command.map(str::to_owned), log });
            }
            let text = String::from_utf8_lossy(&bytes);
            let line = text.strip_suffix('\n').unwrap_or(&text);
            let line = line.strip_suffix('\r').unwrap_or(line);
            match (line, &mut message) {
                (OK, _) => break,
                (FAILURE, None) => message = Some(Vec::new()),
                (_, None) => log.push(line.to_string()),
                (_, Some(message)) => message.push(line.to_string()),
            }
        }
        match message {
            None => Ok(log),
            Some(lines) => Err(ServerError::Failure { message: lines.join("\n"), log }),
        }
    }
}

/// A command as sent: words with spaces, and empty ones, in quotes.
fn command_line<S: AsRef<str>>(words: &[S]) -> Result<String, ServerError> {
    let mut line = String::new();
    for word in words {
        let word = word.as_ref();
        if word.contains(['"', '\n', '\r']) {
            return Err(ServerError::Word(word.to_string()));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        if word.is_empty() || word.contains(char::is_whitespace) {
            line.push('"');
            line.push_str(word);
            line.push('"');
        } else {
            line.push_str(word);
        }
    }
    line.push('\n');
    Ok(line)
}
