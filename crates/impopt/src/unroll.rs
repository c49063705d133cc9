//! Which loops of a kernel are unrolled.
//!
//! What is indexed by the variable of a short loop should be registers, and it is if the loop is unrolled.
//! But compilers of kernels take minutes over text that unrolling makes long, so only loops that stay short
//! in full are:
//!
//! ```text
//! for i < 19: xs[i] = xs[i] * 2                     unrolled
//! for i < 27: for j < n: sum = sum + xs[i * n + j]  not unrolled: what is inside takes its time
//! ```
//!
//! A loop up to the variable of another one has a known number of iterations when the other is unrolled. It
//! counts with the number in the middle, and the whole may be longer if it works on an array of the thread's
//! own, which is in registers only if all of it is unrolled:
//!
//! ```text
//! for i < 32: for j < i: own[i] = own[i] - own[j] * xs[i * 32 + j]     both unrolled: 32 * 15 times the inner body
//! ```
//!
//! **The whole kernel** has a limit of statements, since what does not fit the instruction cache is fetched
//! again in each iteration of the loops around it. Loops are unrolled in the order of the text until it is
//! reached.
//!
//! Innermost loops that read memory are unrolled a few iterations at a time. Threads of a GPU run one
//! instruction after the other, and wait for what they have read when it is used: with one read in each
//! iteration, they wait in each. The reads of several iterations are on their way together. Compilers of
//! kernels do not see by themselves that it pays, if the number of iterations is known only at run time:
//!
//! ```text
//! for j < n: sum = sum + xs[j]                      unrolled by 4
//! ```
//!
//! Where they know the number of iterations, they do what is best. Loops in which threads wait for each other
//! are left alone. An atomic operation waits for nobody, but it is something that reads are not moved across
//! unless many of them are behind it: loops with atomic operations are unrolled by 8. Times of this and what
//! follows: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! A loop of few statements that is in no other loop is unrolled by 8, too: it is what its threads do, often
//! many times. More gain little. Iterations that are left are done one by one, which costs short loops more
//! than they gain. So loops of less than 64 iterations are unrolled by 4; there is code for both.

use crate::loops::{renamed, Renaming};
use crate::walks::plain_statements;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::IntType;
use fehu_base::{Name, NameSource};
use fehu_imp::build::{i64, le};
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code as AnyCode, Expr, KernelOp, Program, Space};
use fehu_imp::visit::{look_at_code, look_at_expr, look_at_kernel_op, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

type Code = AnyCode<KernelOp>;

/// Short loops of kernels are marked for the compiler of kernels to unroll.
pub static PASS: Pass<Program> = Pass {
    name: "unroll",
    need: Need::Optional,
    run: |program| {
        let names = &mut program.names;
        program.device_functions.iter_mut().for_each(|f| Unroll::new(names, &f.body).code(&mut f.body));
        program.kernels.iter_mut().for_each(|k| Unroll::new(names, &k.body).code(&mut k.body));
    },
};

/// The most iterations of a loop that is unrolled.
const MOST_ITERATIONS: usize = 32;
/// The same for loops in which others remain loops.
const FEW_ITERATIONS: usize = 4;
/// The most statements that an unrolled loop may have.
const MOST_STATEMENTS: usize = 1024;
/// The most statements that a kernel may have for the sake of loops that are unrolled: with two instructions
/// of 16 bytes for each, these are the 128 KB of a processor's instruction cache.
const MOST_STATEMENTS_OF_KERNEL: usize = 4096;
/// Iterations of a loop that are one where it is not unrolled as a whole: their reads are on their way
/// together.
const SOME_ITERATIONS: usize = 4;
/// The same if there are atomic operations among them.
const SOME_ITERATIONS_WITH_ATOMICS: usize = 8;
/// The same if no loop is around, of a loop that has so many iterations at least, each of which has at most
/// so many statements.
const SOME_ITERATIONS_OF_THREAD: usize = 8;
const LEAST_ITERATIONS_OF_THREAD: i64 = 64;
const SOME_STATEMENTS_OF_THREAD: usize = 8;
/// The most statements that an iteration may have, if some are one.
const SOME_STATEMENTS: usize = 32;

/// Marks loops.
struct Unroll<'n> {
    names: &'n mut NameSource,
    /// Statements that the kernel may still get.
    left: usize,
    known: Known,
    /// Whether this is part of a loop that is unrolled with all loops in it.
    inside: bool,
    /// How many loops are around.
    around: usize,
}

