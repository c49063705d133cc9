//! Whether the accesses of a kernel depend on data: whether places in memory, or how long a loop
//! runs, depend on what is in memory.
//!
//! After another kernel has failed, what is in memory may be anything. A kernel that only computes with it does
//! no harm; one that goes where it says might.
//!
//! ```text
//! ys[i] = xs[i] + 1        no
//! ys[i] = xs[is[i]]        yes
//! while (flags[b] == 0);   yes
//! ```

use fehu_base::Name;
use fehu_imp::parts::{for_each_part, for_each_statement};
use fehu_imp::syntax::{Code, Expr, KernelOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether where code goes depends on data.
pub(crate) fn accesses_depend_on_data(code: &Code<KernelOp>) -> bool {
    let found = Found(from_memory(code));
    let mut led = false;
    for_each_statement(code, &mut |code| led |= found.leads(code));
    led
}

/// Variables whose value depends on memory.
fn from_memory(code: &Code<KernelOp>) -> FxHashSet<Name> {
    let mut rest: Vec<Name> = Vec::new();
    let mut dependents: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
    for_each_statement(code, &mut |code| {
        if let Code::SetScalar(x, e)
        | Code::Op(
            KernelOp::Shuffle { var: x, value: e, .. }
            | KernelOp::Ballot { var: x, cond: e }
            | KernelOp::MostOfWarp { var: x, value: e },
        ) = code
        {
            for_each_part(e, &mut |part| {
                if let Expr::Index { .. } = part {
                    rest.push(*x)
                } else if let Expr::Var(y) = part {
                    dependents.entry(*y).or_default().push(*x)
                }
            });
        } else if let Code::Op(
            KernelOp::ReadVolatile { var: x, .. }
            | KernelOp::Atomic { old: Some(x), .. }
            | KernelOp::CompareAndSwap { old: x, .. },
        ) = code
        {
            rest.push(*x)
        } else if let Code::Call { outs, .. } = code {
            rest.extend(outs)
        }
    });
    let mut found = FxHashSet::default();
    while let Some(x) = rest.pop() {
        if found.insert(x) {
            rest.extend(dependents.remove(&x).unwrap_or_default());
        }
    }
    found
}

struct Found(FxHashSet<Name>);

impl Found {
    fn leads(&self, code: &Code<KernelOp>) -> bool {
        match code {
            Code::While(cond, _) => self.depends(cond),
            Code::For { bound, .. } => self.depends(bound),
            Code::Copy { shape, dst, src, .. } => {
                shape.iter().chain(dst.exprs()).chain(src.exprs()).any(|e| self.depends(e))
            }
            Code::Write { offset, value, .. } => self.depends(offset) || self.goes(value),
            Code::SetScalar(_, e) | Code::If(e, ..) => self.goes(e),
            Code::Op(op) => match op {
                KernelOp::UnrolledFor { bound, .. } => self.depends(bound),
                KernelOp::Atomic { offset, value, .. } | KernelOp::WriteVolatile { offset, value, .. } => {
                    self.depends(offset) || self.goes(value)
                }
                KernelOp::CompareAndSwap { offset, expected, value, .. } => {
                    self.depends(offset) || self.goes(expected) || self.goes(value)
                }
                KernelOp::ReadVolatile { offset, .. }
                | KernelOp::ReadWhole { offset, .. }
                | KernelOp::CopyRows { offset, .. } => self.depends(offset),
                KernelOp::ReadRun { offset, stride, limit, .. } => {
                    [offset, stride, limit].into_iter().any(|e| self.depends(e))
                }
                KernelOp::CopyAhead { dst_offset, src_offset, .. } => {
                    self.depends(dst_offset) || self.depends(src_offset)
                }
                KernelOp::Ballot { cond: value, .. }
                | KernelOp::MostOfWarp { value, .. }
                | KernelOp::Shuffle { value, .. } => self.goes(value),
                KernelOp::Barrier
                | KernelOp::WarpBarrier
                | KernelOp::Fence
                | KernelOp::BlockFence
                | KernelOp::Guarded(_)
                | KernelOp::Check { .. }
                | KernelOp::LeaveIfFailed
                | KernelOp::AwaitCopies
                | KernelOp::MultiplyAdd { .. }
                | KernelOp::AwaitProducts { .. }
                | KernelOp::DeclareArray { .. } => false,
            },
            Code::Seq(_)
            | Code::DeclareScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Call { .. }
            | Code::Assert { .. } => false,
        }
    }

    /// Whether a value depends on memory.
    fn depends(&self, e: &Expr) -> bool {
        let mut found = false;
        for_each_part(e, &mut |part| {
            if let Expr::Index { .. } = part {
                found = true
            } else if let Expr::Var(x) = part {
                found |= self.0.contains(x)
            }
        });
        found
    }

    /// Whether a value is read from a place that depends on memory.
    fn goes(&self, e: &Expr) -> bool {
        let mut found = false;
        for_each_part(e, &mut |part| {
            if let Expr::Index { offset, .. } = part {
                found |= self.depends(offset);
            }
        });
        found
    }
}
