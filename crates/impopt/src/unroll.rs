//! Which loops of a kernel are unrolled.
//!
//! What is indexed by the variable of a short loop should be registers, and it is if the loop is unrolled. But compilers
//! of kernels take minutes over text that unrolling makes long, so only loops that stay short in full are:
//!
//! ```text
//! for i < 19: xs[i] = xs[i] * 2                     unrolled
//! for i < 27: for j < n: sum = sum + xs[i * n + j]  not unrolled: what is inside takes its time
//! ```
//!
//! Innermost loops that read memory are unrolled a few iterations at a time. Threads of a GPU run one instruction after the
//! other, and wait for what they have read when it is used: with one read in each iteration, they wait in each. The reads
//! of several iterations are on their way together. Compilers of kernels do not see by themselves that it pays, if the number of iterations
//! is known only at run time:
//!
//! ```text
//! for j < n: sum = sum + xs[j]                      unrolled by 4
//! ```
//!
//! Where they know the number of iterations, they do what is best.

use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code as AnyCode, Expr, KernelOp, Program};
use fehu_imp::visit::{look_at_code, look_at_expr, look_at_kernel_op, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};

type Code = AnyCode<KernelOp>;

/// Short loops of kernels are marked for the compiler of kernels to unroll.
pub const PASS: Pass<Program> = Pass {
    name: "unroll",
    need: Need::Optional,
    run: |program| {
        program.device_functions.iter_mut().for_each(|f| unroll(&mut f.body));
        program.kernels.iter_mut().for_each(|k| unroll(&mut k.body));
    },
};

/// The most iterations of a loop that is unrolled.
const MOST_ITERATIONS: usize = 32;
/// The same for loops in which others remain loops.
const FEW_ITERATIONS: usize = 4;
/// The most statements that an unrolled loop may have.
const MOST_STATEMENTS: usize = 1024;
/// Iterations of a loop that are one where it is not unrolled as a whole. With 4, LU decomposition reads its rows five times as
/// fast as with 1.
const SOME_ITERATIONS: usize = 4;
/// The most statements that they may have together.
const SOME_STATEMENTS: usize = 128;

/// Marks loops.
fn unroll(code: &mut Code) {
    // What is inside is marked afterwards, so that all decisions are about the loops as they are now.
    let by = if let Code::For { bound, body, .. } = code {
        let by_some = || iterations(bound).is_none() && is_unrolled_by_some(body);
        match is_unrolled(bound, body) {
            true => Some(None),
            false => by_some().then_some(Some(SOME_ITERATIONS)),
        }
    } else {
        None
    };
    code.bodies_mut().into_iter().for_each(|body| deep(|| unroll(body)));
    if let Some(by) = by {
        if let Code::For { var, ty, bound, body } = std::mem::replace(code, Code::Seq(vec![])) {
            *code = Code::Op(KernelOp::UnrolledFor { by, var, ty, bound, body });
        }
    }
}

/// Whether a loop is to be unrolled. One whose bound is a tuning parameter goes over what a thread has in registers.
fn is_unrolled(bound: &Expr, body: &Code) -> bool {
    if matches!(bound, Expr::Param(_)) {
        return true;
    }
    let Some(count) = iterations(bound) else { return false };
    count <= FEW_ITERATIONS || unrolled(count, body).is_some()
}

/// Whether a few iterations of a loop are to be one: its body is short, and reads.
fn is_unrolled_by_some(body: &Code) -> bool {
    if statements(body).is_none_or(|n| n * SOME_ITERATIONS > SOME_STATEMENTS) {
        return false;
    }
    let mut survey = Survey::default();
    survey.code(body);
    survey.reads && !survey.synchronises
}

/// What a short body does.
#[derive(Default)]
struct Survey {
    reads: bool,
    /// Whether threads wait for each other, or change what others see.
    synchronises: bool,
}

impl<'c> Visitor<'c> for Survey {
    fn code<O: Operation>(&mut self, code: &'c AnyCode<O>) {
        self.reads |= matches!(code, AnyCode::Copy { .. });
        look_at_code(self, code);
    }

    fn expr(&mut self, e: &'c Expr) {
        self.reads |= matches!(e, Expr::Index { .. });
        look_at_expr(self, e);
    }

    fn kernel_op(&mut self, op: &'c KernelOp) {
        match op {
            KernelOp::Guarded(_)
            | KernelOp::UnrolledFor { .. }
            | KernelOp::Check { .. }
            | KernelOp::DeclareArray { .. } => look_at_kernel_op(self, op),
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::LeaveIfFailed
            | KernelOp::Atomic { .. }
            | KernelOp::CompareAndSwap { .. }
            | KernelOp::ReadVolatile { .. }
            | KernelOp::WriteVolatile { .. }
            | KernelOp::Shuffle { .. } => self.synchronises = true,
        }
    }
}

/// The number of statements of an unrolled loop, if it is short and nothing in it remains a loop.
fn unrolled(count: usize, body: &Code) -> Option<usize> {
    let all = if count <= MOST_ITERATIONS { count.checked_mul(statements(body)?)? } else { return None };
    (all <= MOST_STATEMENTS).then_some(all)
}

/// The number of statements, if there are no loops but such as are unrolled.
fn statements(code: &Code) -> Option<usize> {
    match code {
        Code::Seq(codes) => codes.iter().map(statements).sum(),
        Code::DeclareScalar(..) | Code::DeclareMem(..) | Code::DeclareStatic(..) => Some(0),
        Code::SetScalar(..) | Code::SetMem(..) | Code::Write { .. } => Some(1),
        Code::Op(KernelOp::UnrolledFor { bound, body, .. }) => unrolled(iterations(bound)?, body),
        Code::Op(op) => Some(4 + op.body().map_or(Some(0), statements)?),
        Code::Call { .. } | Code::Assert { .. } => Some(4),
        Code::Copy { shape, .. } => {
            let count = shape.iter().try_fold(1usize, |n, size| n.checked_mul(iterations(size)?))?;
            (count <= MOST_ITERATIONS).then_some(count)
        }
        Code::For { bound, body, .. } => unrolled(iterations(bound)?, body),
        Code::While(..) => None,
        Code::If(_, yes, no) => Some(1 + statements(yes)? + statements(no)?),
    }
}

fn iterations(bound: &Expr) -> Option<usize> {
    let Expr::Const(value) = bound else { return None };
    usize::try_from(value.as_i64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_base::prim::{IntType, PrimValue};
    use fehu_base::Name;

    fn count(n: i64) -> Expr {
        Expr::Const(PrimValue::I64(n))
    }

    fn repeated(bound: Expr, body: Code) -> Code {
        Code::For { var: Name(0), ty: IntType::I64, bound, body: Box::new(body) }
    }

    #[test]
    fn only_what_stays_short() {
        let set = || Code::SetScalar(Name(1), count(0));
        assert!(is_unrolled(&count(19), &set()) && !is_unrolled(&count(33), &set()));
        assert!(!is_unrolled(&Expr::Var(Name(2)), &set()));
        let inside = |bound| repeated(bound, set());
        assert!(is_unrolled(&count(32), &inside(count(32))));
        assert!(!is_unrolled(&count(27), &inside(Expr::Var(Name(2)))));
        let guarded = Code::Op(KernelOp::Guarded(Box::new(inside(Expr::Var(Name(2))))));
        assert!(!is_unrolled(&count(15), &guarded));
        assert!(is_unrolled(&count(3), &inside(Expr::Var(Name(2)))));
        assert!(!is_unrolled(&count(5), &repeated(count(16), inside(count(16)))));
    }
}
