//! How far from its own point a stencil reads.
//!
//! Programs say what is beyond an edge by minima and maxima of indices, by branches around reads, or by
//! branches that choose an index. How far an index of a read is from the point's own is known of sums of
//! indices, sizes and constants, by the prover of `fehu_algebra` and the conditions of the branches around
//! it, and of minima, maxima and branches by what is known of their operands. Where ends are neighbours,
//! places beyond an end are those from the other end on, as rotations and remainders have it.

use crate::sums::{as_sum, Known, Sums};
use fehu_algebra::{Facts, Poly};
use fehu_base::ops::{BinOp, CmpOp, UnOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::{LEAST_POINTS_OF_LINE, MAX_RADIUS_OF_STEPS};
use fehu_base::Name;
use fehu_ir::mem::{poly, sym};
use fehu_ir::seg::SegOp;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, DimIndex, Exp, Memory, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many conditions are looked through to find what a branch says of indices.
const MOST_CONDITIONS: usize = 8;

/// What is beyond the ends of a dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::schedule) enum Ends {
    Nothing,
    /// The other end. All dimensions have at least [`LEAST_POINTS_OF_LINE`] elements.
    Neighbours,
}

/// The largest distance, in any dimension, at which a point of a map reads arrays of its own shape. None if
/// it is not known, or too large, if one of the arrays is not read at another point, or if the point does
/// more than compute scalars.
pub(in crate::schedule) fn radius(
    seg: &SegOp<Memory>,
    arrays: &[Name],
    sums: &Sums,
    ends: Ends,
) -> Option<i64> {
    let mut facts = Facts::new();
    let mut known = FxHashMap::default();
    for (i, n) in &seg.space.dims {
        if let SubExp::Var(n) = n {
            facts.assume_size(sym(*n));
            known.insert(*n, poly((*n).into()));
        }
        facts.assume_index(sym(*i), &Poly::zero(), &poly(*n));
        known.insert(*i, poly((*i).into()));
    }
    let mut known = Known::new(known, sums);
    let mut around = vec![];
    if ends == Ends::Neighbours {
        for (_, n) in &seg.space.dims {
            facts.assume_le(&Poly::constant(LEAST_POINTS_OF_LINE), &poly(*n));
            if let SubExp::Var(n) = n {
                known = known.with_size(*n, LEAST_POINTS_OF_LINE);
            }
            around.push(poly(*n));
        }
    }
    let mut reach = Reach {
        around,
        dims: seg.space.dims.iter().map(|d| d.0).collect(),
        arrays,
        facts,
        known,
        conditions: FxHashMap::default(),
        remainders: FxHashMap::default(),
        chosen: FxHashMap::default(),
        radius: 0,
        elsewhere: FxHashSet::default(),
    };
    reach.body(&seg.body.body)?;
    arrays.iter().all(|a| reach.elsewhere.contains(a)).then_some(reach.radius)
}

struct Reach<'a> {
    dims: Vec<Name>,
    /// The sizes of all dimensions, if their ends are neighbours.
    around: Vec<Poly>,
    arrays: &'a [Name],
    /// What holds in the current branch.
    facts: Facts,
    known: Known<'a>,
    conditions: FxHashMap<Name, Basic>,
    /// Remainders, of what and by which size: they are as close to an index of that size, if need be once around.
    remainders: FxHashMap<Name, (Poly, Poly)>,
    /// How far what branches choose is from the index of a dimension at most, if need be once around.
    chosen: FxHashMap<(Name, usize), i64>,
    radius: i64,
    /// The arrays that are read at other points.
    elsewhere: FxHashSet<Name>,
}

/// How far a number is from an index: at least and at most, where that is known. Below it is negative.
#[derive(Clone, Copy, Default)]
struct Span {
    least: Option<i64>,
    most: Option<i64>,
}

/// The smaller or the larger of two numbers.
#[derive(Clone, Copy)]
enum Extreme {
    Least,
    Most,
}

