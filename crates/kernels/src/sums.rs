//! What indices and sizes are, as polynomials: sums and differences of 64 bits are looked through.
//!
//! ```text
//! host: m = n - 1                      kernel: j = i + m      j is i + n - 1
//! host: m = -1 mod max(n, 1)           kernel: j = i + m      j is i + n - 1, if n is at least 1
//! ```
//!
//! Rotations leave remainders of constants by sizes, which are known where sizes are known to be at least as large.
//!
//! Programs that keep indices in 32 bits convert them there and back. Where all sizes are known to be at most
//! [`MOST_NARROW_SIZE`], an index or a size and a small constant is the same in 32 bits.

use fehu_algebra::Poly;
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimValue};
use fehu_base::Name;
use fehu_ir::mem::{poly, sym};
use fehu_ir::{Basic, SubExp};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// The largest constant in a sum of which something is known, by its absolute value: sums of a body's length
/// of such do not wrap around.
const MOST_IN_SUMS: i64 = 1 << 40;
/// How many sums of the host are looked through to find what a size is.
const MOST_SUMS: usize = 4;

/// Sizes at most, if numbers of 32 bits are to be known.
pub(crate) const MOST_NARROW_SIZE: i64 = 1 << 30;
/// The largest constant, by its absolute value, that such numbers may have besides an index or a size.
const MOST_IN_NARROW_SUMS: i64 = 1 << 20;

/// Sums and differences of 64 bits, by name; of the host also remainders and maxima, and what is done in 32
/// bits: a conversion is a sum with nothing.
pub(crate) type Sums = FxHashMap<Name, (BinOp, SubExp, SubExp)>;

/// Such a sum.
pub(crate) fn as_sum(basic: &Basic) -> Option<(BinOp, SubExp, SubExp)> {
    let Basic::BinOp(op @ (BinOp::Add(IntType::I64) | BinOp::Sub(IntType::I64)), a, b) = basic else {
        return None;
    };
    Some((*op, *a, *b))
}

/// What a statement of the host computes: such a sum, or what it takes to know remainders by sizes.
pub(crate) fn as_host_sum(basic: &Basic) -> Option<(BinOp, SubExp, SubExp)> {
    if let Basic::BinOp(op @ (BinOp::SMod(IntType::I64) | BinOp::SMax(IntType::I64)), a, b) = basic {
        return Some((*op, *a, *b));
    }
    as_sum(basic).or_else(|| as_narrow_sum(basic))
}

/// A sum, a difference or a conversion that has to do with 32 bits, as a sum of 32 bits.
fn as_narrow_sum(basic: &Basic) -> Option<(BinOp, SubExp, SubExp)> {
    if let Basic::BinOp(op @ (BinOp::Add(IntType::I32) | BinOp::Sub(IntType::I32)), a, b) = basic {
        return Some((*op, *a, *b));
    }
    let Basic::Conv(ConvOp::SExt(from, to), a) = basic else { return None };
    let sum_of = match (from, to) {
        (IntType::I64, IntType::I32) => IntType::I32,
        (IntType::I32, IntType::I64) => IntType::I64,
        (IntType::I8 | IntType::I16 | IntType::I32 | IntType::I64, _) => return None,
    };
    Some((BinOp::Add(sum_of), *a, SubExp::i64(0)))
}

/// The names of a kernel that are known, and the sums of the host.
pub(crate) struct Known<'s> {
    known: FxHashMap<Name, Poly>,
    sums: &'s Sums,
    /// Sizes that are known to be at least so large, and those of which that was used.
    at_least: Vec<(Name, i64)>,
    asked_sizes: RefCell<Vec<Name>>,
    /// The indices and sizes that are at most [`MOST_NARROW_SIZE`], and whether a number of 32 bits was asked for.
    narrow: Vec<Name>,
    asked_narrow: Cell<bool>,
}

impl<'s> Known<'s> {
    /// These names are known.
    pub(crate) fn new(known: FxHashMap<Name, Poly>, sums: &'s Sums) -> Known<'s> {
        let asked_sizes = RefCell::new(vec![]);
        Known { known, sums, at_least: vec![], asked_sizes, narrow: vec![], asked_narrow: Cell::new(false) }
    }

    /// The same, where these indices and sizes are at most [`MOST_NARROW_SIZE`].
    pub(crate) fn with_narrow(self, names: Vec<Name>) -> Known<'s> {
        Known { narrow: names, ..self }
    }

