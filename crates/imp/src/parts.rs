//! The parts of statements and of expressions, for those who go through them by themselves.

use crate::syntax::{Arg, Code, ErrorPart, Expr, KernelOp, Op};
use fehu_base::Name;

/// The statements of code, in order and without sequences in sequences.
pub fn flat(code: &Code) -> Vec<&Code> {
    let mut out = vec![];
    let mut rest = vec![code];
    while let Some(code) = rest.pop() {
        match code {
            Code::Seq(codes) => rest.extend(codes.iter().rev()),
            other => out.push(other),
        }
    }
    out
}

/// Calls a function on every statement, in the order of the text, those inside of others after them.
pub fn for_each_statement<'c>(code: &'c Code, f: &mut impl FnMut(&'c Code)) {
    let mut rest = vec![code];
    while let Some(code) = rest.pop() {
        f(code);
        rest.extend(code.bodies().into_iter().rev());
    }
}

/// Calls a function on an expression and all its parts.
///
/// ```text
/// xs[i + 1] * 2      xs[i + 1] * 2, xs[i + 1], i + 1, i, 1, 2, in some order
/// ```
pub fn for_each_part<'e>(e: &'e Expr, f: &mut impl FnMut(&'e Expr)) {
    let mut rest = vec![e];
    while let Some(e) = rest.pop() {
        f(e);
        rest.extend(e.operands());
    }
}

impl Expr {
    /// Its direct subexpressions.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Param(_) | Expr::Gpu(_) => vec![],
            Expr::UnOp(_, a) | Expr::Conv(_, a) | Expr::Index { offset: a, .. } => vec![a],
            Expr::BinOp(_, a, b) | Expr::CmpOp(_, a, b) => vec![a, b],
            Expr::PrimFn(_, args) => args.iter().collect(),
            Expr::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// Its direct subexpressions.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Const(_) | Expr::Var(_) | Expr::Param(_) | Expr::Gpu(_) => vec![],
            Expr::UnOp(_, a) | Expr::Conv(_, a) | Expr::Index { offset: a, .. } => vec![a],
            Expr::BinOp(_, a, b) | Expr::CmpOp(_, a, b) => vec![a, b],
            Expr::PrimFn(_, args) => args.iter_mut().collect(),
            Expr::Select(c, a, b) => vec![c, a, b],
        }
    }
}

impl Code {
    /// The code directly inside of a statement.
    pub fn bodies(&self) -> Vec<&Code> {
        match self {
            Code::Seq(codes) => codes.iter().collect(),
            Code::For { body, .. }
            | Code::While(_, body)
            | Code::Op(Op::ParFor { body, .. } | Op::Kernel(KernelOp::Guarded(body))) => vec![body],
            Code::If(_, a, b) | Code::Op(Op::ParChunks { before: a, body: b, .. }) => vec![a, b],
            Code::Op(
                Op::Launch(_) | Op::GetSize(..) | Op::GetSizeMax(..) | Op::CmpThreshold(..) | Op::Kernel(_),
            )
            | Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Allocate { .. }
            | Code::Free(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Call { .. }
            | Code::Assert { .. }
            | Code::Trace { .. } => vec![],
        }
    }

    /// The code directly inside of a statement.
    pub fn bodies_mut(&mut self) -> Vec<&mut Code> {
        match self {
            Code::Seq(codes) => codes.iter_mut().collect(),
            Code::For { body, .. }
            | Code::While(_, body)
            | Code::Op(Op::ParFor { body, .. } | Op::Kernel(KernelOp::Guarded(body))) => vec![body],
            Code::If(_, a, b) | Code::Op(Op::ParChunks { before: a, body: b, .. }) => vec![a, b],
            Code::Op(
                Op::Launch(_) | Op::GetSize(..) | Op::GetSizeMax(..) | Op::CmpThreshold(..) | Op::Kernel(_),
            )
            | Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Allocate { .. }
            | Code::Free(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Call { .. }
            | Code::Assert { .. }
            | Code::Trace { .. } => vec![],
        }
    }

    /// The expressions directly in a statement.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Code::Seq(_)
            | Code::DeclareScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Free(..)
            | Code::SetMem(..) => vec![],
            Code::SetScalar(_, e)
            | Code::Allocate { bytes: e, .. }
            | Code::For { bound: e, .. }
            | Code::While(e, _)
            | Code::If(e, ..) => vec![e],
            Code::Write { offset, value, .. } => vec![offset, value],
            Code::Copy { shape, dst, src, .. } => {
                let mut all: Vec<&mut Expr> = shape.iter_mut().collect();
                for place in [dst, src] {
                    all.push(&mut place.offset);
                    all.extend(&mut place.strides);
                }
                all
            }
            Code::Call { args, .. } => args.iter_mut().filter_map(Arg::expr_mut).collect(),
            Code::Assert { cond, message, .. } => {
                [cond].into_iter().chain(message.iter_mut().filter_map(ErrorPart::expr_mut)).collect()
            }
            Code::Trace { message, loc: _ } => message.iter_mut().filter_map(ErrorPart::expr_mut).collect(),
            Code::Op(op) => op.exprs_mut(),
        }
    }
}

impl ErrorPart {
    fn expr_mut(&mut self) -> Option<&mut Expr> {
        match self {
            ErrorPart::Text(_) => None,
            ErrorPart::Value(e, _) => Some(e),
        }
    }
}

impl Arg {
    fn expr_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Arg::Scalar(e) => Some(e),
            Arg::Mem(_) => None,
        }
    }
}

impl Op {
    fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Op::ParFor { bound, .. } => vec![bound],
            Op::ParChunks { bound, most, .. } => vec![bound, most],
            Op::Launch(launch) => {
                let args = launch.args.iter_mut().filter_map(Arg::expr_mut);
                [&mut launch.grid, &mut launch.block]
                    .into_iter()
                    .chain(&mut launch.shared)
                    .chain(args)
                    .collect()
            }
            Op::GetSize(..) | Op::GetSizeMax(..) => vec![],
            Op::CmpThreshold(_, _, e) => vec![e],
            Op::Kernel(op) => op.exprs_mut(),
        }
    }

    /// The scalars that it declares or gives a value.
    pub(crate) fn targets_mut(&mut self) -> Vec<&mut Name> {
        match self {
            Op::ParFor { start, end, .. } => vec![start, end],
            Op::ParChunks { chunk, start, end, chunks, .. } => vec![chunk, start, end, chunks],
            Op::GetSize(x, _) | Op::GetSizeMax(x, _) | Op::CmpThreshold(x, ..) => vec![x],
            Op::Kernel(
                KernelOp::Atomic { old: Some(x), .. }
                | KernelOp::CompareAndSwap { old: x, .. }
                | KernelOp::ReadVolatile { var: x, .. }
                | KernelOp::Shuffle { var: x, .. },
            ) => vec![x],
            Op::Launch(_) | Op::Kernel(_) => vec![],
        }
    }
}

impl KernelOp {
    fn exprs_mut(&mut self) -> Vec<&mut Expr> {
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
}
