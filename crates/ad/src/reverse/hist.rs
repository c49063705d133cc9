//! Histograms, of arrays as they are. The destination is the first value of each bin.
//!
//! ```text
//! h = hist (+) d is vs        vs'[i] += h'[is[i]]                     d' += h'
//! h = hist min d is vs        k[b] = the least i with is[i] = b and vs[i] = h[b]
//!                             vs'[i] += h'[b] if k[b] = i, and d[b] is not h[b]       d' += h' where d is h
//! h = hist (*) d is vs        zeros z[b] and product p[b] of the rest of each bin, d among them; then as of products
//! ```
//!
//! What has an index out of bounds gets nothing. Operators of other kinds are no histograms here; see `prepare`.

use super::adjoints::multiplication;
use super::nest::{array, whole};
use super::operators::{known, of_vectors, Known};
use super::reduce::one;
use super::Reverse;
use crate::partials::select;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::soac::{Hist, HistOp, Soac};
use fehu_ir::{Basic, DimIndex, Exp, PatElem, Slice, Soacs, SubExp, Type};

/// A histogram with one operator on one component.
struct Bins<'s> {
    n: SubExp,
    shape: &'s [SubExp],
    is: &'s [Name],
    values: Name,
    dest: Name,
    result: Name,
    seed: Name,
}

