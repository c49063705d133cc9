//! Polynomials with `i64` coefficients in normal form.

use crate::monomial::{Monomial, Sym};

/// More terms than this and an expression is given up as unknown.
const MAX_TERMS: usize = 1000;
/// The same, before equal terms are added up.
const MAX_PRODUCTS: usize = 16 * MAX_TERMS;

/// A symbolic integer: a sum of products of variables, or *unknown*.
///
/// Known polynomials are in normal form, so `==` decides whether they are the same polynomial. An unknown one
/// equals nothing, not even itself, so that no two lost values are ever taken for the same; as a map key it is
/// simply never found.
#[derive(Clone, Debug)]
pub struct Poly {
    /// Ascending by monomial, no zero coefficients; `None` when unknown.
    terms: Option<Vec<(Monomial, i64)>>,
}

impl Poly {
    /// The constant zero.
    pub fn zero() -> Poly {
        Poly { terms: Some(Vec::new()) }
    }

    /// The constant one.
    pub fn one() -> Poly {
        Poly::constant(1)
    }

    /// The expression about which nothing is known.
    pub fn unknown() -> Poly {
        Poly { terms: None }
    }

    /// A constant.
    pub fn constant(value: i64) -> Poly {
        Poly::term(Monomial::one(), value)
    }

    /// A variable.
    pub fn var(x: Sym) -> Poly {
        Poly::term(Monomial::var(x), 1)
    }

    /// A product of variables times a constant.
    pub fn term(monomial: Monomial, coefficient: i64) -> Poly {
        Poly {
            terms: Some(match coefficient {
                0 => Vec::new(),
                _ => vec![(monomial, coefficient)],
            }),
        }
    }

    /// The sum of many terms, in any order and possibly repeated.
    pub fn from_terms(terms: impl IntoIterator<Item = (Monomial, i64)>) -> Poly {
        Poly::from_sums(terms.into_iter().map(|(m, c)| (m, i128::from(c))).collect())
    }

    fn from_sums(mut sums: Vec<(Monomial, i128)>) -> Poly {
        sums.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut terms: Vec<(Monomial, i64)> = Vec::with_capacity(sums.len());
        let mut sums = sums.into_iter().peekable();
        while let Some((m, mut total)) = sums.next() {
            while let Some((_, c)) = sums.next_if(|(n, _)| *n == m) {
                match total.checked_add(c) {
                    Some(sum) => total = sum,
                    None => return Poly::unknown(),
                }
            }
            match i64::try_from(total) {
                Ok(0) => {}
                Ok(c) => terms.push((m, c)),
                Err(_) => return Poly::unknown(),
            }
        }
        Poly::ascending(terms)
    }

    /// Terms in ascending order, without zeros.
    fn ascending(terms: Vec<(Monomial, i64)>) -> Poly {
        match terms.len() > MAX_TERMS {
            true => Poly::unknown(),
            false => Poly { terms: Some(terms) },
        }
    }

    /// The expression with every coefficient changed.
    pub(crate) fn map_coefficients(&self, f: impl Fn(i64) -> i64) -> Poly {
        let changed = |terms: &Vec<(Monomial, i64)>| {
            terms.iter().map(|(m, c)| (m.clone(), f(*c))).filter(|(_, c)| *c != 0).collect()
        };
        Poly { terms: self.terms.as_ref().map(changed) }
    }