    /// Whether that may have been used.
    pub(crate) fn asked_narrow(&self) -> bool {
        self.asked_narrow.get()
    }

    /// The same, with a size, which is known, that is at least so large.
    pub(crate) fn with_size(mut self, size: Name, at_least: i64) -> Known<'s> {
        self.at_least.push((size, at_least));
        self
    }

    /// The sizes of which that may have been used.
    pub(crate) fn asked_sizes(&self) -> Vec<Name> {
        self.asked_sizes.borrow().clone()
    }

    pub(crate) fn insert(&mut self, name: Name, value: Poly) {
        self.known.insert(name, value);
    }

    /// Remembers a name, if what it stands for is a sum of what is known.
    pub(crate) fn learn(&mut self, name: Name, basic: &Basic) {
        let sum = as_sum(basic).or_else(|| as_narrow_sum(basic));
        let sum = sum.and_then(|(op, a, b)| self.sum(op, a, b, MOST_SUMS));
        self.known.extend(sum.map(|sum| (name, sum)));
    }

    /// What is known of an operand of 64 bits.
    pub(crate) fn poly(&self, e: SubExp) -> Option<Poly> {
        self.poly_within(e, MOST_SUMS)
    }

    fn sum(&self, op: BinOp, a: SubExp, b: SubExp, sums: usize) -> Option<Poly> {
        if op == BinOp::SMod(IntType::I64) {
            return self.remainder(a.as_i64()?, b);
        }
        if op == BinOp::SMax(IntType::I64) {
            return None;
        }
        let (a, b) = (self.poly_within(a, sums)?, self.poly_within(b, sums)?);
        let is_narrow = matches!(op, BinOp::Add(IntType::I32) | BinOp::Sub(IntType::I32));
        let sum = if matches!(op, BinOp::Add(_)) { a + b } else { a - b };
        if is_narrow {
            self.asked_narrow.set(true);
        }
        (!is_narrow || self.fits_narrow(&sum)).then_some(sum)
    }

    /// Whether a number is an index or a size and a small constant, or just that: it does not wrap around in 32 bits.
    fn fits_narrow(&self, sum: &Poly) -> bool {
        let is_small = |p: &Poly| p.as_constant().is_some_and(|c| c.saturating_abs() <= MOST_IN_NARROW_SUMS);
        is_small(sum) || self.narrow.iter().any(|x| is_small(&(sum - &Poly::var(sym(*x)))))
    }

    /// A constant modulo a size that is known to be large, or modulo its maximum with 1.
    fn remainder(&self, c: i64, by: SubExp) -> Option<Poly> {
        let sizes = self.at_least.iter().filter(|(_, at_least)| *at_least >= 1);
        let (size, remainder) = sizes.filter_map(|of| Some((of.0, self.remainder_of(c, by, *of)?))).next()?;
        self.asked_sizes.borrow_mut().push(size);
        Some(remainder)
    }

    fn remainder_of(&self, c: i64, by: SubExp, (size, at_least): (Name, i64)) -> Option<Poly> {
        let is_size = |e: SubExp| e == SubExp::Var(size);
        let is_max = |by: Name| match self.sums.get(&by) {
            Some((BinOp::SMax(IntType::I64), a, b)) => {
                let one = SubExp::i64(1);
                (is_size(*a) && *b == one) || (is_size(*b) && *a == one)
            }
            Some(_) | None => false,
        };
        if !is_size(by) && !by.name().is_some_and(is_max) {
            return None;
        }
        match c {
            0.. => (c < at_least).then(|| Poly::constant(c)),
            _ => (c.checked_neg()? <= at_least).then(|| poly(size.into()) + Poly::constant(c)),
        }
    }

    fn poly_within(&self, e: SubExp, sums: usize) -> Option<Poly> {
        match e {
            SubExp::Const(PrimValue::I64(c)) => {
                (c.saturating_abs() <= MOST_IN_SUMS).then(|| Poly::constant(c))
            }
            SubExp::Const(PrimValue::I32(c)) => Some(Poly::constant(c.into())),
            SubExp::Const(_) => None,
            SubExp::Var(n) => match (self.known.get(&n), self.sums.get(&n)) {
                (Some(known), _) => Some(known.clone()),
                (None, Some((op, a, b))) if sums > 0 => self.sum(*op, *a, *b, sums - 1),
                (None, _) => None,
            },
        }
    }
}
