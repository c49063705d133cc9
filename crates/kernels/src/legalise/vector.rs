//! Operators on vectors become operators on elements, with the vector's dimensions in the index space.
//!
//! ```text
//! segred (i < n, j < m) op [k] (+)       segred (i < n, l < k, j < m) op [] (+)
//! seghist (j < m) op [h] vector [k] (+)   seghist (e < m*k) op [h][k] (+)         -- j = e / k, l = e % k
//! ```
//!
//! A scan's results are transposed back.

use super::operators::{Along, Source};
use super::{is_prim, Around, Bindings, Legalise};
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::seg::{SegBinOp, SegHistOp, SegKind};
use fehu_ir::{Basic, Exp, Kernels, SubExp, Type};
use std::ops::Range;

impl Legalise {
    pub(super) fn vector(
        &mut self,
        around: Around,
        source: &Source,
        which: Range<usize>,
        results: Bindings,
        op: SegBinOp<Kernels>,
        along: Along,
    ) {
        let vector = op.shape.clone();
        let mut dims = self.indices(&source.segments());
        let segments: Vec<SubExp> = dims.iter().map(|d| d.0.into()).collect();
        let places = self.indices(&vector);
        let inner: Vec<SubExp> = places.iter().map(|d| d.0.into()).collect();
        dims.extend(places);
        let last = self.b.fresh("i", Type::I64);
        dims.push((last, source.width()));
        let index: Vec<SubExp> = segments.iter().copied().chain([last.into()]).collect();
        let body = self.nested(|p| p.values(source, which, &index, &inner));
        let types = op.op.ret.clone();
        let outer: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
        let op = SegBinOp { shape: vec![], ..op };
        match along {
            Along::Reduce => {
                self.operation(around, results, dims, types, body, SegKind::Red(vec![op]));
            }
            Along::Scan if vector.is_empty() => {
                self.operation(around, results, dims, types, body, SegKind::Scan(vec![op], None));
            }
            Along::Scan => {
                let scanned =
                    self.results("scanned", types.iter().map(|t| t.array_of(&outer)).collect::<Vec<_>>());
                let names: Vec<Name> = scanned.iter().map(|(n, _)| *n).collect();
                self.operation(around, scanned, dims, types, body, SegKind::Scan(vec![op], None));
                let (s, k) = (segments.len(), vector.len());
                let perm: Vec<usize> = (0..s).chain([s + k]).chain(s..s + k).collect();
                for (bound, scanned) in results.into_iter().zip(names) {
                    self.b.bind_names(vec![bound], Exp::Basic(Basic::Rearrange(perm.clone(), scanned)));
                }
            }
        }
    }

    /// Names for indices into a shape.
    pub(super) fn indices(&mut self, shape: &[SubExp]) -> Vec<(Name, SubExp)> {
        shape.iter().map(|n| (self.b.fresh("i", Type::I64), *n)).collect()
    }

    pub(super) fn hists(
        &mut self,
        around: Around,
        source: &Source,
        mut pat: Bindings,
        ops: Vec<SegHistOp<Kernels>>,
    ) {
        let all_indices: usize = ops.iter().map(|op| op.shape.len()).sum();
        let (mut index_at, mut value_at) = (0, all_indices);
        for op in ops {
            let indices = index_at..index_at + op.shape.len();
            let values = value_at..value_at + op.dests.len();
            (index_at, value_at) = (indices.end, values.end);
            let rest = pat.split_off(op.dests.len());
            let results = std::mem::replace(&mut pat, rest);
            if op.op.ret.iter().all(is_prim) {
                self.vector_hist(around, source, (indices, values), results, op);
            } else {
                self.sequential_hist(source, (indices, values), results, &op);
            }
        }
    }

    fn vector_hist(
        &mut self,
        around: Around,
        source: &Source,
        (indices, values): (Range<usize>, Range<usize>),
        results: Bindings,
        op: SegHistOp<Kernels>,
    ) {
        let mut dims = self.indices(&source.segments());
        let segments: Vec<SubExp> = dims.iter().map(|d| d.0.into()).collect();
        let sizes: Vec<SubExp> = [source.width()].into_iter().chain(op.vector.iter().copied()).collect();
        let points = self.b.product(&sizes);
        let last = self.b.fresh("i", Type::I64);
        dims.push((last, points));
        let body = self.nested(|p| {
            let mut places = p.unflatten(last.into(), &sizes);
            let inner = places.split_off(1);
            let index: Vec<SubExp> = segments.iter().copied().chain(places).collect();
            // The results of the code, bins first.
            let mut found = p.values(source, indices, &index, &[]);
            found.extend(inner.iter().copied());
            found.extend(p.values(source, values, &index, &inner));
            found
        });
        let shape: Vec<SubExp> = op.shape.iter().chain(&op.vector).copied().collect();
        let types = shape.iter().map(|_| Type::I64).chain(op.op.ret.clone()).collect();
        let op = SegHistOp { shape, vector: vec![], ..op };
        self.operation(around, results, dims, types, body, SegKind::Hist(vec![op]));
    }

    /// The indices into a shape that a flat index stands for.
    fn unflatten(&mut self, flat: SubExp, sizes: &[SubExp]) -> Vec<SubExp> {
        let mut rest = flat;
        let mut found = vec![];
        for (k, n) in sizes.iter().enumerate().rev() {
            if k == 0 {
                found.push(rest);
            } else {
                found.push(self.b.bin(BinOp::SRem(IntType::I64), rest, *n));
                rest = self.b.bin(BinOp::SQuot(IntType::I64), rest, *n);
            }
        }
        found.reverse();
        found
    }
}
