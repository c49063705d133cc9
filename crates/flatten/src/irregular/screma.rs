//! Rule of maps, reductions and scans.
//!
//! The function of an inner map runs at the level of its elements, where its parameters are the rows of its arrays: the same
//! data. Results that are kept are arrays of the level outside: again the same data.
//!
//! A scan at points whose arrays differ in size is one scan of all elements that begins anew at the first element of each
//! point; a reduction is such a scan, of which the last element of each point is kept, and the neutral element where there is
//! none. `(b, x)` is an element and whether it is the first:
//!
//! ```text
//! (b1, x1) op' (b2, x2) = (b1 || b2, if b2 then x2 else x1 op x2)       neutral (false, ne)
//! ```
//!
//! Where the neutral element differs from point to point there is none for all of them. Then elements have another flag, which
//! is false for the neutral element alone.
//!
//! Where the sizes are the same at all points, there is a map of reductions and scans, for regular flattening.

use super::level::Lift;
use super::value::{LevelId, Points, Value};
use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::free::free_in_lambda;
use fehu_ir::soac::{Reduce, Scan, Scatter, ScatterDest, Screma, Soac};
use fehu_ir::{Basic, Body, Exp, Lambda, Param, Soacs, Stm, SubExp, Type};

/// The operator of a scan or reduction, its neutral elements and the arrays of its inputs.
struct Combined {
    op: Lambda<Soacs>,
    neutral: Vec<SubExp>,
    inputs: Vec<Name>,
}

