//! The names that code uses without declaring them: what a kernel or a task needs from outside.

use crate::syntax::{Arg, Code, ErrorPart, Expr, KernelOp, Op, Place};
use fehu_base::Name;
use indexmap::IndexSet;

/// The names that are free in code, in the order in which they appear.
pub fn free_names(code: &Code) -> IndexSet<Name> {
    let mut free = Free::default();
    free.code(code);
    free.used.retain(|n| !free.declared.contains(n));
    free.used
}

/// Names are unique, so that what is declared anywhere is not free.
#[derive(Default)]
struct Free {
    used: IndexSet<Name>,
    declared: IndexSet<Name>,
}

impl Free {
    fn code(&mut self, code: &Code) {
        fehu_ir::visit::deep(|| self.code_here(code));
    }

    fn code_here(&mut self, code: &Code) {
        match code {
            Code::Seq(codes) => codes.iter().for_each(|c| self.code(c)),
            Code::DeclareScalar(x, _) | Code::DeclareMem(x, _) | Code::DeclareStatic(x, _) => {
                self.declared.insert(*x);
            }
            Code::SetScalar(x, e) => {
                self.used.insert(*x);
                self.expr(e);
            }
            Code::Allocate { mem, bytes, space: _ } => {
                self.used.insert(*mem);
                self.expr(bytes);
            }
            Code::Free(x, _) => {
                self.used.insert(*x);
            }
            Code::SetMem(a, b, _) => self.used.extend([*a, *b]),
            Code::Write { mem, offset, value, .. } => {
                self.used.insert(*mem);
                self.expr(offset);
                self.expr(value);
            }
            Code::Copy { shape, dst, src, .. } => {
                shape.iter().for_each(|e| self.expr(e));
                self.place(dst);
                self.place(src);
            }
            Code::For { var, bound, body, .. } => {
                self.declared.insert(*var);
                self.expr(bound);
                self.code(body);
            }
            Code::While(c, body) => {
                self.expr(c);
                self.code(body);
            }
            Code::If(c, a, b) => {
                self.expr(c);
                self.code(a);
                self.code(b);
            }
            Code::Call { outs, args, fun: _ } => {
                self.used.extend(outs);
                args.iter().for_each(|a| self.arg(a));
            }
            Code::Assert { cond, message, loc: _ } => {
                self.expr(cond);
                for part in message {
                    match part {
                        ErrorPart::Text(_) => {}
                        ErrorPart::Value(e, _) => self.expr(e),
                    }
                }
            }
            Code::Comment(_) => {}
            Code::Op(op) => self.op(op),
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::ParFor { start, end, bound, body } => {
                self.declared.extend([start, end]);
                self.expr(bound);
                self.code(body);
            }
            Op::ParChunks { chunk, start, end, bound, most, chunks, before, body } => {
                self.declared.extend([chunk, start, end, chunks]);
                self.expr(bound);
                self.expr(most);
                self.code(before);
                self.code(body);
            }
            Op::Launch(launch) => {
                launch.exprs().for_each(|e| self.expr(e));
                launch.args.iter().for_each(|a| self.arg(a));
            }
            Op::GetSize(x, _) | Op::GetSizeMax(x, _) => {
                self.used.insert(*x);
            }
            Op::CmpThreshold(x, _, e) => {
                self.used.insert(*x);
                self.expr(e);
            }
            Op::Kernel(op) => self.kernel_op(op),
        }
    }

    fn kernel_op(&mut self, op: &KernelOp) {
        op.exprs().into_iter().for_each(|e| self.expr(e));
        self.used.extend(op.touches().map(|(mem, _)| mem));
        match op {
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::LeaveIfFailed
            | KernelOp::Atomic { old: None, .. }
            | KernelOp::WriteVolatile { .. } => {}
            KernelOp::Guarded(code) => self.code(code),
            KernelOp::DeclareArray { mem, .. } => {
                self.declared.insert(*mem);
            }
            KernelOp::Atomic { old: Some(x), .. }
            | KernelOp::CompareAndSwap { old: x, .. }
            | KernelOp::ReadVolatile { var: x, .. }
            | KernelOp::Shuffle { var: x, .. } => {
                self.used.insert(*x);
            }
        }
    }

    fn arg(&mut self, arg: &Arg) {
        match arg {
            Arg::Scalar(e) => self.expr(e),
            Arg::Mem(m) => {
                self.used.insert(*m);
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.used.insert(place.mem);
        self.expr(&place.offset);
        place.strides.iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Gpu(_) => {}
            Expr::Var(x) => {
                self.used.insert(*x);
            }
            Expr::UnOp(_, a) | Expr::Conv(_, a) => self.expr(a),
            Expr::BinOp(_, a, b) | Expr::CmpOp(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::PrimFn(_, es) => es.iter().for_each(|e| self.expr(e)),
            Expr::Select(c, a, b) => [c, a, b].into_iter().for_each(|e| self.expr(e)),
            Expr::Index { mem, offset, .. } => {
                self.used.insert(*mem);
                self.expr(offset);
            }
        }
    }
}
