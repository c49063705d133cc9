//! Imperative programs.
//!
//! - **Scalars** are mutable variables of a primitive type, declared before
//!   use, alive to the end of the enclosing block (function, branch, loop
//!   body). Names are unique in the program, except that kernels have names of their own: parameters are called as what
//!   the host passes, and copies of code in scopes beside each other declare the same names.
//! - **Memory blocks** are reference-counted variables: a block declared is
//!   null; `Allocate` gives it fresh memory (dropping the old); `SetMem` makes
//!   it another reference to what the other has; `Free` drops the reference
//!   early. Whatever a block variable still refers to at the end of its scope is
//!   dropped then. A function's input blocks are borrowed: the callee does not
//!   drop them unless it was told that they are given (never at present); its
//!   output blocks are references that the caller owns.
//! - **Elements** are read by [`Expr::Index`] and written by [`Code::Write`] at
//!   element offsets into a block.
//! - **Errors**: a failed `Assert` ends the function (and its callers) with an
//!   error message and the locations; nothing leaks.
//! - Expressions have no effects, except that reading memory must not be moved over writes.

use fehu_base::ops::{BinOp, CmpOp, ConvOp, PrimFn, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Symbol};
pub use fehu_ir::{ArrayData, Attr, EntryPoint, Loc, OpaqueTypes, Space};
use std::sync::Arc;

/// An expression without effects.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Expr {
    Const(PrimValue),
    Var(Name),
    UnOp(UnOp, Box<Expr>),
    BinOp(BinOp, Box<Expr>, Box<Expr>),
    CmpOp(CmpOp, Box<Expr>, Box<Expr>),
    Conv(ConvOp, Box<Expr>),
    PrimFn(PrimFn, Vec<Expr>),
    /// `if c then a else b`, only one of which is evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The element at an element offset of a block.
    Index {
        mem: Name,
        offset: Box<Expr>,
        elem: PrimType,
        space: Space,
    },
    /// The value of a tuning parameter.
    Param(Symbol),
    /// In kernels: where the thread is, an `i64`.
    Gpu(GpuIndex),
}

/// Where a thread is, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GpuIndex {
    /// The thread's number in its block.
    Local,
    /// The block's number in the grid.
    Block,
    /// Threads in a block.
    BlockSize,
    /// Blocks in the grid.
    GridSize,
}

/// A parameter or result of a function.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Param {
    Scalar(Name, PrimType),
    Mem(Name, Space),
}

/// An argument of a call.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Arg {
    Scalar(Expr),
    Mem(Name),
}

/// A piece of an error message.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ErrorPart {
    Text(String),
    Value(Expr, ScalarType),
}

