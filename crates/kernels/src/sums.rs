//! What indices and sizes are, as polynomials: sums and differences of 64 bits are looked through.
//!
//! ```text
//! host: m = n - 1      kernel: j = i + m      j is i + n - 1
//! ```

use fehu_algebra::Poly;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimValue};
use fehu_base::Name;
use fehu_ir::{Basic, SubExp};
use rustc_hash::FxHashMap;

/// The largest constant in a sum of which something is known, by its absolute value: sums of a body's length of such do not wrap around.
const MOST_IN_SUMS: i64 = 1 << 40;
/// How many sums of the host are looked through to find what a size is.
const MOST_SUMS: usize = 4;

/// Sums and differences of 64 bits, by name.
pub(crate) type Sums = FxHashMap<Name, (BinOp, SubExp, SubExp)>;

/// Such a sum.
pub(crate) fn as_sum(basic: &Basic) -> Option<(BinOp, SubExp, SubExp)> {
    let Basic::BinOp(op @ (BinOp::Add(IntType::I64) | BinOp::Sub(IntType::I64)), a, b) = basic else {
        return None;
    };
    Some((*op, *a, *b))
}

/// The names of a kernel that are known, and the sums of the host.
pub(crate) struct Known<'s> {
    known: FxHashMap<Name, Poly>,
    sums: &'s Sums,
}

impl<'s> Known<'s> {
    /// These names are known.
    pub(crate) fn new(known: FxHashMap<Name, Poly>, sums: &'s Sums) -> Known<'s> {
        Known { known, sums }
    }

    pub(crate) fn insert(&mut self, name: Name, value: Poly) {
        self.known.insert(name, value);
    }

    /// Remembers a name, if what it stands for is a sum of what is known.
    pub(crate) fn learn(&mut self, name: Name, basic: &Basic) {
        let sum = as_sum(basic).and_then(|(op, a, b)| self.sum(op, a, b, MOST_SUMS));
        self.known.extend(sum.map(|sum| (name, sum)));
    }

    /// What is known of an operand of 64 bits.
    pub(crate) fn poly(&self, e: SubExp) -> Option<Poly> {
        self.poly_within(e, MOST_SUMS)
    }

    fn sum(&self, op: BinOp, a: SubExp, b: SubExp, sums: usize) -> Option<Poly> {
        let (a, b) = (self.poly_within(a, sums)?, self.poly_within(b, sums)?);
        Some(if op == BinOp::Add(IntType::I64) { a + b } else { a - b })
    }

    fn poly_within(&self, e: SubExp, sums: usize) -> Option<Poly> {
        match e {
            SubExp::Const(PrimValue::I64(c)) => {
                (c.saturating_abs() <= MOST_IN_SUMS).then(|| Poly::constant(c))
            }
            SubExp::Const(_) => None,
            SubExp::Var(n) => match (self.known.get(&n), self.sums.get(&n)) {
                (Some(known), _) => Some(known.clone()),
                (None, Some((op, a, b))) if sums > 0 => self.sum(*op, *a, *b, sums - 1),
                (None, _) => None,
            },
        }
    }
}
