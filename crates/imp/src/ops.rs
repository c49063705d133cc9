//! What machines do besides computing: three sets of operations, which the types keep apart.
//!
//! Code is [`Code<O>`](Code): assignments, loops, branches, calls, copies and checks are the same everywhere,
//! and `O` says what else there is. So a printer of kernels cannot meet an allocation, and a pass over
//! kernels need not say what it does with a launch.
//!
//! | code | runs on | operations |
//! | --- | --- | --- |
//! | `Code<HostOp>` | the host: functions, and what initialises the program | [`CpuOp`], and [launches](Launch) of kernels |
//! | `Code<TaskOp>` | workers of a CPU, several at a time: the bodies of `ParFor` and `ParChunks` | [`CpuOp`], and writes that race |
//! | `Code<KernelOp>` | threads of a GPU: kernels, and the functions they call | [`KernelOp`]: barriers, atomics, shuffles, ... |
//!
//! Tasks may have tasks inside, and then these have the same operations. Only the host launches. What CPUs do
//! alike, memory management first of all, is in [`CpuOp`]. Code that is the same for all machines, such as a
//! printer of assignments, is generic over [`Operation`]; code for CPUs over [`CpuOperation`].
//!
//! ```text
//! parfor a .. b of n {            Code<HostOp>::Op(HostOp::Cpu(CpuOp::ParFor { body, .. }))
//!   volatile flag.bool[0] <- true   body: Code<TaskOp>::Op(TaskOp::Own(RacingWrite { .. }))
//! }
//! ```

mod atomic;
mod launch;

pub use atomic::AtomicOp;
pub use launch::{Ahead, Launch, Way};

use crate::syntax::{Code, ErrorPart, Expr, Loc, Space};
use crate::visit::{Mutator, Visitor};
use fehu_base::prim::{FloatType, IntType, PrimType, ScalarType};
use fehu_base::{Name, Symbol};
use std::fmt::Debug;

/// The operations of a machine.
pub trait Operation: Clone + PartialEq + Debug + 'static {
    /// Shows the operation to a visitor, as what it is.
    fn look<'c, V: Visitor<'c>>(&'c self, v: &mut V);
    /// Has the operation changed, as what it is.
    fn change<M: Mutator>(&mut self, m: &mut M);
    /// Code of the same machine inside of it.
    fn bodies(&self) -> Vec<&Code<Self>>;
    /// Whether there is code inside of it, of whatever machine.
    fn has_code(&self) -> bool;
    /// The block that it allocates, and where.
    fn allocates(&self) -> Option<(Name, &Space)>;
}

/// The operations of a machine that is a CPU.
pub trait CpuOperation: Operation + From<CpuOp<Self>> {
    /// The operation, if it is one of those that all CPUs have.
    fn cpu(&self) -> Option<&CpuOp<Self>>;
    /// The same, to be changed.
    fn cpu_mut(&mut self) -> Option<&mut CpuOp<Self>>;
}

/// What a machine does that is a CPU: what all of them do, and what is its own.
#[derive(Clone, PartialEq, Debug)]
pub enum OnCpu<X> {
    /// What the host and workers do alike.
    Cpu(CpuOp<OnCpu<X>>),
    /// What only this machine does.
    Own(X),
}

/// What the host does. It alone starts kernels; asynchronously.
pub type HostOp = OnCpu<Box<Launch>>;

/// What the workers of a CPU do. They alone write elements that another worker may be reading or writing.
pub type TaskOp = OnCpu<RacingWrite>;

/// A write of an element that another worker may be reading or writing.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct RacingWrite {
    /// The block, in default space.
    pub mem: Name,
    /// In elements.
    pub offset: Expr,
    pub elem: PrimType,
    pub value: Expr,
}

/// What only one kind of CPU does.
pub trait OwnOp: Clone + PartialEq + Debug + 'static {
    /// Shows an operation of the machine to a visitor.
    fn look<'c, V: Visitor<'c>>(op: &'c OnCpu<Self>, v: &mut V);
    /// Has an operation of the machine changed.
    fn change<M: Mutator>(op: &mut OnCpu<Self>, m: &mut M);
}

impl OwnOp for Box<Launch> {
    fn look<'c, V: Visitor<'c>>(op: &'c HostOp, v: &mut V) {
        v.host_op(op);
    }
    fn change<M: Mutator>(op: &mut HostOp, m: &mut M) {
        m.host_op(op);
    }
}