/// A place in memory: a block, an element offset, and a stride in elements for each dimension.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Place {
    pub mem: Name,
    pub space: Space,
    pub offset: Expr,
    pub strides: Vec<Expr>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Code {
    /// Statements in order. Not a scope.
    Seq(Vec<Code>),
    /// A mutable scalar, without a value.
    DeclareScalar(Name, PrimType),
    /// Assigns a scalar.
    SetScalar(Name, Expr),
    /// A block variable, null.
    DeclareMem(Name, Space),
    /// A block variable that refers to constant data, which must not be written: it is only copied from
    /// and read.
    DeclareStatic(Name, Arc<ArrayData>),
    /// Fresh memory of so many bytes; contents unspecified. Fails on negative sizes and when out of memory.
    Allocate {
        /// The block.
        mem: Name,
        /// How many.
        bytes: Expr,
        /// In which memory.
        space: Space,
        /// The place in the program that needs it, for the error.
        loc: Loc,
    },
    /// Drops a reference early; the variable is null afterwards.
    Free(Name, Space),
    /// Makes the first another reference to what the second has.
    SetMem(Name, Name, Space),
    /// Writes an element.
    Write {
        /// The block.
        mem: Name,
        /// The element offset.
        offset: Expr,
        /// The type of the element.
        elem: PrimType,
        /// Where.
        space: Space,
        /// The value.
        value: Expr,
    },
    /// Copies an array of the given shape from one place to another; they do not overlap.
    Copy {
        /// The type of the elements.
        elem: PrimType,
        /// The shape.
        shape: Vec<Expr>,
        /// Where to.
        dst: Place,
        /// Where from.
        src: Place,
    },
    /// A loop from 0 to the bound, exclusively. The variable is declared by the loop and not assigned in it.
    For {
        /// The variable.
        var: Name,
        /// Its type.
        ty: IntType,
        /// The bound, evaluated once.
        bound: Expr,
        /// The body, a scope.
        body: Box<Code>,
    },
    /// A loop while the condition holds.
    While(Expr, Box<Code>),
    /// A conditional; the branches are scopes.
    If(Expr, Box<Code>, Box<Code>),
    /// A call: results are assigned to declared variables.
    Call {
        /// Scalars and blocks, as the function's outputs are.
        outs: Vec<Name>,
        /// Which function.
        fun: Name,
        /// The arguments.
        args: Vec<Arg>,
    },
    /// Ends the program with a message unless the condition holds.
    Assert {
        /// The condition.
        cond: Expr,
        /// The message.
        message: Vec<ErrorPart>,
        /// Where, with the calls that led there.
        loc: Loc,
    },
    /// Prints values for a programmer who watches: the place that asked for it, if it is given, then the message. Only
    /// the host prints.
    Trace {
        /// The place.
        loc: Option<Loc>,
        /// What is printed.
        message: Vec<ErrorPart>,
    },
    /// An operation of a parallel back end.
    Op(Op),
}

/// Operations of parallel back ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// Multicore: `0..n` is split into ranges in any way, and the body runs once for each, in any order and
    /// in parallel. It must touch disjoint memory for different iterations.
    ParFor {
        /// First iteration of the range, an `i64`.
        start: Name,
        /// One past the last; larger than `start`.
        end: Name,
        /// How many iterations in all.
        bound: Expr,
        /// The body, a scope. Free scalars are copied in, free blocks are borrowed.
        body: Box<Code>,
    },
    /// Multicore: `0..n` is split into chunks: number `c` of `k` is from `c*n/k` to `(c+1)*n/k`, exclusively. The body
    /// runs once for each, in any order and in parallel. Also if `n` is 0 there is one chunk.
    ParChunks {
        /// The chunk's number, an `i64`.
        chunk: Name,
        /// First iteration of the chunk.
        start: Name,
        /// One past the last.
        end: Name,
        /// How many iterations in all.
        bound: Expr,
        /// How many chunks make sense; there may be fewer.
        most: Expr,
        /// Set, before the body runs anywhere, to the number of chunks, at least 1. Of the code around: it is seen afterwards, too.
        chunks: Name,
        /// Runs after `chunks` is set and before any chunk: allocations per chunk. Not a scope.
        before: Box<Code>,
        /// The body, a scope.
        body: Box<Code>,
    },
    /// GPU: starts a kernel; asynchronous.
    Launch(Box<Launch>),
    /// Sets a scalar to the value of a tuning parameter.
    GetSize(Name, Symbol),
    /// Sets a scalar to the largest value that the device allows for parameters of a class.
    GetSizeMax(Name, Symbol),
    /// Sets a boolean to `parameter <= value`, and logs the comparison.
    CmpThreshold(Name, Symbol, Expr),
    /// In kernels.
    Kernel(KernelOp),
}

