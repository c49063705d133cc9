//! Combinators: one of pairs, or two.
//!
//! ```text
//! map f xs          map2 (\x x' -> (f x, f' x x')) xs xs'
//! reduce (*) 1 xs   reduce (\(a, a') (b, b') -> (a * b, a' * b + b' * a)) (1, 0) xs xs'  pairs
//! reduce (+) 0 xs   reduce (+) 0 xs, reduce (+) 0 xs'                                    two: tangents need no values
//! scatter d is vs   scatter d is vs, scatter d' is vs'
//! filter p xs       filter p xs, with xs' kept where xs is
//! ```
//!
//! An operator on pairs is associative if it is on values, and (e, 0) is neutral if `e` is. If `e` itself has
//! a tangent, that is the result's where there are no elements. Operands that are equal can have different
//! tangents, so the order of operands matters for pairs: of equal ones a minimum takes the first. (It matters
//! in histograms and accumulators, too, where threads have no order: there any of them may be taken.)

use super::Forward;
use crate::partials::select;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::PrimType;
use fehu_base::Name;
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Commutativity, Filter, Hist, HistOp, Reduce, Scan, Scatter, ScatterDest, Screma, Soac};
use fehu_ir::subst::rename_lambda;
use fehu_ir::{Attr, Basic, Body, Exp, Lambda, Param, PatElem, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashSet;

/// A component of a derived operator: a value or tangent of a component of the operator that it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Value(usize),
    /// The tangent in a lane.
    Tangent(usize, usize),
}

/// A derived operator.
pub(super) struct Operator {
    pub(super) op: Lambda<Soacs>,
    pub(super) neutral: Vec<SubExp>,
    pub(super) parts: Vec<Part>,
}

/// An operator of a combinator: for each component what it is bound to, and what the combinator's function gives it.
struct Components<'s> {
    pat: &'s [PatElem<Soacs>],
    values: &'s [SubExp],
}

/// The components of operators that were made so far, in order.
#[derive(Default)]
struct Made {
    pat: Vec<(Name, Type)>,
    values: Vec<SubExp>,
    types: Vec<Type>,
}

