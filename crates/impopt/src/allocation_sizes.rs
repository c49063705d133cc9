//! How many bytes to allocate, computed so that it cannot wrap around.
//!
//! A size in bytes is a product, or a sum of products, computed in variables that nothing
//! else reads. Were it to wrap around, too little memory would be allocated, and the
//! program would write past its end. So these variables are not printed; the
//! whole size is, at the allocation, by operations that stop at the largest number, of which there is
//! never enough memory:
//!
//! ```text
//! t = n * m;  bytes = t * 8;  xs = alloc(bytes)      xs = block_alloc(ctx, xs, size_mul(size_mul(n, m), 8), ..)
//! ```
//!
//! Where a variable must be printed, because what it is computed from changes before the allocation, it
//! is computed by the same operations. Sums with differences in them stay as they are: they are sizes of slices,
//! which are no larger than what they are slices of.

use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_imp::ops::{CpuOp, Operation};
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, Expr};
use fehu_imp::visit::{look_at_code, look_at_cpu_op, Visitor};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables that only sizes of allocations read.
#[derive(Default)]
pub struct Sizes {
    /// Those that are not printed, and what they stand for.
    inlined: FxHashMap<Name, Expr>,
    /// Those that are printed.
    printed: FxHashSet<Name>,
}

/// How a size is computed.
pub enum Size<'a> {
    /// A product of sizes.
    Product(&'a Expr, &'a Expr),
    /// A sum of sizes.
    Sum(&'a Expr, &'a Expr),
    /// The larger of two sizes, or 0 for a negative one.
    Larger(&'a Expr, &'a Expr),
    /// In a way that cannot wrap around, or that is the program's own.
    Other(&'a Expr),
}

impl Sizes {
    /// The sizes in some code.
    pub fn of<O: Operation>(code: &Code<O>) -> Sizes {
        let mut facts = Facts::default();
        facts.code(code);
        facts.find()
    }

    /// Whether nothing but sizes of allocations reads a variable.
    pub fn is_size(&self, x: Name) -> bool {
        self.printed.contains(&x)
    }

    /// How a size is computed.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    pub fn view<'a>(&'a self, e: &'a Expr) -> Size<'a> {
        match e {
            Expr::BinOp(BinOp::Mul(IntType::I64), a, b) => Size::Product(a, b),
            Expr::BinOp(BinOp::Add(IntType::I64), a, b) if !self.is_difference(e) => Size::Sum(a, b),
            Expr::BinOp(BinOp::SMax(IntType::I64), a, b) => Size::Larger(a, b),
            Expr::Var(x) => match self.inlined.get(x) {
                Some(e) => self.view(e),
                None => Size::Other(e),
            },
            _ => Size::Other(e),
        }
    }

    /// The expressions of which a size is computed.
    pub fn parts<'a>(&'a self, bytes: &'a Expr) -> Vec<&'a Expr> {
        let (mut parts, mut rest) = (Vec::new(), vec![bytes]);
        while let Some(e) = rest.pop() {
            match self.view(e) {
                Size::Product(a, b) | Size::Sum(a, b) | Size::Larger(a, b) => rest.extend([b, a]),
                Size::Other(e) => parts.push(e),
            }
        }
        parts
    }

    /// Whether something is taken away in a sum.
    #[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
    fn is_difference(&self, sum: &Expr) -> bool {
        match sum {
            Expr::BinOp(BinOp::Sub(IntType::I64), ..) => true,
            Expr::BinOp(BinOp::Add(IntType::I64) | BinOp::Mul(IntType::I64), a, b) => {
                self.is_difference(a) || self.is_difference(b)
            }
            Expr::Const(v) => v.as_i64().is_some_and(|v| v < 0),
            Expr::Var(x) => self.inlined.get(x).is_some_and(|e| self.is_difference(e)),
            _ => false,
        }
    }
}

#[derive(Default)]
struct Facts<'a> {
    /// How often variables are read, and how often by allocations.
    uses: FxHashMap<Name, usize>,
    size_uses: FxHashMap<Name, usize>,
    assignments: FxHashMap<Name, usize>,
    sizes: FxHashMap<Name, Vec<&'a Expr>>,
}

impl Facts<'_> {
    fn find(mut self) -> Sizes {
        let mut found = Sizes::default();
        let mut rest: Vec<Name> = self.size_uses.keys().copied().collect();
        while let Some(x) = rest.pop() {
            let count = |m: &FxHashMap<Name, usize>, x: &Name| m.get(x).copied().unwrap_or(0);
            let only_size = self.uses.get(&x) == self.size_uses.get(&x);
            let Some(sizes) = self.sizes.get(&x).cloned() else { continue };
            if !only_size || count(&self.assignments, &x) != sizes.len() {
                continue;
            }
            if found.inlined.contains_key(&x) || found.printed.contains(&x) {
                continue;
            }
            let mut parts = Vec::new();
            for e in &sizes {
                for_each_part(e, &mut |part| {
                    if let Expr::Var(y) = part {
                        parts.push(*y);
                    }
                });
            }
            // What is assigned again may have another value at the allocation.
            match sizes.as_slice() {
                [e] if parts.iter().all(|y| count(&self.assignments, y) <= 1) => {
                    found.inlined.insert(x, (*e).clone());
                }
                _ => {
                    found.printed.insert(x);
                }
            }
            for y in parts {
                *self.size_uses.entry(y).or_default() += 1;
                rest.push(y);
            }
        }
        found
    }
}

impl<'a> Visitor<'a> for Facts<'a> {
    fn code<O: Operation>(&mut self, code: &'a Code<O>) {
        if let Code::SetScalar(x, e) = code {
            if is_size(e) {
                self.sizes.entry(*x).or_default().push(e);
            }
        }
        look_at_code(self, code);
    }

    fn cpu_op<O: Operation>(&mut self, op: &'a CpuOp<O>) {
        if let CpuOp::Allocate { bytes, .. } = op {
            for_each_part(bytes, &mut |part| {
                if let Expr::Var(x) = part {
                    *self.size_uses.entry(*x).or_default() += 1;
                }
            });
        } else if let CpuOp::ParChunks { chunks, .. } = op {
            self.assigned(chunks);
        }
        look_at_cpu_op(self, op);
    }

    fn assigned(&mut self, x: &Name) {
        *self.assignments.entry(*x).or_default() += 1;
    }

    fn var(&mut self, x: &Name) {
        *self.uses.entry(*x).or_default() += 1;
    }
}

/// Whether an expression is computed as sizes are, of variables and constants.
fn is_size(e: &Expr) -> bool {
    if let Expr::Var(_) | Expr::Const(_) = e {
        true
    } else if let Expr::BinOp(
        BinOp::Mul(IntType::I64) | BinOp::Add(IntType::I64) | BinOp::SMax(IntType::I64),
        a,
        b,
    ) = e
    {
        is_size(a) && is_size(b)
    } else {
        false
    }
}
