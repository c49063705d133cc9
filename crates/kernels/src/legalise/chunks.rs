//! Histograms whose elements are arrays: each thread has a part of the bins, and applies the operator by loops.
//!
//! ```text
//! seghist (i < n, j < m) op [k] f                   let (parts) = segmap (i < n, c < t) { loop over all m points with f, for part c of the k bins }
//! ```
//!
//! To lock elements, which are large here, would serialise more than it saves. Reductions and scans with such
//! operators do not get here: flattening makes other operations of them.

use super::operators::Source;
use super::Around;
use super::{blank, outer_slice, Bindings, Legalise};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::chunks;
use fehu_base::Name;
use fehu_ir::seg::SegHistOp;
use fehu_ir::{Basic, Exp, Kernels, Lambda, Loop, LoopForm, Param, SubExp, Type};
use std::ops::Range;

/// How an input is divided. No chunk is empty.
struct Chunks {
    count: SubExp,
    size: SubExp,
}

/// One thing after the other: what is carried along.
type Carried = Vec<(SubExp, Type)>;

impl Legalise {
    /// A histogram whose elements are arrays: each thread looks at all points, and combines those of its part
    /// of the bins.
    pub(super) fn sequential_hist(
        &mut self,
        source: &Source,
        (indices, values): (Range<usize>, Range<usize>),
        results: Bindings,
        op: &SegHistOp<Kernels>,
    ) {
        let Some((bins, inner_bins)) = op.shape.split_first() else { return };
        let outer = source.segments().len();
        let whole = self.elementwise(&op.op, &op.vector);
        let parts = self.divided(*bins, chunks::BIN_PARTS);
        let all: Vec<Type> = op.dests.iter().map(|d| self.b.type_of((*d).into()).peel(outer)).collect();
        let types: Vec<Type> = all.iter().map(|t| t.peel(1).array_of(&[parts.size])).collect();
        let dims = self.indices(&[source.segments(), vec![parts.count]].concat());
        let index: Vec<SubExp> = dims.iter().map(|d| d.0.into()).collect();
        let (part, segment) = index.split_last().map_or((SubExp::i64(0), &[][..]), |(c, s)| (*c, s));
        let body = self.nested(|p| {
            let first = p.b.mul64(part, parts.size);
            let start = p.own_bins(&op.dests, &types, segment, (first, *bins, parts.size));
            p.steps(source.width(), start, |p, j, state| {
                let at: Vec<SubExp> = segment.iter().copied().chain([j]).collect();
                let mut bin = p.values(source, indices.clone(), &at, &[]);
                let new = p.values(source, values.clone(), &at, &[]);
                let inside = p.within(&bin, &op.shape);
                bin[0] = p.b.sub64(bin[0], first);
                let mine = p.within(&bin[..1], &[parts.size]);
                let inside = p.b.bin(BinOp::LogAnd, inside, mine);
                let yes = p.nested(|p| {
                    let old: Vec<SubExp> = state.iter().map(|d| p.part(*d, &bin)).collect();
                    let owned: Vec<SubExp> = old.iter().map(|x| p.owned(*x)).collect();
                    let combined = p.apply(&whole, &[owned, new.clone()].concat());
                    let put = |p: &mut Self, (d, x): (&SubExp, SubExp)| {
                        let ty = p.b.type_of(*d);
                        let slice = outer_slice(&ty, &bin[..1 + inner_bins.len()]);
                        match d {
                            SubExp::Var(d) => {
                                p.b.bind("dest", ty, Exp::Basic(Basic::Update(*d, slice, x))).into()
                            }
                            SubExp::Const(_) => *d,
                        }
                    };
                    state.iter().zip(combined).map(|pair| put(p, pair)).collect()
                });
                let no = p.nested(|_| state.to_vec());
                let names = p.b.bind_all("dest", types.clone(), Exp::If(inside, Box::new(yes), Box::new(no)));
                names.into_iter().map(SubExp::Var).collect()
            })
        });
        let outer: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
        let made = self.results("parts", types.iter().map(|t| t.array_of(&outer)).collect::<Vec<_>>());
        let names: Vec<Name> = made.iter().map(|(n, _)| *n).collect();
        self.map(Around::Host, made, dims, types, body);
        let rows: Vec<Type> = all.iter().map(|t| t.peel(1)).collect();
        self.joined(results, names, &rows, &source.segments(), &parts, *bins);
    }

