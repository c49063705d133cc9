//! Views of mapped arrays become maps of views.
//!
//! A view whose array is made by a map, for nothing else, is taken of the
//! map's inputs instead. Then nothing is between the map and who reads the view, and they can be fused.
//!
//! ```text
//! let (ys) = screma n [xs] map f                       let (s) = xs[a :+ k * 1]
//! let (zs) = ys[a :+ k * 1]                      =>    let (zs) = screma k [s] map f
//! ```
//!
//! - A slice of a map is a map of slices: fewer elements are computed.
//! - A transposition of two nested maps is the two maps exchanged, if the outer one does nothing else.
//! - A one-dimensional map seen with more dimensions is a nest of maps.
//!
//! The last two are done only for the sake of a combinator that reads the view.

use super::merge::is_map;
use crate::simplify::is_total;
use fehu_base::prim::IntType;
use fehu_base::tuning::fusion;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Classes;
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Loc, Param, PatElem, Slice, Soacs, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a name is used in a body.
#[derive(Default, Clone, Copy)]
pub(super) struct Uses {
    pub(super) all: usize,
    pub(super) as_input: usize,
}

/// Takes views of the inputs of maps instead of their results.
pub(super) fn push_views(
    names: &mut NameSource,
    classes: &mut Classes,
    ranges: &Ranges,
    body: &mut Body<Soacs>,
) {
    let mut made_by: FxHashMap<Name, usize> = FxHashMap::default();
    let mut candidates = false;
    for (i, stm) in body.stms.iter().enumerate() {
        if is_map(stm) {
            made_by.extend(stm.pat.iter().map(|x| (x.name, i)));
        }
        candidates |= viewed(&stm.exp).is_some_and(|a| made_by.contains_key(&a));
    }
    if !candidates {
        return;
    }
    let mut uses: FxHashMap<Name, Uses> = FxHashMap::default();
    for stm in &body.stms {
        count(&mut uses, stm, |n, k| *n += k);
    }
    for n in body.result.iter().filter_map(|e| e.name()) {
        uses.entry(n).or_default().all += 1;
    }
    let mut stms: Vec<Option<Stm<Soacs>>> = std::mem::take(&mut body.stms).into_iter().map(Some).collect();
    let mut done = vec![];
    let mut pusher = Pusher { names, classes, ranges };
    for i in (0..stms.len()).rev() {
        // What takes the place of a view may be views that can be pushed further.
        let mut work: Vec<Stm<Soacs>> = stms[i].take().into_iter().collect();
        while let Some(stm) = work.pop() {
            let source = viewed(&stm.exp).filter(|a| uses.get(a).is_some_and(|u| u.all == 1));
            let producer = source.and_then(|a| made_by.get(&a)).copied();
            let wanted = stm.pat.first().and_then(|x| uses.get(&x.name)).copied().unwrap_or_default();
            let pushed = producer.and_then(|p| pusher.push(stms[p].as_ref()?, &stm, wanted));
            match (producer, pushed) {
                (Some(p), Some(made)) => {
                    for gone in stms[p].take().iter().chain([&stm]) {
                        count(&mut uses, gone, |n, k| *n = n.saturating_sub(k));
                    }
                    for m in &made {
                        count(&mut uses, m, |n, k| *n += k);
                    }
                    work.extend(made);
                }
                (_, _) => done.push(stm),
            }
        }
    }
    done.reverse();
    body.stms = done;
}

pub(super) fn count(uses: &mut FxHashMap<Name, Uses>, stm: &Stm<Soacs>, add: impl Fn(&mut usize, usize)) {
    for n in free_in_stm(stm) {
        add(&mut uses.entry(n).or_default().all, 1);
    }
    // A transposition of a view is worth it, too: what it is of may become a nest.
    let inputs: FxHashSet<Name> = match &stm.exp {
        Exp::Basic(Basic::Rearrange(_, a)) => [*a].into_iter().collect(),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
            super::merge::Combinator::arrays_of(stm).iter().copied().collect()
        }
    };
    for a in inputs {
        add(&mut uses.entry(a).or_default().as_input, 1);
    }
}

/// The array that an expression is a view of.
fn viewed(exp: &Exp<Soacs>) -> Option<Name> {
    match exp {
        Exp::Basic(Basic::Index(a, _) | Basic::Rearrange(_, a) | Basic::Reshape(_, a)) => Some(*a),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// `start, start + step, ...`
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) start: SubExp,
    pub(super) step: SubExp,
    pub(super) ty: IntType,
}

/// The ranges that are around, by name.
pub(super) type Ranges = FxHashMap<Name, Range>;

