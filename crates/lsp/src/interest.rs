//! Whether an answer is still wanted: requests can be cancelled, and edits make answers about older texts useless.
//!
//! The thread that reads messages notes both at once; the work on an answer asks from time to time.

use crate::protocol::Incoming;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The message that changes a text.
pub(crate) const CHANGED: &str = "textDocument/didChange";
/// The message that cancels a request.
pub(crate) const CANCEL: &str = "$/cancelRequest";

/// What is known of it; all clones know the same.
#[derive(Clone, Default)]
pub(crate) struct Interest {
    /// Requests whose answers are no longer wanted, as JSON.
    cancelled: Arc<Mutex<BTreeSet<String>>>,
    /// How many edits have come that were not looked at: what is checked meanwhile is about an old text.
    edits: Arc<AtomicUsize>,
    /// The request that is being answered, as JSON.
    current: Option<String>,
}

impl Interest {
    /// Notes what a message says, before its turn has come.
    pub(crate) fn note(&self, incoming: &Incoming) {
        let Incoming::Message(message) = incoming else { return };
        if message["method"] == CANCEL {
            if let Ok(mut cancelled) = self.cancelled.lock() {
                cancelled.insert(message["params"]["id"].to_string());
            }
        }
        if message["method"] == CHANGED {
            self.edits.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The turn of a message has come.
    pub(crate) fn reached(&mut self, message: &Value) {
        if message["method"] == CHANGED {
            self.edits.fetch_sub(1, Ordering::Relaxed);
        }
        if message["method"] == CANCEL {
            // The request has been answered.
            if let Ok(mut cancelled) = self.cancelled.lock() {
                cancelled.remove(&message["params"]["id"].to_string());
            }
        }
        self.current = message.get("id").map(Value::to_string);
    }

    /// No request is being answered.
    pub(crate) fn rest(&mut self) {
        self.current = None;
    }

    /// Whether the request that is being answered was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        let Some(current) = &self.current else { return false };
        self.cancelled.lock().is_ok_and(|c| c.contains(current))
    }

    /// Whether an edit waits.
    pub(crate) fn is_outdated(&self) -> bool {
        self.edits.load(Ordering::Relaxed) > 0
    }

    /// Whether the work on an answer can stop.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_outdated() || self.is_cancelled()
    }
}
