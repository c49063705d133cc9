//! Constant data is made outside of kernels, once, and read by all threads.

use super::Legalise;
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::consume::consumed_directly;
use fehu_ir::seg::SegOp;
use fehu_ir::visit::{change, for_each_stm, Mutator};
use fehu_ir::{ArrayData, Basic, Body, Exp, Kernels, SubExp, Type};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Legalise {
    /// Moves constant data out of a kernel.
    pub(super) fn constants(&mut self, seg: &mut SegOp<Kernels>) {
        let mut any = false;
        for_each_stm(&seg.body.body, &mut |stm| any |= matches!(stm.exp, Exp::Basic(Basic::ArrayConst(_))));
        if !any {
            return;
        }
        let aliases = Aliases::of_body(&self.signatures, &seg.body.body);
        let mut consumed = FxHashSet::default();
        for_each_stm(&seg.body.body, &mut |stm| {
            for n in consumed_directly(&self.signatures, &stm.exp) {
                consumed.extend(aliases.of(n));
            }
        });
        let certs = std::mem::take(&mut self.b.certs);
        let mut moved = Moved { legalise: self, consumed: &consumed };
        moved.body(&mut seg.body.body);
        self.b.certs = certs;
    }

    fn constant(&mut self, data: &Arc<ArrayData>) -> Name {
        let ty = Type::Array(data.elem, vec![SubExp::i64(data.values.len() as i64)]);
        self.b.bind("data", ty, Exp::Basic(Basic::ArrayConst(data.clone())))
    }
}

struct Moved<'a> {
    legalise: &'a mut Legalise,
    consumed: &'a FxHashSet<Name>,
}

impl Mutator<Kernels> for Moved<'_> {
    fn body(&mut self, body: &mut Body<Kernels>) {
        for stm in &mut body.stms {
            if let (Exp::Basic(Basic::ArrayConst(data)), [p]) = (&stm.exp, &stm.pat[..]) {
                let made = self.legalise.constant(data);
                stm.exp = if self.consumed.contains(&p.name) {
                    Exp::Basic(Basic::Copy(made))
                } else {
                    Exp::Basic(Basic::SubExp(made.into()))
                };
            }
        }
        change::body(self, body);
    }
}
