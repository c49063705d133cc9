//! Second-order combinators: inputs and results that need not be, and widths
//! zero and one.

use super::loops::{asks_to_unroll, too_many};
use super::{Rewrite, Rule};
use crate::simplify::engine::Engine;
use fehu_base::Name;
use fehu_ir::free::free_in_lambda;
use fehu_ir::op::RepOp;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::{rename_lambda, Subst};
use fehu_ir::{Basic, DimIndex, Exp, Lambda, PatElem, Rep, Stm, SubExp, Type};

pub(super) fn before<R: Rep<Dec = ()>>() -> [Rule<R>; 6] {
    [
        Rule { name: "constant map unrolled on request", apply: unrolled },
        Rule { name: "checks of inputs", apply: input_checks },
        Rule { name: "combinator on nothing", apply: width_zero },
        Rule { name: "combinator on one element", apply: width_one },
        Rule { name: "scatter of concatenations", apply: super::scatter::of_concat },
        Rule { name: "inputs known in the lambda", apply: inputs },
    ]
}

pub(super) fn after<R: Rep<Dec = ()>>() -> [Rule<R>; 4] {
    [
        Rule { name: "results known outside of the lambda", apply: results },
        Rule { name: "filter that keeps nothing", apply: super::filter::counted },
        Rule { name: "filter whose conditions are known", apply: super::filter::known },
        Rule { name: "indices that run along", apply: super::along::rule },
    ]
}

fn screma<R: Rep>(stm: &Stm<R>) -> Option<&Screma<R>> {
    let Exp::Op(op) = &stm.exp else { return None };
    match op.as_soac()? {
        Soac::Screma(s) => Some(s),
        Soac::Hist(_) | Soac::Scatter(_) | Soac::Filter(_) | Soac::Ad(_) => None,
    }
}

fn has_accumulators<R: Rep>(s: &Screma<R>) -> bool {
    s.map.params.iter().any(|p| matches!(p.ty, Type::Acc(..)))
        || s.map.ret.iter().any(|t| matches!(t, Type::Acc(..)))
}

/// How many results are scanned, and how many reduced.
pub(crate) fn counts<R: Rep>(s: &Screma<R>) -> (usize, usize) {
    (s.scans.iter().map(|x| x.neutral.len()).sum(), s.reds.iter().map(|x| x.neutral.len()).sum())
}

/// The inputs of a combinator, and the lambda that takes their elements.
pub(super) fn elementwise<R: Rep>(soac: &Soac<R>) -> Option<(&Vec<Name>, &Lambda<R>)> {
    match soac {
        Soac::Screma(s) => Some((&s.arrays, &s.map)),
        Soac::Hist(h) => Some((&h.arrays, &h.lambda)),
        Soac::Scatter(s) => Some((&s.arrays, &s.lambda)),
        Soac::Filter(f) => Some((&f.arrays, &f.lambda)),
        Soac::Ad(_) => None,
    }
}

pub(super) fn elementwise_mut<R: Rep>(soac: &mut Soac<R>) -> Option<(&mut Vec<Name>, &mut Lambda<R>)> {
    match soac {
        Soac::Screma(s) => Some((&mut s.arrays, &mut s.map)),
        Soac::Hist(h) => Some((&mut h.arrays, &mut h.lambda)),
        Soac::Scatter(s) => Some((&mut s.arrays, &mut s.lambda)),
        Soac::Filter(f) => Some((&mut f.arrays, &mut f.lambda)),
        Soac::Ad(_) => None,
    }
}

/// What an input depends on, the combinator depends on, though it may come not to read the input.
fn input_checks<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Op(op) = &stm.exp else { return None };
    let (arrays, _) = elementwise(op.as_soac()?)?;
    let mut certs = stm.certs.clone();
    for def in arrays.iter().filter_map(|a| engine.def(*a)) {
        certs.extend(def.certs.iter().filter(|c| !stm.certs.contains(c)));
    }
    certs.sort_unstable();
    certs.dedup();
    (certs.len() > stm.certs.len()).then(|| Rewrite::Stms(vec![Stm { certs, ..stm.clone() }]))
}

