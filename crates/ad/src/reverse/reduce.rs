//! Reductions, of arrays as they are.
//!
//! ```text
//! y = reduce (+) 0 as        as'[i] += y'
//! y = reduce min e as        as'[k] += y', at the first k whose element is y, unless e is y
//! y = reduce (*) 1 as        z zeros, p the product of the rest:  z = 0: y' * p / as[i];  z = 1: y' * p for the zero
//! y = reduce f e as          l[i] f as[i] f r[i], by scans from the left and from the right
//! ```
//!
//! The neutral element gets the adjoint if there are no elements. What is free in a general operator gets,
//! for each element, what the application `l[i] f as[i]` contributes, whose result has the adjoint of `v` in
//! `v f r[i]`.

use super::adjoints::multiplication;
use super::map::OfPoint;
use super::operators::{exchanged, known, Frees, Known};
use super::{Reverse, Single};
use crate::partials::select;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::soac::{Reduce, Scan, Screma, Soac};
use fehu_ir::{Exp, PatElem, Soacs, SubExp, Type};

impl Reverse<'_> {
    pub(super) fn reduce(
        &mut self,
        n: SubExp,
        arrays: &[Name],
        red: &Reduce<Soacs>,
        pat: &[PatElem<Soacs>],
        seeds: &[Option<SubExp>],
    ) {
        for (e, seed) in red.neutral.iter().zip(seeds) {
            if let (true, Some(seed)) = (self.is_active(*e), seed) {
                let ty = self.b.type_of(*e);
                let is_empty = self.b.cmp(CmpOp::Eq(PrimType::I64), n, SubExp::i64(0));
                let seed = *seed;
                let none = self.zero(&ty);
                let part = self.choice(is_empty, &[ty], |_| vec![seed], |_| vec![none]);
                self.add(*e, part[0]);
            }
        }
        match (known(&red.op), arrays, pat, seeds) {
            (Known::Sum, [a], [_], [Some(seed)]) => self.spread(*a, *seed),
            (Known::Product, [a], [_], [Some(seed)]) => self.of_product(n, *a, *seed),
            (Known::Least | Known::Greatest, [a], [p], [Some(seed)]) => {
                self.of_winner(n, *a, p.name.into(), red.neutral[0], *seed);
            }
            (_, _, _, _) => self.of_reduction(n, arrays, red, seeds),
        }
    }

    /// The elements of `is`, compared with a number.
    pub(super) fn equal(&mut self, x: SubExp, y: SubExp) -> SubExp {
        let Some(p) = self.b.type_of(x).elem() else { fehu_base::bug!("a comparison of arrays") };
        self.b.cmp(CmpOp::Eq(p), x, y)
    }

    fn of_winner(&mut self, n: SubExp, a: Name, y: SubExp, neutral: SubExp, seed: SubExp) {
        let numbers = self.numbers(n);
        let candidates = self.map_rows(n, &[a, numbers], &mut |r, xs| {
            let wins = r.equal(xs[0], y);
            vec![select(&mut r.b, wins, xs[1], n)]
        });
        let first = self.reduced(n, candidates[0], BinOp::SMin(IntType::I64), SubExp::i64(i64::MAX));
        let Some(p) = self.b.type_of(seed).elem() else { fehu_base::bug!("a minimum of arrays") };
        let zero = SubExp::Const(p.blank());
        let from_start = self.equal(y, neutral);
        let seed = select(&mut self.b, from_start, zero, seed);
        let parts = self.map_rows(n, &[numbers], &mut |r, xs| {
            let wins = r.equal(xs[0], first);
            vec![select(&mut r.b, wins, seed, zero)]
        });
        self.single.insert(parts[0], Single { index: first, value: seed });
        self.add(a.into(), parts[0].into());
    }

    fn of_product(&mut self, n: SubExp, a: Name, seed: SubExp) {
        let Some(p) = self.b.type_of(seed).elem() else { fehu_base::bug!("a product of arrays") };
        let split = self.map_rows(n, &[a], &mut |r, xs| {
            let (zero, rest) = r.zero_and_rest(p, xs[0]);
            vec![zero, rest]
        });
        let zeros = self.reduced(n, split[0], BinOp::Add(IntType::I64), SubExp::i64(0));
        let rest = self.reduced(n, split[1], multiplication(p), one(p));
        let parts = self.map_rows(n, &[a], &mut |r, xs| vec![r.others(p, xs[0], zeros, rest, seed)]);
        self.add(a.into(), parts[0].into());
    }

    /// How many zeros a factor is, and what it is else.
    pub(super) fn zero_and_rest(&mut self, p: PrimType, x: SubExp) -> (SubExp, SubExp) {
        let is_zero = self.equal(x, SubExp::Const(p.blank()));
        let count = self.b.conv(fehu_base::ops::ConvOp::BToI(IntType::I64), is_zero);
        (count, select(&mut self.b, is_zero, one(p), x))
    }

    /// The product of all factors but one, times a number.
    pub(super) fn others(
        &mut self,
        p: PrimType,
        x: SubExp,
        zeros: SubExp,
        rest: SubExp,
        seed: SubExp,
    ) -> SubExp {
        let PrimType::Float(t) = p else { fehu_base::bug!("a product of integers") };
        let (own, divisor) = self.zero_and_rest(p, x);
        let alone = self.equal(zeros, own);
        let all = self.choice(
            alone,
            &[Type::Prim(p)],
            |r| {
                let others = r.b.bin(BinOp::FDiv(t), rest, divisor);
                vec![r.b.bin(BinOp::FMul(t), seed, others)]
            },
            |_| vec![SubExp::Const(p.blank())],
        );
        all[0]
    }

    /// A scan of arrays.
    pub(super) fn scanned(&mut self, n: SubExp, arrays: &[Name], scan: &Scan<Soacs>) -> Vec<Name> {
        let scan = Scan { op: self.again_lambda(&scan.op), neutral: scan.neutral.clone() };
        let rows: Vec<Type> = arrays.iter().map(|a| self.b.type_of((*a).into()).peel(1)).collect();
        let map = self.identity(&rows);
        let types = rows.iter().map(|t| t.array_of(&[n])).collect();
        let exp = Screma { width: n, arrays: arrays.to_vec(), scans: vec![scan], reds: vec![], map };
        self.b.bind_all("scan", types, Exp::Op(Soac::Screma(exp)))
    }

    /// A row of arrays at an index, or other values where the index is this one.
    pub(super) fn row_unless(
        &mut self,
        (at, edge): (SubExp, SubExp),
        arrays: &[Name],
        else_at: SubExp,
        values: &[SubExp],
    ) -> Vec<SubExp> {
        let types: Vec<Type> = values.iter().map(|e| self.b.type_of(*e)).collect();
        let is_edge = self.equal(at, edge);
        let values = values.to_vec();
        let (arrays, inner) = (arrays.to_vec(), types.clone());
        self.choice(
            is_edge,
            &types,
            |_| values,
            |r| {
                let index = r.b.add64(at, else_at);
                arrays
                    .iter()
                    .zip(inner)
                    .map(|(a, t)| {
                        let row = r.row(*a, &[index]);
                        r.as_type(row, &t)
                    })
                    .collect()
            },
        )
    }

    fn of_reduction(&mut self, n: SubExp, arrays: &[Name], red: &Reduce<Soacs>, seeds: &[Option<SubExp>]) {
        let k = arrays.len();
        let wanted: Vec<bool> = arrays.iter().map(|a| self.has_adjoint(*a)).collect();
        let scan = Scan { op: red.op.clone(), neutral: red.neutral.clone() };
        let left = self.scanned(n, arrays, &scan);
        let back: Vec<Name> = arrays.iter().map(|a| self.backwards(*a)).collect();
        let scan = Scan { op: exchanged(&red.op), neutral: red.neutral.clone() };
        let right = self.scanned(n, &back, &scan);
        let right: Vec<Name> = right.iter().map(|a| self.backwards(*a)).collect();
        let last = self.b.sub64(n, SubExp::i64(1));
        let frees = self.free_of(&red.op);
        let numbers = self.numbers(n);
        let inputs = [numbers].into_iter().chain(arrays.iter().copied()).collect();
        let (op, neutral, seeds) = (red.op.clone(), red.neutral.clone(), seeds.to_vec());
        let f: OfPoint<'_, Self> = Box::new(move |r: &mut Self, xs: &[SubExp]| {
            let (i, own) = (xs[0], &xs[1..]);
            let l = r.row_unless((i, SubExp::i64(0)), &left, SubExp::i64(-1), &neutral);
            let after = r.row_unless((i, last), &right, SubExp::i64(1), &neutral);
            let v = r.applied(&op, &[l.as_slice(), own].concat());
            let first: Vec<bool> = (0..2 * k).map(|j| j < k).collect();
            let v_seeds = r.vjp_of(&op, &[v, after].concat(), &first, &seeds, Frees::Ignored);
            let second: Vec<bool> = (0..2 * k).map(|j| j >= k && wanted[j - k]).collect();
            let all = r.vjp_of(&op, &[l.as_slice(), own].concat(), &second, &v_seeds[..k], Frees::Counted);
            all[k..].to_vec()
        });
        let parts = self.adjoint_map(n, inputs, &frees, f);
        for (a, part) in arrays.iter().zip(parts) {
            if let Some(part) = part {
                self.add((*a).into(), part.into());
            }
        }
    }
}

/// The number 1.
pub(super) fn one(p: PrimType) -> SubExp {
    match p {
        PrimType::Int(t) => SubExp::int(t, 1),
        PrimType::Float(t) => SubExp::float(t, 1.0),
        PrimType::Bool | PrimType::Unit => SubExp::bool(true),
    }
}
