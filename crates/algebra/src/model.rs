//! Assignments that satisfy the facts, found by trial and repair.
//!
//! They only save work: a goal that is false under some such assignment cannot be proven, so the search drops it.
//! An assignment that fails some fact we did not look at can cost a proof, but never make one.

use crate::facts::Facts;
use crate::monomial::Sym;
use crate::poly::Poly;
use rustc_hash::FxHashMap;

/// Variables and facts that are looked at, following facts from the variables of the goal.
const MAX_VARS: usize = 20;
const MAX_FACTS: usize = 60;
/// Attempts, and repairs made in each.
const ATTEMPTS: u64 = 4;
const REPAIRS: usize = 30;
/// Assignments kept.
const MAX_MODELS: usize = 8;

/// Some assignments, found for a set of variables and those they are related to.
#[derive(Default)]
pub(crate) struct Models<'a> {
    vars: Vec<Sym>,
    facts: Vec<&'a Poly>,
    found: Vec<FxHashMap<Sym, i64>>,
}

impl<'a> Models<'a> {
    /// Whether some assignment found so far makes `p` negative.
    pub(crate) fn refute(&self, p: &Poly) -> bool {
        self.found.iter().any(|model| {
            let value = p.eval(|x| model.get(&x).copied());
            value.is_some_and(|v| v < 0)
        })
    }

    /// Looks for assignments of these variables unless they are covered already.
    pub(crate) fn cover(&mut self, facts: &'a Facts, vars: &[Sym]) {
        if vars.iter().all(|x| self.vars.contains(x)) {
            return;
        }
        self.vars.extend_from_slice(vars);
        self.vars.sort_unstable();
        self.vars.dedup();
        self.facts = related(facts, &mut self.vars);
        self.found.clear();
        for attempt in 0..ATTEMPTS {
            self.found.extend(solve(&self.vars, &self.facts, attempt));
        }
    }

    /// Looks for an assignment that makes `p` negative, and keeps it.
    pub(crate) fn hunt(&mut self, p: &Poly) -> bool {
        let negated = -p - 1;
        let mut facts = self.facts.clone();
        facts.push(&negated);
        let found = (0..ATTEMPTS).find_map(|attempt| solve(&self.vars, &facts, attempt));
        let refuted = found.is_some();
        self.found.extend(found);
        if self.found.len() > MAX_MODELS {
            self.found.remove(0);
        }
        refuted
    }
}

/// Adds variables that facts relate to the given ones, and returns those facts.
fn related<'a>(facts: &'a Facts, vars: &mut Vec<Sym>) -> Vec<&'a Poly> {
    let mut found: Vec<&Poly> = Vec::new();
    let mut at = 0;
    while at < vars.len() && found.len() < MAX_FACTS {
        for fact in facts.about(vars[at]).take(MAX_FACTS) {
            let mentioned = fact.vars();
            let stale = mentioned.iter().any(|y| facts.rewrite_of(*y).is_some());
            let new = mentioned.iter().filter(|y| !vars.contains(y)).count();
            if stale || vars.len() + new > MAX_VARS || found.contains(&fact) {
                continue;
            }
            for y in mentioned {
                if !vars.contains(&y) {
                    vars.push(y);
                }
            }
            found.push(fact);
        }
        at += 1;
    }
    found
}

/// Starts somewhere and, while a fact is violated, moves one of its variables just far enough.
fn solve(vars: &[Sym], facts: &[&Poly], attempt: u64) -> Option<FxHashMap<Sym, i64>> {
    let mut random = Random(attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let start = |random: &mut Random| match attempt {
        0 => 1,
        1 => 2 + random.below(3),
        _ => random.below(12),
    };
    let mut model: FxHashMap<Sym, i64> = vars.iter().map(|x| (*x, start(&mut random))).collect();
    for _ in 0..REPAIRS {
        let violated = |f: &&&Poly| f.eval(|x| model.get(&x).copied()).is_none_or(|v| v < 0);
        let Some(fact) = facts.iter().find(violated) else {
            return Some(model);
        };
        let choices = fact.vars();
        let first = random.below(choices.len() as u64) as usize;
        let order = choices[first..].iter().chain(&choices[..first]);
        let (x, value) = order.copied().find_map(|x| Some((x, repaired(fact, x, &model)?)))?;
        model.insert(x, value);
    }
    None
}

/// The value of `x` nearest to its present one that satisfies a violated fact linear in `x`.
fn repaired(fact: &Poly, x: Sym, model: &FxHashMap<Sym, i64>) -> Option<i64> {
    let (a, e) = fact.split_on(x);
    let value = |p: &Poly| p.eval(|y| model.get(&y).copied());
    let (a, e) = (value(&a)?, value(&e)?);
    match a {
        0 => None,
        _ if a > 0 => e.checked_div_euclid(a)?.checked_neg(),
        _ => e.checked_div_euclid(a.checked_neg()?),
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
