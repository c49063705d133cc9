//! Concrete descriptors, and their points by enumeration.

use crate::{Dim, Lmad};
use fehu_algebra::{Poly, Sym};
use proptest::prelude::*;
use std::collections::BTreeSet;

pub(super) fn c(v: i64) -> Poly {
    Poly::constant(v)
}

pub(super) fn x(i: u32) -> Poly {
    Poly::var(Sym(i))
}

/// The places in index order, under an assignment of the variables.
pub(super) fn places(l: &Lmad, values: &[i64]) -> Vec<i64> {
    let value = |p: &Poly| p.eval(|s| values.get(s.0 as usize).copied()).expect("small values");
    let mut all = vec![value(&l.offset)];
    for d in &l.dims {
        let (size, stride) = (value(&d.size), value(&d.stride));
        let outer = std::mem::take(&mut all);
        for base in outer {
            all.extend((0..size).map(|i| base + i * stride));
        }
    }
    all
}

pub(super) fn points(l: &Lmad, values: &[i64]) -> BTreeSet<i64> {
    places(l, values).into_iter().collect()
}

/// Constant descriptors with small sizes.
pub(super) fn arb_constant() -> impl Strategy<Value = Lmad> {
    let dim = (0i64..5, -12i64..13).prop_map(|(n, s)| Dim::new(n, s));
    (-20i64..40, prop::collection::vec(dim, 0..4)).prop_map(|(o, dims)| Lmad::new(o, dims))
}

/// A sum of one or two products of at most two of the variables `0..vars`.
pub(super) fn arb_poly(vars: u32) -> impl Strategy<Value = Poly> {
    let factor = move || (0..vars + 2).prop_map(move |v| if v < vars { x(v) } else { c(1) });
    let term = (factor(), factor(), -3i64..4).prop_map(|(a, b, k)| a * b * k);
    prop::collection::vec(term, 1..3).prop_map(|terms| Poly::sum(&terms))
}

/// Descriptors over the variables `0..vars`.
pub(super) fn arb_symbolic(vars: u32) -> impl Strategy<Value = Lmad> {
    let simple =
        move || (0..vars + 3).prop_map(move |v| if v < vars { x(v) } else { c(i64::from(v - vars) + 1) });
    let stride = (simple(), simple(), -1i64..2).prop_map(|(a, b, k)| a * b + k);
    let dim = (simple(), stride).prop_map(|(n, s)| Dim::new(n, s));
    (arb_poly(vars), prop::collection::vec(dim, 0..4)).prop_map(|(o, dims)| Lmad::new(o, dims))
}
