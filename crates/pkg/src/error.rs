//! What can go wrong.

use fehu_base::{Diagnostic, SourceMap};
use std::fmt;

/// Why a command failed.
#[derive(Debug)]
pub enum Error {
    /// A `futhark.pkg` is wrong; the place is in these sources.
    Manifest(Box<(Diagnostic, SourceMap)>),
    /// Anything else, as a sentence without a full stop.
    Other(String),
}

impl Error {
    /// An error with this message.
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error::Other(message.into())
    }

    /// A file that could not be used.
    pub(crate) fn io(what: &str, path: &std::path::Path, e: &std::io::Error) -> Error {
        Error::Other(format!("could not {what} {}: {e}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Manifest(wrong) => {
                write!(f, "{}", wrong.0.render(&wrong.1, fehu_base::diagnostic::Colour::Never))
            }
            Error::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}
