//! Rule of arrays: whatever makes an array of others, or of nothing, is a map over the elements of the result.
//!
//! ```text
//! xs[s:s+n]                  at each element i:  xs[s + i]
//! iota n                                         i
//! replicate n x                                  x
//! concat xs ys                                   if i < length xs then xs[i] else ys[i - length xs]
//! rearrange (1,0) xss        at [i, j]:          xss[j, i]
//! ```
//!
//! The element is code at the level of the result's elements; [`super::point`] finds what it reads. What
//! keeps the order of elements keeps the data. Here is also how a value comes to another level, and to
//! another type of the same elements.

use super::calls;
use super::checks::after;
use super::level::Lift;
use super::point::whole;
use super::running::State;
use super::value::{LevelId, Value};
use super::{filter, loops};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::soac::Soac;
use fehu_ir::{Basic, Body, DimIndex, Exp, Soacs, Stm, SubExp, Type};

impl Lift<'_> {
    /// Runs a statement that is more than code of single points. Gives what is left of it, if it needs calls,
    /// and the checks of the host that this depends on.
    pub(super) fn statement(
        &mut self,
        level: LevelId,
        stm: Stm<Soacs>,
    ) -> Option<Option<(State, Vec<Name>)>> {
        self.b.loc = stm.loc.clone();
        let left = |f: &Self, state: Option<State>| state.map(|state| (state, f.b.certs.clone()));
        let certs = stm.certs.clone();
        match &stm.exp {
            Exp::Basic(_) => self.basic(level, stm).map(|()| None),
            Exp::Op(Soac::Screma(_)) => self.screma(level, stm).map(|state| left(self, state)),
            Exp::Op(Soac::Scatter(_)) => self.scatter(level, stm).map(|()| None),
            Exp::Op(Soac::Hist(_)) => self.hist(level, stm).map(|()| None),
            Exp::Op(Soac::Filter(_)) => filter::filter(self, level, stm).map(|()| None),
            Exp::If(..) => after(self, level, &certs, |f| f.branch(level, stm).map(|state| left(f, state))),
            Exp::Loop(_) => after(self, level, &certs, |f| loops::loops(f, level, stm)).map(|()| None),
            Exp::Call(..) => {
                after(self, level, &certs, |f| calls::call(f, level, stm).map(|state| left(f, state)))
            }
            Exp::Op(Soac::Ad(_)) | Exp::WithAcc(_) => None,
        }
    }

    fn basic(&mut self, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
        let [result] = stm.pat.as_slice() else { return None };
        let (name, ty) = (result.name, result.ty.clone());
        let Exp::Basic(basic) = &stm.exp else { return None };
        let value = match basic {
            Basic::SubExp(e) => {
                self.cast(name, *e, &stm.certs);
                self.conform(level, *e, &ty, &stm.certs)?
            }
            Basic::Opaque(e) => {
                let value = self.conform(level, *e, &ty, &stm.certs)?;
                self.with_data(value, |f, data| {
                    let ty = f.b.type_of(data.into());
                    f.b.bind("opaque", ty, Exp::Basic(Basic::Opaque(data.into())))
                })
            }
            Basic::Copy(a) | Basic::Manifest(_, a) => {
                let value = self.conform(level, (*a).into(), &ty, &stm.certs)?;
                self.with_data(value, |f, data| {
                    let ty = f.b.type_of(data.into());
                    f.b.bind("copy", ty, Exp::Basic(Basic::Copy(data)))
                })
            }
            Basic::Reshape(_, a) => {
                self.cast(name, (*a).into(), &stm.certs);
                self.conform(level, (*a).into(), &ty, &stm.certs)?
            }
            Basic::Scratch(prim, _) => {
                let rank = self.flat_rank(&ty);
                let shape = self.shape(level, &ty.shape()[..rank], &stm.certs)?;
                let mut dims = vec![self.shapes[shape.0].total];
                dims.extend(&ty.shape()[rank..]);
                let all = Type::Array(*prim, dims.clone());
                Value::Flat(shape, self.b.bind("scratch", all, Exp::Basic(Basic::Scratch(*prim, dims))))
            }
            Basic::Iota { start, step, ty: int, .. } => {
                let (start, step, int) = (*start, *step, *int);
                self.fill(level, &ty, &stm.certs, |f, index| {
                    let i = f.b.conv(ConvOp::SExt(IntType::I64, int), index[0]);
                    let by = f.b.bin(BinOp::Mul(int), i, step);
                    Some(f.b.bin(BinOp::Add(int), start, by))
                })?
            }
            Basic::Replicate(outer, e) => {
                let (outer, e) = (outer.len(), *e);
                self.fill(level, &ty, &stm.certs, |f, index| f.element_of(e, &index[outer..]))?
            }
            Basic::Rearrange(perm, a) => {
                let (perm, a) = (perm.clone(), *a);
                self.fill(level, &ty, &stm.certs, |f, index| {
                    let mut from = vec![SubExp::i64(0); perm.len()];
                    perm.iter().zip(index).for_each(|(d, i)| from[*d] = *i);
                    f.element_of(a.into(), &from)
                })?
            }
            Basic::Index(a, slice) => {
                let (a, slice) = (*a, slice.clone());
                self.fill(level, &ty, &stm.certs, |f, index| {
                    let places = f.sliced(&slice, index);
                    f.element_of(a.into(), &places)
                })?
            }
            Basic::FlatIndex(a, offset, dims) => {
                let (a, offset, dims) = (*a, *offset, dims.clone());
                self.fill(level, &ty, &stm.certs, |f, index| {
                    let place = f.strided(offset, &dims, index);
                    f.element_of(a.into(), &[place])
                })?
            }
            Basic::Concat { dim, arrays, .. } => {
                let (dim, arrays) = (*dim, arrays.clone());
                let rank = self.flat_rank(&ty);
                if self.known.shapes.contains_key(&(level, ty.shape()[..rank].to_vec())) {
                    // Elements are where arrays of that size have them, if the sizes are what the checks say.
                    after(self, level, &stm.certs, |f| {
                        f.fill(level, &ty, &[], |f, index| f.joined(dim, &arrays, index))
                    })?
                } else {
                    self.shape_of_parts(level, &ty, &arrays, &stm.certs)?;
                    self.fill(level, &ty, &stm.certs, |f, index| f.joined(dim, &arrays, index))?
                }
            }
            Basic::ArrayLit(elems, _) => {
                let elems = elems.clone();
                self.fill(level, &ty, &stm.certs, |f, index| f.listed(&elems, index))?
            }
            Basic::Update(a, slice, e) => {
                let (a, slice, e) = (*a, slice.clone(), *e);
                self.update(level, &stm, a, e, |f, index| Some(f.sliced(&slice, index)))?
            }
            Basic::FlatUpdate(a, offset, dims, e) => {
                let (a, offset, dims, e) = (*a, *offset, dims.clone(), *e);
                self.update(level, &stm, a, e.into(), |f, index| Some(vec![f.strided(offset, &dims, index)]))?
            }
            Basic::UnOp(..)
            | Basic::BinOp(..)
            | Basic::CmpOp(..)
            | Basic::Conv(..)
            | Basic::PrimFn(..)
            | Basic::Assert(..)
            | Basic::ArrayConst(_)
            | Basic::UpdateAcc(..) => return None,
        };
        self.values.insert(name, value);
        Some(())
    }

    /// A vector is another one.
    fn cast(&mut self, name: Name, of: SubExp, checks: &[Name]) {
        if let (1, 1, SubExp::Var(of)) = (self.b.type_of(name.into()).rank(), self.b.type_of(of).rank(), of) {
            self.known.casts.insert(name, (of, checks.to_vec()));
        }
    }

    /// The shape of joined arrays: there are as many elements as in all of them together.
    fn shape_of_parts(&mut self, level: LevelId, ty: &Type, arrays: &[Name], checks: &[Name]) -> Option<()> {
        let rank = self.flat_rank(ty);
        let totals = arrays.iter().map(|a| match self.values.get(a)? {
            Value::Flat(shape, data) if self.shapes[shape.0].level == level => {
                let data = self.b.type_of((*data).into());
                (data.shape()[1..] == ty.shape()[rank..]).then_some(self.shapes[shape.0].total)
            }
            Value::Flat(..) | Value::Each(..) | Value::Number(_) | Value::Place(_) | Value::Check(_) => None,
        });
        let totals: Option<Vec<SubExp>> = totals.collect();
        if let Some((first, rest)) = totals.as_ref().and_then(|totals| totals.split_first()) {
            let total = rest.iter().fold(*first, |sum, n| self.b.add64(sum, *n));
            self.shape_of_data(level, &ty.shape()[..rank], checks, Some(total))?;
        }
        Some(())
    }

    /// An array at each point, element by element: the function emits the code of one, given where it is.
    pub(super) fn fill(
        &mut self,
        level: LevelId,
        ty: &Type,
        checks: &[Name],
        element: impl FnOnce(&mut Self, &[SubExp]) -> Option<SubExp>,
    ) -> Option<Value> {
        let inner = self.inner(level, ty.shape(), checks)?;
        let certs = if self.are_made(checks, inner) { vec![] } else { checks.to_vec() };
        let dims = ty.shape().to_vec();
        let body = self.nested(|f| {
            f.b.certs = certs;
            let index = f.indices(inner, &dims);
            Some(vec![element(f, &index)?])
        })?;
        let data = self.map(inner, body, &[ty.peel(ty.rank())])?[0];
        self.of_data(level, ty, data, checks)
    }

    /// The array of a type at each point, whose elements are the data.
    pub(super) fn of_data(
        &mut self,
        level: LevelId,
        ty: &Type,
        data: Name,
        checks: &[Name],
    ) -> Option<Value> {
        let rank = self.flat_rank(ty);
        let suffix = &ty.shape()[rank..];
        if rank == 0 {
            let mut dims = vec![self.width(level)];
            dims.extend(suffix);
            return Some(Value::Each(level, self.reshaped(data, dims)));
        }
        let given = self.b.type_of(data.into()).shape().to_vec();
        let outer = given.len().checked_sub(suffix.len()).filter(|n| *n > 0 && given[*n..] == *suffix);
        let total = outer.map(|n| self.b.product(&given[..n]));
        let shape = self.shape_of_data(level, &ty.shape()[..rank], checks, total)?;
        let mut dims = vec![self.shapes[shape.0].total];
        dims.extend(suffix);
        Some(Value::Flat(shape, self.reshaped(data, dims)))
    }

    /// A value at the points of a level, as an array of this type: of the same elements, possibly in other dimensions.
    pub(super) fn conform(&mut self, level: LevelId, e: SubExp, ty: &Type, checks: &[Name]) -> Option<Value> {
        let own = self.b.type_of(e);
        let value = match e.name().and_then(|n| self.values.get(&n)).cloned() {
            Some(value @ (Value::Each(..) | Value::Flat(..))) if self.level_of(&value) == Some(level) => {
                value
            }
            Some(Value::Check(_)) => return None,
            Some(Value::Each(..) | Value::Flat(..) | Value::Number(_) | Value::Place(_)) | None => {
                if own.is_array() {
                    return self.gathered(level, e, &own, ty, checks);
                }
                let body = Body { stms: vec![], result: vec![e] };
                Value::Each(level, self.map(level, body, std::slice::from_ref(&own))?[0])
            }
        };
        match value {
            Value::Each(_, data) | Value::Flat(_, data) if ty.is_array() => {
                self.in_dimensions(level, (&own, ty), data, checks)
            }
            Value::Each(..) | Value::Flat(..) | Value::Number(_) | Value::Place(_) | Value::Check(_) => {
                Some(value)
            }
        }
    }

    /// An array of another level, or of the host, at each point.
    fn gathered(
        &mut self,
        level: LevelId,
        e: SubExp,
        own: &Type,
        ty: &Type,
        checks: &[Name],
    ) -> Option<Value> {
        let value = self.fill(level, own, checks, |f, index| f.element_of(e, index))?;
        match value {
            Value::Each(_, data) | Value::Flat(_, data) => self.in_dimensions(level, (own, ty), data, checks),
            Value::Number(_) | Value::Place(_) | Value::Check(_) => None,
        }
    }

    /// The data of arrays of one type as arrays of another one. That there are as many elements at each point
    /// is what the checks say, so they come first.
    fn in_dimensions(
        &mut self,
        level: LevelId,
        (own, ty): (&Type, &Type),
        data: Name,
        checks: &[Name],
    ) -> Option<Value> {
        let rank = self.flat_rank(ty);
        let made = own.shape() == ty.shape() || {
            let shape = match rank {
                0 => None,
                _ => Some(self.shape(level, &ty.shape()[..rank], checks)?),
            };
            shape.is_some_and(|s| checks.iter().all(|c| self.shapes[s.0].checks.contains(c)))
        };
        if made {
            return self.of_data(level, ty, data, checks);
        }
        after(self, level, checks, |f| f.of_data(level, ty, data, checks))
    }

    /// The same value with other data of the same shape.
    fn with_data(&mut self, value: Value, f: impl FnOnce(&mut Self, Name) -> Name) -> Value {
        match value {
            Value::Each(level, data) => Value::Each(level, f(self, data)),
            Value::Flat(shape, data) => Value::Flat(shape, f(self, data)),
            Value::Number(_) | Value::Place(_) | Value::Check(_) => value,
        }
    }

    /// Where an element is, from its level of elements: code of the point.
    pub(super) fn indices(&mut self, inner: LevelId, dims: &[SubExp]) -> Vec<SubExp> {
        let flat = dims.iter().rposition(|d| self.varies(*d)).map_or(0, |last| last + 1);
        let mut index = vec![];
        let mut outer = inner;
        if flat < dims.len() {
            let place = self.place(inner);
            index = self.unravelled(place, &dims[flat..]);
            if let Some(out) = self.outside(inner) {
                outer = out;
            }
        }
        if flat > 0 {
            let place = self.place(outer);
            let mut first = self.unravelled(place, &dims[..flat]);
            first.append(&mut index);
            index = first;
        }
        index
    }

    /// The number of a point among those that belong to the same point.
    pub(super) fn place(&mut self, level: LevelId) -> SubExp {
        let place = self.b.fresh("i", Type::I64);
        self.values.insert(place, Value::Place(level));
        place.into()
    }

    fn unravelled(&mut self, place: SubExp, dims: &[SubExp]) -> Vec<SubExp> {
        let mut rest = place;
        let mut index = vec![];
        for dim in dims[1..].iter().rev() {
            index.push(self.b.bin(BinOp::SRem(IntType::I64), rest, *dim));
            rest = self.b.bin(BinOp::SQuot(IntType::I64), rest, *dim);
        }
        index.push(rest);
        index.reverse();
        index
    }

    /// The element of an array of the point: code of the point.
    pub(super) fn element_of(&mut self, e: SubExp, index: &[SubExp]) -> Option<SubExp> {
        let Some(array) = e.name().filter(|_| !index.is_empty()) else { return Some(e) };
        let ty = self.b.type_of(e).peel(index.len());
        let mut slice: Vec<DimIndex> = index.iter().map(|i| DimIndex::Fix(*i)).collect();
        slice.extend(ty.shape().iter().map(|d| whole(*d)));
        Some(self.b.bind("x", ty, Exp::Basic(Basic::Index(array, slice))).into())
    }

    /// Where an element of a slice is in the array.
    fn sliced(&mut self, slice: &[DimIndex], index: &[SubExp]) -> Vec<SubExp> {
        let mut index = index.iter();
        let mut places = vec![];
        for dim in slice {
            places.push(match dim {
                DimIndex::Fix(i) => *i,
                DimIndex::Slice { start, stride, .. } => {
                    let i = index.next().copied().unwrap_or(SubExp::i64(0));
                    let by = self.b.mul64(i, *stride);
                    self.b.add64(*start, by)
                }
            });
        }
        places
    }

    fn strided(&mut self, offset: SubExp, dims: &[(SubExp, SubExp)], index: &[SubExp]) -> SubExp {
        let mut place = offset;
        for ((_, stride), i) in dims.iter().zip(index) {
            let by = self.b.mul64(*i, *stride);
            place = self.b.add64(place, by);
        }
        place
    }

    /// An element of joined arrays.
    fn joined(&mut self, dim: usize, arrays: &[Name], index: &[SubExp]) -> Option<SubExp> {
        let (first, rest) = arrays.split_first()?;
        if rest.is_empty() {
            return self.element_of((*first).into(), index);
        }
        let ty = self.b.type_of((*first).into());
        let len = ty.shape()[dim];
        let here = self.b.cmp(CmpOp::SLt(IntType::I64), index[dim], len);
        let certs = self.b.certs.clone();
        let yes = self.nested(|f| {
            f.b.certs.clone_from(&certs);
            Some(vec![f.element_of((*first).into(), index)?])
        })?;
        let no = self.nested(|f| {
            f.b.certs.clone_from(&certs);
            let mut after = index.to_vec();
            after[dim] = f.b.sub64(index[dim], len);
            Some(vec![f.joined(dim, rest, &after)?])
        })?;
        let exp = Exp::If(here, Box::new(yes), Box::new(no));
        Some(self.b.bind("x", ty.peel(ty.rank()), exp).into())
    }

    /// An element of a list of values.
    fn listed(&mut self, elems: &[SubExp], index: &[SubExp]) -> Option<SubExp> {
        let (last, first) = elems.split_last()?;
        let mut found = self.element_of(*last, &index[1..])?;
        let ty = self.b.type_of(found);
        for (k, e) in first.iter().enumerate().rev() {
            let here = self.b.cmp(CmpOp::Eq(PrimType::I64), index[0], SubExp::i64(k as i64));
            let yes = self.nested(|f| Some(vec![f.element_of(*e, &index[1..])?]))?;
            let no = Body { stms: vec![], result: vec![found] };
            found = self.b.bind("x", ty.clone(), Exp::If(here, Box::new(yes), Box::new(no))).into();
        }
        Some(found)
    }

    /// A statement of the point that reads the row of an array.
    pub(super) fn row_stm(&self, x: Name, ty: &Type, array: Name, i: SubExp) -> Stm<Soacs> {
        let mut slice = vec![DimIndex::Fix(i)];
        slice.extend(ty.shape().iter().map(|d| whole(*d)));
        plain(x, ty.clone(), Exp::Basic(Basic::Index(array, slice)))
    }
}
