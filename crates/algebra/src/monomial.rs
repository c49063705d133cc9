//! Variables and their products.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A variable. What it stands for is the caller's business; a larger number is taken to mean "defined later",
/// which only steers the order in which the prover tries things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Sym(pub u32);

/// Products of at most this many factors are stored without an allocation: nearly all are, and the prover copies
/// millions of them.
const INLINE: usize = 5;

/// A product of variables: its factors in ascending order, repeated for powers. The empty product is one.
#[derive(Clone)]
pub struct Monomial(Factors);

#[derive(Clone)]
enum Factors {
    Few { len: u8, first: [Sym; INLINE] },
    Many(Box<[Sym]>),
}

impl Monomial {
    /// The empty product.
    pub fn one() -> Self {
        Monomial(Factors::Few { len: 0, first: [Sym(0); INLINE] })
    }

    /// A single variable.
    pub fn var(x: Sym) -> Self {
        let mut first = [Sym(0); INLINE];
        first[0] = x;
        Monomial(Factors::Few { len: 1, first })
    }

    /// The product of the given variables, in any order.
    pub fn new(mut factors: Vec<Sym>) -> Self {
        factors.sort_unstable();
        Monomial::ascending(&factors)
    }

    /// The product of variables in ascending order.
    fn ascending(factors: &[Sym]) -> Self {
        if factors.len() > INLINE {
            return Monomial(Factors::Many(factors.into()));
        }
        let mut first = [Sym(0); INLINE];
        first[..factors.len()].copy_from_slice(factors);
        Monomial(Factors::Few { len: factors.len() as u8, first })
    }

    /// The factors in ascending order, repeated for powers.
    pub fn factors(&self) -> &[Sym] {
        match &self.0 {
            Factors::Few { len, first } => &first[..usize::from(*len)],
            Factors::Many(all) => all,
        }
    }

    /// The number of factors.
    pub fn degree(&self) -> usize {
        match &self.0 {
            Factors::Few { len, .. } => usize::from(*len),
            Factors::Many(all) => all.len(),
        }
    }

    /// Whether this is the empty product.
    pub fn is_one(&self) -> bool {
        self.degree() == 0
    }

    /// Whether `x` is a factor.
    pub fn contains(&self, x: Sym) -> bool {
        self.factors().contains(&x)
    }

    /// The product of two products.
    pub fn times(&self, other: &Monomial) -> Monomial {
        let (a, b) = (self.factors(), other.factors());
        if b.is_empty() {
            return self.clone();
        }
        if a.is_empty() {
            return other.clone();
        }
        let mut all = Collected::default();
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            if a[i] <= b[j] {
                all.push(a[i]);
                i += 1;
            } else {
                all.push(b[j]);
                j += 1;
            }
        }
        a[i..].iter().chain(&b[j..]).for_each(|x| all.push(*x));
        all.finish()
    }

    /// What is left after taking the factors of `other` out, if they are all there.
    pub fn divided_by(&self, other: &Monomial) -> Option<Monomial> {
        let (own, out) = (self.factors(), other.factors());
        if out.len() > own.len() {
            return None;
        }
        let mut rest = Collected::default();
        let mut j = 0;
        for &x in own {
            if out.get(j) == Some(&x) {
                j += 1;
            } else {
                rest.push(x);
            }
        }
        (j == out.len()).then(|| rest.finish())
    }

    /// The factors that two products share.
    pub fn common(&self, other: &Monomial) -> Monomial {
        let (a, b) = (self.factors(), other.factors());
        let mut shared = Collected::default();
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                Ordering::Less => i += 1,
                Ordering::Greater => j += 1,
                Ordering::Equal => {
                    shared.push(a[i]);
                    i += 1;
                    j += 1;
                }
            }
        }
        shared.finish()
    }
}

/// Factors that are being collected in ascending order.
#[derive(Default)]
struct Collected {
    len: usize,
    first: [Sym; INLINE],
    /// All of them, once there are too many.
    all: Vec<Sym>,
}

impl Collected {
    fn push(&mut self, x: Sym) {
        match self.len.cmp(&INLINE) {
            Ordering::Less => self.first[self.len] = x,
            Ordering::Equal => {
                self.all.extend_from_slice(&self.first);
                self.all.push(x);
            }
            Ordering::Greater => self.all.push(x),
        }
        self.len += 1;
    }

    fn finish(self) -> Monomial {
        match self.len <= INLINE {
            true => Monomial(Factors::Few { len: self.len as u8, first: self.first }),
            false => Monomial(Factors::Many(self.all.into())),
        }
    }
}

impl Default for Monomial {
    fn default() -> Monomial {
        Monomial::one()
    }
}

impl std::fmt::Debug for Monomial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Monomial").field(&self.factors()).finish()
    }
}

impl PartialEq for Monomial {
    fn eq(&self, other: &Monomial) -> bool {
        self.factors() == other.factors()
    }
}

impl Eq for Monomial {}

impl Hash for Monomial {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.factors().hash(state);
    }
}

/// Fewer factors first, then by the factors. Multiplying both sides by the same product keeps the order, which
/// is what polynomial division needs.
impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        self.degree().cmp(&other.degree()).then_with(|| self.factors().cmp(other.factors()))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
