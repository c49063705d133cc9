use crate::{Facts, Poly, Sym};

fn x(i: u32) -> Poly {
    Poly::var(Sym(i))
}

#[test]
fn equalities_rewrite_and_never_loop() {
    let mut f = Facts::new();
    f.assume_eq(&x(1), &(x(0) * 2));
    f.assume_eq(&x(2), &(x(1) + 1));
    f.assume_eq(&x(0), &x(2));
    assert_eq!(f.normalise(&x(2)), f.normalise(&(x(0) * 2 + 1)));
    // The three together say x0 = -1.
    assert!(f.eq(&x(0), &Poly::constant(-1)));
    assert!(f.eq(&x(1), &Poly::constant(-2)));
}

#[test]
fn later_equalities_reach_earlier_facts() {
    let (n, q, b) = (x(0), x(1), x(2));
    let mut f = Facts::new();
    f.assume_le(&Poly::constant(5), &n);
    f.assume_eq(&n, &(&q * &b + 1));
    assert!(f.le(&Poly::constant(4), &(&q * &b)));
}

#[test]
fn what_a_clone_learns_stays_with_the_clone() {
    let mut outer = Facts::new();
    outer.assume_size(Sym(0));
    let mut inner = outer.clone();
    for i in 1..40 {
        inner = inner.clone();
        let kept = inner.clone();
        inner.assume_lt(&x(i - 1), &x(i));
        assert!(!kept.nonneg(&(x(i) - 1)));
        assert!(inner.nonneg(&(x(i) - 1)));
    }
    assert!(!outer.nonneg(&x(1)));
    assert!(inner.nonneg(&x(0)));
}

#[test]
fn quotients_and_remainders() {
    let (n, b) = (x(0), x(1));
    let (q, r) = (Sym(2), Sym(3));
    let mut f = Facts::new();
    f.assume_size(Sym(0));
    f.assume_le(&Poly::constant(1), &b);
    f.assume_remainder(r, q, &n, &b);
    assert!(f.le(&(Poly::var(q) * &b), &n));
    assert!(f.lt(&Poly::var(r), &b));
    assert!(f.nonneg(&Poly::var(r)));
    assert!(f.eq(&(Poly::var(q) * &b + Poly::var(r)), &n));
    f.assume_quotient(Sym(4), &(&n * &b), &b);
    assert!(f.eq(&x(4), &n));
}

#[test]
fn minima_and_maxima() {
    let (a, b) = (x(0), x(1));
    let mut f = Facts::new();
    f.assume_le(&Poly::constant(3), &a);
    f.assume_le(&Poly::constant(5), &b);
    f.assume_min(Sym(2), &a, &b);
    f.assume_max(Sym(3), &a, &b);
    assert!(f.le(&Poly::constant(3), &x(2)));
    assert!(f.le(&x(2), &b));
    assert!(f.le(&x(3), &(&a + &b)));
    assert!(f.le(&x(2), &x(3)));
    assert!(!f.le(&Poly::constant(4), &x(2)));
}

#[test]
fn divisibility() {
    let (n, m, b) = (x(0), x(1), x(2));
    let mut f = Facts::new();
    assert!(f.divides(&b, &(&b * &n - &b * 3)));
    assert!(!f.divides(&b, &n));
    assert!(f.divides(&Poly::constant(4), &(&n * 8 + 12)));
    assert!(!f.divides(&Poly::constant(4), &(&n * 8 + 6)));
    f.assume_divides(&(&b * 4), &n);
    assert!(f.divides(&b, &(&n * &m + &b)));
    assert!(f.divides(&Poly::constant(2), &(&n + 6)));
    assert!(!f.divides(&Poly::constant(8), &n));
    f.assume_eq(&m, &(&b * 7));
    assert!(f.divides(&b, &(&m - &n)));
    assert!(!f.divides(&Poly::zero(), &n));
    assert!(!f.divides(&b, &Poly::unknown()));
}

#[test]
fn bounds_follow_later_facts() {
    let mut f = Facts::new();
    for i in 1..100 {
        f.assume_lt(&x(i - 1), &x(i));
    }
    let before = f.clone();
    f.assume_le(&Poly::constant(3), &x(0));
    assert!(f.le(&Poly::constant(102), &x(99)));
    assert!(!before.le(&Poly::constant(102), &x(99)));
    f.assume_le(&x(99), &Poly::constant(102));
    assert_eq!(f.bounds_of(Sym(50)).high, Some(53));
}

#[test]
fn bounds_of_facts_that_contradict_each_other_are_left_alone_in_the_end() {
    let mut f = Facts::new();
    f.assume_size(Sym(0));
    f.assume_lt(&x(0), &x(1));
    f.assume_lt(&x(1), &x(0));
    assert!(f.lt(&x(0), &x(1)));
}

#[test]
fn bounds_come_from_products() {
    let mut f = Facts::new();
    f.assume_size(Sym(0));
    f.assume_le(&Poly::constant(1), &(x(0) * x(1)));
    f.assume_size(Sym(1));
    assert_eq!([f.bounds_of(Sym(0)).low, f.bounds_of(Sym(1)).low], [Some(1), Some(1)]);
    assert!(f.positive(&x(0)));
    assert!(f.positive(&x(1)));
}
