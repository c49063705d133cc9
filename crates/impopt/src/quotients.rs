//! Divisions by numbers whose inverses are known, one after the other, ask once whether one of them is to be
//! a division.
//!
//! In: kernels with `divide_by`, as [`divisors`](crate::divisors) leaves them. It is a product and a
//! correction, but for a few numbers, close to the ends of what floats there are, which have to be divided.
//! So there is a branch behind each of them, and compilers of kernels move nothing over a branch: neither the
//! reads that follow nor the next division, though a thread has nothing else to do while it waits. Out:
//!
//! ```text
//! x = divide_by a d e                     x = quotient_by a d e
//! y = divide_by b f g           =>        y = quotient_by b f g
//! z = x + y                               z = x + y
//! ...                                     if inexact_by a d e | inexact_by b f g { x = a / d; y = b / f; z = x + y }
//!                                         ...
//! ```
//!
//! **When.** The statements set variables, one after the other, up to the first one that does something else.
//! Those that depend on a quotient can be done again: nothing that they read has changed since, and none of
//! them reads what it sets. None of them may fail or read memory at a place that depends on a quotient, which
//! may be wrong the first time.
//!
//! **Where.** In innermost loops, and anywhere in kernels without: a kernel with loops spends its time there,
//! and what is kept to be done again takes registers from them. Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.

use fehu_base::ops::{BinOp, CmpOp, MathFn, PrimFn};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::Name;
use fehu_imp::build::{binary, constant};
use fehu_imp::parts::{for_each_part, for_each_statement};
use fehu_imp::syntax::{Code as AnyCode, Expr, KernelOp, Program};
use fehu_imp::visit::{change_expr, Mutator};
use fehu_ir::visit::deep;
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashSet;

type Code = AnyCode<KernelOp>;

/// Divisions by known numbers that follow each other have one branch.
pub static PASS: Pass<Program> = Pass {
    name: "quotients",
    need: Need::Optional,
    run: |program| {
        for kernel in &mut program.kernels {
            let most = !has_loops(&kernel.body);
            code(&mut kernel.body, most);
        }
    },
};

/// Whether there are loops in code.
fn has_loops(code: &Code) -> bool {
    let mut loops = false;
    for_each_statement(code, &mut |code| loops |= is_loop(code));
    loops
}

/// Whether code is a loop, other than those of a known number of iterations: most of them are unrolled.
fn is_loop(code: &Code) -> bool {
    matches!(code, Code::While(..)) || matches!(code, Code::For { bound, .. } if constant(bound).is_none())
}

/// Divisions that are worth it, at least.
const LEAST_DIVISIONS: usize = 2;
/// Statements that are done again, at most: their code is there twice.
const MOST_DONE_AGAIN: usize = 64;

/// `most`: whether the kernel spends most of its time here.
fn code(of: &mut Code, most: bool) {
    let inside = if is_loop(of) { of.bodies().into_iter().all(|body| !has_loops(body)) } else { most };
    of.bodies_mut().into_iter().for_each(|body| deep(|| code(body, inside)));
    let (Code::Seq(_), true) = (&*of, most) else { return };
    let mut out = vec![];
    let mut run = Run::default();
    for stm in flat(std::mem::replace(of, Code::Seq(vec![]))) {
        if !run.takes(&stm) {
            std::mem::take(&mut run).end(&mut out);
            if !run.takes(&stm) {
                out.push(stm);
                continue;
            }
        }
        run.add(stm);
    }
    run.end(&mut out);
    *of = Code::Seq(out);
}

/// The statements of code, in order and without sequences in sequences.
fn flat(code: Code) -> Vec<Code> {
    if let Code::Seq(codes) = code {
        codes.into_iter().flat_map(flat).collect()
    } else {
        vec![code]
    }
}

/// Statements that follow each other.
#[derive(Default)]
struct Run {
    codes: Vec<Code>,
    /// Which of them depend on a quotient, by number.
    dependent: Vec<usize>,
    divisions: usize,
    /// The variables that are set, and those of them that depend on a quotient.
    set: FxHashSet<Name>,
    uncertain: FxHashSet<Name>,
    /// The variables that are read, and those that are read by a statement that depends on a quotient.
    read: FxHashSet<Name>,
    read_again: FxHashSet<Name>,
}

impl Run {
    /// Whether a statement can be one of them.
    fn takes(&self, code: &Code) -> bool {
        if matches!(code, Code::DeclareScalar(..)) {
            return true;
        }
        let Code::SetScalar(x, e) = code else { return false };
        let own = variables(e);
        let again = !self.set.contains(x) && !self.read.contains(x) && !own.contains(x);
        match self.depends(e) {
            true => again && self.dependent.len() < MOST_DONE_AGAIN && self.is_safe(e),
            false => !self.uncertain.contains(x) && !self.read_again.contains(x),
        }
    }

