//! Operators of reductions, scans and histograms: what they are, and their derivatives at a point.

use super::Reverse;
use fehu_base::ops::BinOp;
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::Soac;
use fehu_ir::{Basic, Body, Exp, Lambda, Soacs, Stm, SubExp};
use rustc_hash::FxHashSet;

/// What an operator of one component is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    Sum,
    Product,
    Least,
    Greatest,
    Other,
}

/// What an operator is: one operation on its two operands, in whatever order if that makes no difference.
pub(crate) fn known(op: &Lambda<Soacs>) -> Known {
    let ([x, y], [stm], [result]) =
        (op.params.as_slice(), op.body.stms.as_slice(), op.body.result.as_slice())
    else {
        return Known::Other;
    };
    let ([p], Exp::Basic(Basic::BinOp(bin, a, b))) = (stm.pat.as_slice(), &stm.exp) else {
        return Known::Other;
    };
    let (x, y) = (SubExp::Var(x.name), SubExp::Var(y.name));
    if *result != p.name.into() || !((*a, *b) == (x, y) || (*a, *b) == (y, x)) {
        return Known::Other;
    }
    of_binary(*bin)
}

#[allow(clippy::wildcard_enum_match_arm, reason = "all others have no rule of their own")]
fn of_binary(op: BinOp) -> Known {
    match op {
        BinOp::Add(_) | BinOp::FAdd(_) => Known::Sum,
        // Integers may overflow, so that nothing can be divided out again.
        BinOp::FMul(_) => Known::Product,
        BinOp::SMin(_) | BinOp::UMin(_) | BinOp::FMin(_) => Known::Least,
        BinOp::SMax(_) | BinOp::UMax(_) | BinOp::FMax(_) => Known::Greatest,
        _ => Known::Other,
    }
}

/// The operator that a map applies to each element: `map2 (+)`. Its parameters, for each of those of the
/// whole.
pub(crate) fn of_vectors(op: &Lambda<Soacs>) -> Option<Lambda<Soacs>> {
    let [Stm { pat, exp: Exp::Op(Soac::Screma(s)), .. }] = op.body.stms.as_slice() else { return None };
    let results = pat.iter().map(|p| SubExp::Var(p.name));
    if !s.scans.is_empty() || !s.reds.is_empty() || !results.eq(op.body.result.iter().copied()) {
        return None;
    }
    if s.arrays.len() != op.params.len() {
        return None;
    }
    let param = |p: &fehu_ir::Param<Soacs>| {
        let at = s.arrays.iter().position(|a| *a == p.name)?;
        s.map.params.get(at).cloned()
    };
    let params: Option<Vec<_>> = op.params.iter().map(param).collect();
    let params = params?;
    let names: FxHashSet<Name> = params.iter().map(|p| p.name).collect();
    (names.len() == params.len()).then(|| Lambda { params, body: s.map.body.clone(), ret: s.map.ret.clone() })
}

/// The statements that some results need.
fn needed(stms: &[Stm<Soacs>], results: &[SubExp]) -> Vec<Stm<Soacs>> {
    let mut names: FxHashSet<Name> = results.iter().filter_map(|e| e.name()).collect();
    let mut kept = vec![];
    for stm in stms.iter().rev() {
        if stm.stays() || stm.pat.iter().any(|p| names.contains(&p.name)) {
            names.extend(free_in_stm(stm));
            kept.push(stm.clone());
        }
    }
    kept.reverse();
    kept
}

/// The components of an operator in groups that have nothing to do with each other, with the operator of
/// each.
pub(crate) fn groups(op: &Lambda<Soacs>) -> Vec<(Vec<usize>, Lambda<Soacs>)> {
    let k = op.ret.len();
    let mut group: Vec<usize> = (0..k).collect();
    for j in 0..k {
        let stms = needed(&op.body.stms, &op.body.result[j..=j]);
        let mut used: FxHashSet<Name> = op.body.result[j].name().into_iter().collect();
        stms.iter().for_each(|s| used.extend(free_in_stm(s)));
        for (i, p) in op.params.iter().enumerate() {
            if used.contains(&p.name) {
                let (from, to) = (group[i % k], group[j]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    let mut made: Vec<(Vec<usize>, Lambda<Soacs>)> = vec![];
    for g in 0..k {
        let members: Vec<usize> = (0..k).filter(|i| group[*i] == g).collect();
        if members.is_empty() {
            continue;
        }
        let side = |from: usize| members.iter().map(move |i| op.params[from + i].clone());
        let params = side(0).chain(side(k)).collect();
        let result: Vec<SubExp> = members.iter().map(|i| op.body.result[*i]).collect();
        let body = Body { stms: needed(&op.body.stms, &result), result };
        let ret = members.iter().map(|i| op.ret[*i].clone()).collect();
        made.push((members, Lambda { params, body, ret }));
    }
    made.sort_by_key(|(members, _)| members.first().copied());
    made
}

/// Whether an operator adds, on each of its components.
pub(crate) fn adds(op: &Lambda<Soacs>) -> bool {
    groups(op).iter().all(|(_, g)| known(g) == Known::Sum)
}

/// The operator with its operands exchanged.
pub(crate) fn exchanged(op: &Lambda<Soacs>) -> Lambda<Soacs> {
    let (left, right) = op.params.split_at(op.params.len() / 2);
    Lambda { params: [right, left].concat(), ..op.clone() }
}

/// Whether an application of an operator contributes to what is free in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frees {
    Counted,
    Ignored,
}

impl Reverse<'_> {
    /// The values of a function.
    pub(crate) fn applied(&mut self, op: &Lambda<Soacs>, args: &[SubExp]) -> Vec<SubExp> {
        let op = self.again_lambda(op);
        for (p, e) in op.params.iter().zip(args) {
            self.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(*e)));
        }
        for stm in op.body.stms {
            self.primal(stm);
        }
        op.body.result
    }

    /// The adjoints of some of the arguments of a function, given those of its results.
    pub(crate) fn vjp_of(
        &mut self,
        op: &Lambda<Soacs>,
        args: &[SubExp],
        wanted: &[bool],
        seeds: &[Option<SubExp>],
        frees: Frees,
    ) -> Vec<Option<SubExp>> {
        let op = self.again_lambda(op);
        let mut active: FxHashSet<Name> = match frees {
            Frees::Counted => self.active.clone(),
            Frees::Ignored => FxHashSet::default(),
        };
        for (p, wanted) in op.params.iter().zip(wanted) {
            match wanted {
                true => active.insert(p.name),
                false => active.remove(&p.name),
            };
        }
        for (p, e) in op.params.iter().zip(args) {
            self.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(*e)));
        }
        // What was known of names in the operator was known for all its operands.
        fehu_ir::visit::for_each_stm(&op.body, &mut |s| {
            s.pat.iter().for_each(|p| {
                active.remove(&p.name);
            })
        });
        self.activity.of_body(&self.b.types, &op.body, &mut active);
        let outer = std::mem::replace(&mut self.active, active);
        self.sweeps(op.body, seeds);
        let adjoints = op.params.iter().map(|p| self.take(p.name)).collect();
        let inner = std::mem::replace(&mut self.active, outer);
        drop(inner);
        adjoints
    }
}
