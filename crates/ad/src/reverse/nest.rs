//! Maps that adjoint code is made of.
//!
//! ```text
//! elementwise [n, m] [xs, ys] f      screma n [xs, ys] map \(x, y) { screma m [x, y] map \(a, b) { f a b } }
//! sum of the outer dimensions        rearranged so that they are the innermost, and reduced
//! ```

use super::adjoints::addition;
use super::Reverse;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::soac::{Commutativity, Reduce, Screma, Soac};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Param, Slice, Soacs, SubExp, Type};

/// All of a dimension.
pub(crate) fn whole(len: SubExp) -> DimIndex {
    DimIndex::Slice { start: SubExp::i64(0), len, stride: SubExp::i64(1) }
}

/// All of an array.
pub(crate) fn all_of(ty: &Type) -> Slice {
    ty.shape().iter().map(|n| whole(*n)).collect()
}

/// The name of an array.
pub(crate) fn array(e: SubExp) -> Name {
    match e {
        SubExp::Var(n) => n,
        SubExp::Const(v) => fehu_base::bug!("{v} is no array"),
    }
}

/// An expression of a map.
pub(crate) fn mapping(width: SubExp, arrays: Vec<Name>, map: Lambda<Soacs>) -> Exp<Soacs> {
    Exp::Op(Soac::Screma(Screma { width, arrays, scans: vec![], reds: vec![], map }))
}

/// What is done with each element, given scalars.
type OfElements<'f, S> = &'f mut dyn FnMut(&mut S, &[SubExp]) -> SubExp;

/// What is done with each row and an accumulator: given the index, the row and the accumulator.
type OfRows<'f, S> = &'f mut dyn FnMut(&mut S, SubExp, SubExp, Name) -> Name;

impl<'a> Reverse<'a> {
    /// A map over rows of arrays. The results are arrays of what the function gives.
    pub(crate) fn map_rows(
        &mut self,
        width: SubExp,
        arrays: &[Name],
        f: &mut dyn FnMut(&mut Self, &[SubExp]) -> Vec<SubExp>,
    ) -> Vec<Name> {
        let rows: Vec<Type> = arrays.iter().map(|a| self.b.type_of((*a).into()).peel(1)).collect();
        let params: Vec<Param<Soacs>> = rows.into_iter().map(|t| self.b.param("x", t)).collect();
        let xs: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        let body = self.nested(|r| f(r, &xs));
        let ret: Vec<Type> = body.result.iter().map(|e| self.b.type_of(*e)).collect();
        let types = ret.iter().map(|t| t.array_of(&[width])).collect();
        let map = mapping(width, arrays.to_vec(), Lambda { params, body, ret });
        self.b.bind_all("ys", types, map)
    }

    /// A map over the elements of arrays of one shape.
    pub(crate) fn elementwise(&mut self, shape: &[SubExp], arrays: &[Name], f: OfElements<'_, Self>) -> Name {
        let Some((width, inner)) = shape.split_first() else { fehu_base::bug!("elements of no array") };
        let made = self.map_rows(*width, arrays, &mut |r, xs| match inner.is_empty() {
            true => vec![f(r, xs)],
            false => {
                let rows: Vec<Name> = xs.iter().map(|x| array(*x)).collect();
                vec![r.elementwise(inner, &rows, f).into()]
            }
        });
        made[0]
    }

    /// A map over rows that fills an accumulator.
    pub(crate) fn with_acc_in_map(
        &mut self,
        width: SubExp,
        rows: Name,
        acc: Name,
        f: OfRows<'_, Self>,
    ) -> Name {
        let row = self.b.type_of(rows.into()).peel(1);
        let ty = self.b.type_of(acc.into());
        let numbers = self.numbers(width);
        let i = self.b.param("i", Type::I64);
        let x = self.b.param("x", row);
        let p = self.b.param("acc", ty.clone());
        let (i_name, x_name, p_name) = (i.name, x.name, p.name);
        let body = self.nested(|r| vec![f(r, i_name.into(), x_name.into(), p_name).into()]);
        let map = Lambda { params: vec![i, x, p], body, ret: vec![ty.clone()] };
        self.b.bind("acc", ty, mapping(width, vec![numbers, rows, acc], map))
    }

    /// 0, 1, .. n-1
    pub(crate) fn numbers(&mut self, n: SubExp) -> Name {
        let (start, step, ty) = (SubExp::i64(0), SubExp::i64(1), IntType::I64);
        self.b.bind("is", Type::I64.array_of(&[n]), Exp::Basic(Basic::Iota { n, start, step, ty }))
    }

    /// A replicated value.
    pub(crate) fn replicated(&mut self, shape: &[SubExp], e: SubExp) -> Name {
        let ty = self.b.type_of(e).array_of(shape);
        self.b.bind("rep", ty, Exp::Basic(Basic::Replicate(shape.to_vec(), e)))
    }

    /// An array from the last row to the first.
    pub(crate) fn backwards(&mut self, a: Name) -> Name {
        let ty = self.b.type_of(a.into());
        let Some((n, inner)) = ty.shape().split_first() else { fehu_base::bug!("{ty:?} has no rows") };
        let start = self.b.sub64(*n, SubExp::i64(1));
        let back = DimIndex::Slice { start, len: *n, stride: SubExp::i64(-1) };
        let slice = [back].into_iter().chain(inner.iter().map(|n| whole(*n))).collect();
        self.b.bind("back", ty, Exp::Basic(Basic::Index(a, slice)))
    }

