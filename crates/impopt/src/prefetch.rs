//! Loops of thread blocks read some iterations before they need it what does not depend on the loop.
//!
//! The threads of a block wait for each other at a barrier, so that each of them waits for the slowest read
//! of all. There are few threads on a processor that have something else to do meanwhile: such blocks need
//! much shared memory. Compilers do not move a read over a barrier.
//!
//! ```text
//! for m < n {                                       for k < 4: if k < n && thread <= k { ahead[k] = xs[(k - thread) * w + thread] }
//!   if thread <= m {                                for m < n {
//!     x = xs[(m - thread) * w + thread]     =>        next = ahead[0];  for k < 3: ahead[k] = ahead[k + 1]
//!     ys[..] <- f(x, ys[..])                          if m < n - 4 && thread <= m + 4 { ahead[3] = xs[(m + 4 - thread) * w + thread] }
//!   }                                                 if thread <= m { x = next; ys[..] <- f(x, ys[..]) }
//!   barrier                                           barrier
//! }                                                 }
//! ```
//!
//! Loops over `k` are unrolled, and `ahead` is in registers.
//!
//! **When.** The loop has a barrier, and no checks: then all iterations run, and an element that an iteration
//! would read exists whenever it is read. The memory is only read while the kernel runs. The place, and the
//! conditions of branches around the read, are computed from the number of the iteration and from what the
//! loop does not change.
//!
//! It pays where the elements that neighbouring threads read are far from each other, so that there is a
//! transaction for each of them: their places depend on a product with the number of the thread. Loops that
//! share the points of an operation out among the threads have one iteration, or few: the place depends on
//! how many threads there are, and they are left alone.
//!
//! Where neighbouring threads read neighbours, it takes longer than without. Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.

use crate::instead::Instead;
use fehu_base::ops::{BinOp, UnOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{Name, NameSource};
use fehu_imp::build::{add, and, count_up, i64, lt, sub, var};
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part, for_each_statement};
use fehu_imp::syntax::{Code as AnyCode, Expr, GpuIndex, KernelOp, Program, Qualifier, Space};
use fehu_imp::visit::{change_code, Mutator, Visitor};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

type Code = AnyCode<KernelOp>;

/// Loops with barriers read what does not depend on them some iterations before they need it.
pub static PASS: Pass<Program> = Pass {
    name: "prefetch",
    need: Need::Optional,
    run: |program| {
        for kernel in &mut program.kernels {
            let only_read = |(m, q): (&Name, &Qualifier)| (*q == Qualifier::OnlyRead).then_some(*m);
            let only_read = kernel.qualifiers.iter().filter_map(only_read).collect();
            Prefetch { names: &mut program.names, only_read }.code(&mut kernel.body);
        }
    },
};

/// By how many iterations a read comes before its use. The more, the more elements a thread keeps in
/// registers; twice as many take longer.
const ITERATIONS_AHEAD: i64 = 4;
/// The most bytes that are on their way at a time, in registers of the thread.
const MOST_BYTES: i64 = 64;
/// The most parts of the expressions for the place of an element and for the condition on which it is read:
/// they are computed once more.
const MOST_PARTS: usize = 96;

struct Prefetch<'p> {
    names: &'p mut NameSource,
    /// Blocks that nobody writes.
    only_read: FxHashSet<Name>,
}

/// An element that an iteration reads.
struct Read {
    /// The variable that gets it.
    to: Name,
    /// The element, by the number of the iteration and what the loop does not change.
    element: Expr,
    elem: PrimType,
    /// When it is read.
    when: Option<Expr>,
}

