//! Sets of points: whatever is proven holds of the enumerated points.

use super::brute::{arb_constant, arb_symbolic, c, points, x};
use crate::{covers, disjoint, injective, Dim, Lmad, Summary};
use fehu_algebra::{Facts, Sym};
use proptest::prelude::*;

const VARS: u32 = 3;

fn positive_vars() -> Facts {
    let mut facts = Facts::new();
    for i in 0..VARS {
        facts.assume_le(&c(1), &x(i));
    }
    facts
}

/// Facts that relate the variables, each with its meaning.
type Relation = (fn(&mut Facts), fn(&[i64]) -> bool);

const RELATIONS: [Relation; 6] = [
    (|_| {}, |_| true),
    (|f| f.assume_lt(&x(0), &x(1)), |v| v[0] < v[1]),
    (|f| f.assume_eq(&x(1), &(x(0) * x(2) + 1)), |v| v[1] == v[0] * v[2] + 1),
    (|f| f.assume_le(&(x(0) * x(2)), &x(1)), |v| v[0] * v[2] <= v[1]),
    (|f| f.assume_min(Sym(2), &x(0), &x(1)), |v| v[2] == v[0].min(v[1])),
    (|f| f.assume_quotient(Sym(2), &x(1), &x(0)), |v| v[2] == v[1] / v[0]),
];

/// All assignments of the variables to small positive numbers.
fn assignments() -> impl Iterator<Item = Vec<i64>> {
    (0..144).map(|k| vec![k % 4 + 1, k / 4 % 9 + 1, k / 36 + 1])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn constant_sets(a in arb_constant(), b in arb_constant()) {
        let facts = Facts::new();
        let (p, q) = (points(&a, &[]), points(&b, &[]));
        if disjoint(&facts, &a, &b) {
            prop_assert!(p.is_disjoint(&q), "{a} and {b}");
        }
        if covers(&facts, &a, &b) {
            prop_assert!(p.is_superset(&q), "{a} covers {b}");
        }
        prop_assert!(q.is_empty() || covers(&facts, &b, &b));
        let indices = a.elements().as_constant().expect("constant");
        if injective(&facts, &a) {
            prop_assert_eq!(p.len() as i64, indices);
        }
        if let Some(n) = a.normalise(&facts) {
            prop_assert_eq!(points(&n, &[]), p.clone());
            prop_assert!(n.dims.windows(2).all(|w| facts.le(&w[1].stride, &w[0].stride)));
            prop_assert!(n.dims.iter().all(|d| facts.positive(&d.stride)));
            prop_assert_eq!(points(&n.join_all(&facts), &[]), p.clone());
        }
        if let (Some((low, high)), Some(first), Some(last)) = (a.bounds(&facts), p.first(), p.last()) {
            prop_assert_eq!((low, high), (c(*first), c(*last)));
        }
        if let Some(both) = a.union(&facts, &b) {
            let both = points(&both, &[]);
            prop_assert!(both.is_superset(&p) && both.is_superset(&q));
        }
    }

    #[test]
    fn symbolic_sets(a in arb_symbolic(VARS), b in arb_symbolic(VARS), r in 0..RELATIONS.len()) {
        let mut facts = positive_vars();
        let (assume, holds) = RELATIONS[r];
        assume(&mut facts);
        let (apart, inside, once) = (disjoint(&facts, &a, &b), covers(&facts, &a, &b), injective(&facts, &a));
        let (both, normal) = (a.union(&facts, &b), a.normalise(&facts));
        for v in assignments().filter(|v| holds(v)) {
            let (p, q) = (points(&a, &v), points(&b, &v));
            prop_assert!(!apart || p.is_disjoint(&q), "{a} and {b} at {v:?}");
            prop_assert!(!inside || p.is_superset(&q), "{a} covers {b} at {v:?}");
            if once {
                let value = |s: Sym| v.get(s.0 as usize).copied();
                prop_assert_eq!(Some(p.len() as i64), a.elements().eval(value), "{} at {:?}", a, v);
            }
            if let Some(n) = &normal {
                prop_assert_eq!(&points(n, &v), &p);
            }
            if let Some(u) = &both {
                let u = points(u, &v);
                prop_assert!(u.is_superset(&p) && u.is_superset(&q));
            }
        }
    }

    #[test]
    fn expansion_contains_every_step(a in arb_symbolic(VARS), from in 0i64..3, count in 0i64..4) {
        let facts = positive_vars();
        // The last variable is the iterator; it may start at zero here.
        let i = Sym(VARS - 1);
        let mut free = Facts::new();
        free.assume_le(&c(1), &x(0));
        free.assume_le(&c(1), &x(1));
        if let Some(wide) = a.expand(&free, i, &c(from), &c(count)) {
            for v in assignments() {
                let all = points(&wide, &v);
                for step in from..from + count {
                    prop_assert!(all.is_superset(&points(&a, &[v[0], v[1], step])), "{a} gives {wide}");
                }
            }
        }
        let mut summary = Summary::nothing();
        summary.add(&facts, &a);
        summary.add(&facts, &a.shifted(&c(1)));
        if let Summary::Parts(parts) = &summary {
            for v in assignments().take(16) {
                let all: std::collections::BTreeSet<i64> = parts.iter().flat_map(|l| points(l, &v)).collect();
                prop_assert!(all.is_superset(&points(&a, &v)) && all.is_superset(&points(&a.shifted(&c(1)), &v)));
            }
        }
    }
}

