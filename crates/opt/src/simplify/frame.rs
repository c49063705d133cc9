//! A body that the simplifier is making, and what is known in it.

use fehu_algebra::Facts;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::{Rep, Stm, SubExp};
use std::rc::Rc;

/// What a body is the body of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// A function.
    Top,
    /// A branch, run at most once.
    Branch,
    /// A loop or lambda, run any number of times.
    Repeated,
    /// The body of `WithAcc`: run once, but what is in it may not leave.
    Closed,
}

/// A body under construction.
#[derive(Debug)]
pub(crate) struct Frame<R: Rep> {
    pub(crate) stms: Vec<Stm<R>>,
    pub(crate) kind: FrameKind,
    pub(crate) facts: Facts,
    /// How often it runs, if that is known before: a size of this integer type.
    pub(super) trips: Option<(SubExp, IntType)>,
    /// Whether it is run for the elements of arrays, all of them in parallel.
    pub(super) elementwise: bool,
    /// The condition of a branch.
    pub(super) condition: Option<SubExp>,
    /// Names whose facts were learnt for this frame only, and what indices of this frame are below.
    pub(super) scoped: Vec<Name>,
    pub(super) bounds: Vec<SubExp>,
    /// Conditions that were checked in this frame.
    pub(super) checks: Vec<Name>,
    /// The numbers of which promises were made in this frame.
    pub(super) promised: Vec<Name>,
}

impl<R: Rep> Frame<R> {
    pub(super) fn new(kind: FrameKind, facts: Facts) -> Frame<R> {
        Frame {
            stms: vec![],
            kind,
            facts,
            trips: None,
            elementwise: false,
            condition: None,
            scoped: vec![],
            bounds: vec![],
            checks: vec![],
            promised: vec![],
        }
    }
}

/// These are sizes where all of those are positive, from this level on.
#[derive(Clone, Debug)]
pub(super) struct Promise {
    pub(super) sizes: Rc<[SubExp]>,
    pub(super) runs: Rc<[SubExp]>,
    pub(super) level: usize,
}
