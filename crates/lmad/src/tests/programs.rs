//! The access patterns that short-circuiting meets in real programs.

use super::brute::{c, x};
use crate::{disjoint, injective, Dim, Lmad, Summary};
use fehu_algebra::{Facts, Poly, Sym};
use std::time::Instant;

/// Proves all pairs disjoint, each in under a tenth of a second (the best of a few tries; on a machine of its own it is
/// ten milliseconds, but machines are busy).
fn all_disjoint(facts: &Facts, pairs: &[(&str, &Lmad, &Lmad)]) {
    for (what, a, b) in pairs {
        let timed = |a, b| {
            let start = Instant::now();
            assert!(disjoint(facts, a, b), "{what}: {a} and {b}");
            start.elapsed()
        };
        for (a, b) in [(a, b), (b, a)] {
            let best = (0..4).map(|_| timed(a, b)).min().unwrap_or_default();
            println!("{what}: {best:?}");
            assert!(best.as_millis() < 100, "{what} took {best:?}");
        }
    }
}

/// The variables of Needleman-Wunsch: row length, block size, number of blocks, diagonal, two threads.
struct Nw {
    n: Poly,
    b: Poly,
    q: Poly,
    i: Poly,
    k: Poly,
}

const I: Sym = Sym(3);
const K: Sym = Sym(4);
const J: Sym = Sym(5);

fn nw() -> Nw {
    Nw { n: x(0), b: x(1), q: x(2), i: x(3), k: x(4) }
}

impl Nw {
    fn diagonal(&self) -> Poly {
        &self.n * &self.b - &self.b
    }

    /// `count` blocks of `rows` by `columns` elements along an anti-diagonal.
    fn blocks(&self, offset: Poly, count: Poly, rows: Poly, columns: Poly) -> Lmad {
        let dims =
            vec![Dim::new(count, self.diagonal()), Dim::new(rows, self.n.clone()), Dim::new(columns, 1)];
        Lmad::new(offset, dims)
    }
}

#[test]
fn nw_as_in_the_thesis() {
    let v = nw();
    let mut f = Facts::new();
    f.assume_eq(&v.n, &(&v.q * &v.b + 1));
    f.assume_lt(&c(1), &v.q);
    f.assume_lt(&c(1), &v.b);
    f.assume_le(&c(1), &v.i);
    f.assume_lt(&v.i, &v.q);
    let at = &v.i * &v.b;
    let w = v.blocks(&at + &v.n + 1, &v.i + 1, v.b.clone(), v.b.clone());
    let left = v.blocks(at.clone(), &v.i + 1, &v.b + 1, c(1));
    let above = v.blocks(&at + 1, &v.i + 1, c(1), v.b.clone());
    all_disjoint(&f, &[("left column", &w, &left), ("row above", &w, &above)]);
    assert!(injective(&f, &w));
}

#[test]
fn nw_without_the_bound_on_the_diagonal() {
    // The thesis lists no upper bound for i; its statement holds without one.
    let v = nw();
    let mut f = Facts::new();
    f.assume_eq(&v.n, &(&v.q * &v.b + 1));
    f.assume_lt(&c(1), &v.q);
    f.assume_lt(&c(1), &v.b);
    f.assume_le(&c(1), &v.i);
    let at = &v.i * &v.b;
    let w = v.blocks(&at + &v.n + 1, &v.i + 1, v.b.clone(), v.b.clone());
    let left = v.blocks(at.clone(), &v.i + 1, &v.b + 1, c(1));
    all_disjoint(&f, &[("left column", &w, &left)]);
}

/// What a program says that computes the number of blocks by division: no equality, and no sizes above one.
fn nw_program_facts(v: &Nw) -> Facts {
    let mut f = Facts::new();
    f.assume_le(&c(1), &v.b);
    f.assume_le(&c(1), &v.n);
    f.assume_quotient(Sym(2), &(&v.n - 1), &v.b);
    f.assume_index(I, &c(0), &v.q);
    f
}

#[test]
fn nw_threads_of_the_first_half() {
    let v = nw();
    let mut f = nw_program_facts(&v);
    f.assume_index(K, &c(0), &(&v.i + 1));
    let at = &v.i * &v.b;
    // Thread k writes its block; every other thread reads a block with its left and upper border.
    let w = v.blocks(&at + &v.n + 1, &v.i + 1, v.b.clone(), v.b.clone());
    let r = v.blocks(at, &v.i + 1, &v.b + 1, &v.b + 1);
    nw_threads(&f, &v, &w, &r);
}

#[test]
fn nw_threads_of_the_second_half() {
    let v = nw();
    let mut f = nw_program_facts(&v);
    let count = &v.q - &v.i - 1;
    f.assume_index(K, &c(0), &count);
    let row = (&v.i + 1) * &v.b;
    let r = v.blocks((&row + 1) * &v.n - &v.b - 1, count.clone(), &v.b + 1, &v.b + 1);
    let w = v.blocks((&row + 2) * &v.n - &v.b, count, v.b.clone(), v.b.clone());
    nw_threads(&f, &v, &w, &r);
}

fn nw_threads(f: &Facts, v: &Nw, w: &Lmad, r: &Lmad) {
    let mine = w.fix_outer(std::slice::from_ref(&v.k)).expect("three dimensions");
    let theirs = r.fix_outer(&[Poly::var(J)]).expect("three dimensions");
    let last = &r.dims[0].size;
    let before = theirs.expand(f, J, &c(0), &v.k).expect("linear");
    let after = theirs.expand(f, J, &(&v.k + 1), &(last - &v.k - 1)).expect("linear");
    all_disjoint(f, &[("threads before", &mine, &before), ("threads after", &mine, &after)]);
    assert!(injective(f, w));
}

