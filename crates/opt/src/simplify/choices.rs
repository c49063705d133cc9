//! What is known of integers that branches choose.
//!
//! ```text
//! map (i < n) { up = if i > 0 then i - 1 else 0;  check 0 <= up && up < n;  ... xs[up] ... }
//!   ==>   up is at least 0 and below n: the check goes
//! ```
//!
//! Programs say so what is beyond an edge. What holds of both results, each under its condition, holds of the
//! integer. There is no end of what might hold; what is asked are the two things that indices are checked
//! for: that it is not negative, and that it is below what an index around it is below.

use super::engine::Engine;
use super::frame::{Frame, FrameKind};
use fehu_ir::mem::{poly, sym};
use fehu_ir::visit::deep;
use fehu_ir::{Body, Exp, PatElem, Rep, SubExp, Type};

/// Statements of a branch at most.
const MAX_STATEMENTS: usize = 8;
/// Levels of branches at most: each is looked at again for those around it.
const MAX_LEVELS: usize = 3;
/// Bounds of indices at most, from the inside out.
const MAX_BOUNDS: usize = 4;

/// What is known of an integer in a branch.
struct Known {
    bits: u32,
    nonneg: bool,
    /// Below which of the bounds it is.
    below: Vec<bool>,
}

/// Whether a branch has few statements, on so many levels at most.
fn is_plain<R: Rep>(body: &Body<R>, levels: usize) -> bool {
    let suits = |e: &Exp<R>| match e {
        Exp::Basic(_) => true,
        Exp::If(_, yes, no) => levels > 1 && is_plain(yes, levels - 1) && is_plain(no, levels - 1),
        Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => false,
    };
    body.stms.len() <= MAX_STATEMENTS && body.stms.iter().all(|stm| suits(&stm.exp))
}

impl<R: Rep<Dec = ()>> Engine<'_, R> {
    /// The names are what one of two branches returns, from the given level on.
    pub(super) fn learn_choices(
        &mut self,
        pat: &[PatElem<R>],
        cond: SubExp,
        branches: [&Body<R>; 2],
        level: usize,
    ) {
        let integers: Vec<usize> = (0..pat.len()).filter(|k| pat[*k].ty == Type::I64).collect();
        if integers.is_empty() || !branches.iter().all(|body| is_plain(body, MAX_LEVELS)) {
            return;
        }
        let mut bounds: Vec<SubExp> = vec![];
        for bound in self.frames[..=level].iter().rev().flat_map(|f| &f.bounds) {
            if bounds.len() < MAX_BOUNDS && !bounds.contains(bound) {
                bounds.push(*bound);
            }
        }
        let [yes, no] = [(branches[0], true), (branches[1], false)]
            .map(|(body, taken)| deep(|| self.in_branch((cond, taken), body, &integers, (&bounds, level))));
        for (k, (a, b)) in integers.into_iter().zip(yes.into_iter().zip(no)) {
            let n = pat[k].name;
            self.bits.insert(n, a.bits.max(b.bits));
            self.tell(level, |f| {
                if a.nonneg && b.nonneg {
                    f.assume_nonneg(&poly(n.into()));
                }
                for (bound, holds) in bounds.iter().zip(a.below.iter().zip(&b.below)) {
                    if *holds.0 && *holds.1 {
                        f.assume_lt(&poly(n.into()), &poly(*bound));
                    }
                }
            });
        }
    }

    /// What is known of some results of a branch.
    fn in_branch(
        &mut self,
        (cond, taken): (SubExp, bool),
        body: &Body<R>,
        integers: &[usize],
        (bounds, level): (&[SubExp], usize),
    ) -> Vec<Known> {
        let facts = self.frames[level].facts.clone();
        self.frames.push(Frame::new(FrameKind::Branch, facts));
        self.assume(cond, taken);
        let here = self.here();
        for stm in &body.stms {
            self.learn_sizes(stm, here);
            self.learn_definitions(stm, here);
        }
        let facts = self.frames[here].facts.clone();
        let known = |k: &usize| {
            let e = body.result[*k];
            let asked = e.name().is_none_or(|n| facts.knows(sym(n)));
            let below = bounds.iter().map(|bound| asked && facts.lt(&poly(e), &poly(*bound)));
            Known { bits: self.bits_of(e), nonneg: asked && facts.nonneg(&poly(e)), below: below.collect() }
        };
        let all = integers.iter().map(known).collect();
        self.leave();
        all
    }
}
