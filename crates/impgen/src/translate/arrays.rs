//! Statements that make or change an array. Views cost nothing: their place says all.

use crate::translate::machine::Machine;
use crate::translate::state::{At, Translate};
use fehu_algebra::{Facts, Poly};
use fehu_base::ops::{BinOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::{bug, Name};
use fehu_imp::build::{constant, count_up};
use fehu_imp::syntax::{Code, Expr};
use fehu_ir::mem::{poly, Lmad};
use fehu_ir::{ArrayData, Basic, Exp, Memory, PatElem, Space, SubExp, Type};
use fehu_lmad::SliceDim;
use std::sync::Arc;

/// How many sizes of concatenated arrays are added up again and again; sums of more get a name.
const MAX_SUM: usize = 16;

impl<M: Machine> Translate<'_, M> {
    pub(super) fn array(&mut self, p: &PatElem<Memory>, exp: &Exp<Memory>) {
        let at = self.place_of(p.name);
        match exp {
            Exp::Basic(
                Basic::SubExp(_)
                | Basic::Opaque(_)
                | Basic::Index(..)
                | Basic::FlatIndex(..)
                | Basic::Rearrange(..)
                | Basic::Reshape(..)
                | Basic::Scratch(..),
            ) => {}
            Exp::Basic(Basic::Copy(a) | Basic::Manifest(_, a)) => {
                let from = self.place_of(*a);
                self.copy(p.ty.shape(), &at, &from);
            }
            Exp::Basic(Basic::ArrayLit(es, _)) => {
                for (i, e) in es.iter().enumerate() {
                    let row = at.fixed(&[Poly::constant(i as i64)]);
                    self.put(&p.ty.shape()[1..], &row, *e);
                }
            }
            Exp::Basic(Basic::Update(_, slice, value)) => {
                let part = at.sliced(slice);
                self.put(&fehu_ir::types::slice_shape(slice), &part, *value);
            }
            Exp::Basic(Basic::FlatUpdate(_, offset, dims, value)) => {
                let part = at.flat_sliced(*offset, dims);
                let shape: Vec<SubExp> = dims.iter().map(|d| d.0).collect();
                let from = self.place_of(*value);
                self.copy(&shape, &part, &from);
            }
            Exp::Basic(Basic::Iota { n, start, step, ty }) => self.iota(&at, *n, *start, *step, *ty),
            Exp::Basic(Basic::Replicate(shape, e)) => self.replicate(&at, shape, &p.ty, *e),
            Exp::Basic(Basic::Concat { dim, arrays, size: _ }) => self.concat(&at, *dim, arrays),
            other @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => bug!("{other:?} gives no array"),
        }
    }

    /// Constant data: static memory itself, or a copy of it.
    pub(super) fn array_const(&mut self, pat: &[PatElem<Memory>], data: &Arc<ArrayData>) {
        match pat {
            [block, _] if !self.globals.contains(&block.name) => {
                self.emit(Code::DeclareStatic(block.name, data.clone()));
            }
            [block, _] => {
                let fixed = self.static_block(data);
                self.emit(Code::SetMem(block.name, fixed, Space::Default));
            }
            [p] => {
                let block = self.static_block(data);
                let sizes: Vec<Poly> = p.ty.shape().iter().map(|n| poly(*n)).collect();
                let from = At::new(block, Lmad::row_major(0, &sizes), data.elem);
                let at = self.place_of(p.name);
                self.copy(p.ty.shape(), &at, &from);
            }
            _ => bug!("constant data with {} results", pat.len()),
        }
    }

    fn static_block(&mut self, data: &Arc<ArrayData>) -> Name {
        let block = self.names.fresh_str("static_mem");
        self.types.insert(block, Type::Mem(Space::Default));
        self.emit(Code::DeclareStatic(block, data.clone()));
        block
    }

    /// Puts an operand of the given shape into a place.
    pub(super) fn put(&mut self, shape: &[SubExp], at: &At, e: SubExp) {
        match self.resolve(e) {
            SubExp::Var(a) if self.is_array(a.into()) => {
                let from = self.place_of(a);
                self.copy(shape, at, &from);
            }
            e @ (SubExp::Var(_) | SubExp::Const(_)) => {
                let value = self.operand(e);
                self.write(at, value);
            }
        }
    }

    fn iota(&mut self, at: &At, n: SubExp, start: SubExp, step: SubExp, ty: IntType) {
        let bound = self.operand(n);
        let (start, step) = (self.operand(start), self.operand(step));
        self.count(bound, |t, i| {
            let index = Expr::Var(i);
            let index = match ty {
                IntType::I64 => index,
                IntType::I8 | IntType::I16 | IntType::I32 => {
                    Expr::Conv(ConvOp::SExt(IntType::I64, ty), Box::new(index))
                }
            };
            let step = if constant(&step) == Some(1) {
                index
            } else {
                Expr::BinOp(BinOp::Mul(ty), Box::new(index), Box::new(step))
            };
            let value = if constant(&start) == Some(0) {
                step
            } else {
                Expr::BinOp(BinOp::Add(ty), Box::new(start), Box::new(step))
            };
            let here = at.fixed(&[poly(i.into())]);
            t.write(&here, value);
        });
    }

    fn replicate(&mut self, at: &At, shape: &[SubExp], ty: &Type, e: SubExp) {
        let inner = ty.peel(shape.len());
        // The outer dimensions in one loop, if they can be counted through.
        let outer = Lmad::new(at.lmad.offset.clone(), at.lmad.dims[..shape.len()].to_vec());
        let flat = outer.flatten(&Facts::new()).filter(|l| l.is_known() && l.rank() == 1);
        let elements = Poly::product(&outer.shape());
        match flat {
            Some(flat) if shape.len() > 1 && elements.is_known() => {
                let bound = self.poly(&elements);
                let inner_dims = at.lmad.dims[shape.len()..].to_vec();
                let dims = flat.dims.into_iter().chain(inner_dims).collect();
                let at = at.with_dims(dims);
                self.count(bound, |t, i| t.put(inner.shape(), &at.fixed(&[poly(i.into())]), e));
            }
            Some(_) | None => self.replicate_nest(at, shape, &inner, e),
        }
    }

    fn replicate_nest(&mut self, at: &At, shape: &[SubExp], inner: &Type, e: SubExp) {
        let Some((n, rest)) = shape.split_first() else {
            return self.put(inner.shape(), at, e);
        };
        let bound = self.operand(*n);
        self.count(bound, |t, i| {
            let row = at.fixed(&[poly(i.into())]);
            t.replicate_nest(&row, rest, inner, e);
        });
    }

    fn concat(&mut self, at: &At, dim: usize, arrays: &[Name]) {
        let mut start = Poly::zero();
        for a in arrays {
            let ty = self.type_of(*a);
            let size = poly(ty.shape()[dim]);
            let slice: Vec<SliceDim> = (ty.shape().iter().enumerate())
                .map(|(k, n)| match k == dim {
                    true => SliceDim::range(&start, poly(*n)),
                    false => SliceDim::range(0, poly(*n)),
                })
                .collect();
            let part = at.part(&slice);
            let from = self.place_of(*a);
            self.copy(ty.shape(), &part, &from);
            start = start + size;
            if start.terms().len() > MAX_SUM {
                let sum = self.poly(&start);
                start = poly(self.let_as("start", PrimType::I64, sum).into());
            }
        }
    }

    /// A loop that counts to a bound.
    pub(super) fn count(&mut self, bound: Expr, body: impl FnOnce(&mut Self, Name)) {
        let var = self.names.fresh_str("i");
        self.types.insert(var, Type::I64);
        let body = self.block(|t| body(t, var));
        self.emit(count_up(var, bound, body));
    }
}