impl Prefetch<'_> {
    fn code(&mut self, code: &mut Code) {
        code.bodies_mut().into_iter().for_each(|body| deep(|| self.code(body)));
        let Code::For { var: x, ty: IntType::I64, bound, body, .. } = code else { return };
        let reads = self.reads(*x, body);
        if !reads.is_empty() {
            let body = std::mem::replace(&mut **body, Code::Seq(vec![]));
            *code = self.ahead(*x, bound.clone(), body, &reads);
        }
    }

    /// What the iterations of a loop read that can be read before, if it pays.
    fn reads(&self, x: Name, body: &Code) -> Vec<Read> {
        let waits = flat(body).iter().any(|c| matches!(c, Code::Op(KernelOp::Barrier)));
        let mut checks = false;
        for_each_statement(body, &mut |c| {
            checks |= matches!(
                c,
                Code::Assert { .. }
                    | Code::Call { .. }
                    | Code::Op(KernelOp::Check { .. } | KernelOp::LeaveIfFailed)
            );
        });
        if !waits || checks {
            return vec![];
        }
        let mut changed = Changed::default();
        changed.code(body);
        let known = FxHashMap::default();
        let mut found =
            Found { only_read: &self.only_read, x, changed: &changed.times, known, reads: vec![] };
        found.scope(body, None);
        let mut room_bytes = MOST_BYTES;
        found.reads.retain(|read| {
            let bytes = read.elem.bytes().max(4) as i64 * ITERATIONS_AHEAD;
            let fits = bytes <= room_bytes;
            room_bytes -= if fits { bytes } else { 0 };
            fits
        });
        found.reads
    }

    /// The loop that reads ahead.
    fn ahead(&mut self, x: Name, bound: Expr, mut body: Code, reads: &[Read]) -> Code {
        let each = ITERATIONS_AHEAD;
        let end = self.names.fresh_str("end");
        let mut before = vec![Code::DeclareScalar(end, PrimType::I64), Code::SetScalar(end, bound)];
        let mut inside = vec![];
        for read in reads {
            let [mem, next] = ["ahead", "next"].map(|base| self.names.fresh_str(base));
            let space = Space::Scalar(read.elem, vec![each]);
            let slot =
                |k: Expr| Expr::Index { mem, offset: Box::new(k), elem: read.elem, space: space.clone() };
            let store = |k: Expr, value: Expr| Code::Write {
                mem,
                offset: k,
                elem: read.elem,
                space: space.clone(),
                value,
            };
            let fetch = |slot: Expr, exists: Expr, iteration: Expr| {
                let instead: FxHashMap<Name, Expr> = [(x, iteration)].into_iter().collect();
                let at = |e: &Expr| {
                    let mut e = e.clone();
                    Instead(&instead).expr(&mut e);
                    e
                };
                let when = match &read.when {
                    Some(when) => and(exists, at(when)),
                    None => exists,
                };
                Code::If(when, Box::new(store(slot, at(&read.element))), Box::new(Code::Seq(vec![])))
            };
            let unrolled = |var: Name, bound: i64, body: Vec<Code>| {
                let (bound, body) = (i64(bound), Box::new(Code::Seq(body)));
                Code::Op(KernelOp::UnrolledFor { by: None, var, ty: IntType::I64, bound, body })
            };
            let [k, l] = ["k", "k"].map(|base| self.names.fresh_str(base));
            before.push(Code::Op(KernelOp::DeclareArray {
                mem,
                space: space.clone(),
                elem: read.elem,
                count: i64(each),
            }));
            let first = fetch(var(k), lt(var(k), var(end)), var(k));
            before.push(unrolled(k, each, vec![store(var(k), Expr::Const(read.elem.blank())), first]));
            inside.push(Code::DeclareScalar(next, read.elem));
            inside.push(Code::SetScalar(next, slot(i64(0))));
            inside.push(unrolled(l, each - 1, vec![store(var(l), slot(add(var(l), i64(1))))]));
            let exists = lt(var(x), sub(var(end), i64(each)));
            inside.push(fetch(i64(each - 1), exists, add(var(x), i64(each))));
            Taken { to: read.to, next }.code(&mut body);
        }
        inside.push(body);
        before.push(count_up(x, var(end), Code::Seq(inside)));
        Code::Seq(before)
    }
}

/// How often scalars get values in a loop, and which of them it declares.
#[derive(Default)]
struct Changed {
    times: FxHashMap<Name, usize>,
}

impl Visitor<'_> for Changed {
    fn assigned(&mut self, x: &Name) {
        *self.times.entry(*x).or_default() += 1;
    }
}

