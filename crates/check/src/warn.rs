//! Warnings that need the whole declaration: unused names and the like.

use crate::context::Context;
use crate::tast;

/// Reports the warnings of one declaration.
pub fn check_val_bind(ctx: &mut Context, bind: &tast::ValBind) {
    let _ = (ctx, bind);
}
