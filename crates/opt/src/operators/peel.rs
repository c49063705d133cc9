//! A loop that fills place `i` of arrays from what is at place `i` of others is a map.
//!
//! Its body is *peeled*: an array of which it only ever looks at, or replaces, `xs[i]` or a part of that
//! becomes the row itself. If nothing else of the body depends on `i`, iterations have nothing to do with
//! each other, and the body is what is done to rows. Those may be treated alike: `r with [i, j] = xs[i, j] +
//! ys[i, j]` in two loops is two maps.

use super::position;
use fehu_base::{Name, NameSource};
use fehu_ir::build::plain;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::Subst;
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Loop, LoopForm, Param, PatElem, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// The operator as a map, if it is a loop of this kind.
pub(super) fn as_map(names: &mut NameSource, op: &Lambda<Soacs>) -> Option<Lambda<Soacs>> {
    let (last, inits) = op.body.stms.split_last()?;
    let Exp::Loop(l) = &last.exp else { return None };
    let LoopForm::For { var, bound, .. } = &l.form else { return None };
    let along = |t: &Type| t.shape().first() == Some(bound);
    if !op.ret.iter().all(along) || !l.params.iter().all(|(p, _)| along(&p.ty)) {
        return None;
    }
    let mut peel = Peel { names, index: *var, rows: FxHashMap::default(), scalars: Subst::new() };
    let mut params = vec![];
    for p in &op.params {
        if !along(&p.ty) {
            return None;
        }
        let ty = p.ty.peel(1);
        let name = peel.names.fresh_like(p.name);
        peel.rows.insert(p.name, (name.into(), ty.clone()));
        params.push(Param { name, ty, dec: (), consumed: false });
    }
    let mut stms = vec![];
    for (p, init) in &l.params {
        let row = peel.init(inits, *init, &mut stms)?;
        peel.rows.insert(p.name, (row, p.ty.peel(1)));
    }
    let known = l.params.iter().filter_map(|(_, e)| e.name());
    let used = inits.iter().all(|s| known.clone().any(|n| s.pat.iter().any(|p| p.name == n)));
    if !used {
        return None;
    }
    let made = peel.body(&l.body)?;
    stms.extend(made.stms);
    let mut result = vec![];
    for e in &op.body.result {
        let place = position(&last.pat.iter().map(|p| p.name.into()).collect::<Vec<_>>(), *e)?;
        let (row, _) = peel.rows.get(&l.body.result.get(place)?.name()?)?;
        result.push(*row);
    }
    let body = Body { stms, result };
    if free_in_body(&body).contains(var) {
        return None;
    }
    let ret: Vec<Type> = op.ret.iter().map(|t| t.peel(1)).collect();
    let row = Lambda { params, body, ret };
    let row = as_map(names, &row).unwrap_or(row);
    let fresh = |p: &Param<Soacs>| Param { name: names.fresh_like(p.name), ..p.clone() };
    let params: Vec<Param<Soacs>> = op.params.iter().map(fresh).collect();
    let arrays = params.iter().map(|p| p.name).collect();
    let map = Screma { width: *bound, arrays, scans: vec![], reds: vec![], map: row };
    let elem = |ty: &Type| PatElem { name: names.fresh_str("row"), ty: ty.clone(), dec: () };
    let pat: Vec<PatElem<Soacs>> = op.ret.iter().map(elem).collect();
    let result = pat.iter().map(|p| p.name.into()).collect();
    let mut certs = last.certs.clone();
    certs.extend(inits.iter().flat_map(|s| s.certs.clone()));
    let exp = Exp::Op(Soac::Screma(map));
    let stm = Stm { pat, certs, attrs: last.attrs.clone(), loc: last.loc.clone(), exp };
    Some(Lambda { params, body: Body { stms: vec![stm], result }, ret: op.ret.clone() })
}

/// The work on the body of a loop.
struct Peel<'a> {
    names: &'a mut NameSource,
    /// The loop's variable.
    index: Name,
    /// Arrays that are rows now, and the types of these.
    rows: FxHashMap<Name, (SubExp, Type)>,
    /// What was an element of an array.
    scalars: Subst,
}

