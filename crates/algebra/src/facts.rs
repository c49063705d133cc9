//! What is known about variables.
//!
//! Facts form a stack of layers: cloning is cheap, and what is assumed of a clone stays with the clone. A pass clones
//! when it enters a scope or branch, adds what holds there, and drops the clone on the way out.
//!
//! Three kinds are kept. *Equalities* with a variable that can be solved for are rewrites `x := p`; they never
//! form a cycle, since the right side is fully rewritten, without `x`, when one is added. *Inequalities* are
//! polynomials known to be at least zero, indexed by the variables they mention; they are stored rewritten, and
//! again when a later equality rewrites them further. *Alternatives* say that a variable is one of several
//! expressions, as the result of a minimum is.

use crate::monomial::Sym;
use crate::poly::Poly;
use crate::prover::Prover;
use crate::range::{improved, Range, MAX_FACTS, MAX_VISITS};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// Layers are merged into one when the stack grows beyond this, so that lookups stay short.
const MAX_LAYERS: usize = 16;

/// A set of facts about variables, and the questions that can be asked of it.
///
/// Facts that contradict each other describe a place the program cannot reach; everything may be proven there.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    top: Arc<Layer>,
}

#[derive(Clone, Debug, Default)]
struct Layer {
    parent: Option<Arc<Layer>>,
    depth: usize,
    rewrites: FxHashMap<Sym, Poly>,
    nonneg: FxHashMap<Sym, Vec<Arc<Poly>>>,
    /// Where they are better than those of the layers below.
    bounds: FxHashMap<Sym, Range>,
    one_of: FxHashMap<Sym, Arc<[Poly]>>,
    divides: Vec<(Poly, Poly)>,
}

impl Facts {
    /// Nothing is known.
    pub fn new() -> Facts {
        Facts::default()
    }

    /// Adds `p >= 0`.
    pub fn assume_nonneg(&mut self, p: &Poly) {
        let p = self.normalise(p).tighten();
        let vars = p.vars();
        let Some(&first) = vars.first() else {
            return;
        };
        let alike = |f: &Poly| f.variable_terms() == p.variable_terms();
        if self.about(first).any(|f| alike(f) && f.constant_term() <= p.constant_term()) {
            return;
        }
        let p = Arc::new(p);
        let layer = self.writable();
        for x in vars {
            // Many checks of one size say ever more of it; the last one is enough.
            let about = layer.nonneg.entry(x).or_default();
            about.retain(|f| f.variable_terms() != p.variable_terms());
            about.push(p.clone());
        }
        self.improve_bounds(p);
    }

    /// Improves the bounds of variables by a new fact; see `range`.
    fn improve_bounds(&mut self, new: Arc<Poly>) {
        let mut waiting = VecDeque::from([new]);
        for _ in 0..MAX_VISITS {
            let Some(fact) = waiting.pop_front() else { return };
            let mut bounds: Vec<(Sym, Range)> =
                fact.vars().into_iter().map(|x| (x, self.bounds_of(x))).collect();
            for k in 0..bounds.len() {
                let (x, now) = bounds[k];
                let better = improved(&bounds, &fact, x);
                if better == now {
                    continue;
                }
                bounds[k].1 = better;
                self.writable().bounds.insert(x, better);
                for other in self.shared_about(x).take(MAX_FACTS) {
                    // What a fact without products says of a variable does not depend on what it says of the others.
                    let again = Arc::ptr_eq(other, &fact) && fact.degree() <= 1;
                    if !again && !waiting.iter().any(|w| Arc::ptr_eq(w, other)) {
                        waiting.push_back(other.clone());
                    }
                }
            }
        }
    }

    /// Adds `a <= b`.
    pub fn assume_le(&mut self, a: &Poly, b: &Poly) {
        self.assume_nonneg(&(b - a));
    }

    /// Adds `a < b`.
    pub fn assume_lt(&mut self, a: &Poly, b: &Poly) {
        self.assume_nonneg(&(b - a - 1));
    }

    /// Adds `0 <= x`, which holds of every size.
    pub fn assume_size(&mut self, x: Sym) {
        self.assume_nonneg(&Poly::var(x));
    }

    /// Adds `from <= x < until`, which holds of a loop index.
    pub fn assume_index(&mut self, x: Sym, from: &Poly, until: &Poly) {
        self.assume_le(from, &Poly::var(x));
        self.assume_lt(&Poly::var(x), until);
    }