impl Reverse<'_> {
    pub(super) fn hist(&mut self, h: Hist<Soacs>, pat: &[PatElem<Soacs>], seeds: &[Option<SubExp>]) {
        let ([op], [p], [Some(seed)]) = (h.ops.as_slice(), pat, seeds) else {
            fehu_base::bug!("a histogram of several tasks")
        };
        let rank = op.shape.len();
        let bins = Bins {
            n: h.width,
            shape: &op.shape,
            is: &h.arrays[..rank],
            values: h.arrays[rank],
            dest: op.dests[0],
            result: p.name,
            seed: array(*seed),
        };
        match known_of_rows(op) {
            Known::Sum => {
                self.gathered(&bins);
                self.add(bins.dest.into(), *seed);
            }
            Known::Least | Known::Greatest => self.of_winners(&bins),
            Known::Product => self.of_products(&bins),
            Known::Other => fehu_base::bug!("a histogram that is a loop"),
        }
    }

    /// Whether an index is within a shape.
    pub(super) fn within(&mut self, index: &[SubExp], shape: &[SubExp]) -> SubExp {
        let mut all = SubExp::bool(true);
        for (i, n) in index.iter().zip(shape) {
            let below = self.b.cmp(CmpOp::SLt(IntType::I64), *i, *n);
            let least = self.b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(0), *i);
            let both = self.b.bin(BinOp::LogAnd, least, below);
            all = match all {
                SubExp::Const(_) => both,
                SubExp::Var(_) => self.b.bin(BinOp::LogAnd, all, both),
            };
        }
        all
    }

    /// A row of an array if the index is within it, else zeros.
    pub(super) fn row_or_zero(&mut self, a: Name, index: &[SubExp], shape: &[SubExp]) -> SubExp {
        let ty = self.b.type_of(a.into()).peel(index.len());
        let inside = self.within(index, shape);
        let index = index.to_vec();
        let inner = ty.clone();
        self.choice(inside, &[ty], |r| vec![r.row(a, &index)], |r| vec![r.zero(&inner)])[0]
    }

    /// `vs'[i] += h'[is[i]]`
    fn gathered(&mut self, bins: &Bins<'_>) {
        if !self.has_adjoint(bins.values) {
            return;
        }
        let parts =
            self.map_rows(bins.n, bins.is, &mut |r, index| vec![r.row_or_zero(bins.seed, index, bins.shape)]);
        self.add(bins.values.into(), parts[0].into());
    }

    /// A histogram of scalars that starts from an array.
    fn histogram(
        &mut self,
        bins: &Bins<'_>,
        is: &[Name],
        dest: Name,
        values: Name,
        op: BinOp,
        neutral: SubExp,
    ) -> Name {
        let ty = self.b.type_of(dest.into());
        let operator = self.scalar_operator(op);
        let op =
            HistOp { shape: bins.shape.to_vec(), dests: vec![dest], neutral: vec![neutral], op: operator };
        let mut types = vec![Type::I64; is.len()];
        types.push(self.b.type_of(values.into()).peel(1));
        let lambda = self.identity(&types);
        let arrays = is.iter().copied().chain([values]).collect();
        let hist = Hist { width: bins.n, arrays, ops: vec![op], lambda };
        self.b.bind("bins", ty, Exp::Op(Soac::Hist(hist)))
    }

    fn of_winners(&mut self, bins: &Bins<'_>) {
        let Some(p) = self.b.type_of(bins.seed.into()).elem() else { fehu_base::bug!("bins of nothing") };
        let zero = SubExp::Const(p.blank());
        let from_dest =
            self.elementwise(bins.shape, &[bins.dest, bins.result], &mut |r, xs| r.equal(xs[0], xs[1]));
        if self.has_adjoint(bins.dest) {
            let parts = self.elementwise(bins.shape, &[bins.seed, from_dest], &mut |r, xs| {
                select(&mut r.b, xs[1], xs[0], zero)
            });
            self.add(bins.dest.into(), parts.into());
        }
        if !self.has_adjoint(bins.values) {
            return;
        }
        let numbers = self.numbers(bins.n);
        let inputs: Vec<Name> = bins.is.iter().copied().chain([bins.values]).collect();
        let candidates = self.map_rows(bins.n, &inputs, &mut |r, xs| {
            let (index, value) = xs.split_at(bins.is.len());
            let inside = r.within(index, bins.shape);
            let (at, value) = (index.to_vec(), value[0]);
            let wins = r.choice(
                inside,
                &[Type::BOOL],
                |r| {
                    let best = r.row(bins.result, &at);
                    let taken = r.row(from_dest, &at);
                    let wins = r.equal(best, value);
                    vec![select(&mut r.b, taken, SubExp::bool(false), wins)]
                },
                |_| vec![SubExp::bool(false)],
            );
            index.iter().map(|i| select(&mut r.b, wins[0], *i, SubExp::i64(-1))).collect()
        });
        let none = self.replicated(bins.shape, SubExp::i64(i64::MAX));
        let least = BinOp::SMin(IntType::I64);
        let first = self.histogram(bins, &candidates, none, numbers, least, SubExp::i64(i64::MAX));
        let inputs: Vec<Name> = candidates.iter().copied().chain([numbers]).collect();
        let parts = self.map_rows(bins.n, &inputs, &mut |r, xs| {
            let (index, i) = xs.split_at(bins.is.len());
            vec![r.if_first(bins.seed, first, index, i[0], bins.shape)]
        });
        self.add(bins.values.into(), parts[0].into());
    }

    /// A row of the seed if the index is inside, and the element there is number `i`; else 0.
    pub(super) fn if_first(
        &mut self,
        seed: Name,
        first: Name,
        index: &[SubExp],
        i: SubExp,
        shape: &[SubExp],
    ) -> SubExp {
        let ty = self.b.type_of(seed.into()).peel(index.len());
        let inside = self.within(index, shape);
        let (at, inner) = (index.to_vec(), ty.clone());
        self.choice(
            inside,
            &[ty],
            |r| {
                let own = r.row(first, &at);
                let wins = r.equal(own, i);
                let types = [inner.clone()];
                r.choice(wins, &types, |r| vec![r.row(seed, &at)], |r| vec![r.zero(&inner)])
            },
            |r| vec![r.zero(&inner)],
        )[0]
    }

    fn of_products(&mut self, bins: &Bins<'_>) {
        let Some(p) = self.b.type_of(bins.seed.into()).elem() else { fehu_base::bug!("bins of nothing") };
        let split = self.map_rows(bins.n, &[bins.values], &mut |r, xs| {
            let (zero, rest) = r.zero_and_rest(p, xs[0]);
            vec![zero, rest]
        });
        let first = self.elementwise(bins.shape, &[bins.dest], &mut |r, xs| r.zero_and_rest(p, xs[0]).0);
        let rest = self.elementwise(bins.shape, &[bins.dest], &mut |r, xs| r.zero_and_rest(p, xs[0]).1);
        let add = BinOp::Add(IntType::I64);
        let zeros = self.histogram(bins, bins.is, first, split[0], add, SubExp::i64(0));
        let rest = self.histogram(bins, bins.is, rest, split[1], multiplication(p), one(p));
        if self.has_adjoint(bins.dest) {
            let inputs = [bins.dest, zeros, rest, bins.seed];
            let parts =
                self.elementwise(bins.shape, &inputs, &mut |r, xs| r.others(p, xs[0], xs[1], xs[2], xs[3]));
            self.add(bins.dest.into(), parts.into());
        }
        if self.has_adjoint(bins.values) {
            self.product_parts(bins, p, zeros, rest);
        }
    }

    fn product_parts(&mut self, bins: &Bins<'_>, p: PrimType, zeros: Name, rest: Name) {
        let inputs: Vec<Name> = bins.is.iter().copied().chain([bins.values]).collect();
        let parts = self.map_rows(bins.n, &inputs, &mut |r, xs| {
            let (index, value) = xs.split_at(bins.is.len());
            let inside = r.within(index, bins.shape);
            let (at, value) = (index.to_vec(), value[0]);
            r.choice(
                inside,
                &[Type::Prim(p)],
                |r| {
                    let [z, others, seed] = [zeros, rest, bins.seed].map(|a| r.row(a, &at));
                    vec![r.others(p, value, z, others, seed)]
                },
                |_| vec![SubExp::Const(p.blank())],
            )
        });
        self.add(bins.values.into(), parts[0].into());
    }

    /// All of a row.
    pub(super) fn rows_slice(index: &[SubExp], ty: &Type) -> Slice {
        let fixed = index.iter().map(|i| DimIndex::Fix(*i));
        fixed.chain(ty.shape().iter().skip(index.len()).map(|n| whole(*n))).collect()
    }

    /// A copy of an array.
    pub(super) fn copied(&mut self, a: Name) -> Name {
        let ty = self.b.type_of(a.into());
        self.b.bind("copy", ty, Exp::Basic(Basic::Copy(a)))
    }
}

/// What the operator of a histogram is. Sums may be of rows.
pub(super) fn known_of_rows(op: &HistOp<Soacs>) -> Known {
    match known(&op.op) {
        Known::Other => {
            let mut inner = of_vectors(&op.op);
            while let Some(of) = &inner {
                if known(of) == Known::Sum {
                    return Known::Sum;
                }
                inner = of_vectors(of);
            }
            Known::Other
        }
        one @ (Known::Sum | Known::Product | Known::Least | Known::Greatest) => one,
    }
}
