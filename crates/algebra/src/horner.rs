//! From symbolic integers to code: a polynomial as few multiplications and
//! additions, the variable in most terms taken out first, so that
//! `i*n*m + j*m + k` becomes `(i*n + j)*m + k`.

use crate::{Monomial, Poly, Sym};

/// What the arithmetic is done with.
pub trait Arith {
    /// A value.
    type Value;
    /// A constant.
    fn constant(&mut self, c: i64) -> Self::Value;
    /// A variable.
    fn var(&mut self, x: Sym) -> Self::Value;
    /// A sum.
    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// A difference.
    fn sub(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// A product.
    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
}

/// Computes a polynomial; nothing if it is not known.
pub fn horner<A: Arith>(arith: &mut A, p: &Poly) -> Option<A::Value> {
    p.is_known().then(|| sum(arith, p.terms().to_vec()))
}

/// Terms, each a product of variables and a coefficient.
type Terms = Vec<(Monomial, i64)>;

fn sum<A: Arith>(arith: &mut A, terms: Terms) -> A::Value {
    let Some(x) = most_frequent(&terms) else {
        return terms_apart(arith, terms);
    };
    let just_x = Monomial::var(x);
    let (mut with, mut without) = (vec![], vec![]);
    for (m, c) in terms {
        match m.divided_by(&just_x) {
            Some(rest) => with.push((rest, c)),
            None => without.push((m, c)),
        }
    }
    let factor = sum(arith, with);
    let x = arith.var(x);
    let product = arith.mul(factor, x);
    if without.is_empty() {
        return product;
    }
    let negative = without.iter().all(|(_, c)| *c < 0 && *c != i64::MIN);
    if negative {
        let rest = sum(arith, without.into_iter().map(|(m, c)| (m, -c)).collect());
        return arith.sub(product, rest);
    }
    let rest = sum(arith, without);
    arith.add(product, rest)
}

/// The variable that is in most terms, if in more than one.
fn most_frequent(terms: &Terms) -> Option<Sym> {
    let mut vars: Vec<Sym> = vec![];
    for (m, _) in terms {
        let mut here = m.factors().to_vec();
        here.dedup();
        vars.extend(here);
    }
    vars.sort_unstable();
    let mut best: Option<(usize, Sym)> = None;
    let mut rest = &vars[..];
    while let Some(x) = rest.first() {
        let n = rest.iter().take_while(|y| *y == x).count();
        if n > 1 && best.is_none_or(|(most, _)| n > most) {
            best = Some((n, *x));
        }
        rest = &rest[n..];
    }
    best.map(|(_, x)| x)
}

/// A sum whose terms have nothing in common: positive ones first, the constant last.
fn terms_apart<A: Arith>(arith: &mut A, mut terms: Terms) -> A::Value {
    terms.sort_by_key(|(m, c)| (m.is_one(), *c < 0));
    let mut total: Option<A::Value> = None;
    for (m, c) in terms {
        total = Some(match total {
            None => term(arith, &m, c),
            Some(t) if c < 0 && c != i64::MIN => {
                let value = term(arith, &m, -c);
                arith.sub(t, value)
            }
            Some(t) => {
                let value = term(arith, &m, c);
                arith.add(t, value)
            }
        });
    }
    total.unwrap_or_else(|| arith.constant(0))
}

fn term<A: Arith>(arith: &mut A, m: &Monomial, c: i64) -> A::Value {
    let mut product: Option<A::Value> = None;
    for x in m.factors() {
        let x = arith.var(*x);
        product = Some(match product {
            None => x,
            Some(p) => arith.mul(p, x),
        });
    }
    match product {
        None => arith.constant(c),
        Some(p) if c == 1 => p,
        Some(p) => {
            let c = arith.constant(c);
            arith.mul(p, c)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text;
    impl Arith for Text {
        type Value = String;
        fn constant(&mut self, c: i64) -> String {
            c.to_string()
        }
        fn var(&mut self, x: Sym) -> String {
            format!("x{}", x.0)
        }
        fn add(&mut self, a: String, b: String) -> String {
            format!("({a} + {b})")
        }
        fn sub(&mut self, a: String, b: String) -> String {
            format!("({a} - {b})")
        }
        fn mul(&mut self, a: String, b: String) -> String {
            format!("({a} * {b})")
        }
    }

    fn v(x: u32) -> Poly {
        Poly::var(Sym(x))
    }

    #[test]
    fn common_factors_are_taken_out() {
        let (i, n, j, m, k) = (v(0), v(1), v(2), v(3), v(4));
        let p = &i * &n * &m + &j * &m + &k;
        assert_eq!(horner(&mut Text, &p).as_deref(), Some("(((x2 + (x0 * x1)) * x3) + x4)"));
    }

    #[test]
    fn signs_and_constants() {
        let p = v(0) * Poly::constant(3) - v(1) - 5;
        assert_eq!(horner(&mut Text, &p).as_deref(), Some("(((x0 * 3) - x1) - 5)"));
        assert_eq!(horner(&mut Text, &Poly::zero()).as_deref(), Some("0"));
        assert_eq!(horner(&mut Text, &(v(0) * v(0) - v(0))).as_deref(), Some("((x0 - 1) * x0)"));
    }
}