    /// A thread's own copy of some bins, from the first one on. Where there are fewer, the last one is there again.
    fn own_bins(
        &mut self,
        dests: &[Name],
        types: &[Type],
        segment: &[SubExp],
        (first, bins, count): (SubExp, SubExp, SubExp),
    ) -> Carried {
        let mut start: Carried = vec![];
        for t in types {
            let scratch = self.scratch(t);
            start.push((scratch, t.clone()));
        }
        let last = self.b.sub64(bins, SubExp::i64(1));
        let filled = self.steps(count, start, |p, i, state| {
            let bin = p.b.add64(first, i);
            let bin = p.b.bin(BinOp::SMin(IntType::I64), bin, last);
            let at: Vec<SubExp> = segment.iter().copied().chain([bin]).collect();
            let mut next = vec![];
            for (d, row) in dests.iter().zip(state) {
                let x = p.part((*d).into(), &at);
                next.push(p.put(*row, i, x));
            }
            next
        });
        filled.into_iter().zip(types.iter().cloned()).collect()
    }

    /// Results from the parts of each segment: the first rows of all of them together.
    fn joined(
        &mut self,
        results: Bindings,
        parts: Vec<Name>,
        rows: &[Type],
        segments: &[SubExp],
        chunks: &Chunks,
        width: SubExp,
    ) {
        let padded = self.b.mul64(chunks.count, chunks.size);
        for (((name, ty), chunked), t) in results.into_iter().zip(parts).zip(rows) {
            let shape: Vec<SubExp> =
                segments.iter().copied().chain([padded]).chain(t.shape().iter().copied()).collect();
            let elem = t.peel(t.rank());
            let joined = self.b.bind(
                "joined",
                elem.array_of(&shape),
                Exp::Basic(Basic::Reshape(shape.clone(), chunked)),
            );
            let mut slice = outer_slice(&elem.array_of(&shape), &[]);
            if let Some(fehu_ir::DimIndex::Slice { len, .. }) = slice.get_mut(segments.len()) {
                *len = width;
            }
            self.b.bind_names(vec![(name, ty)], Exp::Basic(Basic::Index(joined, slice)));
        }
    }