/// How a loop is unrolled.
enum Way {
    /// As a whole, with all loops in it.
    WithInner,
    /// As a whole; loops in it are decided about by themselves.
    Alone,
    /// So many iterations become one.
    Some(usize),
    /// The same if there are many, and fewer otherwise.
    OfThread,
    Not,
}

impl Unroll<'_> {
    fn new<'n>(names: &'n mut NameSource, body: &Code) -> Unroll<'n> {
        let left = MOST_STATEMENTS_OF_KERNEL.saturating_sub(size(body));
        Unroll { names, left, known: Known::default(), inside: false, around: 0 }
    }

    fn code(&mut self, code: &mut Code) {
        let way = if let Code::For { bound, body, var, ty, .. } = code {
            self.way((*var, *ty), bound, body)
        } else {
            Way::Not
        };
        let outer = self.inside;
        self.inside |= matches!(way, Way::WithInner);
        if let (true, Code::For { var, bound, .. }) = (self.inside, &*code) {
            self.known.enter(*var, bound);
        }
        let is_loop =
            matches!(code, Code::For { .. } | Code::While(..) | Code::Op(KernelOp::UnrolledFor { .. }));
        self.around += usize::from(is_loop);
        code.bodies_mut().into_iter().for_each(|body| deep(|| self.code(body)));
        self.around -= usize::from(is_loop);
        self.inside = outer;
        if self.inside {
            self.known.after(code);
        }
        let by = match way {
            Way::WithInner | Way::Alone => None,
            Way::Some(by) => Some(by),
            Way::OfThread => return self.either(code),
            Way::Not => return,
        };
        if let Code::For { var, ty, bound, body, .. } = std::mem::replace(code, Code::Seq(vec![])) {
            *code = Code::Op(KernelOp::UnrolledFor { by, var, ty, bound, body });
        }
    }

    /// A loop that is all that a thread does, for many iterations and for few.
    fn either(&mut self, code: &mut Code) {
        let Code::For { var, ty, bound, body, .. } = std::mem::replace(code, Code::Seq(vec![])) else {
            return;
        };
        let mut other = Renaming::default();
        let number = self.names.fresh_like(var);
        other.insert(var, number);
        let copy = renamed(self.names, &body, &mut other);
        let unrolled = |by, var, body| {
            let (by, bound, body) = (Some(by), bound.clone(), Box::new(body));
            Box::new(Code::Op(KernelOp::UnrolledFor { by, var, ty, bound, body }))
        };
        let many = le(i64(LEAST_ITERATIONS_OF_THREAD), bound.clone());
        let (long, short) =
            (unrolled(SOME_ITERATIONS_OF_THREAD, var, *body), unrolled(SOME_ITERATIONS, number, copy));
        *code = Code::If(many, long, short);
    }

    /// How a loop is unrolled. One whose bound is a tuning parameter goes over what a thread has in registers.
    fn way(&mut self, (var, ty): (Name, IntType), bound: &Expr, body: &Code) -> Way {
        if matches!(bound, Expr::Param(_)) {
            return Way::Alone;
        }
        if self.inside {
            return Way::WithInner;
        }
        let Some(count) = iterations(bound) else {
            return some_iterations(body, self.around == 0 && ty == IntType::I64);
        };
        let most = if has_own_array(body) { MOST_STATEMENTS_OF_KERNEL } else { MOST_STATEMENTS };
        if let Some(all) = self.known.clone().unrolled(var, bound, body) {
            if count <= MOST_ITERATIONS && all <= most && all <= self.left {
                self.left -= all;
                return Way::WithInner;
            }
        }
        if count <= FEW_ITERATIONS {
            return Way::Alone;
        }
        Way::Not
    }
}

/// Values of variables in the middle of the loops that are unrolled.
#[derive(Clone, Default)]
struct Known(FxHashMap<Name, i64>);

