//! The three representations.

use crate::mem::{MemInfo, MemOp};
use crate::op::{Dec, RepOp};
use crate::seg::KernelsOp;
use crate::soac::Soac;
use crate::syntax::Exp;
use crate::visit::{change, look, Mutator, Visitor};
use std::fmt::Debug;

/// A representation: what decorates bindings, and which operations exist.
pub trait Rep: Clone + Copy + Debug + PartialEq + 'static {
    /// What each binding carries besides its type.
    type Dec: Dec;
    /// The operations beyond those of [`crate::Exp`].
    type Op: RepOp<Self>;
    /// Shows the parts of an expression to a walk: [`look::exp`].
    fn look(v: &mut dyn Visitor<Self>, e: &Exp<Self>);
    /// Has the parts of an expression changed by a walk: [`change::exp`].
    fn change(v: &mut dyn Mutator<Self>, e: &mut Exp<Self>);
}

/// A representation, and what is compiled for it in this crate.
macro_rules! representation {
    ($R:ty, $Dec:ty, $Op:ty) => {
        impl Rep for $R {
            type Dec = $Dec;
            type Op = $Op;
            fn look(v: &mut dyn Visitor<Self>, e: &Exp<Self>) {
                look::parts(v, e);
            }
            fn change(v: &mut dyn Mutator<Self>, e: &mut Exp<Self>) {
                change::parts(v, e);
            }
        }
    };
}

/// Right after lowering: parallelism is in second-order array combinators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soacs;

/// After flattening: parallelism is in segmented operations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernels;

/// After memory introduction: every array has a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory;

representation!(Soacs, (), Soac<Soacs>);
representation!(Kernels, (), KernelsOp<Kernels>);
representation!(Memory, MemInfo, MemOp);
