//! Filters whose results are only reduced, or only counted in a histogram, are not made.
//!
//! Before: a filter is a scan that numbers the elements to keep, and a scatter of those to their numbers.
//! After: where the only use of the scatter is a reduction or a histogram, that goes over all elements, and those that are not kept
//! add a neutral element, or go nowhere. The numbers are then needed no more.
//!
//! ```text
//! let (n : [k]i64, ps : [k]bool) = screma k [xs] scan (+) map \x -> (i64.bool (p x), p x)
//! let (m : i64) = if k == 0 then 0 else n[k-1]
//! let (ys : [m]t) = scatter k [n, ps, xs] into [m] (scratch [m]) map \n p x -> (if p then n-1 else -1, x)
//! let (s : u) = screma m [ys] reduce (+) 0 map g
//!
//! let (s : u) = screma k [n, ps, xs] reduce (+) 0 map \n p x -> if p then g(x) else 0
//! ```
//!
//! Fusion may have computed `p x` again in the scatter, so the two conditions are compared by what they compute.
//!
//! What a program gives as neutral element need not be one, so this is done only for operators whose
//! neutral elements are known.

use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Signatures;
use fehu_ir::consume::consumed_directly;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::soac::{Hist, Reduce, Scatter, Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, PatElem, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// The removal of filters as a pass.
pub const PASS: Pass<Prog<Soacs>> = Pass { name: "filter", need: Need::Optional, run: filter };

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
        for k in 0..b.stms.len() {
            if let Some(exp) = filtering(names, b, k) {
                b.stms[k].exp = exp;
            }
        }
        for stm in &mut b.stms {
            map_bodies(&mut stm.exp, &mut |inner| body(names, inner));
        }
    })
}

/// What a statement becomes if it does the filtering itself.
fn filtering(names: &mut NameSource, b: &Body<Soacs>, k: usize) -> Option<Exp<Soacs>> {
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
    let defined = definitions(&b.stms[..k]);
    let source = defined.get(arrays.first()?).copied()?;
    let scatter = &b.stms[source];
    let kept = Kept::of(b, &defined, scatter)?;
    let results: Vec<Name> = scatter.pat.iter().map(|p| p.name).collect();
    let whole = kept.count == width && arrays.iter().all(|a| results.contains(a));
    let nowhere_else = |n: &Name| {
        let used = |(i, s): (usize, &Stm<Soacs>)| i != k && free_in_stm(s).contains(n);
        !b.stms.iter().enumerate().any(used) && !b.result.contains(&(*n).into())
    };
    let free = free_in_lambda(lambda);
    let read_later =
        b.stms[source + 1..k].iter().all(consumes_nothing) && fresh_targets(b, &defined, consumer);
    if !whole
        || !results.iter().all(nowhere_else)
        || results.iter().any(|r| free.contains(r))
        || !scatter.certs.is_empty()
        || lambda.params.iter().any(|p| p.consumed)
        || !read_later
    {
        return None;
    }
    let mut exp = consumer.exp.clone();
    match &mut exp {
        Exp::Op(Soac::Screma(Screma { width, arrays, reds, map, .. })) => {
            let neutral: Vec<SubExp> = reds.iter().flat_map(|r| r.neutral.iter().copied()).collect();
            *map = kept.guarded(names, &results, arrays, map, neutral)?;
            (*width, *arrays) = (kept.scatter.width, kept.scatter.arrays.clone());
        }
        Exp::Op(Soac::Hist(Hist { width, arrays, ops, lambda })) => {
            let indices = ops.iter().map(|op| op.shape.len()).sum();
            let values: Option<Vec<SubExp>> = lambda.ret[indices..].iter().map(blank).collect();
            let nowhere = vec![SubExp::i64(-1); indices].into_iter().chain(values?).collect();
            *lambda = kept.guarded(names, &results, arrays, lambda, nowhere)?;
            (*width, *arrays) = (kept.scatter.width, kept.scatter.arrays.clone());
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            return None
        }
    }
    Some(exp)
}

/// A scatter that is the last part of a filter.
struct Kept<'a> {
    scatter: &'a Scatter<Soacs>,
    /// How many elements are kept.
    count: SubExp,
    /// The scalar of the scatter's function that says whether an element is kept.
    kept: Name,
}

