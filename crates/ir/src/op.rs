//! What operations and decorations of a representation are made of, seen
//! through one window: code that walks over programs matches on an [`OpView`]
//! and need not know which representation it works on.

use crate::mem::{poly, sym_name, MemInfo, MemOp};
use crate::rep::{Memory, Rep};
use crate::seg::{KernelsOp, SegOp, SizeOp};
use crate::soac::Soac;
use crate::syntax::{Space, SubExp};
use rustc_hash::FxHashMap;
use std::fmt::Debug;

/// An operation of any representation.
#[derive(Clone, Copy, Debug)]
pub enum OpView<'a, R: Rep> {
    /// A second-order combinator.
    Soac(&'a Soac<R>),
    /// A segmented operation.
    Seg(&'a SegOp<R>),
    /// A size of the machine or of the tuning.
    Size(&'a SizeOp),
    /// An allocation.
    Alloc(&'a SubExp, &'a Space),
}

/// An operation of any representation, to be changed.
#[derive(Debug)]
pub enum OpViewMut<'a, R: Rep> {
    /// A second-order combinator.
    Soac(&'a mut Soac<R>),
    /// A segmented operation.
    Seg(&'a mut SegOp<R>),
    /// A size of the machine or of the tuning.
    Size(&'a mut SizeOp),
    /// An allocation.
    Alloc(&'a mut SubExp, &'a mut Space),
}

/// What every type of operations can do.
pub trait RepOp<R: Rep>: Clone + Debug + PartialEq + Sized {
    /// The representation's name, as dumps begin with it.
    const NAME: &'static str;
    /// Whether the representation has combinators.
    const HAS_SOACS: bool;
    /// The operation, to look at.
    fn view(&self) -> OpView<'_, R>;
    /// The operation, to change.
    fn view_mut(&mut self) -> OpViewMut<'_, R>;
    /// A combinator as an operation, if the representation has them.
    fn from_soac(soac: Soac<R>) -> Option<Self>;
    /// A segmented operation, if the representation has them.
    fn from_seg(seg: SegOp<R>) -> Option<Self>;
    /// A size, if the representation has them.
    fn from_size(size: SizeOp) -> Option<Self>;
    /// An allocation, if the representation has them.
    fn from_alloc(bytes: SubExp, space: Space) -> Option<Self>;

    /// The combinator, if it is one.
    fn as_soac(&self) -> Option<&Soac<R>> {
        match self.view() {
            OpView::Soac(soac) => Some(soac),
            OpView::Seg(_) | OpView::Size(_) | OpView::Alloc(..) => None,
        }
    }

    /// The segmented operation, if it is one.
    fn as_seg(&self) -> Option<&SegOp<R>> {
        match self.view() {
            OpView::Seg(seg) => Some(seg),
            OpView::Soac(_) | OpView::Size(_) | OpView::Alloc(..) => None,
        }
    }
}

/// What every decoration of bindings can do.
pub trait Dec: Clone + Debug + PartialEq {
    /// Visits the operands it mentions.
    fn walk(&self, f: &mut dyn FnMut(&SubExp));
    /// Changes the operands it mentions.
    fn walk_mut(&mut self, f: &mut dyn FnMut(&mut SubExp));
    /// Where the binding lives, if decorations say so.
    fn memory(&self) -> Option<&MemInfo>;
    /// The decoration that says this; `None` if decorations cannot.
    fn from_memory(info: MemInfo) -> Option<Self>;
}

impl<R: Rep<Op = Soac<R>>> RepOp<R> for Soac<R> {
    const NAME: &'static str = "soacs";
    const HAS_SOACS: bool = true;
    fn view(&self) -> OpView<'_, R> {
        OpView::Soac(self)
    }
    fn view_mut(&mut self) -> OpViewMut<'_, R> {
        OpViewMut::Soac(self)
    }
    fn from_soac(soac: Soac<R>) -> Option<Self> {
        Some(soac)
    }
    fn from_seg(_: SegOp<R>) -> Option<Self> {
        None
    }
    fn from_size(_: SizeOp) -> Option<Self> {
        None
    }
    fn from_alloc(_: SubExp, _: Space) -> Option<Self> {
        None
    }
}

impl<R: Rep<Op = KernelsOp<R>>> RepOp<R> for KernelsOp<R> {
    const NAME: &'static str = "kernels";
    const HAS_SOACS: bool = false;
    fn view(&self) -> OpView<'_, R> {
        match self {
            KernelsOp::Seg(seg) => OpView::Seg(seg),
            KernelsOp::Size(size) => OpView::Size(size),
        }
    }
    fn view_mut(&mut self) -> OpViewMut<'_, R> {
        match self {
            KernelsOp::Seg(seg) => OpViewMut::Seg(seg),
            KernelsOp::Size(size) => OpViewMut::Size(size),
        }
    }
    fn from_soac(_: Soac<R>) -> Option<Self> {
        None
    }
    fn from_seg(seg: SegOp<R>) -> Option<Self> {
        Some(KernelsOp::Seg(seg))
    }
    fn from_size(size: SizeOp) -> Option<Self> {
        Some(KernelsOp::Size(size))
    }
    fn from_alloc(_: SubExp, _: Space) -> Option<Self> {
        None
    }
}