fn width_zero<R: Rep<Dec = ()>>(_: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let s = screma(stm)?;
    if s.width.as_i64() != Some(0) || has_accumulators(s) {
        return None;
    }
    let (scans, reds) = counts(s);
    let neutral: Vec<SubExp> = s.reds.iter().flat_map(|r| r.neutral.clone()).collect();
    let mut stms = vec![];
    for (i, p) in stm.pat.iter().enumerate() {
        let exp = match neutral.get(i.wrapping_sub(scans)) {
            Some(SubExp::Var(n)) if i >= scans && p.ty.is_array() => Exp::Basic(Basic::Copy(*n)),
            Some(e) if i >= scans && i < scans + reds => Exp::Basic(Basic::SubExp(*e)),
            _ => Exp::Basic(Basic::Scratch(p.ty.elem()?, p.ty.shape().to_vec())),
        };
        stms.push(Stm { pat: vec![p.clone()], exp, ..stm.clone() });
    }
    Some(Rewrite::Stms(stms))
}

fn width_one<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let s = screma(stm)?;
    if s.width.as_i64() != Some(1) || has_accumulators(s) {
        return None;
    }
    if !stm.attrs.is_empty() || s.map.params.iter().any(|p| p.consumed) {
        return None;
    }
    let mut stms = vec![];
    let mut subst = Subst::new();
    for (p, a) in s.map.params.iter().zip(&s.arrays) {
        let mut slice = vec![DimIndex::Fix(SubExp::i64(0))];
        slice.extend(p.ty.shape().iter().map(|n| DimIndex::Slice {
            start: SubExp::i64(0),
            len: *n,
            stride: SubExp::i64(1),
        }));
        let (name, read) = engine.fresh_stm("x", p.ty.clone(), &stm.loc, Exp::Basic(Basic::Index(*a, slice)));
        stms.push(read);
        subst.insert(p.name, name);
    }
    let mut body = s.map.body.clone();
    subst.body(&mut body);
    stms.extend(body.stms);
    let mut values = vec![];
    let mut at = 0;
    let operators =
        s.scans.iter().map(|x| (&x.op, &x.neutral)).chain(s.reds.iter().map(|x| (&x.op, &x.neutral)));
    for (op, neutral) in operators {
        let args: Vec<SubExp> =
            neutral.iter().copied().chain(body.result[at..at + neutral.len()].iter().copied()).collect();
        values.extend(apply(engine, op, &args, &mut stms));
        at += neutral.len();
    }
    values.extend(body.result[at..].iter().copied());
    let (scans, reds) = counts(s);
    for ((i, p), (e, row)) in stm.pat.iter().enumerate().zip(values.into_iter().zip(&s.map.ret)) {
        let exp = match (i, e) {
            (i, SubExp::Var(n)) if i >= scans && i < scans + reds && p.ty.is_array() => {
                Exp::Basic(Basic::Copy(n))
            }
            (i, _) if i >= scans && i < scans + reds => Exp::Basic(Basic::SubExp(e)),
            (_, _) => Exp::Basic(Basic::ArrayLit(vec![e], row.clone())),
        };
        stms.push(Stm { pat: vec![p.clone()], exp, certs: vec![], ..stm.clone() });
    }
    for s in &mut stms {
        s.certs.extend(stm.certs.iter().copied());
    }
    Some(Rewrite::Stms(stms))
}

