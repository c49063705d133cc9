//! Walks over code: one that looks, one that changes.
//!
//! A walk visits the parts of a statement in the order of the text: what it declares and assigns, blocks,
//! expressions, and the code inside, that of tasks too. Whoever cares about some of these says so, and the
//! walk does the rest:
//!
//! ```text
//! struct Reads(usize);
//! impl Visitor<'_> for Reads {
//!     fn block(&mut self, _: &Name) { self.0 += 1 }
//! }
//! Reads(0).code(&body);
//! ```
//!
//! Operations of a machine are shown as what they are: whoever cares about launches says what `host_op` does.
//! The two walks are one text, written twice by [`walks`].

use crate::ops::{Ahead, CpuOp, HostOp, KernelOp, Launch, Operation, Outlined, RacingWrite, TaskOp};
use crate::syntax::{Arg, Code, ErrorPart, Expr, Place};
use fehu_base::Name;
use fehu_ir::visit::deep;

/// Looks at code.
#[allow(unused_variables)]
pub trait Visitor<'c>: Sized {
    /// A statement, or several. By default, looks at its parts.
    fn code<O: Operation>(&mut self, code: &'c Code<O>) {
        look_at_code(self, code);
    }
    /// An expression, also one inside of another. By default, looks at its parts.
    fn expr(&mut self, e: &'c Expr) {
        look_at_expr(self, e);
    }
    /// An operation of the host. By default, looks at its parts.
    fn host_op(&mut self, op: &'c HostOp) {
        look_at_host_op(self, op);
    }
    /// An operation of a task. By default, looks at its parts.
    fn task_op(&mut self, op: &'c TaskOp) {
        look_at_task_op(self, op);
    }
    /// An operation of a CPU, of the host or of a task. By default, looks at its parts.
    fn cpu_op<O: Operation>(&mut self, op: &'c CpuOp<O>) {
        look_at_cpu_op(self, op);
    }
    /// An operation of a kernel. By default, looks at its parts.
    fn kernel_op(&mut self, op: &'c KernelOp) {
        look_at_kernel_op(self, op);
    }
    /// A variable is declared: a scalar, a block, a loop's.
    fn declared(&mut self, x: &'c Name) {}
    /// A scalar gets a value, or a result of a call, which may be a block.
    fn assigned(&mut self, x: &'c Name) {}
    /// A scalar is read.
    fn var(&mut self, x: &'c Name) {}
    /// A block is mentioned in any way but its declaration and a call's result.
    fn block(&mut self, m: &'c Name) {}
}

/// Changes code where it stands.
#[allow(unused_variables)]
pub trait Mutator: Sized {
    /// A statement, or several. By default, changes its parts.
    fn code<O: Operation>(&mut self, code: &mut Code<O>) {
        change_code(self, code);
    }
    /// An expression, also one inside of another. By default, changes its parts.
    fn expr(&mut self, e: &mut Expr) {
        change_expr(self, e);
    }
    /// An operation of the host. By default, changes its parts.
    fn host_op(&mut self, op: &mut HostOp) {
        change_host_op(self, op);
    }
    /// An operation of a task. By default, changes its parts.
    fn task_op(&mut self, op: &mut TaskOp) {
        change_task_op(self, op);
    }
    /// An operation of a CPU, of the host or of a task. By default, changes its parts.
    fn cpu_op<O: Operation>(&mut self, op: &mut CpuOp<O>) {
        change_cpu_op(self, op);
    }
    /// An operation of a kernel. By default, changes its parts.
    fn kernel_op(&mut self, op: &mut KernelOp) {
        change_kernel_op(self, op);
    }
    /// A variable is declared: a scalar, a block, a loop's.
    fn declared(&mut self, x: &mut Name) {}
    /// A scalar gets a value, or a result of a call, which may be a block.
    fn assigned(&mut self, x: &mut Name) {}
    /// A scalar is read.
    fn var(&mut self, x: &mut Name) {}
    /// A block is mentioned in any way but its declaration and a call's result.
    fn block(&mut self, m: &mut Name) {}
}

/// A walk: its functions, its trait, and how it refers to code.
macro_rules! walks {
    (
        $walk:ident: $does:literal, [$($bound:tt)*], $op:ident, [$($r:tt)*], [$($m:tt)?],
        $code:ident $host_op:ident $task_op:ident $cpu_op:ident $kernel_op:ident $expr:ident
        $launch:ident $message:ident $args:ident $place:ident
    ) => {
        #[doc = concat!($does, " the parts of a statement, in order.")]
        pub fn $code<$($bound)*, O: Operation>(v: &mut $walk, code: $($r)* Code<O>) {
            match code {
                Code::Seq(codes) => codes.into_iter().for_each(|c| v.code(c)),
                Code::DeclareScalar(x, _) | Code::DeclareMem(x, _) | Code::DeclareStatic(x, _) => v.declared(x),
                Code::SetScalar(x, e) => {
                    v.assigned(x);
                    v.expr(e);
                }
                Code::SetMem(a, b, _) => {
                    v.block(a);
                    v.block(b);
                }
                Code::Write { mem, offset, elem: _, space: _, value } => {
                    v.block(mem);
                    v.expr(offset);
                    v.expr(value);
                }
                Code::Copy { elem: _, shape, dst, src } => {
                    shape.into_iter().for_each(|e| v.expr(e));
                    $place(v, dst);
                    $place(v, src);
                }
                Code::For { var, ty: _, bound, order: _, body } => {
                    v.declared(var);
                    v.expr(bound);
                    deep(|| v.code(body));
                }
                Code::While(cond, body) => {
                    v.expr(cond);
                    deep(|| v.code(body));
                }
                Code::If(cond, a, b) => {
                    v.expr(cond);
                    deep(|| v.code(a));
                    deep(|| v.code(b));
                }
                Code::Call { outs, fun: _, args } => {
                    outs.into_iter().for_each(|x| v.assigned(x));
                    $args(v, args);
                }
                Code::Assert { cond, message, loc: _ } => {
                    v.expr(cond);
                    $message(v, message);
                }
                Code::Op(op) => op.$op(v),
            }
        }

        #[doc = concat!($does, " the parts of an operation of the host, in order.")]
        pub fn $host_op<$($bound)*>(v: &mut $walk, op: $($r)* HostOp) {
            match op {
                HostOp::Cpu(op) => v.cpu_op(op),
                HostOp::Own(launch) => $launch(v, launch),
            }
        }

        #[doc = concat!($does, " the parts of an operation of a task, in order.")]
        pub fn $task_op<$($bound)*>(v: &mut $walk, op: $($r)* TaskOp) {
            match op {
                TaskOp::Cpu(op) => v.cpu_op(op),
                TaskOp::Own(RacingWrite { mem, offset, elem: _, value }) => {
                    v.expr(offset);
                    v.expr(value);
                    v.block(mem);
                }
            }
        }

        #[doc = concat!($does, " the parts of an operation of a CPU, in order.")]
        pub fn $cpu_op<$($bound)*, O: Operation>(v: &mut $walk, op: $($r)* CpuOp<O>) {
            match op {
                CpuOp::Allocate { mem, bytes, space: _, loc: _ } => {
                    v.block(mem);
                    v.expr(bytes);
                }
                CpuOp::Free(m, _) => v.block(m),
                CpuOp::Trace { loc: _, message } => $message(v, message),
                CpuOp::ParFor { start, end, bound, least: _, body } => {
                    [start, end].into_iter().for_each(|x| v.declared(x));
                    v.expr(bound);
                    deep(|| v.code(body));
                }
                CpuOp::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
                    [chunk, start, end, chunks].into_iter().for_each(|x| v.declared(x));
                    v.expr(bound);
                    v.expr(most);
                    deep(|| v.code(before));
                    deep(|| v.code(body));
                }
                CpuOp::Outlined(outlined) => {
                    // The lists of names are those of what is mentioned in the code.
                    let Outlined { var: _, inputs: _, updated: _, blocks: _, can_fail: _, vectors: _, code } =
                        &$($m)? **outlined;
                    deep(|| v.code(code));
                }
                CpuOp::GetSize(x, _) | CpuOp::GetSizeMax(x, _) => v.assigned(x),
                CpuOp::CmpThreshold(x, _, e) => {
                    v.assigned(x);
                    v.expr(e);
                }
            }
        }

        #[doc = concat!($does, " the parts of an operation of a kernel, in order.")]
        pub fn $kernel_op<$($bound)*>(v: &mut $walk, op: $($r)* KernelOp) {
            match op {
                KernelOp::Barrier
                | KernelOp::WarpBarrier
                | KernelOp::Fence
                | KernelOp::BlockFence
                | KernelOp::LeaveIfFailed
                | KernelOp::AwaitCopies => {}
                KernelOp::CopyAhead { dst, dst_offset, src, src_offset, elem: _, count: _ } => {
                    v.expr(dst_offset);
                    v.expr(src_offset);
                    v.block(dst);
                    v.block(src);
                }
                KernelOp::AwaitProducts { sums, points } => {
                    v.expr(points);
                    v.block(sums);
                }
                KernelOp::MultiplyAdd { sums, left, right, points } => {
                    v.expr(points);
                    [sums, left, right].into_iter().for_each(|mem| v.block(mem));
                }
                KernelOp::ReadRun { to, mem, offset, elem: _, stride, count: _, limit } => {
                    v.expr(offset);
                    v.expr(stride);
                    v.expr(limit);
                    v.block(to);
                    v.block(mem);
                }
                KernelOp::ReadWhole { to, mem, offset, elem: _, count: _ } => {
                    v.expr(offset);
                    v.block(to);
                    v.block(mem);
                }
                KernelOp::CopyRows { to: _, tile, mem, offset, within: (from, until), elem: _, count: _ } => {
                    v.expr(offset);
                    v.expr(from);
                    v.expr(until);
                    v.block(tile);
                    v.block(mem);
                }
                KernelOp::Guarded(code) => deep(|| v.code(code)),
                KernelOp::UnrolledFor { by: _, var, ty: _, bound, body } => {
                    v.declared(var);
                    v.expr(bound);
                    deep(|| v.code(body));
                }
                KernelOp::Check { cond, number: _, values } => {
                    v.expr(cond);
                    values.into_iter().for_each(|(e, _)| v.expr(e));
                }
                KernelOp::DeclareArray { mem, space: _, elem: _, count } => {
                    v.expr(count);
                    v.declared(mem);
                }
                KernelOp::WriteVolatile { mem, offset, elem: _, value } => {
                    v.expr(offset);
                    v.expr(value);
                    v.block(mem);
                }
                KernelOp::Ballot { var, cond: value }
                | KernelOp::MostOfWarp { var, value }
                | KernelOp::Shuffle { var, ty: _, direction: _, delta: _, value } => {
                    v.expr(value);
                    v.assigned(var);
                }
                KernelOp::Atomic { old, op: _, mem, offset, elem: _, space: _, value } => {
                    v.expr(offset);
                    v.expr(value);
                    v.block(mem);
                    old.into_iter().for_each(|x| v.assigned(x));
                }
                KernelOp::CompareAndSwap { old, mem, offset, elem: _, space: _, expected, value } => {
                    v.expr(offset);
                    v.expr(expected);
                    v.expr(value);
                    v.block(mem);
                    v.assigned(old);
                }
                KernelOp::ReadVolatile { var, mem, offset, elem: _ } => {
                    v.expr(offset);
                    v.block(mem);
                    v.assigned(var);
                }
            }
        }

        fn $launch<$($bound)*>(v: &mut $walk, launch: $($r)* Launch) {
            let Launch { kernel: _, grid, block, shared, args, ahead } = launch;
            v.expr(grid);
            v.expr(block);
            shared.into_iter().for_each(|e| v.expr(e));
            $args(v, args);
            if let Some(Ahead { block, way: _ }) = ahead {
                v.block(block);
            }
        }

        fn $message<$($bound)*>(v: &mut $walk, message: $($r)* Vec<ErrorPart>) {
            for part in message {
                match part {
                    ErrorPart::Text(_) => {}
                    ErrorPart::Value(e, _) => v.expr(e),
                }
            }
        }

        fn $args<$($bound)*>(v: &mut $walk, args: $($r)* Vec<Arg>) {
            for arg in args {
                match arg {
                    Arg::Scalar(e) => v.expr(e),
                    Arg::Mem(m) => v.block(m),
                }
            }
        }

        fn $place<$($bound)*>(v: &mut $walk, place: $($r)* Place) {
            let Place { mem, space: _, offset, strides } = place;
            v.block(mem);
            v.expr(offset);
            strides.into_iter().for_each(|e| v.expr(e));
        }

        #[doc = concat!($does, " the parts of an expression, in order.")]
        pub fn $expr<$($bound)*>(v: &mut $walk, e: $($r)* Expr) {
            match e {
                Expr::Const(_) | Expr::Param(_) | Expr::Gpu(_) => {}
                Expr::Var(x) => v.var(x),
                Expr::UnOp(_, a) | Expr::Conv(_, a) => deep(|| v.expr(a)),
                Expr::BinOp(_, a, b) | Expr::CmpOp(_, a, b) => {
                    deep(|| v.expr(a));
                    deep(|| v.expr(b));
                }
                Expr::PrimFn(_, args) => args.into_iter().for_each(|a| deep(|| v.expr(a))),
                Expr::Select(c, a, b) => {
                    deep(|| v.expr(c));
                    deep(|| v.expr(a));
                    deep(|| v.expr(b));
                }
                Expr::Index { mem, offset, elem: _, space: _ } => {
                    v.block(mem);
                    deep(|| v.expr(offset));
                }
            }
        }
    };
}

walks! {
    V: "Looks at", ['c, V: Visitor<'c>], look, [&'c], [],
    look_at_code look_at_host_op look_at_task_op look_at_cpu_op look_at_kernel_op look_at_expr
    look_at_launch look_at_message look_at_args look_at_place
}

walks! {
    M: "Changes", [M: Mutator], change, [&mut], [mut],
    change_code change_host_op change_task_op change_cpu_op change_kernel_op change_expr
    change_launch change_message change_args change_place
}