    /// Adds `a = b`, as a rewrite of the latest variable that it can be solved for.
    pub fn assume_eq(&mut self, a: &Poly, b: &Poly) {
        let mut p = self.normalise(&(a - b));
        if let Ok(content) = i64::try_from(p.content()) {
            if content > 1 {
                p = p.div_exact(&Poly::constant(content)).unwrap_or(p);
            }
        }
        match p.vars().into_iter().rev().find_map(|x| solve_for(x, &p)) {
            Some((x, value)) => self.rewrite(x, value),
            None => {
                self.assume_nonneg(&p);
                self.assume_nonneg(&-p);
            }
        }
    }

    /// Adds `x = p`, preferably by rewriting `x`.
    pub fn define(&mut self, x: Sym, p: &Poly) {
        let value = self.normalise(p);
        let fresh = self.rewrite_of(x).is_none() && value.is_known() && !value.mentions(x);
        match fresh {
            true => self.rewrite(x, value),
            false => self.assume_eq(&Poly::var(x), p),
        }
    }

    /// Adds that `q` is `x / y` rounded down. Says nothing unless `y` is provably positive.
    pub fn assume_quotient(&mut self, q: Sym, x: &Poly, y: &Poly) {
        if self.positive(y) {
            let low = Poly::var(q) * y;
            self.assume_le(&low, x);
            self.assume_lt(x, &(low + y));
            if let Some(exact) = self.normalise(x).div_exact(&self.normalise(y)) {
                self.define(q, &exact);
            }
        }
    }

    /// Adds that `r` is the remainder and `q` the quotient of `x` and `y`, rounded down. Says nothing unless `y`
    /// is provably positive.
    pub fn assume_remainder(&mut self, r: Sym, q: Sym, x: &Poly, y: &Poly) {
        if self.positive(y) {
            self.assume_index(r, &Poly::zero(), y);
            self.assume_quotient(q, x, y);
            self.define(r, &(x - Poly::var(q) * y));
        }
    }

    /// Adds that `x` is the smaller of `a` and `b`.
    pub fn assume_min(&mut self, x: Sym, a: &Poly, b: &Poly) {
        self.assume_le(&Poly::var(x), a);
        self.assume_le(&Poly::var(x), b);
        self.assume_one_of(x, &[a.clone(), b.clone()]);
    }

    /// Adds that `x` is the larger of `a` and `b`.
    pub fn assume_max(&mut self, x: Sym, a: &Poly, b: &Poly) {
        self.assume_le(a, &Poly::var(x));
        self.assume_le(b, &Poly::var(x));
        self.assume_one_of(x, &[a.clone(), b.clone()]);
    }

    /// Adds that `x` equals one of the alternatives, without saying which.
    pub fn assume_one_of(&mut self, x: Sym, alternatives: &[Poly]) {
        let usable = |p: &Poly| p.is_known() && !p.mentions(x);
        if alternatives.iter().all(usable) && !alternatives.is_empty() {
            self.writable().one_of.insert(x, alternatives.into());
        }
    }

    /// Adds that `p` is a multiple of `d`.
    pub fn assume_divides(&mut self, d: &Poly, p: &Poly) {
        if d.is_known() && p.is_known() {
            self.writable().divides.push((d.clone(), p.clone()));
        }
    }

    /// Rewrites by the equalities until none applies.
    pub fn normalise(&self, p: &Poly) -> Poly {
        let mut p = p.clone();
        while p.is_known() && p.vars().iter().any(|x| self.rewrite_of(*x).is_some()) {
            p = p.subst_all(|x| self.rewrite_of(x).cloned());
        }
        p
    }

    /// Whether `p >= 0` is proven.
    pub fn nonneg(&self, p: &Poly) -> bool {
        Prover::doubtful(self).nonneg(p)
    }

    /// Whether `p > 0` is proven.
    pub fn positive(&self, p: &Poly) -> bool {
        self.nonneg(&(p - 1))
    }

    /// Whether `a <= b` is proven.
    pub fn le(&self, a: &Poly, b: &Poly) -> bool {
        self.nonneg(&(b - a))
    }

    /// Whether `a < b` is proven.
    pub fn lt(&self, a: &Poly, b: &Poly) -> bool {
        self.nonneg(&(b - a - 1))
    }

    /// Whether `a = b` is proven.
    pub fn eq(&self, a: &Poly, b: &Poly) -> bool {
        Prover::doubtful(self).zero(&(a - b))
    }

    /// Whether `a != b` is proven.
    pub fn ne(&self, a: &Poly, b: &Poly) -> bool {
        Prover::doubtful(self).nonzero(&(a - b))
    }

