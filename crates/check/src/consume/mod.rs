//! Aliases and consumption, on the finished typed tree.
//!
//! An array that is *consumed* (updated in place, or passed for a parameter
//! marked with `*`) must not be used again, not even under another name. So we
//! walk each declaration in the order of evaluation and keep two things: what
//! memory every variable may share with others ([`alias`]), and what has been
//! consumed on the way ([`state`]). The walk itself is in [`exp`], with a file
//! each for calls, functions and loops; the words for what goes wrong are in
//! [`errors`].
//!
//! The rules in short:
//!
//! - Scalars share nothing, and so do the results of most constructs. Names,
//!   projections, slices, branches and loops share what they are made of.
//! - A call's result shares with all arguments that are not consumed, unless its
//!   type is marked with `*`.
//! - A function holds on to the variables it captures.
//! - Inside a function or a loop body, only what was made there may be consumed.
//! - Where a result type is not declared, its alias-free parts become unique.
//!
//! Components of records and sums are followed one by one. Parameters are the
//! exception: unless all of a parameter is unique, its parts may share memory.

mod alias;
mod apply;
mod errors;
mod exp;
mod function;
mod loops;
mod state;

use crate::context::Context;
use crate::tast;
use state::State;

/// Reports uses of consumed values, consumption of what may not be consumed,
/// and aliased unique results, in one declaration. Writes down what it found:
///
/// - Where no result type was declared (see [`Context::declared`]), the
///   alias-free parts of `bind.ret.ty` become unique. The caller must put that
///   into the scheme others see. Likewise the result types of lambdas and local
///   functions, declared or not.
/// - In the types of loop patterns, those parts are unique that the loop consumes.
pub fn check_val_bind(ctx: &mut Context, bind: &mut tast::ValBind) {
    State::new(ctx).val_bind(bind);
}
