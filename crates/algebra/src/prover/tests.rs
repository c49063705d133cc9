use super::DOUBTFUL_STEPS;
use crate::{Facts, Monomial, Poly, Prover, Sym};
use proptest::prelude::*;

fn x(i: u32) -> Poly {
    Poly::var(Sym(i))
}

fn c(v: i64) -> Poly {
    Poly::constant(v)
}

#[test]
fn index_arithmetic() {
    // n, m sizes; 0 <= i < n; 0 <= j < m.
    let (n, m, i, j) = (x(0), x(1), x(2), x(3));
    let mut f = Facts::new();
    f.assume_size(Sym(0));
    f.assume_size(Sym(1));
    f.assume_index(Sym(2), &c(0), &n);
    f.assume_index(Sym(3), &c(0), &m);
    let flat = &i * &m + &j;
    assert!(f.nonneg(&flat));
    assert!(f.lt(&flat, &(&n * &m)));
    assert!(f.le(&(&flat + 1), &(&n * &m)));
    assert!(!f.lt(&(&flat + 1), &(&n * &m)));
    assert!(f.positive(&(&n * &m)));
    assert!(f.ne(&(&i + 1), &c(0)));
    assert!(f.ne(&(&n * 2 + 1), &(&m * 2)));
    assert!(!f.ne(&i, &j));
}

#[test]
fn products_of_bounds() {
    // n >= q*b + 1, i < q, b >= 1: the block of index i lies within n.
    let (n, b, q, i) = (x(0), x(1), x(2), x(3));
    let mut f = Facts::new();
    f.assume_le(&c(1), &b);
    f.assume_le(&(&q * &b + 1), &n);
    f.assume_index(Sym(3), &c(0), &q);
    assert!(f.lt(&(&i * &b + &b), &n));
    assert!(f.lt(&b, &n));
    assert!(!f.lt(&(&b * 2), &n));
    f.assume_le(&c(1), &i);
    assert!(f.lt(&(&b * 2), &n));
    assert!(!f.lt(&(&n * &b + &b), &(&n * &b * 2 - &b * 2)));
    f.assume_le(&c(2), &b);
    assert!(f.lt(&(&n * &b + &b), &(&n * &b * 2 - &b * 2)));
}

