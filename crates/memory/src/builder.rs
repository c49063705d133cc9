//! Builds bodies over `Memory`: as [`fehu_ir::Builder`], and knows where each array lives.

use fehu_algebra::horner::{horner, Arith};
use fehu_algebra::{Facts, Poly, Sym};
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::{bug, Name, NameSource};
use fehu_ir::mem::{poly, sym_name, Lmad, MemInfo, MemOp};
use fehu_ir::types::Types;
use fehu_ir::{Attr, Basic, Body, Exp, Loc, Memory, PatElem, Space, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where an array lives.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Place {
    pub(crate) block: Name,
    pub(crate) lmad: Lmad,
}

impl Place {
    pub(crate) fn info(&self) -> MemInfo {
        MemInfo::Array { block: self.block, lmad: self.lmad.clone() }
    }

    pub(crate) fn is_direct(&self) -> bool {
        self.lmad.is_direct(&Facts::new())
    }

    pub(crate) fn is_row_major(&self) -> bool {
        self.lmad.is_row_major(&Facts::new())
    }

    /// Whether the elements are at the same places, whatever the sizes are called.
    pub(crate) fn same_as(&self, other: &Place) -> bool {
        self.block == other.block
            && self.lmad.offset == other.lmad.offset
            && self.lmad.dims.iter().map(|d| &d.stride).eq(other.lmad.dims.iter().map(|d| &d.stride))
    }
}

/// Parts of an index function longer than this get a name.
const LONG: usize = 6;

pub(crate) struct MemBuilder {
    pub(crate) names: NameSource,
    pub(crate) types: Types,
    pub(crate) places: FxHashMap<Name, Place>,
    pub(crate) loc: Loc,
    pub(crate) certs: Vec<Name>,
    pub(crate) attrs: Vec<Attr>,
    /// The blocks that were allocated here.
    pub(crate) made: FxHashSet<Name>,
    open: Vec<Vec<Stm<Memory>>>,
}

impl MemBuilder {
    pub(crate) fn new(names: NameSource, types: Types) -> MemBuilder {
        MemBuilder {
            names,
            types,
            places: FxHashMap::default(),
            loc: Loc::none(),
            certs: vec![],
            attrs: vec![],
            made: FxHashSet::default(),
            open: vec![],
        }
    }

    pub(crate) fn begin(&mut self) {
        self.open.push(vec![]);
    }

    /// Goes on with a body that was closed.
    pub(crate) fn reopen(&mut self, stms: Vec<Stm<Memory>>) {
        self.open.push(stms);
    }

    /// Closes the innermost body, whose results are to be decided.
    pub(crate) fn close(&mut self) -> Vec<Stm<Memory>> {
        match self.open.pop() {
            Some(stms) => stms,
            None => bug!("no open body"),
        }
    }

    pub(crate) fn end(&mut self, result: Vec<SubExp>) -> Body<Memory> {
        Body { stms: self.close(), result }
    }

    pub(crate) fn fresh(&mut self, base: &str, ty: Type) -> Name {
        let name = self.names.fresh_str(base);
        self.types.insert(name, ty);
        name
    }

    pub(crate) fn fresh_like(&mut self, like: Name, ty: Type) -> Name {
        let name = self.names.fresh_like(like);
        self.types.insert(name, ty);
        name
    }

    /// A fresh name for the block of an array.
    pub(crate) fn fresh_block(&mut self, array: Name) -> Name {
        let base = format!("{}_mem", self.names.base(array));
        self.fresh(&base, Type::Mem(Space::Default))
    }

    /// A pattern element; arrays must have a place by now.
    pub(crate) fn elem(&mut self, name: Name, ty: Type) -> PatElem<Memory> {
        let dec = match &ty {
            Type::Array(..) => self.place(name).info(),
            Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => MemInfo::None,
        };
        self.types.insert(name, ty.clone());
        PatElem { name, ty, dec }
    }

    pub(crate) fn push(&mut self, pat: Vec<PatElem<Memory>>, exp: Exp<Memory>) {
        let stm =
            Stm { pat, certs: self.certs.clone(), attrs: self.attrs.clone(), loc: self.loc.clone(), exp };
        self.push_stm(stm);
    }

    /// Appends a finished statement.
    pub(crate) fn push_stm(&mut self, stm: Stm<Memory>) {
        match self.open.last_mut() {
            Some(stms) => stms.push(stm),
            None => bug!("no open body"),
        }
    }

    /// Binds one name.
    pub(crate) fn bind(&mut self, name: Name, ty: Type, exp: Exp<Memory>) {
        let elem = self.elem(name, ty);
        self.push(vec![elem], exp);
    }

    pub(crate) fn place(&self, name: Name) -> &Place {
        match self.places.get(&name) {
            Some(place) => place,
            None => bug!("{} has no place", self.names.show(name)),
        }
    }

    pub(crate) fn type_of(&self, name: Name) -> Type {
        match self.types.get(&name) {
            Some(ty) => ty.clone(),
            None => bug!("no type for {}", self.names.show(name)),
        }
    }

    /// Allocates a block for an array and places it there, dense in the given order of dimensions.
    pub(crate) fn allocate(&mut self, name: Name, ty: &Type, order: Option<&[usize]>) {
        let block = self.allocate_block(name, ty);
        let lmad = self.dense(ty.shape(), order);
        self.places.insert(name, Place { block, lmad });
    }

    /// The place of an array that is dense from the start of a block.
    pub(crate) fn dense_in(&mut self, block: Name, ty: &Type) -> Place {
        let lmad = self.dense(ty.shape(), None);
        Place { block, lmad }
    }

    /// Allocates a block for an array.
    pub(crate) fn allocate_block(&mut self, name: Name, ty: &Type) -> Name {
        let Some(elem) = ty.elem() else { bug!("no elements in {ty:?}") };
        // An allocation depends on no check: where it moves before one, it is guarded otherwise.
        let certs = std::mem::take(&mut self.certs);
        let attrs = std::mem::take(&mut self.attrs);
        let mut bytes = SubExp::i64(elem.bytes() as i64);
        for n in ty.shape() {
            bytes = self.mul(bytes, *n);
        }
        let block = self.fresh_block(name);
        self.push(
            vec![PatElem { name: block, ty: Type::Mem(Space::Default), dec: MemInfo::None }],
            Exp::Op(MemOp::Alloc(bytes, Space::Default)),
        );
        self.certs = certs;
        self.attrs = attrs;
        self.made.insert(block);
        block
    }

    /// The dense layout of a shape from the start of a block; in row-major order, or with dimensions ordered so.
    fn dense(&mut self, shape: &[SubExp], order: Option<&[usize]>) -> Lmad {
        let row_major: Vec<usize> = (0..shape.len()).collect();
        let order = order.unwrap_or(&row_major);
        let sizes: Vec<Poly> = order.iter().filter_map(|k| shape.get(*k)).map(|n| poly(*n)).collect();
        let mut lmad = Lmad::row_major(0, &sizes);
        if !lmad.is_known() {
            // Constant sizes beyond all memory: let the program fail when it runs.
            let mut stride = SubExp::i64(1);
            for (k, dim) in order.iter().zip(&mut lmad.dims).rev() {
                dim.stride = poly(stride);
                if let Some(n) = shape.get(*k) {
                    stride = self.named_product(stride, *n);
                }
            }
        }
        let mut inverse = vec![0; order.len()];
        for (at, k) in order.iter().enumerate() {
            inverse[*k] = at;
        }
        lmad.permute(&inverse).unwrap_or(lmad)
    }

    fn named_product(&mut self, a: SubExp, b: SubExp) -> SubExp {
        let name = self.fresh("stride", Type::I64);
        self.bind(name, Type::I64, Exp::Basic(Basic::BinOp(BinOp::Mul(IntType::I64), a, b)));
        name.into()
    }

    /// A copy of an array in fresh memory, in row-major order.
    pub(crate) fn copy(&mut self, array: Name) -> Name {
        let ty = self.type_of(array);
        let copy = self.fresh_like(array, ty.clone());
        self.allocate(copy, &ty, None);
        self.bind(copy, ty, Exp::Basic(Basic::Copy(array)));
        copy
    }

    /// Whether index functions of a place are short enough to go on with.
    pub(crate) fn is_handy(lmad: &Lmad) -> bool {
        lmad.is_known() && lmad.parts().all(|p| p.terms().len() <= LONG)
    }

    /// The layout with names for its offset and strides.
    pub(crate) fn named(&mut self, lmad: &Lmad) -> Lmad {
        let mut named = lmad.clone();
        named.offset = poly(self.emit(&lmad.offset, "offset"));
        for dim in &mut named.dims {
            dim.stride = poly(self.emit(&dim.stride, "stride"));
        }
        named
    }

    /// Code for a symbolic integer.
    pub(crate) fn emit(&mut self, p: &Poly, base: &str) -> SubExp {
        let Some(value) = horner(self, p) else { fehu_base::bug!("an index function was lost") };
        if let SubExp::Var(n) = value {
            if p.as_var().is_none() {
                self.names.rebase(n, fehu_base::Symbol::new(base));
            }
        }
        value
    }

    fn binary(&mut self, op: BinOp, a: SubExp, b: SubExp) -> SubExp {
        if let (SubExp::Const(x), SubExp::Const(y)) = (a, b) {
            if let Some(v) = op.eval(x, y) {
                return SubExp::Const(v);
            }
        }
        let name = self.fresh("t", Type::I64);
        self.bind(name, Type::I64, Exp::Basic(Basic::BinOp(op, a, b)));
        name.into()
    }
}

impl Arith for MemBuilder {
    type Value = SubExp;
    fn constant(&mut self, c: i64) -> SubExp {
        SubExp::i64(c)
    }
    fn var(&mut self, x: Sym) -> SubExp {
        SubExp::Var(sym_name(x))
    }
    fn add(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.binary(BinOp::Add(IntType::I64), a, b)
    }
    fn sub(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.binary(BinOp::Sub(IntType::I64), a, b)
    }
    fn mul(&mut self, a: SubExp, b: SubExp) -> SubExp {
        if a.as_i64() == Some(1) {
            return b;
        }
        if b.as_i64() == Some(1) {
            return a;
        }
        self.binary(BinOp::Mul(IntType::I64), a, b)
    }
}
