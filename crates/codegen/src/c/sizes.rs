//! How many bytes to allocate, computed so that it cannot overflow.
//!
//! A size in bytes is a product, computed in variables that nothing else reads.
//! Were it to wrap around, too little memory would be allocated, and the
//! program would write past its end. So these variables are not printed; the
//! whole product is, at the allocation, by a multiplication that stops at
//! the largest number, of which there is never enough memory.

use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, Expr, Op};
use fehu_imp::visit::{look_at_code, Visitor};
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

impl Facts<'_> {
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
}

impl<'a> Visitor<'a> for Facts<'a> {
    fn code(&mut self, code: &'a Code) {
        if let Code::SetScalar(x, e) = code {
            if is_product(e) {
                self.products.insert(*x, e);
            }
        } else if let Code::Allocate { bytes, .. } = code {
            for_each_part(bytes, &mut |part| {
                if let Expr::Var(x) = part {
                    *self.size_uses.entry(*x).or_default() += 1;
                }
            });
        } else if let Code::Op(Op::ParChunks { chunks, .. }) = code {
            self.assigned(*chunks);
        }
        look_at_code(self, code);
    }

    fn assigned(&mut self, x: Name) {
        *self.assignments.entry(x).or_default() += 1;
    }

    fn var(&mut self, x: Name) {
        *self.uses.entry(x).or_default() += 1;
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