    /// An element or row of an array.
    pub(crate) fn row(&mut self, a: Name, index: &[SubExp]) -> SubExp {
        let ty = self.b.type_of(a.into());
        let inner = &ty.shape()[index.len()..];
        let slice = index.iter().map(|i| DimIndex::Fix(*i)).chain(inner.iter().map(|n| whole(*n))).collect();
        self.b.bind("row", ty.peel(index.len()), Exp::Basic(Basic::Index(a, slice))).into()
    }

    /// The dimensions of an array in another order.
    pub(crate) fn rearranged(&mut self, perm: &[usize], a: Name) -> Name {
        let ty = self.b.type_of(a.into());
        let Some(p) = ty.elem() else { fehu_base::bug!("{ty:?} has no dimensions") };
        if perm.iter().copied().eq(0..perm.len()) {
            return a;
        }
        let shape = perm.iter().map(|i| ty.shape()[*i]).collect();
        self.b.bind("tr", Type::Array(p, shape), Exp::Basic(Basic::Rearrange(perm.to_vec(), a)))
    }

    /// An operator on two scalars.
    pub(crate) fn scalar_operator(&mut self, op: BinOp) -> Lambda<Soacs> {
        let ty = Type::Prim(op.result_type());
        let params = vec![self.b.param("x", ty.clone()), self.b.param("y", ty.clone())];
        let (x, y) = (params[0].name, params[1].name);
        let body = self.nested(|r| vec![r.b.bin(op, x.into(), y.into())]);
        Lambda { params, body, ret: vec![ty] }
    }

    /// The reduction that adds numbers of a type.
    pub(crate) fn adding(&mut self, p: PrimType) -> Reduce<Soacs> {
        let op = self.scalar_operator(addition(p));
        Reduce { comm: Commutativity::Commutative, op, neutral: vec![SubExp::Const(p.blank())] }
    }

    /// A combinator's lambda that gives what it is given.
    pub(crate) fn identity(&mut self, types: &[Type]) -> Lambda<Soacs> {
        let params: Vec<Param<Soacs>> = types.iter().map(|t| self.b.param("x", t.clone())).collect();
        let result = params.iter().map(|p| p.name.into()).collect();
        Lambda { params, body: Body { stms: vec![], result }, ret: types.to_vec() }
    }

    /// The reduction of arrays of scalars by an operator of two.
    pub(crate) fn reduced(&mut self, width: SubExp, a: Name, op: BinOp, neutral: SubExp) -> SubExp {
        let ty = Type::Prim(op.result_type());
        let op = self.scalar_operator(op);
        let red = Reduce { comm: Commutativity::Commutative, op, neutral: vec![neutral] };
        let map = self.identity(std::slice::from_ref(&ty));
        let exp = Screma { width, arrays: vec![a], scans: vec![], reds: vec![red], map };
        self.b.bind("red", ty, Exp::Op(Soac::Screma(exp))).into()
    }

    /// The sum of an array over its outer dimensions.
    pub(crate) fn sum_of_outer(&mut self, a: Name, outer: usize) -> SubExp {
        let ty = self.b.type_of(a.into());
        let Some(p) = ty.elem() else { fehu_base::bug!("{ty:?} has no dimensions") };
        if outer == 0 {
            return a.into();
        }
        let (dims, inner) = ty.shape().split_at(outer);
        let (inner, rank) = (inner.to_vec(), ty.rank());
        let count = self.b.product(dims);
        let perm: Vec<usize> = (outer..rank).chain(0..outer).collect();
        let inner_last = self.rearranged(&perm, a);
        let shape: Vec<SubExp> = inner.iter().copied().chain([count]).collect();
        let flat = match outer {
            1 => inner_last,
            _ => {
                let ty = Type::Array(p, shape.clone());
                self.b.bind("flat", ty, Exp::Basic(Basic::Reshape(shape, inner_last)))
            }
        };
        self.sum_of_inner(flat, &inner, count, p)
    }

    fn sum_of_inner(&mut self, a: Name, outer: &[SubExp], count: SubExp, p: PrimType) -> SubExp {
        let Some((width, rest)) = outer.split_first() else {
            return self.reduced(count, a, addition(p), SubExp::Const(p.blank()));
        };
        self.map_rows(*width, &[a], &mut |r, xs| vec![r.sum_of_inner(array(xs[0]), rest, count, p)])[0].into()
    }

    /// A choice between values, of one type.
    pub(crate) fn choice(
        &mut self,
        cond: SubExp,
        types: &[Type],
        yes: impl FnOnce(&mut Self) -> Vec<SubExp>,
        no: impl FnOnce(&mut Self) -> Vec<SubExp>,
    ) -> Vec<SubExp> {
        let (yes, no) = (self.nested(yes), self.nested(no));
        let exp = Exp::If(cond, Box::new(yes), Box::new(no));
        self.b.bind_all("t", types.to_vec(), exp).into_iter().map(SubExp::Var).collect()
    }
}
