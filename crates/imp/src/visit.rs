//! Walks over code: one that looks, one that changes.
//!
//! A walk visits the parts of a statement in the order of the text: what it declares and assigns, blocks, expressions, and
//! the code inside. Whoever cares about some of these says so, and the walk does the rest:
//!
//! ```text
//! struct Reads(usize);
//! impl Visitor<'_> for Reads {
//!     fn block(&mut self, _: Name) { self.0 += 1 }
//! }
//! Reads(0).code(&body);
//! ```

use crate::syntax::{Arg, Code, ErrorPart, Expr, KernelOp, Op, Place};
use fehu_base::Name;
use fehu_ir::visit::deep;

/// Looks at code.
#[allow(unused_variables)]
pub trait Visitor<'c>: Sized {
    /// A statement, or several. By default, looks at its parts.
    fn code(&mut self, code: &'c Code) {
        look_at_code(self, code);
    }
    /// An expression, also one inside of another. By default, looks at its parts.
    fn expr(&mut self, e: &'c Expr) {
        look_at_expr(self, e);
    }
    /// A variable is declared: a scalar, a block, a loop's.
    fn declared(&mut self, x: Name) {}
    /// A scalar gets a value, or a result of a call, which may be a block.
    fn assigned(&mut self, x: Name) {}
    /// A scalar is read.
    fn var(&mut self, x: Name) {}
    /// A block is mentioned in any way but its declaration and a call's result.
    fn block(&mut self, m: Name) {}
}

/// Looks at the parts of a statement, in order.
pub fn look_at_code<'c, V: Visitor<'c>>(v: &mut V, code: &'c Code) {
    match code {
        Code::Seq(codes) => codes.iter().for_each(|c| v.code(c)),
        Code::DeclareScalar(x, _) | Code::DeclareMem(x, _) | Code::DeclareStatic(x, _) => v.declared(*x),
        Code::SetScalar(x, e) => {
            v.assigned(*x);
            v.expr(e);
        }
        Code::Allocate { mem, bytes, space: _, loc: _ } => {
            v.block(*mem);
            v.expr(bytes);
        }
        Code::Free(m, _) => v.block(*m),
        Code::SetMem(a, b, _) => [a, b].into_iter().for_each(|m| v.block(*m)),
        Code::Write { mem, offset, elem: _, space: _, value } => {
            v.block(*mem);
            v.expr(offset);
            v.expr(value);
        }
        Code::Copy { elem: _, shape, dst, src } => {
            shape.iter().for_each(|e| v.expr(e));
            look_at_place(v, dst);
            look_at_place(v, src);
        }
        Code::For { var, ty: _, bound, body } => {
            v.declared(*var);
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
            outs.iter().for_each(|x| v.assigned(*x));
            look_at_args(v, args);
        }
        Code::Assert { cond, message, loc: _ } => {
            v.expr(cond);
            look_at_message(v, message);
        }
        Code::Trace { loc: _, message } => look_at_message(v, message),
        Code::Op(op) => look_at_op(v, op),
    }
}

fn look_at_op<'c, V: Visitor<'c>>(v: &mut V, op: &'c Op) {
    match op {
        Op::ParFor { start, end, bound, body } => {
            [start, end].into_iter().for_each(|x| v.declared(*x));
            v.expr(bound);
            deep(|| v.code(body));
        }
        Op::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
            [chunk, start, end, chunks].into_iter().for_each(|x| v.declared(*x));
            v.expr(bound);
            v.expr(most);
            deep(|| v.code(before));
            deep(|| v.code(body));
        }
        Op::Launch(launch) => {
            [&launch.grid, &launch.block].into_iter().chain(&launch.shared).for_each(|e| v.expr(e));
            look_at_args(v, &launch.args);
        }
        Op::GetSize(x, _) | Op::GetSizeMax(x, _) => v.assigned(*x),
        Op::CmpThreshold(x, _, e) => {
            v.assigned(*x);
            v.expr(e);
        }
        Op::Kernel(op) => look_at_kernel_op(v, op),
    }
}

