//! Variables and their products.

/// A variable. What it stands for is the caller's business; a larger number is taken to mean "defined later",
/// which only steers the order in which the prover tries things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sym(pub u32);

/// A product of variables: its factors in ascending order, repeated for powers. The empty product is one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Monomial(Vec<Sym>);

impl Monomial {
    /// The empty product.
    pub fn one() -> Self {
        Self::default()
    }

    /// The product of the given variables, in any order.
    pub fn new(mut factors: Vec<Sym>) -> Self {
        factors.sort_unstable();
        Monomial(factors)
    }

    /// The factors in ascending order, repeated for powers.
    pub fn factors(&self) -> &[Sym] {
        &self.0
    }

    /// The number of factors.
    pub fn degree(&self) -> usize {
        self.0.len()
    }

    /// Whether this is the empty product.
    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `x` is a factor.
    pub fn contains(&self, x: Sym) -> bool {
        self.0.binary_search(&x).is_ok()
    }

    /// The product of two products.
    pub fn times(&self, other: &Monomial) -> Monomial {
        let mut all = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut i, mut j) = (0, 0);
        while i < self.0.len() && j < other.0.len() {
            if self.0[i] <= other.0[j] {
                all.push(self.0[i]);
                i += 1;
            } else {
                all.push(other.0[j]);
                j += 1;
            }
        }
        all.extend_from_slice(&self.0[i..]);
        all.extend_from_slice(&other.0[j..]);
        Monomial(all)
    }

    /// What is left after taking the factors of `other` out, if they are all there.
    pub fn divided_by(&self, other: &Monomial) -> Option<Monomial> {
        let mut rest = Vec::with_capacity(self.0.len());
        let mut j = 0;
        for &x in &self.0 {
            if other.0.get(j) == Some(&x) {
                j += 1;
            } else {
                rest.push(x);
            }
        }
        (j == other.0.len()).then_some(Monomial(rest))
    }

    /// The factors that two products share.
    pub fn common(&self, other: &Monomial) -> Monomial {
        let mut shared = Vec::new();
        let (mut i, mut j) = (0, 0);
        while i < self.0.len() && j < other.0.len() {
            match self.0[i].cmp(&other.0[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    shared.push(self.0[i]);
                    i += 1;
                    j += 1;
                }
            }
        }
        Monomial(shared)
    }
}

/// Fewer factors first, then by the factors. Multiplying both sides by the same product keeps the order, which
/// is what polynomial division needs.
impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
