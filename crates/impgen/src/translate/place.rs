//! Places of arrays, and code that reads and writes them.

use crate::translate::machine::Machine;
use crate::translate::state::{At, Context, Flat, Translate};
use fehu_algebra::horner::{horner, Arith};
use fehu_algebra::{Poly, Sym};
use fehu_base::ops::ConvOp;
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::{bug, Name};
use fehu_imp::build;
use fehu_imp::syntax::{Code, Expr, Place};
use fehu_ir::mem::{poly, sym, sym_name, Lmad};
use fehu_ir::{DimIndex, Space, SubExp, Type};
use fehu_lmad::{Dim, SliceDim};

impl At {
    pub(super) fn new(block: Name, lmad: Lmad, elem: PrimType) -> At {
        At { block, lmad, elem, rest: vec![] }
    }

    /// Where the element is, if that is a symbolic integer as a whole.
    pub(super) fn offset(&self) -> Option<&Poly> {
        (self.rest.is_empty() && self.lmad.offset.is_known()).then_some(&self.lmad.offset)
    }

    /// The part of it that a slice selects.
    pub(super) fn sliced(&self, slice: &[DimIndex]) -> At {
        let dim = |d: &DimIndex| match d {
            DimIndex::Fix(i) => SliceDim::Fix(poly(*i)),
            DimIndex::Slice { start, len, stride } => {
                SliceDim::Range { start: poly(*start), size: poly(*len), stride: poly(*stride) }
            }
        };
        let dims: Vec<SliceDim> = slice.iter().map(dim).collect();
        self.part(&dims)
    }

    /// The part of it that a slice of symbolic integers selects.
    pub(super) fn part(&self, slice: &[SliceDim]) -> At {
        let first = |d: &SliceDim| match d {
            SliceDim::Fix(i) => i.clone(),
            SliceDim::Range { start, .. } => start.clone(),
        };
        let moves = slice.iter().zip(&self.lmad.dims).map(|(s, d)| (first(s), d.stride.clone())).collect();
        self.moved(self.lmad.slice(slice), moves)
    }

    /// The part of it that a flat slice selects.
    pub(super) fn flat_sliced(&self, offset: SubExp, dims: &[(SubExp, SubExp)]) -> At {
        let dims = dims.iter().map(|(n, s)| Dim::new(poly(*n), poly(*s))).collect();
        let moves = self.lmad.dims.iter().map(|d| (poly(offset), d.stride.clone())).collect();
        self.moved(self.lmad.flat_slice(&Lmad::new(poly(offset), dims)), moves)
    }

    /// The part of it at outer indices.
    pub(super) fn fixed(&self, indices: &[Poly]) -> At {
        let slice: Vec<SliceDim> = indices.iter().cloned().map(SliceDim::Fix).collect();
        self.part(&slice)
    }

    /// The same place with other dimensions.
    pub(super) fn with_dims(&self, dims: Vec<Dim>) -> At {
        At { lmad: Lmad::new(self.lmad.offset.clone(), dims), ..self.clone() }
    }

    /// A part of it, whose offset is larger by the sum of these products. Where that is no symbolic integer of a
    /// size that the algebra deals with, the products are computed one by one.
    fn moved(&self, part: Option<Lmad>, moves: Vec<(Poly, Poly)>) -> At {
        let Some(mut lmad) = part else { bug!("a slice does not fit {}", self.lmad) };
        let mut rest = self.rest.clone();
        if !lmad.offset.is_known() {
            lmad.offset = self.lmad.offset.clone();
            rest.extend(moves);
        }
        At { lmad, rest, ..self.clone() }
    }
}

impl Context {
    pub(super) fn place_of(&self, array: Name) -> At {
        let Some((block, lmad)) = self.places.get(&array) else {
            bug!("{} has no place", self.names.show(array))
        };
        let Some(elem) = self.types.get(&array).and_then(Type::elem) else {
            bug!("{} is no array", self.names.show(array))
        };
        At::new(*block, lmad.clone(), elem)
    }

    /// Code for a symbolic integer, which must be known.
    pub(super) fn poly(&self, p: &Poly) -> Expr {
        let p = self.in_flat_terms(p);
        match horner(&mut Exprs(self), &p) {
            Some(code) => code,
            None => bug!("the algebra has lost a size or an offset"),
        }
    }

    /// Code for the offset of an element.
    pub(super) fn offset(&self, at: &At) -> Expr {
        if let Some(own) = self.in_kernel.kept.as_ref().and_then(|kept| kept.offset(self.mem(at.block))) {
            return own;
        }
        let mut offset = self.poly(&at.lmad.offset);
        for (index, stride) in &at.rest {
            let (index, stride) = (self.poly(index), self.stride(stride));
            offset = build::add(offset, build::mul(index, stride));
        }
        offset
    }

    /// Code for a stride. One that is not known is a product of constant sizes that no memory has room for: there
    /// is no element to be found with it, for either some size is 0, or the array was never allocated.
    fn stride(&self, stride: &Poly) -> Expr {
        match stride.is_known() {
            true => self.poly(stride),
            false => Expr::Const(PrimValue::I64(0)),
        }
    }