fn look_at_kernel_op<'c, V: Visitor<'c>>(v: &mut V, op: &'c KernelOp) {
    op.exprs().into_iter().for_each(|e| v.expr(e));
    match op {
        KernelOp::Barrier | KernelOp::Fence | KernelOp::BlockFence | KernelOp::LeaveIfFailed => {}
        KernelOp::Guarded(code) => deep(|| v.code(code)),
        KernelOp::DeclareArray { mem, .. } => v.declared(*mem),
        KernelOp::WriteVolatile { mem, .. } => v.block(*mem),
        KernelOp::Shuffle { var, .. } => v.assigned(*var),
        KernelOp::Atomic { mem, old, .. } => {
            v.block(*mem);
            old.iter().for_each(|x| v.assigned(*x));
        }
        KernelOp::CompareAndSwap { mem, old: x, .. } | KernelOp::ReadVolatile { mem, var: x, .. } => {
            v.block(*mem);
            v.assigned(*x);
        }
    }
}

fn look_at_message<'c, V: Visitor<'c>>(v: &mut V, message: &'c [ErrorPart]) {
    for part in message {
        match part {
            ErrorPart::Text(_) => {}
            ErrorPart::Value(e, _) => v.expr(e),
        }
    }
}

fn look_at_args<'c, V: Visitor<'c>>(v: &mut V, args: &'c [Arg]) {
    for arg in args {
        match arg {
            Arg::Scalar(e) => v.expr(e),
            Arg::Mem(m) => v.block(*m),
        }
    }
}

fn look_at_place<'c, V: Visitor<'c>>(v: &mut V, place: &'c Place) {
    v.block(place.mem);
    v.expr(&place.offset);
    place.strides.iter().for_each(|e| v.expr(e));
}

/// Looks at the parts of an expression, in order.
pub fn look_at_expr<'c, V: Visitor<'c>>(v: &mut V, e: &'c Expr) {
    match e {
        Expr::Var(x) => v.var(*x),
        Expr::Index { mem, .. } => v.block(*mem),
        Expr::Const(_)
        | Expr::Param(_)
        | Expr::Gpu(_)
        | Expr::UnOp(..)
        | Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::Conv(..)
        | Expr::PrimFn(..)
        | Expr::Select(..) => {}
    }
    e.operands().into_iter().for_each(|e| deep(|| v.expr(e)));
}

/// Changes code where it stands.
#[allow(unused_variables)]
pub trait Mutator: Sized {
    /// A statement, or several. By default, changes its parts.
    fn code(&mut self, code: &mut Code) {
        change_code(self, code);
    }
    /// An expression, also one inside of another. By default, changes its parts.
    fn expr(&mut self, e: &mut Expr) {
        change_expr(self, e);
    }
    /// A scalar that is declared or gets a value.
    fn target(&mut self, x: &mut Name) {}
}

/// Changes the parts of a statement, in order.
pub fn change_code<M: Mutator>(m: &mut M, code: &mut Code) {
    match code {
        Code::DeclareScalar(x, _) | Code::SetScalar(x, _) => m.target(x),
        Code::For { var, .. } => m.target(var),
        Code::Call { outs, .. } => outs.iter_mut().for_each(|x| m.target(x)),
        Code::Op(op) => op.targets_mut().into_iter().for_each(|x| m.target(x)),
        Code::Seq(_)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::Allocate { .. }
        | Code::Free(..)
        | Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::While(..)
        | Code::If(..)
        | Code::Assert { .. }
        | Code::Trace { .. } => {}
    }
    code.exprs_mut().into_iter().for_each(|e| m.expr(e));
    code.bodies_mut().into_iter().for_each(|c| deep(|| m.code(c)));
}

/// Changes the parts of an expression, in order.
pub fn change_expr<M: Mutator>(m: &mut M, e: &mut Expr) {
    e.operands_mut().into_iter().for_each(|e| deep(|| m.expr(e)));
}
