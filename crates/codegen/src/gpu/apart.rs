//! Which blocks a kernel shares with none of its others.
//!
//! A kernel that reads one block and writes another can have many reads under way at a time only if the compiler knows
//! that they are different memory. What is known is known where a kernel is launched, so launches note it as they
//! are printed: the parameters that are apart from whatever the kernel writes, and if they are written, from all others.

use super::facts::written_blocks;
use crate::c::stm::StmPrinter;
use fehu_base::Name;
use fehu_imp::parts::for_each_statement;
use fehu_imp::syntax::{Arg, Code, Kernel, KernelOp, Launch, Op, Param};
use rustc_hash::FxHashSet;
use std::collections::hash_map::Entry;

impl StmPrinter<'_> {
    /// Notes which of the blocks that a kernel is given are apart.
    pub(super) fn note_apart(&mut self, launch: &Launch, kernel: &Kernel) {
        let written = written_blocks(kernel);
        let blocks: Vec<(Name, Name)> = kernel
            .params
            .iter()
            .zip(&launch.args)
            .filter_map(|(param, arg)| match (param, arg) {
                (Param::Mem(m, _), Arg::Mem(given)) => Some((*m, *given)),
                (Param::Mem(..) | Param::Scalar(..), _) => None,
            })
            .collect();
        let (targets, sources): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|(m, _)| written.contains(m));
        let mut apart = FxHashSet::default();
        for (m, given) in &sources {
            if !targets.iter().any(|(_, t)| self.same_memory(*t, *given)) {
                apart.insert(*m);
            }
        }
        for (i, (m, given)) in targets.iter().enumerate() {
            let others = targets.iter().enumerate().filter(|(j, _)| i != *j).map(|(_, t)| t);
            if !others.chain(&sources).any(|(_, t)| self.same_memory(*t, *given)) {
                apart.insert(*m);
            }
        }
        let mut known = self.exprs.context.apart.borrow_mut();
        match known.entry(kernel.name) {
            Entry::Occupied(mut before) => before.get_mut().retain(|m| apart.contains(m)),
            Entry::Vacant(place) => {
                place.insert(apart);
            }
        }
    }

    fn same_memory(&mut self, a: Name, b: Name) -> bool {
        a == b || self.aliases.may_alias(a, b)
    }
}

/// How a kernel's block may be declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Promise {
    /// Nothing is known.
    Nothing,
    /// It is only read, and never written while the kernel runs.
    OnlyRead,
    /// No other parameter leads to it.
    NoOther,
}

/// What can be promised of the blocks of a kernel, some of which are apart. Of a block that other threads write
/// while this one waits for them, nothing: a compiler might keep what it has read before.
pub(super) fn promises(kernel: &Kernel, apart: &FxHashSet<Name>) -> impl Fn(Name) -> Promise {
    let written = written_blocks(kernel);
    let mut mixed = FxHashSet::default();
    let mut waits = false;
    for_each_statement(&kernel.body, &mut |code| match code {
        Code::SetMem(a, b, _) => mixed.extend([*a, *b]),
        Code::Op(Op::Kernel(op)) => waits |= !matches!(op, KernelOp::Guarded(_) | KernelOp::Shuffle { .. }),
        _ => {}
    });
    let apart = apart.clone();
    move |m| match (apart.contains(&m), written.contains(&m)) {
        (true, false) => Promise::OnlyRead,
        (true, true) if !waits && !mixed.contains(&m) => Promise::NoOther,
        (true, true) | (false, _) => Promise::Nothing,
    }
}