impl Lift<'_> {
    /// A map, reduction or scan at the points of a level.
    pub(super) fn screma(&mut self, level: LevelId, stm: Stm<Soacs>) -> Option<()> {
        let Exp::Op(Soac::Screma(s)) = stm.exp else { return None };
        let inner = self.inner(level, &[s.width], &stm.certs)?;
        let results = self.lambda(level, inner, (s.map, &s.arrays), &stm.certs)?;
        let scanned: usize = s.scans.iter().map(|s| s.neutral.len()).sum();
        let reduced: usize = s.reds.iter().map(|s| s.neutral.len()).sum();
        let mut arrays = vec![];
        for (e, ty) in &results[..scanned + reduced] {
            if !matches!(ty, Type::Prim(_)) && !self.is_rows(inner) {
                return None;
            }
            match self.conform(inner, *e, ty, &[])? {
                Value::Each(_, array) => arrays.push(array),
                Value::Flat(..) | Value::Number(_) | Value::Place(_) | Value::Check(_) => return None,
            }
        }
        let mut inputs = arrays.into_iter();
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
        if scanned + reduced > 0 {
            let operators = || scans.iter().chain(reds.iter().map(|(_, c)| c));
            if operators().any(|c| free_in_lambda(&c.op).iter().any(|n| self.values.contains_key(n))) {
                return None;
            }
            if let Points::Rows(_, rows) = self.levels[inner.0].points {
                values = self.rows(level, (s.width, rows), scans, reds)?;
            } else {
                for c in scans {
                    for data in self.segmented(inner, c)? {
                        values.push(self.of_data(
                            level,
                            &self.array_type(data, s.width),
                            data,
                            &stm.certs,
                        )?);
                    }
                }
                for (_, c) in reds {
                    values.extend(self.reduced(level, inner, c)?);
                }
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
        let mut stms = vec![];
        let certs = if self.are_made(checks, inner) { vec![] } else { checks.to_vec() };
        for (p, array) in lambda.params.iter().zip(arrays) {
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
        let mut body = lambda.body;
        stms.append(&mut body.stms);
        let result = self.code(inner, Body { stms, result: body.result })?;
        Some(result.into_iter().zip(lambda.ret).collect())
    }

    fn is_rows(&self, level: LevelId) -> bool {
        matches!(self.levels[level.0].points, Points::Rows(..))
    }

    /// The type of an array of a point with this many of the elements.
    fn array_type(&self, data: Name, width: SubExp) -> Type {
        self.b.type_of(data.into()).peel(1).array_of(&[width])
    }

    /// Scans and reductions of arrays of one size: a map of them.
    fn rows(
        &mut self,
        level: LevelId,
        (width, rows): (SubExp, SubExp),
        scans: Vec<Combined>,
        reds: Vec<(fehu_ir::soac::Commutativity, Combined)>,
    ) -> Option<Vec<Value>> {
        let points = self.width(level);
        let mut inputs: Vec<(Name, Param<Soacs>)> = vec![];
        let mut arrays = vec![];
        let mut params = vec![];
        for c in scans.iter().chain(reds.iter().map(|(_, c)| c)) {
            for array in &c.inputs {
                let row = self.b.type_of((*array).into()).peel(1);
                let all = row.array_of(&[points, rows]);
                let data = self.reshaped(*array, all.shape().to_vec());
                let p = self.b.param("row", row.array_of(&[rows]));
                arrays.push(p.name);
                inputs.push((data, p));
                params.push(self.b.param("x", row));
            }
        }
        let mut neutral = |f: &mut Self, e: SubExp| -> Option<SubExp> {
            if !f.varies(e) {
                return Some(e);
            }
            let ty = f.b.type_of(e);
            match f.conform(level, e, &ty, &[])? {
                Value::Each(_, array) => {
                    let p = f.b.param("ne", ty);
                    let name = p.name;
                    inputs.push((array, p));
                    Some(name.into())
                }
                Value::Flat(..) | Value::Number(_) | Value::Place(_) | Value::Check(_) => None,
            }
        };
        let (mut new_scans, mut new_reds, mut types) = (vec![], vec![], vec![]);
        for Combined { op, neutral: ne, .. } in scans {
            types.extend(op.ret.iter().map(|t| t.array_of(&[rows])));
            let ne = ne.into_iter().map(|e| neutral(self, e)).collect::<Option<Vec<_>>>()?;
            new_scans.push(Scan { op, neutral: ne });
        }
        let mut kept: Vec<Type> = types.iter().map(|t| t.peel(1)).collect();
        for (comm, Combined { op, neutral: ne, .. }) in reds {
            types.extend(op.ret.iter().cloned());
            kept.extend(op.ret.iter().cloned());
            let ne = ne.into_iter().map(|e| neutral(self, e)).collect::<Option<Vec<_>>>()?;
            new_reds.push(Reduce { comm, op, neutral: ne });
        }
        let result = params.iter().map(|p| p.name.into()).collect();
        let map = Lambda { params, body: Body { stms: vec![], result }, ret: kept };
        let screma = Screma { width: rows, arrays, scans: new_scans, reds: new_reds, map };
        let body = self.nested(|f| {
            let names = f.b.bind_all("combined", types.clone(), Exp::Op(Soac::Screma(screma)));
            Some(names.into_iter().map(SubExp::Var).collect())
        })?;
        let all = self.host_map(points, inputs, body, &types);
        let mut values = vec![];
        for (data, ty) in all.into_iter().zip(types) {
            // Of a scan, the width is the one that the program has.
            let ty = match ty.shape() {
                [first, ..] if *first == rows && rows != width => ty.peel(1).array_of(&[width]),
                _ => ty,
            };
            values.push(if ty.is_array() {
                self.of_data(level, &ty, data, &[])?
            } else {
                Value::Each(level, data)
            });
        }
        Some(values)
    }

    /// The scan of all elements that begins anew at each point.
    fn segmented(&mut self, inner: LevelId, c: Combined) -> Option<Vec<Name>> {
        let Points::Elements(_) = self.levels[inner.0].points else { return None };
        let Combined { op, neutral, inputs } = c;
        let total = self.width(inner);
        let same = neutral.iter().all(|e| !self.varies(*e));
        let body = self.nested(|f| {
            let place = f.place(inner);
            Some(vec![f.b.cmp(CmpOp::Eq(PrimType::I64), place, SubExp::i64(0))])
        })?;
        let first = self.map(inner, body, &[Type::BOOL])?[0];
        let flags = if same { 1 } else { 2 };
        let mut arrays = vec![first];
        arrays.extend(inputs);
        let mut types = vec![Type::BOOL; flags];
        types.extend(op.ret.iter().cloned());
        let mut new_neutral = vec![SubExp::bool(false); flags];
        for (e, ty) in neutral.iter().zip(&op.ret) {
            let blank = ty.elem().map(|p| SubExp::Const(p.blank()))?;
            new_neutral.push(if same { *e } else { blank });
        }
        let params: Vec<Param<Soacs>> = arrays
            .iter()
            .map(|a| {
                let ty = self.b.type_of((*a).into()).peel(1);
                self.b.param("x", ty)
            })
            .collect();
        let mut result: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        if !same {
            result.insert(1, SubExp::bool(true));
        }
        let map = Lambda { params, body: Body { stms: vec![], result }, ret: types.clone() };
        let op = self.segmented_operator(op, flags, &types)?;
        let scans = vec![Scan { op, neutral: new_neutral }];
        let screma = Soac::Screma(Screma { width: total, arrays, scans, reds: vec![], map });
        let all = types.iter().map(|t| t.array_of(&[total])).collect();
        let names = self.b.bind_all("scanned", all, Exp::Op(screma));
        Some(names[flags..].to_vec())
    }

    /// The operator that begins anew where the flag says so.
    fn segmented_operator(
        &mut self,
        op: Lambda<Soacs>,
        flags: usize,
        types: &[Type],
    ) -> Option<Lambda<Soacs>> {
        let params: Vec<Param<Soacs>> =
            types.iter().chain(types).map(|t| self.b.param("x", t.clone())).collect();
        let names: Vec<SubExp> = params.iter().map(|p| p.name.into()).collect();
        let (left, right) = names.split_at(types.len());
        let body = self.nested(|f| {
            let mut result = vec![];
            for i in 0..flags {
                result.push(f.b.bin(BinOp::LogOr, left[i], right[i]));
            }
            let (mut keep_right, keep_left) = (right[0], (flags > 1).then(|| right[1]));
            if flags > 1 {
                let none = f.b.un(UnOp::Not, left[1]);
                keep_right = f.b.bin(BinOp::LogOr, keep_right, none);
            }
            let combine = f.nested(|f| {
                let mut subst = fehu_ir::subst::Subst::new();
                let operands = left[flags..].iter().chain(&right[flags..]);
                subst.extend(op.params.iter().map(|p| p.name).zip(operands.copied()));
                let mut body = op.body;
                subst.body(&mut body);
                body.stms.into_iter().for_each(|s| f.b.push(s));
                Some(body.result)
            })?;
            let results = types[flags..].to_vec();
            let yes = Body { stms: vec![], result: right[flags..].to_vec() };
            let mut values: Vec<SubExp> =
                f.b.bind_all("v", results.clone(), Exp::If(keep_right, Box::new(yes), Box::new(combine)))
                    .into_iter()
                    .map(SubExp::Var)
                    .collect();
            if let Some(there) = keep_left {
                let yes = Body { stms: vec![], result: values };
                let no = Body { stms: vec![], result: left[flags..].to_vec() };
                let exp = Exp::If(there, Box::new(yes), Box::new(no));
                values = f.b.bind_all("v", results, exp).into_iter().map(SubExp::Var).collect();
            }
            result.extend(values);
            Some(result)
        })?;
        Some(Lambda { params, body, ret: types.to_vec() })
    }

    /// The reduction of each point: the last of its elements in the scan.
    fn reduced(&mut self, level: LevelId, inner: LevelId, c: Combined) -> Option<Vec<Value>> {
        let Points::Elements(shape) = self.levels[inner.0].points else { return None };
        let neutral = c.neutral.clone();
        let scanned = self.segmented(inner, c)?;
        let (total, points) = (self.width(inner), self.width(level));
        let size = self.b.fresh("size", Type::I64);
        self.values.insert(size, Value::Each(level, self.shapes[shape.0].sizes));
        let body = self.nested(|f| {
            let owner = f.b.fresh("p", Type::I64);
            f.values.insert(owner, Value::Number(level));
            let place = f.place(inner);
            let next = f.b.add64(place, SubExp::i64(1));
            let last = f.b.cmp(CmpOp::Eq(PrimType::I64), next, size.into());
            Some(vec![f.choose(last, owner.into(), SubExp::i64(-1), Type::I64)])
        })?;
        let places = self.map(inner, body, &[Type::I64])?[0];
        let mut dests = vec![];
        for (e, data) in neutral.iter().zip(&scanned) {
            let elem = self.b.type_of((*data).into()).peel(1);
            let all = elem.array_of(&[points]);
            let array = if self.varies(*e) {
                let Value::Each(_, array) = self.conform(level, *e, &elem, &[])? else { return None };
                self.b.bind("out", all, Exp::Basic(Basic::Copy(array)))
            } else {
                self.b.bind("out", all, Exp::Basic(Basic::Replicate(vec![points], *e)))
            };
            dests.push(ScatterDest { shape: vec![points], array });
        }
        let place = self.b.param("at", Type::I64);
        let mut params = vec![place.clone()];
        let (mut ret, mut results) = (vec![Type::I64; scanned.len()], vec![]);
        for data in &scanned {
            let ty = self.b.type_of((*data).into());
            params.push(self.b.param("x", ty.peel(1)));
            ret.push(ty.peel(1));
            results.push(ty.peel(1).array_of(&[points]));
        }
        let mut result = vec![SubExp::Var(place.name); scanned.len()];
        result.extend(params[1..].iter().map(|p| SubExp::Var(p.name)));
        let lambda = Lambda { params, body: Body { stms: vec![], result }, ret };
        let mut arrays = vec![places];
        arrays.extend(scanned);
        let scatter = Soac::Scatter(Scatter { width: total, arrays, dests, lambda });
        let outs = self.b.bind_all("reduced", results, Exp::Op(scatter));
        Some(outs.into_iter().map(|out| Value::Each(level, out)).collect())
    }
}
