use crate::{Monomial, Poly, Sym};
use proptest::prelude::*;

fn x(i: u32) -> Poly {
    Poly::var(Sym(i))
}

fn arb_poly() -> impl Strategy<Value = Poly> {
    let term = (prop::collection::vec(0u32..4, 0..3), -5i64..6);
    prop::collection::vec(term, 0..5).prop_map(|terms| {
        Poly::from_terms(
            terms.into_iter().map(|(vars, c)| (Monomial::new(vars.into_iter().map(Sym).collect()), c)),
        )
    })
}

fn eval(p: &Poly, values: &[i64]) -> i64 {
    p.eval(|s| values.get(s.0 as usize).copied()).expect("small values")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn arithmetic_agrees_with_evaluation(
        p in arb_poly(), q in arb_poly(), v in prop::collection::vec(-9i64..10, 4)
    ) {
        let (a, b) = (eval(&p, &v), eval(&q, &v));
        prop_assert_eq!(eval(&(&p + &q), &v), a + b);
        prop_assert_eq!(eval(&(&p - &q), &v), a - b);
        prop_assert_eq!(eval(&(&p * &q), &v), a * b);
        prop_assert_eq!(eval(&-&p, &v), -a);
    }

    #[test]
    fn normal_forms_are_unique(p in arb_poly(), q in arb_poly()) {
        prop_assert_eq!(&p + &q, &q + &p);
        prop_assert_eq!(&p * &q, &q * &p);
        prop_assert!((&p - &p).is_zero());
        prop_assert_eq!((&p + &q) * (&p - &q), &p * &p - &q * &q);
    }

    #[test]
    fn substitution_agrees_with_evaluation(
        p in arb_poly(), q in arb_poly(), i in 0u32..4, v in prop::collection::vec(-9i64..10, 4)
    ) {
        let mut w = v.clone();
        w[i as usize] = eval(&q, &v);
        prop_assert_eq!(eval(&p.subst(Sym(i), &q), &v), eval(&p, &w));
    }

    #[test]
    fn splitting_on_a_variable_loses_nothing(p in arb_poly(), i in 0u32..4) {
        let (c1, c0) = p.split_on(Sym(i));
        prop_assert!(!c0.mentions(Sym(i)));
        prop_assert_eq!(c1 * x(i) + c0, p);
    }

    #[test]
    fn division_has_quotient_and_remainder(p in arb_poly(), q in arb_poly()) {
        if let Some((quotient, remainder)) = p.div_rem(&q) {
            prop_assert_eq!(quotient * &q + remainder, p.clone());
        }
        if !q.is_zero() {
            prop_assert_eq!((&p * &q).div_exact(&q), Some(p));
        }
    }

    #[test]
    fn tightening_keeps_the_sign(p in arb_poly(), v in prop::collection::vec(-9i64..10, 4)) {
        prop_assert_eq!(eval(&p, &v) >= 0, eval(&p.tighten(), &v) >= 0);
    }
}

#[test]
fn text_has_large_terms_first() {
    let p = x(0) * x(1) * 3 - x(1) + 7;
    assert_eq!(p.to_string(), "3*x0*x1 - x1 + 7");
    assert_eq!(p.text(|s| ["n", "m"][s.0 as usize].to_string()), "3*n*m - m + 7");
    assert_eq!((-x(0)).to_string(), "-x0");
    assert_eq!(Poly::zero().to_string(), "0");
    assert_eq!(Poly::unknown().to_string(), "?");
}

#[test]
fn overflow_is_unknown_and_absorbs() {
    let big = Poly::constant(i64::MAX);
    let lost = &big * &big;
    assert!(!lost.is_known());
    assert!(!(&lost * &Poly::zero()).is_known());
    assert!(!(&lost + &x(0)).is_known());
    assert!(!(x(0) * big * x(1) * 2).is_known());
    assert_ne!(lost, lost.clone());
    assert_eq!(lost.as_constant(), None);
    assert_eq!(lost.eval(|_| Some(0)), None);
    assert_eq!(Poly::constant(i64::MIN).eval(|_| None), Some(i64::MIN));
}

#[test]
fn quotients_follow_the_leading_term() {
    let (n, b) = (x(1), x(0));
    let stride = &n * &b - &b;
    assert_eq!((&n * &b).div_rem(&stride), Some((Poly::one(), b)));
    assert_eq!(n.div_rem(&Poly::zero()), None);
    assert_eq!(Poly::constant(7).div_rem(&Poly::constant(-2)), Some((Poly::constant(-3), Poly::constant(1))));
}
