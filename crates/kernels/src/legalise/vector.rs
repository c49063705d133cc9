//! Histograms with operators on vectors become histograms of elements, with the vector's dimensions in the index space.
//!
//! ```text
//! seghist (j < m) op [h] vector [k] (+)   seghist (e < m*k) op [h][k] (+)         -- j = e / k, l = e % k
//! ```

use super::operators::Source;
use super::{is_prim, Around, Bindings, Legalise};
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::seg::{SegHistOp, SegKind};
use fehu_ir::{Kernels, SubExp, Type};
use std::ops::Range;

impl Legalise {
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