    fn add(&mut self, code: Code) {
        if let Code::SetScalar(x, e) = &code {
            let own = variables(e);
            if self.depends(e) {
                for_each_part(e, &mut |part| self.divisions += usize::from(division(part).is_some()));
                self.dependent.push(self.codes.len());
                self.uncertain.insert(*x);
                self.read_again.extend(&own);
            }
            self.set.insert(*x);
            self.read.extend(own);
        }
        self.codes.push(code);
    }

    /// Whether the value of an expression depends on a quotient.
    fn depends(&self, e: &Expr) -> bool {
        let mut depends = false;
        for_each_part(e, &mut |part| {
            depends |= division(part).is_some() || matches!(part, Expr::Var(x) if self.uncertain.contains(x));
        });
        depends
    }

    /// Whether an expression has a value, whatever the quotients are.
    fn is_safe(&self, e: &Expr) -> bool {
        let mut safe = true;
        for_each_part(e, &mut |part| {
            safe &= match part {
                Expr::BinOp(op, ..) => !op.is_partial(),
                Expr::Index { offset, .. } => !self.depends(offset),
                Expr::Const(_)
                | Expr::Var(_)
                | Expr::UnOp(..)
                | Expr::CmpOp(..)
                | Expr::Conv(..)
                | Expr::PrimFn(..)
                | Expr::Select(..)
                | Expr::Param(_)
                | Expr::Gpu(_) => true,
            };
        });
        safe
    }

    /// Adds the statements to others.
    fn end(self, out: &mut Vec<Code>) {
        if self.divisions < LEAST_DIVISIONS {
            return out.extend(self.codes);
        }
        let mut again = vec![];
        let mut inexact: Option<Expr> = None;
        for (k, mut code) in self.codes.into_iter().enumerate() {
            if self.dependent.contains(&k) {
                let mut exact = code.clone();
                Divide::Exactly.code(&mut exact);
                again.push(exact);
                if let Code::SetScalar(_, e) = &mut code {
                    let mut tests = vec![];
                    for_each_part(e, &mut |part| tests.extend(division(part)));
                    for (at, args) in tests {
                        let mut args = args.to_vec();
                        args.iter_mut().for_each(|a| Divide::Closely.expr(a));
                        let test = Expr::PrimFn(PrimFn { op: MathFn::InexactBy, at }, args);
                        inexact = Some(match inexact {
                            Some(others) => binary(BinOp::Or(IntType::I32), others, test),
                            None => test,
                        });
                    }
                    Divide::Closely.expr(e);
                }
            }
            out.push(code);
        }
        if let Some(inexact) = inexact {
            let zero = Expr::Const(PrimValue::I32(0));
            let equal = CmpOp::Eq(PrimType::Int(IntType::I32));
            let none = Expr::CmpOp(equal, Box::new(inexact), Box::new(zero));
            out.push(Code::If(none, Box::new(Code::Seq(vec![])), Box::new(Code::Seq(again))));
        }
    }
}

/// The type and the operands of a division by a number whose inverse is known.
fn division(e: &Expr) -> Option<(PrimType, &[Expr])> {
    match e {
        Expr::PrimFn(PrimFn { op: MathFn::DivideBy, at }, args) => Some((*at, args)),
        Expr::PrimFn(..)
        | Expr::Const(_)
        | Expr::Var(_)
        | Expr::UnOp(..)
        | Expr::BinOp(..)
        | Expr::CmpOp(..)
        | Expr::Conv(..)
        | Expr::Select(..)
        | Expr::Index { .. }
        | Expr::Param(_)
        | Expr::Gpu(_) => None,
    }
}

fn variables(e: &Expr) -> Vec<Name> {
    let mut variables = vec![];
    for_each_part(e, &mut |part| {
        if let Expr::Var(x) = part {
            variables.push(*x);
        }
    });
    variables
}

/// What takes the place of divisions by numbers whose inverses are known.
#[derive(Clone, Copy)]
enum Divide {
    /// A division.
    Exactly,
    /// What is the quotient in nearly all cases.
    Closely,
}

impl Mutator for Divide {
    fn expr(&mut self, e: &mut Expr) {
        change_expr(self, e);
        let Expr::PrimFn(PrimFn { op: op @ MathFn::DivideBy, at }, args) = e else { return };
        match (*self, *at, args.as_mut_slice()) {
            (Divide::Exactly, PrimType::Float(t), [x, y, _]) => {
                *e = Expr::BinOp(BinOp::FDiv(t), Box::new(x.clone()), Box::new(y.clone()));
            }
            (Divide::Exactly | Divide::Closely, ..) => *op = MathFn::QuotientBy,
        }
    }
}
