//! Threads wait for what they have copied to shared memory where it is needed, not where the copies begin.
//!
//! In: kernels whose copies to shared memory are awaited before the next barrier. Out: the same kernels,
//! which wait before the last barrier that comes before the first use of what is copied:
//!
//! ```text
//! copy_ahead 1 s[local_id] <- xs[local_id]             copy_ahead 1 s[local_id] <- xs[local_id]
//! await_copies                                         barrier
//! barrier                                              r[local_id] <- ys[local_id]        while the copies are on their way
//! r[local_id] <- ys[local_id]                   ->     await_copies
//! barrier                                              barrier
//! x = s[0] + r[0]                                      x = s[0] + r[0]
//! ```
//!
//! Copies belong to the first wait after them. Nothing that a wait passes mentions the blocks that they fill,
//! and it stays in its sequence, so that threads still wait, in all iterations and branches in which they
//! copy. What is copied does not change in the kernel ([`KernelOp::CopyAhead`]).
//!
//! Times of the public `nw`, whose blocks fill another array and read its edges meanwhile:
//! `notebook/2026-11-19-gpu-mechanisms.md`.

use fehu_base::Name;
use fehu_imp::ops::Operation;
use fehu_imp::parts::flattened;
use fehu_imp::syntax::{Code as AnyCode, KernelOp, Program};
use fehu_imp::visit::{look_at_code, look_at_kernel_op, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

type Code = AnyCode<KernelOp>;

/// Threads wait late for what they copy.
pub static PASS: Pass<Program> = Pass {
    name: "late-awaits",
    need: Need::Optional,
    run: |program| {
        for kernel in &mut program.kernels {
            let found = Found::of(&kernel.body);
            if !found.filled.is_empty() && found.filled.is_disjoint(&found.renamed) {
                code(&mut kernel.body, &found.filled, Level::Kernel);
            }
        }
    },
};

/// Where a sequence is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// It is the kernel: nothing is on its way when it begins.
    Kernel,
    /// It is a part of it.
    Inner,
}

/// `filled`: all blocks that the kernel copies to.
fn code(of: &mut Code, filled: &FxHashSet<Name>, level: Level) {
    if let Code::Seq(codes) = of {
        *codes = flattened(std::mem::take(codes));
        codes.iter_mut().for_each(|c| deep(|| code(c, filled, Level::Inner)));
        let awaits: Vec<usize> = (0..codes.len()).filter(|k| is_await(&codes[*k])).collect();
        for (number, at) in awaits.iter().enumerate().rev() {
            let from = number.checked_sub(1).map(|before| awaits[before]);
            let mine = match (from, level) {
                (None, Level::Inner) => filled.clone(),
                (from, _) => Found::of_all(&codes[from.unwrap_or(0)..*at]).filled,
            };
            await_late(codes, *at, &mine);
        }
    } else if let Code::For { body, .. } | Code::While(_, body) = of {
        deep(|| code(body, filled, Level::Inner));
    } else if let Code::If(_, then, otherwise) = of {
        deep(|| code(then, filled, Level::Inner));
        deep(|| code(otherwise, filled, Level::Inner));
    } else if let Code::Op(op) = of {
        if let Some(body) = op.body_mut() {
            deep(|| code(body, filled, Level::Inner));
        }
    }
}

/// Moves a wait for copies to some blocks behind what does not need them.
fn await_late(codes: &mut [Code], at: usize, blocks: &FxHashSet<Name>) {
    let passed = codes[at + 1..].iter().take_while(|c| Found::of(c).mentioned.is_disjoint(blocks)).count();
    let barrier = codes[at + 1..at + 1 + passed].iter().rposition(is_barrier);
    if let Some(barrier) = barrier {
        codes[at..at + 1 + barrier].rotate_left(1);
    }
}

fn is_await(code: &Code) -> bool {
    matches!(code, Code::Op(KernelOp::AwaitCopies))
}

fn is_barrier(code: &Code) -> bool {
    matches!(code, Code::Op(KernelOp::Barrier | KernelOp::LeaveIfFailed))
}

/// The blocks of a piece of code.
#[derive(Default)]
struct Found {
    mentioned: FxHashSet<Name>,
    /// Those that copies fill while threads go on.
    filled: FxHashSet<Name>,
    /// Those that have other names, or get them.
    renamed: FxHashSet<Name>,
}

impl Found {
    fn of(code: &Code) -> Found {
        Found::of_all(std::slice::from_ref(code))
    }

    fn of_all(codes: &[Code]) -> Found {
        let mut found = Found::default();
        codes.iter().for_each(|c| found.code(c));
        found
    }
}

impl<'c> Visitor<'c> for Found {
    fn code<O: Operation>(&mut self, code: &'c AnyCode<O>) {
        if let AnyCode::SetMem(..) = code {
            let mut names = Found::default();
            look_at_code(&mut names, code);
            self.renamed.extend(names.mentioned);
        }
        look_at_code(self, code);
    }
    fn kernel_op(&mut self, op: &'c KernelOp) {
        if let KernelOp::CopyAhead { dst, .. } = op {
            self.filled.insert(*dst);
        }
        look_at_kernel_op(self, op);
    }
    fn block(&mut self, m: &'c Name) {
        self.mentioned.insert(*m);
    }
}