impl OwnOp for RacingWrite {
    fn look<'c, V: Visitor<'c>>(op: &'c TaskOp, v: &mut V) {
        v.task_op(op);
    }
    fn change<M: Mutator>(op: &mut TaskOp, m: &mut M) {
        m.task_op(op);
    }
}

/// What code on a CPU does, on the host and in tasks.
#[derive(Clone, PartialEq, Debug)]
pub enum CpuOp<O> {
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
    /// Prints values for a programmer who watches: the place that asked for it, if it is given, then the message..
    Trace {
        /// The place.
        loc: Option<Loc>,
        /// What is printed.
        message: Vec<ErrorPart>,
    },
    /// `0..n` is split into ranges in any way, and the body runs once for each, in any order and in parallel.
    /// It must touch disjoint memory for different iterations.
    ParFor {
        /// First iteration of the range, an `i64`.
        start: Name,
        /// One past the last; larger than `start`.
        end: Name,
        /// How many iterations in all.
        bound: Expr,
        /// How many iterations a range should have at least: more than one where the body does several at once.
        least: i64,
        /// The body, a scope. Free scalars are copied in, free blocks are borrowed.
        body: Box<Code<TaskOp>>,
    },
    /// `0..n` is split into chunks: number `c` of `k` is from `c*n/k` to `(c+1)*n/k`, exclusively. The body
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
        /// Set, before the body runs anywhere, to the number of chunks, at least 1. Of the code around: it is
        /// seen afterwards, too.
        chunks: Name,
        /// Runs after `chunks` is set and before any chunk: allocations per chunk. Not a scope.
        before: Box<Code<O>>,
        /// The body, a scope.
        body: Box<Code<TaskOp>>,
    },
    /// Code that is a function of its own: a loop, so that C compilers know which of its blocks are different
    /// memory, or a part of a long function of a host. What it declares is used in it alone.
    Outlined(Box<Outlined<O>>),
    /// Sets a scalar to the value of a tuning parameter.
    GetSize(Name, Symbol),
    /// Sets a scalar to the largest value that the device allows for parameters of a class.
    GetSizeMax(Name, Symbol),
    /// Sets a boolean to `parameter <= value`, and logs the comparison.
    CmpThreshold(Name, Symbol, Expr),
}

/// Code as a function: what it needs from the code around.
#[derive(Clone, PartialEq, Debug)]
pub struct Outlined<O> {
    /// What the function is called by: the variable of the loop, or a name of its own.
    pub var: Name,
    /// Scalars it only reads, in the order of their use.
    pub inputs: Vec<Name>,
    /// Scalars of the code around that it assigns.
    pub updated: Vec<Name>,
    /// Blocks that it touches.
    pub blocks: Vec<OutlinedBlock>,
    /// Whether there are checks in it.
    pub can_fail: bool,
    /// The vectors with which it is worth being compiled.
    pub vectors: Vectors,
    /// The code.
    pub code: Code<O>,
}

/// The widest vectors of which a loop makes use. It is compiled for narrower ones, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Vectors {
    /// Those that every processor of its kind has.
    Basic,
    /// 256 bits.
    Wide,
    /// 512 bits.
    Widest,
}

/// A block of code that is a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutlinedBlock {
    /// The block.
    pub mem: Name,
    /// Whether a loop writes to it, or a part of a host's function gives its variable another value.
    pub written: bool,
    /// Whether it is never the same memory as what is written, here or elsewhere in the loop.
    pub unaliased: bool,
}

