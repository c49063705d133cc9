//! The parts of statements and of expressions, for those who go through them by themselves.

use crate::ops::{KernelOp, Operation};
use crate::syntax::{Code, Expr, Param, Place};
use fehu_base::Name;

/// The statements of code, in order and without sequences in sequences.
pub fn flat<O>(code: &Code<O>) -> Vec<&Code<O>> {
    let mut out = vec![];
    let mut rest = vec![code];
    while let Some(code) = rest.pop() {
        if let Code::Seq(codes) = code {
            rest.extend(codes.iter().rev());
        } else {
            out.push(code);
        }
    }
    out
}

/// The same of statements that are given away.
pub fn flattened<O: Operation>(codes: Vec<Code<O>>) -> Vec<Code<O>> {
    let mut flat = Vec::with_capacity(codes.len());
    let mut rest: Vec<Code<O>> = codes.into_iter().rev().collect();
    while let Some(code) = rest.pop() {
        if let Code::Seq(inner) = code {
            rest.extend(inner.into_iter().rev());
        } else {
            flat.push(code);
        }
    }
    flat
}

/// Calls a function on every statement of a kernel, in the order of the text, those inside of others after
/// them. Code with tasks is code of two machines: a [`Visitor`](crate::visit::Visitor) goes through that.
pub fn for_each_statement<'c>(code: &'c Code<KernelOp>, f: &mut impl FnMut(&'c Code<KernelOp>)) {
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
}

impl<O: Operation> Code<O> {
    /// The code of the same machine directly inside of a statement.
    pub fn bodies(&self) -> Vec<&Code<O>> {
        match self {
            Code::Seq(codes) => codes.iter().collect(),
            Code::For { body, .. } | Code::While(_, body) => vec![body],
            Code::If(_, a, b) => vec![a, b],
            Code::Op(op) => op.bodies(),
            Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Call { .. }
            | Code::Assert { .. } => vec![],
        }
    }

    /// Whether there is other code inside of a statement, of whatever machine.
    pub fn is_nested(&self) -> bool {
        match self {
            Code::Seq(_) | Code::For { .. } | Code::While(..) | Code::If(..) => true,
            Code::Op(op) => op.has_code(),
            Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Call { .. }
            | Code::Assert { .. } => false,
        }
    }

    /// Whether it has no statements.
    pub fn is_empty(&self) -> bool {
        flat(self).is_empty()
    }
}

impl Code<KernelOp> {
    /// The code directly inside of a statement of a kernel.
    pub fn bodies_mut(&mut self) -> Vec<&mut Code<KernelOp>> {
        match self {
            Code::Seq(codes) => codes.iter_mut().collect(),
            Code::For { body, .. } | Code::While(_, body) => vec![body],
            Code::If(_, a, b) => vec![a, b],
            Code::Op(op) => op.body_mut().into_iter().collect(),
            Code::DeclareScalar(..)
            | Code::SetScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Call { .. }
            | Code::Assert { .. } => vec![],
        }
    }
}

impl Param {
    /// The variable.
    pub fn name(&self) -> Name {
        match self {
            Param::Scalar(x, _) => *x,
            Param::Mem(m, _) => *m,
        }
    }
}

impl Place {
    /// The offset and the strides.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        std::iter::once(&self.offset).chain(&self.strides)
    }
}