/// What kernels do; volatile writes are in tasks, too.
#[derive(Clone, PartialEq, Debug)]
pub enum KernelOp {
    /// All threads of the block wait for each other, and then see what the others wrote before, to shared and
    /// to global memory. Every thread of the block gets here, or none.
    Barrier,
    /// What this thread wrote to global memory before is seen by all blocks before what it writes after.
    Fence,
    /// The same for the threads of the block only.
    BlockFence,
    /// Code without barriers: when a check fails inside, the thread leaves the region (not the kernel), and the
    /// host will hear of it. Variables that later code uses are declared and set before the region.
    Guarded(Box<Code>),
    /// Leaves the kernel if any thread of the *block* has failed so far; all threads of the block get here. It is a
    /// barrier too.
    LeaveIfFailed,
    /// Changes an element in one indivisible step.
    Atomic {
        /// Set to the element as it was; it may be missing.
        old: Option<Name>,
        /// How.
        op: AtomicOp,
        /// The block: in default or shared space.
        mem: Name,
        /// The element offset.
        offset: Expr,
        /// The type of the element: 32 or 64 bits wide.
        elem: PrimType,
        /// Where.
        space: Space,
        /// The operand.
        value: Expr,
    },
    /// If the element has the bits expected, it gets those of the new value, in one indivisible step.
    CompareAndSwap {
        /// Set to the element as it was.
        old: Name,
        /// The block: in default or shared space.
        mem: Name,
        /// The element offset.
        offset: Expr,
        /// The type of the element: 32 or 64 bits wide, integer or float (compared by its bits).
        elem: PrimType,
        /// Where.
        space: Space,
        /// What is expected.
        expected: Expr,
        /// The new value.
        value: Expr,
    },
    /// Reads an element of global memory that another block may be writing: no cache, no reordering.
    ReadVolatile {
        /// Set to the element.
        var: Name,
        /// The block, in default space.
        mem: Name,
        /// The element offset.
        offset: Expr,
        /// The type of the element.
        elem: PrimType,
    },
    /// Writes an element of global memory that another block or task may be reading or writing.
    WriteVolatile {
        /// The block, in default space.
        mem: Name,
        /// The element offset.
        offset: Expr,
        /// The type of the element.
        elem: PrimType,
        /// The value.
        value: Expr,
    },
    /// An array whose size is known when the kernel is compiled: constants and tuning parameters. It is the
    /// thread's own, or shared by the block; then it is declared before any other code, and aligned to 16 bytes.
    DeclareArray {
        /// The block, in `Scalar` or `Shared` space.
        mem: Name,
        /// Where.
        space: Space,
        /// The type of the elements.
        elem: PrimType,
        /// How many.
        count: Expr,
    },
    /// Sets a variable to what the thread that is `delta` lanes below (`Up`) or above (`Down`) in the warp
    /// gives as value; the thread's own value where there is none. All threads of the warp, 32 of them, get here. Only on
    /// machines that have it (CUDA).
    Shuffle {
        /// Set to the value; a type of 32 or 64 bits.
        var: Name,
        /// Its type.
        ty: PrimType,
        /// From where.
        direction: Direction,
        /// How far.
        delta: u32,
        /// This thread's value.
        value: Expr,
    },
}

/// A direction in a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From lower lanes.
    Up,
    /// From higher lanes.
    Down,
    /// From lane 0, whatever the distance.
    First,
}

/// Changes of an element in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicOp {
    /// Integer addition, of the element's width.
    Add,
    /// Floating-point addition (`f32` and `f64`).
    FAdd,
    /// Signed maximum.
    SMax,
    /// Signed minimum.
    SMin,
    /// Unsigned maximum.
    UMax,
    /// Unsigned minimum.
    UMin,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand takes its place.
    Exchange,
}

/// A kernel launch. A grid without blocks is not launched.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Launch {
    pub kernel: Name,
    /// Thread blocks in the grid, at most `2^31 - 1`.
    pub grid: Expr,
    /// Threads in a block.
    pub block: Expr,
    /// The bytes of each of the kernel's shared arrays, in their order. The text lays them out one after the other,
    /// each at a multiple of 16 bytes.
    pub shared: Vec<Expr>,
    /// The kernel's parameters.
    pub args: Vec<Arg>,
}

/// A function. Its parameters are its outputs, then its inputs.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Function {
    pub name: Name,
    pub outputs: Vec<Param>,
    pub inputs: Vec<Param>,
    pub body: Code,
    pub entry: Option<Entry>,
}

/// What an entry point shows, and where its values are among the function's parameters.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Entry {
    pub face: EntryPoint,
    /// The attributes of its declaration, in order.
    pub attrs: Vec<Attr>,
    /// The flattened values of each parameter of the face, in order.
    pub params: Vec<Vec<EntryValue>>,
    /// The flattened values of the result.
    pub result: Vec<EntryValue>,
}

