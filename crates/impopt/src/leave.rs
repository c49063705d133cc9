//! Threads of a block ask each other whether one of them has failed only where one may have.
//!
//! After each operation inside of a thread block its threads agree whether to go on, since one that fails
//! alone would be missed at the next barrier. Where no check is in the code that threads have run for
//! themselves, there is nothing to agree on, and a barrier is enough; it is faster, and there is nothing to
//! branch on in loops of many short steps:
//!
//! ```text
//! guarded { xs[thread] = ys[thread] }; leave_if_failed   ->   guarded { xs[thread] = ys[thread] }; barrier
//! guarded { assert(...) ... }; leave_if_failed                stays
//! ```
//!
//! Code outside of guarded regions is the same for all threads of a block, so a check there fails for all of
//! them or for none.

use fehu_imp::syntax::{Code as AnyCode, KernelOp, Program};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};

type Code = AnyCode<KernelOp>;

/// Blocks agree on whether to leave only where a thread may have failed.
pub static PASS: Pass<Program> = Pass {
    name: "leave-if-failed",
    need: Need::Optional,
    run: |program| program.kernels.iter_mut().for_each(|k| leave(&mut k.body, &mut false)),
};

/// `failed`: whether a thread may have failed alone since the block last agreed to go on.
fn leave(code: &mut Code, failed: &mut bool) {
    match code {
        Code::Op(KernelOp::LeaveIfFailed) => {
            if !std::mem::replace(failed, false) {
                *code = Code::Op(KernelOp::Barrier);
            }
        }
        Code::Op(KernelOp::Guarded(body)) => *failed |= may_fail(body),
        Code::Op(KernelOp::UnrolledFor { body, .. }) | Code::For { body, .. } | Code::While(_, body) => {
            // The next iteration starts as this one ends; and there may be none.
            let mut inside = *failed || at_end(body, *failed);
            deep(|| leave(body, &mut inside));
            *failed |= inside;
        }
        Code::If(_, yes, no) => {
            let mut other = *failed;
            deep(|| leave(yes, failed));
            deep(|| leave(no, &mut other));
            *failed |= other;
        }
        Code::Seq(codes) => codes.iter_mut().for_each(|code| leave(code, failed)),
        Code::DeclareScalar(..)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::SetScalar(..)
        | Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::Call { .. }
        | Code::Assert { .. }
        | Code::Op(_) => {}
    }
}

/// Whether a thread may have failed alone at the end of some code.
fn at_end(code: &Code, before: bool) -> bool {
    match code {
        Code::Op(KernelOp::LeaveIfFailed) => false,
        Code::Op(KernelOp::Guarded(body)) => before || may_fail(body),
        Code::Op(KernelOp::UnrolledFor { body, .. }) | Code::For { body, .. } | Code::While(_, body) => {
            before || deep(|| at_end(body, before))
        }
        Code::If(_, yes, no) => deep(|| at_end(yes, before)) || deep(|| at_end(no, before)),
        Code::Seq(codes) => codes.iter().fold(before, |failed, code| at_end(code, failed)),
        Code::DeclareScalar(..)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::SetScalar(..)
        | Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::Call { .. }
        | Code::Assert { .. }
        | Code::Op(_) => before,
    }
}

/// Whether there is a check in the code, or a call of a function, which may have one.
fn may_fail(code: &Code) -> bool {
    match code {
        Code::Assert { .. } | Code::Call { .. } | Code::Op(KernelOp::Check { .. }) => true,
        Code::Seq(_)
        | Code::DeclareScalar(..)
        | Code::DeclareMem(..)
        | Code::DeclareStatic(..)
        | Code::SetScalar(..)
        | Code::SetMem(..)
        | Code::Write { .. }
        | Code::Copy { .. }
        | Code::For { .. }
        | Code::While(..)
        | Code::If(..)
        | Code::Op(_) => code.bodies().into_iter().any(|body| deep(|| may_fail(body))),
    }
}
