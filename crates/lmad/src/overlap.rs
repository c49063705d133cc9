//! Proving that accesses never meet.
//!
//! Two sets of points meet when some difference of their points is zero. The differences form a *sum of strided
//! intervals*: `offset + [l1, h1]*s1 + [l2, h2]*s2 + ...`, where each dimension of the first set adds an interval
//! `[0, size-1]`, each one of the second `[-(size-1), 0]`, and intervals with the same stride are added up. So
//! the question is whether zero is in such a sum. It is answered one stride at a time:
//!
//! * If the sum lies on one side of zero, or misses it by a remainder modulo something that divides all
//!   strides, zero is not in it.
//! * Otherwise pick a stride `s` such that the rest of the sum (with as much of the offset as `s` divides moved
//!   onto `s`) stays within a few times `s`. Then only a few multiples of `s` could balance the rest: a case
//!   for each. Multiples outside their interval fall away; the others give a smaller question in which, on top,
//!   it is known that the multiple was inside its interval.
//!
//! Testing the difference rather than both sets means that neither has to be free of overlap with itself, that
//! offsets may have any sign, and that no dimension has to be split. A case distinction is an exact step, so
//! there is nothing to go back to: the work is bounded by the number of strides and of cases.
//!
//! Example (the blocked anti-diagonal of Needleman-Wunsch): the strides are `n*b - b`, `n` and `1`. The rest of
//! the first reaches past one stride, so it may be balanced by `0` or `-1`; both are refuted by `1`, one of them
//! because `-(n*b - b)` is `-b` steps of `n` and a remainder `b`.

use crate::lmad::Lmad;
use fehu_algebra::{Facts, Poly, Prover};

/// Prover steps spent on one question before giving up. The hardest ones of `bench/nw.fut` and
/// `bench/lud.fut` take 230.
const STEPS: u32 = 2_000;
/// Steps charged for distinguishing the signs of a stride, so that it cannot go on for long.
const SPLIT_STEPS: u32 = 500;
/// The largest multiple of a stride that the rest of a sum may reach.
const MAX_MULTIPLE: i64 = 2;

/// Whether it is proven that the two sets of points have nothing in common. Sets that may be empty are taken to
/// have points, since empty ones meet nothing.
pub fn disjoint(facts: &Facts, a: &Lmad, b: &Lmad) -> bool {
    if !a.is_known() || !b.is_known() {
        return false;
    }
    let facts = inhabited(facts, &[a, b]);
    let mut sum = Sum::of_offset(facts.normalise(&(&a.offset - &b.offset)));
    for d in &a.dims {
        sum.add(&facts, &Poly::zero(), &(&d.size - 1), &d.stride);
    }
    for d in &b.dims {
        sum.add(&facts, &(-&d.size + 1), &Poly::zero(), &d.stride);
    }
    let mut steps = STEPS;
    excludes_zero(&facts, sum, &mut steps)
}

/// Whether it is proven that different indices reach different points, so that all of them may be written at
/// once.
pub fn injective(facts: &Facts, a: &Lmad) -> bool {
    if !a.is_known() {
        return false;
    }
    let facts = inhabited(facts, &[a]);
    let mut sum = Sum::of_offset(Poly::zero());
    for d in &a.dims {
        let reach = &d.size - 1;
        let stride = facts.normalise(&d.stride);
        sum.push(-&reach, reach, stride);
    }
    let mut steps = STEPS;
    zero_only_at_zero(&facts, sum, &mut steps)
}

/// The facts, and that all sizes are at least one.
pub(crate) fn inhabited(facts: &Facts, sets: &[&Lmad]) -> Facts {
    let mut facts = facts.clone();
    for d in sets.iter().flat_map(|l| &l.dims) {
        facts.assume_le(&Poly::one(), &d.size);
    }
    facts
}

/// A sum of strided intervals.
#[derive(Clone, Debug)]
struct Sum {
    offset: Poly,
    parts: Vec<Part>,
}

/// `[low, high] * stride`.
#[derive(Clone, Debug)]
struct Part {
    low: Poly,
    high: Poly,
    stride: Poly,
}

/// A stride whose multiples are limited by the rest of the sum.
struct Choice {
    part: usize,
    /// How much of the offset was moved onto the stride.
    moved: Poly,
    /// The multiples, counted with what was moved, that can balance the rest.
    least: i64,
    most: i64,
}

