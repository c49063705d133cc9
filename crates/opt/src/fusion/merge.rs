//! Putting two combinators together.

use fehu_base::{Name, NameSource};
use fehu_ir::alias::Classes;
use fehu_ir::soac::{Filter, Hist, Scatter, Screma, Soac};
use fehu_ir::subst::Subst;
use fehu_ir::{Attr, Basic, Exp, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// A statement that can be fused with others.
#[derive(Clone, Copy)]
pub(super) enum Combinator<'a> {
    Screma(&'a Screma<Soacs>),
    Hist(&'a Hist<Soacs>),
    Scatter(&'a Scatter<Soacs>),
    Filter(&'a Filter<Soacs>),
}

impl<'a> Combinator<'a> {
    /// The combinator of a statement, unless it is of a kind that is left alone.
    pub(super) fn of(stm: &'a Stm<Soacs>) -> Option<Combinator<'a>> {
        let combinator = match &stm.exp {
            Exp::Op(Soac::Screma(s)) => Combinator::Screma(s),
            Exp::Op(Soac::Hist(h)) => Combinator::Hist(h),
            Exp::Op(Soac::Scatter(s)) => Combinator::Scatter(s),
            Exp::Op(Soac::Filter(f)) => Combinator::Filter(f),
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return None
            }
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
            Combinator::Filter(f) => &f.arrays,
        }
    }

    pub(super) fn lambda(self) -> &'a Lambda<Soacs> {
        match self {
            Combinator::Screma(s) => &s.map,
            Combinator::Hist(h) => &h.lambda,
            Combinator::Scatter(s) => &s.lambda,
            Combinator::Filter(f) => &f.lambda,
        }
    }

    pub(super) fn width(self) -> SubExp {
        match self {
            Combinator::Screma(s) => s.width,
            Combinator::Hist(h) => h.width,
            Combinator::Scatter(s) => s.width,
            Combinator::Filter(f) => f.width,
        }
    }

    /// The inputs of a statement's combinator; none if it has no combinator.
    pub(super) fn arrays_of(stm: &Stm<Soacs>) -> &[Name] {
        match &stm.exp {
            Exp::Op(Soac::Screma(s)) => &s.arrays,
            Exp::Op(Soac::Hist(h)) => &h.arrays,
            Exp::Op(Soac::Scatter(s)) => &s.arrays,
            Exp::Op(Soac::Filter(f)) => &f.arrays,
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => &[],
        }
    }

    /// Takes the inputs out of a statement for a while.
    pub(super) fn take_arrays(stm: &mut Stm<Soacs>) -> Vec<Name> {
        match inputs_of(&mut stm.exp) {
            Some((arrays, _)) => std::mem::take(arrays),
            None => vec![],
        }
    }

    /// Puts inputs back.
    pub(super) fn put_arrays(stm: &mut Stm<Soacs>, inputs: Vec<Name>) {
        if let Some((arrays, _)) = inputs_of(&mut stm.exp) {
            *arrays = inputs;
        }
    }
}

/// The inputs of a combinator and the lambda that takes their elements.
pub(super) fn inputs_of(exp: &mut Exp<Soacs>) -> Option<(&mut Vec<Name>, &mut Lambda<Soacs>)> {
    match exp {
        Exp::Op(Soac::Screma(s)) => Some((&mut s.arrays, &mut s.map)),
        Exp::Op(Soac::Hist(h)) => Some((&mut h.arrays, &mut h.lambda)),
        Exp::Op(Soac::Scatter(s)) => Some((&mut s.arrays, &mut s.lambda)),
        Exp::Op(Soac::Filter(f)) => Some((&mut f.arrays, &mut f.lambda)),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// How many results of a screma are scanned or reduced.
fn combined(s: &Screma<Soacs>) -> (usize, usize) {
    (s.scans.iter().map(|x| x.neutral.len()).sum(), s.reds.iter().map(|x| x.neutral.len()).sum())
}

/// Which results of a statement are mapped arrays, made element by element.
pub(super) fn mapped_results(stm: &Stm<Soacs>) -> &[PatElem<Soacs>] {
    match Combinator::of(stm) {
        Some(Combinator::Screma(s)) => {
            let (scans, reds) = combined(s);
            &stm.pat[scans + reds..]
        }
        Some(Combinator::Hist(_) | Combinator::Scatter(_) | Combinator::Filter(_)) | None => &[],
    }
}

/// Whether results of a producer can stay results when it is fused into the consumer.
pub(super) fn can_keep(consumer: &Stm<Soacs>) -> bool {
    matches!(consumer.exp, Exp::Op(Soac::Screma(_)))
}

/// Whether a statement does nothing but map.
pub(super) fn is_map(stm: &Stm<Soacs>) -> bool {
    matches!(Combinator::of(stm), Some(Combinator::Screma(s)) if s.scans.is_empty() && s.reds.is_empty())
}

/// The producer and the consumer as one. All results of the producer that the consumer uses are mapped
/// arrays which it reads element by element; `kept` are those that others use too.
pub(super) fn vertical(
    names: &mut NameSource,
    classes: &mut Classes,
    producer: Stm<Soacs>,
    consumer: Stm<Soacs>,
    kept: &[bool],
) -> Stm<Soacs> {
    let Stm { pat: made, certs, attrs, exp: Exp::Op(Soac::Screma(mut p)), .. } = producer else {
        fehu_base::bug!("a producer is no screma")
    };
    let mut fused = consumer;
    fused.certs = joined(&certs, &fused.certs);
    fused.attrs = joined_attrs(&attrs, &fused.attrs);
    let Some((arrays, lambda)) = inputs_of(&mut fused.exp) else {
        fehu_base::bug!("a consumer takes no inputs")
    };
    feed(names, classes, &mut p, &made, arrays, lambda);
    if let Exp::Op(Soac::Screma(s)) = &mut fused.exp {
        add_results(made, p, kept, &mut fused.pat, s);
    }
    fused
}

/// Puts the producer's inputs and statements before those of a lambda, whose parameters become its results.
fn feed(
    names: &mut NameSource,
    classes: &mut Classes,
    p: &mut Screma<Soacs>,
    made: &[PatElem<Soacs>],
    arrays: &mut Vec<Name>,
    lambda: &mut Lambda<Soacs>,
) {
    let produced: FxHashMap<Name, SubExp> =
        made.iter().zip(&p.map.body.result).map(|(x, e)| (x.name, *e)).collect();
    let mut subst = Subst::new();
    let mut inputs = Inputs::new(std::mem::take(&mut p.map.params), std::mem::take(&mut p.arrays));
    let mut stms = std::mem::take(&mut p.map.body.stms);
    for (param, array) in lambda.params.drain(..).zip(arrays.drain(..)) {
        let Some(e) = produced.get(&array) else {
            inputs.add(classes, &mut subst, param, array);
            continue;
        };
        // What was a row of its own, to be written to, may be another array or a result too.
        let own = param.consumed || param.ty.is_array() && classes.is_consumed(param.name);
        match e {
            SubExp::Var(n) if own && param.ty.is_array() => {
                let name = names.fresh_like(param.name);
                classes.learn(name, &[param.name]);
                let pat = vec![PatElem { name, ty: param.ty.clone(), dec: () }];
                let loc = fehu_ir::Loc::none();
                stms.push(Stm { pat, certs: vec![], attrs: vec![], loc, exp: Exp::Basic(Basic::Copy(*n)) });
                subst.insert(param.name, name);
            }
            SubExp::Var(_) | SubExp::Const(_) => subst.insert(param.name, *e),
        }
    }
    subst.body(&mut lambda.body);
    stms.append(&mut lambda.body.stms);
    lambda.body.stms = stms;
    lambda.params = inputs.params;
    *arrays = inputs.arrays;
}

/// Inputs of a combinator, each array once.
struct Inputs {
    params: Vec<Param<Soacs>>,
    arrays: Vec<Name>,
    known: FxHashMap<Name, usize>,
}

impl Inputs {
    fn new(params: Vec<Param<Soacs>>, arrays: Vec<Name>) -> Inputs {
        let known = arrays.iter().enumerate().map(|(i, a)| (*a, i)).collect();
        Inputs { params, arrays, known }
    }

    /// Adds an input, unless the array is one already: then its elements have a name.
    fn add(&mut self, classes: &Classes, subst: &mut Subst, param: Param<Soacs>, array: Name) {
        let written = |p: &Param<Soacs>| p.consumed || p.ty.is_array() && classes.is_consumed(p.name);
        if let Some(i) = self.known.get(&array) {
            let other = &self.params[*i];
            if !written(&param) && !written(other) {
                subst.insert(param.name, other.name);
                return;
            }
        }
        self.known.entry(array).or_insert(self.arrays.len());
        self.params.push(param);
        self.arrays.push(array);
    }
}

/// Adds the scans, reductions and kept results of a producer to those of a screma that was fed by it.
fn add_results(
    made: Vec<PatElem<Soacs>>,
    p: Screma<Soacs>,
    kept: &[bool],
    pat: &mut Vec<PatElem<Soacs>>,
    s: &mut Screma<Soacs>,
) {
    type Part = Vec<(PatElem<Soacs>, SubExp, Type)>;
    let rows = |pat: Vec<PatElem<Soacs>>, result: Vec<SubExp>, ret: Vec<Type>| -> Part {
        pat.into_iter().zip(result).zip(ret).map(|((x, e), t)| (x, e, t)).collect()
    };
    let parts = |mut all: Part, (scans, reds): (usize, usize)| -> (Part, Part, Part) {
        let maps = all.split_off(scans + reds);
        let reds = all.split_off(scans);
        (all, reds, maps)
    };
    let (p_counts, counts) = (combined(&p), combined(s));
    let theirs = parts(rows(made, p.map.body.result, p.map.ret), p_counts);
    let result = std::mem::take(&mut s.map.body.result);
    let mine = parts(rows(std::mem::take(pat), result, std::mem::take(&mut s.map.ret)), counts);
    let needed = kept[p_counts.0 + p_counts.1..].iter();
    let maps = theirs.2.into_iter().zip(needed).filter(|(_, k)| **k).map(|(x, _)| x);
    let first = theirs.0.into_iter().chain(mine.0);
    for (x, e, t) in first.chain(theirs.1).chain(mine.1).chain(maps).chain(mine.2) {
        pat.push(x);
        s.map.body.result.push(e);
        s.map.ret.push(t);
    }
    s.scans.splice(0..0, p.scans);
    s.reds.splice(0..0, p.reds);
}

/// Whether two combinators that do not depend on each other can be one.
pub(super) fn can_be_neighbours(first: &Stm<Soacs>, second: &Stm<Soacs>) -> bool {
    let (Some(a), Some(b)) = (Combinator::of(first), Combinator::of(second)) else { return false };
    let same_kind = std::mem::discriminant(&a) == std::mem::discriminant(&b);
    let consumes = |c: Combinator<'_>| c.lambda().params.iter().any(|p| p.consumed);
    same_kind && a.width() == b.width() && !consumes(a) && !consumes(b)
}

/// Two combinators of one kind and width that do not depend on each other as one.
pub(super) fn horizontal(classes: &Classes, first: Stm<Soacs>, second: Stm<Soacs>) -> Stm<Soacs> {
    let mut fused = second;
    fused.certs = joined(&first.certs, &fused.certs);
    fused.attrs = joined_attrs(&first.attrs, &fused.attrs);
    match (first.exp, &mut fused.exp) {
        (Exp::Op(Soac::Screma(mut p)), Exp::Op(Soac::Screma(s))) => {
            beside(classes, (&mut p.map, &mut p.arrays), (&mut s.map, &mut s.arrays));
            let kept = vec![true; first.pat.len()];
            add_results(first.pat, p, &kept, &mut fused.pat, s);
        }
        (Exp::Op(Soac::Hist(mut p)), Exp::Op(Soac::Hist(s))) => {
            beside(classes, (&mut p.lambda, &mut p.arrays), (&mut s.lambda, &mut s.arrays));
            let indices = |h: &Hist<Soacs>| h.ops.iter().map(|op| op.shape.len()).sum();
            let own = indices(s);
            interleave(&p.lambda, indices(&p), &mut s.lambda, own);
            s.ops.splice(0..0, p.ops);
            fused.pat.splice(0..0, first.pat);
        }
        (Exp::Op(Soac::Scatter(mut p)), Exp::Op(Soac::Scatter(s))) => {
            beside(classes, (&mut p.lambda, &mut p.arrays), (&mut s.lambda, &mut s.arrays));
            let indices = |s: &Scatter<Soacs>| s.dests.iter().map(|d| d.shape.len()).sum();
            let own = indices(s);
            interleave(&p.lambda, indices(&p), &mut s.lambda, own);
            s.dests.splice(0..0, p.dests);
            fused.pat.splice(0..0, first.pat);
        }
        (Exp::Op(Soac::Filter(mut p)), Exp::Op(Soac::Filter(s))) => {
            beside(classes, (&mut p.lambda, &mut p.arrays), (&mut s.lambda, &mut s.arrays));
            let (theirs, own) = (p.kept.len(), s.kept.len());
            interleave(&p.lambda, theirs, &mut s.lambda, own);
            s.kept.splice(0..0, p.kept);
            let mut pat = first.pat;
            let arrays = pat.split_off(theirs);
            fused.pat.splice(own..own, arrays);
            fused.pat.splice(0..0, pat);
        }
        (_, _) => fehu_base::bug!("combinators of two kinds are no neighbours"),
    }
    fused
}

/// Puts the inputs and statements of one lambda before those of another; not its results.
fn beside(
    classes: &Classes,
    first: (&mut Lambda<Soacs>, &mut Vec<Name>),
    second: (&mut Lambda<Soacs>, &mut Vec<Name>),
) {
    let (p, p_arrays) = first;
    let (s, arrays) = second;
    let mut subst = Subst::new();
    let mut inputs = Inputs::new(std::mem::take(&mut p.params), std::mem::take(p_arrays));
    for (param, array) in s.params.drain(..).zip(arrays.drain(..)) {
        inputs.add(classes, &mut subst, param, array);
    }
    subst.body(&mut s.body);
    let mut stms = std::mem::take(&mut p.body.stms);
    stms.append(&mut s.body.stms);
    s.body.stms = stms;
    s.params = inputs.params;
    *arrays = inputs.arrays;
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