/// `#[unroll]` on a map of constant width that reads nothing but numbers and constants: a table whose
/// elements are then known where they are used. Of other maps, the loops that threads make of them are
/// unrolled.
fn unrolled<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let s = screma(stm)?;
    let n = s.width.as_i64().filter(|_| asks_to_unroll(stm) && s.scans.is_empty() && s.reds.is_empty())?;
    if has_accumulators(s) || s.map.params.iter().any(|p| p.consumed) || too_many(n, &s.map.body) {
        return None;
    }
    let numbers = |a: &Name| {
        let exp = engine.pure_def((*a).into());
        matches!(
            exp.as_deref(),
            Some(Exp::Basic(Basic::Iota { start: SubExp::Const(_), step: SubExp::Const(_), .. }))
        )
    };
    let constant = |a: &Name| {
        let exp = engine.pure_def((*a).into());
        let known = |es: &[SubExp]| es.iter().all(|e| e.name().is_none());
        match exp.as_deref() {
            Some(Exp::Basic(Basic::ArrayConst(_))) => true,
            Some(Exp::Basic(Basic::ArrayLit(es, _))) => known(es),
            Some(_) | None => numbers(a),
        }
    };
    let is_array = |a: &Name| engine.types.get(a).is_some_and(Type::is_array);
    if !s.arrays.iter().all(numbers) || !free_in_lambda(&s.map).iter().filter(|a| is_array(a)).all(constant) {
        return None;
    }
    let mut stms = vec![];
    let mut rows: Vec<Vec<SubExp>> = vec![vec![]; s.map.ret.len()];
    for i in 0..n {
        let mut args = vec![];
        for (p, a) in s.map.params.iter().zip(&s.arrays) {
            let at = vec![DimIndex::Fix(SubExp::i64(i))];
            let (name, read) =
                engine.fresh_stm("x", p.ty.clone(), &stm.loc, Exp::Basic(Basic::Index(*a, at)));
            stms.push(read);
            args.push(name.into());
        }
        let results = apply(engine, &s.map, &args, &mut stms);
        rows.iter_mut().zip(results).for_each(|(row, e)| row.push(e));
    }
    for ((p, row), ty) in stm.pat.iter().zip(rows).zip(&s.map.ret) {
        let exp = Exp::Basic(Basic::ArrayLit(row, ty.clone()));
        stms.push(Stm { pat: vec![p.clone()], exp, certs: vec![], ..stm.clone() });
    }
    for s in &mut stms {
        s.certs.extend(stm.certs.iter().copied());
    }
    Some(Rewrite::Stms(stms))
}

/// The statements of a lambda applied to operands, and its results.
fn apply<R: Rep<Dec = ()>>(
    engine: &mut Engine<'_, R>,
    lambda: &Lambda<R>,
    args: &[SubExp],
    stms: &mut Vec<Stm<R>>,
) -> Vec<SubExp> {
    let lambda = rename_lambda(engine.names, lambda);
    let subst: Subst = lambda.params.iter().zip(args).map(|(p, e)| (p.name, *e)).collect();
    let mut body = lambda.body;
    subst.body(&mut body);
    stms.extend(body.stms);
    body.result
}

/// Inputs that are the same array, replicated values, or copies.
fn inputs<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let Exp::Op(op) = &stm.exp else { return None };
    let soac = op.as_soac()?;
    let (arrays, lambda) = elementwise(soac)?;
    let mut plan = vec![];
    for (i, (a, p)) in arrays.iter().zip(&lambda.params).enumerate() {
        let what = input(engine, arrays, lambda, i, *a, p.consumed, &p.ty);
        // What is the same as an input that goes away is what that one is.
        let what = match what {
            Input::Same(j) => match &plan[j] {
                Input::Value(e) => Input::Value(*e),
                Input::Keep | Input::Array(_) | Input::Same(_) => Input::Value(lambda.params[j].name.into()),
            },
            Input::Keep | Input::Array(_) | Input::Value(_) => what,
        };
        plan.push(what);
    }
    if plan.iter().all(|x| matches!(x, Input::Keep)) {
        return None;
    }
    let mut soac = soac.clone();
    let (arrays, lambda) = elementwise_mut(&mut soac)?;
    let mut subst = Subst::new();
    let mut kept_arrays = vec![];
    let mut kept_params = vec![];
    for ((a, p), what) in arrays.iter().zip(&lambda.params).zip(plan) {
        match what {
            Input::Keep => {
                kept_arrays.push(*a);
                kept_params.push(p.clone());
            }
            Input::Array(b) => {
                kept_arrays.push(b);
                kept_params.push(p.clone());
            }
            Input::Value(e) => subst.insert(p.name, e),
            Input::Same(_) => {}
        }
    }
    *arrays = kept_arrays;
    lambda.params = kept_params;
    subst.lambda(lambda);
    let exp = Exp::Op(R::Op::from_soac(soac)?);
    Some(Rewrite::Exp(exp))
}