    fn within(&mut self, index: &[SubExp], shape: &[SubExp]) -> SubExp {
        let mut all = SubExp::bool(true);
        for (i, n) in index.iter().zip(shape) {
            let low = self.b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(0), *i);
            let high = self.b.cmp(CmpOp::SLt(IntType::I64), *i, *n);
            let both = self.b.bin(BinOp::LogAnd, low, high);
            all = self.b.bin(BinOp::LogAnd, all, both);
        }
        all
    }

    /// Something divided into so many parts at most.
    fn divided(&mut self, width: SubExp, most: i64) -> Chunks {
        let size = self.quotient_up(width, SubExp::i64(most));
        let size = self.b.bin(BinOp::SMax(IntType::I64), size, SubExp::i64(1));
        let count = self.quotient_up(width, size);
        Chunks { count, size }
    }

    fn quotient_up(&mut self, x: SubExp, by: SubExp) -> SubExp {
        let rest = self.b.sub64(by, SubExp::i64(1));
        let up = self.b.add64(x, rest);
        self.b.bin(BinOp::SQuot(IntType::I64), up, by)
    }

    /// The operand, or a copy of it that can be changed.
    fn owned(&mut self, e: SubExp) -> SubExp {
        let ty = self.b.type_of(e);
        match e {
            SubExp::Var(a) if ty.is_array() => self.b.bind("copy", ty, Exp::Basic(Basic::Copy(a))).into(),
            SubExp::Var(_) | SubExp::Const(_) => e,
        }
    }

    fn scratch(&mut self, ty: &Type) -> SubExp {
        match ty {
            Type::Array(p, shape) => {
                self.b.bind("scratch", ty.clone(), Exp::Basic(Basic::Scratch(*p, shape.clone()))).into()
            }
            Type::Prim(p) => blank(*p),
            Type::Acc(..) | Type::Mem(_) => fehu_base::bug!("scratch of {ty:?}"),
        }
    }

    /// A row of an array replaced.
    fn put(&mut self, array: SubExp, row: SubExp, value: SubExp) -> SubExp {
        let SubExp::Var(a) = array else { return array };
        let ty = self.b.type_of(array);
        let slice = outer_slice(&ty, &[row]);
        self.b.bind("row", ty, Exp::Basic(Basic::Update(a, slice, value))).into()
    }

    /// A loop that carries values along; gives them in the end.
    fn steps(
        &mut self,
        count: SubExp,
        start: Carried,
        step: impl FnOnce(&mut Self, SubExp, &[SubExp]) -> Vec<SubExp>,
    ) -> Vec<SubExp> {
        let types: Vec<Type> = start.iter().map(|(_, t)| t.clone()).collect();
        let params: Vec<(Param<Kernels>, SubExp)> =
            start.into_iter().map(|(e, t)| (self.b.param("state", t), e)).collect();
        let state: Vec<SubExp> = params.iter().map(|(p, _)| p.name.into()).collect();
        let var = self.b.fresh("i", Type::I64);
        let body = self.nested(|p| step(p, var.into(), &state));
        let form = LoopForm::For { var, ty: IntType::I64, bound: count };
        let l = Exp::Loop(Box::new(Loop { params, form, body }));
        self.b.bind_all("state", types, l).into_iter().map(SubExp::Var).collect()
    }

    /// An operator applied at each place of vectors.
    fn elementwise(&mut self, op: &Lambda<Kernels>, vector: &[SubExp]) -> Lambda<Kernels> {
        if vector.is_empty() {
            return op.clone();
        }
        let vectors: Vec<Type> = op.ret.iter().map(|t| t.array_of(vector)).collect();
        let params: Vec<Param<Kernels>> =
            vectors.iter().chain(&vectors).map(|t| self.b.param("vector", t.clone())).collect();
        let args: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        let body = self.nested(|p| {
            let mut start: Carried = vec![];
            for t in &vectors {
                let scratch = p.scratch(t);
                start.push((scratch, t.clone()));
            }
            p.at_places(op, vector, &args, &[], start)
        });
        Lambda { params, body, ret: vectors }
    }

    fn at_places(
        &mut self,
        op: &Lambda<Kernels>,
        vector: &[SubExp],
        args: &[SubExp],
        index: &[SubExp],
        out: Carried,
    ) -> Vec<SubExp> {
        let types: Vec<Type> = out.iter().map(|(_, t)| t.clone()).collect();
        let Some((n, rest)) = vector.split_first() else {
            let elements: Vec<SubExp> = args.iter().map(|a| self.part(*a, index)).collect();
            let combined = self.apply(op, &elements);
            let mut put = vec![];
            for ((array, ty), x) in out.into_iter().zip(combined) {
                let slice = outer_slice(&ty, index);
                put.push(match array {
                    SubExp::Var(a) => self.b.bind("out", ty, Exp::Basic(Basic::Update(a, slice, x))).into(),
                    SubExp::Const(_) => array,
                });
            }
            return put;
        };
        self.steps(*n, out, |p, i, state| {
            let index = [index, &[i]].concat();
            let out = state.iter().copied().zip(types.clone()).collect();
            p.at_places(op, rest, args, &index, out)
        })
    }
}