impl Known {
    /// The value of an expression.
    fn value(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Const(value) => value.as_i64(),
            Expr::Var(x) => self.0.get(x).copied(),
            Expr::Conv(ConvOp::SExt(..), e) => self.value(e),
            Expr::BinOp(BinOp::Add(_), a, b) => self.value(a)?.checked_add(self.value(b)?),
            Expr::BinOp(BinOp::Sub(_), a, b) => self.value(a)?.checked_sub(self.value(b)?),
            Expr::BinOp(..)
            | Expr::Conv(..)
            | Expr::UnOp(..)
            | Expr::CmpOp(..)
            | Expr::PrimFn(..)
            | Expr::Select(..)
            | Expr::Index { .. }
            | Expr::Param(_)
            | Expr::Gpu(_) => None,
        }
    }

    /// In the body of a loop that is unrolled.
    fn enter(&mut self, var: Name, bound: &Expr) {
        if let Some(count) = self.value(bound) {
            self.0.insert(var, count / 2);
        }
    }

    /// After a statement.
    fn after(&mut self, code: &Code) {
        if let Code::SetScalar(x, e) = code {
            match self.value(e) {
                Some(value) => self.0.insert(*x, value),
                None => self.0.remove(x),
            };
        }
    }

    /// The number of statements of a loop if all of it is unrolled.
    fn unrolled(&mut self, var: Name, bound: &Expr, body: &Code) -> Option<usize> {
        let count = usize::try_from(self.value(bound)?.max(0)).ok()?;
        self.enter(var, bound);
        if count > MOST_ITERATIONS {
            return None;
        }
        count.checked_mul(self.statements(body)?)
    }

    /// The number of statements, if there are no loops but such as are unrolled.
    fn statements(&mut self, code: &Code) -> Option<usize> {
        let count = match code {
            Code::Seq(codes) => codes.iter().map(|code| self.statements(code)).sum(),
            Code::DeclareScalar(..) | Code::DeclareMem(..) | Code::DeclareStatic(..) => Some(0),
            Code::SetScalar(..) | Code::SetMem(..) | Code::Write { .. } => Some(1),
            Code::Op(KernelOp::UnrolledFor { var, bound, body, .. }) | Code::For { var, bound, body, .. } => {
                self.unrolled(*var, bound, body)
            }
            Code::Op(op) => Some(4 + op.body().map_or(Some(0), |body| self.statements(body))?),
            Code::Call { .. } | Code::Assert { .. } => Some(4),
            Code::Copy { shape, .. } => {
                let count = shape.iter().try_fold(1usize, |n, size| n.checked_mul(iterations(size)?))?;
                (count <= MOST_ITERATIONS).then_some(count)
            }
            Code::While(..) => None,
            Code::If(_, yes, no) => Some(1 + self.statements(yes)? + self.statements(no)?),
        };
        self.after(code);
        count
    }
}

/// The number of statements as they stand.
fn size(code: &Code) -> usize {
    let inside: usize = code.bodies().into_iter().map(|body| deep(|| size(body))).sum();
    let counts = !matches!(
        code,
        Code::Seq(_) | Code::DeclareScalar(..) | Code::DeclareMem(..) | Code::DeclareStatic(..)
    );
    inside + usize::from(counts)
}

/// Whether a loop reads or writes an array of the thread's own.
fn has_own_array(body: &Code) -> bool {
    let mut survey = Survey::default();
    survey.code(body);
    survey.own
}

/// How many iterations of a loop become one, if its body is short, and reads. Whether no loop is around it is given.
fn some_iterations(body: &Code, alone: bool) -> Way {
    let Some(statements) = Known::default().statements(body).filter(|n| *n <= SOME_STATEMENTS) else {
        return Way::Not;
    };
    let mut survey = Survey::default();
    survey.code(body);
    let of_thread = alone && statements <= SOME_STATEMENTS_OF_THREAD && plain_statements(body).is_some();
    match (survey.reads && !survey.synchronises, survey.atomics) {
        (false, _) => Way::Not,
        (true, true) => Way::Some(SOME_ITERATIONS_WITH_ATOMICS),
        (true, false) if of_thread => Way::OfThread,
        (true, false) => Way::Some(SOME_ITERATIONS),
    }
}

/// What a short body does.
#[derive(Default)]
struct Survey {
    reads: bool,
    /// Whether it touches an array of the thread's own.
    own: bool,
    atomics: bool,
    /// Whether threads wait for each other, see what others write, or read several elements at a time already.
    synchronises: bool,
}

