//! Constant bounds of variables, by interval arithmetic over the facts.
//!
//! Bounds are kept with the facts and improved whenever a fact is added: the fact may bound each of its
//! variables, given the bounds of the others, and a better bound of a variable may improve those that other
//! facts give. So a question about bounds is a lookup, however many facts there are, and a fact that improves
//! nothing costs no more than itself.
//!
//! ```text
//! known  0 <= i                      i is at least 0
//! added  i < n                       n is at least 1
//! added  3 <= i                      i is at least 3, and so n at least 4
//! ```

use crate::monomial::{Monomial, Sym};
use crate::poly::Poly;

/// Facts that are looked at again because of one new fact. Facts that contradict each other would improve
/// bounds for ever.
pub(crate) const MAX_VISITS: usize = 256;
/// How many facts about one variable are looked at again when its bounds improve.
pub(crate) const MAX_FACTS: usize = 24;

/// An interval; an absent end is unbounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Range {
    pub(crate) low: Option<i128>,
    pub(crate) high: Option<i128>,
}

/// Which end of an interval is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Low,
    High,
}

/// What is known of the variables of a fact.
pub(crate) type Bounds = [(Sym, Range)];

/// The bounds of `x`, a variable of a fact, once it is known that the fact holds.
pub(crate) fn improved(bounds: &Bounds, fact: &Poly, x: Sym) -> Range {
    let mut range = of(bounds, x);
    if let Some(low) = bound_from(bounds, fact, x, Side::Low) {
        range.low = Some(range.low.map_or(low, |l| l.max(low)));
    }
    if let Some(high) = bound_from(bounds, fact, x, Side::High) {
        range.high = Some(range.high.map_or(high, |h| h.min(high)));
    }
    range
}

fn of(bounds: &Bounds, x: Sym) -> Range {
    bounds.iter().find(|(y, _)| *y == x).map_or_else(Range::default, |(_, range)| *range)
}

/// The bound of `x` that follows from a fact, `a*x + e >= 0`.
fn bound_from(bounds: &Bounds, fact: &Poly, x: Sym, side: Side) -> Option<i128> {
    let low = match alone(fact, x) {
        // Most facts have the variable in a term of its own, and half of them bound it from the other side.
        Some(c) => {
            let c = match side {
                Side::Low => i128::from(c),
                Side::High => -i128::from(c),
            };
            if c <= 0 {
                return None;
            }
            let others = fact.terms().iter().filter(|(m, _)| m.factors() != [x]);
            terms(bounds, others, Side::High)?.div_euclid(c).checked_neg()?
        }
        None => {
            let (a, e) = fact.split_on(x);
            if a.mentions(x) {
                return None;
            }
            // Seen from the other side, `a*x` with `x = -y` has the factor `-a`.
            let a = match side {
                Side::Low => a,
                Side::High => -a,
            };
            let least = terms(bounds, e.terms(), Side::High)?.checked_neg()?;
            let a_low = terms(bounds, a.terms(), Side::Low)?;
            match (least, a_low) {
                (1.., 0..) => 1,
                (0, 1..) => 0,
                _ => return None,
            }
        }
    };
    match side {
        Side::Low => Some(low),
        Side::High => low.checked_neg(),
    }
}

/// A bound of a sum.
fn terms<'a>(
    bounds: &Bounds,
    terms: impl IntoIterator<Item = &'a (Monomial, i64)>,
    side: Side,
) -> Option<i128> {
    let mut total: i128 = 0;
    for (m, c) in terms {
        let part = match (side, *c > 0) {
            (Side::Low, true) | (Side::High, false) => product(bounds, m, Side::Low),
            (Side::Low, false) | (Side::High, true) => product(bounds, m, Side::High),
        };
        total = total.checked_add(part?.checked_mul(i128::from(*c))?)?;
    }
    Some(total)
}

fn product(bounds: &Bounds, m: &Monomial, side: Side) -> Option<i128> {
    let mut range = Range::point(1);
    for (x, power) in powers(m) {
        range = match range == Range::point(1) && power == 1 {
            true => of(bounds, x),
            false => range.times(of(bounds, x).to_the(power)),
        };
    }
    match side {
        Side::Low => range.low,
        Side::High => range.high,
    }
}

/// The coefficient of a variable that is in one term only, by itself.
fn alone(fact: &Poly, x: Sym) -> Option<i64> {
    let mut with = fact.terms().iter().filter(|(m, _)| m.contains(x));
    match (with.next(), with.next()) {
        (Some((m, c)), None) if m.degree() == 1 => Some(*c),
        _ => None,
    }
}

impl Range {
    fn point(value: i128) -> Range {
        Range { low: Some(value), high: Some(value) }
    }

    fn times(self, other: Range) -> Range {
        if self == Range::point(0) || other == Range::point(0) {
            return Range::point(0);
        }
        let ends = |r: Range| [End::low(r), End::high(r)];
        let mut low: Option<End> = None;
        let mut high: Option<End> = None;
        for a in ends(self) {
            for b in ends(other) {
                let Some(product) = a.times(b) else {
                    return Range::default();
                };
                low = Some(low.map_or(product, |l| l.min(product)));
                high = Some(high.map_or(product, |h| h.max(product)));
            }
        }
        Range { low: low.and_then(End::finite), high: high.and_then(End::finite) }
    }

    fn to_the(self, power: usize) -> Range {
        let mut result = (1..power).fold(self, |acc, _| acc.times(self));
        if power % 2 == 0 {
            result.low = Some(result.low.map_or(0, |l| l.max(0)));
        }
        result
    }
}

/// An end of an interval, ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    MinusInfinity,
    At(i128),
    PlusInfinity,
}

impl End {
    fn low(r: Range) -> End {
        r.low.map_or(End::MinusInfinity, End::At)
    }

    fn high(r: Range) -> End {
        r.high.map_or(End::PlusInfinity, End::At)
    }

    fn finite(self) -> Option<i128> {
        match self {
            End::At(v) => Some(v),
            End::MinusInfinity | End::PlusInfinity => None,
        }
    }

    fn sign(self) -> i32 {
        match self {
            End::MinusInfinity => -1,
            End::At(v) => v.signum() as i32,
            End::PlusInfinity => 1,
        }
    }

    /// The product, where zero times anything is zero; `None` on overflow.
    fn times(self, other: End) -> Option<End> {
        match (self, other) {
            (End::At(a), End::At(b)) => a.checked_mul(b).map(End::At),
            _ => Some(match self.sign() * other.sign() {
                0 => End::At(0),
                s if s > 0 => End::PlusInfinity,
                _ => End::MinusInfinity,
            }),
        }
    }
}

/// The distinct factors of a monomial with how often each occurs.
pub(crate) fn powers(m: &Monomial) -> impl Iterator<Item = (Sym, usize)> + '_ {
    m.factors().chunk_by(|a, b| a == b).map(|group| (group[0], group.len()))
}