    /// The same number, by the flat number of a point where it only depends on that: neighbouring points then
    /// are neighbours in memory without any division.
    fn in_flat_terms(&self, p: &Poly) -> Poly {
        for row in self.in_kernel.flats.iter().rev() {
            let (stride, _) = p.split_on(row.last);
            if stride.is_zero() {
                continue;
            }
            let rest = p - &(&stride * &row.sum);
            let apart = |q: &Poly| q.is_known() && !row.indices.iter().any(|i| q.mentions(*i));
            if apart(&stride) && apart(&rest) {
                return stride * poly(row.flat.into()) + rest;
            }
        }
        p.clone()
    }

    /// The element in a place without dimensions.
    pub(super) fn read(&self, at: &At) -> Expr {
        let offset = Box::new(self.offset(at));
        Expr::Index { mem: self.mem(at.block), offset, elem: at.elem, space: self.space(at.block) }
    }

    /// Whether two arrays of one shape are at the same place: short-circuiting has put them there.
    fn same_place(&self, a: &At, b: &At) -> bool {
        let strides = |at: &At| at.lmad.dims.iter().map(|d| d.stride.clone()).collect::<Vec<_>>();
        let offset = a.offset();
        let same = offset.is_some() && offset == b.offset() && strides(a) == strides(b);
        same && self.mem(a.block) == self.mem(b.block)
    }

    fn strided(&self, at: &At) -> Place {
        let offset = self.offset(at);
        let strides = at.lmad.dims.iter().map(|d| self.stride(&d.stride)).collect();
        Place { mem: self.mem(at.block), space: self.space(at.block), offset, strides }
    }

    pub(super) fn space(&self, block: Name) -> Space {
        match self.types.get(&block) {
            Some(Type::Mem(space)) => space.clone(),
            Some(Type::Prim(_) | Type::Array(..) | Type::Acc(..)) | None => Space::Default,
        }
    }
}

impl<M: Machine> Translate<'_, M> {
    /// Writes an element to a place without dimensions: once, though all threads of a block may be here.
    pub(super) fn write(&mut self, at: &At, value: Expr) {
        M::write(self, at, value);
    }

    /// Writes an element to a place without dimensions.
    pub(super) fn write_alone(&mut self, at: &At, value: Expr) {
        let offset = self.offset(at);
        let mem = self.mem(at.block);
        let space = self.space(at.block);
        self.emit(Code::Write { mem, offset, elem: at.elem, space, value });
    }

    /// Copies an array of the given shape.
    pub(super) fn copy(&mut self, shape: &[SubExp], dst: &At, src: &At) {
        if shape.is_empty() {
            let value = self.read(src);
            return self.write(dst, value);
        }
        if !self.same_place(dst, src) {
            M::copy(self, shape, dst, src);
        }
    }

    /// The same, without the help of other threads.
    pub(super) fn copy_alone(&mut self, shape: &[SubExp], dst: &At, src: &At) {
        let shape = shape.iter().map(|n| self.operand(*n)).collect();
        let elem = dst.elem;
        let (dst, src) = (self.strided(dst), self.strided(src));
        self.emit(Code::Copy { elem, shape, dst, src });
    }
}

impl Flat {
    /// The flat number of indices with their sizes; only of interest for more than one.
    pub(super) fn new(dims: &[(Name, SubExp)], flat: Name) -> Option<Flat> {
        let indices: Vec<Sym> = dims.iter().map(|d| sym(d.0)).collect();
        let last = *indices.last().filter(|_| dims.len() > 1)?;
        let mut sum = Poly::zero();
        for (i, n) in dims {
            sum = sum * poly(*n) + poly((*i).into());
        }
        Some(Flat { flat, indices, last, sum })
    }
}

/// Arithmetic on expressions.
struct Exprs<'a>(&'a Context);

impl Arith for Exprs<'_> {
    type Value = Expr;
    fn constant(&mut self, c: i64) -> Expr {
        Expr::Const(PrimValue::I64(c))
    }
    fn var(&mut self, x: Sym) -> Expr {
        let name = self.0.resolve(sym_name(x).into());
        let value = self.0.operand(name);
        // The algebra counts in whole numbers; variables of loops that are part of an offset may have fewer bits.
        match name.name().and_then(|n| self.0.types.get(&n)) {
            Some(Type::Prim(PrimType::Int(narrow @ (IntType::I8 | IntType::I16 | IntType::I32)))) => {
                Expr::Conv(ConvOp::SExt(*narrow, IntType::I64), Box::new(value))
            }
            Some(_) | None => value,
        }
    }
    fn add(&mut self, a: Expr, b: Expr) -> Expr {
        build::add(a, b)
    }
    fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        build::sub(a, b)
    }
    fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        build::mul(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offset of an element as programs compute it: modulo 2^64.
    fn wrapped(at: &At) -> i64 {
        let constant = |p: &Poly| p.eval(|_| None).expect("a constant that is known");
        let products = at.rest.iter().map(|(i, s)| constant(i).wrapping_mul(constant(s)));
        products.fold(constant(&at.lmad.offset), i64::wrapping_add)
    }

    #[test]
    fn no_offset_is_lost() {
        let size: i64 = 1 << 40;
        let c = Poly::constant;
        let at = At::new(Name(0), Lmad::row_major(c(7), &[c(size), c(size)]), PrimType::I64);
        let near = at.fixed(&[c(3), c(5)]);
        assert_eq!((near.offset().is_some(), wrapped(&near)), (true, 7 + 3 * size + 5));
        let far = at.fixed(&[c(size / 2)]).fixed(&[c(5)]);
        assert_eq!((far.offset(), wrapped(&far)), (None, (size / 2).wrapping_mul(size) + 7 + 5));
    }
}
