//! Imperative programs.
//!
//! - **Scalars** are mutable variables of a primitive type, declared before
//!   use, alive to the end of the enclosing block (function, branch, loop
//!   body). Names are unique in the program, except that kernels have names of their own: parameters are called as what
//!   the host passes, and copies of code in scopes beside each other declare the same names.
//! - **Memory blocks** are reference-counted variables: a block declared is
//!   null; [`CpuOp::Allocate`] gives it fresh memory (dropping the old); `SetMem` makes
//!   it another reference to what the other has; `Free` drops the reference
//!   early. Whatever a block variable still refers to at the end of its scope is
//!   dropped then. A function's input blocks are borrowed: the callee does not
//!   drop them unless a caller says that they are given (never at present); its
//!   output blocks are references that the caller owns.
//! - **Elements** are read by [`Expr::Index`] and written by [`Code::Write`] at
//!   element offsets into a block.
//! - **Errors**: a failed `Assert` ends the function (and its callers) with an
//!   error message and the locations; nothing leaks.
//! - Expressions have no effects, except that reading memory must not be moved over writes.

pub use crate::ops::{
    Ahead, AtomicOp, CpuOp, Direction, HostOp, KernelOp, Launch, OnCpu, Outlined, OutlinedBlock, RacingWrite,
    TaskOp, Vectors, Way,
};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, PrimFn, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Symbol};
pub use fehu_ir::{ArrayData, Attr, EntryPoint, Loc, OpaqueTypes, Space};
use indexmap::IndexMap;
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
    /// 1 where warps multiply matrices of `f64` ([`KernelOp::MultiplyAdd`]), and 0 elsewhere: known when the
    /// kernel is compiled.
    MatrixUnits,
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

/// How the iterations of a loop depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// One after the other.
    Sequential,
    /// The same, but scalars that go from one to the next are combined by associative operators.
    Reduction,
}

/// A statement of a machine that has the operations `O` besides those that all have: [`HostOp`], [`TaskOp`]
/// or [`KernelOp`].
#[derive(Clone, PartialEq, Debug)]
pub enum Code<O> {
    /// Statements in order. Not a scope.
    Seq(Vec<Code<O>>),
    /// A mutable scalar, without a value.
    DeclareScalar(Name, PrimType),
    /// Assigns a scalar.
    SetScalar(Name, Expr),
    /// A block variable, null.
    DeclareMem(Name, Space),
    /// A block variable that refers to constant data, which must not be written: it is only copied from
    /// and read.
    DeclareStatic(Name, Arc<ArrayData>),
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
        /// How its iterations depend on each other.
        order: Order,
        /// The body, a scope.
        body: Box<Code<O>>,
    },
    /// A loop while the condition holds.
    While(Expr, Box<Code<O>>),
    /// A conditional; the branches are scopes.
    If(Expr, Box<Code<O>>, Box<Code<O>>),
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
    /// What only some machines do: see [`crate::ops`].
    Op(O),
}

/// A function of the host. Its parameters are its outputs, then its inputs.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Function {
    pub name: Name,
    pub outputs: Vec<Param>,
    pub inputs: Vec<Param>,
    pub body: Code<HostOp>,
    pub entry: Option<Entry>,
}

/// A function that kernels call: of scalars. The host may have one of the same name, which is the same function.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct DeviceFunction {
    pub name: Name,
    pub outputs: Vec<Param>,
    pub inputs: Vec<Param>,
    pub body: Code<KernelOp>,
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
    /// Of sizes of thread blocks: how much shared memory a block needs for each of its threads, if it may
    /// need more than the device has.
    pub thread_bytes: Option<i64>,
}

/// A program.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Program {
    /// Variables that `init` sets once per context; every function may read them.
    pub globals: Vec<Param>,
    pub init: Code<HostOp>,
    pub functions: Vec<Function>,
    /// What kernels call, callees first; recursive ones in some order.
    pub device_functions: Vec<DeviceFunction>,
    pub kernels: Vec<Kernel>,
    pub opaques: OpaqueTypes,
    pub params: Vec<TuningParam>,
    /// The checks that kernels make by number, in the order of their numbers.
    pub checks: Vec<Check>,
    pub names: NameSource,
}

/// A check of a kernel, as the host reports it.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// The message.
    pub message: Vec<CheckPart>,
    /// Where, with the calls that led there.
    pub loc: Loc,
}

/// A piece of the message of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckPart {
    /// Words.
    Text(String),
    /// A value that the kernel gives.
    Value(ScalarType),
}

/// What is known of a block that a kernel gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Qualifier {
    /// It is only read, and never written while the kernel runs.
    OnlyRead,
    /// No other parameter leads to it.
    Unaliased,
}

/// A kernel: code that every thread of a grid runs.
///
/// Its only free names are its parameters, its shared arrays, global *scalars* are passed as parameters. Blocks
/// declared inside (`DeclareMem`) are in `Scalar` space, arrays of the thread's own, or variables that refer to other
/// blocks by `SetMem`. Inside, `Copy` is done by one thread, and `Call` calls device functions.
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
    /// How many threads a multiprocessor should have room for: more registers than that leaves are not used,
    /// where the machine can be asked for it (CUDA).
    pub resident: Option<i64>,
    /// What is known of its blocks.
    pub qualifiers: IndexMap<Name, Qualifier>,
    pub body: Code<KernelOp>,
    pub loc: Loc,
}