impl Forward<'_> {
    /// What an operator becomes if some of its components are active: one of pairs, or one of values and one
    /// of tangents.
    pub(super) fn operator(
        &mut self,
        op: Lambda<Soacs>,
        neutral: Vec<SubExp>,
        active: &[bool],
    ) -> Vec<Operator> {
        let k = neutral.len();
        let mut parts: Vec<Part> = (0..k).map(Part::Value).collect();
        if !active.contains(&true) {
            return vec![Operator { op, neutral, parts }];
        }
        let lanes = self.lanes;
        let tangents = (0..k).filter(|i| active[*i]).flat_map(|i| (0..lanes).map(move |lane| (i, lane)));
        parts.extend(tangents.clone().map(|(i, lane)| Part::Tangent(i, lane)));
        let zeros: Vec<SubExp> = tangents
            .clone()
            .map(|(i, _)| {
                let ty = self.b.type_of(neutral[i]);
                self.zero(&ty)
            })
            .collect();
        let Lambda { params, body, ret } = op;
        let (left, right) = params.split_at(k);
        let sides = [left, right].map(|side| (side.to_vec(), self.tangent_params(side).0));
        let values: FxHashSet<Name> = params.iter().map(|p| p.name).collect();
        let outer = std::mem::replace(&mut self.nan_loses, is_of_one_operation(&body));
        let Body { stms, result } = self.body(body, active);
        self.nan_loses = outer;
        let [(left, left_tangents), (right, right_tangents)] = sides;
        let (results, tangent_results) = result.split_at(k);
        let tangent_types: Vec<Type> = tangents.map(|(i, _)| self.tangent_type(&ret[i])).collect();
        let of_tangents = needed(&stms, tangent_results, |_| false);
        if of_tangents.iter().all(|s| free_in_stm(s).iter().all(|n| !values.contains(n)))
            && tangent_results.iter().all(|e| e.name().is_none_or(|n| !values.contains(&n)))
        {
            let own = Body { stms: needed(&stms, results, stays), result: results.to_vec() };
            let own = Lambda { params: left.into_iter().chain(right).collect(), body: own, ret };
            let body = Body { stms: of_tangents, result: tangent_results.to_vec() };
            let params = left_tangents.into_iter().chain(right_tangents).collect();
            let beside = Lambda { params, body, ret: tangent_types };
            let beside = self.renamed(&beside);
            let tangent_parts = parts.split_off(k);
            return vec![
                Operator { op: own, neutral, parts },
                Operator { op: beside, neutral: zeros, parts: tangent_parts },
            ];
        }
        let params = [left, left_tangents, right, right_tangents].concat();
        let ret = ret.into_iter().chain(tangent_types).collect();
        let op = Lambda { params, body: Body { stms, result }, ret };
        vec![Operator { op, neutral: neutral.into_iter().chain(zeros).collect(), parts }]
    }

    /// A copy of a lambda whose names are known.
    fn renamed(&mut self, lambda: &Lambda<Soacs>) -> Lambda<Soacs> {
        let copy = rename_lambda(&mut self.b.names, lambda);
        self.b.types.extend(fehu_ir::types::body_types(&copy.body));
        self.b.types.extend(copy.params.iter().map(|p| (p.name, p.ty.clone())));
        copy
    }

    /// The inputs of a combinator with their tangents, and parameters for the elements of both.
    fn inputs(&mut self, arrays: &[Name], params: Vec<Param<Soacs>>) -> (Vec<Name>, Vec<Param<Soacs>>) {
        let params: Vec<_> = params.into_iter().map(|p| Param { ty: self.ty(&p.ty), ..p }).collect();
        for p in &params {
            self.b.types.insert(p.name, p.ty.clone());
        }
        let (tangents, active) = self.tangent_params(&params);
        let with = arrays.iter().zip(active).filter(|(_, active)| *active).map(|(a, _)| *a);
        let more: Vec<Name> =
            with.collect::<Vec<_>>().into_iter().flat_map(|a| self.array_tangents(a)).collect();
        (arrays.iter().copied().chain(more).collect(), params.into_iter().chain(tangents).collect())
    }

    /// Adds the components of a derived operator, and says where they are bound.
    fn add(&mut self, made: &mut Made, parts: &[Part], from: &Components<'_>) {
        for part in parts {
            match *part {
                Part::Value(i) => {
                    let p = &from.pat[i];
                    made.pat.push((p.name, self.ty(&p.ty)));
                    made.values.push(from.values[i]);
                }
                Part::Tangent(i, lane) => {
                    let p = &from.pat[i];
                    self.lane = lane;
                    made.pat.push(self.new_tangent(p.name, &p.ty));
                    made.values.push(self.tangent_or_zero(from.values[i]));
                    self.lane = 0;
                }
            }
        }
    }

    pub(super) fn screma(&mut self, attrs: Vec<Attr>, pat: Vec<PatElem<Soacs>>, s: Screma<Soacs>) {
        let active: Vec<bool> = pat.iter().map(|p| self.has_tangent(p.name)).collect();
        let Lambda { params, body, ret } = s.map;
        let (arrays, params) = self.inputs(&s.arrays, params);
        let (mut scans, mut reds, mut empty) = (vec![], vec![], vec![]);
        let mut at = 0;
        let mut plan: Vec<(usize, Vec<Part>)> = vec![];
        for scan in s.scans {
            let k = scan.neutral.len();
            for o in self.operator(scan.op, scan.neutral, &active[at..at + k]) {
                scans.push(Scan { op: o.op, neutral: o.neutral });
                plan.push((at, o.parts));
            }
            at += k;
        }
        for red in s.reds {
            let k = red.neutral.len();
            for (i, e) in red.neutral.iter().enumerate() {
                let ty = self.b.type_of(*e);
                let tangents =
                    self.in_lanes(&ty, |forward| Some((at + i, forward.lane, forward.tangent(*e)?)));
                empty.extend(tangents.into_iter().flatten());
            }
            let made = self.operator(red.op, red.neutral, &active[at..at + k]);
            for o in made {
                let pairs = o.parts.iter().any(|p| matches!(p, Part::Value(_)))
                    && o.parts.iter().any(|p| matches!(p, Part::Tangent(..)));
                let comm = if pairs { Commutativity::Noncommutative } else { red.comm };
                reds.push(Reduce { comm, op: o.op, neutral: o.neutral });
                plan.push((at, o.parts));
            }
            at += k;
        }
        let mapped = at..pat.len();
        plan.push((at, mapped.clone().map(|i| Part::Value(i - at)).collect()));
        let lanes = self.lanes;
        let of = |i: usize| (0..lanes).map(move |lane| Part::Tangent(i - at, lane));
        plan.push((at, mapped.filter(|i| active[*i]).flat_map(of).collect()));
        let mut made = Made::default();
        let body = self.nested(|forward| {
            forward.stms(body.stms);
            for (at, parts) in &plan {
                let from = Components { pat: &pat[*at..], values: &body.result[*at..] };
                forward.add(&mut made, parts, &from);
                let of = |p: &Part| match *p {
                    Part::Value(i) => forward.ty(&ret[at + i]),
                    Part::Tangent(i, _) => forward.tangent_type(&ret[at + i]),
                };
                let types: Vec<Type> = parts.iter().map(of).collect();
                made.types.extend(types);
            }
            std::mem::take(&mut made.values)
        });
        let map = Lambda { params, body, ret: made.types };
        let screma = Screma { width: s.width, arrays, scans, reds, map };
        self.bind(attrs, made.pat, Exp::Op(Soac::Screma(screma)));
        for (i, lane, neutral) in empty {
            self.lane = lane;
            self.of_empty(s.width, &pat[i], neutral);
        }
        self.lane = 0;
    }

    /// The tangent of a reduction is that of the neutral element if there are no elements.
    fn of_empty(&mut self, width: SubExp, p: &PatElem<Soacs>, neutral: SubExp) {
        let is_empty = self.b.cmp(CmpOp::Eq(PrimType::I64), width, SubExp::i64(0));
        let sum = self.tangent_or_zero(p.name.into());
        let tangent = select(&mut self.b, is_empty, neutral, sum);
        self.tangents.insert((p.name, self.lane), tangent);
    }

    pub(super) fn hist(&mut self, attrs: Vec<Attr>, pat: Vec<PatElem<Soacs>>, h: Hist<Soacs>) {
        let Lambda { params, body, ret } = h.lambda;
        let (arrays, params) = self.inputs(&h.arrays, params);
        let indices: usize = h.ops.iter().map(|op| op.shape.len()).sum();
        let (mut ops, mut plan) = (vec![], vec![]);
        let (mut at, mut index) = (0, 0);
        for op in h.ops {
            let (k, rank) = (op.neutral.len(), op.shape.len());
            let active: Vec<bool> = pat[at..at + k].iter().map(|p| self.has_tangent(p.name)).collect();
            let dests = op.dests;
            for o in self.operator(op.op, op.neutral, &active) {
                let dest = |forward: &mut Self, part: &Part| match *part {
                    Part::Value(i) => dests[i],
                    Part::Tangent(i, lane) => forward.array_tangents(dests[i])[lane],
                };
                let dests = o.parts.iter().map(|p| dest(self, p)).collect();
                ops.push(HistOp { shape: op.shape.clone(), dests, neutral: o.neutral, op: o.op });
                plan.push((at, index..index + rank, o.parts));
            }
            at += k;
            index += rank;
        }
        let mut made = Made::default();
        let body = self.nested(|forward| {
            forward.stms(body.stms);
            let mut places = vec![];
            for (at, index, parts) in &plan {
                places.extend_from_slice(&body.result[index.clone()]);
                let from = Components { pat: &pat[*at..], values: &body.result[indices + at..] };
                forward.add(&mut made, parts, &from);
                let of = |p: &Part| match *p {
                    Part::Value(i) => ret[indices + at + i].clone(),
                    Part::Tangent(i, _) => forward.tangent_type(&ret[indices + at + i]),
                };
                made.types.extend(parts.iter().map(of).collect::<Vec<_>>());
            }
            made.types.splice(0..0, vec![Type::I64; places.len()]);
            places.append(&mut made.values);
            places
        });
        let lambda = Lambda { params, body, ret: made.types };
        let hist = Hist { width: h.width, arrays, ops, lambda };
        self.bind(attrs, made.pat, Exp::Op(Soac::Hist(hist)));
    }

    pub(super) fn scatter(&mut self, attrs: Vec<Attr>, pat: Vec<PatElem<Soacs>>, s: Scatter<Soacs>) {
        let results = s.results();
        let (own, tangents, active) = self.pattern(&pat);
        let with = s.written().into_iter().zip(&active).map(|(a, active)| active.then_some(a));
        let tangents_of = |a: Option<Name>| a.map_or(vec![], |a| self.array_tangents(a));
        let beside: Vec<Vec<Name>> = with.collect::<Vec<_>>().into_iter().map(tangents_of).collect();
        let Lambda { params, body, ret } = s.lambda;
        let (arrays, params) = self.inputs(&s.arrays, params);
        let indices: usize = s.dests.iter().map(|d| d.shape.len()).sum();
        // For each destination that has tangents, in each lane: its place among the destinations, its indices, the
        // lane, the array of tangents.
        let mut more = vec![];
        let mut index = 0;
        for (nth, (d, written)) in s.dests.iter().zip(&results).enumerate() {
            for (lane, array) in beside[*written].iter().enumerate() {
                more.push((nth, index..index + d.shape.len(), lane, *array));
            }
            index += d.shape.len();
        }
        let mut types = vec![];
        let body = self.nested(|forward| {
            forward.stms(body.stms);
            let (places, values) = body.result.split_at(indices);
            let mut places = places.to_vec();
            more.iter().for_each(|(_, index, ..)| places.extend_from_slice(&body.result[index.clone()]));
            types = vec![Type::I64; places.len()];
            types.extend(ret[indices..].iter().cloned());
            types.extend(more.iter().map(|(nth, ..)| forward.tangent_type(&ret[indices + nth])));
            let of = |(nth, _, lane, _): &(usize, _, usize, _)| forward.all_tangents(values[*nth])[*lane];
            let tangents: Vec<SubExp> = more.iter().map(of).collect();
            [places.as_slice(), values, &tangents].concat()
        });
        let new = more
            .iter()
            .map(|(nth, .., array)| ScatterDest { shape: s.dests[*nth].shape.clone(), array: *array });
        let dests = s.dests.iter().cloned().chain(new).collect();
        let lambda = Lambda { params, body, ret: types };
        let scatter = Scatter { width: s.width, arrays, dests, lambda };
        self.bind(attrs, own.into_iter().chain(tangents).collect(), Exp::Op(Soac::Scatter(scatter)));
    }

    pub(super) fn filter(&mut self, attrs: Vec<Attr>, pat: Vec<PatElem<Soacs>>, f: Filter<Soacs>) {
        let conditions = f.kept.len();
        let Lambda { params, body, ret } = f.lambda;
        let (arrays, params) = self.inputs(&f.arrays, params);
        let (counts, values) = pat.split_at(conditions);
        // For each condition, its values and then their tangents.
        let (mut plan, mut kept, mut at) = (vec![], vec![], 0);
        for n in f.kept {
            let active: Vec<usize> = (at..at + n).filter(|i| self.has_tangent(values[*i].name)).collect();
            kept.push(n + active.len() * self.lanes);
            plan.extend((at..at + n).map(Part::Value));
            let lanes = self.lanes;
            let of = |i: usize| (0..lanes).map(move |lane| Part::Tangent(i, lane));
            plan.extend(active.into_iter().flat_map(of));
            at += n;
        }
        let mut made = Made::default();
        let body = self.nested(|forward| {
            forward.stms(body.stms);
            let from = Components { pat: values, values: &body.result[conditions..] };
            forward.add(&mut made, &plan, &from);
            body.result[..conditions].iter().copied().chain(std::mem::take(&mut made.values)).collect()
        });
        let of = |p: &Part| match *p {
            Part::Value(i) => ret[conditions + i].clone(),
            Part::Tangent(i, _) => self.tangent_type(&ret[conditions + i]),
        };
        let types = vec![Type::BOOL; conditions].into_iter().chain(plan.iter().map(of)).collect();
        let lambda = Lambda { params, body, ret: types };
        let filter = Filter { width: f.width, arrays, kept, lambda };
        let counts = counts.iter().map(|p| (p.name, p.ty.clone()));
        self.bind(attrs, counts.chain(made.pat).collect(), Exp::Op(Soac::Filter(filter)));
    }
}

