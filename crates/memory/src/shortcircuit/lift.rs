//! What a destination depends on is computed earlier.
//!
//! A value can only be made at its destination if the place is known by then, and what has to be checked
//! before something is put there has been checked. Scalars, checks, and allocations move up, over the
//! statement that makes the value, with all that they depend on. A check then fails before the value is
//! computed instead of afterwards. Elements of arrays are read earlier if nothing in between writes to their
//! memory.

use super::around::Around;
use super::{is_alloc, Reason, ShortCircuit};
use fehu_algebra::Facts;
use fehu_analysis::order::{Order, Side, Uses};
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::mem::MemOp;
use fehu_ir::{Basic, Body, Exp, Memory, SubExp, Type};
use std::collections::BTreeSet;

/// So many statements are moved for one value at most.
const MAX_LIFTED: usize = 200;

impl ShortCircuit {
    /// The statements that must move for some names to be known before a statement, in order, if they can.
    pub(super) fn to_lift(
        &self,
        body: &Body<Memory>,
        around: &Around,
        facts: &Facts,
        names: impl IntoIterator<Item = Name>,
        before: usize,
    ) -> Result<Vec<usize>, Reason> {
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<Name> = names.into_iter().collect();
        while let Some(n) = open.pop() {
            let Some(i) = around.bound_at.get(&n).copied().filter(|i| *i >= before) else { continue };
            if !needed.insert(i) {
                continue;
            }
            let stm = &body.stms[i];
            if needed.len() > MAX_LIFTED || !self.can_lift(body, around, facts, i, before) {
                return Err(Reason::PlaceIsKnownTooLate);
            }
            open.extend(free_in_stm(stm));
        }
        Ok(needed.into_iter().collect())
    }

    fn can_lift(&self, body: &Body<Memory>, around: &Around, facts: &Facts, i: usize, before: usize) -> bool {
        let stm = &body.stms[i];
        if is_alloc(&stm.exp) {
            return stm.certs.is_empty();
        }
        if !stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_))) {
            return false;
        }
        match &stm.exp {
            Exp::Basic(
                Basic::SubExp(_)
                | Basic::UnOp(..)
                | Basic::CmpOp(..)
                | Basic::Conv(..)
                | Basic::PrimFn(..)
                | Basic::Assert(..),
            ) => true,
            Exp::Op(MemOp::Size(_)) => true,
            Exp::Basic(Basic::BinOp(op, _, y)) => !op.is_partial() || !stm.certs.is_empty() || is_nonzero(y),
            Exp::Basic(Basic::Index(a, _)) => self.unwritten(body, around, facts, *a, before..i),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                false
            }
        }
    }

    /// Whether no statement in a range writes to the memory of an array.
    fn unwritten(
        &self,
        body: &Body<Memory>,
        around: &Around,
        facts: &Facts,
        array: Name,
        range: std::ops::Range<usize>,
    ) -> bool {
        let Some(block) = self.tables.block_of(array) else { return false };
        if around.bound_at.get(&array).is_some_and(|at| *at >= range.start) {
            return false;
        }
        let shared = |n: Name| self.tables.block_of(n).is_some_and(|b| self.blocks.may_be_same(b, block));
        let side = |n: Name| match self.tables.place(n) {
            Some(place) if shared(n) => Side::Destination(place.lmad.clone()),
            Some(_) => Side::None,
            None if shared(n) => Side::Destination(self.anywhere()),
            None => Side::None,
        };
        let order = Order { known: &self.known, side: &side };
        let mut uses = Uses::nothing();
        range.into_iter().all(|i| {
            !around.mentions[i].iter().any(|n| shared(*n))
                || order.stms(facts, std::slice::from_ref(&body.stms[i]), &mut uses)
        }) && uses.overwritten.is_nothing()
    }
}

fn is_nonzero(e: &SubExp) -> bool {
    e.as_i64().is_some_and(|c| c != 0)
}
