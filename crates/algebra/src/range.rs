//! Constant bounds of variables and expressions, by interval arithmetic over the facts.

use crate::facts::Facts;
use crate::monomial::{Monomial, Sym};
use crate::poly::Poly;
use rustc_hash::FxHashMap;

/// How many variables are looked at for one answer.
const MAX_VISITS: u32 = 48;
/// How many facts about one variable are looked at.
const MAX_FACTS: usize = 24;

/// An interval; an absent end is unbounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Range {
    pub(crate) low: Option<i128>,
    pub(crate) high: Option<i128>,
}

/// Which end of an interval is wanted. Asking for one end at a time keeps chains such as `i < q < n` from
/// leading back to where they began.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Low,
    High,
}

/// Remembers the bounds of variables while one set of facts is being asked about.
#[derive(Default)]
pub(crate) struct Ranges {
    known: FxHashMap<(Sym, Side), Option<i128>>,
    /// The questions being answered, to notice those that lead back.
    open: Vec<(Sym, Side)>,
    visits_left: u32,
    /// Whether an answer was cut short since this was last reset.
    cut: bool,
}

impl Ranges {
    /// The constant bounds of a variable.
    pub(crate) fn of_var(&mut self, facts: &Facts, x: Sym) -> Range {
        let mut ask = |side| {
            self.visits_left = MAX_VISITS;
            let answer = self.var(facts, x, side);
            self.known.insert((x, side), answer);
            answer
        };
        Range { low: ask(Side::Low), high: ask(Side::High) }
    }

    fn var(&mut self, facts: &Facts, x: Sym, side: Side) -> Option<i128> {
        if let Some(answer) = self.known.get(&(x, side)) {
            return *answer;
        }
        if self.visits_left == 0 || self.open.contains(&(x, side)) {
            self.cut = true;
            return None;
        }
        self.visits_left -= 1;
        self.open.push((x, side));
        let cut_before = std::mem::replace(&mut self.cut, false);
        let mut best: Option<i128> = None;
        for fact in facts.about(x).take(MAX_FACTS) {
            let found = self.bound_from(facts, fact, x, side);
            best = match (best, found) {
                (Some(a), Some(b)) if side == Side::Low => Some(a.max(b)),
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        self.open.pop();
        if !self.cut {
            self.known.insert((x, side), best);
        }
        self.cut |= cut_before;
        best
    }

    /// The bound of `x` that follows from a fact, `a*x + e >= 0`.
    fn bound_from(&mut self, facts: &Facts, fact: &Poly, x: Sym, side: Side) -> Option<i128> {
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
                self.terms(facts, others, Side::High)?.div_euclid(c).checked_neg()?
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
                let least = self.terms(facts, e.terms(), Side::High)?.checked_neg()?;
                let a_low = self.terms(facts, a.terms(), Side::Low)?;
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
        &mut self,
        facts: &Facts,
        terms: impl IntoIterator<Item = &'a (Monomial, i64)>,
        side: Side,
    ) -> Option<i128> {
        let mut total: i128 = 0;
        for (m, c) in terms {
            let part = match (side, *c > 0) {
                (Side::Low, true) | (Side::High, false) => self.product(facts, m, Side::Low),
                (Side::Low, false) | (Side::High, true) => self.product(facts, m, Side::High),
            };
            total = total.checked_add(part?.checked_mul(i128::from(*c))?)?;
        }
        Some(total)
    }

    fn product(&mut self, facts: &Facts, m: &Monomial, side: Side) -> Option<i128> {
        if let [x] = m.factors() {
            return self.var(facts, *x, side);
        }
        let mut range = Range::point(1);
        for (x, power) in powers(m) {
            let factor = Range { low: self.var(facts, x, Side::Low), high: self.var(facts, x, Side::High) };
            range = range.times(factor.to_the(power));
        }
        match side {
            Side::Low => range.low,
            Side::High => range.high,
        }
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
