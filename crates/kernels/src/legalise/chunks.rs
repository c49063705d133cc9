//! Operators on arrays are applied by loops, each thread to a chunk of the input.
//!
//! ```text
//! segred (i < n, j < m) op f                        let (parts) = segmap (i < n, c < t) { loop over chunk c of m with f }
//!                                                   segmap (i < n) { loop over the t parts with f }
//! ```
//!
//! The neutral element is used once in each segment, at its start: programs are known that give another value there. A
//! scan starts each chunk anew from what is before it. In histograms each thread has a part of the bins: to lock elements, which
//! are large here, would serialise more than it saves.

use super::operators::Source;
use super::Around;
use super::{blank, outer_slice, Bindings, Legalise};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::chunks;
use fehu_base::Name;
use fehu_ir::seg::{SegBinOp, SegHistOp};
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
    pub(super) fn chunked_reduction(
        &mut self,
        source: &Source,
        which: Range<usize>,
        results: Bindings,
        op: &SegBinOp<Kernels>,
    ) {
        let chunks = self.chunks(source.width());
        let parts = self.totals(source, &which, op, &chunks);
        let types = source.types[which].to_vec();
        self.per_segment(source, results, types, |p, segment| {
            let start = p.start(op);
            p.steps(chunks.count, start, |p, c, state| {
                let index: Vec<SubExp> = segment.iter().copied().chain([c]).collect();
                let part: Vec<SubExp> = parts.iter().map(|a| p.part((*a).into(), &index)).collect();
                p.apply(&op.op, &[state, &part].concat())
            })
        });
    }

    pub(super) fn chunked_scan(
        &mut self,
        source: &Source,
        which: Range<usize>,
        results: Bindings,
        op: &SegBinOp<Kernels>,
    ) {
        let chunks = self.chunks(source.width());
        let parts = self.totals(source, &which, op, &chunks);
        let types = source.types[which.clone()].to_vec();
        let before = self.before_chunks(source, &types, op, &chunks, &parts);
        let dims = self.indices(&[source.segments(), vec![chunks.count]].concat());
        let index: Vec<SubExp> = dims.iter().map(|d| d.0.into()).collect();
        let (chunk, segment) = index.split_last().map_or((SubExp::i64(0), &[][..]), |(c, s)| (*c, s));
        let rows: Vec<Type> = types.iter().map(|t| t.array_of(&[chunks.size])).collect();
        let body = self.nested(|p| {
            let (first, len) = p.extent(source.width(), &chunks, chunk);
            let mut start: Carried = vec![];
            for (a, t) in before.iter().zip(&types) {
                let x = p.part((*a).into(), &index);
                start.push((p.owned(x), t.clone()));
            }
            for t in &rows {
                let scratch = p.scratch(t);
                start.push((scratch, t.clone()));
            }
            let all = p.steps(len, start, |p, i, state| {
                let (old, rows) = state.split_at(types.len());
                let j = p.b.add64(first, i);
                let at: Vec<SubExp> = segment.iter().copied().chain([j]).collect();
                let new = p.values(source, which.clone(), &at, &[]);
                let mut next = p.apply(&op.op, &[old, &new].concat());
                for (k, row) in rows.iter().enumerate() {
                    let put = p.put(*row, i, next[k]);
                    next.push(put);
                }
                next
            });
            all[types.len()..].to_vec()
        });
        let outer: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
        let made = self.results("chunks", rows.iter().map(|t| t.array_of(&outer)).collect::<Vec<_>>());
        let names: Vec<Name> = made.iter().map(|(n, _)| *n).collect();
        self.map(Around::Host, made, dims, rows, body);
        self.joined(results, names, &types, &source.segments(), &chunks, source.width());
    }

    /// What each chunk of each segment comes to.
    fn totals(
        &mut self,
        source: &Source,
        which: &Range<usize>,
        op: &SegBinOp<Kernels>,
        chunks: &Chunks,
    ) -> Vec<Name> {
        let dims = self.indices(&[source.segments(), vec![chunks.count]].concat());
        let index: Vec<SubExp> = dims.iter().map(|d| d.0.into()).collect();
        let (chunk, segment) = index.split_last().map_or((SubExp::i64(0), &[][..]), |(c, s)| (*c, s));
        let body = self.nested(|p| {
            let (first, len) = p.extent(source.width(), chunks, chunk);
            let at: Vec<SubExp> = segment.iter().copied().chain([first]).collect();
            let mut start: Carried = vec![];
            for (x, t) in p.values(source, which.clone(), &at, &[]).into_iter().zip(&op.op.ret) {
                start.push((p.owned(x), t.clone()));
            }
            let rest = p.b.sub64(len, SubExp::i64(1));
            let second = p.b.add64(first, SubExp::i64(1));
            p.steps(rest, start, |p, i, state| {
                let j = p.b.add64(second, i);
                let at: Vec<SubExp> = segment.iter().copied().chain([j]).collect();
                let new = p.values(source, which.clone(), &at, &[]);
                p.apply(&op.op, &[state, &new].concat())
            })
        });
        let types = source.types[which.clone()].to_vec();
        let outer: Vec<SubExp> = dims.iter().map(|d| d.1).collect();
        let parts = self.results("parts", types.iter().map(|t| t.array_of(&outer)).collect::<Vec<_>>());
        let names = parts.iter().map(|(n, _)| *n).collect();
        self.map(Around::Host, parts, dims, types, body);
        names
    }

    /// What comes before each chunk of each segment.
    fn before_chunks(
        &mut self,
        source: &Source,
        types: &[Type],
        op: &SegBinOp<Kernels>,
        chunks: &Chunks,
        parts: &[Name],
    ) -> Vec<Name> {
        let rows: Vec<Type> = types.iter().map(|t| t.array_of(&[chunks.count])).collect();
        let segments = source.segments();
        let results = self.results("before", rows.iter().map(|t| t.array_of(&segments)).collect::<Vec<_>>());
        let names = results.iter().map(|(n, _)| *n).collect();
        self.per_segment(source, results, rows.clone(), |p, segment| {
            let mut start = p.start(op);
            for t in &rows {
                let scratch = p.scratch(t);
                start.push((scratch, t.clone()));
            }
            let all = p.steps(chunks.count, start, |p, c, state| {
                let (so_far, rows) = state.split_at(types.len());
                let mut put = vec![];
                for (row, x) in rows.iter().zip(so_far) {
                    put.push(p.put(*row, c, *x));
                }
                let index: Vec<SubExp> = segment.iter().copied().chain([c]).collect();
                let part: Vec<SubExp> = parts.iter().map(|a| p.part((*a).into(), &index)).collect();
                let mut next = p.apply(&op.op, &[so_far, &part].concat());
                next.extend(put);
                next
            });
            all[types.len()..].to_vec()
        });
        names
    }

    /// A histogram whose elements are arrays: each thread looks at all points, and combines those of its part of the bins.
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

    /// How to divide an input.
    fn chunks(&mut self, width: SubExp) -> Chunks {
        self.divided(width, chunks::INPUT_CHUNKS)
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

    /// The first index of a chunk, and how many it has.
    fn extent(&mut self, width: SubExp, chunks: &Chunks, chunk: SubExp) -> (SubExp, SubExp) {
        let first = self.b.mul64(chunk, chunks.size);
        let left = self.b.sub64(width, first);
        (first, self.b.bin(BinOp::SMin(IntType::I64), left, chunks.size))
    }

    /// The neutral elements, to start from.
    fn start(&mut self, op: &SegBinOp<Kernels>) -> Carried {
        let mut start = vec![];
        for (e, t) in op.neutral.iter().zip(&op.op.ret) {
            start.push((self.owned(*e), t.clone()));
        }
        start
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

    /// A map over the segments; a single one is a map over one point.
    fn per_segment(
        &mut self,
        source: &Source,
        results: Bindings,
        types: Vec<Type>,
        body: impl FnOnce(&mut Self, &[SubExp]) -> Vec<SubExp>,
    ) {
        let segments = source.segments();
        if !segments.is_empty() {
            let dims = self.indices(&segments);
            let index: Vec<SubExp> = dims.iter().map(|d| d.0.into()).collect();
            let body = self.nested(|p| body(p, &index));
            return self.map(Around::Host, results, dims, types, body);
        }
        let dims = self.indices(&[SubExp::i64(1)]);
        let body = self.nested(|p| body(p, &[]));
        let single =
            self.results("single", types.iter().map(|t| t.array_of(&[SubExp::i64(1)])).collect::<Vec<_>>());
        let names: Vec<Name> = single.iter().map(|(n, _)| *n).collect();
        self.map(Around::Host, single, dims, types, body);
        for ((name, ty), single) in results.into_iter().zip(names) {
            let slice = outer_slice(&self.b.type_of(single.into()), &[SubExp::i64(0)]);
            self.b.bind_names(vec![(name, ty)], Exp::Basic(Basic::Index(single, slice)));
        }
    }

    /// The operator, applied to whole vectors at once.
    pub(super) fn on_whole_arrays(&mut self, op: SegBinOp<Kernels>) -> SegBinOp<Kernels> {
        if op.shape.is_empty() {
            return op;
        }
        let whole = self.elementwise(&op.op, &op.shape);
        let mut neutral = vec![];
        for (e, t) in op.neutral.iter().zip(&whole.ret) {
            let same = self.b.type_of(*e).rank() == t.rank();
            neutral.push(if same {
                *e
            } else {
                let name = self.b.fresh("neutral", t.clone());
                let outer = op.shape.len();
                self.fill(Around::Host, name, t, |p, index| p.element(*e, &index[outer..]));
                name.into()
            });
        }
        SegBinOp { comm: op.comm, op: whole, neutral, shape: vec![] }
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
