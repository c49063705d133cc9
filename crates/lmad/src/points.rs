//! Descriptors as sets of points: changes that keep the set, or only enlarge it.

use crate::lmad::{Dim, Lmad};
use crate::overlap::inhabited;
use fehu_algebra::{Facts, Poly, Prover, Sym};

impl Lmad {
    /// The same points with positive strides, largest stride first, without dimensions that add nothing. `None`
    /// if the sign of a stride or the order of two strides is unknown.
    pub fn normalise(&self, facts: &Facts) -> Option<Lmad> {
        let mut prover = Prover::new(facts);
        let mut offset = self.offset.clone();
        let mut dims: Vec<Dim> = Vec::with_capacity(self.rank());
        for d in &self.dims {
            if prover.zero(&(&d.size - 1)) {
                continue;
            }
            let dim = if prover.positive(&d.stride) {
                d.clone()
            } else if prover.positive(&-&d.stride) {
                offset = offset + (&d.size - 1) * &d.stride;
                Dim::new(&d.size, -&d.stride)
            } else {
                return None;
            };
            let mut at = dims.len();
            while at > 0 && !prover.le(&dim.stride, &dims[at - 1].stride) {
                if !prover.le(&dims[at - 1].stride, &dim.stride) {
                    return None;
                }
                at -= 1;
            }
            dims.insert(at, dim);
        }
        Some(Lmad { offset, dims })
    }

    /// Joins dimension `k` with the one after it, if that one ends where the next element of `k` begins.
    pub fn join(&self, facts: &Facts, k: usize) -> Option<Lmad> {
        let (outer, inner) = (self.dims.get(k)?, self.dims.get(k + 1)?);
        if !facts.eq(&outer.stride, &(&inner.size * &inner.stride)) {
            return None;
        }
        let mut joined = self.clone();
        joined.dims[k] = Dim::new(&outer.size * &inner.size, &inner.stride);
        joined.dims.remove(k + 1);
        Some(joined)
    }

    /// Joins all neighbouring dimensions that can be joined.
    pub fn join_all(&self, facts: &Facts) -> Lmad {
        let mut joined = self.clone();
        let mut k = 0;
        while k + 1 < joined.rank() {
            match joined.join(facts, k) {
                Some(next) => {
                    joined = next;
                    k = k.saturating_sub(1);
                }
                None => k += 1,
            }
        }
        joined
    }

    /// Splits dimension `k` into an outer and an inner one of `inner` elements, if `inner` divides its size.
    pub fn split(&self, facts: &Facts, k: usize, inner: &Poly) -> Option<Lmad> {
        let d = self.dims.get(k)?;
        let outer = facts.normalise(&d.size).div_exact(&facts.normalise(inner))?;
        let mut split = self.clone();
        split.dims[k] = Dim::new(outer, inner * &d.stride);
        split.dims.insert(k + 1, Dim::new(inner, &d.stride));
        Some(split)
    }

    /// The descriptor with a dimension of size one at place `k`: no point is added, whatever the stride.
    pub fn insert_unit(&self, k: usize, stride: &Poly) -> Option<Lmad> {
        if k > self.rank() {
            return None;
        }
        let mut wider = self.clone();
        wider.dims.insert(k, Dim::new(1, stride));
        Some(wider)
    }

    /// All points that the descriptor has while `i` runs over `count` values from `from`.
    ///
    /// The result is exact if `i` occurs in the offset alone. A size that depends on `i` is replaced by its
    /// largest value, so the result may be too large, never too small. `None` if a stride depends on `i`, or the
    /// offset does so in a way that is not linear.
    pub fn expand(&self, facts: &Facts, i: Sym, from: &Poly, count: &Poly) -> Option<Lmad> {
        let (step, base) = self.offset.split_on(i);
        if step.mentions(i) || !self.is_known() {
            return None;
        }
        let mut running = facts.clone();
        running.assume_index(i, from, &(from + count));
        let last = from + count - 1;
        let mut dims = vec![Dim::new(count, &step)];
        for d in &self.dims {
            if d.stride.mentions(i) {
                return None;
            }
            let (slope, _) = d.size.split_on(i);
            let size = if slope.is_zero() {
                d.size.clone()
            } else if slope.mentions(i) {
                return None;
            } else if running.nonneg(&slope) {
                d.size.subst(i, &last)
            } else if running.nonneg(&-&slope) {
                d.size.subst(i, from)
            } else {
                return None;
            };
            dims.push(Dim::new(size, &d.stride));
        }
        let offset = base + step * from;
        Some(Lmad { offset, dims })
    }