impl Sum {
    fn of_offset(offset: Poly) -> Sum {
        Sum { offset, parts: Vec::new() }
    }

    /// Adds `[low, high] * stride`, onto the part with the same or the opposite stride if there is one.
    fn add(&mut self, facts: &Facts, low: &Poly, high: &Poly, stride: &Poly) {
        let stride = facts.normalise(stride);
        let opposite = -&stride;
        for part in &mut self.parts {
            if part.stride == stride {
                part.low = &part.low + low;
                part.high = &part.high + high;
                return;
            }
            if part.stride == opposite {
                part.low = &part.low - high;
                part.high = &part.high - low;
                return;
            }
        }
        self.push(low.clone(), high.clone(), stride);
    }

    fn push(&mut self, low: Poly, high: Poly, stride: Poly) {
        self.parts.push(Part { low, high, stride });
    }

    /// Makes all strides positive and drops parts that are zero; `Err` names a part whose stride's sign is
    /// unknown.
    fn orient(&mut self, prover: &mut Prover<'_>) -> Result<(), usize> {
        self.parts.retain(|p| !(p.stride.is_zero() || p.low.is_zero() && p.high.is_zero()));
        for (k, p) in self.parts.iter_mut().enumerate() {
            if prover.positive(&p.stride) {
                continue;
            }
            if !prover.positive(&-&p.stride) {
                return Err(k);
            }
            p.stride = -&p.stride;
            (p.low, p.high) = (-&p.high, -&p.low);
        }
        Ok(())
    }

    fn lowest(&self) -> Poly {
        let ends = self.parts.iter().map(|p| &p.low * &p.stride);
        ends.fold(self.offset.clone(), |acc, end| acc + end)
    }

    fn highest(&self) -> Poly {
        let ends = self.parts.iter().map(|p| &p.high * &p.stride);
        ends.fold(self.offset.clone(), |acc, end| acc + end)
    }
}

/// Whether zero is not in the sum.
fn excludes_zero(facts: &Facts, mut sum: Sum, steps: &mut u32) -> bool {
    let mut prover = Prover::with_steps(facts, *steps);
    let oriented = sum.orient(&mut prover);
    if oriented.is_ok()
        && (prover.positive(&sum.lowest())
            || prover.positive(&-sum.highest())
            || misses_by_remainder(&mut prover, &sum))
    {
        *steps = prover.steps_left();
        return true;
    }
    *steps = prover.steps_left();
    if *steps == 0 {
        return false;
    }
    if let Err(k) = oriented {
        return by_sign(facts, &sum, k, steps);
    }
    let cases = cases(facts, &mut prover, &sum);
    *steps = prover.steps_left();
    cases.is_some_and(|cases| cases.into_iter().all(|(_, facts, rest)| excludes_zero(&facts, rest, steps)))
}

/// Whether the sum is zero only if every part is zero.
fn zero_only_at_zero(facts: &Facts, mut sum: Sum, steps: &mut u32) -> bool {
    let mut prover = Prover::with_steps(facts, *steps);
    sum.parts.retain(|p| !(prover.zero(&p.low) && prover.zero(&p.high)));
    if sum.parts.is_empty() {
        return true;
    }
    // A stride that may be zero is fatal here, so there is no distinction by sign.
    if sum.parts.iter().any(|p| p.stride.is_zero()) || sum.orient(&mut prover).is_err() {
        return false;
    }
    let cases = cases(facts, &mut prover, &sum);
    *steps = prover.steps_left();
    cases.is_some_and(|cases| {
        cases.into_iter().all(|(index, facts, rest)| match index.is_zero() {
            true => zero_only_at_zero(&facts, rest, steps),
            false => excludes_zero(&facts, rest, steps),
        })
    })
}

/// The cases that are left for one well-chosen part: its index, what is known then, and the rest of the sum.
fn cases(facts: &Facts, prover: &mut Prover<'_>, sum: &Sum) -> Option<Vec<(Poly, Facts, Sum)>> {
    let choice = choose(facts, prover, sum)?;
    let part = &sum.parts[choice.part];
    let mut cases = Vec::new();
    for multiple in choice.least..=choice.most {
        let index = Poly::constant(multiple) - &choice.moved;
        if prover.lt(&index, &part.low) || prover.lt(&part.high, &index) {
            continue;
        }
        let mut facts = facts.clone();
        facts.assume_le(&part.low, &index);
        facts.assume_le(&index, &part.high);
        let mut rest = sum.clone();
        rest.offset = facts.normalise(&(&sum.offset + &index * &part.stride));
        rest.parts.remove(choice.part);
        cases.push((index, facts, rest));
    }
    Some(cases)
}

