//! Segmented operations: perfectly nested parallelism, made by flattening.
//!
//! A [`SegOp`] is a nest of parallel loops over an index space, around a body
//! of sequential code, with a reduction, scan or histogram along the innermost
//! dimension (each outer index is a *segment*). Example, the row sums of `xss`:
//!
//! ```text
//! segred(grid; i < n, j < m) { x = xss[i,j]; return x } reduce with (+), 0   : [n]
//! ```

use crate::rep::Rep;
use crate::schedule::Schedule;
use crate::soac::Commutativity;
use crate::syntax::{Attr, Basic, Body, Exp, Lambda, Shape, Stm, SubExp, Type};
use fehu_base::{Name, Symbol};

/// The operations of `Kernels`.
#[derive(Clone, PartialEq, Debug)]
pub enum KernelsOp<R: Rep> {
    /// A parallel operation.
    Seg(SegOp<R>),
    /// Sizes of the machine and of the tuning.
    Size(SizeOp),
}

/// What runs a parallel operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SegLevel {
    /// Threads of the whole grid, one or more points each.
    Thread,
    /// Thread blocks of the grid; the body contains operations at level `InBlock`.
    Block,
    /// Threads of one block; only inside `Block`.
    InBlock,
    /// Tasks on the cores of a CPU.
    Task,
}

/// An index space: named indices and their bounds, outermost first.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct SegSpace {
    /// The flat index over the whole space.
    pub flat: Name,
    pub dims: Vec<(Name, SubExp)>,
}

/// A parallel operation. `types` are those of the body's results at one point.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct SegOp<R: Rep> {
    pub level: SegLevel,
    pub space: SegSpace,
    pub types: Vec<Type>,
    pub body: KernelBody<R>,
    pub kind: SegKind<R>,
    /// Whether the grid may be smaller than the space, each block doing several blocks' work; inside of a
    /// block, whether the block may have fewer threads.
    pub virtualise: bool,
    /// The grid, where something inside of the operation depends on it.
    pub grid: Option<SegGrid>,
    /// Who computes which point; none before the pass `schedule`.
    pub schedule: Option<Box<Schedule>>,
}

/// How a parallel operation is launched, where memory inside of it depends on that: each
/// physical thread then has its own part of a block that was allocated before.
#[derive(Clone, PartialEq, Debug)]
pub struct SegGrid {
    /// The flat number of the physical thread in the grid, bound in the body (an `i64`). At level `Block`
    /// it is the number of the thread as well.
    pub thread: Name,
    /// How many physical threads there are: blocks times block size.
    pub threads: SubExp,
    /// How many thread blocks.
    pub blocks: SubExp,
    /// How many threads in each.
    pub block_size: SubExp,
}

/// What happens to the results of all points.
#[derive(Clone, PartialEq, Debug)]
pub enum SegKind<R: Rep> {
    /// They are the elements of arrays.
    Map,
    /// The first results, as many as the operators take, are reduced along the innermost
    /// dimension; the rest are kept as arrays over the whole space. Reduced results come first.
    Red(Vec<SegBinOp<R>>),
    /// As `Red`, with inclusive scans; scanned results come first. What comes after a scan, if anything,
    /// takes the scanned values and has its results in their stead.
    Scan(Vec<SegBinOp<R>>, Option<Box<SegAfter<R>>>),
    /// The results are, for each operation, indices into its shape (all indices first), then
    /// values; destinations have the segment dimensions outside of the histogram's shape.
    Hist(Vec<SegHistOp<R>>),
}

/// An operator of a segmented reduction or scan.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct SegBinOp<R: Rep> {
    pub comm: Commutativity,
    pub op: Lambda<R>,
    pub neutral: Vec<SubExp>,
}

/// What becomes of scanned values, at the same point, before they leave the operation: a map of what a scan
/// leaves, in the same pass over memory. At level `Thread` alone, and with scalars alone.
///
/// ```text
/// segscan thread (f; i < n) : (i64)                        -- the elements that are to be kept, each written to its place
///   op [0] (+)
///   after \(k : i64) : (f32) {
///     let (x : f32) = xs[i]
///     let (place : i64) = if x > 0 then k - 1 else -1
///     return (x)
///   } as (write x to ys [m] at [place])
/// { let (x : f32) = xs[i]; return (if x > 0 then 1 else 0) }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct SegAfter<R: Rep> {
    /// It sees the indices of the point. Its body returns as many values as there are `returns`.
    pub lambda: Lambda<R>,
    /// What is done with each of them.
    pub returns: Vec<KernelReturn>,
}

