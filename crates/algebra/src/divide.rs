//! Division of polynomials: quotients, contents, common factors.

use crate::monomial::Monomial;
use crate::poly::Poly;

/// A division that takes more steps than this is not worth its result.
const MAX_STEPS: usize = 400;

impl Poly {
    /// Some `(q, r)` with `self = q * divisor + r`, where no term of `r` could be reduced further by the leading
    /// term of the divisor. `None` for a zero divisor, unknown parts, or too much work.
    ///
    /// The remainder says nothing about sizes: `nb` divided by `nb - b` gives `1` and `b`, which is the useful
    /// answer only if `b` happens to be small.
    pub fn div_rem(&self, divisor: &Poly) -> Option<(Poly, Poly)> {
        let (lead, lead_c) = divisor.leading()?;
        let mut rest = self.clone();
        let mut quotient = Poly::zero();
        let mut remainder = Vec::new();
        for _ in 0..MAX_STEPS {
            if !rest.is_known() {
                return None;
            }
            let Some((m, c)) = rest.leading().cloned() else {
                return Some((quotient, Poly::from_terms(remainder)));
            };
            let step = m.divided_by(lead).and_then(|m| {
                let c = c.checked_div_euclid(*lead_c)?;
                (c != 0).then(|| Poly::term(m, c))
            });
            if let Some(step) = step {
                rest = rest - &step * divisor;
                quotient = quotient + step;
            }
            if let Some((top, c)) = rest.leading().cloned() {
                if top == m {
                    remainder.push((m.clone(), c));
                    rest = rest - Poly::term(m, c);
                }
            }
        }
        None
    }

    /// The polynomial `q` with `self = q * divisor`, if there is one.
    pub fn div_exact(&self, divisor: &Poly) -> Option<Poly> {
        if divisor.is_one() {
            return self.is_known().then(|| self.clone());
        }
        let (q, r) = self.div_rem(divisor)?;
        r.is_zero().then_some(q)
    }

    /// The largest monomial that divides every term (one for zero).
    pub fn common_monomial(&self) -> Monomial {
        let mut terms = self.terms().iter().map(|(m, _)| m);
        let Some(first) = terms.next() else {
            return Monomial::one();
        };
        terms.fold(first.clone(), |acc, m| acc.common(m))
    }

    /// The greatest common divisor of the coefficients, at least zero.
    pub fn content(&self) -> u64 {
        gcd_of(self.terms().iter().map(|(_, c)| *c))
    }

    /// The strongest polynomial `q` such that `self >= 0` exactly when `q >= 0`: coefficients are divided by
    /// what they share, and the constant is rounded down, since values are integers.
    pub fn tighten(&self) -> Poly {
        let variable = self.terms().iter().filter(|(m, _)| !m.is_one());
        let shared = gcd_of(variable.map(|(_, c)| *c));
        let Ok(shared) = i64::try_from(shared) else {
            return self.clone();
        };
        if shared <= 1 {
            return self.clone();
        }
        self.map_coefficients(|c| c.div_euclid(shared))
    }
}

fn gcd_of(numbers: impl Iterator<Item = i64>) -> u64 {
    numbers.fold(0, |acc, c| gcd(acc, c.unsigned_abs()))
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