/// Distinguishes the signs of a stride that may be zero but is not negative (or not positive).
fn by_sign(facts: &Facts, sum: &Sum, k: usize, steps: &mut u32) -> bool {
    let stride = &sum.parts[k].stride;
    let mut prover = Prover::with_steps(facts, *steps);
    let away = if prover.nonneg(stride) {
        stride.clone()
    } else if prover.nonneg(&-stride) {
        -stride
    } else {
        return false;
    };
    *steps = prover.steps_left().saturating_sub(SPLIT_STEPS);
    let mut zero = facts.clone();
    zero.assume_eq(stride, &Poly::zero());
    let mut without = sum.clone();
    without.parts.remove(k);
    let mut nonzero = facts.clone();
    nonzero.assume_le(&Poly::one(), &away);
    excludes_zero(&zero, without, steps) && excludes_zero(&nonzero, sum.clone(), steps)
}

/// Whether the offset has a remainder modulo something that divides all strides.
fn misses_by_remainder(prover: &mut Prover<'_>, sum: &Sum) -> bool {
    let strides = || sum.parts.iter().map(|p| &p.stride);
    if sum.parts.is_empty() {
        return prover.nonzero(&sum.offset);
    }
    let content = strides().fold(0, |acc: u64, s| gcd(acc, s.content()));
    let monomials = strides().map(Poly::common_monomial);
    let common = monomials.reduce(|a, b| a.common(&b)).unwrap_or_default();
    let mut candidates = Vec::new();
    if let Ok(content) = i64::try_from(content) {
        candidates.push(Poly::term(common, content));
    }
    for s in strides() {
        if strides().all(|t| t.div_exact(s).is_some()) {
            candidates.push(s.clone());
        }
    }
    candidates.into_iter().filter(|g| !g.is_one()).any(|g| {
        sum.offset.div_rem(&g).is_some_and(|(_, r)| {
            prover.positive(&r) && prover.lt(&r, &g) || prover.positive(&-&r) && prover.lt(&-&r, &g)
        })
    })
}

/// The stride whose multiples are limited most by the rest of the sum, if any is.
fn choose(facts: &Facts, prover: &mut Prover<'_>, sum: &Sum) -> Option<Choice> {
    let mut best: Option<Choice> = None;
    let (lowest, highest) = (sum.lowest(), sum.highest());
    let mut order: Vec<usize> = (0..sum.parts.len()).collect();
    order.sort_by_key(|k| std::cmp::Reverse(sum.parts[*k].stride.degree()));
    for k in order {
        let part = &sum.parts[k];
        let quotient = sum.offset.div_rem(&part.stride).map(|(q, _)| q);
        let mut moves = vec![quotient.unwrap_or_else(Poly::zero)];
        if !moves[0].is_zero() {
            moves.push(Poly::zero());
        }
        for moved in moves {
            let back = &moved * &part.stride;
            let rest_low = facts.normalise(&(&lowest - &part.low * &part.stride - &back));
            let rest_high = facts.normalise(&(&highest - &part.high * &part.stride - &back));
            let (low, high) = (&part.low + &moved, &part.high + &moved);
            let limit = |prover: &mut Prover<'_>, rest: &Poly, own: &Poly| {
                (0..=MAX_MULTIPLE).find(|m| {
                    prover.lt(rest, &(&part.stride * (*m + 1))) || prover.le(own, &Poly::constant(*m))
                })
            };
            let Some(below) = limit(prover, &rest_high, &-low) else {
                continue;
            };
            let Some(most) = limit(prover, &-rest_low, &high) else {
                continue;
            };
            let narrower = best.as_ref().is_none_or(|b| below + most < b.most - b.least);
            if narrower {
                let least = -below;
                best = Some(Choice { part: k, moved, least, most });
            }
            if below + most == 0 {
                return best;
            }
        }
    }
    best
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