    /// The product of many expressions.
    pub fn product<'a>(factors: impl IntoIterator<Item = &'a Poly>) -> Poly {
        factors.into_iter().fold(Poly::one(), |acc, p| acc * p)
    }

    /// The sum of many expressions.
    pub fn sum<'a>(parts: impl IntoIterator<Item = &'a Poly>) -> Poly {
        parts.into_iter().fold(Poly::zero(), |acc, p| acc + p)
    }

    /// Whether the expression was kept; see the crate's introduction.
    pub fn is_known(&self) -> bool {
        self.terms.is_some()
    }

    /// The terms in ascending order; none for zero and for the unknown expression.
    pub fn terms(&self) -> &[(Monomial, i64)] {
        self.terms.as_deref().unwrap_or(&[])
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_deref()? {
            [] => Some(0),
            [(m, c)] if m.is_one() => Some(*c),
            _ => None,
        }
    }

    /// The variable, if the expression is nothing else.
    pub fn as_var(&self) -> Option<Sym> {
        match self.terms() {
            [(m, 1)] if m.degree() == 1 => m.factors().first().copied(),
            _ => None,
        }
    }

    /// Whether this is the constant zero.
    pub fn is_zero(&self) -> bool {
        self.as_constant() == Some(0)
    }

    /// Whether this is the constant one.
    pub fn is_one(&self) -> bool {
        self.as_constant() == Some(1)
    }

    /// The constant term.
    pub fn constant_term(&self) -> i64 {
        match self.terms().first() {
            Some((m, c)) if m.is_one() => *c,
            _ => 0,
        }
    }

    /// The terms but for the constant, ascending.
    pub(crate) fn variable_terms(&self) -> &[(Monomial, i64)] {
        match self.terms() {
            [(m, _), rest @ ..] if m.is_one() => rest,
            terms => terms,
        }
    }

    /// The largest number of factors in a term.
    pub fn degree(&self) -> usize {
        self.terms().last().map_or(0, |(m, _)| m.degree())
    }

    /// How much is written down: the terms and their factors.
    pub fn size(&self) -> usize {
        self.terms().iter().map(|(m, _)| 1 + m.degree()).sum()
    }

    /// The largest term in the monomial order.
    pub fn leading(&self) -> Option<&(Monomial, i64)> {
        self.terms().last()
    }

    /// Whether `x` occurs.
    pub fn mentions(&self, x: Sym) -> bool {
        self.terms().iter().any(|(m, _)| m.contains(x))
    }

    /// The variables that occur, ascending.
    pub fn vars(&self) -> Vec<Sym> {
        let factors = self.terms().iter().flat_map(|(m, _)| m.factors());
        let mut vars: Vec<Sym> = factors.copied().collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Writes the expression as `c1 * x + c0` and returns `(c1, c0)`, where `c0` does not mention `x`. If `x`
    /// occurs squared, `c1` still mentions it.
    pub fn split_on(&self, x: Sym) -> (Poly, Poly) {
        if !self.is_known() {
            return (Poly::unknown(), Poly::unknown());
        }
        let just_x = Monomial::var(x);
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (m, c) in self.terms() {
            match m.divided_by(&just_x) {
                Some(rest) => with.push((rest, *c)),
                None => without.push((m.clone(), *c)),
            }
        }
        // Monomials stay in order when a factor is taken out of all of them.
        (Poly { terms: Some(with) }, Poly { terms: Some(without) })
    }

    /// The expression with `x` replaced.
    pub fn subst(&self, x: Sym, by: &Poly) -> Poly {
        if self.is_known() && !self.mentions(x) {
            return self.clone();
        }
        self.subst_all(|y| (y == x).then(|| by.clone()))
    }

    /// The expression with all variables for which `f` answers replaced, at once.
    pub fn subst_all(&self, f: impl Fn(Sym) -> Option<Poly>) -> Poly {
        if !self.is_known() {
            return Poly::unknown();
        }
        let mut kept = Vec::new();
        let mut replaced: Vec<(Monomial, i128)> = Vec::new();
        for (m, c) in self.terms() {
            let mut by: Option<Poly> = None;
            let mut rest = m.clone();
            for &x in m.factors() {
                if let Some(p) = f(x) {
                    rest = rest.divided_by(&Monomial::var(x)).unwrap_or(rest);
                    by = Some(by.map_or_else(|| p.clone(), |q| q * &p));
                }
            }
            match by.as_ref().map(|p| &p.terms) {
                None => kept.push((m.clone(), *c)),
                Some(None) => return Poly::unknown(),
                Some(Some(terms)) => {
                    let part = |(n, d): &(Monomial, i64)| (n.times(&rest), i128::from(*d) * i128::from(*c));
                    replaced.extend(terms.iter().map(part));
                    if replaced.len() > MAX_PRODUCTS {
                        return Poly::unknown();
                    }
                }
            }
        }
        if replaced.is_empty() {
            return Poly { terms: Some(kept) };
        }
        replaced.extend(kept.into_iter().map(|(m, c)| (m, i128::from(c))));
        Poly::from_sums(replaced)
    }

    /// The value under an assignment; `None` if a variable has no value, on overflow, or when unknown.
    pub fn eval(&self, value: impl Fn(Sym) -> Option<i64>) -> Option<i64> {
        let mut total: i128 = 0;
        for (m, c) in self.terms.as_deref()? {
            let mut product = i128::from(*c);
            for &x in m.factors() {
                product = product.checked_mul(i128::from(value(x)?))?;
            }
            total = total.checked_add(product)?;
        }
        i64::try_from(total).ok()
    }

    fn combine(&self, other: &Poly, sign: i128) -> Poly {
        let (Some(a), Some(b)) = (&self.terms, &other.terms) else {
            return Poly::unknown();
        };
        let mut out = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let order = match (a.get(i), b.get(j)) {
                (Some(x), Some(y)) => x.0.cmp(&y.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, _) => std::cmp::Ordering::Greater,
            };
            let (m, c) = match order {
                std::cmp::Ordering::Less => (&a[i].0, i128::from(a[i].1)),
                std::cmp::Ordering::Greater => (&b[j].0, sign * i128::from(b[j].1)),
                std::cmp::Ordering::Equal => (&a[i].0, i128::from(a[i].1) + sign * i128::from(b[j].1)),
            };
            match i64::try_from(c) {
                Ok(0) => {}
                Ok(c) => out.push((m.clone(), c)),
                Err(_) => return Poly::unknown(),
            }
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
        }
        Poly::ascending(out)
    }

    fn multiply(&self, other: &Poly) -> Poly {
        let (Some(a), Some(b)) = (&self.terms, &other.terms) else {
            return Poly::unknown();
        };
        if a.len().saturating_mul(b.len()) > MAX_PRODUCTS {
            return Poly::unknown();
        }
        if let ([(m, c)], many) | (many, [(m, c)]) = (a.as_slice(), b.as_slice()) {
            // Monomials stay in order when all of them get the same factors.
            let product = |(n, d): &(Monomial, i64)| Some((n.times(m), c.checked_mul(*d)?));
            return many
                .iter()
                .map(product)
                .collect::<Option<_>>()
                .map_or_else(Poly::unknown, Poly::ascending);
        }
        let mut sums = Vec::with_capacity(a.len() * b.len());
        for (m, c) in a {
            sums.extend(b.iter().map(|(n, d)| (m.times(n), i128::from(*c) * i128::from(*d))));
        }
        Poly::from_sums(sums)
    }
}

