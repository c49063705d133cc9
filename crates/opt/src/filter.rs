//! Filters whose results are only reduced, or only counted in a histogram, are not made.
//!
//! Before: a reduction or histogram of what a filter keeps. After: it goes over all elements, and those that
//! are not kept add a neutral element, or go nowhere. If the number of kept elements is needed, the filter
//! counts and keeps nothing.
//!
//! ```text
//! let (m : i64, ys : [m]t) = filter n [xs] kept 1 map \x -> (p x, f x)
//! let (s : u) = screma m [ys] reduce (+) 0 map g
//!
//! let (s : u) = screma n [xs] reduce (+) 0 map \x -> if p x then g (f x) else 0
//! ```
//!
//! What a program gives as neutral element need not be one, so this is done only for operators whose
//! neutral elements are known.
//!
//! Maps and filters of what a filter keeps are part of it, if they cost little: their values are computed
//! where the condition holds.
//!
//! ```text
//! let (m : i64, ys : [m]t) = filter n [xs] kept 1 map \x -> (p x, x)         let (m : i64, zs : [m]u) = filter n [xs] kept 1
//! let (zs : [m]u) = screma m [ys] map g                                       map \x -> (p x, if p x then g x else blank)
//! ```

use fehu_base::ops::BinOp;
use fehu_base::prim::PrimValue;
use fehu_base::tuning::scan_epilogue;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Signatures;
use fehu_ir::consume::consumed_directly;
use fehu_ir::cost::scalar_instructions;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::soac::{Filter, Hist, Reduce, Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, Exp, Lambda, PatElem, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// The removal of filters as a pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "filter", need: Need::Optional, run: filter };

/// Lets reductions and histograms of filtered arrays do the filtering.
pub fn filter(prog: &mut Prog<Soacs>) {
    let Prog { consts, funs, names, .. } = prog;
    body(names, consts);
    for fun in funs {
        body(names, &mut fun.body);
    }
}

fn body(names: &mut NameSource, b: &mut Body<Soacs>) {
    deep(|| {
        let mut defined = definitions(&b.stms);
        for k in 0..b.stms.len() {
            if let Some((source, stm)) = absorbing(names, b, &defined, k) {
                defined.extend(stm.pat.iter().map(|p| (p.name, source)));
                b.stms[source] = stm;
                b.stms[k].pat.clear();
            } else if let Some(exp) = filtering(names, b, &defined, k) {
                b.stms[k].exp = exp;
            }
        }
        b.stms.retain(|stm| !stm.pat.is_empty());
        for stm in &mut b.stms {
            map_bodies(&mut stm.exp, &mut |inner| body(names, inner));
        }
    })
}

/// The filter that a map or filter of what it keeps becomes a part of, with it: where it stands, and what it is then.
fn absorbing(
    names: &mut NameSource,
    b: &Body<Soacs>,
    defined: &FxHashMap<Name, usize>,
    k: usize,
) -> Option<(usize, Stm<Soacs>)> {
    let consumer = &b.stms[k];
    let (arrays, lambda, width, conditions) = match &consumer.exp {
        Exp::Op(Soac::Screma(s)) if s.scans.is_empty() && s.reds.is_empty() => {
            (&s.arrays, &s.map, s.width, 0)
        }
        Exp::Op(Soac::Filter(f)) => (&f.arrays, &f.lambda, f.width, f.kept.len()),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    let source = defined.get(arrays.first()?).copied()?;
    let producer = &b.stms[source];
    let kept = Kept::of(producer, width)?;
    // With the branch that guards it.
    let cost = 1 + scalar_instructions(&lambda.body)? + scalar_instructions(&kept.filter.lambda.body)?;
    // It moves to where the filter is, and all that it needs must be there.
    let known = |n: &Name| defined.get(n).is_none_or(|at| *at < source);
    if cost > scan_epilogue::REPEATED_INSTRUCTIONS
        || !arrays.iter().all(|a| kept.arrays.contains(a))
        || !free_in_lambda(lambda).iter().all(known)
        || !consumer.certs.is_empty()
        || !consumer.attrs.is_empty()
        || lambda.params.iter().any(|p| p.consumed)
    {
        return None;
    }
    let mut otherwise = vec![SubExp::bool(false); conditions];
    otherwise.extend(lambda.ret[conditions..].iter().map(blank).collect::<Option<Vec<_>>>()?);
    let mut all = kept.filter.clone();
    let made = kept.results(names, &mut all.lambda, arrays, lambda, otherwise)?;
    let (holds, values) = made.split_at(conditions);
    let (counts, results) = consumer.pat.split_at(conditions);
    let mut pat = producer.pat.clone();
    let theirs = all.kept.len();
    // Values of a map are kept under the same condition; those of a filter come last, under their own.
    let end = match conditions {
        0 => kept.first + kept.arrays.len(),
        _ => pat.len(),
    };
    pat.splice(end..end, results.iter().cloned());
    pat.splice(theirs..theirs, counts.iter().cloned());
    let Lambda { body, ret, .. } = &mut all.lambda;
    body.result.splice(end..end, values.iter().copied());
    body.result.splice(theirs..theirs, holds.iter().copied());
    ret.splice(end..end, lambda.ret[conditions..].iter().cloned());
    ret.splice(theirs..theirs, lambda.ret[..conditions].iter().cloned());
    match &consumer.exp {
        Exp::Op(Soac::Filter(f)) => all.kept.extend(&f.kept),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            all.kept[kept.condition] += results.len();
        }
    }
    Some((source, Stm { pat, exp: Exp::Op(Soac::Filter(all)), ..producer.clone() }))
}

/// What a statement becomes if it does the filtering itself.
fn filtering(
    names: &mut NameSource,
    b: &Body<Soacs>,
    defined: &FxHashMap<Name, usize>,
    k: usize,
) -> Option<Exp<Soacs>> {
    let consumer = &b.stms[k];
    let (arrays, lambda, width) = match &consumer.exp {
        Exp::Op(Soac::Screma(s)) if s.scans.is_empty() && only_known_reductions(s) => {
            (&s.arrays, &s.map, s.width)
        }
        Exp::Op(Soac::Hist(h)) => (&h.arrays, &h.lambda, h.width),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    };
    let source = defined.get(arrays.first()?).copied()?;
    let kept = Kept::of(&b.stms[source], width)?;
    let whole = arrays.iter().all(|a| kept.arrays.contains(a));
    let nowhere_else = |n: &Name| {
        let used = |(i, s): (usize, &Stm<Soacs>)| i != k && free_in_stm(s).contains(n);
        !b.stms.iter().enumerate().any(used) && !b.result.contains(&(*n).into())
    };
    let free = free_in_lambda(lambda);
    let read_later =
        b.stms[source + 1..k].iter().all(consumes_nothing) && fresh_targets(b, defined, consumer);
    if !whole
        || !kept.arrays.iter().all(nowhere_else)
        || kept.arrays.iter().any(|r| free.contains(r))
        || !b.stms[source].certs.is_empty()
        || lambda.params.iter().chain(&kept.filter.lambda.params).any(|p| p.consumed)
        || !read_later
    {
        return None;
    }
    let mut exp = consumer.exp.clone();
    match &mut exp {
        Exp::Op(Soac::Screma(Screma { width, arrays, reds, map, .. })) => {
            let neutral: Vec<SubExp> = reds.iter().flat_map(|r| r.neutral.iter().copied()).collect();
            *map = kept.guarded(names, arrays, map, neutral)?;
            (*width, *arrays) = (kept.filter.width, kept.filter.arrays.clone());
        }
        Exp::Op(Soac::Hist(Hist { width, arrays, ops, lambda })) => {
            let indices = ops.iter().map(|op| op.shape.len()).sum();
            let values: Option<Vec<SubExp>> = lambda.ret[indices..].iter().map(blank).collect();
            let nowhere = vec![SubExp::i64(-1); indices].into_iter().chain(values?).collect();
            *lambda = kept.guarded(names, arrays, lambda, nowhere)?;
            (*width, *arrays) = (kept.filter.width, kept.filter.arrays.clone());
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    }
    Some(exp)
}

/// What a filter keeps under one of its conditions.
struct Kept<'a> {
    filter: &'a Filter<Soacs>,
    /// Which condition.
    condition: usize,
    /// The arrays of what is kept, and where their values stand among the results of the filter's function.
    arrays: Vec<Name>,
    first: usize,
}

impl<'a> Kept<'a> {
    /// The part of a filter that keeps so many elements.
    fn of(stm: &'a Stm<Soacs>, count: SubExp) -> Option<Kept<'a>> {
        let Exp::Op(Soac::Filter(filter)) = &stm.exp else { return None };
        let conditions = filter.kept.len();
        let condition = stm.pat[..conditions].iter().position(|p| SubExp::Var(p.name) == count)?;
        let first = conditions + filter.kept[..condition].iter().sum::<usize>();
        let arrays = stm.pat[first..first + filter.kept[condition]].iter().map(|p| p.name).collect();
        Some(Kept { filter, condition, arrays, first })
    }

    /// The function of the consumer for all elements, of which some are kept.
    fn guarded(
        &self,
        names: &mut NameSource,
        arrays: &[Name],
        consumer: &Lambda<Soacs>,
        otherwise: Vec<SubExp>,
    ) -> Option<Lambda<Soacs>> {
        let mut all = rename_lambda(names, &self.filter.lambda);
        all.body.result = self.results(names, &mut all, arrays, consumer, otherwise)?;
        all.ret = consumer.ret.clone();
        Some(all)
    }

    /// What the consumer's function makes of what is kept, computed in the function of the filter.
    fn results(
        &self,
        names: &mut NameSource,
        all: &mut Lambda<Soacs>,
        arrays: &[Name],
        consumer: &Lambda<Soacs>,
        otherwise: Vec<SubExp>,
    ) -> Option<Vec<SubExp>> {
        let cond = *all.body.result.get(self.condition)?;
        let values = all.body.result.get(self.first..self.first + self.arrays.len())?.to_vec();
        let mut yes = Body { stms: vec![], result: consumer.body.result.clone() };
        for (param, array) in consumer.params.iter().zip(arrays) {
            let value = values.get(self.arrays.iter().position(|r| r == array)?)?;
            yes.stms.push(statement(vec![(param.name, param.ty.clone())], Exp::Basic(Basic::SubExp(*value))));
        }
        yes.stms.extend(consumer.body.stms.iter().cloned());
        let no = Body { stms: vec![], result: otherwise };
        let bound: Vec<(Name, Type)> =
            consumer.ret.iter().map(|t| (names.fresh_str("kept"), t.clone())).collect();
        let results = bound.iter().map(|(n, _)| (*n).into()).collect();
        all.body.stms.push(statement(bound, Exp::If(cond, Box::new(yes), Box::new(no))));
        Some(results)
    }
}

fn statement(pat: Vec<(Name, Type)>, exp: Exp<Soacs>) -> Stm<Soacs> {
    let pat = pat.into_iter().map(|(name, ty)| PatElem { name, ty, dec: () }).collect();
    Stm { pat, certs: vec![], attrs: vec![], loc: fehu_ir::Loc::none(), exp }
}

/// Which statement binds a name.
fn definitions(stms: &[Stm<Soacs>]) -> FxHashMap<Name, usize> {
    stms.iter().enumerate().flat_map(|(i, s)| s.pat.iter().map(move |p| (p.name, i))).collect()
}

/// Whether there are reductions and nothing else, and leaving out a neutral element makes no difference.
fn only_known_reductions(s: &Screma<Soacs>) -> bool {
    let reduced: usize = s.reds.iter().map(|r| r.neutral.len()).sum();
    let known = |r: &Reduce<Soacs>| {
        known_operator(&r.op).is_some_and(|ops| ops.iter().zip(&r.neutral).all(|(op, e)| neutral(*op, *e)))
    };
    reduced > 0 && s.map.ret.len() == reduced && s.reds.iter().all(known)
}

/// The operators of a lambda that combines each pair of operands by one.
fn known_operator(op: &Lambda<Soacs>) -> Option<Vec<BinOp>> {
    let n = op.ret.len();
    let inside = definitions(&op.body.stms);
    let mut ops = vec![];
    for (i, result) in op.body.result.iter().enumerate() {
        let Exp::Basic(Basic::BinOp(bin, x, y)) = &op.body.stms[*inside.get(&result.name()?)?].exp else {
            return None;
        };
        let (a, b) = (SubExp::Var(op.params.get(i)?.name), SubExp::Var(op.params.get(n + i)?.name));
        if (*x, *y) != (a, b) && (*x, *y) != (b, a) {
            return None;
        }
        ops.push(*bin);
    }
    Some(ops)
}

/// Whether combining anything with a constant gives it back, to the last bit.
fn neutral(op: BinOp, e: SubExp) -> bool {
    let SubExp::Const(e) = e else { return false };
    // A sum that starts with zero is never a negative zero, which adding zero would change.
    op.neutral() == Some(e) || matches!(op, BinOp::FAdd(t) if e == PrimValue::float(t, 0.0))
}

/// Whether a statement surely takes over no memory.
fn consumes_nothing(stm: &Stm<Soacs>) -> bool {
    match &stm.exp {
        Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(Soac::Ad(_)) => false,
        exp @ (Exp::Basic(_) | Exp::Op(_)) => consumed_directly(&Signatures::default(), exp).is_empty(),
    }
}

/// Whether what a statement writes to was made for it, and is not what the filter reads.
fn fresh_targets(b: &Body<Soacs>, defined: &FxHashMap<Name, usize>, stm: &Stm<Soacs>) -> bool {
    let Exp::Op(Soac::Hist(h)) = &stm.exp else { return true };
    let fresh = |n: &Name| {
        let made = defined.get(n).map(|i| &b.stms[*i].exp);
        matches!(made, Some(Exp::Basic(Basic::Replicate(..) | Basic::Scratch(..) | Basic::Copy(_))))
    };
    h.ops.iter().flat_map(|op| &op.dests).all(fresh)
}

/// Any value of a type.
fn blank(ty: &Type) -> Option<SubExp> {
    match ty {
        Type::Prim(p) => Some(SubExp::Const(p.blank())),
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => None,
    }
}