/// Takes note of the ranges that are bound in a body.
pub(super) fn learn_ranges(ranges: &mut Ranges, stms: &[Stm<Soacs>]) {
    for stm in stms {
        if let (Exp::Basic(Basic::Iota { start, step, ty, .. }), [x]) = (&stm.exp, stm.pat.as_slice()) {
            ranges.insert(x.name, Range { start: *start, step: *step, ty: *ty });
        }
    }
}

pub(super) struct Pusher<'a> {
    pub(super) names: &'a mut NameSource,
    pub(super) classes: &'a mut Classes,
    pub(super) ranges: &'a Ranges,
}

impl Pusher<'_> {
    /// What takes the place of a view of a map's only result; the map goes.
    fn push(&mut self, producer: &Stm<Soacs>, view: &Stm<Soacs>, wanted: Uses) -> Option<Vec<Stm<Soacs>>> {
        let Exp::Op(Soac::Screma(s)) = &producer.exp else { return None };
        let ([made], [shown]) = (producer.pat.as_slice(), view.pat.as_slice()) else { return None };
        let written = |n: &Name| self.classes.is_known(*n) && self.classes.is_consumed(*n);
        if !producer.attrs.is_empty()
            || !view.attrs.is_empty()
            || s.map.params.iter().any(|p| p.consumed)
            || written(&made.name)
            || free_in_stm(producer).iter().any(written)
        {
            return None;
        }
        let mut certs = producer.certs.clone();
        certs.extend(view.certs.iter().filter(|c| !producer.certs.contains(c)));
        let mut out = Out { pusher: self, stms: vec![], certs, loc: &producer.loc };
        let is_input = wanted.as_input > 0 && wanted.as_input == wanted.all;
        let exp = match &view.exp {
            Exp::Basic(Basic::Index(_, slice)) => out.slice(s, slice, shown, is_input)?,
            Exp::Basic(Basic::Rearrange(perm, _)) if is_input => out.exchange(s, perm)?,
            Exp::Basic(Basic::Reshape(shape, _)) if is_input => out.split(s, shape, made)?,
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return None
            }
        };
        let Out { mut stms, certs, .. } = out;
        stms.push(Stm { pat: view.pat.clone(), certs, attrs: vec![], loc: producer.loc.clone(), exp });
        Some(stms)
    }

    pub(super) fn fresh(&mut self, base: &str, shares: &[Name]) -> Name {
        let name = self.names.fresh_str(base);
        self.classes.learn(name, shares);
        name
    }
}

/// Statements made on the way.
pub(super) struct Out<'o, 'a> {
    pub(super) pusher: &'o mut Pusher<'a>,
    pub(super) stms: Vec<Stm<Soacs>>,
    pub(super) certs: Vec<Name>,
    pub(super) loc: &'o Loc,
}

pub(super) fn stm(name: Name, ty: Type, certs: &[Name], loc: &Loc, exp: Exp<Soacs>) -> Stm<Soacs> {
    let pat = vec![PatElem { name, ty, dec: () }];
    Stm { pat, certs: certs.to_vec(), attrs: vec![], loc: loc.clone(), exp }
}

pub(super) fn param(name: Name, ty: Type) -> Param<Soacs> {
    Param { name, ty, dec: (), consumed: false }
}

/// The slice of all of these sizes.
fn everything(shape: &[SubExp]) -> impl Iterator<Item = DimIndex> + '_ {
    shape.iter().map(|n| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) })
}

/// A map of one result.
pub(super) fn map_of(width: SubExp, arrays: Vec<Name>, map: Lambda<Soacs>) -> Exp<Soacs> {
    Exp::Op(Soac::Screma(Screma { width, arrays, scans: vec![], reds: vec![], map }))
}

impl Out<'_, '_> {
    pub(super) fn view(&mut self, base: &str, of: Name, ty: Type, exp: Exp<Soacs>) -> Name {
        let name = self.pusher.fresh(base, &[of]);
        self.stms.push(stm(name, ty, &self.certs, self.loc, exp));
        name
    }

