//! Aliases and consumption, on the finished typed tree.

use crate::context::Context;
use crate::tast;

/// Reports uses of consumed values, consumption of what may not be consumed,
/// and aliased unique results, in one declaration. Where no result type was
/// declared (see [`Context::declared`]), the alias-free parts of `bind.ret.ty`
/// become unique: the caller must put that into the scheme others see.
pub fn check_val_bind(ctx: &mut Context, bind: &mut tast::ValBind) {
    let _ = (ctx, bind);
}
