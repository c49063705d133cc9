//! The search for a proof of `p >= 0`.
//!
//! A goal is replaced by a goal that implies it until one is obvious. If `f >= 0` is a fact with `f = a*x + e`,
//! and the goal is `g = c*x + d`, then with `a > 0` and `c >= 0` it is enough to prove `a*g - c*f >= 0`, which no
//! longer has that `x`: the variable was replaced by its bound. Facts about products come for free, since `c`
//! may be any expression whose sign can be proven; such side questions have a lower degree, so they end.
//!
//! A goal is *obvious* when every variable can be written as its constant lower bound plus something
//! non-negative (or its upper bound minus that) so that all coefficients come out non-negative.
//!
//! A goal that is false under an assignment satisfying the facts is dropped at once. Most questions that have no proof
//! end that way, on the question itself.
//!
//! Goals wait in a queue, simplest first. Everything is counted: a question costs a bounded number of steps.

use crate::facts::Facts;
use crate::model::Models;
use crate::monomial::{Monomial, Sym};
use crate::poly::Poly;
use crate::range::powers;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Goals taken up for one question, and for a question asked on the way.
const GOALS: u32 = 40;
const SIDE_GOALS: u32 = 8;
/// Goals taken up before trying to refute the question.
const EASY_GOALS: u32 = 2;
/// How deep side questions nest.
const DEPTH: u32 = 3;
/// Steps that one prover may take in its life unless its maker says otherwise.
const STEPS: u32 = 4000;
/// Steps for a question that is likely to have no proof: several times as many as such proofs were seen to take.
const DOUBTFUL_STEPS: u32 = 200;
/// Larger goals are not followed.
const MAX_GOAL_TERMS: usize = 32;
/// Facts looked at for one variable of a goal, and those of them that are tried.
const MAX_SCANNED: usize = 100;
const MAX_FACTS: usize = 12;
/// Nested case distinctions over alternatives.
const MAX_CASES: u32 = 3;

/// Answers questions about one set of facts, remembering what it found out.
///
/// `Facts` makes one for each question; make your own to ask many questions of the same facts, or to bound the
/// work of all of them together.
pub struct Prover<'a> {
    facts: &'a Facts,
    models: Models,
    answers: FxHashMap<Poly, Answer>,
    /// The facts about variables that were needed so far.
    about: FxHashMap<Sym, Rc<[About<'a>]>>,
    steps_left: u32,
    doubtful: bool,
}

/// A fact seen from one of its variables.
struct About<'a> {
    fact: &'a Poly,
    vars: Vec<Sym>,
    /// What the variable is multiplied by; it may be there again.
    factor: Poly,
    squared: bool,
}

#[derive(Clone, Copy)]
enum Answer {
    Proven,
    /// Not found with this many goals and this depth of side questions.
    Unknown {
        goals: u32,
        depth: u32,
    },
}

