//! Putting two combinators together.

use crate::alias::Classes;
use fehu_base::{Name, NameSource};
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Hist, Scatter, Screma, Soac};
use fehu_ir::subst::Subst;
use fehu_ir::{Attr, Exp, Lambda, PatElem, Soacs, Stm, SubExp, Type};

/// A statement that can be fused with others.
#[derive(Clone, Copy)]
pub(super) enum Combinator<'a> {
    Screma(&'a Screma<Soacs>),
    Hist(&'a Hist<Soacs>),
    Scatter(&'a Scatter<Soacs>),
}

/// Which results of a producer others need too.
pub(super) struct Kept(pub(super) Vec<bool>);

impl<'a> Combinator<'a> {
    /// The combinator of a statement, unless it is of a kind that is left alone.
    pub(super) fn of(stm: &'a Stm<Soacs>) -> Option<Combinator<'a>> {
        let combinator = match &stm.exp {
            Exp::Op(Soac::Screma(s)) => Combinator::Screma(s),
            Exp::Op(Soac::Hist(h)) => Combinator::Hist(h),
            Exp::Op(Soac::Scatter(s)) => Combinator::Scatter(s),
            _ => return None,
        };
        let lambda = combinator.lambda();
        let acc = |t: &Type| matches!(t, Type::Acc(..));
        let plain = !lambda.params.iter().any(|p| acc(&p.ty)) && !lambda.ret.iter().any(acc);
        plain.then_some(combinator)
    }

    pub(super) fn arrays(self) -> &'a [Name] {
        match self {
            Combinator::Screma(s) => &s.arrays,
            Combinator::Hist(h) => &h.arrays,
            Combinator::Scatter(s) => &s.arrays,
        }
    }

    pub(super) fn lambda(self) -> &'a Lambda<Soacs> {
        match self {
            Combinator::Screma(s) => &s.map,
            Combinator::Hist(h) => &h.lambda,
            Combinator::Scatter(s) => &s.lambda,
        }
    }

    fn width(self) -> SubExp {
        match self {
            Combinator::Screma(s) => s.width,
            Combinator::Hist(h) => h.width,
            Combinator::Scatter(s) => s.width,
        }
    }
}

/// How many results of a screma are scanned or reduced.
fn combined(s: &Screma<Soacs>) -> (usize, usize) {
    (s.scans.iter().map(|x| x.neutral.len()).sum(), s.reds.iter().map(|x| x.neutral.len()).sum())
}

/// Whether the first statement is a screma all of whose results that the second uses are mapped arrays which
/// it reads element by element, in the same width.
pub(super) fn can_feed(producer: &Stm<Soacs>, consumer: &Stm<Soacs>) -> bool {
    let Some(Combinator::Screma(p)) = Combinator::of(producer) else { return false };
    let Some(c) = Combinator::of(consumer) else { return false };
    if p.width != c.width() {
        return false;
    }
    let (scans, reds) = combined(p);
    let is_result = |n: &Name| producer.pat.iter().any(|x| x.name == *n);
    let mapped = |n: &Name| producer.pat.iter().skip(scans + reds).any(|x| x.name == *n);
    let mut rest = consumer.clone();
    if let Exp::Op(soac) = &mut rest.exp {
        inputs_of(soac).0.clear();
    }
    c.arrays().iter().all(|a| !is_result(a) || mapped(a)) && !free_in_stm(&rest).iter().any(is_result)
}

fn inputs_of(soac: &mut Soac<Soacs>) -> (&mut Vec<Name>, &mut Lambda<Soacs>) {
    match soac {
        Soac::Screma(s) => (&mut s.arrays, &mut s.map),
        Soac::Hist(h) => (&mut h.arrays, &mut h.lambda),
        Soac::Scatter(s) => (&mut s.arrays, &mut s.lambda),
        Soac::Ad(_) => fehu_base::bug!("derivatives are not fused"),
    }
}

/// The producer and the consumer as one; `None` if they cannot be.
pub(super) fn vertical(
    names: &mut NameSource,
    classes: &mut Classes,
    producer: &Stm<Soacs>,
    consumer: &Stm<Soacs>,
    kept: &Kept,
) -> Option<Stm<Soacs>> {
    let Some(Combinator::Screma(p)) = Combinator::of(producer) else { return None };
    let (scans, reds) = combined(p);
    let is_map = scans + reds == 0;
    let mut fused = consumer.clone();
    fused.certs = joined(&producer.certs, &consumer.certs);
    fused.attrs = joined_attrs(&producer.attrs, &consumer.attrs);
    let Exp::Op(soac) = &mut fused.exp else { return None };
    if !matches!(soac, Soac::Screma(_)) && (!is_map || kept.0.contains(&true)) {
        return None;
    }
    let produced: Vec<(Name, SubExp, bool)> = producer
        .pat
        .iter()
        .zip(&p.map.body.result)
        .zip(&kept.0)
        .map(|((x, e), k)| (x.name, *e, *k))
        .collect();
    {
        let (arrays, lambda) = inputs_of(soac);
        feed(names, classes, p, &produced, arrays, lambda);
    }
    if let Soac::Screma(s) = soac {
        add_results(producer, p, &kept.0, &mut fused.pat, s);
    }
    Some(fused)
}

/// Puts the producer's inputs and body before those of a lambda, whose parameters become its results.
fn feed(
    names: &mut NameSource,
    classes: &mut Classes,
    p: &Screma<Soacs>,
    produced: &[(Name, SubExp, bool)],
    arrays: &mut Vec<Name>,
    lambda: &mut Lambda<Soacs>,
) {
    let mut stms = p.map.body.stms.clone();
    let mut subst = Subst::new();
    let mut params = p.map.params.clone();
    let mut inputs = p.arrays.clone();
    for (param, array) in lambda.params.iter().zip(arrays.iter()) {
        match produced.iter().find(|(n, _, _)| n == array) {
            None => {
                params.push(param.clone());
                inputs.push(*array);
            }
            Some((_, e, _)) => {
                // What was a row of its own, to be written to, may be another array or a result too.
                let own = param.consumed || param.ty.is_array() && classes.is_consumed(param.name);
                match e {
                    SubExp::Var(n) if own && param.ty.is_array() => {
                        let name = names.fresh_like(param.name);
                        classes.learn(name, &[param.name]);
                        let pat = vec![PatElem { name, ty: param.ty.clone(), dec: () }];
                        stms.push(Stm {
                            pat,
                            certs: vec![],
                            attrs: vec![],
                            loc: fehu_ir::Loc::none(),
                            exp: Exp::Copy(*n),
                        });
                        subst.insert(param.name, name);
                    }
                    SubExp::Var(_) | SubExp::Const(_) => subst.insert(param.name, *e),
                }
            }
        }
    }
    let mut body = lambda.body.clone();
    subst.body(&mut body);
    stms.append(&mut body.stms);
    body.stms = stms;
    lambda.body = body;
    lambda.params = params;
    *arrays = inputs;
}

/// Adds the scans, reductions and kept results of a producer to those of a consumer that was fed by it.
fn add_results(
    producer: &Stm<Soacs>,
    p: &Screma<Soacs>,
    kept: &[bool],
    pat: &mut Vec<PatElem<Soacs>>,
    s: &mut Screma<Soacs>,
) {
    let (p_scans, p_reds) = combined(p);
    let (scans, reds) = combined(s);
    let part = |from: usize, to: usize| -> Vec<(PatElem<Soacs>, SubExp, Type)> {
        (from..to).map(|i| (producer.pat[i].clone(), p.map.body.result[i], p.map.ret[i].clone())).collect()
    };
    let mapped: Vec<_> = part(p_scans + p_reds, producer.pat.len())
        .into_iter()
        .zip(&kept[p_scans + p_reds..])
        .filter(|(_, k)| **k)
        .map(|(x, _)| x)
        .collect();
    let mine: Vec<(PatElem<Soacs>, SubExp, Type)> = pat
        .drain(..)
        .zip(s.map.body.result.drain(..))
        .zip(s.map.ret.drain(..))
        .map(|((x, e), t)| (x, e, t))
        .collect();
    let all = part(0, p_scans)
        .into_iter()
        .chain(mine[..scans].iter().cloned())
        .chain(part(p_scans, p_scans + p_reds))
        .chain(mine[scans..scans + reds].iter().cloned())
        .chain(mapped)
        .chain(mine[scans + reds..].iter().cloned());
    for (x, e, t) in all {
        pat.push(x);
        s.map.body.result.push(e);
        s.map.ret.push(t);
    }
    s.scans.splice(0..0, p.scans.iter().cloned());
    s.reds.splice(0..0, p.reds.iter().cloned());
}

/// Two combinators of one kind and width that do not depend on each other as one.
pub(super) fn horizontal(first: &Stm<Soacs>, second: &Stm<Soacs>) -> Option<Stm<Soacs>> {
    let (a, b) = (Combinator::of(first)?, Combinator::of(second)?);
    if a.width() != b.width() || a.lambda().params.iter().chain(&b.lambda().params).any(|p| p.consumed) {
        return None;
    }
    let mut fused = second.clone();
    fused.certs = joined(&first.certs, &second.certs);
    fused.attrs = joined_attrs(&first.attrs, &second.attrs);
    let Exp::Op(soac) = &mut fused.exp else { return None };
    match (a, soac) {
        (Combinator::Screma(p), Soac::Screma(s)) => {
            beside(&p.map, &p.arrays, &mut s.map, &mut s.arrays);
            add_results(first, p, &vec![true; first.pat.len()], &mut fused.pat, s);
        }
        (Combinator::Hist(p), Soac::Hist(s)) => {
            beside(&p.lambda, &p.arrays, &mut s.lambda, &mut s.arrays);
            let indices = |h: &Hist<Soacs>| h.ops.iter().map(|op| op.shape.len()).sum();
            let own = indices(s);
            interleave(&p.lambda, indices(p), &mut s.lambda, own);
            s.ops.splice(0..0, p.ops.iter().cloned());
            fused.pat.splice(0..0, first.pat.iter().cloned());
        }
        (Combinator::Scatter(p), Soac::Scatter(s)) => {
            beside(&p.lambda, &p.arrays, &mut s.lambda, &mut s.arrays);
            let indices = |s: &Scatter<Soacs>| s.dests.iter().map(|d| d.shape.len()).sum();
            let own = indices(s);
            interleave(&p.lambda, indices(p), &mut s.lambda, own);
            s.dests.splice(0..0, p.dests.iter().cloned());
            fused.pat.splice(0..0, first.pat.iter().cloned());
        }
        (Combinator::Screma(_) | Combinator::Hist(_) | Combinator::Scatter(_), _) => return None,
    }
    Some(fused)
}

/// Puts the inputs and statements of one lambda before those of another; not its results.
fn beside(p: &Lambda<Soacs>, p_arrays: &[Name], s: &mut Lambda<Soacs>, arrays: &mut Vec<Name>) {
    s.params.splice(0..0, p.params.iter().cloned());
    arrays.splice(0..0, p_arrays.iter().copied());
    s.body.stms.splice(0..0, p.body.stms.iter().cloned());
}

/// Joins results that are indices first, then values.
fn interleave(p: &Lambda<Soacs>, p_indices: usize, s: &mut Lambda<Soacs>, indices: usize) {
    s.body.result.splice(indices..indices, p.body.result[p_indices..].iter().copied());
    s.body.result.splice(0..0, p.body.result[..p_indices].iter().copied());
    s.ret.splice(indices..indices, p.ret[p_indices..].iter().cloned());
    s.ret.splice(0..0, p.ret[..p_indices].iter().cloned());
}

fn joined(a: &[Name], b: &[Name]) -> Vec<Name> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|n| !a.contains(n)));
    all
}

fn joined_attrs(a: &[Attr], b: &[Attr]) -> Vec<Attr> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|x| !a.contains(x)).cloned());
    all
}
