//! G4: a reduction of rows becomes a map of reductions.
//!
//! In the paper: `reduce (map (λy → e)) (replicate k d) z` is treated as
//! `map (reduce (λy → e) d) (transpose z)`: the sums of the columns of a matrix are
//! the sums of the rows of its transpose.
//!
//! Where that cannot be (the neutral element is not known to be of one value,
//! or it is a scan or a histogram), the operator is vectorised: applied
//! elementwise by the segmented operation itself.

use super::g6_distribute::Lifted;
use super::nest::{Nest, Owner};
use super::Flat;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::soac::{Reduce, Screma, Soac};
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Body, Exp, Lambda, PatElem, Prog, Shape, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// The arrays of a program that hold one operand everywhere, and that operand.
pub(super) fn replicated(prog: &Prog<Soacs>) -> FxHashMap<Name, SubExp> {
    let mut found = FxHashMap::default();
    let bodies = std::iter::once(&prog.consts).chain(prog.funs.iter().map(|f| &f.body));
    for body in bodies {
        for_each_stm(body, &mut |stm| {
            if let (Exp::Replicate(_, e), [p]) = (&stm.exp, &stm.pat[..]) {
                if stm.certs.is_empty() {
                    found.insert(p.name, *e);
                }
            }
        });
    }
    found
}

/// An operator that applies another one to the elements of its operands, which have this size.
pub(super) fn vector_operator(op: &Lambda<Soacs>) -> Option<(SubExp, Lambda<Soacs>)> {
    let [stm] = &op.body.stms[..] else { return None };
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
    let whole = s.scans.is_empty()
        && s.reds.is_empty()
        && s.arrays.iter().copied().eq(op.params.iter().map(|p| p.name))
        && op.body.result.iter().copied().eq(stm.pat.iter().map(|p| SubExp::Var(p.name)))
        && stm.certs.is_empty();
    let own =
        fehu_ir::free::free_in_lambda(&s.map).into_iter().all(|n| op.params.iter().all(|p| p.name != n));
    (whole && own).then(|| (s.width, s.map.clone()))
}

/// The innermost operator, and the sizes it is applied over.
pub(super) fn vectorised(op: &Lambda<Soacs>) -> (Shape, Lambda<Soacs>) {
    let mut shape = vec![];
    let mut op = op.clone();
    while let Some((width, inner)) = vector_operator(&op) {
        shape.push(width);
        op = inner;
    }
    (shape, op)
}

impl Flat<'_> {
    /// The one value of a neutral element, for the elements of a vector.
    pub(super) fn element_of(&self, e: SubExp, rank: usize) -> Option<SubExp> {
        let by = self.replicated.get(&e.name()?).copied()?;
        (self.seq.b.type_of(by).rank() == rank).then_some(by)
    }

    /// Interchanges a reduction with the map that its operator is.
    pub(super) fn interchange(
        &mut self,
        nest: &mut Nest,
        stm: &Stm<Soacs>,
        s: &Screma<Soacs>,
    ) -> Option<Lifted> {
        let [red] = &s.reds[..] else { return None };
        let (size, op) = vector_operator(&red.op)?;
        let handed_on = s.scans.is_empty()
            && s.map.body.stms.is_empty()
            && s.map.ret.len() == red.neutral.len()
            && s.map.body.result.iter().copied().eq(s.map.params.iter().map(|p| SubExp::Var(p.name)));
        if !handed_on || !nest.invariant(size) {
            return None;
        }
        let mut neutral = vec![];
        for (e, t) in red.neutral.iter().zip(&op.ret) {
            neutral.push(self.element_of(*e, t.rank()).filter(|e| nest.invariant(*e))?);
        }
        let mut stms = vec![];
        let mut columns = vec![];
        let mut params = vec![];
        for (array, t) in s.arrays.iter().zip(&op.ret) {
            let ty = t.array_of(&[size, s.width]);
            let perm = [1, 0].into_iter().chain(2..ty.rank()).collect();
            let column = self.seq.b.fresh("tr", ty.clone());
            stms.push(plain(column, ty, Exp::Rearrange(perm, *array)));
            columns.push(column);
            params.push(self.soac_param("col", t.array_of(&[s.width])));
        }
        let elements = op.ret.iter().map(|t| self.soac_param("x", t.clone())).collect();
        let ret = op.ret.clone();
        let inner = Screma {
            width: s.width,
            arrays: params.iter().map(|p| p.name).collect(),
            scans: vec![],
            reds: vec![Reduce { comm: red.comm, op, neutral }],
            map: identity(elements, &ret),
        };
        let reduced: Vec<PatElem<Soacs>> = self.pattern("red", ret.clone());
        let body = Body {
            result: reduced.iter().map(|p| p.name.into()).collect(),
            stms: vec![Stm { pat: reduced, exp: Exp::Op(Soac::Screma(inner)), ..bare(stm) }],
        };
        let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
        let pat = self.pattern("red", types.clone());
        let result = pat.iter().map(|p| p.name.into()).collect();
        let map = Lambda { params, body, ret };
        let outer = Screma { width: size, arrays: columns, scans: vec![], reds: vec![], map };
        stms.push(Stm { pat, exp: Exp::Op(Soac::Screma(outer)), ..bare(stm) });
        let results = self.under(nest, Body { stms, result }, &types);
        Some(results.into_iter().map(|e| (e, Owner::Nest)).collect())
    }

    pub(super) fn soac_param(&mut self, base: &str, ty: Type) -> fehu_ir::Param<Soacs> {
        let name = self.seq.b.fresh(base, ty.clone());
        fehu_ir::Param { name, ty, dec: (), consumed: false }
    }

    pub(super) fn pattern(&mut self, base: &str, types: Vec<Type>) -> Vec<PatElem<Soacs>> {
        let elem = |ty: Type| PatElem { name: self.seq.b.fresh(base, ty.clone()), ty, dec: () };
        types.into_iter().map(elem).collect()
    }
}

/// The lambda that returns its arguments.
pub(super) fn identity(params: Vec<fehu_ir::Param<Soacs>>, ret: &[Type]) -> Lambda<Soacs> {
    let result = params.iter().map(|p| p.name.into()).collect();
    Lambda { params, body: Body { stms: vec![], result }, ret: ret.to_vec() }
}

/// A statement from the same place, that binds nothing yet. What the original depends on, the nest
/// or the builder knows already.
pub(super) fn bare(stm: &Stm<Soacs>) -> Stm<Soacs> {
    Stm {
        pat: vec![],
        certs: vec![],
        attrs: stm.attrs.clone(),
        loc: stm.loc.clone(),
        exp: Exp::SubExp(SubExp::bool(true)),
    }
}