/// Looks for reads in an iteration.
struct Found<'f> {
    only_read: &'f FxHashSet<Name>,
    /// The number of the iteration.
    x: Name,
    changed: &'f FxHashMap<Name, usize>,
    /// What scalars are that the iteration computes of its number and of what the loop does not change.
    known: FxHashMap<Name, Expr>,
    reads: Vec<Read>,
}

impl Found<'_> {
    /// The statements of a scope that runs on a condition.
    fn scope(&mut self, body: &Code, when: Option<&Expr>) {
        let mut declared: FxHashSet<Name> = FxHashSet::default();
        for code in flat(body) {
            if let Code::DeclareScalar(x, _) = code {
                declared.insert(*x);
            } else if let Code::SetScalar(x, e) = code {
                let own = declared.contains(x) && self.changed.get(x) == Some(&1);
                if let (true, Some(e)) = (own, self.of_iteration(e)) {
                    self.known.insert(*x, e);
                } else if own {
                    self.reads.extend(self.read(*x, e, when));
                }
            } else if let Code::If(cond, yes, no) = code {
                let Some(cond) = self.of_iteration(cond) else { continue };
                let not = Expr::UnOp(UnOp::Not, Box::new(cond.clone()));
                for (body, taken) in [(yes, cond), (no, not)] {
                    let all = match when {
                        Some(when) => and(when.clone(), taken),
                        None => taken,
                    };
                    deep(|| self.scope(body, Some(&all)));
                }
            } else if let Code::Op(KernelOp::Guarded(body)) = code {
                deep(|| self.scope(body, when));
            }
        }
    }

    /// The element that a variable is set to.
    fn read(&self, to: Name, e: &Expr, when: Option<&Expr>) -> Option<Read> {
        let Expr::Index { mem, offset, elem, space: space @ Space::Default } = e else { return None };
        let offset = self.of_iteration(offset)?;
        let (mut parts, mut moves, mut shares, mut apart) = (0, false, false, false);
        for e in [Some(&offset), when].into_iter().flatten() {
            for_each_part(e, &mut |part| {
                parts += 1;
                shares |= *part == Expr::Gpu(GpuIndex::BlockSize);
            });
        }
        for_each_part(&offset, &mut |part| {
            moves |= *part == Expr::Var(self.x);
            if let Expr::BinOp(BinOp::Mul(_), ..) = part {
                for_each_part(part, &mut |factor| apart |= *factor == Expr::Gpu(GpuIndex::Local));
            }
        });
        let element = Expr::Index { mem: *mem, offset: Box::new(offset), elem: *elem, space: space.clone() };
        let pays = moves && apart && !shares && parts <= MOST_PARTS && self.only_read.contains(mem);
        pays.then(|| Read { to, element, elem: *elem, when: when.cloned() })
    }

    /// An expression by the number of the iteration and what the loop does not change, if it reads no memory.
    fn of_iteration(&self, e: &Expr) -> Option<Expr> {
        let mut e = e.clone();
        Instead(&self.known).expr(&mut e);
        let mut ok = true;
        let mut parts = 0;
        for_each_part(&e, &mut |part| {
            parts += 1;
            ok &= match part {
                Expr::Var(x) => !self.changed.contains_key(x),
                Expr::Index { .. } => false,
                Expr::Const(_)
                | Expr::UnOp(..)
                | Expr::BinOp(..)
                | Expr::CmpOp(..)
                | Expr::Conv(..)
                | Expr::PrimFn(..)
                | Expr::Select(..)
                | Expr::Param(_)
                | Expr::Gpu(_) => true,
            };
        });
        (ok && parts <= MOST_PARTS).then_some(e)
    }
}

/// Sets a variable to what was read before.
struct Taken {
    to: Name,
    next: Name,
}

impl Mutator for Taken {
    fn code<O: Operation>(&mut self, code: &mut AnyCode<O>) {
        change_code(self, code);
        if let AnyCode::SetScalar(x, e) = code {
            if *x == self.to {
                *e = var(self.next);
            }
        }
    }
}
