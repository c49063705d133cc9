//! Scans. Let `r[i]` be the whole adjoint of `ys[i]`, of what comes after it as well: `r[i] = ys'[i] + c[i]
//! r[i+1]`, where `c[i]` is the transposed derivative of `ys[i] f as[i+1]` by `ys[i]`. That is a scan from
//! the right:
//!
//! ```text
//! ys = scan (+) 0 as        as' += scan (+) 0 ys', from the right
//! ys = scan f e as          (d, c) from the right: (ys'[i], derivative, or 0 at the end)
//!                           r = scan ((d1, c1), (d2, c2) -> (d2 + c2 d1, c2 c1)), its d
//!                           as'[i] += derivative of ys[i-1] f a by a, times r[i]        ys[-1] = e
//! ```
//!
//! Of operators on several components, `c` is a matrix. Entries that are 0 whatever the values are, and
//! remain so in products, are left out: of a linear recurrence, whose matrix is diagonal, two remain.

use super::adjoints::{addition, multiplication};
use super::map::OfPoint;
use super::nest::array;
use super::operators::{known, Frees, Known};
use super::reduce::one;
use super::Reverse;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::build::nested_body;
use fehu_ir::soac::Scan;
use fehu_ir::{Exp, Lambda, Param, PatElem, Soacs, SubExp, Type};

/// A place in the matrix: what flows to the first component from the second.
type Entry = (usize, usize);

/// What is known of a scan: its arrays, results, operator, and which components have adjoints.
struct Scanned<'s> {
    n: SubExp,
    arrays: &'s [Name],
    ys: Vec<Name>,
    scan: &'s Scan<Soacs>,
    /// The components that are active, and their types.
    active: Vec<usize>,
    prims: Vec<PrimType>,
}