impl PartialEq for Poly {
    fn eq(&self, other: &Poly) -> bool {
        match (&self.terms, &other.terms) {
            (Some(a), Some(b)) => a == b,
            (None, _) | (_, None) => false,
        }
    }
}

impl Eq for Poly {}

impl std::hash::Hash for Poly {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.terms.hash(state);
    }
}

impl From<i64> for Poly {
    fn from(value: i64) -> Poly {
        Poly::constant(value)
    }
}

impl From<Sym> for Poly {
    fn from(x: Sym) -> Poly {
        Poly::var(x)
    }
}

impl From<&Poly> for Poly {
    fn from(p: &Poly) -> Poly {
        p.clone()
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl std::ops::$trait<&Poly> for &Poly {
            type Output = Poly;
            fn $method(self, other: &Poly) -> Poly {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl std::ops::$trait<Poly> for &Poly {
            type Output = Poly;
            fn $method(self, other: Poly) -> Poly {
                std::ops::$trait::$method(self, &other)
            }
        }
        impl std::ops::$trait<&Poly> for Poly {
            type Output = Poly;
            fn $method(self, other: &Poly) -> Poly {
                std::ops::$trait::$method(&self, other)
            }
        }
        impl std::ops::$trait<Poly> for Poly {
            type Output = Poly;
            fn $method(self, other: Poly) -> Poly {
                std::ops::$trait::$method(&self, &other)
            }
        }
        impl std::ops::$trait<i64> for Poly {
            type Output = Poly;
            fn $method(self, other: i64) -> Poly {
                std::ops::$trait::$method(&self, &Poly::constant(other))
            }
        }
        impl std::ops::$trait<i64> for &Poly {
            type Output = Poly;
            fn $method(self, other: i64) -> Poly {
                std::ops::$trait::$method(self, &Poly::constant(other))
            }
        }
    };
}

operator!(Add, add, |a, b| a.combine(b, 1));
operator!(Sub, sub, |a, b| a.combine(b, -1));
operator!(Mul, mul, |a, b| a.multiply(b));

impl std::ops::Neg for &Poly {
    type Output = Poly;
    fn neg(self) -> Poly {
        Poly::zero().combine(self, -1)
    }
}

impl std::ops::Neg for Poly {
    type Output = Poly;
    fn neg(self) -> Poly {
        -&self
    }
}

#[cfg(test)]
mod tests;
