//! Operations on arrays without bodies.
//!
//! ```text
//! let (y) = xs[i]                    xs' at [i] += y'
//! let (ys) = xs with [i] = v         v' += ys'[i]        xs' += ys' with [i] = 0
//! let (ys) = replicate [n] x         x' += the sum of ys'
//! let (zs) = concat(xs, ys)          xs' += zs'[0 :+ n]  ys' += zs'[n :+ m]
//! let (ys) = rearrange (1, 0) xs     xs' += rearrange (1, 0) ys'
//! flat slices                        may overlap: an accumulator takes them
//! ```

use super::adjoints::{addition, multiplication, Adjoint};
use super::nest::{array, whole};
use super::Reverse;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::types::slice_shape;
use fehu_ir::{AccInput, Basic, DimIndex, Exp, Lambda, PatElem, Slice, Soacs, SubExp, Type, WithAcc};

/// Lengths and strides of a flat slice.
type FlatDims = [(SubExp, SubExp)];

impl Reverse<'_> {
    /// The contributions of an operation without bodies. The result of an update of an accumulator has no
    /// adjoint of its own.
    pub(super) fn basic(&mut self, p: &PatElem<Soacs>, op: Basic, seed: Option<SubExp>) {
        if let Basic::UpdateAcc(acc, index, values) = op {
            return self.put(acc, &index, &values);
        }
        let Some(seed) = seed else { return };
        match op {
            Basic::SubExp(x) | Basic::Opaque(x) => self.add(x, seed),
            Basic::UnOp(..) | Basic::BinOp(..) | Basic::Conv(..) | Basic::PrimFn(..) => {
                self.scalar(p.name.into(), &op, seed);
            }
            Basic::ArrayLit(xs, ty) => {
                for (i, x) in xs.iter().enumerate() {
                    if self.is_active(*x) {
                        let part = self.row(array(seed), &[SubExp::i64(i as i64)]);
                        let part = self.as_type(part, &ty);
                        self.add(*x, part);
                    }
                }
            }
            Basic::Index(a, slice) => self.add_at(a, &slice, seed),
            Basic::Update(a, slice, x) => self.undo_update(a, &slice, x, array(seed)),
            Basic::FlatIndex(a, offset, dims) => self.add_flat(a, offset, &dims, array(seed)),
            Basic::FlatUpdate(a, offset, dims, x) => self.undo_flat_update(a, offset, &dims, x, array(seed)),
            Basic::Iota { n, start, step, ty } => self.iota(n, start, step, ty, array(seed)),
            Basic::Replicate(shape, x) => {
                if self.is_active(x) {
                    let sum = self.sum_of_outer(array(seed), shape.len());
                    self.add(x, sum);
                }
            }
            Basic::Copy(a) | Basic::Manifest(_, a) => self.add(a.into(), seed),
            Basic::Concat { dim, arrays, .. } => self.parts(dim, &arrays, array(seed)),
            Basic::Rearrange(perm, a) => {
                let mut back = vec![0; perm.len()];
                perm.iter().enumerate().for_each(|(i, p)| back[*p] = i);
                let part = self.rearranged(&back, array(seed));
                self.add(a.into(), part.into());
            }
            Basic::Reshape(_, a) => {
                let ty = self.b.type_of(a.into());
                let part = self.as_type(seed, &ty);
                self.add(a.into(), part);
            }
            Basic::CmpOp(..)
            | Basic::Assert(..)
            | Basic::ArrayConst(_)
            | Basic::Scratch(..)
            | Basic::UpdateAcc(..) => {}
        }
    }

    /// `a with [slice] = x`
    fn undo_update(&mut self, a: Name, slice: &[DimIndex], x: SubExp, seed: Name) {
        let Some(p) = self.b.type_of(seed.into()).elem() else { fehu_base::bug!("an update of no array") };
        let part = Type::Prim(p).array_of(&slice_shape(slice));
        if self.is_active(x) {
            let view = Exp::Basic(Basic::Index(seed, slice.to_vec()));
            let mut new = self.b.bind("part", part.clone(), view);
            if part.is_array() {
                new = self.b.bind("part", part.clone(), Exp::Basic(Basic::Copy(new)));
            }
            self.add(x, new.into());
        }
        if self.has_adjoint(a) {
            let zero = self.zero(&part);
            let rest = self.update(seed, slice, zero);
            self.add(a.into(), rest);
        }
    }

    /// Elements of `a` that a flat slice names.
    fn add_flat(&mut self, a: Name, offset: SubExp, dims: &FlatDims, seed: Name) {
        if !self.has_adjoint(a) {
            return;
        }
        let done = match self.adjoint_of(a) {
            Adjoint::Acc(acc) => Adjoint::Acc(self.fill_flat(acc, offset, dims, seed.into())),
            Adjoint::Value(so_far) => {
                let value =
                    self.accumulated(array(so_far), |r, acc| r.fill_flat(acc, offset, dims, seed.into()));
                Adjoint::Value(value.into())
            }
        };
        self.adjoints.insert(a, done);
    }

    fn fill_flat(&mut self, acc: Name, offset: SubExp, dims: &FlatDims, value: SubExp) -> Name {
        let Some(((len, stride), rest)) = dims.split_first() else {
            let ty = self.b.type_of(acc.into());
            return self.b.bind("acc", ty, Exp::Basic(Basic::UpdateAcc(acc, vec![offset], vec![value])));
        };
        self.with_acc_in_map(*len, array(value), acc, &mut |r, i, row, acc| {
            let far = r.b.mul64(i, *stride);
            let at = r.b.add64(offset, far);
            r.fill_flat(acc, at, rest, row)
        })
    }

    /// An array to which an accumulator adds.
    pub(super) fn accumulated(&mut self, a: Name, f: impl FnOnce(&mut Self, Name) -> Name) -> Name {
        let ty = self.b.type_of(a.into());
        let Some(p) = ty.elem() else { fehu_base::bug!("an accumulator of no array") };
        let (input, token, acc) = self.acc_input(a, &ty, p);
        let ret = vec![acc.ty.clone()];
        let name = acc.name;
        let body = self.nested(|r| vec![f(r, name).into()]);
        let lambda = Lambda { params: vec![token, acc], body, ret };
        self.b.bind("sums", ty, Exp::WithAcc(Box::new(WithAcc { inputs: vec![input], lambda })))
    }

    /// An input of accumulators, its token, and its accumulator.
    pub(super) fn acc_input(
        &mut self,
        a: Name,
        ty: &Type,
        p: PrimType,
    ) -> (AccInput<Soacs>, fehu_ir::Param<Soacs>, fehu_ir::Param<Soacs>) {
        let shape = ty.shape().to_vec();
        let token = self.b.param("token", Type::UNIT);
        let acc = self.b.param("acc", Type::Acc(token.name, shape.clone(), vec![Type::Prim(p)]));
        let op = self.scalar_operator(addition(p));
        let op = Some((op, vec![SubExp::Const(p.blank())]));
        (AccInput { shape, arrays: vec![a], op }, token, acc)
    }

    fn undo_flat_update(&mut self, a: Name, offset: SubExp, dims: &FlatDims, x: Name, seed: Name) {
        let ty = self.b.type_of(x.into());
        if self.has_adjoint(x) {
            let view = Exp::Basic(Basic::FlatIndex(seed, offset, dims.to_vec()));
            let view = self.b.bind("part", ty.clone(), view);
            let part = self.b.bind("part", ty.clone(), Exp::Basic(Basic::Copy(view)));
            self.add(x.into(), part.into());
        }
        if self.has_adjoint(a) {
            let zero = array(self.zero(&ty));
            let whole = self.b.type_of(seed.into());
            let rest = Exp::Basic(Basic::FlatUpdate(seed, offset, dims.to_vec(), zero));
            let rest = self.b.bind("with", whole, rest);
            self.add(a.into(), rest.into());
        }
    }

    /// `start, start + step, ..`: the sum of the adjoints, and that of the adjoints times their places. The
    /// numbers move with how many there are; see docs/derivatives.md.
    fn iota(&mut self, n: SubExp, start: SubExp, step: SubExp, ty: IntType, seed: Name) {
        let p = PrimType::Int(ty);
        let zero = SubExp::Const(p.blank());
        let first = [start].into_iter().chain((ty == IntType::I64).then_some(n));
        let first: Vec<SubExp> = first.filter(|e| self.is_active(*e)).collect();
        if !first.is_empty() {
            let sum = self.reduced(n, seed, addition(p), zero);
            first.into_iter().for_each(|e| self.add(e, sum));
        }
        if self.is_active(step) {
            let exp = Basic::Iota { n, start: zero, step: SubExp::int(ty, 1), ty };
            let places = self.b.bind("is", Type::Array(p, vec![n]), Exp::Basic(exp));
            let parts = self
                .elementwise(&[n], &[seed, places], &mut |r, xs| r.b.bin(multiplication(p), xs[0], xs[1]));
            let sum = self.reduced(n, parts, addition(p), zero);
            self.add(step, sum);
        }
    }

    fn parts(&mut self, dim: usize, arrays: &[Name], seed: Name) {
        let shape = self.b.type_of(seed.into()).shape().to_vec();
        let mut start = SubExp::i64(0);
        for a in arrays {
            let ty = self.b.type_of((*a).into());
            let len = ty.shape()[dim];
            if self.has_adjoint(*a) {
                let mut slice: Slice = shape.iter().map(|n| whole(*n)).collect();
                slice[dim] = DimIndex::Slice { start, len, stride: SubExp::i64(1) };
                let Some(p) = ty.elem() else { fehu_base::bug!("parts of no array") };
                let part = Type::Prim(p).array_of(&slice_shape(&slice));
                let part = self.b.bind("part", part, Exp::Basic(Basic::Index(seed, slice)));
                self.add((*a).into(), part.into());
            }
            start = self.b.add64(start, len);
        }
    }

    /// All of an array's adjoint is one value at every element.
    pub(super) fn spread(&mut self, to: Name, value: SubExp) {
        let ty = self.b.type_of(to.into());
        let all = self.replicated(&ty.shape()[..1], value);
        let all = self.as_type(all.into(), &ty);
        self.add(to.into(), all);
    }
}
