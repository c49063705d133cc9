//! The state of a translation: what is known of the program, the code so far, and the function or kernel at hand.
//!
//! All other files of the translator build on this one. Methods of [`Translate`] are what translations of all kinds
//! have in common: `translate` (statements), `scalars`, `arrays`, `place`, `control` (expressions and control flow),
//! `build` (code, variables, kernels), `kernel/operator` and `kernel/update` (operators and updates within kernels). The rest are functions,
//! called by the name of their file: `red::seg_red(t, ..)`.

use crate::draft::Code;
use fehu_algebra::{Poly, Sym};
use fehu_base::prim::PrimType;
use fehu_base::{Name, NameSource, Symbol};
use fehu_imp::syntax::{Expr, Kernel, TuningParam};
use fehu_ir::mem::Lmad;
use fehu_ir::types::Types;
use fehu_ir::{Lambda, Loc, Memory, Shape, SubExp, Type};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the current code runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// On the host, or on a CPU altogether.
    Host,
    /// In a kernel, by each thread for itself.
    Thread,
    /// In a kernel, by all threads of a block together, all doing the same except where they share work.
    Block,
}

/// The shared arrays through which threads of a kernel exchange values, one operation after the other.
#[derive(Default)]
pub(crate) struct Exchange {
    /// By operand.
    pub(super) lanes: Vec<Name>,
    pub(super) flags: Option<Name>,
}

/// What an accumulator updates.
#[derive(Clone)]
pub(crate) struct Updated {
    pub(super) shape: Shape,
    pub(super) arrays: Vec<At>,
    pub(super) elems: Vec<Type>,
    pub(super) op: Option<Lambda<Memory>>,
}

/// Where an array lives, and what it is an array of.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(super) block: Name,
    pub(super) lmad: Lmad,
    pub(super) elem: PrimType,
    /// Products to be added to the offset of `lmad`: those that the algebra gave up on.
    pub(super) rest: Vec<(Poly, Poly)>,
}

/// A point that was given by its flat number.
pub(crate) struct Flat {
    pub(super) flat: Name,
    pub(super) indices: Vec<Sym>,
    pub(super) last: Sym,
    /// The number in terms of the indices.
    pub(super) sum: Poly,
}

/// What is known of a kernel while its code is made: nothing of it is left when the kernel is complete.
#[derive(Default)]
pub(crate) struct KernelState {
    /// The shared arrays and their bytes, in terms of the host.
    pub(super) shared: Vec<(Name, Expr)>,
    /// Those of them that its operations use one after the other.
    pub(super) exchange: Exchange,
    /// What it computes by itself of what the host knows, for sizes of shared memory.
    pub(super) sizes: FxHashMap<Name, Expr>,
    /// Points whose flat numbers are known.
    pub(super) flats: Vec<Flat>,
    /// What is read in place of elements, by the name of what is read.
    pub(super) instead: FxHashMap<Name, Expr>,
}

/// A program in translation.
pub(crate) struct Translate {
    pub(super) names: NameSource,
    pub(super) types: Types,
    pub(super) places: FxHashMap<Name, (Name, Lmad)>,
    /// Names that stand for another variable or constant.
    pub(super) same: FxHashMap<Name, SubExp>,
    /// Variables that outlive the initialisation.
    pub(super) globals: FxHashSet<Name>,
    /// Open sequences of code.
    pub(super) code: Vec<Vec<Code>>,
    pub(super) loc: Loc,
    /// The function at hand, as tuning parameters call it.
    pub(super) fun: Symbol,
    pub(super) mode: Mode,
    /// What the accumulators of open `WithAcc`s update, by token.
    pub(super) accs: FxHashMap<Name, Updated>,
    pub(super) kernels: Vec<Kernel>,
    pub(super) params: IndexMap<Symbol, TuningParam>,
    /// The blocks that the loop to come takes over.
    pub(super) given: Vec<Name>,
    /// What is known of the kernel at hand.
    pub(super) in_kernel: KernelState,
    /// A block of zeros in device memory, which every user leaves so.
    pub(super) zeros: Option<Name>,
}