/// Whether a body is one operation on scalars, or a map of one.
fn is_of_one_operation(body: &Body<Soacs>) -> bool {
    match body.stms.as_slice() {
        [Stm { exp: Exp::Basic(Basic::BinOp(BinOp::FMin(_) | BinOp::FMax(_), ..)), .. }] => true,
        [Stm { exp: Exp::Op(Soac::Screma(s)), .. }] => is_of_one_operation(&s.map.body),
        _ => false,
    }
}

/// The statements that some results need, and others that are kept.
fn needed(stms: &[Stm<Soacs>], results: &[SubExp], keep: fn(&Stm<Soacs>) -> bool) -> Vec<Stm<Soacs>> {
    let mut names: FxHashSet<Name> = results.iter().filter_map(|e| e.name()).collect();
    let mut kept = vec![];
    for stm in stms.iter().rev() {
        if keep(stm) || stm.pat.iter().any(|p| names.contains(&p.name)) {
            names.extend(free_in_stm(stm));
            kept.push(stm.clone());
        }
    }
    kept.reverse();
    kept
}

/// A check that is never dead.
fn stays(stm: &Stm<Soacs>) -> bool {
    matches!(&stm.exp, Exp::Basic(Basic::Assert(_, _, purpose)) if purpose.stays())
}
