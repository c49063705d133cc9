//! Which statements have something inside of them that a pass may change.
//!
//! What is known in a body takes longer to work out than most passes need for its statements. So a pass asks
//! first, and goes only into bodies in which there is something for it.
//!
//! ```text
//! let (xs : ...) = loop ... { let (b : mem) = alloc 4*n ... }     an allocation is within it
//! let (s : i32) = loop ... { ... xs[i] ... }                      none is
//! ```

use fehu_base::Name;
use fehu_ir::mem::MemOp;
use fehu_ir::visit::{deep, for_each_body, for_each_stm};
use fehu_ir::{Body, Exp, Memory, Prog, Stm};
use rustc_hash::FxHashSet;

/// See the module's text.
#[derive(Default)]
pub(crate) struct Within {
    /// What the statements bind.
    bound: FxHashSet<Name>,
}

impl Within {
    /// Looks for statements of interest in the bodies of those of a body.
    pub(crate) fn of(body: &Body<Memory>, interesting: &mut dyn FnMut(&Stm<Memory>) -> bool) -> Within {
        let mut within = Within::default();
        within.body(body, interesting);
        within
    }

    /// Whether the body itself or one in it has statements of interest.
    fn body(&mut self, body: &Body<Memory>, interesting: &mut dyn FnMut(&Stm<Memory>) -> bool) -> bool {
        let mut any = false;
        for stm in &body.stms {
            let mut inside = false;
            deep(|| for_each_body(&stm.exp, &mut |inner| inside |= self.body(inner, interesting)));
            if inside {
                self.bound.extend(stm.pat.iter().map(|p| p.name));
            }
            any |= inside || interesting(stm);
        }
        any
    }

    /// Whether there is something of interest inside of a statement. (Of those that bind nothing, it was not
    /// written down.)
    pub(crate) fn has(&self, stm: &Stm<Memory>) -> bool {
        stm.pat.is_empty() || stm.pat.iter().any(|p| self.bound.contains(&p.name))
    }
}

/// Whether a program has parallel operations, or asks what they need. Passes that are about these alone leave
/// all others as they are, without making tables of them.
pub(crate) fn is_parallel(prog: &Prog<Memory>) -> bool {
    let parallel = |stm: &Stm<Memory>| matches!(stm.exp, Exp::Op(MemOp::Seg(_) | MemOp::Size(_)));
    any_stm(&prog.consts, parallel) || prog.funs.iter().any(|fun| any_stm(&fun.body, parallel))
}

/// Whether a body, or one in it, has a statement of interest.
pub(crate) fn any_stm(body: &Body<Memory>, interesting: impl Fn(&Stm<Memory>) -> bool) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| found |= interesting(stm));
    found
}