impl<R: Rep> SegOp<R> {
    /// How many of the first results of the body are for operators.
    pub fn combined(&self) -> usize {
        match &self.kind {
            SegKind::Map => 0,
            SegKind::Red(ops) | SegKind::Scan(ops, _) => ops.iter().map(|op| op.neutral.len()).sum(),
            SegKind::Hist(_) => self.types.len(),
        }
    }

    /// Whether an operator takes arrays, or is applied to vectors of elements.
    pub fn has_operator_on_arrays(&self) -> bool {
        let on_arrays = |lambda: &Lambda<R>| !lambda.ret.iter().all(|t| matches!(t, Type::Prim(_)));
        match &self.kind {
            SegKind::Map => false,
            SegKind::Red(ops) | SegKind::Scan(ops, _) => ops.iter().any(|op| on_arrays(&op.op)),
            SegKind::Hist(ops) => ops.iter().any(|op| !op.vector.is_empty() || on_arrays(&op.op)),
        }
    }

    /// What comes after a scan.
    pub fn after(&self) -> Option<&SegAfter<R>> {
        match &self.kind {
            SegKind::Scan(_, after) => after.as_deref(),
            SegKind::Map | SegKind::Red(_) | SegKind::Hist(_) => None,
        }
    }

    /// How many of the first results of the operation are combined values.
    pub fn leading(&self) -> usize {
        match self.after() {
            Some(_) => 0,
            None => self.combined(),
        }
    }

    /// Types and ways of the results that are no combined values: of what comes after a scan, then of the body.
    pub fn kept(&self) -> impl Iterator<Item = (&Type, &KernelReturn)> {
        let after = self.after().into_iter().flat_map(|a| a.lambda.ret.iter().zip(&a.returns));
        after.chain(self.types.iter().zip(&self.body.returns).skip(self.combined()))
    }
}

/// An operation of a segmented histogram.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct SegHistOp<R: Rep> {
    pub shape: Shape,
    pub dests: Vec<Name>,
    pub neutral: Vec<SubExp>,
    /// Where not empty: the operator is applied elementwise over arrays of this shape.
    pub vector: Shape,
    pub op: Lambda<R>,
}

/// The body of a parallel operation.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct KernelBody<R: Rep> {
    pub body: Body<R>,
    /// What is done with each of `body.result`.
    pub returns: Vec<KernelReturn>,
}

/// How a result leaves a parallel operation.
#[derive(Clone, PartialEq, Debug)]
pub enum KernelReturn {
    /// It is this point's element of the result.
    Elem,
    /// It is written to a position of an array (of the given shape) that is consumed; the array is
    /// the result. An out-of-bounds position is not written. Several values may share an array.
    Write {
        /// The array.
        array: Name,
        /// Its shape.
        shape: Shape,
        /// The position: one operand per dimension of `shape`'s indexed part.
        index: Vec<SubExp>,
    },
}

/// Sizes of the machine and of the tuning, in host code.
#[derive(Clone, PartialEq, Debug)]
pub enum SizeOp {
    /// The value of a tuning parameter.
    GetSize(Symbol, SizeClass),
    /// The largest value the device allows for such a parameter.
    GetSizeMax(SizeClass),
    /// Whether the parallelism (a product of sizes) reaches a threshold parameter: `threshold <= par`.
    CmpThreshold {
        /// The parameter's name.
        name: Symbol,
        /// The class, with the path.
        class: SizeClass,
        /// The parallelism.
        par: SubExp,
        /// Another size, by which tuning can split the threshold: where it reaches a second parameter, the
        /// border, `par` is compared with a third one instead. Nothing reaches a border that is not set.
        by: Option<SubExp>,
    },
    /// How many thread blocks to use for a number of threads.
    CalcGrid {
        /// The number of points.
        points: SubExp,
        /// The name of the parameter that bounds the grid.
        max: Symbol,
        /// The block size.
        block: SubExp,
    },
    /// How many bytes of shared memory a thread block needs, of the operation whose statement has the attribute
    /// `shared_memory(label)`. The pass `shared-memory` fills it in, when all that is allocated is known.
    SharedNeeded(Symbol),
}

