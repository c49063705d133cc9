//! Rule of maps, reductions and scans.
//!
//! The function of an inner map runs at the level of its elements, where its parameters are the rows of its
//! arrays: the same data. Results that are kept are arrays of the level outside: again the same data.
//!
//! A scan at points whose arrays differ in size is one scan of all elements that begins anew at the first
//! element of each point; a reduction is such a scan, of which the last element of each point is kept, and
//! the neutral element where there is none. What elements carry for that is said in [`super::operators`].
//!
//! Where the sizes are the same at all points, there is a map of reductions and scans, for regular flattening.

use super::level::Lift;
use super::operators;
use super::operators::Begins;
use super::running::{Mapped, State};
use super::tree;
use super::value::{LevelId, Points, Shape, Value};
use fehu_base::ops::CmpOp;
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::soac::{Commutativity, Reduce, Scan, Screma, Soac};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Param, Soacs, Stm, SubExp, Type};

/// The operator of a scan or reduction, its neutral elements and its inputs: names of the nest, at the level
/// of the elements.
pub(super) struct Combined {
    pub(super) op: Lambda<Soacs>,
    pub(super) neutral: Vec<SubExp>,
    pub(super) inputs: Vec<SubExp>,
}

impl Lift<'_> {
    /// A map, reduction or scan at the points of a level; what is left of it, if its function needs calls.
    pub(super) fn screma(&mut self, level: LevelId, mut stm: Stm<Soacs>) -> Option<Option<State>> {
        let Exp::Op(Soac::Screma(s)) = &mut stm.exp else { return None };
        let inner = self.inner(level, &[s.width], &stm.certs)?;
        let body = std::mem::replace(&mut s.map.body, Body { stms: vec![], result: vec![] });
        let body = self.at_elements(level, inner, (&s.map.params, body), &s.arrays, &stm.certs)?;
        let function = self.begin(inner, body)?;
        let mapped = Mapped { level, inner, stm, function };
        if !mapped.function.is_done() {
            return Some(Some(State::Map(Box::new(mapped))));
        }
        self.end_of_screma(&mapped)?;
        Some(None)
    }

    /// Goes on with the function after calls were made. Says whether all is done.
    pub(super) fn go_on_with_map(&mut self, mapped: &mut Mapped) -> Option<bool> {
        self.go_on(&mut mapped.function)?;
        if !mapped.function.is_done() {
            return Some(false);
        }
        self.end_of_screma(mapped)?;
        Some(true)
    }

    /// What is scanned, reduced and kept of what the function gives.
    fn end_of_screma(&mut self, Mapped { level, inner, stm, function }: &Mapped) -> Option<()> {
        let (level, inner) = (*level, *inner);
        let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
        let s = s.clone();
        let results: Vec<(SubExp, Type)> = function.result.iter().copied().zip(s.map.ret).collect();
        let scanned: usize = s.scans.iter().map(|s| s.neutral.len()).sum();
        let reduced: usize = s.reds.iter().map(|s| s.neutral.len()).sum();
        let mut inputs = results[..scanned + reduced].iter().map(|(e, _)| *e);
        let mut take = |n: usize| inputs.by_ref().take(n).collect::<Vec<_>>();
        let mut scans = vec![];
        for Scan { op, neutral } in s.scans {
            scans.push(Combined { inputs: take(neutral.len()), op, neutral });
        }
        let mut reds = vec![];
        for Reduce { op, neutral, comm } in s.reds {
            reds.push((comm, Combined { inputs: take(neutral.len()), op, neutral }));
        }
        let mut values = vec![];
        let operators = || scans.iter().chain(reds.iter().map(|(_, c)| c)).map(|c| &c.op);
        if self.is_rows(inner) && operators().all(|op| operators::is_point_operator(self, op)) {
            if scanned + reduced > 0 {
                values = self.rows(level, inner, s.width, scans, reds)?;
            }
        } else {
            for c in scans {
                values.append(&mut self.scanned(level, inner, s.width, c, &stm.certs)?);
            }
            for (_, c) in reds {
                values.append(&mut self.reduced(level, inner, s.width, c)?);
            }
        }
        for ((e, ty), p) in results[scanned + reduced..].iter().zip(&stm.pat[scanned + reduced..]) {
            let value = match self.conform(inner, *e, ty, &[])? {
                Value::Each(_, data) | Value::Flat(_, data) => {
                    self.of_data(level, &p.ty, data, &stm.certs)?
                }
                Value::Number(_) | Value::Place(_) | Value::Check(_) => return None,
            };
            values.push(value);
        }
        self.values.extend(stm.pat.iter().map(|p| p.name).zip(values));
        Some(())
    }

    /// Runs the function of a combinator at the level of its elements, and gives its results with their types.
    pub(super) fn lambda(
        &mut self,
        level: LevelId,
        inner: LevelId,
        (lambda, arrays): (Lambda<Soacs>, &[Name]),
        checks: &[Name],
    ) -> Option<Vec<(SubExp, Type)>> {
        let body = self.at_elements(level, inner, (&lambda.params, lambda.body), arrays, checks)?;
        let result = self.code(inner, body)?;
        Some(result.into_iter().zip(lambda.ret).collect())
    }

    /// The body of a combinator's function for the level of its elements, where its parameters have values or are read.
    fn at_elements(
        &mut self,
        level: LevelId,
        inner: LevelId,
        (params, mut body): (&[Param<Soacs>], Body<Soacs>),
        arrays: &[Name],
        checks: &[Name],
    ) -> Option<Body<Soacs>> {
        let mut stms = vec![];
        let certs = if self.are_made(checks, inner) { vec![] } else { checks.to_vec() };
        for (p, array) in params.iter().zip(arrays) {
            if matches!(p.ty, Type::Acc(..)) {
                return None;
            }
            let rows = match self.values.get(array).cloned() {
                Some(Value::Each(at, data)) if at == level => Some(data),
                Some(value @ Value::Flat(_, data)) if self.level_of(&value) == Some(level) => Some(data),
                Some(Value::Each(..) | Value::Flat(..) | Value::Number(_) | Value::Place(_)) | None => None,
                Some(Value::Check(_)) => return None,
            };
            match rows {
                Some(data) => {
                    let value = self.of_data(inner, &p.ty, data, &[])?;
                    self.values.insert(p.name, value);
                }
                None => {
                    let i = self.place(inner);
                    let mut stm = self.row_stm(p.name, &p.ty, *array, i);
                    stm.certs.clone_from(&certs);
                    stms.push(stm);
                }
            }
        }
        stms.append(&mut body.stms);
        Some(Body { stms, result: body.result })
    }

    fn is_rows(&self, level: LevelId) -> bool {
        matches!(self.levels[level.0].points, Points::Rows(..))
    }

    /// Scans and reductions of arrays of one size: a map of them.
    fn rows(
        &mut self,
        level: LevelId,
        inner: LevelId,
        width: SubExp,
        scans: Vec<Combined>,
        reds: Vec<(Commutativity, Combined)>,
    ) -> Option<Vec<Value>> {
        let (mut arrays, mut params) = (vec![], vec![]);
        for c in scans.iter().chain(reds.iter().map(|(_, c)| c)) {
            for (e, ty) in c.inputs.iter().zip(&c.op.ret) {
                let Value::Each(_, data) = self.conform(inner, *e, ty, &[])? else { return None };
                let value = self.of_data(level, &ty.array_of(&[width]), data, &[])?;
                let name = self.b.fresh("xs", ty.array_of(&[width]));
                self.values.insert(name, value);
                arrays.push(name);
                params.push(self.b.param("x", ty.clone()));
            }
        }
        let mut types: Vec<Type> = vec![];
        let scans: Vec<Scan<Soacs>> =
            scans.into_iter().map(|Combined { op, neutral, .. }| Scan { op, neutral }).collect();
        scans.iter().for_each(|s| types.extend(s.op.ret.iter().map(|t| t.array_of(&[width]))));
        let reds: Vec<Reduce<Soacs>> = reds
            .into_iter()
            .map(|(comm, Combined { op, neutral, .. })| Reduce { comm, op, neutral })
            .collect();
        reds.iter().for_each(|r| types.extend(r.op.ret.iter().cloned()));
        let result = params.iter().map(|p| p.name.into()).collect();
        let ret = params.iter().map(|p| p.ty.clone()).collect();
        let map = Lambda { params, body: Body { stms: vec![], result }, ret };
        let screma = Soac::Screma(Screma { width, arrays, scans, reds, map });
        let body = self.nested(|f| {
            let names = f.b.bind_all("combined", types.clone(), Exp::Op(screma));
            Some(names.into_iter().map(SubExp::Var).collect())
        })?;
        let all = self.map(level, body, &types)?;
        Some(all.into_iter().map(|data| Value::Each(level, data)).collect())
    }

    /// A scan at points whose arrays differ in size.
    fn scanned(
        &mut self,
        level: LevelId,
        inner: LevelId,
        width: SubExp,
        c: Combined,
        checks: &[Name],
    ) -> Option<Vec<Value>> {
        if self.is_rows(inner) || !operators::is_scalar_operator(self, &c.op) {
            return tree::scanned_by_levels(self, level, inner, width, c);
        }
        let types: Vec<Type> = c.op.ret.iter().map(|t| t.array_of(&[width])).collect();
        let mut values = vec![];
        for (data, ty) in self.segmented(level, inner, c)?.into_iter().zip(types) {
            values.push(self.of_data(level, &ty, data, checks)?);
        }
        Some(values)
    }

    /// The scan of all elements that begins anew at each point.
    fn segmented(&mut self, level: LevelId, inner: LevelId, c: Combined) -> Option<Vec<Name>> {
        let Points::Elements(shape) = self.levels[inner.0].points else { return None };
        let Combined { op, neutral, inputs } = c;
        let total = self.width(inner);
        let body = self.nested(|f| {
            let place = f.place(inner);
            Some(vec![f.b.cmp(CmpOp::Eq(PrimType::I64), place, SubExp::i64(0))])
        })?;
        let mut arrays = vec![self.map(inner, body, &[Type::BOOL])?[0]];
        let form = operators::form(self, level, &op, &neutral, Begins::Anew);
        if form.of_point.is_some() {
            arrays.push(self.owners(shape)?);
        }
        for (e, ty) in inputs.iter().zip(&op.ret) {
            let Value::Each(_, array) = self.conform(inner, *e, ty, &[])? else { return None };
            arrays.push(array);
        }
        let types = form.types(&op.ret);
        let new_neutral = form.neutral(&neutral, &op.ret)?;
        let (arrays, params) = self.elements(arrays.iter());
        let mut result: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        if !form.same {
            result.insert(1, SubExp::bool(true));
        }
        let map = Lambda { params, body: Body { stms: vec![], result }, ret: types.clone() };
        let values = op.ret.len();
        let op = operators::extended_operator(self, op, form, &types)?;
        let scans = vec![Scan { op, neutral: new_neutral }];
        let screma = Soac::Screma(Screma { width: total, arrays, scans, reds: vec![], map });
        let all: Vec<Type> = types.iter().map(|t| t.array_of(&[total])).collect();
        let names = self.b.bind_all("scanned", all, Exp::Op(screma));
        Some(names[types.len() - values..].to_vec())
    }

    /// The reduction of each point: the last of its elements in the scan.
    pub(super) fn reduced(
        &mut self,
        level: LevelId,
        inner: LevelId,
        width: SubExp,
        c: Combined,
    ) -> Option<Vec<Value>> {
        if self.is_rows(inner) || !operators::is_scalar_operator(self, &c.op) {
            return tree::reduced_by_levels(self, level, inner, width, c);
        }
        let Points::Elements(shape) = self.levels[inner.0].points else { return None };
        let neutral = c.neutral.clone();
        let scanned = self.segmented(level, inner, c)?;
        let Shape { sizes, starts, .. } = self.shapes[shape.0];
        let [size, start] = ["size", "start"].map(|base| self.b.fresh(base, Type::I64));
        self.values.insert(size, Value::Each(level, sizes));
        self.values.insert(start, Value::Each(level, starts));
        let types: Vec<Type> = scanned.iter().map(|a| self.b.type_of((*a).into()).peel(1)).collect();
        let body = self.nested(|f| {
            let none = f.b.cmp(CmpOp::Eq(PrimType::I64), size.into(), SubExp::i64(0));
            let yes = Body { stms: vec![], result: neutral };
            let no = f.nested(|f| {
                let end = f.b.add64(start.into(), size.into());
                let last = f.b.sub64(end, SubExp::i64(1));
                let mut values = vec![];
                for (data, ty) in scanned.iter().zip(&types) {
                    let x = Exp::Basic(Basic::Index(*data, vec![DimIndex::Fix(last)]));
                    values.push(f.b.bind("x", ty.clone(), x).into());
                }
                Some(values)
            })?;
            Some(operators::either(f, none, yes, no, &types))
        })?;
        let outs = self.map(level, body, &types)?;
        Some(outs.into_iter().map(|out| Value::Each(level, out)).collect())
    }
}
