//! What an editor knows of the colours of a text.

use std::cell::RefCell;

/// What an editor was told last about a file: it may ask for what has changed since.
#[derive(Default)]
pub(crate) struct Told(RefCell<(usize, Vec<u32>)>);

impl Told {
    /// What the last answer was called, and its numbers.
    pub(crate) fn last(&self) -> (usize, Vec<u32>) {
        self.0.borrow().clone()
    }

    /// Remembers the numbers; how this answer is called.
    pub(crate) fn tell(&self, data: Vec<u32>) -> String {
        let mut told = self.0.borrow_mut();
        *told = (told.0 + 1, data);
        told.0.to_string()
    }
}
