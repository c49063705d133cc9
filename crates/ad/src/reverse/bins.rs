//! Histograms with any operator, as operations that have rules: what is put into bins is sorted by bin, and a
//! scan that starts afresh with each bin combines it.
//!
//! ```text
//! h = hist f d is vs      bin = is, one number each; the number of bins where it is out of bounds
//!                         order = positions, sorted by bin
//!                         ys = scan of (is first of its bin, vs) in that order
//!                         h[b] = f d[b] (ys at the last of bin b), or d[b] if the bin is empty
//! ```
//!
//! The order within a bin is that of the values, so the operator need not be commutative. Sorting is by one
//! bit after the other, which takes tens of times as long as the histogram. CPUs take a loop over the values
//! instead (`prepare`): two threads run it 25 times as fast.

use super::Reverse;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, MathFn, PrimFn};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::soac::{Hist, HistOp, Scan, Scatter, ScatterDest, Soac};
use fehu_ir::{Basic, Exp, Lambda, Loop, LoopForm, PatElem, Soacs, SubExp, Type};

const I64: IntType = IntType::I64;

impl Reverse<'_> {
    /// A histogram of numbers as sorting, a scan, and a map over the bins.
    pub(super) fn hist_sorted(
        &mut self,
        n: SubExp,
        pat: &[PatElem<Soacs>],
        is: &[Name],
        values: &[Name],
        op: &HistOp<Soacs>,
    ) {
        let count = self.b.product(&op.shape);
        let bins = self.map_rows(n, is, &mut |r, index| vec![r.number_of_bin(index, &op.shape, count)])[0];
        let order = self.sorted(n, bins, count);
        let numbers = self.numbers(n);
        let mut inputs = vec![numbers];
        inputs.extend(self.map_rows(n, &[order], &mut |r, at| {
            let at = [at[0]];
            std::iter::once(&bins).chain(values).map(|a| r.row(*a, &at)).collect()
        }));
        let sorted = inputs[1];
        let firsts = self.map_rows(n, &[numbers, sorted], &mut |r, xs| {
            let (i, own) = (xs[0], xs[1]);
            let before = r.row_unless((i, SubExp::i64(0)), &[sorted], SubExp::i64(-1), &[SubExp::i64(-1)]);
            let same = r.equal(before[0], own);
            vec![r.equal(same, SubExp::bool(false))]
        });
        inputs[1] = firsts[0];
        let scan = self.afresh(&op.op, &op.neutral);
        let sums = self.scanned(n, &inputs[1..], &scan);
        let ends = self.ends(n, bins, count);
        let dests: Vec<Name> = op.dests.iter().map(|d| self.flat(*d, count)).collect();
        let rows: Vec<Name> = ends.iter().chain(&dests).copied().collect();
        let results = self.map_rows(count, &rows, &mut |r, xs| {
            let types: Vec<Type> = xs[2..].iter().map(|e| r.b.type_of(*e)).collect();
            let any = r.b.cmp(CmpOp::SLt(I64), SubExp::i64(0), xs[0]);
            let last = r.b.sub64(xs[1], SubExp::i64(1));
            let both = |r: &mut Self| {
                let own: Vec<SubExp> = sums[1..].iter().map(|a| r.row(*a, &[last])).collect();
                r.applied(&op.op, &[&xs[2..], &own].concat())
            };
            r.choice(any, &types, both, |_| xs[2..].to_vec())
        });
        for (p, a) in pat.iter().zip(results) {
            let exp = Exp::Basic(Basic::Reshape(p.ty.shape().to_vec(), a));
            self.b.bind_names(vec![(p.name, p.ty.clone())], exp);
        }
    }

    /// An array of one dimension.
    fn flat(&mut self, a: Name, count: SubExp) -> Name {
        let ty = self.b.type_of(a.into());
        let Some(p) = ty.elem() else { fehu_base::bug!("bins of nothing") };
        let exp = Exp::Basic(Basic::Reshape(vec![count], a));
        self.b.bind("flat", Type::Array(p, vec![count]), exp)
    }

    /// The number of a bin in row-major order; how many there are if the index is out of bounds.
    fn number_of_bin(&mut self, index: &[SubExp], shape: &[SubExp], count: SubExp) -> SubExp {
        let inside = self.within(index, shape);
        let (index, shape) = (index.to_vec(), shape.to_vec());
        let number = |r: &mut Self| {
            let number = index.iter().zip(shape).fold(SubExp::i64(0), |so_far, (i, n)| {
                let far = r.b.mul64(so_far, n);
                r.b.add64(far, *i)
            });
            vec![number]
        };
        self.choice(inside, &[Type::I64], number, |_| vec![count])[0]
    }

    /// The operator on pairs of a truth value and a value: true is where it starts afresh.
    fn afresh(&mut self, op: &Lambda<Soacs>, neutral: &[SubExp]) -> Scan<Soacs> {
        let types: Vec<Type> = std::iter::once(Type::BOOL).chain(op.ret.iter().cloned()).collect();
        let k = types.len();
        let params: Vec<_> = [&types[..], &types[..]].concat();
        let params: Vec<_> = params.into_iter().map(|t| self.b.param("x", t)).collect();
        let names: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        let body = self.nested(|r| {
            let first = r.b.bin(BinOp::LogOr, names[0], names[k]);
            let args = [&names[1..k], &names[k + 1..]].concat();
            let own = names[k + 1..].to_vec();
            let values = r.choice(names[k], &types[1..], |_| own, |r| r.applied(op, &args));
            std::iter::once(first).chain(values).collect()
        });
        let op = Lambda { params, body, ret: types };
        let neutral = std::iter::once(SubExp::bool(false)).chain(neutral.iter().copied()).collect();
        Scan { op, neutral }
    }

    /// How many numbers there are of each bin, and how many up to it.
    fn ends(&mut self, n: SubExp, bins: Name, count: SubExp) -> [Name; 2] {
        let add = self.scalar_operator(BinOp::Add(I64));
        let zeros = self.replicated(&[count], SubExp::i64(0));
        let ones = self.replicated(&[n], SubExp::i64(1));
        let op = HistOp { shape: vec![count], dests: vec![zeros], neutral: vec![SubExp::i64(0)], op: add };
        let lambda = self.identity(&[Type::I64, Type::I64]);
        let hist = Hist { width: n, arrays: vec![bins, ones], ops: vec![op], lambda };
        let sizes = self.b.bind("sizes", Type::I64.array_of(&[count]), Exp::Op(Soac::Hist(hist)));
        let op = self.scalar_operator(BinOp::Add(I64));
        let ends = self.scanned(count, &[sizes], &Scan { op, neutral: vec![SubExp::i64(0)] });
        [sizes, ends[0]]
    }

    /// The positions of numbers from 0 to a limit, in the order of the numbers; of equal ones, in their own
    /// order.
    fn sorted(&mut self, n: SubExp, numbers: Name, limit: SubExp) -> Name {
        let clz = PrimFn { op: MathFn::Clz, at: PrimType::Int(I64) };
        let zeros = Exp::Basic(Basic::PrimFn(clz, vec![limit]));
        let zeros = self.b.bind("zeros", Type::Prim(PrimType::Int(IntType::I32)), zeros);
        let zeros = self.b.conv(ConvOp::SExt(IntType::I32, I64), zeros.into());
        let bits = self.b.sub64(SubExp::i64(64), zeros);
        let ty = Type::I64.array_of(&[n]);
        let first = self.numbers(n);
        let so_far = self.b.param("order", ty.clone());
        let bit = self.b.fresh("bit", Type::I64);
        let order = so_far.name;
        let body = self.nested(|r| vec![r.by_bit(n, numbers, order, bit.into()).into()]);
        let form = LoopForm::For { var: bit, ty: I64, bound: bits };
        let exp = Exp::Loop(Box::new(Loop { params: vec![(so_far, first.into())], form, body }));
        self.b.bind("order", ty, exp)
    }

    /// Positions, first those of numbers without a bit.
    fn by_bit(&mut self, n: SubExp, numbers: Name, order: Name, bit: SubExp) -> Name {
        let add = BinOp::Add(I64);
        let unset = self.map_rows(n, &[order], &mut |r, at| {
            let number = r.row(numbers, &[at[0]]);
            let low = r.b.bin(BinOp::LShr(I64), number, bit);
            let set = r.b.bin(BinOp::And(I64), low, SubExp::i64(1));
            vec![r.b.bin(BinOp::Xor(I64), set, SubExp::i64(1))]
        });
        let op = self.scalar_operator(add);
        let before = self.scanned(n, &unset, &Scan { op, neutral: vec![SubExp::i64(0)] });
        let all = self.reduced(n, unset[0], add, SubExp::i64(0));
        let is = self.numbers(n);
        let places = self.map_rows(n, &[is, unset[0], before[0]], &mut |r, xs| {
            let (i, unset, before) = (xs[0], xs[1], xs[2]);
            let is_unset = r.equal(unset, SubExp::i64(1));
            let yes = |r: &mut Self| vec![r.b.sub64(before, SubExp::i64(1))];
            let no = |r: &mut Self| {
                let after = r.b.sub64(i, before);
                vec![r.b.add64(all, after)]
            };
            r.choice(is_unset, &[Type::I64], yes, no)
        });
        let ty = Type::I64.array_of(&[n]);
        let room = self.b.bind("room", ty.clone(), Exp::Basic(Basic::Scratch(PrimType::Int(I64), vec![n])));
        let dests = vec![ScatterDest { shape: vec![n], array: room }];
        let lambda = self.identity(&[Type::I64, Type::I64]);
        let put = Scatter { width: n, arrays: vec![places[0], order], dests, lambda };
        self.b.bind("order", ty, Exp::Op(Soac::Scatter(put)))
    }
}

/// Whether a histogram is of numbers.
pub(super) fn of_numbers(op: &HistOp<Soacs>) -> bool {
    op.op.ret.iter().all(|t| matches!(t, Type::Prim(_)))
}
