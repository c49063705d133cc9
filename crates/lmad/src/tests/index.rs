//! Index functions: what each operation does to where elements lie.

use super::brute::{arb_constant, c, places, x};
use crate::{Dim, Lmad, SliceDim};
use fehu_algebra::{Facts, Poly, Sym};
use proptest::prelude::*;

fn at(l: &Lmad, indices: &[i64]) -> i64 {
    let indices: Vec<Poly> = indices.iter().map(|i| c(*i)).collect();
    let place = l.apply(&indices).expect("as many indices as dimensions");
    place.as_constant().expect("constant parts")
}

fn shape_of(l: &Lmad) -> Vec<i64> {
    let sizes = l.shape();
    sizes.iter().map(|p| p.as_constant().expect("constant")).collect()
}

fn indices(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for n in shape {
        let outer = std::mem::take(&mut all);
        for prefix in outer {
            all.extend((0..*n).map(|i| [prefix.clone(), vec![i]].concat()));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn slices_select_elements(
        l in arb_constant(), parts in prop::collection::vec((any::<bool>(), 0i64..4, 0i64..4, -2i64..3), 3)
    ) {
        let slice: Vec<SliceDim> = parts.iter().take(l.rank()).map(|(fix, a, n, s)| match fix {
            true => SliceDim::Fix(c(*a)),
            false => SliceDim::Range { start: c(*a), size: c(*n), stride: c(*s) },
        }).collect();
        let sliced = l.slice(&slice).expect("not too long");
        for index in indices(&shape_of(&sliced)) {
            let mut inner = index.iter();
            let mut full = Vec::new();
            for (fix, a, _, s) in parts.iter().take(l.rank()) {
                full.push(match fix {
                    true => *a,
                    false => a + s * inner.next().expect("a dimension each"),
                });
            }
            prop_assert_eq!(at(&sliced, &index), at(&l, &full));
        }
    }

    #[test]
    fn permuting_permutes_indices(l in arb_constant(), keys in prop::collection::vec(any::<u8>(), 4)) {
        let mut perm: Vec<usize> = (0..l.rank()).collect();
        perm.sort_by_key(|k| keys[*k]);
        let p = l.permute(&perm).expect("a permutation");
        for index in indices(&shape_of(&p)) {
            let mut original = vec![0; perm.len()];
            for (k, i) in perm.iter().zip(&index) {
                original[*k] = *i;
            }
            prop_assert_eq!(at(&p, &index), at(&l, &original));
        }
    }

    #[test]
    fn reshaping_keeps_the_order(l in arb_constant(), seed in prop::collection::vec(1i64..5, 0..4)) {
        let facts = Facts::new();
        let total = l.elements().as_constant().expect("constant");
        // Any shape with the right number of elements.
        let mut left = total;
        let mut shape = Vec::new();
        for f in seed {
            if left % f == 0 {
                shape.push(c(f));
                left /= f;
            }
        }
        shape.push(c(left));
        if let Some(r) = l.reshape(&facts, &shape) {
            prop_assert_eq!(r.shape(), shape);
            prop_assert_eq!(places(&r, &[]), places(&l, &[]));
        }
        prop_assert_eq!(l.reshape(&facts, &l.shape()).map(|r| places(&r, &[])), Some(places(&l, &[])));
    }

    #[test]
    fn dense_layouts_are_recognised(shape in prop::collection::vec(1i64..5, 0..4), keys in prop::collection::vec(any::<u8>(), 4)) {
        let facts = Facts::new();
        let sizes: Vec<Poly> = shape.iter().map(|n| c(*n)).collect();
        let l = Lmad::row_major(7, &sizes);
        prop_assert!(l.is_row_major(&facts));
        let total: i64 = shape.iter().product();
        prop_assert_eq!(places(&l, &[]), (7..7 + total).collect::<Vec<_>>());
        let mut perm: Vec<usize> = (0..l.rank()).collect();
        perm.sort_by_key(|k| keys[*k]);
        let p = l.permute(&perm).expect("a permutation");
        let back = p.dense_permutation(&facts).expect("dense");
        prop_assert!(p.permute(&back).expect("a permutation").is_row_major(&facts));
    }

    #[test]
    fn row_major_means_consecutive(l in arb_constant()) {
        let facts = Facts::new();
        let all = places(&l, &[]);
        let consecutive = all.windows(2).all(|w| w[1] == w[0] + 1);
        if !all.is_empty() {
            prop_assert_eq!(l.is_row_major(&facts), consecutive && all.len() as i64 == l.elements().as_constant().unwrap_or(0));
        }
    }
}

#[test]
fn symbolic_reshapes() {
    let (n, m, k) = (x(0), x(1), x(2));
    let facts = Facts::new();
    let l = Lmad::row_major(x(3), &[n.clone(), m.clone(), k.clone()]);
    let flat = l.flatten(&facts).expect("dense");
    assert_eq!(flat.text(name), "o + {(n*m*k : 1)}");
    let un = flat.reshape(&facts, &[n.clone(), &m * &k]).expect("dense");
    assert_eq!(un.text(name), "o + {(n : m*k), (m*k : 1)}");
    // A transposed array is two runs: its dimensions cannot be joined, but each can be split.
    let t = un.permute(&[1, 0]).expect("two dimensions");
    assert_eq!(t.flatten(&facts), None);
    let split = t.reshape(&facts, &[m.clone(), k.clone(), n.clone()]).expect("splits the outer run");
    assert_eq!(split.text(name), "o + {(m : k), (k : 1), (n : m*k)}");
    // Every second row of a matrix can be split by rows, not flattened.
    let rows = SliceDim::Range { start: c(0), size: n.clone(), stride: c(2) };
    let half = Lmad::row_major(0, &[&n * 2, m.clone()]).slice(&[rows]).expect("fits");
    assert_eq!(half.flatten(&facts), None);
    assert_eq!(half.text(name), "0 + {(n : 2*m), (m : 1)}");
    assert!(!half.is_row_major(&facts));
}

#[test]
fn flat_slices_compose() {
    let (n, b, i) = (x(0), x(1), x(2));
    let xs = Lmad::row_major(5, &[&n * &n]);
    let w = Lmad::new(
        &i * &b,
        vec![Dim::new(&i + 1, &n * &b - &b), Dim::new(b.clone(), n.clone()), Dim::new(b.clone(), 1)],
    );
    assert_eq!(xs.flat_slice(&w), Some(w.shifted(&c(5))));
    let fixed = w.fix(0, &x(3)).expect("three dimensions");
    assert_eq!(fixed, w.fix_outer(&[x(3)]).expect("three dimensions"));
    assert_eq!(fixed.rank(), 2);
    // Unfixing gives back what was fixed.
    assert_eq!(fixed.expand(&Facts::new(), Sym(3), &c(0), &(&i + 1)), Some(w));
}

#[test]
fn wrong_ranks_are_refused() {
    let l = Lmad::row_major(0, &[c(2), c(3)]);
    assert_eq!(l.apply(&[c(1)]), None);
    assert_eq!(l.permute(&[0, 0]), None);
    assert_eq!(l.fix(2, &c(0)), None);
    assert_eq!(l.flat_slice(&l), None);
    assert_eq!(l.slice(&[SliceDim::Fix(c(0)), SliceDim::Fix(c(0)), SliceDim::Fix(c(0))]), None);
}

fn name(s: Sym) -> String {
    ["n", "m", "k", "o"][s.0 as usize].to_string()
}