/// What the threads of a kernel do.
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
    Guarded(Box<Code<KernelOp>>),
    /// A loop that the compiler of kernels shall unroll; otherwise as [`Code::For`].
    UnrolledFor {
        /// How many iterations become one; all of them if it is not given.
        by: Option<usize>,
        /// The variable.
        var: Name,
        /// Its type.
        ty: IntType,
        /// The bound, evaluated once.
        bound: Expr,
        /// The body, a scope.
        body: Box<Code<KernelOp>>,
    },
    /// Unless the condition holds, notes the failure of the program's check of this number with these values, as
    /// [`Code::Assert`] does with a message: the message is the host's to print.
    Check {
        /// The condition.
        cond: Expr,
        /// The number of the check in [`Program::checks`](crate::syntax::Program::checks).
        number: usize,
        /// The values in its message, in order.
        values: Vec<(Expr, ScalarType)>,
    },
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
    /// Writes an element of global memory that another block may be reading or writing.
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
    /// Begins to copy neighbouring elements from global to shared memory; the thread goes on meanwhile. The
    /// elements may be touched again once the thread has waited ([`KernelOp::AwaitCopies`]); other threads
    /// need a barrier after that. What is read does not change in the kernel.
    CopyAhead {
        /// The block, in shared space.
        dst: Name,
        /// The offset of its first element.
        dst_offset: Expr,
        /// The block that is read, in default space.
        src: Name,
        /// The offset of the first element there.
        src_offset: Expr,
        /// The type of the elements.
        elem: PrimType,
        /// How many: 4, 8 or 16 bytes in all, at multiples of as many bytes in both blocks.
        count: u32,
    },
    /// The thread waits for all copies that it has begun.
    AwaitCopies,
    /// Reads elements of global memory that are a stride apart, by one instruction if they are neighbours and
    /// aligned. What is read does not change in the kernel.
    ReadRun {
        /// The array of the thread's own that they are put into, from its beginning.
        to: Name,
        /// The block that is read, in default space.
        mem: Name,
        /// The offset of the first element there.
        offset: Expr,
        /// The type of the elements.
        elem: PrimType,
        /// How far it is from one to the next, an `i64`.
        stride: Expr,
        /// How many: 4, 8 or 16 bytes in all.
        count: u32,
        /// No element whose number reaches it is read, an `i64`.
        limit: Expr,
    },
    /// Reads neighbours in global memory by one instruction: they are all there, and aligned. What is read
    /// does not change in the kernel.
    ReadWhole {
        /// The array of the thread's own that they are put into, from its beginning.
        to: Name,
        /// The block that is read, in default space.
        mem: Name,
        /// The offset of the first element there, a multiple of how many there are.
        offset: Expr,
        /// The type of the elements.
        elem: PrimType,
        /// How many: 4, 8 or 16 bytes in all.
        count: u32,
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
    /// Waits for the other threads of the warp, 32 of them, which all get here: what each of them has written
    /// to shared memory, the others read from then on. Only on machines that have it (CUDA).
    WarpBarrier,
    /// Sets a variable of 32 bits to a number whose bit `k` says whether a condition holds for the thread in
    /// lane `k` of the warp. All threads of the warp, 32 of them, get here. Only on machines that have it
    /// (CUDA).
    Ballot {
        /// Set to the bits.
        var: Name,
        /// This thread's condition.
        cond: Expr,
    },
    /// Sets an `i64` to the greatest of the numbers that the threads of the warp give, or to 0 if one of them
    /// gives 0 or less, or if not all 32 of them get here together. All get the same. Only on machines that
    /// have it (CUDA).
    MostOfWarp {
        /// Set to the greatest.
        var: Name,
        /// This thread's number.
        value: Expr,
    },
    /// The threads of a warp copy neighbouring elements that each of them names between global and shared
    /// memory, together, so that neighbouring threads copy neighbours. In shared memory, the elements of
    /// thread `t` of the block are those from `(count + 1) * t` on. Others may touch what was copied after a
    /// barrier of the warp. All threads of the warp, 32 of them, get here. Memory before and behind the
    /// elements may be read, up to the next multiple of 16 bytes. Only on machines that have it (CUDA).
    CopyRows {
        /// Where to.
        to: RowsTo,
        /// The block in shared space.
        tile: Name,
        /// The block in default space.
        mem: Name,
        /// The offset there of the first of this thread's elements.
        offset: Expr,
        /// Which of these elements are copied: those from one `i32` on, up to another. The others need not exist.
        within: (Expr, Expr),
        /// The type of the elements: of 32 or 64 bits.
        elem: PrimType,
        /// How many each thread has: 8, 16 or 32.
        count: u32,
    },
    /// A warp multiplies matrices: `sums += left * right`, of `8n x 4n`, `8n x 8` and `8 x 4n` elements of
    /// `f64`. Lane `l` has these of them in arrays of its own, for `r, q < n` and `h < 2`:
    ///
    /// ```text
    /// sums[n r + q]       row 8r + l/4,  column 8(q/2) + 2(l%4) + q%2
    /// left[2 r + h]       row 8r + l/4,  column l%4 + 4h
    /// right[2 (q/2) + h]  row l%4 + 4h,  column 8(q/2) + l/4
    /// ```
    ///
    /// All threads of the warp, 32 of them, get here. Only where
    /// [`GpuIndex::MatrixUnits`](crate::syntax::GpuIndex::MatrixUnits) is 1.
    MultiplyAdd {
        /// The array of the sums.
        sums: Name,
        /// The array of the left matrix.
        left: Name,
        /// The array of the right matrix.
        right: Name,
        /// `n`, an even `i64` that is known when the kernel is compiled.
        points: Expr,
    },
    /// The sums of [`KernelOp::MultiplyAdd`] are computed by here. What only some lanes need of them,
    /// compilers might compute where these need it, but lanes compute sums together. All threads of the warp
    /// get here.
    AwaitProducts {
        /// The array of the sums.
        sums: Name,
        /// How many there are along a side, an `i64` that is known when the kernel is compiled.
        points: Expr,
    },
    /// Sets a variable to what the thread that is `delta` lanes below (`Up`) or above (`Down`) in the warp
    /// gives as value; the thread's own value where there is none. All threads of the warp, 32 of them, get
    /// here. Only on machines that have it (CUDA).
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

/// Where threads copy rows to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum RowsTo {
    Shared,
    Global,
}

