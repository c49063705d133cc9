//! Assignments that satisfy the facts, found by trial and repair.
//!
//! They only save work: a goal that is false under some such assignment cannot be proven, so the search drops it.
//! An assignment that fails some fact we did not look at can cost a proof, but never make one.
//!
//! ```text
//! facts  0 <= n, m <= n, 0 <= m      goal  n <= 4
//! start  n = 1, m = 1                the goal holds, so n becomes 5, and the goal is refuted
//! ```

use crate::facts::Facts;
use crate::monomial::Sym;
use crate::poly::Poly;
use rustc_hash::FxHashMap;

/// Variables and facts that are looked at, following facts from the variables of the goal.
const MAX_VARS: usize = 20;
const MAX_FACTS: usize = 60;
/// Attempts, and repairs made in each.
const ATTEMPTS: u64 = 4;
const REPAIRS: usize = 100;
/// Attempts at assignments that need not refute anything.
const SAMPLES: u64 = 2;
/// Assignments kept.
const MAX_MODELS: usize = 8;

/// Some assignments, found for a set of variables and those they are related to.
#[derive(Default)]
pub(crate) struct Models {
    /// The variables, with their places in assignments.
    places: FxHashMap<Sym, usize>,
    facts: Vec<Goal>,
    /// For each place, the facts whose values depend on it.
    dependent: Vec<Vec<usize>>,
    found: Vec<Vec<i64>>,
    /// Whether assignments were looked for that need not refute anything.
    sampled: bool,
    /// Whether every other attempt moves the latest variable.
    latest: bool,
}

impl Models {
    /// No assignments yet. With `latest`, every other attempt moves the latest variable of a violated fact:
    /// what is computed from others (a maximum, a quotient) comes after them and can follow them.
    pub(crate) fn new(latest: bool) -> Models {
        Models { latest, ..Models::default() }
    }

    /// Whether some assignment found so far makes `p` negative.
    pub(crate) fn refute(&self, p: &Poly) -> bool {
        self.found.iter().any(|model| {
            let value = p.eval(|x| self.places.get(&x).map(|place| model[*place]));
            value.is_some_and(|v| v < 0)
        })
    }

    /// Makes assignments have values for these variables.
    pub(crate) fn cover(&mut self, facts: &Facts, vars: &[Sym]) {
        if vars.iter().all(|x| self.places.contains_key(x)) {
            return;
        }
        let mut all: Vec<Sym> = self.places.keys().chain(vars).copied().collect();
        all.sort_unstable();
        all.dedup();
        let mut related = related(facts, &mut all);
        // Products are repaired when what is linear holds: the other way round, they grow beyond all bounds.
        related.sort_by_key(|f| (f.degree(), f.terms().len()));
        self.places = all.into_iter().enumerate().map(|(place, x)| (x, place)).collect();
        self.facts.clear();
        self.dependent = vec![vec![]; self.places.len()];
        for fact in related {
            self.push(fact);
        }
        self.found.clear();
        self.sampled = false;
    }

    /// Looks for an assignment that makes `p` negative, and keeps it. All variables of `p` must be covered.
    pub(crate) fn hunt(&mut self, p: &Poly) -> bool {
        self.push(&(-p - 1));
        let found = (0..ATTEMPTS).find_map(|attempt| self.solve(attempt));
        self.pop();
        let refuted = found.is_some();
        self.found.extend(found);
        if self.found.len() > MAX_MODELS {
            self.found.remove(0);
        }
        refuted
    }

    fn push(&mut self, p: &Poly) {
        let goal = Goal::new(p, &self.places);
        for x in &goal.vars {
            self.dependent[*x].push(self.facts.len());
        }
        self.facts.push(goal);
    }

    fn pop(&mut self) {
        for x in self.facts.pop().iter().flat_map(|goal| &goal.vars) {
            self.dependent[*x].pop();
        }
    }

    /// Looks for some assignments, whatever they refute.
    pub(crate) fn sample(&mut self) {
        if !self.sampled {
            self.sampled = true;
            for attempt in 0..SAMPLES {
                self.found.extend(self.solve(attempt));
            }
        }
    }