impl Reverse<'_> {
    pub(super) fn scan(
        &mut self,
        n: SubExp,
        arrays: &[Name],
        scan: &Scan<Soacs>,
        pat: &[PatElem<Soacs>],
        seeds: &[Option<SubExp>],
    ) {
        if let (Known::Sum, [a], [Some(seed)]) = (known(&scan.op), arrays, seeds) {
            let back = self.backwards(array(*seed));
            let sums = self.scanned(n, &[back], scan);
            let sums = self.backwards(sums[0]);
            return self.add((*a).into(), sums.into());
        }
        let active: Vec<usize> = (0..pat.len()).filter(|i| self.has_adjoint(pat[*i].name)).collect();
        let prim = |i: &usize| match &pat[*i].ty {
            Type::Array(p, shape) if shape.len() == 1 => Some(*p),
            Type::Array(..) | Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => None,
        };
        let prims: Option<Vec<PrimType>> = active.iter().map(prim).collect();
        let Some(prims) = prims else { fehu_base::bug!("a scan of arrays is a loop") };
        let ys = pat.iter().map(|p| p.name).collect();
        let s = Scanned { n, arrays, ys, scan, active, prims };
        let whole = self.whole_adjoints(&s, seeds);
        self.of_elements(&s, &whole);
    }

    /// `r`, of the active components.
    fn whole_adjoints(&mut self, s: &Scanned<'_>, seeds: &[Option<SubExp>]) -> Vec<Name> {
        let k = s.active.len();
        let pairs: Vec<Entry> = (0..k).flat_map(|m| (0..k).map(move |j| (m, j))).collect();
        let (entries, slopes) = self.slopes(s, &pairs);
        // Seeds, from the right, then the entries.
        let mut inputs = vec![];
        for (i, p) in s.active.iter().zip(&s.prims) {
            let seed = match seeds[*i] {
                Some(seed) => array(seed),
                None => self.replicated(&[s.n], SubExp::Const(p.blank())),
            };
            inputs.push(self.backwards(seed));
        }
        for c in slopes {
            inputs.push(self.backwards(c));
        }
        let scan = self.composition(&s.prims, &entries);
        let made = self.scanned(s.n, &inputs, &scan);
        made[..k].iter().map(|r| self.backwards(*r)).collect()
    }

    /// Which entries of the matrix are not always 0, be it in products, and the arrays of them.
    fn slopes(&mut self, s: &Scanned<'_>, pairs: &[Entry]) -> (Vec<Entry>, Vec<Name>) {
        let k = s.active.len();
        let last = self.b.sub64(s.n, SubExp::i64(1));
        let numbers = self.numbers(s.n);
        let mut found: Vec<Entry> = vec![];
        let zero = |s: &Scanned<'_>, (m, _): &Entry| SubExp::Const(s.prims[*m].blank());
        let made = self.map_rows(s.n, &[numbers], &mut |r, xs| {
            let i = xs[0];
            let mut entries: Vec<Option<SubExp>> = vec![];
            let mut inner = nested_body(
                r,
                |r| &mut r.b,
                |r| {
                    let next = r.b.add64(i, SubExp::i64(1));
                    let y: Vec<SubExp> = s.ys.iter().map(|a| r.row(*a, &[i])).collect();
                    let a: Vec<SubExp> = s.arrays.iter().map(|a| r.row(*a, &[next])).collect();
                    entries = r.matrix(s, &[y, a].concat());
                    vec![]
                },
            );
            found = closure(k, pairs.iter().zip(&entries).filter(|(_, e)| e.is_some()).map(|(p, _)| *p));
            let of = |p: &Entry| {
                let at = pairs.iter().position(|q| q == p);
                at.and_then(|at| entries[at]).unwrap_or(zero(s, p))
            };
            inner.result = found.iter().map(of).collect();
            let types: Vec<Type> = found.iter().map(|(m, _)| Type::Prim(s.prims[*m])).collect();
            let zeros = r.nested(|_| found.iter().map(|p| zero(s, p)).collect());
            let is_last = r.equal(i, last);
            let exp = Exp::If(is_last, Box::new(zeros), Box::new(inner));
            r.b.bind_all("c", types, exp).into_iter().map(SubExp::Var).collect()
        });
        (found, made)
    }

    /// The matrix at a point: for each component of `y`, what flows to it from each of the results.
    fn matrix(&mut self, s: &Scanned<'_>, args: &[SubExp]) -> Vec<Option<SubExp>> {
        let (k, all) = (s.active.len(), s.ys.len());
        let wanted: Vec<bool> = (0..2 * all).map(|i| s.active.contains(&i)).collect();
        let mut entries = vec![None; k * k];
        for (j, of) in s.active.iter().enumerate() {
            let mut unit = vec![None; all];
            unit[*of] = Some(one(s.prims[j]));
            let by = self.vjp_of(&s.scan.op, args, &wanted, &unit, Frees::Ignored);
            for (m, y) in s.active.iter().enumerate() {
                entries[m * k + j] = by[*y];
            }
        }
        entries
    }

    /// `(d1, c1) (d2, c2) -> (d2 + c2 d1, c2 c1)`, neutral `(0, 1)`
    fn composition(&mut self, prims: &[PrimType], entries: &[Entry]) -> Scan<Soacs> {
        let k = prims.len();
        let types: Vec<Type> =
            prims.iter().copied().chain(entries.iter().map(|(m, _)| prims[*m])).map(Type::Prim).collect();
        let side =
            |r: &mut Self| types.iter().map(|t| r.b.param("c", t.clone())).collect::<Vec<Param<Soacs>>>();
        let (left, right) = (side(self), side(self));
        let names = |ps: &[Param<Soacs>]| ps.iter().map(|p| SubExp::Var(p.name)).collect::<Vec<_>>();
        let (first, second) = (names(&left), names(&right));
        let at = |side: &[SubExp], m: usize, j: usize| {
            entries.iter().position(|e| *e == (m, j)).map(|i| side[k + i])
        };
        let body = self.nested(|r| {
            let mut results = vec![];
            for m in 0..k {
                let mut sum = second[m];
                for j in 0..k {
                    if let Some(c) = at(&second, m, j) {
                        let part = r.times(prims[m], c, prims[j], first[j]);
                        sum = r.b.bin(addition(prims[m]), sum, part);
                    }
                }
                results.push(sum);
            }
            for (m, j) in entries {
                let mut sum: Option<SubExp> = None;
                for l in 0..k {
                    if let (Some(x), Some(y)) = (at(&second, *m, l), at(&first, l, *j)) {
                        let part = r.times(prims[*m], x, prims[l], y);
                        sum = Some(match sum {
                            None => part,
                            Some(so_far) => r.b.bin(addition(prims[*m]), so_far, part),
                        });
                    }
                }
                results.push(sum.unwrap_or(SubExp::Const(prims[*m].blank())));
            }
            results
        });
        let unit = |(m, j): &Entry| match m == j {
            true => one(prims[*m]),
            false => SubExp::Const(prims[*m].blank()),
        };
        let neutral =
            prims.iter().map(|p| SubExp::Const(p.blank())).chain(entries.iter().map(unit)).collect();
        let params = left.into_iter().chain(right).collect();
        Scan { op: Lambda { params, body, ret: types }, neutral }
    }

    /// A product of numbers, of which the second may be of another type.
    fn times(&mut self, p: PrimType, x: SubExp, other: PrimType, y: SubExp) -> SubExp {
        if p != other {
            self.refuse("the adjoint of a scan whose operator mixes numbers of several types");
            return x;
        }
        self.b.bin(multiplication(p), x, y)
    }

    /// From the whole adjoints of the results to the elements, and what is free in the operator.
    fn of_elements(&mut self, s: &Scanned<'_>, whole: &[Name]) {
        let all = s.ys.len();
        let wanted: Vec<bool> =
            (0..2 * all).map(|i| i >= all && self.has_adjoint(s.arrays[i - all])).collect();
        let frees = self.free_of(&s.scan.op);
        let numbers = self.numbers(s.n);
        let inputs = [numbers].into_iter().chain(whole.iter().copied()).chain(s.arrays.iter().copied());
        let inputs: Vec<Name> = inputs.collect();
        let (ys, scan, active) = (s.ys.clone(), s.scan.clone(), s.active.clone());
        let f: OfPoint<'_, Self> = Box::new(move |r: &mut Self, xs: &[SubExp]| {
            let (given, own) = xs[1..].split_at(active.len());
            let before = r.row_unless((xs[0], SubExp::i64(0)), &ys, SubExp::i64(-1), &scan.neutral);
            let mut seeds = vec![None; all];
            active.iter().zip(given).for_each(|(i, e)| seeds[*i] = Some(*e));
            let args = [before.as_slice(), own].concat();
            r.vjp_of(&scan.op, &args, &wanted, &seeds, Frees::Counted)[all..].to_vec()
        });
        let parts = self.adjoint_map(s.n, inputs, &frees, f);
        for (a, part) in s.arrays.iter().zip(parts) {
            if let Some(part) = part {
                self.add((*a).into(), part.into());
            }
        }
    }
}

/// The entries that products of matrices with these, and the unit, have.
fn closure(k: usize, entries: impl Iterator<Item = Entry>) -> Vec<Entry> {
    let mut all: Vec<Entry> = entries.chain((0..k).map(|i| (i, i))).collect();
    all.sort_unstable();
    all.dedup();
    loop {
        let more: Vec<Entry> = all
            .iter()
            .flat_map(|(m, l)| all.iter().filter(move |(l2, _)| l == l2).map(move |(_, j)| (*m, *j)))
            .filter(|e| !all.contains(e))
            .collect();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
        all.sort_unstable();
        all.dedup();
    }
}
