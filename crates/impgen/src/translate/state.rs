//! The state of a translation: what is known of the program, and the code so far, of one machine.
//!
//! All other files of the translator build on this one. What a function takes says where its code runs: a
//! [`HostCode`], a [`TaskCode`] or a [`KernelCode`], so that a barrier on the host does not compile. Code
//! that is the same everywhere is generic over the [`Machine`], and asks it where machines differ
//! (`machine`). Methods of [`Translate`] are what translations of all kinds have in common: `translate`
//! (statements), `scalars`, `arrays`, `place`, `control` (expressions and control flow), `build` (code,
//! variables, kernels), `kernel/operator` and `kernel/update` (operators and updates). What needs no code is
//! a method of [`Context`]. The rest are functions, called by the name of their file: `red::seg_red(t, ..)`.
//!
//! ```text
//! fn seg_map(t: &mut HostCode, ..) { t.kernel("segmap", grid, block, Mode::Thread, |t: &mut KernelCode| t.barrier()) }
//! ```

use super::machine::Machine;
use fehu_algebra::{Poly, Sym};
use fehu_analysis::own_reads::OwnReads;
use fehu_base::prim::{PrimType, ScalarType};
use fehu_base::{bug, Name, NameSource, Symbol};
use fehu_imp::syntax::{Code, Expr, HostOp, Kernel, KernelOp, TaskOp, TuningParam};
use fehu_ir::mem::Lmad;
use fehu_ir::seg::SegOp;
use fehu_ir::types::Types;
use fehu_ir::{Lambda, Loc, Memory, Shape, SubExp, Type};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Who runs the current code of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Mode {
    /// Each thread for itself.
    #[default]
    Thread,
    /// All threads of a block together, all doing the same except where they share work.
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

/// What threads of a kernel keep.
pub(crate) struct Kept {
    /// How many points each has at most.
    pub(super) points: i64,
    /// How many lanes exchange values, if these are a part of a warp.
    pub(super) lanes: Option<u32>,
    /// Which scalars of operations are elements that are read once.
    pub(super) reads: OwnReads,
    /// Where these are, by number, once they are read.
    pub(super) read: FxHashMap<usize, Name>,
    /// The memory of the arrays of the block, and the types of their elements.
    pub(super) made: FxHashMap<Name, PrimType>,
    /// The thread's first point.
    pub(super) first: Expr,
    /// From each of its points to the next.
    pub(super) step: i64,
    /// How many points its warp, or its team, has.
    pub(super) covered: Expr,
    /// How many it has.
    pub(super) count: Name,
    /// How many all threads of its warp, or all lanes of its team, have.
    pub(super) whole: Name,
    /// The number of the point among those of the thread, where one is computed.
    pub(super) now: Option<Expr>,
    /// The types that were exchanged last, and in which half of the memory for that.
    pub(super) exchanged: Option<(Vec<PrimType>, i64)>,
    /// The columns that the block has, if these are its points.
    pub(super) columns: Option<Columns>,
    /// Points are more than threads keep: these have them again in each operation.
    pub(super) again: Option<Again>,
}

/// What threads that do not keep their points need to have them again.
pub(crate) struct Again {
    /// How many points there are.
    pub(super) width: Expr,
    /// Whether the next operation begins with the last points.
    pub(super) backwards: bool,
    /// The operations that make arrays of the block, and what they return for each.
    pub(super) makers: FxHashMap<Name, (Rc<SegOp<Memory>>, SubExp)>,
}

/// Columns of a block: one for each lane of its warps, or of equal parts of these, and some points of each
/// for each such group of lanes.
#[derive(Clone)]
pub(crate) struct Columns {
    /// Lanes of a group, and how many groups there are.
    pub(super) lanes: i64,
    pub(super) groups: i64,
    /// The thread's group, and its lane there.
    pub(super) group: Expr,
    pub(super) lane: Expr,
    /// How many points each group has, but for the last ones.
    pub(super) each: Expr,
    /// How many there are now.
    pub(super) rows: Option<GroupRows>,
    /// The index along which columns lie beside each other, where those of the block begin, and how many there are.
    pub(super) index: Name,
    pub(super) first: Expr,
    pub(super) count: Expr,
    /// Whether the thread has one.
    pub(super) there: Expr,
    /// Names that are bound in the block's code.
    pub(super) inside: FxHashSet<Name>,
    /// Shared memory in which warps turn what they read and write, with a part for each, and the bytes of the
    /// widest element.
    pub(super) turned: Name,
    pub(super) widest: i64,
}

/// How many points of a column there are: none if it is negative.
#[derive(Clone, Copy)]
pub(crate) struct GroupRows {
    /// Those of a thread's group.
    pub(super) of_group: Name,
    /// Those of the first group of its warp, which has the most.
    pub(super) of_warp: Name,
}

impl Kept {
    /// Where the thread's element of an array is, if it keeps it.
    pub(crate) fn offset(&self, block: Name) -> Option<Expr> {
        let kept = self.made.contains_key(&block);
        kept.then(|| self.now.clone().unwrap_or_else(|| bug!("an own element outside of a point")))
    }
}

/// What is known of a kernel while its code is made: nothing of it is left when the kernel is complete.
#[derive(Default)]
pub(crate) struct KernelState {
    pub(super) mode: Mode,
    /// The shared arrays and their bytes, in terms of the host.
    pub(super) shared: Vec<(Name, Expr)>,
    /// See [`fehu_imp::syntax::Kernel::resident`].
    pub(super) resident: Option<i64>,
    /// Those of them that its operations use one after the other.
    pub(super) exchange: Exchange,
    /// What it computes by itself of what the host knows, for sizes of shared memory.
    pub(super) sizes: FxHashMap<Name, Expr>,
    /// Index spaces of operations inside of blocks of which each point has a thread.
    pub(super) one_round: Vec<Shape>,
    /// Those of which each thread has several.
    pub(super) in_turns: Vec<Shape>,
    /// The logarithm of the number of threads, if they are a part of a warp.
    pub(super) team_log2: Option<Expr>,
    /// What threads keep of their points of all operations.
    pub(super) kept: Option<Kept>,
    /// Points whose flat numbers are known.
    pub(super) flats: Vec<Flat>,
    /// What is read in place of elements, by the name of what is read.
    pub(super) instead: FxHashMap<Name, Expr>,
}

/// The lock for an update, if it needs one.
pub(crate) enum Lock {
    /// That for the element of this number. Different elements may have the same.
    Global(Expr),
    /// One of the block, in these, which are zero if nobody has them.
    Shared(Name, Expr),
}

/// What a statement prints.
pub(crate) struct Traced {
    pub(super) scalar: ScalarType,
    pub(super) tag: Option<Symbol>,
}

/// A translation of which the code goes to one machine. It has what is known of the program, as if it were
/// its own; code of another machine inside of it borrows that ([`Translate::on`](Translate::on)).
pub(crate) struct Translate<'c, M: Machine> {
    pub(super) context: &'c mut Context,
    /// Open sequences of code.
    pub(super) code: Vec<Vec<Code<M>>>,
}

