//! Rule of recursion: calls of a function that do not need each other's results are one call, at the points
//! of all of them.
//!
//! Quicksort calls itself twice. If each call were made by itself, there would be 2^k of them at depth k, and
//! the host would make them one after the other. So a body that comes to a call of a function that calls
//! itself does not make it: it goes on with all that does not need the result, in the bodies around it, too.
//! Then the calls that wait are made, one for each function ([`super::calls::call_together`]), and all goes
//! on from there.
//!
//! ```text
//! let a = sorted low                          let both = sorted_lifted (lows at the points ++ highs at the points)
//! let b = sorted high at each point    =>     let a    = the first part of both
//! in  a ++ b                                  let b    = the second part
//! ```
//!
//! What can wait in the middle, besides calls: a branch, whose sides may wait for different calls, and a map,
//! reduction or scan, whose function may. So all calls of
//!
//! ```text
//! f x + (if c then f y else 1) + sum (map (\z -> if d z then f z else f (z + 1)) zs)
//! ```
//!
//! are one. Loops, and the operators and functions of other combinators, make the calls in them before they end.
//!
//! Because statements are done in another order, one that takes over an array comes after all that is late
//! and uses the array.

use super::calls::call_together;
use super::level::Lift;
use super::running::{Call, Open, Running, State};
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::free::Names;
use rustc_hash::FxHashSet;

/// Names that are bound by statements that are not done, and names that these use.
#[derive(Default)]
pub(super) struct Late {
    bound: FxHashSet<Name>,
    used: Names,
}

impl Late {
    /// A statement is late.
    pub(super) fn add(&mut self, bound: &[Name], used: &Names) {
        self.bound.extend(bound);
        self.used.extend(used);
    }

    /// Whether a statement has to wait: it uses what is not there, or takes over an array that is still needed.
    pub(super) fn concerns(&self, aliases: &Aliases, used: &Names, consumed: impl Fn() -> Names) -> bool {
        if self.bound.is_empty() {
            return false;
        }
        let needed = |c: &Name| self.used.iter().any(|n| aliases.may_alias(*n, *c));
        used.iter().any(|n| self.bound.contains(n)) || consumed().iter().any(needed)
    }
}

/// Makes the calls that a body waits for.
pub(super) fn make_calls(lift: &mut Lift<'_>, at: &Running) -> Option<()> {
    let mut calls = vec![];
    at.calls(&mut calls);
    while let Some(first) = calls.first() {
        let fun = first.fun;
        let (same, others): (Vec<&Call>, Vec<&Call>) = calls.into_iter().partition(|c| c.fun == fun);
        call_together(lift, &same)?;
        calls = others;
    }
    Some(())
}

/// Goes on with a statement after calls were made. Says whether it is done.
pub(super) fn go_on_with(lift: &mut Lift<'_>, open: &mut Open) -> Option<bool> {
    let outer = (
        std::mem::replace(&mut lift.b.certs, open.certs.clone()),
        std::mem::replace(&mut lift.b.loc, open.stays.1.clone()),
    );
    let done = match &mut open.state {
        State::Call(_) => Some(true),
        State::Branch(branch) => lift.go_on_with_branch(branch),
        State::Map(map) => lift.go_on_with_map(map),
    };
    (lift.b.certs, lift.b.loc) = outer;
    if done.is_none() {
        lift.stays.get_or_insert_with(|| open.stays.clone());
    }
    done
}