    /// Starts somewhere and, while a fact is violated, moves one of its variables just far enough.
    fn solve(&self, attempt: u64) -> Option<Vec<i64>> {
        let mut random = Random(attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let start = |random: &mut Random| match attempt {
            0 => 1,
            1 => 2 + random.below(3),
            _ => random.below(12),
        };
        let mut model: Vec<i64> = (0..self.places.len()).map(|_| start(&mut random)).collect();
        let violated = |f: &Goal, model: &[i64]| f.value(model).is_none_or(|v| v < 0);
        let mut wrong: Vec<bool> = self.facts.iter().map(|f| violated(f, &model)).collect();
        for _ in 0..REPAIRS {
            let Some(at) = wrong.iter().position(|w| *w) else {
                return Some(model);
            };
            let fact = &self.facts[at];
            let first = match self.latest && attempt % 2 == 0 {
                true => fact.vars.len().saturating_sub(1),
                false => random.below(fact.vars.len() as u64) as usize,
            };
            let order = fact.vars[first..].iter().chain(&fact.vars[..first]);
            let (x, value) = order.copied().find_map(|x| Some((x, fact.repaired(x, &model)?)))?;
            model[x] = value;
            for k in &self.dependent[x] {
                wrong[*k] = violated(&self.facts[*k], &model);
            }
        }
        None
    }
}

/// Adds variables that facts relate to the given ones, and returns those facts. None of the variables has a rewrite.
fn related<'a>(facts: &'a Facts, vars: &mut Vec<Sym>) -> Vec<&'a Poly> {
    let mut found: Vec<&Poly> = Vec::new();
    let mut at = 0;
    while at < vars.len() && found.len() < MAX_FACTS {
        for fact in facts.about(vars[at]).take(MAX_FACTS) {
            if found.iter().any(|f| std::ptr::eq(*f, fact)) {
                continue;
            }
            let mut new = fact.vars();
            new.retain(|y| !vars.contains(y));
            let stale = || new.iter().any(|y| facts.rewrite_of(*y).is_some());
            if vars.len() + new.len() <= MAX_VARS && !stale() {
                vars.extend(new);
                found.push(fact);
            }
        }
        at += 1;
    }
    found
}

/// A polynomial that is to be at least zero, over places in assignments.
struct Goal {
    /// Coefficients, and where their factors end.
    terms: Vec<(i64, usize)>,
    factors: Vec<usize>,
    /// The variables, the latest last.
    vars: Vec<usize>,
}

impl Goal {
    fn new(p: &Poly, places: &FxHashMap<Sym, usize>) -> Goal {
        let place = |x: &Sym| places.get(x).copied();
        let mut goal =
            Goal { terms: vec![], factors: vec![], vars: p.vars().iter().filter_map(place).collect() };
        for (m, c) in p.terms() {
            goal.factors.extend(m.factors().iter().filter_map(place));
            goal.terms.push((*c, goal.factors.len()));
        }
        goal
    }

    /// The value under an assignment; `None` on overflow.
    fn value(&self, model: &[i64]) -> Option<i64> {
        self.split(model, None).map(|(total, _)| total)
    }

    /// The value of `x` nearest to its present one that satisfies a violated goal linear in `x`.
    fn repaired(&self, x: usize, model: &[i64]) -> Option<i64> {
        let (e, a) = self.split(model, Some(x))?;
        match a {
            0 => None,
            _ if a > 0 => e.checked_div_euclid(a)?.checked_neg(),
            _ => e.checked_div_euclid(a.checked_neg()?),
        }
    }

    /// The value of the terms without `x`, and that of the others without one factor `x`.
    fn split(&self, model: &[i64], x: Option<usize>) -> Option<(i64, i64)> {
        let (mut without, mut with) = (0_i64, 0_i64);
        let mut from = 0;
        for (c, until) in &self.terms {
            let mut product = *c;
            let mut left_out = false;
            for factor in &self.factors[from..*until] {
                match !left_out && x == Some(*factor) {
                    true => left_out = true,
                    false => product = product.checked_mul(model[*factor])?,
                }
            }
            let total = if left_out { &mut with } else { &mut without };
            *total = total.checked_add(product)?;
            from = *until;
        }
        Some((without, with))
    }
}

/// A small deterministic source of variety.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n.max(1)) as i64
    }
}