/// Emits code of the host.
pub(crate) type HostCode<'c> = Translate<'c, HostOp>;
/// Emits code of tasks.
pub(crate) type TaskCode<'c> = Translate<'c, TaskOp>;
/// Emits code of kernels.
pub(crate) type KernelCode<'c> = Translate<'c, KernelOp>;

/// What is known of a program in translation, on whatever machine.
pub(crate) struct Context {
    pub(super) names: NameSource,
    pub(super) types: Types,
    pub(super) places: FxHashMap<Name, (Name, Lmad)>,
    /// Names that stand for another variable or constant.
    pub(super) same: FxHashMap<Name, SubExp>,
    /// Variables that outlive the initialisation.
    pub(super) globals: FxHashSet<Name>,
    pub(super) loc: Loc,
    /// The current function, as tuning parameters call it.
    pub(super) fun: Symbol,
    /// What the accumulators of open `WithAcc`s update, by token.
    pub(super) accs: FxHashMap<Name, Updated>,
    pub(super) kernels: Vec<Kernel>,
    pub(super) params: IndexMap<Symbol, TuningParam>,
    /// The blocks that the loop to come takes over.
    pub(super) given: Vec<Name>,
    /// What is known of the current kernel.
    pub(super) in_kernel: KernelState,
    /// A block of zeros in device memory, which every user leaves so.
    pub(super) zeros: Option<Name>,
    /// The locks of elements in device memory, all of them free when no kernel runs.
    pub(super) locks: Option<Name>,
}

impl<M: Machine> Deref for Translate<'_, M> {
    type Target = Context;

    fn deref(&self) -> &Context {
        self.context
    }
}

impl<M: Machine> DerefMut for Translate<'_, M> {
    fn deref_mut(&mut self) -> &mut Context {
        self.context
    }
}