impl RowsTo {
    /// The word for a copy in the text form.
    pub fn word(self) -> &'static str {
        match self {
            RowsTo::Shared => "read_rows",
            RowsTo::Global => "write_rows",
        }
    }
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
    /// From the first lane of the group of so many lanes that this one is in: 2, 4, 8, 16 or 32.
    FirstOf,
    /// From the last lane of the group.
    LastOf,
}

impl HostOp {
    /// The launch, if it is one.
    pub fn launch(&self) -> Option<&Launch> {
        match self {
            HostOp::Own(launch) => Some(launch),
            HostOp::Cpu(_) => None,
        }
    }
}

impl<O> CpuOp<O> {
    fn same_machine(&self) -> Vec<&Code<O>> {
        match self {
            CpuOp::ParChunks { before, .. } => vec![before],
            CpuOp::Outlined(outlined) => vec![&outlined.code],
            CpuOp::Allocate { .. }
            | CpuOp::Free(..)
            | CpuOp::Trace { .. }
            | CpuOp::ParFor { .. }
            | CpuOp::GetSize(..)
            | CpuOp::GetSizeMax(..)
            | CpuOp::CmpThreshold(..) => vec![],
        }
    }

    /// Whether there is code inside of it.
    pub fn has_code(&self) -> bool {
        match self {
            CpuOp::ParFor { .. } | CpuOp::ParChunks { .. } | CpuOp::Outlined(_) => true,
            CpuOp::Allocate { .. }
            | CpuOp::Free(..)
            | CpuOp::Trace { .. }
            | CpuOp::GetSize(..)
            | CpuOp::GetSizeMax(..)
            | CpuOp::CmpThreshold(..) => false,
        }
    }

    fn allocated(&self) -> Option<(Name, &Space)> {
        match self {
            CpuOp::Allocate { mem, space, .. } => Some((*mem, space)),
            CpuOp::Free(..)
            | CpuOp::Trace { .. }
            | CpuOp::ParFor { .. }
            | CpuOp::ParChunks { .. }
            | CpuOp::Outlined(_)
            | CpuOp::GetSize(..)
            | CpuOp::GetSizeMax(..)
            | CpuOp::CmpThreshold(..) => None,
        }
    }
}

impl<X: OwnOp> Operation for OnCpu<X> {
    fn look<'c, V: Visitor<'c>>(&'c self, v: &mut V) {
        X::look(self, v);
    }
    fn change<M: Mutator>(&mut self, m: &mut M) {
        X::change(self, m);
    }
    fn bodies(&self) -> Vec<&Code<OnCpu<X>>> {
        self.cpu().map_or_else(Vec::new, CpuOp::same_machine)
    }
    fn has_code(&self) -> bool {
        self.cpu().is_some_and(CpuOp::has_code)
    }
    fn allocates(&self) -> Option<(Name, &Space)> {
        self.cpu().and_then(CpuOp::allocated)
    }
}

impl<X: OwnOp> CpuOperation for OnCpu<X> {
    fn cpu(&self) -> Option<&CpuOp<OnCpu<X>>> {
        match self {
            OnCpu::Cpu(op) => Some(op),
            OnCpu::Own(_) => None,
        }
    }
    fn cpu_mut(&mut self) -> Option<&mut CpuOp<OnCpu<X>>> {
        match self {
            OnCpu::Cpu(op) => Some(op),
            OnCpu::Own(_) => None,
        }
    }
}

