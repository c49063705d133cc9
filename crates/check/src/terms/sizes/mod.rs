//! The second layer: sizes, over types whose structure is known.
//!
//! A walk over the tree of [`super::pre`] that makes the typed tree. Read
//! `tables.rs` for what is looked for, `unify.rs` for how sizes are made
//! equal, `hide.rs` for sizes that leave their scope; then `exp.rs` and its
//! neighbours. `finish.rs` puts what was found into the tree, and
//! `causality.rs` checks that sizes are there before they are needed.

mod advice;
mod apply;
mod causality;
pub(crate) mod equal;
mod exp;
mod extent;
mod finish;
mod fun;
mod hide;
mod join;
mod loops;
mod order;
mod pat;
pub(super) mod tables;
mod unify;

pub(super) use fun::Top;

use super::metas::State;
use super::pre;
use crate::context::Context;
use crate::types::{Scheme, Size, Type};
use fehu_base::intrinsic::{Intrinsic, Operator};
use fehu_base::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tables::{Flex, Slot, Unknown};

/// The walk.
pub(crate) struct Sizer<'a> {
    pub(crate) ctx: &'a mut Context,
    /// What the first layer found.
    pub(crate) st: State,
    slots: Vec<Slot>,
    flexes: FxHashMap<Name, Flex>,
    /// Flexible sizes in the order in which they were made.
    flex_order: Vec<Name>,
    /// Flexible sizes that stand for existential sizes while two functions are compared.
    private: FxHashSet<Name>,
    unknowns: FxHashMap<Name, Unknown>,
    /// The types of local values.
    vars: FxHashMap<Name, Arc<Scheme>>,
    /// The structure of type parameters that a local function has without having declared them.
    implicit: FxHashMap<Name, Type>,
    /// How deep in bindings each local name is bound.
    levels: FxHashMap<Name, u32>,
    level: u32,
    /// How many bodies (of functions, branches, loops) are around.
    depth: u32,
    /// How many types turned out to be existential so far.
    existentials: u32,
    /// How many errors there were before this layer.
    start: usize,
    /// Whether sizes that nothing determines are not to be complained about.
    quiet: bool,
    /// Size expressions of written types, as far as they are done.
    sizes: FxHashMap<Name, Size>,
    minus: Option<Name>,
    plus: Option<Name>,
}

impl<'a> Sizer<'a> {
    pub(crate) fn new(ctx: &'a mut Context, st: State) -> Sizer<'a> {
        let find = |ctx: &Context, op: Operator| {
            let wanted = Intrinsic::Operator(op);
            ctx.intrinsics.iter().filter(|(_, i)| **i == wanted).map(|(n, _)| *n).min()
        };
        let (minus, plus) = (find(ctx, Operator::Sub), find(ctx, Operator::Add));
        Sizer {
            start: super::errors(ctx),
            quiet: false,
            ctx,
            st,
            slots: vec![],
            flexes: FxHashMap::default(),
            flex_order: vec![],
            private: FxHashSet::default(),
            unknowns: FxHashMap::default(),
            vars: FxHashMap::default(),
            implicit: FxHashMap::default(),
            levels: FxHashMap::default(),
            level: 0,
            depth: 0,
            existentials: 0,
            sizes: FxHashMap::default(),
            minus,
            plus,
        }
    }

    /// The size expression of a written type that a name stands for, if it stands for one.
    fn size_exp(&mut self, n: Name) -> Option<Size> {
        if let Some(s) = self.sizes.get(&n) {
            return Some(s.clone());
        }
        let e = self.st.size_exps.get(&n)?.clone();
        let e = self.exp(&e);
        let s = extent::bounded(self, equal::bare_size(&e), e.span);
        self.sizes.insert(n, s.clone());
        Some(s)
    }

    /// A size expression outside of any declaration's body.
    pub(crate) fn lone_size(&mut self, e: &pre::Exp) -> Size {
        let e = self.exp(e);
        let e = self.finish_lone(e);
        extent::bounded(self, equal::bare_size(&e), e.span)
    }
}