/// How much of what is true gets proven. The exact test is undecidable in general, but for small constant sets we
/// want to be close.
#[test]
fn most_constant_questions_are_answered() {
    let facts = Facts::new();
    let (mut apart, mut proven) = (0, 0);
    let mut seed = 1u64;
    let mut next = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 33) % n) as i64
    };
    for _ in 0..2000 {
        let mut lmad = || {
            let inner = next(4) + 1;
            let row = next(10) + 4;
            Lmad::new(next(40), vec![Dim::new(next(4) + 1, row), Dim::new(inner, 1)])
        };
        let (a, b) = (lmad(), lmad());
        if points(&a, &[]).is_disjoint(&points(&b, &[])) {
            apart += 1;
            proven += i32::from(disjoint(&facts, &a, &b));
        }
    }
    println!("{proven} of {apart}");
    assert!(proven * 10 >= apart * 7, "{proven} of {apart}");
}

/// The same for symbolic sets: what holds for all small assignments should often be provable.
#[test]
fn many_symbolic_questions_are_answered() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let facts = positive_vars();
    let (mut apart, mut proven) = (0, 0);
    for _ in 0..1500 {
        let pair = (arb_symbolic(VARS), arb_symbolic(VARS));
        let (a, b) = pair.new_tree(&mut runner).expect("no rejections").current();
        if assignments().all(|v| points(&a, &v).is_disjoint(&points(&b, &v))) {
            apart += 1;
            proven += i32::from(disjoint(&facts, &a, &b));
        }
    }
    println!("{proven} of {apart}");
    assert!(proven * 10 >= apart * 7, "{proven} of {apart}");
}

#[test]
fn join_and_split_are_inverse() {
    let facts = Facts::new();
    let l = Lmad::new(3, vec![Dim::new(x(0), x(1) * 2), Dim::new(x(1), 2)]);
    let joined = l.join(&facts, 0).expect("no gap");
    assert_eq!(joined.to_string(), "3 + {(x0*x1 : 2)}");
    assert_eq!(joined.split(&facts, 0, &x(1)), Some(l.clone()));
    assert_eq!(l.join(&facts, 1), None);
    assert_eq!(joined.split(&facts, 0, &x(2)), None);
    let unit = joined.insert_unit(1, &x(2)).expect("in range");
    assert_eq!(points(&unit, &[2, 3, 9]), points(&joined, &[2, 3, 9]));
}

#[test]
fn strides_that_may_be_zero() {
    // Rows of width m, first columns against second columns: fine whatever m >= 2 is, and also where nothing is
    // known of a stride but that it is no size below zero.
    let mut facts = Facts::new();
    facts.assume_size(Sym(0));
    facts.assume_size(Sym(1));
    let column = |k: i64| Lmad::new(k, vec![Dim::new(x(0), x(1))]);
    assert!(!disjoint(&facts, &column(0), &column(1)));
    assert!(disjoint(&facts, &column(0), &Lmad::point(-1)));
    facts.assume_le(&c(2), &x(1));
    assert!(disjoint(&facts, &column(0), &column(1)));
    assert!(!injective(&Facts::new(), &column(0)));
    assert!(injective(&facts, &column(0)));
}