impl<'c> Visitor<'c> for Survey {
    fn code<O: Operation>(&mut self, code: &'c AnyCode<O>) {
        self.reads |= matches!(code, AnyCode::Copy { .. });
        self.own |= matches!(code, AnyCode::Write { space: Space::Scalar(..), .. });
        look_at_code(self, code);
    }

    fn expr(&mut self, e: &'c Expr) {
        self.reads |= matches!(e, Expr::Index { .. });
        self.own |= matches!(e, Expr::Index { space: Space::Scalar(..), .. });
        look_at_expr(self, e);
    }

    fn kernel_op(&mut self, op: &'c KernelOp) {
        self.atomics |= matches!(op, KernelOp::Atomic { .. });
        match op {
            KernelOp::Guarded(_)
            | KernelOp::UnrolledFor { .. }
            | KernelOp::Check { .. }
            | KernelOp::Atomic { .. }
            | KernelOp::DeclareArray { .. } => look_at_kernel_op(self, op),
            KernelOp::Barrier
            | KernelOp::Fence
            | KernelOp::BlockFence
            | KernelOp::LeaveIfFailed
            | KernelOp::AwaitCopies
            | KernelOp::CopyAhead { .. }
            | KernelOp::ReadRun { .. }
            | KernelOp::ReadWhole { .. }
            | KernelOp::CopyRows { .. }
            | KernelOp::MostOfWarp { .. }
            | KernelOp::CompareAndSwap { .. }
            | KernelOp::ReadVolatile { .. }
            | KernelOp::WriteVolatile { .. }
            | KernelOp::WarpBarrier
            | KernelOp::Ballot { .. }
            | KernelOp::MultiplyAdd { .. }
            | KernelOp::AwaitProducts { .. }
            | KernelOp::Shuffle { .. } => self.synchronises = true,
        }
    }
}

fn iterations(bound: &Expr) -> Option<usize> {
    let Expr::Const(value) = bound else { return None };
    usize::try_from(value.as_i64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_base::prim::PrimValue;
    use fehu_base::Name;
    use fehu_imp::build::count_up;

    fn count(n: i64) -> Expr {
        Expr::Const(PrimValue::I64(n))
    }

    fn repeated(bound: Expr, body: Code) -> Code {
        count_up(Name(0), bound, body)
    }

    /// Whether a loop is unrolled as a whole.
    fn is_unrolled(bound: Expr, body: Code) -> bool {
        let mut code = repeated(bound, body);
        Unroll::new(&mut NameSource::new(), &code).code(&mut code);
        matches!(code, Code::Op(KernelOp::UnrolledFor { by: None, .. }))
    }

    #[test]
    fn only_what_stays_short() {
        let set = || Code::SetScalar(Name(1), count(0));
        assert!(is_unrolled(count(19), set()) && !is_unrolled(count(33), set()));
        assert!(!is_unrolled(Expr::Var(Name(2)), set()));
        let inside = |bound| count_up(Name(3), bound, set());
        assert!(is_unrolled(count(32), inside(count(32))));
        assert!(is_unrolled(count(32), inside(Expr::Var(Name(0)))));
        assert!(!is_unrolled(count(27), inside(Expr::Var(Name(2)))));
        let guarded = Code::Op(KernelOp::Guarded(Box::new(inside(Expr::Var(Name(2))))));
        assert!(!is_unrolled(count(15), guarded));
        assert!(is_unrolled(count(3), inside(Expr::Var(Name(2)))));
        assert!(!is_unrolled(count(5), repeated(count(16), inside(count(16)))));
    }

    #[test]
    fn a_kernel_has_a_limit() {
        let loops = |n| {
            let body = Code::Seq((0..n).map(|_| Code::SetScalar(Name(1), count(0))).collect());
            let mut all = Code::Seq((0..8).map(|_| repeated(count(32), body.clone())).collect());
            Unroll::new(&mut NameSource::new(), &all).code(&mut all);
            let Code::Seq(codes) = all else { return 0 };
            codes.iter().filter(|c| matches!(c, Code::Op(KernelOp::UnrolledFor { .. }))).count()
        };
        assert_eq!((loops(1), loops(20)), (8, 6));
    }
}
