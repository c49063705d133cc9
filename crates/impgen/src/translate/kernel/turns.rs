//! Points of an operation in a thread block, where there are several for each thread: computed some at once, then written.
//!
//! A thread waits for what it has read when it needs it. If it wrote each value before it reads for the next point, it would wait
//! once for each point; so it keeps some values, and waits once for all of them:
//!
//! ```text
//! for (next = thread; next < points; next += 8 * threads) {
//!   for k < 8: values[k] = ... reads ...          both loops are unrolled, and `values` are registers
//!   for k < 8: results[point k] = values[k]
//! }
//! ```

use crate::translate::state::KernelCode;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::syntax::Expr;

/// Points that a thread computes before it writes any of them.
const AT_ONCE: i64 = 8;

/// All numbers below a bound, shared out among the threads of a block: for each of them, values of these types are computed,
/// and written later. To count the turns would take a division, which is slower than the turn of a short row.
pub(super) fn in_turns(
    t: &mut KernelCode,
    bound: &Expr,
    types: &[PrimType],
    compute: impl FnOnce(&mut KernelCode, Expr) -> Vec<Expr>,
    write: impl FnOnce(&mut KernelCode, Expr, Vec<Expr>),
) {
    let next = t.let_as("next", PrimType::I64, local());
    t.while_(lt(var(next), bound.clone()), |t| {
        let first = var(t.let_as("first", PrimType::I64, var(next)));
        let kept: Vec<Name> = types.iter().map(|ty| t.private_array("kept", *ty, AT_ONCE)).collect();
        each(t, &first, bound, |t, k, at| {
            t.guarded(|t| {
                let values = compute(t, at);
                for ((mem, ty), value) in kept.iter().zip(types).zip(values) {
                    t.store(*mem, *ty, k.clone(), value);
                }
            });
        });
        each(t, &first, bound, |t, k, at| {
            let values = kept.iter().zip(types).map(|(mem, ty)| t.element(*mem, *ty, k.clone())).collect();
            write(t, at, values);
        });
        t.set_to(next, add(var(next), mul(block_size(), i64(AT_ONCE))));
    });
}

/// The points of a turn.
fn each(t: &mut KernelCode, first: &Expr, bound: &Expr, body: impl FnOnce(&mut KernelCode, Expr, Expr)) {
    t.for_up_to("k", i64(AT_ONCE), |t, k| {
        let at = t.let_i64("at", add(first.clone(), mul(k.clone(), block_size())));
        t.if_then(lt(at.clone(), bound.clone()), |t| body(t, k, at));
    });
}