/// What to do with an input.
enum Input {
    Keep,
    /// Read this array instead.
    Array(Name),
    /// All elements are this operand.
    Value(SubExp),
    /// It is the same as the input in this position.
    Same(usize),
}

fn input<R: Rep<Dec = ()>>(
    engine: &Engine<'_, R>,
    arrays: &[Name],
    lambda: &Lambda<R>,
    i: usize,
    a: Name,
    consumed: bool,
    ty: &Type,
) -> Input {
    if consumed || matches!(ty, Type::Acc(..)) {
        return Input::Keep;
    }
    let array_consumed = ty.is_array() && engine.classes.is_consumed(lambda.params[i].name);
    if let Some(j) = arrays[..i].iter().position(|b| *b == a) {
        if !array_consumed && !lambda.params[j].consumed {
            return Input::Same(j);
        }
    }
    let Some(def) = engine.def(a) else { return Input::Keep };
    match &*def.exp {
        Exp::Basic(Basic::Replicate(shape, e)) if shape.len() == 1 => {
            let safe = match e {
                SubExp::Var(n) if ty.is_array() => !array_consumed && !engine.classes.is_consumed(*n),
                SubExp::Var(_) | SubExp::Const(_) => true,
            };
            if safe {
                Input::Value(*e)
            } else {
                Input::Keep
            }
        }
        Exp::Basic(Basic::Copy(b)) if !array_consumed && !engine.classes.is_consumed(*b) => Input::Array(*b),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            Input::Keep
        }
    }
}

/// Mapped results that do not depend on the elements, are the elements, or are there twice.
fn results<R: Rep<Dec = ()>>(engine: &mut Engine<'_, R>, stm: &Stm<R>) -> Option<Rewrite<R>> {
    let s = screma(stm)?;
    let (scans, reds) = counts(s);
    let first = scans + reds;
    let inner = engine.here() + 1;
    let mut outside: Vec<(PatElem<R>, Exp<R>)> = vec![];
    let mut kept = vec![true; stm.pat.len()];
    for i in first..stm.pat.len() {
        let (p, e, ty) = (&stm.pat[i], s.map.body.result[i], &s.map.ret[i]);
        if matches!(ty, Type::Acc(..)) {
            continue;
        }
        let twin = (first..i).find(|j| kept[*j] && s.map.body.result[*j] == e);
        let input = s.map.params.iter().position(|q| SubExp::Var(q.name) == e && !q.consumed);
        let exp = if engine.is_outer(e, inner) {
            Exp::Basic(Basic::Replicate(vec![s.width], e))
        } else if let Some(k) = input {
            let a = s.arrays[k];
            if engine.types.get(&a) != Some(&p.ty)
                || ty.is_array() && engine.classes.is_consumed(s.map.params[k].name)
            {
                continue;
            }
            Exp::Basic(Basic::Copy(a))
        } else if let Some(j) = twin {
            Exp::Basic(Basic::Copy(stm.pat[j].name))
        } else {
            continue;
        };
        kept[i] = false;
        outside.push((p.clone(), exp));
    }
    if outside.is_empty() {
        return None;
    }
    let mut rest = stm.clone();
    let mut s = s.clone();
    let keep = |i: usize| kept[i];
    rest.pat = filter(&stm.pat, keep);
    s.map.body.result = filter(&s.map.body.result, keep);
    s.map.ret = filter(&s.map.ret, keep);
    let mut stms = vec![];
    if !rest.pat.is_empty() {
        rest.exp = Exp::Op(R::Op::from_soac(Soac::Screma(s))?);
        stms.push(rest);
    }
    for (p, exp) in outside {
        stms.push(Stm { pat: vec![p], exp, ..stm.clone() });
    }
    Some(Rewrite::Stms(stms))
}

fn filter<T: Clone>(all: &[T], keep: impl Fn(usize) -> bool) -> Vec<T> {
    all.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, x)| x.clone()).collect()
}
