//! Patterns over the messages of the compiler and of programs.

use regex::{Regex, RegexBuilder};
use std::fmt;

/// A regular expression that a message must match somewhere.
///
/// Messages are wrapped to the width of a terminal, and tests do not know
/// where; so a pattern also matches if it matches the message with all white
/// space made single spaces.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern, or says why it is none.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let regex = RegexBuilder::new(text).dot_matches_new_line(true).size_limit(1 << 22).build();
        match regex {
            Ok(regex) => Ok(Pattern { regex }),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Whether a message matches.
    pub fn matches(&self, message: &str) -> bool {
        let message = message.trim();
        if self.regex.is_match(message) {
            return true;
        }
        let unwrapped = message.split_whitespace().collect::<Vec<_>>().join(" ");
        self.regex.is_match(&unwrapped)
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
