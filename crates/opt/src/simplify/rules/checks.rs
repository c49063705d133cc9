//! Checks that always hold.

use super::{one, Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_base::prim::PrimValue;
use fehu_ir::{Exp, Rep, Stm, SubExp};

pub(super) fn rules<R: Rep<Dec = ()>>() -> [Rule<R>; 1] {
    [Rule { name: "true checks", apply: holds }]
}

fn holds<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    match &stm.exp {
        Exp::Assert(SubExp::Const(PrimValue::Bool(true)), _) if stm.certs.is_empty() => {
            one(SubExp::Const(PrimValue::Unit))
        }
        _ => None,
    }
}