#[test]
fn work_is_bounded() {
    // A web of facts in which nothing is provable.
    let mut f = Facts::new();
    for i in 0..40u32 {
        for j in 0..40u32 {
            if i != j {
                f.assume_le(&(x(i) * x(j)), &(x((i * 7 + j) % 40) * x((j * 3 + i) % 40) + 9));
            }
        }
    }
    let start = std::time::Instant::now();
    let mut prover = Prover::new(&f);
    assert!(!prover.nonneg(&(x(0) * x(1) * x(2) - x(3))));
    // A tenth of a second at most; without a bound, hours. Machines that others use too may be slow at any time.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// A small world: an assignment, and facts that are true of it by construction.
#[derive(Debug, Clone)]
struct World {
    values: Vec<i64>,
    facts: Vec<(Poly, Kind)>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    AtLeastZero,
    Zero,
}

const VARS: usize = 5;

fn arb_poly() -> impl Strategy<Value = Poly> {
    let term = (prop::collection::vec(0u32..VARS as u32, 0..3), -4i64..5);
    prop::collection::vec(term, 1..4).prop_map(|terms| {
        Poly::from_terms(
            terms.into_iter().map(|(vars, k)| (Monomial::new(vars.into_iter().map(Sym).collect()), k)),
        )
    })
}

fn eval(p: &Poly, values: &[i64]) -> i64 {
    p.eval(|s| values.get(s.0 as usize).copied()).expect("small values")
}

/// Facts are made true by shifting their constants; the slack keeps other assignments possible.
fn arb_world() -> impl Strategy<Value = World> {
    let values = prop::collection::vec(-6i64..12, VARS);
    let shape = (arb_poly(), 0u8..8, 0i64..3);
    (values, prop::collection::vec(shape, 0..9)).prop_map(|(values, shapes)| {
        let mut facts = Vec::new();
        for (p, choice, slack) in shapes {
            let at = eval(&p, &values);
            facts.push(match choice {
                0 => (p - at, Kind::Zero),
                1 | 2 => {
                    (x(u32::from(choice)) - eval(&x(u32::from(choice)), &values) + slack, Kind::AtLeastZero)
                }
                _ => (p - at + slack, Kind::AtLeastZero),
            });
        }
        World { values, facts }
    })
}

fn facts_of(w: &World) -> Facts {
    let mut f = Facts::new();
    for (p, kind) in &w.facts {
        match kind {
            Kind::AtLeastZero => f.assume_nonneg(p),
            Kind::Zero => f.assume_eq(p, &Poly::zero()),
        }
    }
    f
}

fn holds(w: &World, values: &[i64]) -> bool {
    w.facts.iter().all(|(p, kind)| match kind {
        Kind::AtLeastZero => eval(p, values) >= 0,
        Kind::Zero => eval(p, values) == 0,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn proven_means_true(
        w in arb_world(),
        goals in prop::collection::vec(arb_poly(), 3),
        nudges in prop::collection::vec(prop::collection::vec(-3i64..4, VARS), 12),
    ) {
        let facts = facts_of(&w);
        let mut prover = Prover::new(&facts);
        let mut worlds = vec![w.values.clone()];
        for n in &nudges {
            let near: Vec<i64> = w.values.iter().zip(n).map(|(a, b)| a + b).collect();
            if holds(&w, &near) {
                worlds.push(near);
            }
        }
        prop_assert!(holds(&w, &w.values));
        for g in goals {
            // Aim near the truth, where a wrong proof shows.
            let at = eval(&g, &w.values);
            for k in -2..3 {
                let goal = &g - (at + k);
                let (ge, eq, ne) =
                    (prover.nonneg(&goal), prover.zero(&goal), prover.nonzero(&goal));
                for v in &worlds {
                    let value = eval(&goal, v);
                    prop_assert!(!ge || value >= 0, "{} >= 0", goal);
                    prop_assert!(!eq || value == 0, "{} = 0", goal);
                    prop_assert!(!ne || value != 0, "{} != 0", goal);
                }
            }
            for d in [2i64, 3] {
                if facts.divides(&c(d), &g) {
                    prop_assert_eq!(at % d, 0);
                }
            }
        }
    }

    #[test]
    fn facts_prove_themselves_and_their_sums(w in arb_world(), ks in prop::collection::vec(0i64..4, 9)) {
        let facts = facts_of(&w);
        let mut sum = Poly::zero();
        for ((p, _), k) in w.facts.iter().zip(&ks) {
            prop_assert!(facts.nonneg(p), "{p} >= 0");
            sum = sum + p * *k;
        }
        let _ = facts.nonneg(&sum);
    }
}

/// Products of many sizes, and what is the largest of them, as the versions of a deep nest compare them: all
/// can be refuted, so none takes many steps.
#[test]
fn refuted_before_a_search() {
    let mut f = Facts::new();
    let depth = 10;
    let product = |n: u32| Poly::product(&(0..n).map(|i| Poly::var(Sym(i))).collect::<Vec<_>>());
    (0..depth).for_each(|i| f.assume_size(Sym(i)));
    for n in 2..depth {
        let earlier = if n == 2 { product(1) } else { Poly::var(Sym(100 + n - 1)) };
        f.assume_max(Sym(100 + n), &product(n), &earlier);
    }
    for n in 2..depth {
        for goal in [Poly::constant(255) - product(n), product(n) - Poly::var(Sym(100 + n))] {
            let mut prover = Prover::doubtful(&f);
            assert!(!prover.nonneg(&goal), "{goal}");
            assert!(DOUBTFUL_STEPS - prover.steps_left() <= 10, "{goal}");
        }
        assert!(f.nonneg(&(Poly::var(Sym(100 + n)) - product(n))));
    }
}