impl Peel<'_> {
    /// The row that a loop starts from.
    fn init(&mut self, inits: &[Stm<Soacs>], init: SubExp, stms: &mut Vec<Stm<Soacs>>) -> Option<SubExp> {
        let name = init.name()?;
        if let Some((row, ty)) = self.rows.get(&name).cloned() {
            return Some(self.owned(row, &ty, stms));
        }
        let stm = inits.iter().find(|s| s.pat.iter().any(|p| p.name == name))?;
        let ty = stm.pat.first()?.ty.peel(1);
        match &stm.exp {
            Exp::Basic(Basic::Copy(a)) => {
                let (row, ty) = self.rows.get(a).cloned()?;
                Some(self.owned(row, &ty, stms))
            }
            Exp::Basic(Basic::Replicate(shape, e)) => match shape.split_first()? {
                (_, []) => Some(self.owned(*e, &ty, stms)),
                (_, rest) => Some(self.bind(ty, Exp::Basic(Basic::Replicate(rest.to_vec(), *e)), stms)),
            },
            Exp::Basic(Basic::Scratch(p, shape)) => match shape.split_first()? {
                (_, []) => Some(SubExp::Const(p.blank())),
                (_, rest) => Some(self.bind(ty, Exp::Basic(Basic::Scratch(*p, rest.to_vec())), stms)),
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    fn bind(&mut self, ty: Type, exp: Exp<Soacs>, stms: &mut Vec<Stm<Soacs>>) -> SubExp {
        let name = self.names.fresh_str("row");
        stms.push(plain(name, ty, exp));
        name.into()
    }

    /// The operand, or a copy that can be changed.
    fn owned(&mut self, e: SubExp, ty: &Type, stms: &mut Vec<Stm<Soacs>>) -> SubExp {
        match e {
            SubExp::Var(a) if ty.is_array() => self.bind(ty.clone(), Exp::Basic(Basic::Copy(a)), stms),
            SubExp::Var(_) | SubExp::Const(_) => e,
        }
    }

    /// The statements of a body; its results are up to the caller.
    fn body(&mut self, b: &Body<Soacs>) -> Option<Body<Soacs>> {
        let mut stms = vec![];
        for stm in &b.stms {
            self.stm(stm, &mut stms)?;
        }
        Some(Body { stms, result: b.result.clone() })
    }

    fn stm(&mut self, stm: &Stm<Soacs>, stms: &mut Vec<Stm<Soacs>>) -> Option<()> {
        let row_of = |this: &Self, a: &Name| this.rows.get(a).cloned();
        match &stm.exp {
            Exp::Basic(Basic::Index(a, slice)) if self.rows.contains_key(a) => {
                let (row, _) = row_of(self, a)?;
                let rest = self.inside(slice)?;
                let p = stm.pat.first()?;
                if rest.is_empty() {
                    self.scalars.insert(p.name, row);
                } else {
                    stms.push(self.kept(stm, Exp::Basic(Basic::Index(row.name()?, rest))));
                }
            }
            Exp::Basic(Basic::Update(a, slice, value)) if self.rows.contains_key(a) => {
                let (row, ty) = row_of(self, a)?;
                let rest = self.inside(slice)?;
                if value.name().is_some_and(|v| self.rows.contains_key(&v)) {
                    return None;
                }
                let value = self.scalars.operand(*value);
                let new = if rest.is_empty() {
                    self.owned(value, &ty, stms)
                } else {
                    self.bind(ty.clone(), Exp::Basic(Basic::Update(row.name()?, rest, value)), stms)
                };
                self.rows.insert(stm.pat.first()?.name, (new, ty));
            }
            Exp::Basic(Basic::Copy(a)) if self.rows.contains_key(a) => {
                let (row, ty) = row_of(self, a)?;
                let new = self.owned(row, &ty, stms);
                self.rows.insert(stm.pat.first()?.name, (new, ty));
            }
            Exp::Loop(l) => {
                let l = self.inner_loop(stm, l)?;
                stms.push(l);
            }
            Exp::If(c, t, f) => {
                let (t, f) = (self.body(t)?, self.body(f)?);
                let mut pat = vec![];
                let (mut yes, mut no) = (vec![], vec![]);
                for (p, (a, b)) in stm.pat.iter().zip(t.result.iter().zip(&f.result)) {
                    let (row, a) = self.result(*a);
                    let (other, b) = self.result(*b);
                    pat.push(self.result_of(p, row, other)?);
                    yes.push(a);
                    no.push(b);
                }
                let t = Box::new(Body { stms: t.stms, result: yes });
                let f = Box::new(Body { stms: f.stms, result: no });
                let kept = self.kept(stm, Exp::If(*c, t, f));
                stms.push(Stm { pat, ..kept });
            }
            exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_)) => {
                if free_in_stm(stm).into_iter().any(|n| self.rows.contains_key(&n)) {
                    return None;
                }
                stms.push(self.kept(stm, exp.clone()));
            }
        }
        Some(())
    }

    /// A result of a body: whether it is a row now, and the operand.
    fn result(&self, e: SubExp) -> (bool, SubExp) {
        match e.name().and_then(|n| self.rows.get(&n)) {
            Some((row, _)) => (true, *row),
            None => (false, self.scalars.operand(e)),
        }
    }

    /// What a statement binds to a result that is a row if both of these say so; they must agree.
    fn result_of(&mut self, p: &PatElem<Soacs>, row: bool, other: bool) -> Option<PatElem<Soacs>> {
        if row != other {
            return None;
        }
        if !row {
            return Some(p.clone());
        }
        let (name, ty) = (self.names.fresh_like(p.name), p.ty.peel(1));
        self.rows.insert(p.name, (name.into(), ty.clone()));
        Some(PatElem { name, ty, dec: () })
    }

    fn inner_loop(&mut self, stm: &Stm<Soacs>, l: &Loop<Soacs>) -> Option<Stm<Soacs>> {
        let mut params = vec![];
        let mut starts = vec![];
        for (p, init) in &l.params {
            let (row, init) = self.result(*init);
            if row {
                let (name, ty) = (self.names.fresh_like(p.name), p.ty.peel(1));
                self.rows.insert(p.name, (name.into(), ty.clone()));
                let consumed = p.consumed && ty.is_array();
                params.push((Param { name, ty, dec: (), consumed }, init));
            } else {
                params.push((p.clone(), init));
            }
            starts.push(row);
        }
        let form = match &l.form {
            LoopForm::For { var, ty, bound } => {
                LoopForm::For { var: *var, ty: *ty, bound: self.scalars.operand(*bound) }
            }
            LoopForm::While(c) => LoopForm::While(*c),
        };
        let body = self.body(&l.body)?;
        let mut result = vec![];
        let mut pat = vec![];
        for ((p, e), start) in stm.pat.iter().zip(&body.result).zip(starts) {
            let (row, e) = self.result(*e);
            pat.push(self.result_of(p, row, start)?);
            result.push(e);
        }
        let body = Body { stms: body.stms, result };
        let exp = Exp::Loop(Box::new(Loop { params, form, body }));
        Some(Stm { pat, certs: stm.certs.clone(), attrs: stm.attrs.clone(), loc: stm.loc.clone(), exp })
    }

    /// What is left of a slice at the loop's index.
    fn inside(&self, slice: &[DimIndex]) -> Option<Vec<DimIndex>> {
        match slice.split_first()? {
            (DimIndex::Fix(SubExp::Var(i)), rest) if *i == self.index => {
                let operand = |e: &SubExp| self.scalars.operand(*e);
                let dims = rest.iter().map(|d| match d {
                    DimIndex::Fix(i) => DimIndex::Fix(operand(i)),
                    DimIndex::Slice { start, len, stride } => {
                        DimIndex::Slice { start: operand(start), len: operand(len), stride: operand(stride) }
                    }
                });
                Some(dims.collect())
            }
            (DimIndex::Fix(_) | DimIndex::Slice { .. }, _) => None,
        }
    }

    /// The statement with another expression, in which elements are known.
    fn kept(&self, stm: &Stm<Soacs>, exp: Exp<Soacs>) -> Stm<Soacs> {
        let mut kept = Stm { exp, ..stm.clone() };
        self.scalars.stm(&mut kept);
        kept
    }
}
