//! How many bytes to allocate, computed so that it cannot overflow.
//!
//! A size in bytes is a product, computed in variables that nothing else reads.
//! Were it to wrap around, too little memory would be allocated, and the
//! program would write past its end. So these variables are not printed; the
//! whole product is, at the allocation, by a multiplication that stops at
//! the largest number, of which there is never enough memory.

use super::usage::place_exprs;
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Arg, Code, ErrorPart, Expr, Op};
use rustc_hash::FxHashMap;

/// The variables that only sizes of allocations read, and the products they stand for.
#[derive(Default)]
pub struct Sizes {
    products: FxHashMap<Name, Expr>,
}

impl Sizes {
    /// The sizes in some code.
    pub fn of(code: &Code) -> Sizes {
        let mut facts = Facts::default();
        facts.code(code);
        facts.find()
    }

    /// The factors of the size of an allocation.
    pub fn factors<'a>(&'a self, bytes: &'a Expr) -> Vec<&'a Expr> {
        let (mut factors, mut rest) = (Vec::new(), vec![bytes]);
        while let Some(e) = rest.pop() {
            match e {
                Expr::BinOp(BinOp::Mul(IntType::I64), a, b) => rest.extend([&**b, &**a]),
                Expr::Var(x) if self.products.contains_key(x) => rest.extend(self.products.get(x)),
                _ => factors.push(e),
            }
        }
        factors
    }
}

#[derive(Default)]
struct Facts<'a> {
    /// How often variables are read, and how often by allocations.
    uses: FxHashMap<Name, usize>,
    size_uses: FxHashMap<Name, usize>,
    assignments: FxHashMap<Name, usize>,
    products: FxHashMap<Name, &'a Expr>,
}

impl<'a> Facts<'a> {
    fn find(mut self) -> Sizes {
        let mut sizes = Sizes::default();
        let mut rest: Vec<Name> = self.size_uses.keys().copied().collect();
        while let Some(x) = rest.pop() {
            let once = |m: &FxHashMap<Name, usize>, x: &Name| m.get(x).copied().unwrap_or(0) <= 1;
            let only_size = self.uses.get(&x) == self.size_uses.get(&x);
            let Some(product) = self.products.get(&x).copied() else { continue };
            if !only_size || !once(&self.assignments, &x) || sizes.products.contains_key(&x) {
                continue;
            }
            let mut parts = Vec::new();
            for_each_part(product, &mut |part| {
                if let Expr::Var(y) = part {
                    parts.push(*y);
                }
            });
            // What is assigned again may have another value at the allocation.
            if parts.iter().all(|y| once(&self.assignments, y)) {
                sizes.products.insert(x, product.clone());
                for y in parts {
                    *self.size_uses.entry(y).or_default() += 1;
                    rest.push(y);
                }
            }
        }
        sizes
    }

    fn code(&mut self, code: &'a Code) {
        match code {
            Code::Seq(codes) => codes.iter().for_each(|c| self.code(c)),
            Code::DeclareScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::Free(..)
            | Code::SetMem(..)
            | Code::Comment(_) => {}
            Code::SetScalar(x, e) => {
                *self.assignments.entry(*x).or_default() += 1;
                self.read(e);
                if is_product(e) {
                    self.products.insert(*x, e);
                }
            }
            Code::Allocate { bytes, .. } => {
                self.read(bytes);
                for_each_part(bytes, &mut |part| {
                    if let Expr::Var(x) = part {
                        *self.size_uses.entry(*x).or_default() += 1;
                    }
                });
            }
            Code::Write { offset, value, .. } => [offset, value].into_iter().for_each(|e| self.read(e)),
            Code::Copy { shape, dst, src, .. } => {
                shape.iter().chain(place_exprs(dst)).chain(place_exprs(src)).for_each(|e| self.read(e));
            }
            Code::For { bound: e, body, .. } | Code::While(e, body) => {
                self.read(e);
                self.nested(body);
            }
            Code::If(cond, a, b) => {
                self.read(cond);
                self.nested(a);
                self.nested(b);
            }
            Code::Call { outs, args, .. } => {
                for out in outs {
                    *self.assignments.entry(*out).or_default() += 1;
                }
                self.args(args);
            }
            Code::Assert { cond, message, .. } => {
                self.read(cond);
                for part in message {
                    match part {
                        ErrorPart::Text(_) => {}
                        ErrorPart::Value(e, _) => self.read(e),
                    }
                }
            }
            Code::Op(op) => match op {
                Op::ParFor { bound, body, .. } => {
                    self.read(bound);
                    self.nested(body);
                }
                Op::ParChunks { bound, most, chunks, before, body, .. } => {
                    self.read(bound);
                    self.read(most);
                    *self.assignments.entry(*chunks).or_default() += 1;
                    self.nested(before);
                    self.nested(body);
                }
                Op::Launch(launch) => {
                    launch.exprs().for_each(|e| self.read(e));
                }
                Op::Kernel(op) => {
                    op.exprs().into_iter().for_each(|e| self.read(e));
                    op.body().into_iter().for_each(|code| self.nested(code));
                }
                Op::GetSize(x, _) | Op::GetSizeMax(x, _) => *self.assignments.entry(*x).or_default() += 1,
                Op::CmpThreshold(x, _, e) => {
                    *self.assignments.entry(*x).or_default() += 1;
                    self.read(e);
                }
            },
        }
    }

    fn nested(&mut self, code: &'a Code) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.code(code));
    }

    fn args(&mut self, args: &[Arg]) {
        for arg in args {
            match arg {
                Arg::Scalar(e) => self.read(e),
                Arg::Mem(_) => {}
            }
        }
    }

    fn read(&mut self, e: &Expr) {
        for_each_part(e, &mut |part| {
            if let Expr::Var(x) = part {
                *self.uses.entry(*x).or_default() += 1;
            }
        });
    }
}

/// Whether an expression is a product of variables and constants.
fn is_product(e: &Expr) -> bool {
    match e {
        Expr::BinOp(BinOp::Mul(IntType::I64), a, b) => is_factor(a) && is_factor(b),
        _ => false,
    }
}

fn is_factor(e: &Expr) -> bool {
    matches!(e, Expr::Var(_) | Expr::Const(_)) || is_product(e)
}
