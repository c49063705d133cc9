//! Rule of writes: scatters, histograms and updates write at flat places.
//!
//! The index space of a destination, over all points of the level, is the level of its elements. A write at
//! `[i]` of a point's array is one at `start + i` of the data, if `i` is in the array, and nowhere otherwise.

use super::level::Lift;
use super::operators;
use super::operators::Begins;
use super::value::{LevelId, Points, Value};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::soac::{Hist, HistOp, Scatter, ScatterDest, Soac};
use fehu_ir::{Body, Exp, Lambda, Param, Soacs, Stm, SubExp, Type};

/// A destination over all points.
#[derive(Clone)]
struct Target {
    /// The level of its index space.
    inner: LevelId,
    dims: Vec<SubExp>,
    data: Name,
    ty: Type,
}

impl Lift<'_> {
    /// A scatter at the points of a level.
    pub(super) fn scatter(&mut self, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
        let Exp::Op(Soac::Scatter(s)) = stm.exp else { return None };
        let which = s.results();
        let inner = self.inner(level, &[s.width], &stm.certs)?;
        let results = self.lambda(level, inner, (s.lambda, &s.arrays), &stm.certs)?;
        let mut targets: Vec<Target> = vec![];
        let mut first: Vec<usize> = vec![];
        for (i, (d, k)) in s.dests.iter().zip(which).enumerate() {
            let same = first.get(k).and_then(|i| targets.get(*i)).filter(|t| t.dims == d.shape);
            match same.cloned() {
                Some(same) => targets.push(same),
                None if k < first.len() => return None,
                None => {
                    first.push(i);
                    targets.push(self.target(level, d.array, &d.shape, &stm.certs)?);
                }
            }
        }
        let (places, values) = self.places(level, inner, targets.iter().collect(), &results)?;
        let dests = targets.iter().map(|t| self.dest(t)).collect();
        let given: Vec<Name> = places.into_iter().chain(values).collect();
        let outs = self.write(inner, dests, &given)?;
        for ((p, i), out) in stm.pat.iter().zip(first).zip(outs) {
            let value = self.of_data(level, &targets[i].ty, out, &stm.certs)?;
            self.values.insert(p.name, value);
        }
        Some(())
    }

    /// A histogram at the points of a level.
    pub(super) fn hist(&mut self, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
        let Exp::Op(Soac::Hist(h)) = stm.exp else { return None };
        let inner = self.inner(level, &[h.width], &stm.certs)?;
        let results = self.lambda(level, inner, (h.lambda, &h.arrays), &stm.certs)?;
        let mut all = vec![];
        for op in &h.ops {
            let mut targets = vec![];
            for dest in &op.dests {
                targets.push(self.target(level, *dest, &op.shape, &stm.certs)?);
            }
            all.push(targets);
        }
        let firsts = all.iter().filter_map(|t| t.first()).collect();
        let (places, values) = self.places(level, inner, firsts, &results)?;
        let mut values = values.into_iter();
        let (mut inputs, mut ops, mut types, mut kept) = (vec![], vec![], vec![], vec![]);
        for (op, targets) in h.ops.into_iter().zip(all) {
            let bins = targets.first()?.inner;
            let form = operators::form(self, level, &op.op, &op.neutral, Begins::Once);
            let plain = form.same && form.of_point.is_none();
            if !operators::is_point_operator(self, &op.op)
                || (!plain && !operators::is_scalar_operator(self, &op.op))
            {
                return None;
            }
            let mut dests = vec![];
            let mut carried = vec![];
            carried.extend((!form.same).then_some((SubExp::bool(true), Type::BOOL)));
            if form.of_point.is_some() {
                let number = self.b.fresh("p", Type::I64);
                self.values.insert(number, Value::Number(level));
                carried.push((number.into(), Type::I64));
            }
            for (e, ty) in carried {
                let code = Body { stms: vec![], result: vec![e] };
                inputs.push(self.map(inner, code.clone(), std::slice::from_ref(&ty))?[0]);
                dests.push(self.map(bins, code, std::slice::from_ref(&ty))?[0]);
            }
            types.extend(dests.iter().map(|d| self.b.type_of((*d).into())));
            kept.extend(dests.iter().map(|_| None));
            inputs.extend(values.by_ref().take(targets.len()));
            let shape = vec![self.width(bins)];
            for t in targets {
                dests.push(t.data);
                types.push(self.b.type_of(t.data.into()));
                kept.push(Some(t.ty));
            }
            let all = form.types(&op.op.ret);
            let neutral = if plain { op.neutral } else { form.neutral(&op.neutral, &op.op.ret)? };
            let op = if plain { op.op } else { operators::extended_operator(self, op.op, form, &all)? };
            ops.push(HistOp { shape, dests, neutral, op });
        }
        let (arrays, params) = self.elements(places.iter().chain(&inputs));
        let ret: Vec<Type> = params.iter().map(|p| p.ty.clone()).collect();
        let result = params.iter().map(|p| SubExp::Var(p.name)).collect();
        let lambda = Lambda { params, body: Body { stms: vec![], result }, ret };
        let exp = Exp::Op(Soac::Hist(Hist { width: self.width(inner), arrays, ops, lambda }));
        let outs = self.b.bind_all("hist", types, exp);
        let outs = outs.into_iter().zip(kept).filter_map(|(out, ty)| Some((out, ty?)));
        for (p, (out, ty)) in stm.pat.iter().zip(outs) {
            let value = self.of_data(level, &ty, out, &stm.certs)?;
            self.values.insert(p.name, value);
        }
        Some(())
    }

    /// An array with some elements replaced: an element of the new value is written where the function says.
    pub(super) fn update(
        &mut self,
        level: LevelId,
        stm: &Stm<Soacs>,
        array: Name,
        e: SubExp,
        place: impl FnOnce(&mut Self, &[SubExp]) -> Option<Vec<SubExp>>,
    ) -> Option<Value> {
        let ty = self.b.type_of(array.into());
        let new = self.b.type_of(e);
        let inner = if new.is_array() { self.inner(level, new.shape(), &stm.certs)? } else { level };
        let target = self.target(level, array, ty.shape(), &stm.certs)?;
        let dims = new.shape().to_vec();
        let certs = if self.are_made(&stm.certs, inner) { vec![] } else { stm.certs.clone() };
        let body = self.nested(|f| {
            f.b.certs = certs;
            let index = if dims.is_empty() { vec![] } else { f.indices(inner, &dims) };
            let value = f.element_of(e, &index)?;
            let at = place(f, &index)?;
            let start = f.start_of(level, target.inner);
            Some(vec![f.flat_place(start, &at, &target.dims), value])
        })?;
        let elem = new.peel(new.rank());
        let both = self.map(inner, body, &[Type::I64, elem])?;
        let dest = self.dest(&target);
        let out = self.write(inner, vec![dest], &both)?[0];
        self.of_data(level, &ty, out, &stm.certs)
    }

    /// The data of a destination, in its index space over all points.
    fn target(&mut self, level: LevelId, array: Name, dims: &[SubExp], checks: &[Name]) -> Option<Target> {
        let ty = self.b.type_of(array.into());
        let (Value::Each(_, data) | Value::Flat(_, data)) = self.conform(level, array.into(), &ty, checks)?
        else {
            return None;
        };
        if self.flat_rank(&ty) > dims.len() {
            return None;
        }
        let inner = self.inner(level, dims, checks)?;
        let mut all = vec![self.width(inner)];
        all.extend(&ty.shape()[dims.len()..]);
        let data = self.reshaped(data, all);
        Some(Target { inner, dims: dims.to_vec(), data, ty })
    }

    /// Where the elements of the point begin in an index space: code of the point.
    pub(super) fn start_of(&mut self, level: LevelId, inner: LevelId) -> SubExp {
        let mut at = inner;
        let mut rows = SubExp::i64(1);
        while at != level {
            match self.levels[at.0].points.clone() {
                Points::Elements(shape) => {
                    let start = self.b.fresh("start", Type::I64);
                    let shape = &self.shapes[shape.0];
                    self.values.insert(start, Value::Each(shape.level, shape.starts));
                    return self.b.mul64(start.into(), rows);
                }
                Points::Rows(of, n) => {
                    rows = self.b.mul64(n, rows);
                    at = of;
                }
                Points::Outermost | Points::Selected(..) => break,
            }
        }
        let number = self.b.fresh("p", Type::I64);
        self.values.insert(number, Value::Number(level));
        self.b.mul64(number.into(), rows)
    }

    /// The place of an element in the index space, or -1 if it is not in the array: code of the point.
    fn flat_place(&mut self, start: SubExp, index: &[SubExp], dims: &[SubExp]) -> SubExp {
        let mut inside = SubExp::bool(true);
        let mut place = SubExp::i64(0);
        for (i, dim) in index.iter().zip(dims) {
            let low = self.b.cmp(CmpOp::SLe(IntType::I64), SubExp::i64(0), *i);
            let high = self.b.cmp(CmpOp::SLt(IntType::I64), *i, *dim);
            let both = self.b.bin(BinOp::LogAnd, low, high);
            inside = match inside {
                SubExp::Const(_) => both,
                SubExp::Var(_) => self.b.bin(BinOp::LogAnd, inside, both),
            };
            let rows = self.b.mul64(place, *dim);
            place = self.b.add64(rows, *i);
        }
        let place = self.b.add64(start, place);
        self.choose(inside, place, SubExp::i64(-1), Type::I64)
    }

    /// The flat places of all writes, one array for each index space, and the values that go with them.
    fn places(
        &mut self,
        level: LevelId,
        inner: LevelId,
        targets: Vec<&Target>,
        results: &[(SubExp, Type)],
    ) -> Option<(Vec<Name>, Vec<Name>)> {
        let indices: usize = targets.iter().map(|t| t.dims.len()).sum();
        let body = self.nested(|f| {
            let mut at = 0;
            let mut places = vec![];
            for t in &targets {
                let index: Vec<SubExp> = results[at..at + t.dims.len()].iter().map(|(e, _)| *e).collect();
                at += t.dims.len();
                let start = f.start_of(level, t.inner);
                places.push(f.flat_place(start, &index, &t.dims));
            }
            Some(places)
        })?;
        let places = self.map(inner, body, &vec![Type::I64; targets.len()])?;
        let mut values = vec![];
        for (e, ty) in &results[indices..] {
            let Value::Each(_, array) = self.conform(inner, *e, ty, &[])? else { return None };
            values.push(array);
        }
        Some((places, values))
    }

    /// Parameters for the elements of arrays.
    pub(super) fn elements<'n>(
        &mut self,
        arrays: impl Iterator<Item = &'n Name>,
    ) -> (Vec<Name>, Vec<Param<Soacs>>) {
        arrays
            .map(|a| {
                let ty = self.b.type_of((*a).into()).peel(1);
                (*a, self.b.param("x", ty))
            })
            .unzip()
    }

    /// Writes values at flat places: for each destination its places, then the values of each.
    pub(super) fn write(
        &mut self,
        inner: LevelId,
        dests: Vec<ScatterDest>,
        given: &[Name],
    ) -> Option<Vec<Name>> {
        let width = self.width(inner);
        let (arrays, params) = self.elements(given.iter());
        let ret: Vec<Type> = params.iter().map(|p| p.ty.clone()).collect();
        let result = params.iter().map(|p| SubExp::Var(p.name)).collect();
        let lambda = Lambda { params, body: Body { stms: vec![], result }, ret };
        let scatter = Scatter { width, arrays, dests, lambda };
        let types = scatter.written().into_iter().map(|data| self.b.type_of(data.into())).collect();
        Some(self.b.bind_all("written", types, Exp::Op(Soac::Scatter(scatter))))
    }

    fn dest(&self, target: &Target) -> ScatterDest {
        ScatterDest { shape: vec![self.width(target.inner)], array: target.data }
    }
}