impl<'a> Prover<'a> {
    /// A prover with the usual bound on its work.
    pub fn new(facts: &'a Facts) -> Prover<'a> {
        Prover::with_steps(facts, STEPS)
    }

    /// A prover that takes at most `steps` steps in its life (a step is around a microsecond).
    pub fn with_steps(facts: &'a Facts, steps: u32) -> Prover<'a> {
        Prover {
            facts,
            models: Models::default(),
            answers: FxHashMap::default(),
            about: FxHashMap::default(),
            steps_left: steps,
            doubtful: false,
        }
    }

    /// A prover for a question that is likely to have no proof, as most have that are asked wherever an
    /// answer might help: it tries to refute the question before it looks for a proof.
    pub(crate) fn doubtful(facts: &'a Facts) -> Prover<'a> {
        Prover { doubtful: true, models: Models::new(true), ..Prover::with_steps(facts, DOUBTFUL_STEPS) }
    }

    /// How many steps are left.
    pub fn steps_left(&self) -> u32 {
        self.steps_left
    }

    /// Whether `p >= 0` is proven.
    pub fn nonneg(&mut self, p: &Poly) -> bool {
        let p = self.facts.normalise(p);
        self.by_cases(p, MAX_CASES)
    }

    /// Whether `p > 0` is proven.
    pub fn positive(&mut self, p: &Poly) -> bool {
        self.nonneg(&(p - 1))
    }

    /// Whether `a <= b` is proven.
    pub fn le(&mut self, a: &Poly, b: &Poly) -> bool {
        self.nonneg(&(b - a))
    }

    /// Whether `a < b` is proven.
    pub fn lt(&mut self, a: &Poly, b: &Poly) -> bool {
        self.nonneg(&(b - a - 1))
    }

    /// Whether `p = 0` is proven.
    pub fn zero(&mut self, p: &Poly) -> bool {
        let p = self.facts.normalise(p);
        match p.as_constant() {
            Some(c) => c == 0,
            None => self.nonneg(&p) && self.nonneg(&-p),
        }
    }

    /// Whether `p != 0` is proven.
    pub fn nonzero(&mut self, p: &Poly) -> bool {
        let p = self.facts.normalise(p);
        let (constant, content) = (p.constant_term(), (&p - p.constant_term()).content());
        if content > 1 && constant.unsigned_abs() % content != 0 {
            return true;
        }
        self.nonneg(&(&p - 1)) || self.nonneg(&(-&p - 1))
    }

    /// Proves a normalised goal directly, or for each alternative of a variable that has some.
    fn by_cases(&mut self, p: Poly, cases: u32) -> bool {
        if self.search(&p, GOALS, DEPTH) {
            return true;
        }
        if cases == 0 {
            return false;
        }
        let facts = self.facts;
        for x in p.vars().into_iter().rev() {
            if let Some(alternatives) = facts.alternatives(x) {
                return alternatives.iter().all(|value| {
                    let case = facts.normalise(&p.subst(x, value));
                    !case.mentions(x) && self.by_cases(case, cases - 1)
                });
            }
        }
        false
    }

    fn search(&mut self, p: &Poly, goals: u32, depth: u32) -> bool {
        let root = p.tighten();
        if self.obvious(&root) || self.is_fact(&root) {
            return true;
        }
        if depth == 0 || !root.is_known() {
            return false;
        }
        match self.answers.get(&root) {
            Some(Answer::Proven) => return true,
            Some(Answer::Unknown { goals: g, depth: d }) if *g >= goals && *d >= depth => return false,
            Some(Answer::Unknown { .. }) | None => {}
        }
        self.models.cover(self.facts, &root.vars());
        if !self.doubtful {
            self.models.sample();
        }
        if self.models.refute(&root) {
            return false;
        }
        // A side question that comes back to this one gets no answer, which is sound.
        let unknown = Answer::Unknown { goals, depth };
        self.answers.insert(root.clone(), unknown);
        // Easy proofs first; then an effort to refute, since a search that fails costs most.
        let easy = !self.doubtful && self.best_first(&root, goals.min(EASY_GOALS), depth);
        if easy || self.search_or_refute(&root, goals, depth) {
            self.answers.insert(root, Answer::Proven);
            return true;
        }
        false
    }

    fn search_or_refute(&mut self, root: &Poly, goals: u32, depth: u32) -> bool {
        if self.models.hunt(root) {
            return false;
        }
        self.models.sample();
        self.best_first(root, goals, depth)
    }

    fn best_first(&mut self, root: &Poly, goals: u32, depth: u32) -> bool {
        let mut queue = BTreeMap::new();
        let mut seen = FxHashSet::default();
        seen.insert(root.clone());
        queue.insert((cost(root), 0), root.clone());
        let mut serial = 0;
        for _ in 0..goals {
            let Some((_, goal)) = queue.pop_first() else {
                return false;
            };
            let mut next = Vec::new();
            self.successors(&goal, depth, &mut next);
            for g in next {
                let g = g.tighten();
                if !g.is_known()
                    || g.terms().len() > MAX_GOAL_TERMS
                    || g.degree() > root.degree() + 2
                    || seen.contains(&g)
                    || self.models.refute(&g)
                {
                    continue;
                }
                if self.obvious(&g) {
                    return true;
                }
                serial += 1;
                seen.insert(g.clone());
                queue.insert((cost(&g), serial), g);
            }
            if self.steps_left == 0 {
                return false;
            }
        }
        false
    }

    /// Goals each of which implies `goal`.
    fn successors(&mut self, goal: &Poly, depth: u32, out: &mut Vec<Poly>) {
        let shared = goal.common_monomial();
        if !shared.is_one() && self.nonneg_product(&shared, depth) {
            if let Some(rest) = goal.div_exact(&Poly::term(shared, 1)) {
                out.push(rest);
            }
        }
        let vars = goal.vars();
        for &x in vars.iter().rev() {
            let (c, _) = goal.split_on(x);
            let about = self.about(x);
            for About { fact, factor: a, squared, .. } in useful(&about, &vars) {
                if self.steps_left == 0 {
                    return;
                }
                self.steps_left -= 1;
                if *squared {
                    self.cancel(goal, fact, depth, out);
                    continue;
                }
                self.eliminate(goal, &c, a, fact, depth, out);
                if c.terms().len() > 1 {
                    for (m, k) in c.terms() {
                        let part = Poly::term(m.clone(), *k);
                        self.eliminate_part(goal, &part, a, fact, depth, out);
                    }
                }
            }
        }
    }

    /// Removes `c*x` from the goal by the fact `a*x + e >= 0`.
    fn eliminate(&mut self, goal: &Poly, c: &Poly, a: &Poly, fact: &Poly, depth: u32, out: &mut Vec<Poly>) {
        if c.div_exact(a).is_some() {
            self.eliminate_part(goal, c, a, fact, depth, out);
        } else if self.side(&(a - 1), depth) && self.side(c, depth) {
            out.push(a * goal - c * fact);
        } else if self.side(&(-a - 1), depth) && self.side(&-c, depth) {
            out.push(c * fact - a * goal);
        }
    }

    /// Removes a part of the occurrences of `x` that the fact's factor divides.
    fn eliminate_part(
        &mut self,
        goal: &Poly,
        part: &Poly,
        a: &Poly,
        fact: &Poly,
        depth: u32,
        out: &mut Vec<Poly>,
    ) {
        if let Some(times) = part.div_exact(a) {
            if self.side(&times, depth) {
                out.push(goal - times * fact);
            }
        }
    }

    /// Cancels a term of the goal against the leading term of a fact that has no variable to solve for.
    fn cancel(&mut self, goal: &Poly, fact: &Poly, depth: u32, out: &mut Vec<Poly>) {
        let Some((m, k)) = fact.leading() else {
            return;
        };
        let lead = Poly::term(m.clone(), *k);
        for (m, k) in goal.terms() {
            let part = Poly::term(m.clone(), *k);
            self.eliminate_part(goal, &part, &lead, fact, depth, out);
        }
    }

    /// The facts about a variable that no equality has superseded.
    fn about(&mut self, x: Sym) -> Rc<[About<'a>]> {
        let facts = self.facts;
        let about = |fact: &'a Poly| {
            let vars = fact.vars();
            let (factor, _) = fact.split_on(x);
            let squared = factor.mentions(x);
            vars.iter().all(|y| facts.rewrite_of(*y).is_none()).then_some(About {
                fact,
                vars,
                factor,
                squared,
            })
        };
        let found = || facts.about(x).take(MAX_SCANNED).filter_map(about).collect();
        self.about.entry(x).or_insert_with(found).clone()
    }

    /// A question asked in order to take a step.
    fn side(&mut self, p: &Poly, depth: u32) -> bool {
        match p.as_constant() {
            Some(c) => c >= 0,
            None => self.search(p, SIDE_GOALS, depth - 1),
        }
    }

    fn nonneg_product(&mut self, m: &Monomial, depth: u32) -> bool {
        m.factors()
            .chunk_by(|a, b| a == b)
            .all(|group| group.len() % 2 == 0 || self.side(&Poly::var(group[0]), depth))
    }

    /// Whether the goal is a known fact, or weaker by a constant.
    fn is_fact(&self, p: &Poly) -> bool {
        let first = p.leading().and_then(|(m, _)| m.factors().first());
        let weaker =
            |f: &Poly| f.variable_terms() == p.variable_terms() && f.constant_term() <= p.constant_term();
        p.is_known() && first.is_some_and(|x| self.facts.about(*x).take(MAX_SCANNED).any(weaker))
    }

    /// Whether all coefficients are non-negative once variables are measured from their constant bounds.
    fn obvious(&mut self, p: &Poly) -> bool {
        if let Some(c) = p.as_constant() {
            return c >= 0;
        }
        if !p.is_known() || p.terms().len() > MAX_GOAL_TERMS || p.degree() > 8 {
            return false;
        }
        let vars = p.vars();
        let measured: Vec<Measured> = vars.iter().map(|x| self.measured(*x)).collect();
        let of = |x: Sym| vars.binary_search(&x).map_or(Measured::Freely, |k| measured[k]);
        let degree = p.degree();
        let shifts =
            measured.iter().any(|m| !matches!(m, Measured::Freely | Measured::Up(0) | Measured::Down(0)));
        // Terms of the highest degree get no share of others, and without shifts none does.
        let mut fixed = p.terms().iter().filter(|(m, _)| !shifts || m.degree() == degree);
        if !fixed.all(|(m, c)| stays_nonneg(m, *c, of)) {
            return false;
        }
        if !shifts {
            return true;
        }
        // The constant is the value at the bounds.
        let at_bounds = |x: Sym| match of(x) {
            Measured::Up(l) => Some(l),
            Measured::Down(h) => Some(h),
            Measured::Freely => Some(0),
        };
        if p.eval(at_bounds).is_none_or(|c| c < 0) {
            return false;
        }
        self.steps_left = self.steps_left.saturating_sub(1);
        let q = p.subst_all(|x| match of(x) {
            Measured::Up(0) | Measured::Freely => None,
            Measured::Up(l) => Some(Poly::var(x) + l),
            Measured::Down(h) => Some(Poly::constant(h) - Poly::var(x)),
        });
        let nonneg = |(m, c): &(Monomial, i64)| {
            *c >= 0 && powers(m).all(|(x, n)| n % 2 == 0 || !matches!(of(x), Measured::Freely))
        };
        q.is_known() && q.terms().iter().all(nonneg)
    }

    /// From where a variable is measured.
    fn measured(&self, x: Sym) -> Measured {
        let range = self.facts.bounds_of(x);
        let low = range.low.and_then(|l| i64::try_from(l).ok());
        let high = range.high.and_then(|h| i64::try_from(h).ok());
        match (low, high) {
            (Some(l), _) => Measured::Up(l),
            (None, Some(h)) => Measured::Down(h),
            (None, None) => Measured::Freely,
        }
    }
}

/// How a variable is written as something that is not negative.
#[derive(Clone, Copy)]
enum Measured {
    /// This, plus something.
    Up(i64),
    /// This, minus something.
    Down(i64),
    /// It has no bound.
    Freely,
}

/// Whether a term is not negative when its variables are measured from zero bounds.
fn stays_nonneg(m: &Monomial, c: i64, of: impl Fn(Sym) -> Measured) -> bool {
    let mut positive = c >= 0;
    for (x, _) in powers(m).filter(|(_, n)| n % 2 == 1) {
        match of(x) {
            Measured::Up(_) => {}
            Measured::Down(_) => positive = !positive,
            Measured::Freely => return false,
        }
    }
    positive
}

/// The facts most likely to help with a goal of these variables, those that bring in few new ones first.
fn useful<'b, 'a>(about: &'b [About<'a>], vars: &[Sym]) -> Vec<&'b About<'a>> {
    let new = |a: &About<'_>| a.vars.iter().filter(|y| vars.binary_search(y).is_err()).count();
    let mut found: Vec<(usize, &About<'a>)> = about.iter().map(|a| (new(a), a)).collect();
    found.sort_by_key(|(new, _)| *new);
    found.truncate(MAX_FACTS);
    found.into_iter().map(|(_, a)| a).collect()
}

/// Simpler goals first.
fn cost(p: &Poly) -> (usize, usize, usize) {
    (p.degree(), p.vars().len(), p.terms().len())
}

#[cfg(test)]
mod tests;
