//! The three representations.

use crate::mem::{MemInfo, MemOp};
use crate::op::{Dec, RepOp};
use crate::seg::KernelsOp;
use crate::soac::Soac;
use std::fmt::Debug;

/// A representation: what decorates bindings, and which operations exist.
pub trait Rep: Clone + Copy + Debug + PartialEq + 'static {
    /// What each binding carries besides its type.
    type Dec: Dec;
    /// The operations beyond those of [`crate::Exp`].
    type Op: RepOp<Self>;
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

impl Rep for Soacs {
    type Dec = ();
    type Op = Soac<Soacs>;
}

impl Rep for Kernels {
    type Dec = ();
    type Op = KernelsOp<Kernels>;
}

impl Rep for Memory {
    type Dec = MemInfo;
    type Op = MemOp;
}