    /// Whether it is proven that `p` is a multiple of `d`.
    pub fn divides(&self, d: &Poly, p: &Poly) -> bool {
        let (d, mut rest) = (self.normalise(d), self.normalise(p));
        if !rest.is_known() {
            return false;
        }
        if let Some((_, r)) = rest.div_rem(&d) {
            rest = r;
        }
        for (d0, p0) in self.divisibilities() {
            if rest.is_zero() {
                break;
            }
            let usable = self.normalise(d0).div_exact(&d).is_some();
            if let Some((_, r)) = usable.then(|| rest.div_rem(&self.normalise(p0))).flatten() {
                rest = r.div_rem(&d).map_or(r, |(_, r)| r);
            }
        }
        rest.is_zero()
    }

    /// Whether some fact mentions `x`.
    pub fn knows(&self, x: Sym) -> bool {
        self.rewrite_of(x).is_some() || self.about(x).next().is_some()
    }

    /// The inequalities that mention `x`, the latest layer first. Those superseded by a rewrite are among them.
    pub(crate) fn about(&self, x: Sym) -> impl Iterator<Item = &Poly> {
        self.shared_about(x).map(|p| &**p)
    }

    fn shared_about(&self, x: Sym) -> impl Iterator<Item = &Arc<Poly>> {
        self.layers().flat_map(move |l| l.nonneg.get(&x).into_iter().flatten())
    }

    /// The constant bounds of a variable.
    pub(crate) fn bounds_of(&self, x: Sym) -> Range {
        self.layers().find_map(|l| l.bounds.get(&x)).copied().unwrap_or_default()
    }

    pub(crate) fn rewrite_of(&self, x: Sym) -> Option<&Poly> {
        self.layers().find_map(|l| l.rewrites.get(&x))
    }

    pub(crate) fn alternatives(&self, x: Sym) -> Option<&[Poly]> {
        self.layers().find_map(|l| l.one_of.get(&x)).map(|a| &**a)
    }

    fn divisibilities(&self) -> impl Iterator<Item = &(Poly, Poly)> {
        self.layers().flat_map(|l| l.divides.iter())
    }

    /// Adds the rewrite of a variable that has none yet to a normalised value without that variable.
    fn rewrite(&mut self, x: Sym, value: Poly) {
        let stale: Vec<Poly> = self.about(x).cloned().collect();
        self.writable().rewrites.insert(x, value);
        for p in stale {
            self.assume_nonneg(&p);
        }
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        std::iter::successors(Some(&*self.top), |l| l.parent.as_deref())
    }

    /// The top layer if nobody else sees it, else a new one above it.
    fn writable(&mut self) -> &mut Layer {
        if Arc::get_mut(&mut self.top).is_none() {
            let layer = match self.top.depth + 1 >= MAX_LAYERS {
                true => self.merged(),
                false => {
                    Layer { parent: Some(self.top.clone()), depth: self.top.depth + 1, ..Layer::default() }
                }
            };
            self.top = Arc::new(layer);
        }
        Arc::make_mut(&mut self.top)
    }

    fn merged(&self) -> Layer {
        let mut all = Layer::default();
        let mut layers: Vec<&Layer> = self.layers().collect();
        layers.reverse();
        for layer in layers {
            all.rewrites.extend(layer.rewrites.iter().map(|(x, p)| (*x, p.clone())));
            all.one_of.extend(layer.one_of.iter().map(|(x, p)| (*x, p.clone())));
            all.divides.extend(layer.divides.iter().cloned());
            all.bounds.extend(layer.bounds.iter().map(|(x, r)| (*x, *r)));
            for (x, facts) in &layer.nonneg {
                let slot: &mut Vec<Arc<Poly>> = all.nonneg.entry(*x).or_default();
                slot.extend(facts.iter().cloned());
            }
        }
        // Of facts that differ in a constant the last one says most: otherwise it would not have been added.
        for facts in all.nonneg.values_mut().filter(|facts| facts.len() > 1) {
            let mut seen = FxHashSet::default();
            let mut last: Vec<bool> = facts.iter().rev().map(|f| seen.insert(f.variable_terms())).collect();
            drop(seen);
            facts.retain(|_| last.pop() == Some(true));
        }
        all
    }
}

/// Reads `p = 0` as `x = value`, if `x` occurs only alone and with coefficient one or minus one.
fn solve_for(x: Sym, p: &Poly) -> Option<(Sym, Poly)> {
    let (c1, c0) = p.split_on(x);
    match c1.as_constant() {
        Some(1) => Some((x, -c0)),
        Some(-1) => Some((x, c0)),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests;