impl<'a> Kept<'a> {
    fn of(b: &'a Body<Soacs>, defined: &FxHashMap<Name, usize>, stm: &'a Stm<Soacs>) -> Option<Kept<'a>> {
        let Exp::Op(Soac::Scatter(scatter)) = &stm.exp else { return None };
        let at = |n: &Name| defined.get(n).map(|i| &b.stms[*i]);
        let inside = definitions(&scatter.lambda.body.stms);
        let here = |e: SubExp| Some(&scatter.lambda.body.stms[*inside.get(&e.name()?)?].exp);
        let (places, values) = scatter.lambda.body.result.split_at(scatter.dests.len());
        let place = *places.first()?;
        // To the number before, if it is kept.
        let Exp::If(kept, yes, no) = here(place)? else { return None };
        let less_one = match yes.stms.as_slice() {
            [] => here(*yes.result.first()?)?,
            [one] if yes.result == [one.pat.first()?.name.into()] => &one.exp,
            _ => return None,
        };
        let Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), number, one)) = less_one else { return None };
        let constants = one.as_i64() == Some(1) && no.stms.is_empty() && no.result == [SubExp::i64(-1)];
        if !constants || places.iter().any(|p| *p != place) || values.len() != scatter.dests.len() {
            return None;
        }
        let numbers = input(&scatter.lambda, &scatter.arrays, *number)?;
        let count = match scatter.dests.first()?.shape.as_slice() {
            [count] => *count,
            _ => return None,
        };
        let into_scratch = scatter.dests.iter().all(|d| {
            d.shape == [count]
                && at(&d.array).is_some_and(|s| matches!(s.exp, Exp::Basic(Basic::Scratch(..))))
        });
        let numbering = at(&numbers)?;
        let (numbering, condition) = numbers_kept(numbering, numbers)?;
        let same = Same { numbering, stm: at(&numbers)?, scatter };
        let whole = numbering.width == scatter.width
            && same.operands(*kept, condition, 0)
            && is_last(b, defined, count, numbers, scatter.width);
        (into_scratch && whole).then_some(Kept { scatter, count, kept: kept.name()? })
    }

    /// The function of the consumer for all elements, of which some are kept.
    fn guarded(
        &self,
        names: &mut NameSource,
        results: &[Name],
        arrays: &[Name],
        consumer: &Lambda<Soacs>,
        otherwise: Vec<SubExp>,
    ) -> Option<Lambda<Soacs>> {
        // The condition is a result, so that its new name is known.
        let mut all = self.scatter.lambda.clone();
        all.body.result.push(self.kept.into());
        all.ret.push(Type::Prim(PrimType::Bool));
        let mut all = rename_lambda(names, &all);
        let cond = all.body.result.pop()?;
        let values = all.body.result.split_off(results.len());
        let mut yes = Body { stms: vec![], result: consumer.body.result.clone() };
        for (param, array) in consumer.params.iter().zip(arrays) {
            let value = values.get(results.iter().position(|r| r == array)?)?;
            yes.stms.push(statement(vec![(param.name, param.ty.clone())], Exp::Basic(Basic::SubExp(*value))));
        }
        yes.stms.extend(consumer.body.stms.iter().cloned());
        let no = Body { stms: vec![], result: otherwise };
        let bound: Vec<(Name, Type)> =
            consumer.ret.iter().map(|t| (names.fresh_str("kept"), t.clone())).collect();
        all.body.result = bound.iter().map(|(n, _)| (*n).into()).collect();
        all.body.stms.push(statement(bound, Exp::If(cond, Box::new(yes), Box::new(no))));
        all.ret = consumer.ret.clone();
        Some(all)
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

/// The array that a parameter of a lambda goes through.
fn input(lambda: &Lambda<Soacs>, arrays: &[Name], e: SubExp) -> Option<Name> {
    let name = e.name()?;
    arrays.get(lambda.params.iter().position(|p| p.name == name)?).copied()
}

/// The scan that numbers, from 1, those elements for which a condition holds, if that is where some numbers
/// come from; and the condition, in its function.
fn numbers_kept(stm: &Stm<Soacs>, numbers: Name) -> Option<(&Screma<Soacs>, SubExp)> {
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
    let scan = stm.pat.iter().position(|p| p.name == numbers)?;
    if s.scans.iter().any(|scan| scan.neutral.len() != 1) {
        return None;
    }
    let counts = s.scans.get(scan)?;
    let added = matches!(known_operator(&counts.op)?.as_slice(), [BinOp::Add(IntType::I64)]);
    if !added || counts.neutral != [SubExp::i64(0)] {
        return None;
    }
    let inside = definitions(&s.map.body.stms);
    let step = s.map.body.result.get(scan)?.name()?;
    match &s.map.body.stms[*inside.get(&step)?].exp {
        Exp::Basic(Basic::Conv(ConvOp::BToI(IntType::I64), condition)) => Some((s, *condition)),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// Compares what is computed in the function of a scatter with what is computed where its elements were numbered.
struct Same<'a> {
    scatter: &'a Scatter<Soacs>,
    numbering: &'a Screma<Soacs>,
    /// The statement of the numbering.
    stm: &'a Stm<Soacs>,
}

impl Same<'_> {
    /// Whether an operand of the scatter is one of the numbering.
    fn operands(&self, x: SubExp, y: SubExp, depth: usize) -> bool {
        const DEEPEST: usize = 16;
        let (SubExp::Var(a), SubExp::Var(b)) = (x, y) else { return x == y };
        if let Some(array) = input(&self.scatter.lambda, &self.scatter.arrays, x) {
            // A result of the numbering, or what both go through.
            return match self.stm.pat.iter().position(|p| p.name == array) {
                // Scans come first, one result each; then what is kept.
                Some(i) => {
                    let kept = i >= self.numbering.scans.len() && self.numbering.reds.is_empty();
                    kept && self.numbering.map.body.result.get(i) == Some(&y)
                }
                None => input(&self.numbering.map, &self.numbering.arrays, y) == Some(array),
            };
        }
        let define =
            |stms: &'_ [Stm<Soacs>], n: Name| stms.iter().position(|s| s.pat.iter().any(|p| p.name == n));
        let (here, there) = (&self.scatter.lambda.body.stms, &self.numbering.map.body.stms);
        match (define(here, a), define(there, b)) {
            (None, None) => a == b && input(&self.numbering.map, &self.numbering.arrays, y).is_none(),
            (Some(i), Some(j)) => {
                let (s, t) = (&here[i], &there[j]);
                let one = s.pat.len() == 1 && t.pat.len() == 1 && s.certs.is_empty() && t.certs.is_empty();
                one && depth < DEEPEST && self.exps(&s.exp, &t.exp, depth + 1)
            }
            _ => false,
        }
    }

    fn exps(&self, x: &Exp<Soacs>, y: &Exp<Soacs>, depth: usize) -> bool {
        let all = |xs: &[(SubExp, SubExp)]| xs.iter().all(|(x, y)| self.operands(*x, *y, depth));
        match (x, y) {
            (Exp::Basic(Basic::SubExp(a)), Exp::Basic(Basic::SubExp(b))) => all(&[(*a, *b)]),
            (Exp::Basic(Basic::UnOp(f, a)), Exp::Basic(Basic::UnOp(g, b))) => f == g && all(&[(*a, *b)]),
            (Exp::Basic(Basic::Conv(f, a)), Exp::Basic(Basic::Conv(g, b))) => f == g && all(&[(*a, *b)]),
            (Exp::Basic(Basic::BinOp(f, a, c)), Exp::Basic(Basic::BinOp(g, b, d))) => {
                f == g && all(&[(*a, *b), (*c, *d)])
            }
            (Exp::Basic(Basic::CmpOp(f, a, c)), Exp::Basic(Basic::CmpOp(g, b, d))) => {
                f == g && all(&[(*a, *b), (*c, *d)])
            }
            (Exp::Basic(Basic::PrimFn(f, xs)), Exp::Basic(Basic::PrimFn(g, ys))) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(a, b)| all(&[(*a, *b)]))
            }
            _ => false,
        }
    }
}

