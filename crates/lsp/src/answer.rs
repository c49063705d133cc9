//! Answers to requests, and why there is none.

use serde_json::Value;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What is asked for cannot be done.
    Because(String),
    /// The answer is no longer wanted.
    GivenUp,
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Because(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal::Because(why.to_owned())
    }
}

/// The answer to a request.
pub(crate) type Answer = Result<Value, Refusal>;