#[test]
fn lud_blocks_of_a_flat_matrix() {
    // Row length n = m*b, step s.
    let (n, b, m, s) = (x(0), x(1), x(2), x(3));
    let mut f = Facts::new();
    f.assume_le(&c(1), &b);
    f.assume_eq(&n, &(&m * &b));
    f.assume_index(Sym(3), &c(0), &(&m - 1));
    let block = |offset: Poly, mut outer: Vec<Dim>| {
        outer.push(Dim::new(b.clone(), n.clone()));
        outer.push(Dim::new(b.clone(), 1));
        Lmad::new(offset, outer)
    };
    let down = |k: &Poly| &n * &b * k;
    let right = |k: &Poly| &b * k;
    let left = &m - &s - 1;
    let next = &s + 1;
    let diagonal = block(down(&s) + right(&s), vec![]);
    let top = block(down(&s) + right(&next), vec![Dim::new(left.clone(), b.clone())]);
    let side = block(down(&next) + right(&s), vec![Dim::new(left.clone(), &n * &b)]);
    let inner = block(
        down(&next) + right(&next),
        vec![Dim::new(left.clone(), &n * &b), Dim::new(left.clone(), b.clone())],
    );
    all_disjoint(
        &f,
        &[
            ("diagonal and top", &diagonal, &top),
            ("diagonal and side", &diagonal, &side),
            ("diagonal and inner", &diagonal, &inner),
            ("top and side", &top, &side),
            ("top and inner", &top, &inner),
            ("side and inner", &side, &inner),
        ],
    );
    assert!(injective(&f, &inner));
    // One thread's block against those of all others in the same row and in other rows.
    f.assume_index(K, &c(0), &left);
    f.assume_index(J, &c(0), &left);
    let mine = inner.fix_outer(&[x(4), x(5)]).expect("four dimensions");
    let row = inner.fix_outer(&[x(4)]).expect("four dimensions");
    let later = row.slice(&[crate::SliceDim::range(x(5) + 1, &left - x(5) - 1)]).expect("three");
    let below = inner.slice(&[crate::SliceDim::range(x(4) + 1, &left - x(4) - 1)]).expect("four");
    all_disjoint(&f, &[("later in the row", &mine, &later), ("rows below", &mine, &below)]);
    let same = Summary::of(mine.clone());
    assert!(!same.disjoint(&f, &Summary::of(row)));
}

#[test]
fn lud_blocks_of_a_blocked_matrix() {
    let (m, s, b) = (x(0), x(1), x(2));
    let mut f = Facts::new();
    f.assume_size(Sym(2));
    f.assume_index(Sym(1), &c(0), &(&m - 1));
    let matrix = Lmad::row_major(0, &[m.clone(), m.clone(), b.clone(), b]);
    let rest = crate::SliceDim::range(&s + 1, &m - &s - 1);
    let here = crate::SliceDim::Fix(s);
    let slice =
        |a: &crate::SliceDim, b: &crate::SliceDim| matrix.slice(&[a.clone(), b.clone()]).expect("fits");
    let (diagonal, top, side, inner) =
        (slice(&here, &here), slice(&here, &rest), slice(&rest, &here), slice(&rest, &rest));
    all_disjoint(
        &f,
        &[
            ("diagonal and top", &diagonal, &top),
            ("diagonal and inner", &diagonal, &inner),
            ("top and side", &top, &side),
            ("top and inner", &top, &inner),
            ("side and inner", &side, &inner),
        ],
    );
}

#[test]
fn anti_diagonal_of_a_small_matrix() {
    let mut f = Facts::new();
    f.assume_index(Sym(0), &c(0), &c(10));
    let mine = Lmad::point(x(0) * 9 + 9);
    let theirs = Lmad::point(x(1) * 9 + 9);
    let before = theirs.expand(&f, Sym(1), &c(0), &x(0)).expect("linear");
    let after = theirs.expand(&f, Sym(1), &(x(0) + 1), &(c(9) - x(0))).expect("linear");
    all_disjoint(&f, &[("before", &mine, &before), ("after", &mine, &after)]);
}

#[test]
fn rows_columns_and_concatenations() {
    let (n, m, i) = (x(0), x(1), x(2));
    let mut f = Facts::new();
    f.assume_index(Sym(2), &c(0), &(&n - 1));
    let matrix = Lmad::row_major(0, &[n.clone(), m.clone()]);
    let row = matrix.fix_outer(std::slice::from_ref(&i)).expect("two dimensions");
    let next = matrix.fix_outer(&[&i + 1]).expect("two dimensions");
    let column = matrix.fix(1, &c(0)).expect("two dimensions");
    all_disjoint(&f, &[("rows", &row, &next)]);
    assert!(!disjoint(&f, &row, &column));
    // The two halves of a concatenation.
    let (a, b) =
        (Lmad::row_major(0, std::slice::from_ref(&n)), Lmad::row_major(n.clone(), std::slice::from_ref(&m)));
    all_disjoint(&f, &[("halves", &a, &b)]);
    let mut both = Summary::of(a);
    both.add(&f, &Lmad::row_major(n.clone(), std::slice::from_ref(&n)));
    assert_eq!(both, Summary::of(Lmad::row_major(0, &[&n * 2])));
    // Even and odd places.
    let even = Lmad::new(0, vec![Dim::new(n.clone(), 2)]);
    let odd = Lmad::new(1, vec![Dim::new(m, &n * 4)]);
    all_disjoint(&f, &[("even and odd", &even, &odd)]);
}