    /// The smallest and the largest point, provided there is one.
    pub fn bounds(&self, facts: &Facts) -> Option<(Poly, Poly)> {
        let mut prover = Prover::new(facts);
        let (mut low, mut high) = (self.offset.clone(), self.offset.clone());
        for d in &self.dims {
            let reach = (&d.size - 1) * &d.stride;
            if prover.nonneg(&d.stride) {
                high = high + reach;
            } else if prover.nonneg(&-&d.stride) {
                low = low + reach;
            } else {
                return None;
            }
        }
        Some((low, high))
    }

    /// One descriptor with all points of both, and perhaps more between them; `None` if no good one is found,
    /// and the two are better kept side by side.
    pub fn union(&self, facts: &Facts, other: &Lmad) -> Option<Lmad> {
        // Whether an interval contains what has other strides would be the harder half of `covers`, and is rare.
        if self.is_known() && other.is_known() {
            for (large, small) in [(self, other), (other, self)] {
                if matches_by_stride(&inhabited(facts, &[small]), large, small) {
                    return Some(large.clone());
                }
            }
        }
        if self.dims != other.dims {
            return None;
        }
        let distance = facts.normalise(&(&other.offset - &self.offset));
        for (k, d) in self.dims.iter().enumerate() {
            let Some(steps) = distance.div_exact(&facts.normalise(&d.stride)) else {
                continue;
            };
            let (first, steps) = match (facts.nonneg(&steps), facts.nonneg(&-&steps)) {
                (true, _) => (self, steps),
                (false, true) => (other, -steps),
                (false, false) => continue,
            };
            // A gap would be filled with points that neither has.
            if facts.le(&steps, &d.size) {
                let mut longer = first.clone();
                longer.dims[k].size = &d.size + steps;
                return Some(longer);
            }
        }
        None
    }
}

/// Whether it is proven that every point of `small` is one of `large`.
pub fn covers(facts: &Facts, large: &Lmad, small: &Lmad) -> bool {
    if !large.is_known() || !small.is_known() {
        return false;
    }
    let facts = &inhabited(facts, &[small]);
    matches_by_stride(facts, large, small) || within_interval(facts, large, small)
}

/// Writes the distance and the dimensions of `small` in strides of `large`, and compares the intervals.
fn matches_by_stride(facts: &Facts, large: &Lmad, small: &Lmad) -> bool {
    let mut distance = facts.normalise(&(&small.offset - &large.offset));
    let large = merged_strides(facts, large);
    // For each dimension of `large`, the smallest and the largest index that `small` uses.
    let mut used: Vec<(Poly, Poly)> = vec![(Poly::zero(), Poly::zero()); large.rank()];
    let strides: Vec<Poly> = large.dims.iter().map(|d| d.stride.clone()).collect();
    for d in &small.dims {
        if facts.eq(&d.size, &Poly::one()) {
            continue;
        }
        let stride = facts.normalise(&d.stride);
        let reach = &d.size - 1;
        let forwards = strides.iter().position(|s| *s == stride);
        let backwards = strides.iter().position(|s| *s == -&stride);
        match (forwards, backwards) {
            (Some(k), _) => used[k].1 = &used[k].1 + reach,
            (None, Some(k)) => used[k].0 = &used[k].0 - reach,
            (None, None) => return false,
        }
    }
    for (stride, (first, last)) in strides.iter().zip(&mut used) {
        if let Some((steps, rest)) = distance.div_rem(stride) {
            *first = &*first + &steps;
            *last = &*last + steps;
            distance = rest;
        }
    }
    let mut prover = Prover::new(facts);
    distance.is_zero()
        && used
            .iter()
            .zip(&large.dims)
            .all(|((first, last), d)| prover.nonneg(first) && prover.lt(last, &d.size))
}

/// The same points with one dimension for each stride, where the sizes are known to be positive.
fn merged_strides(facts: &Facts, l: &Lmad) -> Lmad {
    let mut merged = Lmad::point(&l.offset);
    for d in &l.dims {
        let stride = facts.normalise(&d.stride);
        let same = merged.dims.iter_mut().find(|e| e.stride == stride);
        match same.filter(|e| facts.positive(&e.size) && facts.positive(&d.size)) {
            Some(e) => e.size = &e.size + &d.size - 1,
            None => merged.dims.push(Dim::new(&d.size, stride)),
        }
    }
    merged
}

/// Whether `large` is an interval that contains the bounds of `small`.
fn within_interval(facts: &Facts, large: &Lmad, small: &Lmad) -> bool {
    let dense = large.is_dense(facts);
    let (Some((low, high)), true) = (small.bounds(facts), dense) else {
        return false;
    };
    facts.le(&large.offset, &low) && facts.lt(&high, &(&large.offset + large.elements()))
}