/// The attribute of the statement that [`SizeOp::SharedNeeded`] is about.
pub const SHARED_MEMORY: &str = "shared_memory";

/// The attribute of a loop that is a reduction: what it carries is combined by operators that are associative.
pub const REDUCTION: &str = "reduction";

/// The attribute of the branch that is the whole body of a map: its condition, a conjunction of bounds of
/// indices, is whether the point is far from the edges of the space. The pass `inside` makes such branches.
pub const INSIDE: &str = "inside";

/// What flattening says of a reduction over rows and places, as `schedule(row_ends)`: each point compares its
/// place, counted from the start of all rows, with an element of an array that has the ends of rows. Ends do
/// not decrease, and the last is the bound of places. It is also the attribute of the branch whose condition
/// that is.
pub const ROW_ENDS: &str = "row_ends";

/// The attribute of the allocations of shared memory through which threads of a block exchange values. All
/// operations of the block use the same, one after the other: `exchange(k)` is for the value of their
/// operators in place `k`, `exchange(flags)` has a boolean for each warp. The pass `shared-memory` allocates
/// them.
pub const EXCHANGE: &str = "exchange";

/// The attribute of the conditional between versions of an irregular nest.
pub const VERSIONS: &str = "versions";

/// The attribute of a loop that is a strip of another, or consists of strips: reverse mode leaves it as it is.
pub const STRIP: &str = "strip";

/// The attribute of a loop that makes at least one step.
pub const RUNS: &str = "runs";

/// Whether an attribute is one that passes trust, since only they give it: a program that writes it says nothing.
pub fn is_of_passes(attr: &Attr) -> bool {
    const OF_PASSES: [&str; 7] = [SHARED_MEMORY, INSIDE, ROW_ENDS, EXCHANGE, VERSIONS, STRIP, RUNS];
    match attr {
        Attr::Atom(name) => OF_PASSES.contains(&name.as_str()),
        Attr::Comp(name, args) => OF_PASSES.contains(&name.as_str()) || args.iter().any(is_of_passes),
        Attr::Int(_) => false,
    }
}

/// The class of a tuning parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum SizeClass {
    /// A threshold, with the decisions on the way to it (names of thresholds and how they compared), and its
    /// default where that is not the device's.
    Threshold(Vec<(Symbol, bool)>, Option<i64>),
    /// Threads in a block.
    ThreadBlockSize,
    /// Blocks in a grid.
    GridSize,
    /// Side of a tile in shared memory.
    TileSize,
    /// Side of a tile in registers.
    RegTileSize,
    /// Bytes of shared memory.
    SharedMemory,
    /// Bytes of device memory that the arrays of all threads of a kernel may take together.
    ThreadMemory,
    /// An application's own, with its default.
    Bespoke(Symbol, i64),
}

impl SizeClass {
    /// The default that the class itself has; others have the device's.
    pub fn usual(&self) -> Option<i64> {
        match self {
            SizeClass::Bespoke(_, usual) => Some(*usual),
            SizeClass::Threshold(_, usual) => *usual,
            SizeClass::ThreadBlockSize
            | SizeClass::GridSize
            | SizeClass::TileSize
            | SizeClass::RegTileSize
            | SizeClass::SharedMemory
            | SizeClass::ThreadMemory => None,
        }
    }
}

impl<R: Rep> Stm<R> {
    /// The tuning parameter that the statement reads, if it is `#[param(name)] opaque least`.
    pub fn declared_param(&self) -> Option<Symbol> {
        if !matches!(self.exp, Exp::Basic(Basic::Opaque(SubExp::Const(_)))) {
            return None;
        }
        self.attrs.iter().find_map(|a| match a {
            Attr::Comp(param, args) if param.as_str() == "param" => match args.as_slice() {
                [Attr::Atom(name)] => Some(*name),
                _ => None,
            },
            Attr::Comp(..) | Attr::Atom(_) | Attr::Int(_) => None,
        })
    }
}