impl RepOp<Memory> for MemOp {
    const NAME: &'static str = "memory";
    const HAS_SOACS: bool = false;
    fn view(&self) -> OpView<'_, Memory> {
        match self {
            MemOp::Alloc(bytes, space) => OpView::Alloc(bytes, space),
            MemOp::Seg(seg) => OpView::Seg(seg),
            MemOp::Size(size) => OpView::Size(size),
        }
    }
    fn view_mut(&mut self) -> OpViewMut<'_, Memory> {
        match self {
            MemOp::Alloc(bytes, space) => OpViewMut::Alloc(bytes, space),
            MemOp::Seg(seg) => OpViewMut::Seg(seg),
            MemOp::Size(size) => OpViewMut::Size(size),
        }
    }
    fn from_soac(_: Soac<Memory>) -> Option<Self> {
        None
    }
    fn from_seg(seg: SegOp<Memory>) -> Option<Self> {
        Some(MemOp::Seg(seg))
    }
    fn from_size(size: SizeOp) -> Option<Self> {
        Some(MemOp::Size(size))
    }
    fn from_alloc(bytes: SubExp, space: Space) -> Option<Self> {
        Some(MemOp::Alloc(bytes, space))
    }
}

impl Dec for () {
    fn walk(&self, _: &mut dyn FnMut(&SubExp)) {}
    fn walk_mut(&mut self, _: &mut dyn FnMut(&mut SubExp)) {}
    fn memory(&self) -> Option<&MemInfo> {
        None
    }
    fn from_memory(info: MemInfo) -> Option<Self> {
        match info {
            MemInfo::None => Some(()),
            MemInfo::Array { .. } => None,
        }
    }
}

impl Dec for MemInfo {
    fn walk(&self, f: &mut dyn FnMut(&SubExp)) {
        match self {
            MemInfo::None => {}
            MemInfo::Array { block, lmad } => {
                f(&SubExp::Var(*block));
                for x in lmad.vars() {
                    f(&SubExp::Var(sym_name(x)));
                }
            }
        }
    }
    fn walk_mut(&mut self, f: &mut dyn FnMut(&mut SubExp)) {
        match self {
            MemInfo::None => {}
            MemInfo::Array { block, lmad } => {
                let mut e = SubExp::Var(*block);
                f(&mut e);
                if let SubExp::Var(n) = e {
                    *block = n;
                }
                let mut changed = FxHashMap::default();
                for x in lmad.vars() {
                    let mut e = SubExp::Var(sym_name(x));
                    f(&mut e);
                    if e != SubExp::Var(sym_name(x)) {
                        changed.insert(x, poly(e));
                    }
                }
                if !changed.is_empty() {
                    *lmad = lmad.subst_all(|x| changed.get(&x).cloned());
                }
            }
        }
    }
    fn memory(&self) -> Option<&MemInfo> {
        Some(self)
    }
    fn from_memory(info: MemInfo) -> Option<Self> {
        Some(info)
    }
}
