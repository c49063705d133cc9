//! Conditionals: what the branches return may live in different places.
//!
//! If both live in one place, so does the result. Otherwise the branches also
//! return what differs: the block, the offset, strides. Two row-major
//! results stay row-major.

use super::{block_elem, Bindings, Introduce};
use crate::builder::Place;
use fehu_algebra::Poly;
use fehu_base::Name;
use fehu_ir::mem::{poly, Lmad, MemInfo};
use fehu_ir::{Body, Exp, Kernels, Memory, PatElem, Stm, SubExp, Type};

impl Introduce {
    pub(super) fn branch(&mut self, pat: Bindings, cond: SubExp, t: Body<Kernels>, f: Body<Kernels>) {
        let mut branches = self.nested(|intro| [intro.open_body(t), intro.open_body(f)]);
        let mut elems = vec![];
        let mut results = [vec![], vec![]];
        let own: Vec<Name> = pat.iter().map(|(n, _)| *n).collect();
        for (i, (name, ty)) in pat.into_iter().enumerate() {
            let mut ends = [branches[0].1[i], branches[1].1[i]];
            if let (Type::Array(..), SubExp::Var(t), SubExp::Var(f)) = (&ty, ends[0], ends[1]) {
                if self.in_kernel() && !self.can_join(t, f) {
                    let block = self.pin(name, &ty, &own);
                    let place = self.b.dense_in(block, &ty);
                    self.b.places.insert(name, place);
                    for (k, a) in [t, f].into_iter().enumerate() {
                        ends[k] = self.in_branch(&mut branches[k].0, |intro| {
                            let ty = intro.b.type_of(a);
                            let place = intro.b.dense_in(block, &ty);
                            intro.copy_to(a, place).into()
                        });
                    }
                    elems.push(self.b.elem(name, ty));
                    results[0].push(ends[0]);
                    results[1].push(ends[1]);
                    continue;
                }
            }
            if let (Type::Array(..), SubExp::Var(t), SubExp::Var(f)) = (&ty, ends[0], ends[1]) {
                let places = [self.b.place(t).clone(), self.b.place(f).clone()];
                let (place, existential) = self.join(name, &ty, &places);
                for e in existential {
                    elems.push(e.elem(self));
                    for k in 0..2 {
                        let value = self.in_branch(&mut branches[k].0, |intro| e.value(intro, &places[k]));
                        results[k].push(value);
                    }
                }
                self.b.places.insert(name, place);
            }
            elems.push(self.b.elem(name, ty));
            results[0].push(ends[0]);
            results[1].push(ends[1]);
        }
        let [(t, _), (f, _)] = branches;
        let [t_result, f_result] = results;
        let t = Body { stms: t, result: t_result };
        let f = Body { stms: f, result: f_result };
        self.b.push(elems, Exp::If(cond, Box::new(t), Box::new(f)));
    }

    /// Adds to the statements of a branch.
    fn in_branch<T>(&mut self, stms: &mut Vec<Stm<Memory>>, f: impl FnOnce(&mut Self) -> T) -> T {
        self.nested(|intro| {
            intro.b.reopen(std::mem::take(stms));
            let result = f(intro);
            *stms = intro.b.close();
            result
        })
    }

    /// Whether, inside of a kernel, branches may return these two: they live in the same place, or both outside of the
    /// kernel.
    fn can_join(&self, t: Name, f: Name) -> bool {
        let (t, f) = (self.b.place(t), self.b.place(f));
        t.same_as(f) || (!self.b.made.contains(&t.block) && !self.b.made.contains(&f.block))
    }

    fn open_body(&mut self, body: Body<Kernels>) -> (Vec<Stm<Memory>>, Vec<SubExp>) {
        self.b.begin();
        let result = self.inline(body);
        (self.b.close(), result)
    }

    /// The place of a result that is in one of two places, and what of it is to be returned.
    fn join(&mut self, name: Name, ty: &Type, [t, f]: &[Place; 2]) -> (Place, Vec<Part>) {
        let mut parts = vec![];
        let block = if t.block == f.block {
            t.block
        } else {
            let block = self.b.fresh_block(name);
            parts.push(Part::Block(block));
            block
        };
        let sizes: Vec<Poly> = ty.shape().iter().map(|n| poly(*n)).collect();
        let offset = if t.lmad.offset == f.lmad.offset {
            t.lmad.offset.clone()
        } else {
            let offset = self.b.fresh("offset", Type::I64);
            parts.push(Part::Offset(offset));
            poly(offset.into())
        };
        let mut lmad = Lmad::row_major(offset, &sizes);
        let same_strides = (t.lmad.dims.iter()).zip(&f.lmad.dims).all(|(t, f)| t.stride == f.stride);
        if same_strides || !(t.is_row_major() && f.is_row_major()) || !lmad.is_known() {
            let both = t.lmad.dims.iter().zip(&f.lmad.dims);
            for (k, (dim, (t, f))) in lmad.dims.iter_mut().zip(both).enumerate() {
                dim.stride = if t.stride == f.stride {
                    t.stride.clone()
                } else {
                    let stride = self.b.fresh("stride", Type::I64);
                    parts.push(Part::Stride(stride, k));
                    poly(stride.into())
                };
            }
        }
        (Place { block, lmad }, parts)
    }
}

/// A part of a place that is returned, under a name of its own.
pub(super) enum Part {
    Block(Name),
    Offset(Name),
    /// Of that dimension.
    Stride(Name, usize),
}

impl Part {
    /// The pattern element that binds it.
    pub(super) fn elem(&self, intro: &mut Introduce) -> PatElem<Memory> {
        match self {
            Part::Block(name) => block_elem(*name),
            Part::Offset(name) | Part::Stride(name, _) => {
                let name = *name;
                intro.b.types.insert(name, Type::I64);
                PatElem { name, ty: Type::I64, dec: MemInfo::None }
            }
        }
    }

    /// What it is for an array in a place.
    pub(super) fn value(&self, intro: &mut Introduce, place: &Place) -> SubExp {
        match self {
            Part::Block(_) => place.block.into(),
            Part::Offset(_) => intro.b.emit(&place.lmad.offset, "offset"),
            Part::Stride(_, k) => match place.lmad.dims.get(*k) {
                Some(dim) => intro.b.emit(&dim.stride, "stride"),
                None => SubExp::i64(0),
            },
        }
    }
}