/// A flattened value of an entry point: arrays are dense and row-major at the boundary.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum EntryValue {
    Scalar {
        var: Name,
        ty: ScalarType,
    },
    /// The block and, for each dimension, its size: a scalar among the parameters, or a constant
    /// (checked against what the caller passed; a size mentioned twice must agree).
    Array {
        mem: Name,
        elem: ScalarType,
        shape: Vec<Expr>,
    },
}

/// A tuning parameter.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct TuningParam {
    pub name: Symbol,
    /// As tools print it: `threshold (...)`, `thread_block_size`, ...
    pub class: String,
    pub default: Option<i64>,
}

/// A program.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Program {
    /// Variables that `init` sets once per context; every function may read them.
    pub globals: Vec<Param>,
    pub init: Code,
    pub functions: Vec<Function>,
    pub kernels: Vec<Kernel>,
    pub opaques: OpaqueTypes,
    pub params: Vec<TuningParam>,
    pub names: NameSource,
}

/// A kernel: code that every thread of a grid runs.
///
/// Its only free names are its parameters, its shared arrays, global *scalars* are passed as parameters. Blocks
/// declared inside (`DeclareMem`) are in `Scalar` space (an array of the thread's own; `Allocate` for it is not there),
/// or variables that refer to other blocks by `SetMem`; nothing is allocated or freed in a kernel. Inside, `Copy` is done
/// by one thread, and `Call` calls functions of scalars.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Kernel {
    pub name: Name,
    /// What people and tuning parameters call it: `main.segmap_17`.
    pub label: Symbol,
    pub params: Vec<Param>,
    /// Arrays in shared memory: names of blocks in `Shared` space.
    pub shared: Vec<Name>,
    /// The number of threads in a block, where the code only works for that one: known when it is compiled.
    pub block_size: Option<Expr>,
    pub body: Code,
    pub loc: Loc,
}

impl Launch {
    /// All expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let args = self.args.iter().filter_map(|a| match a {
            Arg::Scalar(e) => Some(e),
            Arg::Mem(_) => None,
        });
        [&self.grid, &self.block].into_iter().chain(&self.shared).chain(args)
    }
}

impl KernelOp {
    /// The expressions in it, without those of code inside.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::Guarded(_)
            | KernelOp::LeaveIfFailed => vec![],
            KernelOp::Atomic { offset, value, .. } | KernelOp::WriteVolatile { offset, value, .. } => {
                vec![offset, value]
            }
            KernelOp::CompareAndSwap { offset, expected, value, .. } => vec![offset, expected, value],
            KernelOp::ReadVolatile { offset, .. } => vec![offset],
            KernelOp::Shuffle { value, .. } => vec![value],
            KernelOp::DeclareArray { count, .. } => vec![count],
        }
    }

    /// The code inside.
    pub fn body(&self) -> Option<&Code> {
        match self {
            KernelOp::Guarded(code) => Some(code),
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::LeaveIfFailed
            | KernelOp::Atomic { .. }
            | KernelOp::CompareAndSwap { .. }
            | KernelOp::ReadVolatile { .. }
            | KernelOp::WriteVolatile { .. }
            | KernelOp::DeclareArray { .. }
            | KernelOp::Shuffle { .. } => None,
        }
    }

    /// The block it touches, and as what.
    pub fn touches(&self) -> Option<(Name, PrimType)> {
        match self {
            KernelOp::Atomic { mem, elem, .. }
            | KernelOp::CompareAndSwap { mem, elem, .. }
            | KernelOp::ReadVolatile { mem, elem, .. }
            | KernelOp::WriteVolatile { mem, elem, .. }
            | KernelOp::DeclareArray { mem, elem, .. } => Some((*mem, *elem)),
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::Guarded(_)
            | KernelOp::LeaveIfFailed
            | KernelOp::Shuffle { .. } => None,
        }
    }
}
