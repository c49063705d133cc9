//! What is consumed anywhere in a body, with all that its memory may come from.

use fehu_base::Name;
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::consume::consumed_directly;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Body, Kernels};
use rustc_hash::FxHashSet;

pub(super) fn anywhere(signatures: &Signatures, aliases: &Aliases, body: &Body<Kernels>) -> FxHashSet<Name> {
    let mut consumed = FxHashSet::default();
    for_each_stm(body, &mut |stm| {
        for n in consumed_directly(signatures, &stm.exp) {
            if !consumed.contains(&n) {
                consumed.extend(aliases.of(n));
            }
        }
    });
    consumed
}
