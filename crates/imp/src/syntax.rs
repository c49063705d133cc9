//! Imperative programs.
//!
//! - **Scalars** are mutable variables of a primitive type, declared before
//!   use, alive to the end of the enclosing block (function, branch, loop
//!   body). Names are unique in the program.
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
pub use fehu_ir::{ArrayData, EntryPoint, Loc, OpaqueTypes, Space};
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
        /// Where.
        space: Space,
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
    /// A remark for readers of the generated code.
    Comment(String),
    /// An operation of a parallel back end.
    Op(Op),
}

/// Operations of parallel back ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// Multicore: iterations `0..n` may run in any order and in parallel, on any number of workers.
    /// The body sees the variable, and must touch disjoint memory in different iterations.
    ParFor {
        /// The variable, an `i64`.
        var: Name,
        /// How many iterations.
        bound: Expr,
        /// The body, a scope. Free scalars are copied in, free blocks are borrowed.
        body: Box<Code>,
    },
    /// Multicore: `0..n` is split into chunks; the body runs once per chunk, with the chunk's bounds
    /// and its number. Chunk numbers are dense and below `max_chunks`, a variable that is set before.
    ParChunks {
        /// The chunk's number, an `i64`.
        chunk: Name,
        /// First iteration of the chunk.
        start: Name,
        /// One past the last.
        end: Name,
        /// How many iterations in all.
        bound: Expr,
        /// Set, before the body runs anywhere, to the number of chunks.
        chunks: Name,
        /// Runs after `chunks` is set and before any chunk: allocations per chunk.
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
}

/// A kernel launch.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Launch {
    pub kernel: Name,
    /// Thread blocks in the grid, for up to three dimensions.
    pub grid: Vec<Expr>,
    /// Threads in a block, likewise.
    pub block: Vec<Expr>,
    /// Dynamic shared memory, in bytes.
    pub shared: Expr,
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
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Kernel {
    pub name: Name,
    pub params: Vec<Param>,
    pub body: Code,
}