impl<X> From<CpuOp<OnCpu<X>>> for OnCpu<X> {
    fn from(op: CpuOp<OnCpu<X>>) -> OnCpu<X> {
        OnCpu::Cpu(op)
    }
}

impl Operation for KernelOp {
    fn look<'c, V: Visitor<'c>>(&'c self, v: &mut V) {
        v.kernel_op(self);
    }
    fn change<M: Mutator>(&mut self, m: &mut M) {
        m.kernel_op(self);
    }
    fn bodies(&self) -> Vec<&Code<KernelOp>> {
        self.body().into_iter().collect()
    }
    fn has_code(&self) -> bool {
        self.body().is_some()
    }
    fn allocates(&self) -> Option<(Name, &Space)> {
        None
    }
}

impl KernelOp {
    /// The code inside.
    pub fn body(&self) -> Option<&Code<KernelOp>> {
        match self {
            KernelOp::Guarded(code) | KernelOp::UnrolledFor { body: code, .. } => Some(code),
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::LeaveIfFailed
            | KernelOp::Check { .. }
            | KernelOp::Atomic { .. }
            | KernelOp::CompareAndSwap { .. }
            | KernelOp::ReadVolatile { .. }
            | KernelOp::WriteVolatile { .. }
            | KernelOp::DeclareArray { .. }
            | KernelOp::CopyAhead { .. }
            | KernelOp::AwaitCopies
            | KernelOp::ReadRun { .. }
            | KernelOp::ReadWhole { .. }
            | KernelOp::WarpBarrier
            | KernelOp::Ballot { .. }
            | KernelOp::MostOfWarp { .. }
            | KernelOp::CopyRows { .. }
            | KernelOp::MultiplyAdd { .. }
            | KernelOp::AwaitProducts { .. }
            | KernelOp::Shuffle { .. } => None,
        }
    }

    /// The code inside.
    pub fn body_mut(&mut self) -> Option<&mut Code<KernelOp>> {
        match self {
            KernelOp::Guarded(code) | KernelOp::UnrolledFor { body: code, .. } => Some(code),
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::LeaveIfFailed
            | KernelOp::Check { .. }
            | KernelOp::Atomic { .. }
            | KernelOp::CompareAndSwap { .. }
            | KernelOp::ReadVolatile { .. }
            | KernelOp::WriteVolatile { .. }
            | KernelOp::DeclareArray { .. }
            | KernelOp::CopyAhead { .. }
            | KernelOp::AwaitCopies
            | KernelOp::ReadRun { .. }
            | KernelOp::ReadWhole { .. }
            | KernelOp::WarpBarrier
            | KernelOp::Ballot { .. }
            | KernelOp::MostOfWarp { .. }
            | KernelOp::CopyRows { .. }
            | KernelOp::MultiplyAdd { .. }
            | KernelOp::AwaitProducts { .. }
            | KernelOp::Shuffle { .. } => None,
        }
    }

    /// The block it changes or watches, and as what.
    pub fn touches(&self) -> Option<(Name, PrimType)> {
        match self {
            KernelOp::Atomic { mem, elem, .. }
            | KernelOp::CompareAndSwap { mem, elem, .. }
            | KernelOp::ReadVolatile { mem, elem, .. }
            | KernelOp::WriteVolatile { mem, elem, .. }
            | KernelOp::CopyAhead { dst: mem, elem, .. }
            | KernelOp::ReadRun { to: mem, elem, .. }
            | KernelOp::ReadWhole { to: mem, elem, .. }
            | KernelOp::CopyRows { to: RowsTo::Shared, tile: mem, elem, .. }
            | KernelOp::CopyRows { to: RowsTo::Global, mem, elem, .. }
            | KernelOp::DeclareArray { mem, elem, .. } => Some((*mem, *elem)),
            KernelOp::MultiplyAdd { sums, .. } | KernelOp::AwaitProducts { sums, .. } => {
                Some((*sums, PrimType::Float(FloatType::F64)))
            }
            KernelOp::Barrier
            | KernelOp::AwaitCopies
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::Guarded(_)
            | KernelOp::UnrolledFor { .. }
            | KernelOp::Check { .. }
            | KernelOp::LeaveIfFailed
            | KernelOp::WarpBarrier
            | KernelOp::Ballot { .. }
            | KernelOp::MostOfWarp { .. }
            | KernelOp::Shuffle { .. } => None,
        }
    }
}
