//! How much a pass may look at: so much for each statement of a function, and something for the smallest.
//!
//! Whether memory may be shared is decided by looking at all statements in between, and these can be all of
//! the function for each of its arrays. A pass that has used up its budget leaves things as they are; so its
//! time is proportional to the size of the function.

use fehu_ir::visit::for_each_stm;
use fehu_ir::{Body, Memory};
use std::cell::Cell;

/// Statements that are looked at for one statement of the function, on average.
const STEPS_PER_STM: usize = 10;
/// Statements that may be looked at in any function.
const FREE_STEPS: usize = 10_000;

/// See the module's text.
#[derive(Default)]
pub(crate) struct Budget {
    left: Cell<usize>,
}

impl Budget {
    /// The budget for a function's body.
    pub(crate) fn of(body: &Body<Memory>) -> Budget {
        let mut stms = 0;
        for_each_stm(body, &mut |_| stms += 1);
        Budget { left: Cell::new(FREE_STEPS + STEPS_PER_STM * stms) }
    }

    /// Takes steps, if there are so many left.
    pub(crate) fn take(&self, steps: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(steps));
        left >= steps
    }
}
