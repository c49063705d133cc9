//! An accumulation without some of its updates, which stores what others need.

use super::scopes::{Kind, ScopeId, Scopes};
use fehu_base::Name;
use fehu_ir::soac::Soac;
use fehu_ir::subst::Subst;
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{
    AccInput, Basic, Body, Builder, Exp, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type, WithAcc,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What changes in an accumulation.
#[derive(Default)]
pub(super) struct Edits {
    /// The results of updates that are removed.
    removed: FxHashSet<Name>,
    /// By the first name that a statement binds (of the accumulation: none), what its function also returns,
    /// and the name and type that it has outside.
    returned: FxHashMap<Option<Name>, Vec<(Name, Name, Type)>>,
    stored: FxHashSet<Name>,
    /// Accumulators that have become the same.
    same: Subst,
}

impl Edits {
    pub(super) fn remove(&mut self, result: Name) {
        self.removed.insert(result);
    }

    /// A name inside is to be an array outside.
    pub(super) fn store(&mut self, b: &mut Builder<Soacs>, scopes: &Scopes<'_>, inner: Name, outer: Name) {
        if !self.stored.insert(outer) {
            return;
        }
        let Some(def) = scopes.defs.get(&inner) else { return };
        let owner: FxHashMap<ScopeId, Name> = scopes.of_stm.iter().map(|(n, s)| (*s, *n)).collect();
        let (mut name, mut ty) = (inner, b.type_of(inner.into()));
        for scope in scopes.chain(def.scope).into_iter().rev() {
            if let Kind::Map(width) = scopes.scopes[scope].kind {
                ty = ty.array_of(&[width]);
            }
            let next = if scope == 0 { outer } else { b.fresh("kept", ty.clone()) };
            let stm = owner.get(&scope).copied();
            self.returned.entry(stm).or_default().push((name, next, ty.clone()));
            name = next;
        }
    }

    /// Emits what remains of an accumulation. The arrays that each input has become.
    pub(super) fn accumulation(
        &mut self,
        b: &mut Builder<Soacs>,
        stm: &Stm<Soacs>,
        with: &WithAcc<Soacs>,
    ) -> Vec<Vec<Name>> {
        let mut lambda = with.lambda.clone();
        self.body(&mut lambda.body);
        let n = with.inputs.len();
        let others = lambda.body.result.split_off(n);
        let types = lambda.ret.split_off(n);
        let (mut inputs, mut kept): (Vec<AccInput<Soacs>>, Vec<usize>) = (vec![], vec![]);
        let mut arrays: Vec<Vec<Name>> = vec![];
        let mut pat: Vec<(Name, Type)> = vec![];
        for (k, input) in with.inputs.iter().enumerate() {
            if lambda.body.result[k] == SubExp::Var(lambda.params[n + k].name) {
                arrays.push(input.arrays.clone());
                continue;
            }
            kept.push(k);
            inputs.push(input.clone());
            let own: Vec<Name> = (input.arrays.iter())
                .map(|a| {
                    let ty = b.type_of((*a).into());
                    let name = b.fresh("acc", ty.clone());
                    pat.push((name, ty));
                    name
                })
                .collect();
            arrays.push(own);
        }
        let first = stm.pat.len() - others.len();
        let mut rest: Vec<(Name, Type, SubExp)> =
            (stm.pat[first..].iter().zip(&others)).map(|(p, e)| (p.name, p.ty.clone(), *e)).collect();
        let mut ret = types;
        for (inner, outer, ty) in self.returned.remove(&None).unwrap_or_default() {
            rest.push((outer, ty.clone(), inner.into()));
            ret.push(ty);
        }
        if inputs.is_empty() {
            lambda.body.stms.into_iter().for_each(|s| b.push(s));
            for (name, ty, e) in rest {
                b.bind_names(vec![(name, ty)], Exp::Basic(Basic::SubExp(e)));
            }
            return arrays;
        }
        let params: Vec<Param<Soacs>> = (kept.iter().map(|k| lambda.params[*k].clone()))
            .chain(kept.iter().map(|k| lambda.params[n + k].clone()))
            .collect();
        let accs: Vec<SubExp> = kept.iter().map(|k| lambda.body.result[*k]).collect();
        let ret = kept.iter().map(|k| lambda.ret[*k].clone()).chain(ret).collect();
        lambda.body.result = accs.into_iter().chain(rest.iter().map(|(.., e)| *e)).collect();
        pat.extend(rest.into_iter().map(|(name, ty, _)| (name, ty)));
        let lambda = Lambda { params, body: lambda.body, ret };
        b.bind_names(pat, Exp::WithAcc(Box::new(WithAcc { inputs, lambda })));
        arrays
    }

    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            for mut stm in std::mem::take(&mut body.stms) {
                self.same.stm(&mut stm);
                if let (Exp::Basic(Basic::UpdateAcc(acc, ..)), Some(p)) = (&stm.exp, stm.pat.first()) {
                    if self.removed.contains(&p.name) {
                        self.same.insert(p.name, *acc);
                        continue;
                    }
                }
                let owner = stm.pat.first().map(|p| p.name);
                map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                if self.without_unused(&mut stm) {
                    self.returning(&mut stm, owner);
                    body.stms.push(stm);
                }
            }
            for e in &mut body.result {
                *e = self.same.operand(*e);
            }
        });
    }

    /// Adds what a statement's function also returns.
    fn returning(&mut self, stm: &mut Stm<Soacs>, owner: Option<Name>) {
        if owner.is_none() {
            return;
        }
        let Some(returned) = self.returned.remove(&owner) else { return };
        let (lambda, outer) = match &mut stm.exp {
            Exp::Op(Soac::Screma(s)) => (&mut s.map, 1),
            Exp::WithAcc(w) => (&mut w.lambda, 0),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::Op(_) => {
                fehu_base::bug!("a statement that stores nothing")
            }
        };
        for (inner, name, ty) in returned {
            lambda.body.result.push(inner.into());
            lambda.ret.push(ty.peel(outer));
            stm.pat.push(PatElem { name, ty, dec: () });
        }
    }

    /// Leaves out accumulators that a statement passes on unchanged. Whether it gives anything then.
    fn without_unused(&mut self, stm: &mut Stm<Soacs>) -> bool {
        let lost = self.unused(stm);
        if lost.is_empty() {
            return true;
        }
        let returns = self.returned.contains_key(&stm.pat.first().map(|p| p.name));
        if lost.len() == stm.pat.len() && !returns && has_effects(&stm.exp) {
            return true;
        }
        for (k, acc) in &lost {
            self.same.insert(stm.pat[*k].name, *acc);
        }
        let is_lost = |k: usize| lost.iter().any(|(l, _)| *l == k);
        keep(&mut stm.pat, |k| !is_lost(k));
        match &mut stm.exp {
            Exp::Op(Soac::Screma(s)) => {
                let is_param = |k: usize| lost.iter().any(|(_, acc)| SubExp::Var(s.arrays[k]) == *acc);
                let params: Vec<bool> = (0..s.arrays.len()).map(is_param).collect();
                keep(&mut s.arrays, |k| !params[k]);
                keep(&mut s.map.params, |k| !params[k]);
                keep(&mut s.map.body.result, |k| !is_lost(k));
                keep(&mut s.map.ret, |k| !is_lost(k));
            }
            Exp::Loop(l) => {
                keep(&mut l.params, |k| !is_lost(k));
                keep(&mut l.body.result, |k| !is_lost(k));
            }
            Exp::If(_, yes, no) => {
                keep(&mut yes.result, |k| !is_lost(k));
                keep(&mut no.result, |k| !is_lost(k));
            }
            Exp::WithAcc(w) => {
                let arrays: usize = w.inputs.iter().map(|i| i.arrays.len()).sum();
                let n = w.inputs.len();
                let result = |k: usize| k >= n && is_lost(k - n + arrays);
                keep(&mut w.lambda.body.result, |k| !result(k));
                keep(&mut w.lambda.ret, |k| !result(k));
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::Op(_) => {}
        }
        !stm.pat.is_empty() || returns
    }

    /// The results of a statement that are accumulators that nothing updates, and what these are outside.
    fn unused(&self, stm: &Stm<Soacs>) -> Vec<(usize, SubExp)> {
        let mut found = vec![];
        for (k, p) in stm.pat.iter().enumerate() {
            if !matches!(p.ty, Type::Acc(..)) {
                continue;
            }
            let same = match &stm.exp {
                Exp::Op(Soac::Screma(s)) => {
                    let result = s.map.body.result.get(k).copied();
                    let param = s.map.params.iter().position(|p| result == Some(p.name.into()));
                    param.map(|at| s.arrays[at].into())
                }
                Exp::Loop(l) => {
                    let (param, init) = &l.params[k];
                    (l.body.result[k] == param.name.into()).then_some(*init)
                }
                Exp::If(_, yes, no) => (yes.result[k] == no.result[k]).then_some(yes.result[k]),
                Exp::WithAcc(w) => {
                    let arrays: usize = w.inputs.iter().map(|i| i.arrays.len()).sum();
                    let result = w.lambda.body.result[w.inputs.len() + k - arrays];
                    let own = w.lambda.body.stms.iter().flat_map(|s| &s.pat);
                    let is_own = own.map(|p| p.name).any(|n| result == n.into());
                    (!is_own).then_some(result)
                }
                Exp::Basic(_) | Exp::Call(..) | Exp::Op(_) => None,
            };
            found.extend(same.map(|acc| (k, acc)));
        }
        found
    }
}

/// Keeps some elements.
fn keep<T>(of: &mut Vec<T>, mut f: impl FnMut(usize) -> bool) {
    let mut k = 0;
    of.retain(|_| {
        k += 1;
        f(k - 1)
    });
}

/// Whether code has checks that are never dead, or traces.
fn has_effects(exp: &Exp<Soacs>) -> bool {
    let mut any = false;
    fehu_ir::visit::for_each_body(exp, &mut |body| {
        for_each_stm(body, &mut |s| any |= s.stays() || matches!(s.exp, Exp::Basic(Basic::Opaque(_))));
    });
    any
}