impl Reach<'_> {
    fn body(&mut self, body: &Body<Memory>) -> Option<()> {
        deep(|| body.stms.iter().try_for_each(|stm| self.stm(stm)))
    }

    fn stm(&mut self, stm: &Stm<Memory>) -> Option<()> {
        if !stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_))) {
            return None;
        }
        match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Basic(Basic::Assert(..)), _) => None,
            (Exp::Basic(Basic::Index(array, slice)), _) if self.arrays.contains(array) => {
                self.read(*array, slice)
            }
            (Exp::Basic(basic), [p]) => {
                self.learn(p.name, basic);
                Some(())
            }
            (Exp::If(cond, yes, no), pat) => {
                let around = self.facts.clone();
                let (mut ends, mut distances) = (vec![], vec![]);
                for (body, taken) in [(yes, true), (no, false)] {
                    self.facts = around.clone();
                    self.assume(*cond, taken, MOST_CONDITIONS);
                    self.body(body)?;
                    ends.push(body.result.iter().map(|e| self.spans(*e)).collect::<Vec<_>>());
                    let dims = 0..self.around.len();
                    let of = |e: &SubExp| dims.clone().map(|k| self.distance(*e, k)).collect::<Vec<_>>();
                    distances.push(body.result.iter().map(of).collect::<Vec<_>>());
                }
                self.facts = around;
                for (k, p) in pat.iter().enumerate() {
                    let both = distances[0][k].iter().zip(&distances[1][k]);
                    let most = both.enumerate().filter_map(|(dim, (a, b))| Some((dim, (*a)?.max((*b)?))));
                    self.chosen.extend(most.map(|(dim, most)| ((p.name, dim), most)));
                }
                for (k, p) in pat.iter().enumerate() {
                    let spans = ends[0][k].iter().zip(&ends[1][k]);
                    let spans = spans.map(|(yes, no)| Span {
                        least: yes.least.zip(no.least).map(|(a, b)| a.min(b)),
                        most: yes.most.zip(no.most).map(|(a, b)| a.max(b)),
                    });
                    self.is_within(p.name, spans.collect());
                }
                Some(())
            }
            (Exp::Basic(_) | Exp::Loop(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_), _) => None,
        }
    }

    fn read(&mut self, array: Name, slice: &[DimIndex]) -> Option<()> {
        if slice.len() != self.dims.len() {
            return None;
        }
        for (k, at) in slice.iter().enumerate() {
            let DimIndex::Fix(at) = at else { return None };
            let distance = self.distance(*at, k)?;
            self.radius = self.radius.max(distance);
            if distance > 0 {
                self.elsewhere.insert(array);
            }
        }
        Some(())
    }

    /// How far an operand is from the index of a dimension at most, if need be once around.
    fn distance(&self, e: SubExp, dim: usize) -> Option<i64> {
        let chosen = || e.name().and_then(|n| self.chosen.get(&(n, dim)).copied());
        self.distance_of_sum(e, dim).or_else(chosen)
    }

    fn distance_of_sum(&self, e: SubExp, dim: usize) -> Option<i64> {
        let (index, size) = (self.dims[dim], self.around.get(dim));
        let remainder = e.name().and_then(|n| self.remainders.get(&n));
        let remainder = remainder.filter(|(_, by)| Some(by) == size).map(|(of, _)| of.clone());
        let e = remainder.or_else(|| self.known.poly(e))?;
        let around = size.into_iter().flat_map(|n| [&e - n, &e + n]);
        let spans = [e.clone()].into_iter().chain(around).map(|e| self.span_of(&e, index));
        spans.filter_map(|span| Some(span.least?.abs().max(span.most?.abs()))).next()
    }

    /// How far an operand is from an index.
    fn span(&self, e: SubExp, index: Name) -> Span {
        self.known.poly(e).map_or(Span::default(), |e| self.span_of(&e, index))
    }

    fn span_of(&self, e: &Poly, index: Name) -> Span {
        let index = poly(index.into());
        let distances = -MAX_RADIUS_OF_STEPS..=MAX_RADIUS_OF_STEPS;
        let from = |d: &i64| self.facts.le(&(index.clone() + Poly::constant(*d)), e);
        let to = |d: &i64| self.facts.le(e, &(index.clone() + Poly::constant(*d)));
        Span { least: distances.clone().rev().find(from), most: distances.clone().find(to) }
    }

    /// The same for all indices.
    fn spans(&self, e: SubExp) -> Vec<Span> {
        self.dims.iter().map(|index| self.span(e, *index)).collect()
    }

    /// Adds how far a name is from each index. Nothing else need be known of it.
    fn is_within(&mut self, name: Name, spans: Vec<Span>) {
        let x = poly(name.into());
        for (index, Span { least, most }) in self.dims.clone().into_iter().zip(spans) {
            let index = poly(index.into());
            if let Some(d) = least {
                self.facts.assume_le(&(index.clone() + Poly::constant(d)), &x);
            }
            if let Some(d) = most {
                self.facts.assume_le(&x, &(index + Poly::constant(d)));
            }
        }
        self.known.insert(name, x);
    }

    /// A minimum or a maximum: what is known of either operand holds on one side, what is known of both on the other.
    fn extreme(&mut self, name: Name, a: SubExp, b: SubExp, which: Extreme) {
        let either = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (one, other) => one.or(other),
        };
        let both = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| Some(pick(a?, b?));
        let spans = self.spans(a).into_iter().zip(self.spans(b));
        let spans = spans.map(|(a, b)| match which {
            Extreme::Least => {
                Span { least: both(a.least, b.least, i64::min), most: either(a.most, b.most, i64::min) }
            }
            Extreme::Most => {
                Span { least: either(a.least, b.least, i64::max), most: both(a.most, b.most, i64::max) }
            }
        });
        self.is_within(name, spans.collect());
    }

    /// Remembers what an index or a condition is.
    fn learn(&mut self, name: Name, basic: &Basic) {
        if let Basic::BinOp(BinOp::SMin(IntType::I64), a, b) = basic {
            self.extreme(name, *a, *b, Extreme::Least);
        } else if let Basic::BinOp(BinOp::SMax(IntType::I64), a, b) = basic {
            self.extreme(name, *a, *b, Extreme::Most);
        } else if let Basic::BinOp(BinOp::SMod(IntType::I64), a, b) = basic {
            let by = self.known.poly(*b).filter(|b| self.around.contains(b));
            self.remainders.extend(self.known.poly(*a).zip(by).map(|of| (name, of)));
        } else if as_sum(basic).is_some() {
            self.known.learn(name, basic);
        } else if let Basic::SubExp(e) = basic {
            if let Some(value) = self.known.poly(*e) {
                self.known.insert(name, value);
            }
        } else {
            self.conditions.insert(name, basic.clone());
        }
    }

    /// Adds what a condition says of indices, if it holds, or if it does not.
    fn assume(&mut self, cond: SubExp, holds: bool, depth: usize) {
        let Some(basic) = cond.name().and_then(|n| self.conditions.get(&n)).cloned() else { return };
        if depth == 0 {
            return;
        }
        let depth = depth - 1;
        if let Basic::UnOp(UnOp::Not, c) = basic {
            self.assume(c, !holds, depth);
        } else if let Basic::BinOp(op @ (BinOp::LogAnd | BinOp::LogOr), a, b) = basic {
            if holds == (op == BinOp::LogAnd) {
                self.assume(a, holds, depth);
                self.assume(b, holds, depth);
            }
        } else if let Basic::CmpOp(op, a, b) = basic {
            if let (Some(a), Some(b)) = (self.known.poly(a), self.known.poly(b)) {
                self.compared(op, holds, &a, &b);
            }
        }
    }

    fn compared(&mut self, op: CmpOp, holds: bool, a: &Poly, b: &Poly) {
        let one = Poly::constant(1);
        if op == CmpOp::SLt(IntType::I64) {
            match holds {
                true => self.facts.assume_lt(a, b),
                false => self.facts.assume_le(b, a),
            }
        } else if op == CmpOp::SLe(IntType::I64) {
            match holds {
                true => self.facts.assume_le(a, b),
                false => self.facts.assume_lt(b, a),
            }
        } else if op == CmpOp::Eq(PrimType::Int(IntType::I64)) {
            match holds {
                true => {
                    self.facts.assume_le(a, b);
                    self.facts.assume_le(b, a);
                }
                // At an edge, unequal is beyond it.
                false if self.facts.le(a, b) => self.facts.assume_le(&(a.clone() + one), b),
                false if self.facts.le(b, a) => self.facts.assume_le(&(b.clone() + one), a),
                false => {}
            }
        }
    }
}