/// Whether an operand is the last of some numbers, or zero if there are none.
fn is_last(
    b: &Body<Soacs>,
    defined: &FxHashMap<Name, usize>,
    count: SubExp,
    numbers: Name,
    width: SubExp,
) -> bool {
    let last = || {
        let outer = |e: SubExp| Some(&b.stms[*defined.get(&e.name()?)?].exp);
        let Exp::If(c, yes, no) = outer(count)? else { return None };
        let Exp::Basic(Basic::CmpOp(CmpOp::Eq(_), n, zero)) = outer(*c)? else { return None };
        let inside = definitions(&no.stms);
        let here = |e: SubExp| match inside.get(&e.name()?) {
            Some(i) => Some(&no.stms[*i].exp),
            None => outer(e),
        };
        let Exp::Basic(Basic::Index(array, slice)) = here(*no.result.first()?)? else { return None };
        let [DimIndex::Fix(i)] = slice.as_slice() else { return None };
        let Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), m, one)) = here(*i)? else { return None };
        let constants = zero.as_i64() == Some(0) && one.as_i64() == Some(1);
        let empty = yes.stms.is_empty() && yes.result == [SubExp::i64(0)];
        Some(constants && empty && *array == numbers && *n == width && *m == width)
    };
    last() == Some(true)
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