    /// A map of slices.
    fn slice(
        &mut self,
        s: &Screma<Soacs>,
        slice: &Slice,
        shown: &PatElem<Soacs>,
        is_input: bool,
    ) -> Option<Exp<Soacs>> {
        let (DimIndex::Slice { len, .. }, rest) = slice.split_first()? else { return None };
        // As many elements are no gain by themselves.
        if *len == s.width && !is_input {
            return None;
        }
        let mut arrays = vec![];
        for (a, p) in s.arrays.iter().zip(&s.map.params) {
            let index: Slice = [slice[0]].into_iter().chain(everything(p.ty.shape())).collect();
            arrays.push(self.view("slice", *a, p.ty.array_of(&[*len]), Exp::Basic(Basic::Index(*a, index))));
        }
        let mut map = s.map.clone();
        // Rows of the same shape may still be other parts of the map's: `[::-1]` is as long as all of it.
        if !rest.iter().copied().eq(everything(map.ret[0].shape())) {
            let row = shown.ty.peel(1);
            let SubExp::Var(whole) = map.body.result[0] else { return None };
            let part = self.pusher.fresh("part", &[whole]);
            map.body.stms.push(stm(
                part,
                row.clone(),
                &[],
                self.loc,
                Exp::Basic(Basic::Index(whole, rest.to_vec())),
            ));
            map.body.result[0] = part.into();
            map.ret[0] = row;
        }
        Some(map_of(*len, arrays, map))
    }

    /// Two nested maps the other way around.
    fn exchange(&mut self, s: &Screma<Soacs>, perm: &[usize]) -> Option<Exp<Soacs>> {
        let swaps =
            perm.len() >= 2 && perm[..2] == [1, 0] && perm[2..].iter().enumerate().all(|(i, p)| *p == i + 2);
        let (Some((inner_stm, before)), [result]) =
            (s.map.body.stms.split_last(), s.map.body.result.as_slice())
        else {
            return None;
        };
        // A little arithmetic may be done again for each element.
        let cheap = |stm: &Stm<Soacs>| {
            let scalar = matches!(
                stm.exp,
                Exp::Basic(Basic::UnOp(..) | Basic::BinOp(..) | Basic::CmpOp(..) | Basic::Conv(..))
            );
            scalar && stm.certs.is_empty() && is_total(&stm.exp)
        };
        if before.len() > fusion::PUSHED_STATEMENTS || !before.iter().all(cheap) {
            return None;
        }
        let [bound] = inner_stm.pat.as_slice() else { return None };
        let Exp::Op(Soac::Screma(inner)) = &inner_stm.exp else { return None };
        if !swaps || !is_map(inner_stm) || *result != bound.name.into() || !inner_stm.attrs.is_empty() {
            return None;
        }
        let (n, m) = (s.width, inner.width);
        let outer_array: FxHashMap<Name, Name> =
            s.map.params.iter().zip(&s.arrays).map(|(p, a)| (p.name, *a)).collect();
        let (mut arrays, mut params) = (vec![], vec![]);
        let (mut inner_arrays, mut inner_params) = (vec![], vec![]);
        for (a, p) in inner.arrays.iter().zip(&inner.map.params) {
            match outer_array.get(a) {
                Some(whole) => {
                    let rank = p.ty.rank() + 2;
                    let perm: Vec<usize> = [1, 0].into_iter().chain(2..rank).collect();
                    let ty = p.ty.array_of(&[m, n]);
                    arrays.push(self.view("columns", *whole, ty, Exp::Basic(Basic::Rearrange(perm, *whole))));
                    let column = self.pusher.fresh("column", &[*a]);
                    params.push(param(column, p.ty.array_of(&[n])));
                    inner_arrays.push(column);
                    inner_params.push(p.clone());
                }
                None => {
                    arrays.push(*a);
                    params.push(p.clone());
                }
            }
        }
        let mut lambda = inner.map.clone();
        lambda.body.stms.splice(0..0, before.iter().cloned());
        let free = fehu_ir::free::free_in_lambda(&lambda);
        for (p, a) in s.map.params.iter().zip(&s.arrays).filter(|(p, _)| free.contains(&p.name)) {
            inner_arrays.push(*a);
            inner_params.push(p.clone());
        }
        lambda.params = inner_params;
        let row = lambda.ret[0].array_of(&[n]);
        let exp = map_of(n, inner_arrays, lambda);
        let made = self.pusher.fresh("row", &[]);
        let inner = stm(made, row.clone(), &inner_stm.certs, &inner_stm.loc, exp);
        let body = Body { stms: vec![inner], result: vec![made.into()] };
        Some(map_of(m, arrays, Lambda { params, body, ret: vec![row] }))
    }

    /// A nest of maps of these sizes.
    fn split(&mut self, s: &Screma<Soacs>, shape: &[SubExp], made: &PatElem<Soacs>) -> Option<Exp<Soacs>> {
        let inner = &made.ty.shape()[1..];
        let depth = shape.len().checked_sub(inner.len())?;
        if depth < 2 || shape[depth..] != *inner {
            return None;
        }
        let dims = &shape[..depth];
        Some(self.nest(s, dims, &FxHashMap::default()))
    }
}
